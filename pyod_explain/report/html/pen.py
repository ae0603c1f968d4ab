"""How texts get on the page: escaped, and within the limits."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from pyod_explain._printable import visible

__all__ = ["Pen"]


@dataclass(frozen=True)
class Pen:
    """Writes texts, and knows how much of each thing is shown; the rest is counted.

    Attributes
    ----------
    groups, rules, characters, labels, notes : the most that is shown of each.
    """

    groups: int
    rules: int
    characters: int
    labels: int
    notes: int

    def text(self, text: Any) -> str:
        """Escape anything for HTML, whatever its declared type, and cut it if it is very long.

        >>> Pen(1, 1, 9, 1, 1).text("<b>amount of money")
        '&lt;b&gt;amoun…'
        """
        shown = visible(str(text))
        if len(shown) > self.characters:
            shown = shown[: self.characters - 1] + "…"
        return escape(shown, quote=True)

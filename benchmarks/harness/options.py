"""Arguments of `explain` as words of a command line."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any


def read_options(words: Iterable[str]) -> dict[str, Any]:
    """Read words such as `groups=1` or `method=wccm`: Python's constants, anything else is a text."""
    found = {}
    for word in words:
        name, _, value = word.partition("=")
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            found[name] = value
    return found

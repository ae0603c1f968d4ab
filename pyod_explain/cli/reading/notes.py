"""What was read as what in a text file: a line for each kind of reading, with the columns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pyod_explain.cli.reading.how import Say

__all__ = ["Notes", "columns_named"]

MOST = 6  # columns or words that a note names


@dataclass
class Notes:
    """Readings of cells.

    Attributes
    ----------
    missing : per column, the words that were read as missing.
    numbers : per column that was read as numbers, a text and its number.
    decided : per column with texts that have two meanings, one of these and its number, by the sign of other columns.
    unclear : per column that stays text, a text that has two meanings, and these.
    mixed : per column that stays text, the units in it.
    nearly : per column that stays text, what in it is no number.
    otherwise : per column that stays text, what is a number with the other decimal sign than the user says.
    """

    missing: dict[str, list[str]] = field(default_factory=dict)
    numbers: dict[str, tuple[str, str]] = field(default_factory=dict)
    decided: dict[str, tuple[str, str]] = field(default_factory=dict)
    unclear: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    mixed: dict[str, list[str]] = field(default_factory=dict)
    nearly: dict[str, list[str]] = field(default_factory=dict)
    otherwise: dict[str, tuple[str, str]] = field(default_factory=dict)

    def tell(self, say: Say) -> None:
        """Say each kind in a line.

        Parameters
        ----------
        say : is told.
        """
        if self.missing:
            words = _some([f"{word!r}" for word in dict.fromkeys(w for each in self.missing.values() for w in each)])
            say(f"{words} read as missing in {columns_named(self.missing)}; --raw leaves the text")
        if self.numbers:
            each = [f"{name!r} ({text!r} is {value})" for name, (text, value) in self.numbers.items()]
            say(f"{_noun(self.numbers)} {_some(each)} read as numbers; --raw leaves the text")
        if self.decided:
            each = [f"{name!r} ({text!r} is {value})" for name, (text, value) in self.decided.items()]
            say(
                f"{_noun(self.decided)} {_some(each)} read with the decimal sign of other columns; --decimal says which"
            )
        if self.unclear:
            text, point, comma = next(iter(self.unclear.values()))
            say(
                f"{columns_named(self.unclear)} left as text: {text!r} may be {point} or {comma}; "
                f"--decimal . makes it {point}, --decimal , makes it {comma}"
            )
        if self.mixed:
            each = [f"{name!r} ({', '.join(units[:4])})" for name, units in self.mixed.items()]
            say(f"{_noun(self.mixed)} {_some(each)} left as text: numbers in several units")
        if self.nearly:
            each = [f"{name!r} ({', '.join(map(repr, words[:3]))})" for name, words in self.nearly.items()]
            say(
                f"{_noun(self.nearly)} {_some(each)} left as text: not all are numbers; --na WORD reads WORD as missing"
            )
        for sign in ".,":
            if texts := {name: text for name, (text, other) in self.otherwise.items() if other == sign}:
                each = [f"{name!r} ({text!r})" for name, text in texts.items()]
                say(f"{_noun(texts)} {_some(each)} left as text: these are numbers with --decimal {sign}")


def columns_named(names: Collection[str]) -> str:
    """Name columns, the first of many.

    Examples
    --------
    >>> columns_named(["a"]), columns_named("abcdefgh")
    ("column 'a'", "columns 'a', 'b', 'c', 'd', 'e', 'f' and 2 more")
    """
    return f"{_noun(names)} {_some([repr(name) for name in names])}"


def _noun(names: Collection[str]) -> str:
    return "column" if len(names) == 1 else "columns"


def _some(each: list[str]) -> str:
    rest = len(each) - MOST
    return ", ".join(each[:MOST]) + (f" and {rest:,} more" if rest > 0 else "")

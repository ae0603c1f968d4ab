"""Names and values as SQL writes them: quoted where they come from the user, spelled out where they are numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import as_decimal
from pyod_explain.result import ColumnFacts

__all__ = [
    "backslashed",
    "check_text",
    "clock_text",
    "digits",
    "double",
    "escaped",
    "fits_64_bits",
    "is_short_whole",
    "microseconds",
    "plain_double",
    "quoted",
    "refuse_nanoseconds",
    "refuse_unwritable",
    "seconds",
    "short_decimal",
    "unwritable",
]


EXACT_WHOLE = 2**53  # below it all whole numbers are doubles
SHORT_WHOLE = 2**24  # up to it all whole numbers are floats of 32 bits


def unwritable(value: Any, facts: ColumnFacts, reason: str = "") -> PyodExplainError:
    """Build the error for a value that would be another one in the database."""
    return PyodExplainError(f"The value {value!r} of column {facts.name!r} cannot be written in SQL{reason}.")


# --- texts ------------------------------------------------------------------------------------------------------------


def check_text(text: Any, what: str) -> str:
    """Give the text as it is; anything else is refused."""
    if not isinstance(text, str):
        raise PyodExplainError(f"The {what} {text!r} cannot be written in SQL: it must be a text.")
    return text


def refuse_unwritable(text: str, what: str) -> None:
    """Refuse a text with characters that no database keeps."""
    if "\0" in check_text(text, what):
        raise PyodExplainError(f"The {what} {text!r} cannot be written in SQL: it has a NUL character.")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise PyodExplainError(f"The {what} {text!r} cannot be written in SQL: it has half of a character (UTF-16).")


def quoted(text: str, what: str, mark: str) -> str:
    """Set a text in quotation marks, which are doubled within.

    >>> quoted("it's", "text", "'")
    "'it''s'"
    """
    refuse_unwritable(text, what)
    return mark + text.replace(mark, mark + mark) + mark


def escaped(text: str) -> str:
    """Write backslashes and line breaks as escapes, for dialects that read these."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def backslashed(text: str) -> str:
    """Set a text in quotation marks, for dialects that read escapes."""
    refuse_unwritable(text, "text")
    return "'" + escaped(text).replace("'", "\\'") + "'"


# --- numbers ----------------------------------------------------------------------------------------------------------


def digits(number: int) -> str:
    """Write a whole number, not what a subclass makes of it."""
    return int.__repr__(number)


def fits_64_bits(number: int) -> bool:
    """Tell whether the usual type for whole numbers holds this one."""
    return -(2**63) <= number < 2**63


def double(value: float) -> str:
    """Write a double; an exponent makes it one, not a decimal."""
    text = float.__repr__(value)
    return text if "e" in text else text + "e0"


def plain_double(value: float) -> str:
    """Write a double as people write numbers; the digits are those that give just this double back.

    >>> plain_double(-0.0), plain_double(250.0), plain_double(0.7), plain_double(1e300)
    ('0', '250', '0.7', '1e+300')
    """
    return digits(int(value)) if value.is_integer() and abs(value) < EXACT_WHOLE else float.__repr__(value)


def is_short_whole(value: float) -> bool:
    """Tell whether a double is whole and as exact in the shortest float: no database can round it.

    >>> is_short_whole(-0.0), is_short_whole(250.0), is_short_whole(16777217.0), is_short_whole(0.5)
    (True, True, False, False)
    """
    return value.is_integer() and abs(value) <= SHORT_WHOLE


def short_decimal(value: Decimal, facts: ColumnFacts) -> str:
    """Write a decimal that the database keeps as such; a longer one would become a double without a word."""
    text = format(as_decimal(value), "f")
    if sum(one.isdigit() for one in text) > 38:
        raise unwritable(value, facts, ": the database has decimals of 38 digits.\nHint: round the column")
    return text


# --- times ------------------------------------------------------------------------------------------------------------


def clock_text(stamp: pd.Timestamp) -> str:
    """Write a time without its zone, with as many decimals as it needs."""
    return stamp.tz_localize(None).isoformat(sep=" ") if stamp.tzinfo is not None else stamp.isoformat(sep=" ")


def refuse_nanoseconds(stamp: pd.Timestamp) -> None:
    """Refuse a time that is finer than the database counts."""
    if stamp.nanosecond:
        raise PyodExplainError(
            f"The time {stamp} cannot be written in this SQL: the database counts microseconds.\n"
            "Hint: round the column to microseconds before it is explained."
        )


def microseconds(duration: pd.Timedelta) -> int:
    """Give a duration in microseconds, or refuse one that is finer."""
    if duration.value % 1000:
        raise PyodExplainError(
            f"The duration {duration} cannot be written in SQL: databases count microseconds.\n"
            "Hint: round the column to microseconds, or make it a number of seconds."
        )
    return int(duration.value // 1000)


def seconds(duration: pd.Timedelta) -> str:
    """Write a duration in seconds."""
    micro = microseconds(duration)
    return f"{'-' if micro < 0 else ''}{abs(micro) // 1_000_000}.{abs(micro) % 1_000_000:06d}"

"""What a column holds, and how a shell writes one of its values."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable
from typing import Any

import pandas as pd

__all__ = ["EXAMPLES", "NotOfKind", "kind_of", "read_as"]

TRUE = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
# What a value of each kind looks like, to follow "must compare with".
EXAMPLES = {
    "truth": "true or false",
    "number": "a number",
    "decimal": "a number",
    "moment": "a date such as 2024-01-31",
    "date": "a date such as 2024-01-31",
    "duration": "a duration such as 1 day 06:30:00",
    "time": "a time of day such as 17:30",
}
# What parquet files have and pandas knows as objects alone.
_OBJECTS = {"boolean": "truth", "decimal": "decimal", "date": "date", "timedelta": "duration", "time": "time"}


class NotOfKind(ValueError):  # noqa: N818 - no error yet: whoever asked knows the words of the command
    """A text is no value of the kind; what is said instead of the usual, if anything."""


def kind_of(series: pd.Series[Any]) -> str:
    """Tell what a column holds: one of `EXAMPLES`, or text.

    >>> kind_of(pd.Series([1, 2])), kind_of(pd.Series([decimal.Decimal("1.5"), None])), kind_of(pd.Series(["a"]))
    ('number', 'decimal', 'text')
    """
    tests: list[tuple[Callable[[Any], bool], str]] = [
        (pd.api.types.is_bool_dtype, "truth"),
        (pd.api.types.is_numeric_dtype, "number"),
        (pd.api.types.is_datetime64_any_dtype, "moment"),
        (pd.api.types.is_timedelta64_dtype, "duration"),
    ]
    for holds, kind in tests:
        if holds(series):
            return kind
    held = pd.api.types.infer_dtype(series, skipna=True) if series.dtype == object else "string"
    return _OBJECTS.get(held, "text")


def read_as(kind: str, text: str, series: pd.Series[Any]) -> Any:
    """Read a value as a cell of a column would have it.

    Parameters
    ----------
    kind : what the column holds.
    text : the value, as it is written.
    series : the column, whose zone a moment without one is in.

    Raises
    ------
    NotOfKind : if it is none.
    """
    if kind == "text":
        return text
    if kind == "moment":
        return _moment(text, getattr(series.dtype, "tz", None))
    try:
        return _READ[kind](text)
    except (KeyError, ValueError, decimal.InvalidOperation):
        raise NotOfKind from None


def _number(text: str) -> Any:
    number = pd.to_numeric(pd.Series([text]), errors="coerce").iloc[0]
    if pd.isna(number):
        raise ValueError
    return number


def _decimal(text: str) -> decimal.Decimal:
    number = decimal.Decimal(text)
    if number.is_nan():
        raise ValueError
    return number


def _date(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def _duration(text: str) -> pd.Timedelta:
    if not any(c.isalpha() or c == ":" for c in text):
        raise ValueError  # a mere number would be nanoseconds
    duration = pd.Timedelta(text)
    if pd.isna(duration):
        raise ValueError
    return duration


def _moment(text: str, zone: dt.tzinfo | None) -> pd.Timestamp:
    """Read a moment; in a column with a zone one without is what the clock shows there, and that but once."""
    moment = pd.to_datetime(pd.Series([text]), errors="coerce", format="ISO8601").iloc[0]
    if pd.isna(moment):
        raise NotOfKind
    if (moment.tzinfo is None) == (zone is None):
        return moment
    if zone is None:
        raise NotOfKind("a date without a zone, as it has none")
    there = moment.tz_localize(zone, ambiguous="NaT", nonexistent="NaT")  # which of its errors it raises varies
    if pd.isna(there):
        raise NotOfKind(f"a moment that clocks of {zone} show once, or one with its offset, as +00:00")
    return there


_READ: dict[str, Callable[[str], Any]] = {
    "truth": lambda text: TRUE[text.lower()],
    "number": _number,
    "decimal": _decimal,
    "date": _date,
    "duration": _duration,
    "time": dt.time.fromisoformat,
}

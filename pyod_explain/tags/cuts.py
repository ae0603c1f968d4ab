"""Cut points as a person would write them: the shortest one that moves no row to the other side."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.table import Column

__all__ = ["above", "at_least", "at_most", "digits", "simplest"]

_EXACT = Context(prec=1200)  # every double is a decimal of at most 1,075 digits
_CALENDAR = ("YS", "MS", "D", "h", "min", "s", "ms", "us", "ns")
_CLOCK = ("10D", "D", "h", "min", "s", "ms", "us", "ns")


def at_least(column: Column, previous: Any, value: Any) -> Any:
    """Give the shortest t with previous < t <= value: `>= t` and `< t` part the two as `>= value` does.

    Examples
    --------
    >>> from pyod_explain.table import as_table
    >>> x = as_table([[0.25], [0.7312]])["x0"]
    >>> at_least(x, 0.25, 0.7312)
    0.5
    """
    if column.kind == "datetime":
        return _date(column, int(previous), int(value))
    if column.kind == "timedelta":
        return _duration(int(previous), int(value))
    return simplest(previous, value)


def at_most(column: Column, value: Any, following: Any) -> Any:
    """Give the shortest t with value <= t < following: `<= t` parts the two as `<= value` does."""
    if column.kind == "datetime":
        return _as_stamp(column, int(value))
    if column.kind == "timedelta":
        return pd.Timedelta(int(value), unit="ns")
    return -simplest(-_number(following), -_number(value))


def above(column: Column, value: Any, following: Any) -> Any:
    """Give the shortest t with value <= t < following, for `> t`."""
    return at_most(column, value, following)


def simplest(previous: Any, value: Any) -> int | float:
    """Give the number of fewest digits in (previous, value]; of several, the one nearest to the middle.

    Whole numbers of any size stay exact.

    Examples
    --------
    >>> simplest(17.38, 23.1), simplest(0, 114), simplest(-3, 2), simplest(2**53, 2**53 + 1)
    (20.0, 100, 0, 9007199254740993)
    """
    low, high = _number(previous), _number(value)
    if low < 0 <= high:
        return 0 if isinstance(high, int) else 0.0
    a, b = Decimal(low), Decimal(high)
    exponent = max(a.copy_abs(), b.copy_abs()).adjusted() + 1
    while True:
        step = Decimal(1).scaleb(exponent, _EXACT)
        last = _floor(b, step)
        if last > a:
            break
        if exponent < -330:  # finer than any double: cannot happen for a < b
            return high
        exponent -= 1
    first = _EXACT.add(_floor(a, step), step)
    middle = _EXACT.divide(_EXACT.add(a, b), Decimal(2))
    nearest = _EXACT.add(_floor(middle, step), Decimal(0))
    options = {min(max(one, first), last) for one in (nearest, _EXACT.add(nearest, step))}
    best = min(options, key=lambda one: (abs(_EXACT.subtract(one, middle)), one))
    if isinstance(high, int):
        return int(best) if best == best.to_integral_value() else high
    rounded = float(best)
    return rounded if low < rounded <= high else high  # rounding to a double may fall onto `previous`


def digits(value: Any) -> int:
    """Count the characters of a number, the measure of how short it is to write."""
    return len(repr(value))


def _number(value: Any) -> int | float:
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, int) else float(plain)


def _floor(value: Decimal, step: Decimal) -> Decimal:
    count = _EXACT.divide(value, step).to_integral_value(rounding=ROUND_FLOOR, context=_EXACT)
    return _EXACT.multiply(count, step)


def _date(column: Column, previous: int, value: int) -> pd.Timestamp:
    """Give the start of the year, month, day, ... on the column's own clock that still parts the two."""
    stamp = _as_stamp(column, value)
    wall = stamp.tz_localize(None) if stamp.tzinfo is not None else stamp
    for unit in _CALENDAR:
        start = _floor_date(wall, unit)
        if column.timezone is not None:
            try:
                start = start.tz_localize(column.timezone)
            except ValueError:  # an hour that the clock change skips or repeats
                continue
        if previous < start.value <= value:
            return start
    return stamp


def _floor_date(wall: pd.Timestamp, unit: str) -> pd.Timestamp:
    if unit == "YS":
        return pd.Timestamp(year=wall.year, month=1, day=1)
    if unit == "MS":
        return pd.Timestamp(year=wall.year, month=wall.month, day=1)
    return wall.floor(unit)


def _as_stamp(column: Column, value: int) -> pd.Timestamp:
    stamp = pd.Timestamp(value, unit="ns")
    return stamp if column.timezone is None else stamp.tz_localize("UTC").tz_convert(column.timezone)


def _duration(previous: int, value: int) -> pd.Timedelta:
    for unit in _CLOCK:
        step = pd.Timedelta(unit if unit[0].isdigit() else f"1{unit}").value
        if math.floor(value / step) * step > previous and (value // step) * step > previous:
            return pd.Timedelta((value // step) * step, unit="ns")
    return pd.Timedelta(value, unit="ns")

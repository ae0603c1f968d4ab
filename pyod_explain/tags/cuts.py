"""Cut points as a person would write them: the shortest one that moves no row to the other side."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

import pandas as pd

from pyod_explain.input.exact import Number, as_decimal, plain_value
from pyod_explain.input.table import Column

__all__ = ["at_least", "at_most", "n_digits", "simplest"]

_EXACT = Context(prec=1200)  # every double is a decimal of at most 1,075 digits
_CALENDAR = ("YS", "MS", "D", "h", "min", "s", "ms", "us", "ns")
_CLOCK = ("10D", "D", "h", "min", "s", "ms", "us", "ns")


def at_least(column: Column, previous: Any, value: Any) -> Any:
    """Give the shortest t with previous < t <= value: `>= t` and `< t` part the two as `>= value` does.

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
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
    """Give the shortest t with value <= t < following: `<= t` parts the two as `<= value` does.

    Moments and durations are whole numbers of nanoseconds, so that is the same as value - 1 < t <= following - 1.
    """
    if column.kind == "datetime":
        return _date(column, int(value) - 1, int(following) - 1)
    if column.kind == "timedelta":
        return _duration(int(value) - 1, int(following) - 1)
    return _negative(simplest(_negative(_number(following)), _negative(_number(value))))


def simplest(previous: Any, value: Any) -> Number:
    """Give the number of fewest digits in (previous, value], of the type of `value`: int, float or Decimal.

    Of several, a multiple of 5 is taken if there is one, and of these the one nearest to the middle. Whole numbers
    and decimals of any size stay exact. A float is compared as the double that it is, never rounded to fewer bits.

    Examples
    --------
    >>> simplest(17.38, 23.1), simplest(0, 114), simplest(-3, 2), simplest(2**53, 2**53 + 1)
    (20.0, 100, 0, 9007199254740993)
    """
    low, high = _number(previous), _number(value)
    if low < 0 <= high:
        return type(high)(0)
    a, b = as_decimal(low), as_decimal(high)
    middle = _EXACT.divide(_EXACT.add(a, b), Decimal(2))
    largest = max(a.copy_abs(), b.copy_abs()).adjusted() + 1
    for exponent in range(_coarsest(middle, a, b), _finest(high, largest), -1):
        for step in (Decimal(5).scaleb(exponent, _EXACT), Decimal(1).scaleb(exponent, _EXACT)):
            t = _nearest(middle, a, b, step)
            if t is not None:
                short = _plain_decimal(t) if isinstance(high, Decimal) else type(high)(t)
                if low < short <= high:  # not if it becomes `previous` when rounded to a double
                    return short
    return high


def _coarsest(middle: Decimal, a: Decimal, b: Decimal) -> int:
    """Give an exponent above which no power of ten has a multiple in (a, b]; a power up to b - a always has one."""
    exponent = _EXACT.subtract(b, a).adjusted()
    while _nearest(middle, a, b, Decimal(1).scaleb(exponent + 1, _EXACT)) is not None:
        exponent += 1
    return exponent


def _finest(high: Number, largest: int) -> int:
    """Give the exponent below which no number of this type has digits worth looking at."""
    if isinstance(high, int):
        return -1
    if isinstance(high, float):
        return largest - 18  # no double needs more than 17 digits
    return min(int(high.as_tuple().exponent), 0) - 1  # `high` itself is found there


def _plain_decimal(value: Decimal) -> Decimal:
    """Write a decimal without an exponent where it is whole, and without zeros at its end where it is not."""
    short = value.normalize(_EXACT)
    return short if int(short.as_tuple().exponent) <= 0 else short.quantize(Decimal(1), context=_EXACT)


def _negative(value: Number) -> Number:
    """Negate exactly; a minus sign would round a decimal."""
    return value.copy_negate() if isinstance(value, Decimal) else -value


def _nearest(middle: Decimal, a: Decimal, b: Decimal, step: Decimal) -> Decimal | None:
    """Give the multiple of a step in (a, b] that is nearest to the middle, the lower of two; None if there is none."""
    lower = _floor(middle, step)
    inside = [one for one in (lower, _EXACT.add(lower, step)) if a < one <= b]
    return min(inside, key=lambda one: (abs(_EXACT.subtract(one, middle)), one), default=None)


def n_digits(value: Any) -> int:
    """Measure how short a cut point is to write; dates and durations are as short as they get.

    >>> n_digits(100), n_digits(0.25), n_digits(-7.5)
    (1, 2, 2)
    """
    plain = plain_value(value)
    if not plain or not isinstance(plain, int | float | Decimal):
        return 0
    decimal = plain if isinstance(plain, Decimal) else Decimal(repr(plain))
    return len(decimal.normalize(_EXACT).as_tuple().digits)


def _number(value: Any) -> Number:
    plain = plain_value(value)
    return plain if isinstance(plain, int | float) else as_decimal(plain)


def _floor(value: Decimal, step: Decimal) -> Decimal:
    count = _EXACT.divide(value, step).to_integral_value(rounding=ROUND_FLOOR, context=_EXACT)
    return _EXACT.multiply(count, step)


def _date(column: Column, previous: int, value: int) -> pd.Timestamp:
    """Give the start of the year, month, day, ... on the column's own clock that still parts the two."""
    stamp = column.stamp(value)
    wall = stamp.tz_localize(None) if stamp.tzinfo is not None else stamp
    for unit in _CALENDAR:
        start = _start(wall, unit, column.timezone)
        if start is not None and previous < start.value <= value:
            return start
    return column.stamp(_duration(previous, value).value)  # in an hour that the clock repeats: round in UTC


def _start(wall: pd.Timestamp, unit: str, zone: str | None) -> pd.Timestamp | None:
    """Give the start of the year, month, day, ... of a time on a clock; None where it is no moment, or two."""
    try:
        start = _floor_date(wall, unit).as_unit("ns")
        zoned = start if zone is None else start.tz_localize(zone, ambiguous="NaT", nonexistent="NaT")
    except pd.errors.OutOfBoundsDatetime:  # in 1677: before the first moment that nanoseconds count
        return None
    return zoned if isinstance(zoned, pd.Timestamp) else None  # NaT: the clock change skips or repeats it


def _floor_date(wall: pd.Timestamp, unit: str) -> pd.Timestamp:
    if unit == "YS":
        return pd.Timestamp(year=wall.year, month=1, day=1)
    if unit == "MS":
        return pd.Timestamp(year=wall.year, month=wall.month, day=1)
    return wall.floor(unit)


def _duration(previous: int, value: int) -> pd.Timedelta:
    for unit in _CLOCK:
        step = pd.Timedelta(unit if unit[0].isdigit() else f"1{unit}").value
        if (value // step) * step > previous:
            return pd.Timedelta((value // step) * step, unit="ns")
    return pd.Timedelta(value, unit="ns")

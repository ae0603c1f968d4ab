"""Cut points as a person would write them: the shortest one that moves no row to the other side."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.input import Column, Number, as_decimal, plain_value

_EXACT = Context(prec=1200)  # every double is a decimal of at most 1,075 digits
MAX_NAMED_DIGITS = 6  # digits of a fraction that a person would still name
_CALENDAR = ("YS", "MS", "D", "h", "min", "s", "ms", "us", "ns")
_CLOCK = ("10D", "1D", "1h", "1min", "1s", "1ms", "1us", "1ns")


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
    return _negative(simplest(_negative(following), _negative(value)))


def simplest(previous: Any, value: Any) -> Number:
    """Give the number of fewest digits in (previous, value], of the type of `value`: int, float or Decimal.

    A decimal stands for the double that it is read as, so 18.9 is among the numbers of (18.89, 18.9]: what is given is
    never longer than `value` itself, nor has it more decimals. Of several, a multiple of 5 is taken if there is one,
    and of these the one nearest to the middle. Whole numbers and decimals of any size stay exact.

    Floats of fewer bits are printed as other numbers than they are: float32(18.9) is 18.8999996. What is given parts
    the two both as they are and as they are printed.

    Examples
    --------
    >>> simplest(17.38, 23.1), simplest(0, 114), simplest(-3, 2), simplest(2**53, 2**53 + 1)
    (20.0, 100, 0, 9007199254740993)
    >>> simplest(18.89, 18.9), simplest(np.float32(18.89), np.float32(18.9))
    (18.9, 18.895)
    """
    low, high = _number(previous), _number(value)
    if low < 0 <= high:
        return type(high)(0)
    first, last = as_printed(previous), as_printed(value)
    span = _Span(first, last, low, high)
    for exponent in range(span.coarsest, span.finest - 1, -1):
        for step in (Decimal(5).scaleb(exponent, _EXACT), Decimal(1).scaleb(exponent, _EXACT)):
            for t in span.nearest(step):
                short = _plain_decimal(t) if isinstance(high, Decimal) else type(high)(t)
                if low < short <= high:  # half of the way between two doubles, it may be read as either
                    return short
    return high


class _Span:
    """The decimals between two numbers, as they are printed and as they are: a hair more than (low, high] for doubles.

    Parameters
    ----------
    first, last : the two as they are printed.
    low, high : the two as they are.
    """

    def __init__(self, first: Decimal, last: Decimal, low: Number, high: Number) -> None:
        doubles = isinstance(high, float)
        self._above = first
        self._from, self._to = (_read_up_to(low), min(last, _read_up_to(high))) if doubles else (first, last)
        centre = _EXACT.divide(_EXACT.add(first, last), Decimal(2))
        self._middle = min(max(centre, self._from), self._to)
        largest = max(first.copy_abs(), last.copy_abs()).adjusted()
        # Below: no double needs more than 17 digits; whole numbers have no decimals; `last` itself is found there.
        self.finest = largest - 16 if doubles else 0 if isinstance(high, int) else min(int(last.as_tuple().exponent), 0)

    @property
    def coarsest(self) -> int:
        """An exponent above which no power of ten has a multiple here; one up to the width always has."""
        exponent = _EXACT.subtract(self._to, self._from).adjusted()
        while self.nearest(Decimal(1).scaleb(exponent + 1, _EXACT)):
            exponent += 1
        return exponent

    def nearest(self, step: Decimal) -> list[Decimal]:
        """Give the multiples of a step beside the middle that lie here, the nearer one first, then the lower one."""
        count = _EXACT.divide(self._middle, step).to_integral_value(rounding=ROUND_FLOOR, context=_EXACT)
        lower = _EXACT.multiply(count, step)
        both = (lower, _EXACT.add(lower, step))
        inside = [one for one in both if self._above < one and self._from <= one <= self._to]
        return sorted(inside, key=lambda one: (abs(_EXACT.subtract(one, self._middle)), one))


def as_printed(value: Any) -> Decimal:
    """Give the decimal that a number is printed as, in its own type: the shortest that is read as it.

    >>> as_printed(np.float32(0.1)), as_printed(0.1), as_printed(3)
    (Decimal('0.1'), Decimal('0.1'), Decimal('3'))
    """
    if isinstance(value, np.floating) and not isinstance(value, np.longdouble):
        return Decimal(str(value))
    number = _number(value)
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def nameable(value: Any) -> bool:
    """Tell whether a rule should name a number: it is what it is printed as, and whole or short.

    Scaled columns have fractions of 17 digits that very many rows share; a round number beside one reads better. A
    float of fewer bits may be printed as another number than it is.

    >>> nameable(0.25), nameable(0.05068011873981862), nameable(99999999)
    (True, False, True)
    """
    number = _number(value)
    if isinstance(number, float) and float(as_printed(value)) != number:
        return False
    return number == int(number) or n_digits(value) <= MAX_NAMED_DIGITS


def _read_up_to(value: Number) -> Decimal:
    """Give the largest decimal that may be read as this double: half of the way to the next one."""
    if not isinstance(value, float):
        return as_decimal(value)
    following = math.nextafter(value, math.inf)
    gap = math.ulp(value) if math.isinf(following) else following - value
    return _EXACT.add(as_decimal(value), _EXACT.divide(as_decimal(gap), Decimal(2)))


def _plain_decimal(value: Decimal) -> Decimal:
    """Write a decimal without an exponent where it is whole, and without zeros at its end where it is not."""
    short = value.normalize(_EXACT)
    return short if int(short.as_tuple().exponent) <= 0 else short.quantize(Decimal(1), context=_EXACT)


def _negative(value: Any) -> Any:
    """Negate exactly; a minus sign would round a decimal, and has no meaning for unsigned cells."""
    if isinstance(value, np.floating) and not isinstance(value, np.longdouble):
        return -value  # in its own type, which decides how it is printed
    number = _number(value)
    return number.copy_negate() if isinstance(number, Decimal) else -number


def n_digits(value: Any) -> int:
    """Measure how short a cut point is to write; dates and durations are as short as they get.

    >>> n_digits(100), n_digits(0.25), n_digits(-7.5)
    (1, 2, 2)
    """
    plain = plain_value(value)
    if not plain or not isinstance(plain, int | float | Decimal):
        return 0
    return len(as_printed(value).normalize(_EXACT).as_tuple().digits)


def _number(value: Any) -> Number:
    plain = plain_value(value)
    return plain if isinstance(plain, int | float) else as_decimal(plain)


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
    """Return the start of the year, month, day, ... of a time on a clock; None where it is no moment, or two."""
    try:
        month = 1 if unit == "YS" else wall.month
        start = pd.Timestamp(year=wall.year, month=month, day=1) if unit in ("YS", "MS") else wall.floor(unit)
        start = start.as_unit("ns")
        zoned = start if zone is None else start.tz_localize(zone, ambiguous="NaT", nonexistent="NaT")
    except pd.errors.OutOfBoundsDatetime:  # in 1677: before the first moment that nanoseconds count
        return None
    return zoned if isinstance(zoned, pd.Timestamp) else None  # NaT: the clock change skips or repeats it


def _duration(previous: int, value: int) -> pd.Timedelta:
    for unit in _CLOCK:
        step = pd.Timedelta(unit).value
        if (value // step) * step > previous:
            return pd.Timedelta((value // step) * step, unit="ns")
    return pd.Timedelta(value, unit="ns")

"""Items of ordered columns: thresholds in the tails and where a group differs from the normals; intervals.

A cut point is written as a person would: the shortest number or date that moves no row to the other side.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd

from pyod_explain.input import Column, Number, plain_value
from pyod_explain.input.values import as_decimal
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.value_counts import Item, ValueCounts, gain, value_of

# Percentages of the normals below a threshold. Outliers live in the tails, so most of them are there; 0 and 100
# are the edges of what is normal.
TAIL_PERCENTS = (0.0, 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 98.0, 99.0, 100.0)
MAX_VALUES_ALL_CUT = 16  # with so few distinct values every step between two of them is a threshold
CUT_TREE_DEPTH = 3  # of the tree of supervised cuts
MASS_GAIN_SHARE = 0.95  # share of the best cut's gain that a cut beside a mass must have to be taken in its place
MIN_MEMBERS_APART = 0.25  # share of a group that must lie between a tail threshold and any other one of the column
_EXACT = Context(prec=1200)  # every double is a decimal of at most 1,075 digits
MAX_NAMED_DIGITS = 6  # digits of a fraction that a person would still name
_CALENDAR = ("YS", "MS", "D", "h", "min", "s", "ms", "us", "ns")
_CLOCK = ("10D", "1D", "1h", "1min", "1s", "1ms", "1us", "1ns")


def order_items(column: Column, seen: ValueCounts) -> Iterator[Item]:
    """Give thresholds, and intervals that a group fills more densely than the normals.

    A position p stands for the cut between distinct values p - 1 and p.
    """
    if seen.n_distinct < 2:
        return
    if _has_two_numbers(column, seen):
        both = sides(column, seen, 1)
        yield from (Item(one, counts, both[1]) for one, counts in zip(both, seen.counts([0, 1]).T, strict=True))
        return
    supervised: set[int] = set()
    intervals: set[tuple[int, int]] = set()
    for group in range(1, seen.n_groups + 1):
        positions, inside = _tree(seen, group)
        supervised |= positions
        intervals |= inside
    cut = sorted(supervised | _apart(seen, _tail_positions(seen) - supervised, supervised))
    for position, under in zip(cut, seen.below(cut).T, strict=True):
        below, above = threshold(column, seen, position)
        yield Item(below, under, below.feature)
        yield Item(above, seen.present - under, below.feature)
    ends = sorted(intervals)
    counts = seen.below([stop for _, stop in ends]) - seen.below([start for start, _ in ends])
    for (start, stop), within in zip(ends, counts.T, strict=True):
        condition = between(column, seen, start, stop)
        yield Item(condition, within, condition.feature)


def threshold(column: Column, seen: ValueCounts, position: int) -> tuple[Condition, Condition]:
    """Write both sides of a cut, in the shorter of the two ways: `< t` and `>= t`, or `<= t` and `> t`.

    Beside a value that very many rows have, t is that value: `fee > 0`, and not `fee >= 0.05`.
    """
    low = seen.distinct[position - 1]
    t = _at_least(column, seen, position)
    ops: tuple[Literal["<", "<="], Literal[">=", ">"]] = ("<", ">=")
    named = [_is_named(column, seen, i) for i in (position - 1, position)]
    if named[0] or (not named[1] and n_digits(low) < n_digits(t)):
        # Without a name: what lies above `low` was looked at, so no other cut than `low` itself can be shorter.
        other = _at_most(column, seen, position)
        if n_digits(other) < n_digits(t) or not named[1]:
            t, ops = other, ("<=", ">")
    return Condition(column.name, ops[0], t), Condition(column.name, ops[1], t)


def sides(column: Column, seen: ValueCounts, position: int) -> tuple[Condition, Condition]:
    """Write both sides of a cut, or which of two whole numbers a value is."""
    if _has_two_numbers(column, seen):
        first, second = (Condition(column.name, "==", value_of(column, seen, i)) for i in (0, 1))
        return first, second
    return threshold(column, seen, position)


def _has_two_numbers(column: Column, seen: ValueCounts) -> bool:
    return seen.n_distinct == 2 and seen.whole and column.kind == "number"


def between(column: Column, seen: ValueCounts, start: int, stop: int) -> Condition:
    """State that a value is one of the distinct values start, ..., stop - 1; both positions must be cuts."""
    if stop - start == 1 and column.kind == "number" and (seen.whole or _is_named(column, seen, start)):
        return Condition(column.name, "==", value_of(column, seen, start))
    return Condition(column.name, "between", (_at_least(column, seen, start), _at_most(column, seen, stop)))


def _at_least(column: Column, seen: ValueCounts, position: int) -> Any:
    """Give t such that `>= t` holds from a position on: a value that stands out there, else the shortest number."""
    if _is_named(column, seen, position):
        return plain_value(seen.distinct[position])
    return at_least(column, seen.distinct[position - 1], seen.distinct[position])


def _at_most(column: Column, seen: ValueCounts, position: int) -> Any:
    """Give t such that `<= t` holds up to a position, likewise."""
    if _is_named(column, seen, position - 1):
        return plain_value(seen.distinct[position - 1])
    return at_most(column, seen.distinct[position - 1], seen.distinct[position])


def _is_named(column: Column, seen: ValueCounts, i: int) -> bool:
    """Tell whether a cut beside a distinct value is written with that value, as a person would."""
    return bool(seen.masses[i]) and column.kind == "number" and nameable(seen.distinct[i])


def _tail_positions(seen: ValueCounts) -> set[int]:
    """Give the positions whose share of normals below comes nearest to each percentage of `TAIL_PERCENTS`."""
    last = seen.n_distinct
    if last <= MAX_VALUES_ALL_CUT:
        return set(range(1, last))
    below = seen.normals_below
    wanted = np.array(TAIL_PERCENTS) / 100 * below[-1]
    right = np.clip(np.searchsorted(below, wanted), 1, last - 1)
    left = np.maximum(right - 1, 1)
    return {int(position) for position in np.where(wanted - below[left] <= below[right] - wanted, left, right)}


def _apart(seen: ValueCounts, tails: set[int], taken: set[int]) -> set[int]:
    """Thin the tails out, most informative first: no two cuts that separate nearly the same members of every group.

    Each threshold makes every tag longer to send, and one that moves few members adds little.
    """
    sizes = seen.present[1:]
    order = np.array(sorted(tails), dtype=np.intp)
    new, kept = seen.below(order), seen.below(sorted(taken))[1:]
    gains = gain(new[1:], new[0], sizes[:, None], seen.present[0]).max(axis=0, initial=0.0)
    needed = np.maximum(MIN_MEMBERS_APART * sizes, 1)[:, None]
    found: set[int] = set()
    for i in np.argsort(-gains, kind="stable").tolist():
        members_below = new[1:, [i]]
        if (np.abs(members_below - kept) >= needed).any(axis=0).all():
            found.add(int(order[i]))
            kept = np.hstack([kept, members_below])
    return found


def _tree(seen: ValueCounts, group: int) -> tuple[set[int], set[tuple[int, int]]]:
    """Split the values where a group differs from the normals, by information gain, while a cut saves its own bits.

    The best cut is beside the value of a member (Fayyad and Irani); cuts beside masses are tried too.

    Returns the positions of the cuts, and the parts with a cut on both sides that are denser in the group.
    """
    members, masses = seen.members(group), np.flatnonzero(seen.masses)
    positions = np.unique(np.concatenate([[0, seen.n_distinct], members, members + 1, masses, masses + 1]))
    beside = np.isin(positions, [masses, masses + 1])
    inside = seen.members_below(group)[np.searchsorted(members, positions)]
    normal = seen.normals_below[positions]
    size, normals = int(seen.present[group]), max(int(seen.present[0]), 1)
    cut: set[int] = set()
    intervals: set[tuple[int, int]] = set()
    pending = [(0, len(positions) - 1, CUT_TREE_DEPTH)]
    while pending:
        start, stop, depth = pending.pop()
        a, b = int(inside[stop] - inside[start]), int(normal[stop] - normal[start])
        if start > 0 and stop < len(positions) - 1 and a * normals > b * size:
            intervals.add((int(positions[start]), int(positions[stop])))
        here = slice(start + 1, stop)
        if not depth or start + 1 == stop:
            continue
        gains = gain(inside[here] - inside[start], normal[here] - normal[start], float(a), float(b))
        best = int(np.argmax(gains))
        # As MDLP: the place among all rows of the part, and the shares on both sides.
        if gains[best] <= np.log2(max(a + b - 1, 1)) + 2:
            continue
        # A cut beside a mass with nearly the same gain is easier to read: `fee > 0`.
        plainer = np.where(beside[here] & (gains >= MASS_GAIN_SHARE * gains[best]), gains, 0.0)
        best = start + 1 + (int(np.argmax(plainer)) if plainer.any() else best)
        cut.add(int(positions[best]))
        pending += [(start, best, depth - 1), (best, stop, depth - 1)]
    return cut, intervals


def at_least(column: Column, previous: Any, value: Any) -> Any:
    """Give the shortest t with previous < t <= value: `>= t` and `< t` separate the two as `>= value` does.

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> x = as_table([[0.25], [0.7312]])["x0"]
    >>> at_least(x, 0.25, 0.7312)
    0.5
    """
    if column.kind == "datetime":
        return _date(column, int(previous), int(value))
    return _duration(int(previous), int(value)) if column.kind == "timedelta" else simplest(previous, value)


def at_most(column: Column, value: Any, following: Any) -> Any:
    """Give the shortest t with value <= t < following: `<= t` separates the two as `<= value` does.

    Moments and durations are whole numbers of nanoseconds, so that is the same as value - 1 < t <= following - 1.
    """
    if column.kind in ("datetime", "timedelta"):
        return at_least(column, int(value) - 1, int(following) - 1)
    return _negative(simplest(_negative(following), _negative(value)))


def simplest(previous: Any, value: Any) -> Number:
    """Give the number of fewest digits in (previous, value], of the type of `value`: int, float or Decimal.

    A decimal stands for the double that it is read as, so 18.9 is among the numbers of (18.89, 18.9]: what is given is
    never longer than `value` itself, nor has it more decimals. Of several, a multiple of 5 is taken if there is one,
    and of these the one nearest to the middle. Whole numbers and decimals of any size stay exact.

    Floats of fewer bits are printed as other numbers than they are: float32(18.9) is 18.8999996. The result separates
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
    largest = max(first.copy_abs(), last.copy_abs()).adjusted()
    exponents = [int(one.as_tuple().exponent) for one in (first, last)]
    # No double needs more than 17 digits; whole numbers have no decimals.
    finest = largest - 16 if isinstance(high, float) else min(exponents[1], 0)
    unit = min(*exponents, finest) - 1  # so small that all of these numbers are an even number of units
    above, up_to, *exact = (int(as_decimal(one).scaleb(-unit, _EXACT)) for one in (first, last, low, high))
    middle = min(max((above + up_to) // 2, exact[0]), exact[1])  # a float of fewer bits is not what is printed
    for exponent in range(largest + 1, finest - 1, -1):
        for digit in (5, 1):
            step = digit * 10 ** (exponent - unit)
            lower = middle // step * step
            for t in sorted((lower, lower + step), key=lambda t: abs(t - middle)):
                if above < t <= up_to:
                    short = Decimal(t).scaleb(unit, _EXACT).normalize(_EXACT)
                    found = type(high)(f"{short:f}")
                    if low < found <= high:  # half of the way between two doubles, it may be read as either
                        return found
    return high


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
    """Give the start of the year, month, day, ... on the column's own clock that still separates the two."""
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

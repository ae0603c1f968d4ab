"""`Points`: where the values of a column lie. Its median is the one that everybody else gives."""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.input import Column

__all__ = ["Points", "has_days_alone", "points_of"]

SHARES = (0.05, 0.25, 0.75, 0.95)
EXACT = 2**52  # up to which a double has halves
DAY = 86_400 * 10**9  # in nanoseconds
# Digits enough for what long doubles are.
_PRECISE = decimal.Context(prec=20_000, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)


@dataclass(frozen=True)
class Points:
    """Percent points of a column.

    Attributes
    ----------
    told : the 5, 25, 50, 75 and 95 percent points; the median lies halfway between the two values in the middle, the
        others are cells.
    cell : the cell at or next below the median: a value that occurs.
    """

    told: tuple[Any, ...]
    cell: Any


def has_days_alone(column: Column) -> bool:
    """Tell whether a column has dates: moments without a zone, all of them midnight."""
    known = column.values[~column.missing]
    return column.kind == "datetime" and column.timezone is None and not (known.astype(np.int64) % DAY).any()


def points_of(column: Column, copies: NDArray[np.int64] | None, *, days: bool = False) -> Points | None:
    """Find the percent points of a column; None where it has no order, or no value.

    Parameters
    ----------
    column : the values.
    copies : how many rows each of them stands for; None where each is one.
    days : the column, of which these may be a part, has dates alone.
    """
    present = np.flatnonzero(~column.missing)
    if not column.has_order or not len(present):
        return None
    values = column.ranked[0] if column.values.dtype == object else column.values  # ranks compare fast
    n_present = len(present) if copies is None else int(copies[present].sum())
    places = [round(share * (n_present - 1)) for share in SHARES] + [(n_present - 1) // 2, n_present // 2]
    if copies is None:
        order = present[np.argpartition(values[present], places)]
    else:
        order = present[np.argsort(values[present], kind="stable")]
        places = np.searchsorted(np.cumsum(copies[order]), places, side="right").tolist()
    rows = [int(order[place]) for place in places]
    five, lower, upper, ninety_five, cell, _ = (column.cell(row) for row in rows)
    return Points((five, lower, _middle(column, *rows[4:], days=days), upper, ninety_five), cell)


def _middle(column: Column, low: int, high: int, *, days: bool) -> Any:
    """Give what lies halfway between two cells, exactly; of dates, which have no half days, the day."""
    one, other = column.cell(low), column.cell(high)
    if one == other:
        return one
    if column.kind == "number":
        return _halfway(one, other)
    first, last = (int(column.values[row].astype(np.int64)) for row in (low, high))
    moment = (first + last) // 2  # to the nanosecond
    if column.kind == "timedelta":
        return pd.Timedelta(moment, unit="ns")
    if days:
        moment -= moment % DAY  # as many are up to that day as from the next value on
    return column.stamp(moment)


def _halfway(one: Any, other: Any) -> Any:
    """Give the mean of two numbers of a column: whole or double where it is one, else a decimal.

    >>> _halfway(581, 600), _halfway(2, 4), _halfway(0.25, 0.5), _halfway(2**60, 2**60 + 1)
    (590.5, 3, 0.375, Decimal('1152921504606846976.5'))
    """
    if isinstance(one, int):
        half, rest = divmod(one + other, 2)
        if not rest:
            return half
        if abs(half) < EXACT:
            return half + 0.5
        return _PRECISE.add(decimal.Decimal(half), decimal.Decimal("0.5"))
    if isinstance(one, decimal.Decimal):
        return _PRECISE.multiply(_PRECISE.add(one, other), decimal.Decimal("0.5"))
    return one / 2 + other / 2 if np.isinf(one + other) else (one + other) / 2

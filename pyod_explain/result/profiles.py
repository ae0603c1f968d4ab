"""How the columns of the rules look: percent points, shares, and values that a cell might have instead."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain._arrays import IndexArray, IntArray
from pyod_explain.input import Column, Table, robust_scale
from pyod_explain.result.group import Profile
from pyod_explain.result.summary import ColumnFacts
from pyod_explain.tags import Condition, Tag, Term

QUANTILES = (0.05, 0.25, 0.75, 0.95)
NANOSECONDS_PER_DAY = 86_400 * 10**9  # in nanoseconds


def _points_of(column: Column, row_counts: IntArray | None) -> tuple[Any, ...] | None:
    """Find the 5, 25, 50, 75 and 95 percent points of a column; None where it has no order, or no value.

    The median lies halfway between the two middle values, the others are cells. A sixth value is the cell at or next
    below the median: a value that occurs.

    Parameters
    ----------
    column : the values.
    row_counts : how many rows each of them stands for; None where each is one.
    """
    present = np.flatnonzero(~column.missing)
    if not column.has_order or not len(present):
        return None
    values = column.ranked[0] if column.values.dtype == object else column.values  # ranks compare fast
    n_present = len(present) if row_counts is None else int(row_counts[present].sum())
    places = [round(share * (n_present - 1)) for share in QUANTILES] + [(n_present - 1) // 2, n_present // 2]
    if row_counts is None:
        order = present[np.argpartition(values[present], places)]
    else:
        order = present[np.argsort(values[present], kind="stable")]
        places = np.searchsorted(np.cumsum(row_counts[order]), places, side="right").tolist()
    rows = [int(order[place]) for place in places]
    five, lower, upper, ninety_five, cell, _ = (column.cell(row) for row in rows)
    return five, lower, _middle(column, *rows[4:]), upper, ninety_five, cell


def _middle(column: Column, low: int, high: int) -> Any:
    """Give what lies halfway between two cells; of two days a day."""
    one, other = column.cell(low), column.cell(high)
    if one == other:
        return one
    if column.kind == "number":
        whole, total = isinstance(one, int), one + other
        if not whole and math.isinf(total):
            return one / 2 + other / 2
        return total // 2 if whole and (not total % 2 or abs(total) > 2**53) else total / 2
    moments = column.values[[low, high]].astype(np.int64)
    moment = sum(moments.tolist()) // 2  # to the nanosecond
    if column.kind == "timedelta":
        return pd.Timedelta(moment, unit="ns")
    if column.timezone is None and not (moments % NANOSECONDS_PER_DAY).any():
        moment -= moment % NANOSECONDS_PER_DAY
    return column.stamp(moment)


MAX_CANDIDATE_VALUES = 10  # values of a category that are proposed instead of a row's own


def by_column(tags: Iterable[Tag]) -> dict[Term, list[Condition]]:
    """Sort the conditions of the tags, each once, by the column or relation that they are about."""
    found: dict[Term, list[Condition]] = {}
    for condition in dict.fromkeys(c for tag in tags for c in tag.sorted):
        found.setdefault(condition.axis, []).append(condition)
    return found


class Normals:
    """The normal rows, which may be many: what several groups ask of a column is found once."""

    def __init__(
        self, table: Table, rows: IndexArray, shares: Mapping[Condition, float] = MappingProxyType({})
    ) -> None:
        self.table = table
        self.rows = rows
        row_counts = self.row_counts = table.counts_of(rows)
        column = self.column = cache(lambda name: table[name].take(rows))  # a function of a name: a column or a term
        self.points = cache(lambda name: _points_of(column(name), row_counts))
        self._shares = dict(shares)  # those that were counted already

    def share(self, condition: Condition) -> float:
        """Share of the normals that meets a condition."""
        if condition not in self._shares:
            self._shares[condition] = self.mean(condition, self.rows)
        return self._shares[condition]

    def mean(self, condition: Condition, rows: IndexArray) -> float:
        """Share of these rows that meets a condition."""
        holds = condition.holds(self.table[condition.column])[rows]
        return float(np.average(holds, weights=self.table.counts_of(rows))) if len(rows) else 0.0


def profiles(tags: Sequence[Tag], rows: IndexArray, normals: Normals) -> Iterable[Profile]:
    """Compare the values of these rows with the normals', in each column of the tags."""
    for name, conditions in by_column(tags).items():
        mine = normals.table[name].take(rows)
        own, usual = _points_of(mine, normals.table.counts_of(rows)), normals.points(name)
        yield Profile(
            column=name,
            group=None if own is None else own[:5],
            normals=None if usual is None else usual[:5],
            conditions=tuple(conditions),
            matching=tuple((normals.mean(c, rows), normals.share(c)) for c in conditions),
        )


def all_facts(tags: Iterable[Tag], normals: Normals) -> Iterable[ColumnFacts]:
    """Note what it takes to change a cell, for all columns and relations that the tags speak of."""
    found = by_column(tags)
    for column_name in [name for one in list(found) if not isinstance(one, str) for name in one.columns]:
        found.setdefault(column_name, [])  # no condition is about it alone, and yet it is what would be changed
    for name, conditions in found.items():
        column = normals.table[name]
        yield ColumnFacts(
            name=name,
            kind=column.kind,
            timezone=column.timezone,
            whole=column.whole,
            scale=_scale(normals.column(name), normals.row_counts) if column.has_order else 1.0,
            candidates=_candidates(name, column, conditions, normals),
        )


def _scale(normals: Column, row_counts: IntArray | None) -> float:
    """Give a typical difference: as wide as one standard deviation if the values are normally distributed."""
    known = normals.floats()[~normals.missing]
    if not len(known):
        return 1.0
    unit = max(float(np.abs(known).max()) / 1e100, 1.0)  # so that no difference overflows
    return robust_scale(known / unit, None if row_counts is None else row_counts[~normals.missing])[1] * unit


def _candidates(name: Term, column: Column, conditions: Sequence[Condition], normals: Normals) -> tuple[Any, ...]:
    """Values that occur and break a condition by as little as possible; for categories the frequent ones."""
    if not column.has_order:
        return _frequent(normals.column(name), normals.row_counts)
    broken = dict.fromkeys(value for condition in conditions for value in _just_beyond(condition, column))
    points = normals.points(name)
    return (*broken, *(() if points is None else points[5:]))


def _frequent(column: Column, row_counts: IntArray | None) -> tuple[Any, ...]:
    codes, which = np.unique(column.values[~column.missing], return_inverse=True)
    counts = np.bincount(which, None if row_counts is None else row_counts[~column.missing])
    frequent = codes[np.argsort(-counts, kind="stable")[:MAX_CANDIDATE_VALUES]]
    return tuple(column.categories[code] for code in frequent)


def _just_beyond(condition: Condition, column: Column) -> Iterable[Any]:
    """Give the values next below and next above those that meet a condition."""
    if condition.axis != condition.column or condition.op in ("missing", "present"):
        return
    holds, values = condition.holds(column), column.values
    present = np.flatnonzero(~column.missing)
    inside, outside = present[holds[present]], present[~holds[present]]
    if not len(inside) or not len(outside):
        return
    below = outside[values[outside] < values[inside].min()]
    above = outside[values[outside] > values[inside].max()]
    if len(below):
        yield column.cell(int(below[np.argmax(values[below])]))
    if len(above):
        yield column.cell(int(above[np.argmin(values[above])]))

"""How often each distinct value of a column occurs among the normals and in each group, and what a split tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from pyod_explain._arrays import BoolArray, FloatArray, IntArray
from pyod_explain.input import Column, Groups, plain_value
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.terms import Term

RARE_SHARE = 0.01  # of all rows: a value with less is rare
MASS_SHARE = 0.1  # share of the rows that have one value from which on it is worth a name
MAX_LOGARITHMS = 2**18  # rows up to which logarithms are looked up
MASS_TIMES_MEDIAN = 5  # times as many rows as the median value has: else all values of a column are alike


@dataclass(frozen=True, eq=False)
class Item:
    """A condition on one column, with what is needed to judge it.

    Attributes
    ----------
    condition : the condition.
    counts : how many normals, members of group 1, ..., members of group K satisfy it.
    feature : the binary feature that it gives a value; the same for a condition and its opposite.
    list_bits : what it takes to name the values that it lists.
    """

    condition: Condition
    counts: IntArray
    feature: Condition
    list_bits: float = 0.0

    def about(self, term: Term) -> Item:
        """Return the same item about the term that its values are of."""
        condition, feature = (replace(one, column=term) for one in (self.condition, self.feature))
        return replace(self, condition=condition, feature=feature)


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """The distinct values of a column in order, and how often they occur.

    The outliers are kept one by one and not as a table of groups by values: 500 groups and 20,000 values would fill it
    with ten million zeros.

    Attributes
    ----------
    distinct : numbers (dates and durations in nanoseconds), or codes of categories.
    normals : for each distinct value, how many normals have it.
    outliers : which distinct value each outlier has: the members of group 1 in order, those of group 2, ...
    starts : where each group starts in `outliers`, and where the last one ends.
    missing : for the normals and each group, how many cells are missing.
    row_counts : how many outliers each of `outliers` stands for; None where each is one.
    """

    distinct: NDArray[Any]
    normals: IntArray
    outliers: IntArray
    starts: IntArray
    missing: IntArray
    row_counts: IntArray | None = None

    @property
    def n_distinct(self) -> int:
        return len(self.distinct)

    @property
    def n_groups(self) -> int:
        return len(self.starts) - 1

    def members(self, group: int) -> IntArray:
        """Which distinct value each member of a group (1..K) has, in order; each line of the table once."""
        return self.outliers[self.starts[group - 1] : self.starts[group]]

    def members_below(self, group: int) -> IntArray:
        """How many members of a group (1..K) the first 0, 1, 2, ... of `members` stand for."""
        here = slice(self.starts[group - 1], self.starts[group] + 1)
        return np.asarray(self._counted[here] - self._counted[here.start])

    def frequencies(self, group: int) -> tuple[IntArray, IntArray]:
        """Which distinct values members of a group (1..K) have, in order, and how many of them have each."""
        values, first = np.unique(self.members(group), return_index=True)
        return values, np.diff(np.append(self.members_below(group)[first], self.present[group]))

    @cached_property
    def _counted(self) -> IntArray:
        """How many outliers the first 0, 1, 2, ... of `outliers` stand for."""
        if self.row_counts is None:
            return np.arange(len(self.outliers) + 1)
        return np.concatenate([[0], np.cumsum(self.row_counts)])

    @cached_property
    def present(self) -> IntArray:
        """For the normals and each group, how many cells are not missing."""
        return np.concatenate([[self.normals.sum()], np.diff(self._counted[self.starts])])

    @cached_property
    def total(self) -> IntArray:
        """How many rows, normals and outliers, have each distinct value."""
        outliers = np.bincount(self.outliers, self.row_counts, minlength=self.n_distinct).astype(np.int64)
        return np.asarray(self.normals + outliers)

    @cached_property
    def masses(self) -> BoolArray:
        """Tell which distinct values stand out: a tenth of the rows, and many times as many as most values have."""
        return np.asarray(self.total >= max(MASS_SHARE * self.present.sum(), MASS_TIMES_MEDIAN * np.median(self.total)))

    @cached_property
    def normals_below(self) -> IntArray:
        """How many normals are among the first 0, 1, 2, ... distinct values."""
        return np.concatenate([[0], np.cumsum(self.normals)])

    def below(self, positions: ArrayLike) -> IntArray:
        """Count, for the normals (row 0) and each group, the cells among the first p distinct values, for each p."""
        where = np.asarray(positions, dtype=np.int64)
        first = np.arange(self.n_groups)[:, None] * (self.n_distinct + 1)  # groups one after the other, on one line
        ends = self._counted[np.searchsorted(self._line, first + where[None, :])]
        return np.concatenate([self.normals_below[None, where], ends - self._counted[self.starts[:-1, None]]])

    def counts(self, values: ArrayLike) -> IntArray:
        """Count, for the normals (row 0) and each group, the cells that have these distinct values (positions)."""
        where = np.asarray(values, dtype=np.int64)
        return np.asarray(self.below(where + 1) - self.below(where))

    @cached_property
    def _line(self) -> IntArray:
        group = np.repeat(np.arange(self.n_groups), np.diff(self.starts))
        return np.asarray(self.outliers + group * (self.n_distinct + 1))

    @cached_property
    def whole(self) -> bool:
        """True if all values are whole numbers."""
        return are_whole(self.distinct)


def are_whole(numbers: NDArray[Any]) -> bool:
    """Tell whether all numbers are whole."""
    if numbers.dtype == object:  # all int, or all Decimal
        return all(int(number) == number for number in numbers)
    return numbers.dtype.kind in "iu" or bool((numbers == np.floor(numbers)).all())


def count_values(column: Column, groups: Groups, row_counts: IntArray | None = None) -> ValueCounts:
    """Count the distinct values of a column among the normals and in each group.

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> seen = count_values(as_table([[1.5], [2.0], [2.0]])["x0"], Groups(np.array([0, 0, 1]), ("1",), "given"))
    >>> seen.distinct.tolist(), seen.counts([0, 1]).tolist()
    ([1.5, 2.0], [[1, 1], [0, 1]])
    """
    use = (groups.numbers >= 0) & ~column.missing
    if column.kind in ("category", "boolean"):
        codes, distinct = column.values, np.arange(len(column.categories))
    else:
        is_object = column.values.dtype == object
        codes, distinct = column.ranked if is_object else pd.factorize(column.numbers, sort=True)
    occurs = np.zeros(len(distinct), dtype=bool)
    occurs[codes[use]] = True  # not: values of rows that are neither normal nor outlier, zeros behind missing cells
    place = np.cumsum(occurs) - 1
    usual, theirs = np.flatnonzero(use & (groups.numbers == 0)), np.flatnonzero(use & (groups.numbers > 0))
    each = None if row_counts is None else row_counts[usual]
    normals = np.bincount(place[codes[usual]], each, minlength=int(occurs.sum())).astype(np.int64)
    values, number = place[codes[theirs]], groups.numbers[theirs]
    starts = np.concatenate([[0], np.cumsum(np.bincount(number, minlength=groups.n_groups + 1)[1:])])
    order = np.lexsort((values, number))
    missing = groups.count(row_counts, column.missing)
    each = None if row_counts is None else row_counts[theirs[order]]
    return ValueCounts(distinct[occurs], normals, values[order], starts, missing, each)


def value_of(column: Column, seen: ValueCounts, i: int) -> Any:
    """Give distinct value i as the table has it; whole floats as whole numbers."""
    plain = plain_value(seen.distinct[i])
    if column.kind in ("category", "boolean"):
        return column.categories[int(seen.distinct[i])]
    if column.kind == "datetime":
        return column.stamp(plain)
    if column.kind == "timedelta":
        return pd.Timedelta(plain, unit="ns")
    return int(plain) if int(plain) == plain else plain


def lifted(inside: Any, size: Any, normal: Any, normals: Any, min_lift: float = 1.0) -> BoolArray:
    """Tell where the share of the members is more than `min_lift` times the share of the normals.

    Multiplied out in floating point: whole products are exact up to 2**53, and equal shares are equal beyond.

    Parameters
    ----------
    inside, normal : members of the group and normals that satisfy the condition.
    size, normals : members and normals in all.
    min_lift : least ratio of the two shares.

    Examples
    --------
    >>> lifted(np.array([3, 2]) * 2**40, 3 * 2**40, np.array([2, 2]) * 2**40, 3 * 2**40).tolist()
    [True, False]
    """
    own, usual = np.asarray(inside, dtype=np.float64), np.asarray(normal, dtype=np.float64)
    return np.asarray(own * np.maximum(normals, 1) > min_lift * (usual * np.maximum(size, 1)))


def gain(inside: Any, normal: Any, size: Any, normals: Any) -> FloatArray:
    """Bits by which knowing a condition shortens the list of who is in the group and who is normal.

    Parameters
    ----------
    inside, normal : members of the group and normals that satisfy the condition.
    size, normals : members and normals in all.

    Examples
    --------
    A condition that parts 2 members from 2 normals saves a bit for each of the four:

    >>> round(float(gain(2, 0, 2, 2)), 6)
    4.0
    """
    a, b, n_own, n_normals = map(np.asarray, (inside, normal, size, normals))
    times_log: Any = _times_log
    largest = n_own.max(initial=0) + n_normals.max(initial=0)
    if largest <= MAX_LOGARITHMS and a.dtype.kind in "iu" and b.dtype.kind in "iu":
        n_own, n_normals = n_own.astype(np.int64), n_normals.astype(np.int64)
        times_log = n_log_n(1 << int(largest).bit_length()).__getitem__
    # Bits to tell members from normals, given how many of each there are: all, those that satisfy it, the others.
    pairs = (n_own, n_normals), (a, b), (n_own - a, n_normals - b)
    everyone, within, without = (times_log(a + b) - times_log(a) - times_log(b) for a, b in pairs)
    return np.asarray(everyone - within - without)


def _times_log(n: NDArray[Any]) -> Any:
    return xlogy(n, n) / np.log(2)


@lru_cache(maxsize=8)
def n_log_n(n: int) -> FloatArray:
    """Give k log2(k) for k = 0, 1, ..., n."""
    return np.asarray(_times_log(np.arange(n + 1.0)))

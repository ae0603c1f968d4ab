"""How often each distinct value of a column occurs among the normals and in each group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import xlogy

from pyod_explain.groups import Groups
from pyod_explain.table import Column
from pyod_explain.tags.tag import Condition, Part

__all__ = ["Item", "Profile", "gain", "profile"]


@dataclass(frozen=True, eq=False)
class Item:
    """A condition with its counts (normals, group 1, ..., group K) and the binary feature it gives a value."""

    condition: Condition
    counts: NDArray[np.int64]
    feature: Condition

    def of_part(self, part: Part) -> Item:
        """Say the same of the hour or the weekday."""
        return Item(replace(self.condition, part=part), self.counts, replace(self.feature, part=part))


@dataclass(frozen=True, eq=False)
class Profile:
    """The distinct values of a column in order, and their counts.

    Attributes
    ----------
    distinct : numbers (dates and durations in nanoseconds), or codes of categories.
    counts : a row for the normals and one per group, a column per distinct value.
    missing : for the normals and each group, how many cells are missing.
    """

    distinct: NDArray[Any]
    counts: NDArray[np.int64]
    missing: NDArray[np.int64]

    @property
    def n_distinct(self) -> int:
        return len(self.distinct)

    @cached_property
    def present(self) -> NDArray[np.int64]:
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def below(self) -> NDArray[np.int64]:
        """For each position p (0..n_distinct), how many cells are among the first p distinct values."""
        zero = np.zeros((len(self.counts), 1), dtype=np.int64)
        return np.concatenate([zero, np.cumsum(self.counts, axis=1)], axis=1)

    @cached_property
    def whole(self) -> bool:
        """True if all values are whole numbers."""
        return self.distinct.dtype.kind in "iu" or bool((self.distinct == np.floor(self.distinct)).all())


def profile(column: Column, groups: Groups) -> Profile:
    """Count the distinct values of a column among the normals and in each group."""
    n_pieces = groups.n_groups + 1
    known = groups.numbers >= 0
    missing = np.bincount(groups.numbers[known & column.missing], minlength=n_pieces)
    use = known & ~column.missing
    if column.kind in ("category", "boolean"):
        codes, distinct = column.values, np.arange(len(column.categories))
    else:
        codes, distinct = pd.factorize(comparable(column), sort=True)
    flat = np.bincount(groups.numbers[use] * len(distinct) + codes[use], minlength=n_pieces * len(distinct))
    counts = flat.reshape(n_pieces, len(distinct))
    seen = counts.any(axis=0)  # not: values of rows that are neither normal nor outlier, zeros behind missing cells
    return Profile(distinct[seen], counts[:, seen], missing)


def comparable(column: Column) -> NDArray[Any]:
    """Give the values of an ordered column as numbers."""
    if column.kind == "datetime":
        return column.values.astype("datetime64[ns]").view(np.int64)
    if column.kind == "timedelta":
        return column.values.astype("timedelta64[ns]").view(np.int64)
    return column.values


def gain(inside: Any, normal: Any, size: float, normals: float) -> NDArray[np.float64]:
    """Bits by which knowing a condition shortens the list of who is in the group and who is normal.

    Parameters
    ----------
    inside, normal : members of the group and normals that satisfy the condition.
    size, normals : members and normals in all.
    """
    a, b = np.asarray(inside, dtype=np.float64), np.asarray(normal, dtype=np.float64)
    return entropy(size, normals) - entropy(a, b) - entropy(size - a, normals - b)


def entropy(a: Any, b: Any) -> NDArray[np.float64]:
    """Bits to tell a members from b normals, given how many of each there are."""
    return np.asarray((xlogy(a + b, a + b) - xlogy(a, a) - xlogy(b, b)) / np.log(2))

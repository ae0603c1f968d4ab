"""How often each distinct value of a column occurs among the normals and in each group, and what a split tells."""

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

__all__ = ["Item", "Profile", "comparable", "gain", "profile", "value_of"]


@dataclass(frozen=True, eq=False)
class Item:
    """A condition on one column, with what is needed to judge it.

    Attributes
    ----------
    condition : what it says.
    counts : how many normals, members of group 1, ..., members of group K satisfy it.
    feature : the binary feature that it gives a value; the same for a condition and its opposite.
    """

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

    @property
    def n_groups(self) -> int:
        return len(self.counts) - 1

    @cached_property
    def present(self) -> NDArray[np.int64]:
        """For the normals and each group, how many cells are not missing."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def below(self) -> NDArray[np.int64]:
        """For the normals and each group, how many cells are among the first 0, 1, 2, ... distinct values."""
        zero = np.zeros((len(self.counts), 1), dtype=np.int64)
        return np.concatenate([zero, np.cumsum(self.counts, axis=1)], axis=1)

    @cached_property
    def whole(self) -> bool:
        """True if all values are whole numbers."""
        if self.distinct.dtype == object:
            return all(int(value) == value for value in self.distinct)
        return self.distinct.dtype.kind in "iu" or bool((self.distinct == np.floor(self.distinct)).all())


def profile(column: Column, groups: Groups) -> Profile:
    """Count the distinct values of a column among the normals and in each group.

    Examples
    --------
    >>> from pyod_explain.table import as_table
    >>> seen = profile(as_table([[1.5], [2.0], [2.0]])["x0"], Groups(np.array([0, 0, 1]), ("1",), "given"))
    >>> seen.distinct.tolist(), seen.counts.tolist()
    ([1.5, 2.0], [[1, 1], [0, 1]])
    """
    n_pieces = groups.n_groups + 1
    known = groups.numbers >= 0
    missing = np.bincount(groups.numbers[known & column.missing], minlength=n_pieces)
    use = known & ~column.missing
    if column.kind in ("category", "boolean"):
        codes, distinct = column.values, np.arange(len(column.categories))
    elif column.values.dtype == object:
        codes, distinct = column.ranked
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


def value_of(column: Column, seen: Profile, i: int) -> Any:
    """Give distinct value i as the table has it; whole floats as whole numbers."""
    found = seen.distinct[i]
    plain: Any = found.item() if isinstance(found, np.generic) else found
    if column.kind in ("category", "boolean"):
        return column.categories[int(seen.distinct[i])]
    if column.kind == "datetime":
        return pd.Timestamp(plain, unit="ns") if column.timezone is None else _zoned(plain, column.timezone)
    if column.kind == "timedelta":
        return pd.Timedelta(plain, unit="ns")
    return int(plain) if int(plain) == plain else plain


def _zoned(nanoseconds: Any, timezone: str) -> pd.Timestamp:
    return pd.Timestamp(nanoseconds, unit="ns", tz="UTC").tz_convert(timezone)


def gain(inside: Any, normal: Any, size: Any, normals: Any) -> NDArray[np.float64]:
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
    a, b = np.asarray(inside, dtype=np.float64), np.asarray(normal, dtype=np.float64)
    return _entropy(np.asarray(size), np.asarray(normals)) - _entropy(a, b) - _entropy(size - a, normals - b)


def _entropy(a: Any, b: Any) -> NDArray[np.float64]:
    """Bits to tell a members from b normals, given how many of each there are."""
    return np.asarray((xlogy(a + b, a + b) - xlogy(a, a) - xlogy(b, b)) / np.log(2))

"""`Groups`: which outliers belong together, and how the groups are numbered and called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.input import Outliers

__all__ = ["Groups", "all_together", "number_by_name", "number_by_size"]


@dataclass(frozen=True, eq=False)
class Groups:
    """Which outliers belong together.

    Attributes
    ----------
    numbers : for each row 0 (normal), its group 1..K, or -1 (neither).
    names : the user's own name of each group, or its number as text.
    how : how the groups came about, for the report.
    curve : where the number of groups was chosen: for each number tried the bits of the description, those of the
        split and their difference, the net bits, and those of all outliers as one set; else None.
    made : True if the groups were made by looking at the columns that then describe them.
    copies : how many rows each row stands for, in a table that was aggregated; None where each is one.
    """

    numbers: NDArray[np.int64]
    names: tuple[str, ...]
    how: str
    curve: pd.DataFrame | None = field(default=None)
    made: bool = False
    copies: NDArray[np.int64] | None = None

    @property
    def n_groups(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many normals there are, and members of group 1, ..., K."""
        return self.count(np.ones(len(self.numbers), dtype=bool))

    def count(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count these rows among the normals and in each group."""
        known = which & (self.numbers >= 0)
        copies = None if self.copies is None else self.copies[known]  # whose sums are exact as floats, up to 2**53
        return np.bincount(self.numbers[known], copies, minlength=self.n_groups + 1).astype(np.int64)


def all_together(outliers: Outliers) -> Groups:
    """Make one group of all outliers."""
    return Groups(outliers.labels, ("1",), "all outliers together")


def number_by_size(clusters: NDArray[Any], rows: NDArray[np.intp], outliers: Outliers, how: str) -> Groups:
    """Number clusters by decreasing size, then by the first of `rows` in them; a clusterer's noise, -1, comes last.

    Parameters
    ----------
    clusters : for each of `rows` its cluster.
    rows : positions of the outliers, in the order of their content.
    outliers : which rows of the table they are.
    how : how they were clustered, for the report.
    """
    found, first, which = np.unique(clusters, return_index=True, return_inverse=True)
    counts = np.bincount(which.ravel(), None if outliers.copies is None else outliers.copies[rows])
    order = sorted(range(len(found)), key=lambda i: (found[i] == -1, -counts[i], first[i]))
    numbers = np.where(outliers.labels == -1, -1, 0).astype(np.int64)
    for number, i in enumerate(order, start=1):
        numbers[rows[clusters == found[i]]] = number
    names = tuple("noise" if found[i] == -1 else str(number) for number, i in enumerate(order, start=1))
    return Groups(numbers, names, how, made=True)


def number_by_name(given: NDArray[Any], outliers: Outliers, how: str) -> Groups:
    """Number given labels in their own order, and keep them as names."""
    labels = given if given.dtype != object else np.array([str(one) for one in given])
    names, clusters = np.unique(labels, return_inverse=True)
    numbers = np.where(outliers.labels == -1, -1, 0).astype(np.int64)
    numbers[outliers.rows] = clusters.ravel() + 1
    return Groups(numbers, _texts(names), how)


def _texts(names: NDArray[Any]) -> tuple[str, ...]:
    """Write names as people do: a day without its midnight."""
    if names.dtype.kind not in "mM":
        return tuple(str(name) for name in names)
    times = tuple(str(name) for name in pd.Index(names))
    midnight = " 00:00:00"
    days = names.dtype.kind == "M" and all(one.endswith(midnight) for one in times)
    return tuple(one.removesuffix(midnight) for one in times) if days else times

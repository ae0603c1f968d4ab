"""Which outliers belong together: k-means on the outliers, given labels, or any clusterer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans

from pyod_explain._validate import check_int, shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.alignment import one_per_row
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.row_order import by_content
from pyod_explain.input.scale import robust_scale
from pyod_explain.input.table import Column, Table

__all__ = ["Groups", "all_together", "embed", "kmeans", "main_directions", "number_by_size", "split_outliers"]

MAX_DIRECTIONS = 24  # that k-means works in
FEW_COORDINATES = 500  # whose covariances are decomposed as they are; that of 4,000 would take 20 s and 640 MB
SPARE, ROUNDS = 10, 7  # directions followed beside those asked for, and steps towards the longest
MAX_CATEGORIES = 40  # values of a categorical column that get a coordinate of their own


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
    """

    numbers: NDArray[np.int64]
    names: tuple[str, ...]
    how: str
    curve: pd.DataFrame | None = field(default=None)
    made: bool = False

    @property
    def n_groups(self) -> int:
        return len(self.names)


def split_outliers(groups: Any, outliers: Outliers, table: Table, *, random_state: Any = 0) -> Groups:
    """Split the outliers into groups.

    Parameters
    ----------
    groups : number of groups for k-means; a label for each row (or for each outlier), as array, Series or
        name of a column; or a clusterer with `fit_predict`.
    outliers : which rows to split.
    table : their features: numbers are scaled, categories become 0/1 columns.
    random_state : seed of k-means.
    """
    rows = outliers.rows
    if outliers.numbers is not None and _is_default(groups):
        return _named(outliers.numbers[rows], outliers, "given with the labels")
    if hasattr(groups, "fit_predict"):
        found = _cluster(groups, embed(table, rows))  # which gets the rows as they stand in the table
        order = np.searchsorted(rows, by_content(table, rows))
        return number_by_size(found[order], rows[order], outliers, f"{type(groups).__name__} on the outliers")
    if isinstance(groups, str) and groups in table.columns:
        return _from_labels(_column_labels(table[groups]), outliers, table)
    if isinstance(groups, str):
        raise PyodExplainError(
            "`groups` must be 'auto', a number, labels, the name of a column of the table or a clusterer, "
            f"got {shown(groups)}."
        )
    if isinstance(groups, Iterable) or hasattr(groups, "__array__"):
        return _from_labels(groups, outliers, table)
    n_groups = check_int("explain()", "groups", groups, low=1)
    if n_groups > len(rows):
        raise PyodExplainError(
            f"`groups` must be at most the number of outliers, got {n_groups} groups for {len(rows)} outliers."
        )
    if n_groups == 1:
        return all_together(outliers)
    rows = by_content(table, rows)
    found = kmeans(main_directions(table, rows), n_groups, random_state)
    return number_by_size(found, rows, outliers, "k-means on the outliers")


def _is_default(groups: Any) -> bool:
    return groups is None or (isinstance(groups, str) and groups == "auto")


def kmeans(points: NDArray[np.float64], n_groups: int, random_state: Any) -> NDArray[np.int64]:
    """Cluster the points; fewer distinct points than groups give fewer clusters.

    Distinct as far as k-means can see: it works with squared distances, in which points closer than about 1e-8 of the
    whole extent are one. So they are rounded before they are counted. Equal points that stand next to each other share
    a cluster. Without that a tie between two centres could part them, by the last digit of a distance, which is not the
    same in every row of a matrix.
    """
    points = np.round(points / (float(np.abs(points).max(initial=0.0)) or 1.0), 6)
    distinct = len(np.unique(points, axis=0))
    model = KMeans(min(n_groups, distinct), n_init=4, random_state=random_state)
    found = np.asarray(model.fit_predict(points), dtype=np.int64)
    return found[_first_of_equal(points)]


def main_directions(table: Table, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Place the given rows as `embed` does, along the few directions in which they vary most.

    The many coordinates, mostly 0/1 columns of rare values, are never written out where they are many. Equal rows that
    stand next to each other get the same place, to the last digit.
    """
    points = _Points.of(table, rows)
    if min(points.shape) <= MAX_DIRECTIONS:
        return points.dense()
    moved = points.along_covariance() if points.shape[1] <= FEW_COORDINATES else points.along_span()
    return moved[_first_of_runs(points.starts())]


def _first_of_equal(points: NDArray[np.float64]) -> NDArray[np.intp]:
    """Give for each row the first of the rows before it, without a gap, that are equal to it.

    >>> _first_of_equal(np.array([[1.0], [1.0], [2.0], [1.0]])).tolist()
    [0, 0, 2, 3]
    """
    return _first_of_runs(np.append(True, (points[1:] != points[:-1]).any(axis=1)))


def _first_of_runs(new: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Give for each row where its run starts; a run starts where `new` is True."""
    return np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))


def embed(table: Table, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Place the given rows in a space where k-means makes sense.

    Numbers are centred and scaled by the whole table's median and quartiles and compressed (arcsinh), so that one
    extreme value does not decide everything; categories and missing cells become 0/1 columns.
    """
    return _Points.of(table, rows).dense()


@dataclass(frozen=True, eq=False)
class _Points:
    """Rows as points: the coordinates of numbers, and the 0/1 coordinates, of which most are 0.

    Attributes
    ----------
    numbers : a row per point, a column per ordered column of the table.
    flags : a row per point, a column per value of a category or kind of gap.
    """

    numbers: NDArray[np.float64]
    flags: sparse.csr_array

    @classmethod
    def of(cls, table: Table, rows: NDArray[np.intp]) -> _Points:
        columns = table.columns.values()
        scaled = [_scaled(column, rows) for column in columns if column.has_order]
        numbers = np.array(scaled).T.reshape(len(rows), len(scaled))
        width, at_row, at_column = 0, [np.empty(0, np.intp)], [np.empty(0, np.intp)]
        for column in columns:
            for places in _flags(column, rows):  # for each point its place, or -1 for none
                marked = np.flatnonzero(places >= 0)
                at_row.append(marked)
                at_column.append(places[marked] + width)
                width += int(places.max(initial=-1)) + 1
        where = (np.concatenate(at_row), np.concatenate(at_column))
        return cls(numbers, sparse.csr_array((np.ones(len(where[0])), where), shape=(len(rows), width)))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.numbers), self.numbers.shape[1] + int(self.flags.shape[1])

    def starts(self) -> NDArray[np.bool_]:
        """Tell which points are other than the one before them."""
        other = (self.numbers[1:] != self.numbers[:-1]).any(axis=1)
        other |= np.diff((self.flags[1:] - self.flags[:-1]).tocsr().indptr) > 0 if self.flags.shape[1] else False
        return np.append(True, other)

    def dense(self) -> NDArray[np.float64]:
        """Write all coordinates out; at least one, so that points of no column are points."""
        both = np.hstack([self.numbers, self.flags.toarray()])
        return both if both.shape[1] else np.zeros((len(both), 1))

    def along_covariance(self) -> NDArray[np.float64]:
        """Find the directions among the coordinates: the longest axes of their covariances."""
        n_points, n_numbers = self.numbers.shape
        mixed = np.asarray(self.flags.T @ self.numbers)
        squares = np.block([[self.numbers.T @ self.numbers, mixed.T], [mixed, (self.flags.T @ self.flags).toarray()]])
        middle = np.concatenate([self.numbers.sum(axis=0), np.asarray(self.flags.sum(axis=0))]) / n_points
        axes = np.linalg.eigh(squares - n_points * np.outer(middle, middle))[1][:, : -MAX_DIRECTIONS - 1 : -1]
        return np.asarray(self.numbers @ axes[:n_numbers] + self.flags @ axes[n_numbers:] - middle @ axes)

    def along_span(self) -> NDArray[np.float64]:
        """Find them among the points: what they span is all that matters, however many the coordinates.

        Any few directions, multiplied again and again by the points' products with one another, turn towards the
        longest axes (block power iteration; Halko, Martinsson and Tropp 2011). Exact for up to 34 points.
        """
        n_followed = min(MAX_DIRECTIONS + SPARE, len(self.numbers))
        found = np.random.default_rng(0).normal(size=(len(self.numbers), n_followed))
        for _ in range(ROUNDS):
            found = np.linalg.qr(self._products(found))[0]
        lengths, axes = np.linalg.eigh(found.T @ self._products(found))
        longest = slice(None, -MAX_DIRECTIONS - 1, -1)
        return np.asarray(found @ axes[:, longest] * np.sqrt(np.maximum(lengths[longest], 0.0)))

    def _products(self, directions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply by the centred points' inner products, without writing these down."""
        centred = directions - directions.mean(axis=0)
        mixed = self.numbers @ (self.numbers.T @ centred) + self.flags @ (self.flags.T @ centred)
        return np.asarray(mixed - mixed.mean(axis=0))


def _flags(column: Column, rows: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Give which of a column's 0/1 coordinates is 1 for each row, -1 for none: its value, and whether it has one."""
    missing = column.missing[rows]
    if not column.has_order and column.kind != "labels":
        codes = column.values[rows]
        present, counts = np.unique(codes[codes >= 0], return_counts=True)
        kept = np.sort(present[np.argsort(-counts, kind="stable")[:MAX_CATEGORIES]])
        place = np.searchsorted(kept, codes)
        known = (codes >= 0) & (place < len(kept))
        known[known] = kept[place[known]] == codes[known]
        yield np.where(known, place, -1)
    if missing.any() and not missing.all():
        yield np.where(missing, 0, -1)


def _scaled(column: Column, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    values = column.floats()
    known = values[~column.missing]
    if not len(known):
        return np.zeros(len(rows))
    largest = float(np.abs(known).max())
    if largest > 1e100:  # first, so that no difference overflows
        values, known = values / largest, known / largest
    middle, scale = robust_scale(known)
    scaled = np.arcsinh((values[rows] - middle) / scale)
    return np.where(column.missing[rows], 0.0, scaled)


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
    found, first, counts = np.unique(clusters, return_index=True, return_counts=True)
    order = sorted(range(len(found)), key=lambda i: (found[i] == -1, -counts[i], first[i]))
    numbers = np.where(outliers.labels == -1, -1, 0).astype(np.int64)
    for number, i in enumerate(order, start=1):
        numbers[rows[clusters == found[i]]] = number
    names = tuple("noise" if found[i] == -1 else str(number) for number, i in enumerate(order, start=1))
    return Groups(numbers, names, how, made=True)


def _cluster(clusterer: Any, points: NDArray[np.float64]) -> NDArray[Any]:
    """Ask the user's clusterer; a copy of it, so that theirs stays as it is."""
    name = type(clusterer).__name__
    try:
        clusters = np.asarray(clone(clusterer).fit_predict(points))
    except Exception as error:
        raise PyodExplainError(
            f"`groups` must be a clusterer that can split the {len(points):,} outliers; {name} failed with "
            f"{type(error).__name__}: {error}\nHint: a smaller number of clusters, or groups='auto'."
        ) from error
    if clusters.shape != (len(points),):
        raise PyodExplainError(
            f"`groups` must be a clusterer that gives one label per row, got shape {clusters.shape} from {name} "
            f"for {len(points):,} outliers."
        )
    return clusters


def _from_labels(labels: Any, outliers: Outliers, table: Table) -> Groups:
    """Take a label for each row of the table, or for each outlier in the order of the rows."""
    rows = outliers.rows
    if not isinstance(labels, Mapping) and hasattr(labels, "__len__") and len(labels) == len(rows) != table.n_rows:
        given = one_per_row(labels, len(rows), None if table.labels is None else table.labels[rows], "groups")
    else:
        given = one_per_row(labels, table.n_rows, table.labels, "groups")[rows]
    if pd.isna(given).any():
        raise PyodExplainError(
            f"`groups` must name a group for every outlier, got {int(pd.isna(given).sum()):,} missing labels.\n"
            "Hint: give those outliers a group of their own."
        )
    return _named(given, outliers, "given")


def _named(given: NDArray[Any], outliers: Outliers, how: str) -> Groups:
    """Number given labels in their own order, and keep them as names."""
    names, clusters = np.unique(given if given.dtype != object else given.astype(str), return_inverse=True)
    numbers = np.where(outliers.labels == -1, -1, 0).astype(np.int64)
    numbers[outliers.rows] = clusters.ravel() + 1
    return Groups(numbers, tuple(str(name) for name in names), how)


def _column_labels(column: Column) -> NDArray[Any]:
    if column.kind in ("category", "boolean"):
        names = np.array([*(str(value) for value in column.categories), None], dtype=object)
        labels = names[column.values]  # the code of a missing cell is -1: the last
    else:
        labels = column.values.astype(object)
    labels[column.missing] = None
    return np.asarray(labels)

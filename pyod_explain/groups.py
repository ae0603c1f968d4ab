"""Which outliers belong together: k-means on the outliers, given labels, or any clusterer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from pyod_explain._validate import check_int, shown
from pyod_explain.alignment import one_per_row
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.outliers import Outliers
from pyod_explain.row_order import by_content
from pyod_explain.table import Column, Table

__all__ = ["Groups", "all_together", "embed", "kmeans", "main_directions", "number_by_size", "split_outliers"]

MAX_DIRECTIONS = 24  # that k-means works in
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
        split and their difference, the net bits; else None.
    """

    numbers: NDArray[np.int64]
    names: tuple[str, ...]
    how: str
    curve: pd.DataFrame | None = field(default=None)

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
    found = kmeans(main_directions(embed(table, rows)), n_groups, random_state)
    return number_by_size(found, rows, outliers, "k-means on the outliers")


def _is_default(groups: Any) -> bool:
    return groups is None or (isinstance(groups, str) and groups == "auto")


def kmeans(points: NDArray[np.float64], n_groups: int, random_state: Any) -> NDArray[np.int64]:
    """Cluster the points; fewer distinct points than groups give fewer clusters.

    Equal points that stand next to each other share a cluster. Without that a tie between two centres could part them,
    by the last digit of a distance, which is not the same in every row of a matrix.
    """
    distinct = len(np.unique(points, axis=0))
    model = KMeans(min(n_groups, distinct), n_init=4, random_state=random_state)
    found = np.asarray(model.fit_predict(points), dtype=np.int64)
    return found[_first_of_equal(points)]


def main_directions(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Reduce many coordinates, mostly 0/1 columns of rare values, to the directions that vary most."""
    if points.shape[1] <= MAX_DIRECTIONS or len(points) <= MAX_DIRECTIONS:
        return points
    moved = np.asarray(PCA(MAX_DIRECTIONS, svd_solver="covariance_eigh").fit_transform(points))
    return moved[_first_of_equal(points)]


def _first_of_equal(points: NDArray[np.float64]) -> NDArray[np.intp]:
    """Give for each row the first of the rows before it, without a gap, that are equal to it.

    >>> _first_of_equal(np.array([[1.0], [1.0], [2.0], [1.0]])).tolist()
    [0, 0, 2, 3]
    """
    new = np.append(True, (points[1:] != points[:-1]).any(axis=1))
    return np.maximum.accumulate(np.where(new, np.arange(len(points)), 0))


def embed(table: Table, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Place the given rows in a space where k-means makes sense.

    Numbers are centred and scaled by the whole table's median and quartiles and compressed (arcsinh), so that one
    extreme value does not decide everything; categories and missing cells become 0/1 columns.
    """
    blocks = [_coordinates(column, rows) for column in table.columns.values()]
    points = np.hstack([np.zeros((len(rows), 1)), *blocks])
    return np.asarray(points)


def _coordinates(column: Column, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    missing = column.missing[rows]
    gaps = missing[:, None].astype(np.float64) if missing.any() and not missing.all() else np.empty((len(rows), 0))
    if column.has_order:
        return np.hstack([_scaled(column, rows)[:, None], gaps])
    if column.kind == "labels":
        return gaps
    codes = column.values[rows]
    present, counts = np.unique(codes[codes >= 0], return_counts=True)
    kept = present[np.argsort(-counts, kind="stable")[:MAX_CATEGORIES]]
    return np.hstack([(codes[:, None] == kept[None, :]).astype(np.float64), gaps])


def _scaled(column: Column, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    values = column.values.astype("int64" if column.kind != "number" else column.values.dtype).astype(np.float64)
    known = values[~column.missing]
    if not len(known):
        return np.zeros(len(rows))
    largest = float(np.abs(known).max())
    if largest > 1e100:  # first, so that no difference overflows
        values, known = values / largest, known / largest
    low, middle, high = np.quantile(known, [0.25, 0.5, 0.75])
    # 1.349: a normal's quartiles are one std apart; sorted, for a sum of floats depends on their order.
    spread = (high - low) / 1.349 or float(np.std(np.sort(known))) or 1.0
    scaled = np.arcsinh((values[rows] - middle) / spread)
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
    return Groups(numbers, names, how)


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
        names = np.array([str(value) for value in column.categories], dtype=object)
        labels = names[column.values]
    else:
        labels = column.values.astype(object)
    labels[column.missing] = None
    return np.asarray(labels)

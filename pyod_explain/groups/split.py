"""Groups of outliers by k-means, by given labels, or by any clusterer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._validate import check_int
from pyod_explain.exceptions import ParameterError
from pyod_explain.groups.kmeans import ask_clusterer, embed, kmeans, main_directions
from pyod_explain.input import Column, Groups, Outliers, Table, by_content, one_per_row

__all__ = ["all_together", "number_by_name", "number_by_size", "split_outliers"]


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
    if outliers.numbers is not None and _is_default(groups):
        return number_by_name(outliers.numbers[outliers.rows], outliers, "given with the labels")
    if hasattr(groups, "fit_predict"):
        return _by_clusterer(groups, outliers, table)
    if isinstance(groups, str) and groups in table.columns:
        return _by_labels(_column_labels(table[groups], outliers.rows), outliers)
    if isinstance(groups, str):
        choices = "'reasons', 'kmeans', a number, labels, the name of a column of the table or a clusterer"
        raise ParameterError("groups", choices, got=groups)
    if isinstance(groups, Iterable) or hasattr(groups, "__array__"):
        return _from_labels(groups, outliers, table)
    return _by_kmeans(check_int("explain()", "groups", groups, low=1), outliers, table, random_state)


def _by_kmeans(n_groups: int, outliers: Outliers, table: Table, random_state: Any) -> Groups:
    n_outliers = outliers.n_outliers(table)
    if n_groups > n_outliers:
        got = f"{n_groups} groups for {n_outliers} outliers"
        raise ParameterError("groups", "at most the number of outliers", got_text=got)
    if n_groups == 1:
        return all_together(outliers)
    rows = by_content(table, outliers.rows)
    found = kmeans(main_directions(table, rows), n_groups, random_state, table.counts_of(rows))
    return number_by_size(found, rows, outliers, table, "k-means on the outliers")


def _by_clusterer(clusterer: Any, outliers: Outliers, table: Table) -> Groups:
    rows = outliers.rows
    found = ask_clusterer(clusterer, embed(table, rows))  # which gets the rows as they stand in the table
    order = np.searchsorted(rows, by_content(table, rows))
    return number_by_size(found[order], rows[order], outliers, table, f"{type(clusterer).__name__} on the outliers")


def _is_default(groups: Any) -> bool:
    return groups is None or (isinstance(groups, str) and groups in ("auto", "reasons"))


def _from_labels(labels: Any, outliers: Outliers, table: Table) -> Groups:
    """Take a label for each row of the table, or for each outlier in the order of the rows."""
    rows = outliers.rows
    if not isinstance(labels, Mapping) and hasattr(labels, "__len__") and len(labels) == len(rows) != table.n_rows:
        given = one_per_row(labels, len(rows), None if table.labels is None else table.labels[rows], "groups")
    else:
        given = one_per_row(labels, table.n_rows, table.labels, "groups")[rows]
    return _by_labels(given, outliers)


def _by_labels(given: NDArray[Any], outliers: Outliers) -> Groups:
    if pd.isna(given).any():
        raise ParameterError(
            "groups",
            "a group for every outlier",
            got_text=f"{int(pd.isna(given).sum()):,} missing labels",
            hint="give those outliers a group of their own.",
        )
    return number_by_name(given, outliers, "given")


def _column_labels(column: Column, rows: NDArray[np.intp]) -> NDArray[Any]:
    """Give the cells of some rows as the user knows them; numbers and times as such, since they have an order."""
    cells = pd.Series([None if column.missing[row] else column.cell(row) for row in rows], dtype=object)
    return np.asarray(cells.infer_objects())


def all_together(outliers: Outliers) -> Groups:
    """Make one group of all outliers."""
    return Groups(outliers.labels, ("1",), "all outliers together")


def number_by_size(
    clusters: NDArray[Any], rows: NDArray[np.intp], outliers: Outliers, table: Table, how: str
) -> Groups:
    """Number clusters by decreasing size, then by the first of `rows` in them; a clusterer's noise, -1, comes last.

    Parameters
    ----------
    clusters : for each of `rows` its cluster.
    rows : positions of the outliers, in the order of their content.
    outliers, table : which rows of the table they are.
    how : how they were clustered, for the report.
    """
    found, first, which = np.unique(clusters, return_index=True, return_inverse=True)
    counts = np.bincount(which.ravel(), table.counts_of(rows))
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

"""Rows in the order of their cells, so that where they stand in the user's table cannot change a result.

Clustering, sampling and sums of floats depend on the order in which rows come. Whatever does such a thing takes the
rows in this order. Equal rows are interchangeable, so it does not matter which of them comes first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.input.table import Column, Table
from pyod_explain.input.values import HASH_MULTIPLIER

MAX_SORTED_ROWS = 5_000  # rows, up to which sorting takes no time that matters


def by_content(table: Table, rows: NDArray[np.intp], *, few: int = MAX_SORTED_ROWS) -> NDArray[np.intp]:
    """Give row positions in an order that depends on the cells of these rows alone.

    Few rows are sorted by their cells, the first column by name first. For many that takes long: theirs is the order of
    a hash of the cells. Should two different rows have one hash, they are sorted by the cells too, so that nothing
    depends on luck.

    Parameters
    ----------
    table : the features; the order of its columns does not matter.
    rows : positions to put in order.
    few : rows up to which they are sorted by their cells.

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> table, shuffled = as_table([[1], [2], [3]]), as_table([[3], [1], [2]])
    >>> order, other = by_content(table, np.arange(3)), by_content(shuffled, np.arange(3))
    >>> table["x0"].values[order].tolist() == shuffled["x0"].values[other].tolist()
    True
    """
    n_rows = len(rows) if table.row_counts is None else table.row_counts[rows].sum()
    if n_rows <= few:  # the same order as repeated rows have
        return np.asarray(rows[_sorted(table, rows)])
    hashed = np.zeros(len(rows), dtype=np.uint64)
    for key in _keys(table, rows):
        hashed *= HASH_MULTIPLIER  # wraps around, as hashes do
        hashed += np.asarray(pd.util.hash_array(key))
    order = np.argsort(hashed, kind="stable")
    if _collide(hashed, order, table, rows):
        order = _sorted(table, rows)
    return np.asarray(rows[order])


def _sorted(table: Table, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    keys = list(_keys(table, rows))
    return np.lexsort(keys[::-1]) if keys else np.arange(len(rows))


def _collide(
    hashed: NDArray[np.uint64],
    order: NDArray[np.intp],
    table: Table,
    rows: NDArray[np.intp],
) -> bool:
    """Tell whether two rows that have the same hash differ; if any do, so do two that are neighbours in the order."""
    same = np.flatnonzero(hashed[order[1:]] == hashed[order[:-1]])
    one, other = order[same], order[same + 1]
    return len(same) > 0 and any((key[one] != key[other]).any() for key in _keys(table, rows))


def _keys(table: Table, rows: NDArray[np.intp]) -> Iterator[NDArray[np.generic]]:
    """Give arrays of numbers that together tell rows apart, one at a time: all at once would be a copy of the table."""
    for name in sorted(table.columns):
        column = table.columns[name].take(rows)
        yield _numbers(column)
        if column.missing.any():
            yield column.missing


def _numbers(column: Column) -> NDArray[np.generic]:
    """Give a number for each cell, the same for equal cells, and 0 where the cell is missing."""
    if column.values.dtype == object:  # numbers beyond all types: their ranks among these rows
        return column.ranked[0]
    values = column.values if column.values.dtype.kind not in "mM" else column.values.view(np.int64)
    return np.where(column.missing, values.dtype.type(0), values) if column.missing.any() else values


def sample_rows(table: Table, rows: NDArray[np.intp], most: int, random_state: int) -> NDArray[np.intp]:
    """Draw at most so many of these rows, without replacement; all of them, as they stand, if there are no more.

    >>> from pyod_explain.input.read import as_table
    >>> sample_rows(as_table([[1], [2], [3]]), np.array([0, 2]), 5, random_state=0).tolist()
    [0, 2]
    """
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(random_state).choice(by_content(table, rows), most, replace=False))

"""Scatter plots as counts on a grid: what a page draws, small whatever the number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Column
from pyod_explain.result.basis import Basis
from pyod_explain.result.pairs import Pair, choose_pairs

__all__ = ["ACROSS", "DOWN", "Dot", "Picture", "take_pictures"]

ACROSS, DOWN = 60, 40  # squares of the grid
EDGE = 0.005  # share of the normals on either side that do not stretch a picture
MAX_COLUMNS = 6  # all pairs of these are looked at: about a second


@dataclass(frozen=True)
class Dot:
    """Outliers of a group that share a square.

    Attributes
    ----------
    x, y : the square, from the left and from below.
    group, count : the number of the group, and of its outliers there.
    best : True if for most of them no other picture is as good.
    """

    x: int
    y: int
    group: int
    count: int
    best: bool


@dataclass(frozen=True)
class Picture:
    """Two columns in which outliers stand apart, as counts on a grid.

    Attributes
    ----------
    columns : names of the two.
    across, down : the least and the largest value of either: of all outliers, and of the normals but for the half
        percent at either end, which are drawn at the edge.
    normals : squares with normal rows: from the left, from below, and how many.
    dots : the outliers.
    n_best : outliers that stand apart most in this one of the chosen pictures.
    n_outliers : outliers that are drawn: all that have a value in both columns.
    n_beyond : normal rows that lie beyond the edges.
    """

    columns: tuple[str, str]
    across: tuple[Any, Any]
    down: tuple[Any, Any]
    normals: tuple[tuple[int, int, int], ...]
    dots: tuple[Dot, ...]
    n_best: int
    n_outliers: int
    n_beyond: int = 0


def take_pictures(basis: Basis, first: list[str], budget: int) -> tuple[Picture, ...]:
    """Choose pairs of columns as LookOut does, and count what a scatter plot of each shows; none where none varies.

    Parameters
    ----------
    basis : the table and the groups.
    first : columns to consider before others.
    budget : the most pictures.
    """
    if budget < 1:
        return ()
    numbers = basis.groups.numbers
    try:
        pairs = choose_pairs(basis.table, numbers, budget=budget, first=first, n_columns=MAX_COLUMNS)
    except PyodExplainError:  # no two columns that have an order and vary: there is nothing to draw
        return ()
    return tuple(_take(pair, basis, numbers) for pair in pairs if _known(pair, basis, numbers)[numbers > 0].any())


def _known(pair: Pair, basis: Basis, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    one, two = (basis.table[name] for name in pair.columns)
    return ~one.missing & ~two.missing & (numbers >= 0)


def _take(pair: Pair, basis: Basis, numbers: NDArray[np.int64]) -> Picture:
    one, two = (basis.table[name] for name in pair.columns)
    known = _known(pair, basis, numbers)
    across, x, beyond = _squares(one, known, numbers, ACROSS)
    down, y, above = _squares(two, known, numbers, DOWN)
    copies = np.ones(len(numbers), dtype=np.int64) if basis.table.copies is None else basis.table.copies
    best = np.zeros(len(numbers), dtype=bool)
    best[np.flatnonzero(numbers > 0)] = pair.best
    normal, outlier = known & (numbers == 0), known & (numbers > 0)
    counts = np.zeros((ACROSS, DOWN), dtype=np.int64)
    np.add.at(counts, (x[normal], y[normal]), copies[normal])
    return Picture(
        columns=pair.columns,
        across=across,
        down=down,
        normals=tuple((int(i), int(j), int(counts[i, j])) for i, j in np.argwhere(counts)),
        dots=tuple(_dots(x[outlier], y[outlier], numbers[outlier], copies[outlier], best[outlier])),
        n_best=int(copies[outlier & best].sum()),
        n_outliers=int(copies[outlier].sum()),
        n_beyond=int(copies[normal & (beyond | above)].sum()),
    )


def _squares(
    column: Column, known: NDArray[np.bool_], numbers: NDArray[np.int64], n: int
) -> tuple[tuple[Any, Any], NDArray[np.intp], NDArray[np.bool_]]:
    """Give the ends of a picture in this column, for each row the square that it is in, and whether it lies beyond."""
    values = column.floats()
    normals, outliers = np.flatnonzero(known & (numbers == 0)), np.flatnonzero(known & (numbers > 0))
    order = normals[np.argsort(values[normals], kind="stable")]
    aside = int(EDGE * len(order))
    ends = np.concatenate([outliers, order[aside : len(order) - aside]])  # rows that the picture has to show
    least, largest = ends[np.argmin(values[ends])], ends[np.argmax(values[ends])]
    low, high = values[least], values[largest]
    span = (high / 2 - low / 2) or 1.0  # half of it, as the whole may lie beyond all floats
    place = np.clip(np.where(known, values / 2 - low / 2, 0.0) / span, 0.0, 1.0)
    squares = np.minimum((place * n).astype(np.intp), n - 1)
    return (column.cell(int(least)), column.cell(int(largest))), squares, (values < low) | (values > high)


def _dots(
    x: NDArray[np.intp],
    y: NDArray[np.intp],
    numbers: NDArray[np.int64],
    copies: NDArray[np.int64],
    best: NDArray[np.bool_],
) -> list[Dot]:
    places, which = np.unique(np.column_stack([numbers, x, y]), axis=0, return_inverse=True)
    counts = np.bincount(which.ravel(), copies, minlength=len(places))
    well = np.bincount(which.ravel(), copies * best, minlength=len(places))
    return [
        Dot(x=int(i), y=int(j), group=int(group), count=int(n), best=bool(2 * good > n))
        for (group, i, j), n, good in zip(places, counts, well, strict=True)
    ]

"""Scatter plots of two columns that show the outliers apart, chosen as LookOut does."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import IsolationForest

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain._validate import check_int
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Column, Table, by_content, draw_rows
from pyod_explain.result.context import FitContext

MAX_PLOT_COLUMNS = 10  # all pairs of these are scored
MAX_PLOTTED_NORMALS = 2_000  # normals that a plot is scored against
N_PLOT_TREES = 40
MAX_FOREST_VALUE = 1e38  # beyond which the forest, which halves what a float holds, sees no number


def choose_pairs(
    table: Table,
    numbers: IntArray,
    *,
    budget: int = 3,
    first: Sequence[str] = (),
    n_columns: int = MAX_PLOT_COLUMNS,
    of_first: bool = False,
) -> list[tuple[str, str]]:
    """Choose the scatter plots that together show most outliers apart from the normals.

    Parameters
    ----------
    table : the features; only columns with an order are plotted.
    numbers : for each row 0 (normal), its group, or -1.
    budget : number of plots.
    first : columns to consider before others.
    n_columns : all pairs of at most so many columns are scored.
    of_first : leave out pairs of which neither is among `first`.
    """
    budget = check_int("plot('pairs')", "budget", budget, low=1)
    outliers, normals = np.flatnonzero(numbers > 0), np.flatnonzero(numbers == 0)
    random = np.random.default_rng(0)
    normals = by_content(table, normals)
    if table.row_counts is None:
        normals = random.permutation(normals)[:MAX_PLOTTED_NORMALS]
    else:  # as many of the rows that they stand for
        row_counts = table.row_counts[normals]
        normals = np.repeat(normals, draw_rows(row_counts, min(MAX_PLOTTED_NORMALS, int(row_counts.sum())), random))
    outliers = by_content(table, outliers)
    columns = _columns(table, outliers, normals, first, n_columns)
    pairs = [pair for pair in itertools.combinations(columns, 2) if not of_first or {*pair} & {*first}]
    if not pairs:
        problem = f"`plot('pairs')` needs two columns of numbers or dates that vary, got {len(columns)}."
        raise PyodExplainError(problem, hint="plot('groups') shows categories too.")
    scores = np.array([_scores(columns[a], columns[b], outliers, normals) for a, b in pairs])
    return [pairs[i] for i in _greedy_choice(scores, budget)]


def _greedy_choice(scores: FloatArray, budget: int) -> list[int]:
    """Choose rows of a table of scores, one by one: the row that raises the sum of the columns' maxima most.

    Examples
    --------
    >>> _greedy_choice(np.array([[0.9, 0.1, 0.1], [0.5, 0.5, 0.5], [0.1, 0.8, 0.1]]), budget=2)
    [1, 0]
    """
    best = np.zeros(scores.shape[1])
    chosen: list[int] = []
    for _ in range(min(budget, len(scores))):
        gains = np.maximum(scores - best, 0.0).sum(axis=1)
        gains[chosen] = -1.0
        pick = int(gains.argmax())
        chosen.append(pick)
        best = np.maximum(best, scores[pick])
    return chosen


def _columns(
    table: Table, outliers: IndexArray, normals: IndexArray, first: Sequence[str], most: int
) -> dict[str, FloatArray]:
    """Take the columns that the rules speak of, then those in which the outliers lie furthest out."""
    spread: dict[str, float] = {}
    values: dict[str, FloatArray] = {}
    for name, column in table.columns.items():
        if not column.has_order:
            continue
        numbers = column.filled_floats()  # a gap stands at the median
        shown = numbers[np.concatenate([outliers, normals])]
        if np.abs(shown).max() > MAX_FOREST_VALUE or shown.std() == 0:
            continue
        values[name] = numbers
        middle, scale = np.median(numbers[normals]), numbers[normals].std()
        spread[name] = float(np.abs(numbers[outliers] - middle).mean() / (scale or 1.0))
    return {name: values[name] for name in sorted(values, key=lambda name: (name not in first, -spread[name]))[:most]}


def _scores(one: FloatArray, two: FloatArray, outliers: IndexArray, normals: IndexArray) -> FloatArray:
    points = np.column_stack([one, two])
    rows = np.concatenate([normals, outliers])
    forest = IsolationForest(n_estimators=N_PLOT_TREES, max_samples=min(256, len(rows)), random_state=0)
    return np.asarray(-forest.fit(points[rows]).score_samples(points[outliers]))


ACROSS, DOWN = 60, 40  # squares of the grid
CLIPPED_SHARE = 0.005  # share of the normals on either side that do not stretch a picture
MAX_PICTURE_COLUMNS = 6  # all pairs of these are looked at: about a second


@dataclass(frozen=True)
class Picture:
    """Two columns in which outliers stand apart, as counts on a grid.

    Attributes
    ----------
    columns : names of the two.
    across, down : the least and the largest value of either: of all outliers, and of the normals but for the half
        percent at either end, which are drawn at the edge.
    normals : squares with normal rows: from the left, from below, and how many.
    dots : squares with outliers: from the left, from below, the number of the group, and how many; of all that have a
        value in both columns.
    n_beyond : normal rows that lie beyond the edges.
    """

    columns: tuple[str, str]
    across: tuple[Any, Any]
    down: tuple[Any, Any]
    normals: tuple[tuple[int, int, int], ...]
    dots: tuple[tuple[int, int, int, int], ...]
    n_beyond: int


def take_pictures(context: FitContext, first: list[str], budget: int) -> tuple[Picture, ...]:
    """Choose pairs of columns as LookOut does, and count what a scatter plot of each shows; none where none varies.

    Parameters
    ----------
    context : the table and the groups.
    first : the columns of the rules, of which each pair has one: in these the outliers differ.
    budget : the most pictures.
    """
    if budget < 1:
        return ()
    numbers, table = context.groups.numbers, context.table
    try:
        pairs = choose_pairs(table, numbers, budget=budget, first=first, n_columns=MAX_PICTURE_COLUMNS, of_first=True)
    except PyodExplainError:  # no two columns that have an order and vary: there is nothing to draw
        return ()
    return tuple(one for one in (_take(pair, table, numbers) for pair in pairs) if one is not None)


def _take(pair: tuple[str, str], table: Table, numbers: IntArray) -> Picture | None:
    """Count what a scatter plot shows; None where no outlier has a value in both columns."""
    one, two = (table[name] for name in pair)
    known = ~one.missing & ~two.missing & (numbers >= 0)
    normal, outlier = known & (numbers == 0), known & (numbers > 0)
    if not outlier.any():
        return None
    across, x, beyond = _squares(one, normal, outlier, ACROSS)
    down, y, above = _squares(two, normal, outlier, DOWN)
    row_counts = np.ones(len(numbers), dtype=np.int64) if table.row_counts is None else table.row_counts

    def count(rows: BoolArray, *places: NDArray[Any]) -> tuple[Any, ...]:
        found, which = np.unique(np.column_stack([one[rows] for one in places]), axis=0, return_inverse=True)
        counts = np.bincount(which.ravel(), row_counts[rows], minlength=len(found)).astype(np.int64)
        return tuple((*place, n) for place, n in zip(found.tolist(), counts.tolist(), strict=True))

    n_beyond = int(row_counts[normal & (beyond | above)].sum())
    return Picture(pair, across, down, count(normal, x, y), count(outlier, x, y, numbers), n_beyond)


def _squares(
    column: Column, normal: BoolArray, outlier: BoolArray, n: int
) -> tuple[tuple[Any, Any], IndexArray, BoolArray]:
    """Give the ends of a picture in this column, for each row the square that it is in, and whether it lies beyond."""
    values = column.floats()
    normals = np.flatnonzero(normal)
    order = normals[np.argsort(values[normals], kind="stable")]
    aside = int(CLIPPED_SHARE * len(order))
    ends = np.concatenate([np.flatnonzero(outlier), order[aside : len(order) - aside]])  # rows that it has to show
    least, largest = ends[np.argmin(values[ends])], ends[np.argmax(values[ends])]
    low, high = values[least], values[largest]
    span = (high / 2 - low / 2) or 1.0  # half of it, as the whole may lie beyond all floats
    place = np.clip(np.where(normal | outlier, values / 2 - low / 2, 0.0) / span, 0.0, 1.0)
    squares = np.minimum((place * n).astype(np.intp), n - 1)
    return (column.cell(int(least)), column.cell(int(largest))), squares, (values < low) | (values > high)

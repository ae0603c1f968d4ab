"""Which few scatter plots show the outliers best: pairs of columns, chosen as LookOut does.

LookOut (Gupta, Eswaran, Shah, Akoglu, Faloutsos: Beyond Outlier Detection: LookOut for Pictorial Explanation, ECML PKDD
2018) gives every outlier a score in every plot and chooses the plots whose best score per outlier adds up to most.
That sum is monotone and submodular, so taking the plot that adds most, again and again, reaches at least 63 percent
(1 - 1/e) of what the best choice of as many plots reaches.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import IsolationForest

from pyod_explain._validate import check_int
from pyod_explain.draws import draw
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Table, by_content

__all__ = ["Pair", "choose_pairs", "greedy_choice"]

MAX_COLUMNS = 10  # all pairs of these are scored
SAMPLE = 2_000  # normals that a plot is scored against
TREES = 40
MOST = 1e38  # beyond which the forest, which halves what a float holds, sees no number


@dataclass(frozen=True, eq=False)
class Pair:
    """A scatter plot: two columns and how far each outlier stands apart in it.

    Attributes
    ----------
    columns : names of the two columns.
    scores : for each outlier how strange it is in this plot, 0 to 1 (isolation forest).
    best : for each outlier True if no other chosen plot shows it better.
    """

    columns: tuple[str, str]
    scores: NDArray[np.float64]
    best: NDArray[np.bool_]


def choose_pairs(
    table: Table,
    numbers: NDArray[np.int64],
    *,
    budget: int = 3,
    first: Sequence[str] = (),
    random_state: int = 0,
    n_columns: int = MAX_COLUMNS,
) -> list[Pair]:
    """Choose the scatter plots that together show most outliers apart from the normals.

    Parameters
    ----------
    table : the features; only columns with an order are plotted.
    numbers : for each row 0 (normal), its group, or -1.
    budget : number of plots.
    first : columns to consider before others.
    random_state : seed of the forests and of the sample of normals.
    n_columns : all pairs of at most so many columns are scored.
    """
    budget = check_int("plot('pairs')", "budget", budget, low=1)
    outliers, normals = np.flatnonzero(numbers > 0), np.flatnonzero(numbers == 0)
    random = np.random.default_rng(random_state)
    normals = by_content(table, normals)
    if table.copies is None:
        normals = random.permutation(normals)[:SAMPLE]
    else:  # as many of the rows that they stand for
        copies = table.copies[normals]
        normals = np.repeat(normals, draw(copies, min(SAMPLE, int(copies.sum())), random))
    outliers = by_content(table, outliers)
    columns = _columns(table, outliers, normals, first, n_columns)
    pairs = list(itertools.combinations(columns, 2))
    if not pairs:
        raise PyodExplainError(
            "`plot('pairs')` needs two columns of numbers or dates that vary, "
            f"got {len(columns)}.\nHint: plot('groups') shows categories too."
        )
    scores = np.array([_scores(columns[a], columns[b], outliers, normals, random_state) for a, b in pairs])
    chosen = greedy_choice(scores, budget)
    winner = scores[chosen].argmax(axis=0)
    place = np.argsort(outliers)  # back to the order of the table
    return [Pair(pairs[i], scores[i, place], (winner == position)[place]) for position, i in enumerate(chosen)]


def greedy_choice(scores: NDArray[np.float64], budget: int) -> list[int]:
    """Choose rows of a table of scores, one by one: the row that raises the sum of the columns' maxima most.

    Examples
    --------
    >>> greedy_choice(np.array([[0.9, 0.1, 0.1], [0.5, 0.5, 0.5], [0.1, 0.8, 0.1]]), budget=2)
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
    table: Table, outliers: NDArray[np.intp], normals: NDArray[np.intp], first: Sequence[str], most: int
) -> dict[str, NDArray[np.float64]]:
    """Take the columns that the rules speak of, then those in which the outliers lie furthest out."""
    spread: dict[str, float] = {}
    values: dict[str, NDArray[np.float64]] = {}
    for name, column in table.columns.items():
        if not column.has_order:
            continue
        numbers = column.filled_floats()  # a gap stands at the median
        shown = numbers[np.concatenate([outliers, normals])]
        if np.abs(shown).max() > MOST or shown.std() == 0:
            continue
        values[name] = numbers
        middle, scale = np.median(numbers[normals]), numbers[normals].std()
        spread[name] = float(np.abs(numbers[outliers] - middle).mean() / (scale or 1.0))
    order = sorted(values, key=lambda name: (name not in first, -spread[name]))
    return {name: values[name] for name in order[:most]}


def _scores(
    one: NDArray[np.float64], two: NDArray[np.float64], outliers: NDArray[np.intp], normals: NDArray[np.intp], seed: int
) -> NDArray[np.float64]:
    points = np.column_stack([one, two])
    rows = np.concatenate([normals, outliers])
    forest = IsolationForest(n_estimators=TREES, max_samples=min(256, len(rows)), random_state=seed)
    return np.asarray(-forest.fit(points[rows]).score_samples(points[outliers]))

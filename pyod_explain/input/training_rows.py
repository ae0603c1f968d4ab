"""Are these the rows that a detector was fitted on, in that order? It keeps their scores, so it is asked again.

Most detectors give their training rows the scores that they keep, to the last digit. Some (KNN, LOF) leave a row out
of its own neighbours only while they are fitted, so that the scores differ, yet in nearly the same order; with few
neighbours or tied rows the order is only a little alike. Other rows, or the same in another order, agree as chance has
it, and only these are refused. Where a detector's scores depend on the rows that are asked along with a row, it is
asked about all of them; where it draws at random, where rounding changes its scores, or where they are nearly all the
same, they do not tell.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pyod_explain.input.same_scores import ALIKE, FEWEST, Scores, agree, correlation, differ, some_equal
from pyod_explain.input.table import Table
from pyod_explain.input.verdict import Ask, Verdict

__all__ = ["are_training_rows"]

SAMPLE = 200  # rows that a detector is asked about
WHOLE = 2_000  # rows that it is asked about at most, where its scores depend on the rows beside
FEW_NEIGHBOURS = 3  # with so few, a row that counts among its own neighbours gets quite another score
BY_CHANCE = 5.0  # standard deviations of a rank correlation above which it has one
SHAKEN = 1e-6  # relative change of the cells, as by a copy in single precision, that must not matter
COSTLY = ("RGraph",)  # detectors that are fitted anew for every ten rows that they are asked about


def are_training_rows(verdict: Verdict, X: Any, table: Table) -> bool | None:
    """Tell whether a detector was fitted on these rows, in this order; None where its scores do not tell.

    Parameters
    ----------
    verdict : what the detector keeps of its training rows, and how to ask it.
    X : what the detector takes, as many rows as it was fitted on.
    table : the same rows, as they are explained.

    Examples
    --------
    >>> from sklearn.neighbors import LocalOutlierFactor
    >>> from pyod_explain.input.read import as_table
    >>> from pyod_explain.input.read_verdict import verdict_of
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> lof = verdict_of(LocalOutlierFactor(novelty=True).fit(X))
    >>> are_training_rows(lof, X, as_table(X)), are_training_rows(lof, X[::-1], as_table(X[::-1]))
    (True, False)
    """
    own, labels, score = verdict.scores, verdict.labels, verdict.score
    if own is None or labels is None or score is None or any(name in verdict.name for name in COSTLY):
        return None
    if own.shape != labels.shape or not np.isfinite(own).all():
        return None
    normal = np.asarray(labels == 0)
    rows = _spread(own)
    found = _ask(score, X, rows)
    if found is None:
        return None
    same = _compare(score, X, own, normal, rows, found)
    if same is not False or some_equal(own[rows], found):
        return same
    if verdict.neighbours is not None and verdict.neighbours <= FEW_NEIGHBOURS:
        return None
    # None: the rows in other units, for example before scaling; or scores that mean nothing
    return None if _follow(own, table, normal) or _is_rounding(score, X, own) else False


def _compare(
    score: Ask, X: Any, own: Scores, normal: NDArray[np.bool_], rows: NDArray[np.intp], found: Scores
) -> bool | None:
    """Compare the scores that are kept with those found now, of a sample or, if it must be, of all rows."""
    same = agree(own[rows], found, normal[rows])
    if same is not False:
        return same
    half = _ask(score, X, rows[::2])
    if not differ(found[::2], half):
        return False
    if differ(half, _ask(score, X, rows[::2])):
        return None  # it draws at random
    if len(rows) == len(own):
        return False  # its scores depend on the rows beside, but all of them were there
    return agree(own, _ask(score, X, np.arange(len(own))), normal) if len(own) <= WHOLE else None


def _spread(own: Scores) -> NDArray[np.intp]:
    """Choose rows of all heights of score, in the order of the table; all of them if they are few."""
    if len(own) <= SAMPLE:
        return np.arange(len(own))
    by_score = np.argsort(own, kind="stable")
    return np.sort(by_score[np.linspace(0, len(own) - 1, SAMPLE).astype(np.intp)])


def _ask(score: Ask, X: Any, rows: NDArray[np.intp]) -> Scores | None:
    """Score some rows; None where the detector cannot. What it says meanwhile nobody asked for."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found = np.asarray(score(_take(X, rows)), dtype=np.float64).ravel()
    except Exception:  # noqa: BLE001  # detectors fail in ways of their own; one that fails here does not tell
        return None
    return found if found.shape == rows.shape and np.isfinite(found).all() else None


def _take(X: Any, rows: NDArray[np.intp]) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "column_names"):  # of Arrow
        return X.take(rows)
    return [X[row] for row in rows] if isinstance(X, list | tuple) else X[rows]


def _is_rounding(score: Ask, X: Any, own: Scores) -> bool:
    """Tell whether the scores change their order when the cells are changed as by rounding."""
    rows = _spread(own)[::2]
    some = _take(X, rows)
    cells = np.asarray(some)
    if cells.dtype.kind != "f":
        return False
    sign = np.where(np.arange(cells.size).reshape(cells.shape) % 3 == 0, 1, -1)
    shaken = cells * (1 + SHAKEN * sign)
    if hasattr(some, "iloc"):
        shaken = type(some)(shaken, columns=some.columns, index=some.index)
    before, after = (_ask(score, one, np.arange(len(rows))) for one in (some, shaken))
    if before is None or after is None:
        return False
    return (correlation(before, after) or 0.0) < ALIKE


def _follow(own: Scores, table: Table, normal: NDArray[np.bool_]) -> bool:
    """Tell whether rows that lie far out in the table score high, more than chance allows: they are the same rows.

    Here too the normal rows alone count, for the reason given above.
    """
    numbers = [column for column in table.columns.values() if column.kind == "number" and not column.missing.any()]
    if not numbers or int(normal.sum()) < FEWEST:
        return False
    far = np.mean([np.abs(rankdata(column.floats()) / table.n_rows - 0.5) for column in numbers], axis=0)
    return (correlation(own[normal], far[normal]) or 0.0) > BY_CHANCE / float(np.sqrt(normal.sum()))

"""Are these the rows that a detector was fitted on, in that order? It keeps their scores, so it is asked again.

Most detectors give their training rows the scores that they keep, to the last digit. Some (KNN, LOF) leave a row out
of its own neighbours only while they are fitted, so that the scores differ, yet in nearly the same order. Other rows,
or the same in another order, agree as chance has it. Where a detector's scores depend on the rows that are asked
along with a row, it is asked about all of them; where it draws at random, or its scores are nearly all the same, they
do not tell.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pyod_explain.table import Table
from pyod_explain.verdict import Ask, Verdict

__all__ = ["are_training_rows"]

Scores = NDArray[np.float64]

SAMPLE = 100  # rows that a detector is asked about
WHOLE = 2_000  # rows that it is asked about at most, where its scores depend on the rows beside
FEWEST = 12  # rows that chance does not bring into order
ALIKE = 0.6  # rank correlation from which rows are the same: others stay below 0.4, the same ones are above 0.75
BY_CHANCE = 5.0  # standard deviations of a rank correlation that has no reason
COSTLY = ("RGraph",)  # detectors that are fitted anew for every ten rows that they are asked about
ZERO = 1e-12  # what KPCA with all its components gives is rounding: the rest of 1 - 1


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
    >>> from pyod_explain.table import as_table
    >>> from pyod_explain.verdict import verdict_of
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
    same = _compare(score, X, own, np.asarray(labels == 0))
    if same is False and _follow(own, table, np.asarray(labels == 0)):
        return None  # the rows in other units, for example before scaling
    return same


def _compare(score: Ask, X: Any, own: Scores, normal: NDArray[np.bool_]) -> bool | None:
    """Compare the scores that are kept with what the detector says now, of a sample or, if it must be, of all rows."""
    rows = _spread(own)
    found = _ask(score, X, rows)
    same = _agree(own[rows], found, normal[rows])
    if found is None or same is not False:
        return same
    half = _ask(score, X, rows[::2])
    if not _differ(found[::2], half):
        return False
    if _differ(half, _ask(score, X, rows[::2])):
        return None  # it draws at random
    if len(rows) == len(own):
        return False  # its scores depend on the rows beside, but all of them were there
    return _agree(own, _ask(score, X, np.arange(len(own))), normal) if len(own) <= WHOLE else None


def _spread(own: Scores) -> NDArray[np.intp]:
    """Choose rows of all heights of score, in the order of the table; all of them if they are few."""
    if len(own) <= SAMPLE:
        return np.arange(len(own))
    by_score = np.argsort(own, kind="stable")
    return np.sort(by_score[np.linspace(0, len(own) - 1, SAMPLE).astype(np.intp)])


def _ask(score: Ask, X: Any, rows: NDArray[np.intp]) -> Scores | None:
    """Score some rows; None where the detector cannot. What it warns of meanwhile nobody asked for."""
    try:
        with warnings.catch_warnings():
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


def _agree(own: Scores, found: Scores | None, normal: NDArray[np.bool_]) -> bool | None:
    """Tell whether two sets of scores are of the same rows: far more equal, or more alike in order, than by chance.

    The order counts among the normal rows alone: in many tables the outliers come last, training rows or not.
    """
    if found is None:
        return None
    equal = float(_close(own, found).mean())
    by_chance = float(np.mean([_close(own, np.roll(found, by)).mean() for by in (1, 2, 3, 5, 8)]))
    if equal > 0.9 and by_chance > 0.9:
        return None  # nearly all the same: nothing to tell rows by
    if equal > (1 + by_chance) / 2 or _correlation(own[normal], found[normal]) >= ALIKE:
        return True
    return False if len(own) >= FEWEST else None


def _close(one: Scores, other: Scores) -> NDArray[np.bool_]:
    return np.isclose(one, other, rtol=1e-6, atol=max(ZERO, 1e-9 * float(np.ptp(one))))


def _differ(found: Scores | None, again: Scores | None) -> bool:
    return found is None or again is None or not bool(_close(found, again).all())


def _correlation(one: Scores, other: Scores) -> float:
    """Give Spearman's rank correlation; 0 where one of the two has no order, or both are too short for chance."""
    if len(one) < FEWEST or np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


def _follow(own: Scores, table: Table, normal: NDArray[np.bool_]) -> bool:
    """Tell whether rows that lie far out in the table score high, more than chance allows: they are the same rows.

    Here too the normal rows alone count, for the reason given above.
    """
    numbers = [column for column in table.columns.values() if column.kind == "number" and not column.missing.any()]
    if not numbers or int(normal.sum()) < FEWEST:
        return False
    far = np.mean([np.abs(rankdata(column.values) / table.n_rows - 0.5) for column in numbers], axis=0)
    return _correlation(own[normal], far[normal]) > BY_CHANCE / float(np.sqrt(normal.sum()))

"""Are these the rows that a detector was fitted on, in that order? Its scores of them tell.

Most detectors give their training rows the scores that they keep, to the last digit. Some (KNN, LOF) leave a row out of
its own neighbours only while they are fitted: the scores differ, but in nearly the same order. Other rows, or the same
rows in another order, are in no common order. Where scores are random, all the same, or of rows in other units, they do
not tell.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pyod_explain.input.detector import Answer, DetectorOutput
from pyod_explain.input.table import Table

MAX_COMPARED_ROWS = 200
MAX_SCORED_ROWS = 2_000  # where the score of a row depends on the rows around, all of them are scored
MIN_TO_ACCEPT, MIN_TO_REFUSE = 12, 40  # rows: fewer may be in one order, or in two, by chance
SAME_ORDER, OTHER_ORDER = 0.7, 0.25  # rank correlations from which rows are the same, and below which they are others
MOSTLY_EQUAL, PARTLY_EQUAL = 0.8, 0.2  # shares of equal scores; a few rows may have changed
MIN_NEIGHBORS = 4  # with fewer, a row that counts among its own neighbours gets quite another score
SLOW_DETECTORS = ("RGraph",)  # fitted again for every ten rows that they score


def are_training_rows(output: DetectorOutput, X: Any, table: Table) -> bool | None:
    """Tell whether a detector was fitted on these rows, in this order; None where its scores do not tell.

    Parameters
    ----------
    output : what the detector keeps of its training rows, and how to ask it.
    X : what the detector takes, as many rows as it was fitted on.
    table : the same rows, as they are explained.

    Examples
    --------
    >>> from sklearn.neighbors import LocalOutlierFactor
    >>> from pyod_explain.input import as_table, read_detector
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> lof = read_detector(LocalOutlierFactor(novelty=True).fit(X))
    >>> are_training_rows(lof, X, as_table(X)), are_training_rows(lof, X[::-1], as_table(X[::-1]))
    (True, False)
    """
    own, labels = output.scores, output.labels
    if own is None or labels is None or own.shape != labels.shape or not np.isfinite(own).all():
        return None
    if any(name in output.name for name in SLOW_DETECTORS):
        return None
    normal, rows = np.asarray(labels == 0), _spread(own)
    found = _score(output.score, X, rows)
    same = _compare(own[rows], found, normal[rows])
    if same is not False or found is None:
        return same
    again = _score(output.score, X, rows[::2])
    if again is None or not _close(found[::2], again).all():  # scores depend on the rows around (ECOD), or are random
        repeated = _score(output.score, X, rows[::2])
        is_random = again is None or repeated is None or not _close(again, repeated).all()
        if is_random or len(own) > MAX_SCORED_ROWS:
            return None
        if len(rows) < len(own):
            same = _compare(own, _score(output.score, X, np.arange(len(own))), normal)
    if same is not False or float(_close(own[rows], found).mean()) > PARTLY_EQUAL:
        return same
    few_neighbors = output.n_neighbors is not None and output.n_neighbors < MIN_NEIGHBORS
    return None if few_neighbors or _scores_follow(own, table, normal) else False


def _compare(own: NDArray[np.float64], found: NDArray[np.float64] | None, normal: NDArray[np.bool_]) -> bool | None:
    """Tell whether two sets of scores are of the same rows: far more equal, or more alike in order, than by chance."""
    if found is None:
        return None
    equal = _close(own, found)
    by_chance = float(_close(own, np.roll(found, 1)).mean())
    if float(equal.mean()) > MOSTLY_EQUAL + (1 - MOSTLY_EQUAL) * by_chance:
        return True
    if by_chance > PARTLY_EQUAL:
        return None  # most scores are the same
    # Outliers often come last, in training and in new rows alike, and half of the rows may be new: so the order of the
    # normal rows with other scores counts.
    rest = normal & ~equal
    alike = _rank_correlation(own[rest], found[rest])
    if alike is not None and alike >= SAME_ORDER:
        return True
    return None if alike is None or alike >= OTHER_ORDER or rest.sum() < MIN_TO_REFUSE else False


def _spread(own: NDArray[np.float64]) -> NDArray[np.intp]:
    """Choose rows of low and high scores, in the order of the table; all of them if they are few."""
    if len(own) <= MAX_COMPARED_ROWS:
        return np.arange(len(own))
    by_score = np.argsort(own, kind="stable")
    return np.sort(by_score[np.linspace(0, len(own) - 1, MAX_COMPARED_ROWS).astype(np.intp)])


def _score(score: Answer | None, X: Any, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
    """Score some rows; None where the detector cannot. Its warnings and prints are dropped."""
    if score is None:
        return None
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


def _close(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.isclose(one, other, rtol=1e-6, atol=max(1e-12, 1e-9 * float(np.ptp(one))))


def _rank_correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    if len(one) < MIN_TO_ACCEPT or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


def _scores_follow(own: NDArray[np.float64], table: Table, normal: NDArray[np.bool_]) -> bool:
    """Tell whether normal rows that lie far out in the table score high: the same rows, in other units."""
    numbers = [column for column in table.columns.values() if column.kind == "number" and not column.missing.any()]
    if not numbers or normal.sum() < MIN_TO_ACCEPT:
        return False
    far = np.mean([np.abs(rankdata(column.floats()) / table.n_rows - 0.5) for column in numbers], axis=0)
    five_standard_errors = 5 / float(np.sqrt(normal.sum()))
    return (_rank_correlation(own[normal], far[normal]) or 0.0) > five_standard_errors

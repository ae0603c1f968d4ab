"""`find_outliers`: who says which rows are outliers: a fitted detector, labels, or scores and a threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._validate import check_choice, check_number
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.adengine import is_result
from pyod_explain.input.detector_outliers import detector_outliers
from pyod_explain.input.labels import labels_in_column, read_labels
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.read_verdict import verdict_of
from pyod_explain.input.scores import read_scores
from pyod_explain.input.table import Table

__all__ = ["find_outliers"]


def find_outliers(
    detector: Any,
    X: Any,
    table: Table,
    *,
    scores: Any = None,
    threshold: Any = None,
    rows: str | None = None,
    want_scores: bool = False,
) -> Outliers:
    """Read which rows are outliers off a fitted detector, labels, a column's name, or scores and a threshold.

    Parameters
    ----------
    detector : a fitted detector or what `verdict_of` takes; labels (array, Series, list); the name of a column;
        or None with `scores` and `threshold`.
    X : what the detector takes.
    table : the same rows as a `Table`.
    scores : for each row how strange it is, or the name of a column; the detector's own by default.
    threshold : rows with a score above it are outliers, whatever the detector says.
    rows : `"train"`: the rows that the detector was fitted on, whose labels it keeps; `"new"`: it predicts them;
        None: training rows if there are as many as it was fitted on and its scores do not tell that they are others,
        which is refused; new rows otherwise.
    want_scores : ask the detector for the scores of new rows too, which takes it a second pass.
    """
    if rows is not None:
        check_choice("explain()", "rows", rows, among=("train", "new"))
    limit = None if threshold is None else check_number("explain()", "threshold", threshold, low=-np.inf)
    given, columns = read_scores(scores, X, table)
    if detector is None:
        found = _from_scores(given, limit)
    elif isinstance(detector, str):
        found = labels_in_column(detector, X, table)
    elif hasattr(detector, "fit") or isinstance(detector, Mapping) or is_result(detector):
        want = given is None and (want_scores or limit is not None)
        found = detector_outliers(verdict_of(detector), X, table, rows, want_scores=want)
    else:
        found = read_labels(detector, table.n_rows, index=table.labels)
    if given is not None:
        found = replace(found, scores=given)
    if limit is not None:
        found = _cut(found, limit)
    return replace(found, columns=(*found.columns, *columns))


def _cut(found: Outliers, threshold: float) -> Outliers:
    """Mark what scores above the threshold, strictly, as PyOD does."""
    if found.scores is None:
        raise PyodExplainError(
            f"`threshold` must go with scores, got {threshold:g}, and {found.source} has none.\n"
            "Hint: pass `scores=`, one number per row, higher is stranger."
        )
    labels = (found.scores > threshold).astype(np.int64)
    above = f"above {threshold:g}"
    source = f"{found.source} {above}" if found.source == "A score" else f"{found.source} (scores {above})"
    return replace(found, labels=labels, numbers=None, source=source)


def _from_scores(scores: NDArray[np.float64] | None, threshold: float | None) -> Outliers:
    if scores is None or threshold is None:
        raise PyodExplainError(
            "`detector` must be a fitted detector, labels or the name of a column of `X`, got None"
            f"{'' if scores is None else ' and `scores` without `threshold`'}.\n"
            "Hint: without a detector pass both `scores=` and `threshold=`."
        )
    return Outliers(np.zeros(len(scores), dtype=np.int64), "A score")

"""Which rows a detector marks: what it keeps of the rows that it was fitted on, what it predicts of others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.fingerprint import fingerprint
from pyod_explain.input.labels import read_labels
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.table import Table
from pyod_explain.input.training_rows import are_training_rows
from pyod_explain.input.verdict import Verdict, ask

__all__ = ["detector_outliers", "labelled"]


def detector_outliers(verdict: Verdict, X: Any, table: Table, rows: str | None, *, want_scores: bool) -> Outliers:
    """Ask a detector about rows; `rows` and `want_scores` are those of `find_outliers`."""
    own, tested, n_rows = verdict.labels, verdict.tested, table.n_rows
    mark = None if own is None else fingerprint(own)
    if own is not None and (rows == "train" or (rows is None and len(own) == n_rows)):
        found = _kept(own, verdict, X, table, sure=rows == "train")
    elif rows is None and tested is not None and len(tested[0]) == n_rows:
        found = replace(labelled(tested[0], n_rows, verdict, signed=verdict.signed), scores=tested[1])
    else:
        answer = ask(verdict, verdict.predict, X, verb="predict")
        found = labelled(answer, n_rows, verdict, signed=verdict.signed)
        found = replace(found, scores=ask(verdict, verdict.score, X, verb="score") if want_scores else None)
    scores = found.scores
    usable = scores is not None and scores.shape == (n_rows,) and bool(np.isfinite(scores).all())
    return replace(found, scores=scores if usable else None, fingerprint=mark)


def _kept(own: NDArray[Any], verdict: Verdict, X: Any, table: Table, *, sure: bool) -> Outliers:
    """Take the labels and scores that the detector keeps of the rows it was fitted on, once sure that it is these."""
    if len(own) != table.n_rows:
        raise PyodExplainError(
            f"`X` must be the {len(own):,} rows that {verdict.name} was fitted on, got {table.n_rows:,} rows.\n"
            "Hint: pass `detector.predict(X)` as labels to explain other rows."
        )
    notes = () if sure else _check_training_rows(verdict, X, table)
    return replace(labelled(own, table.n_rows, verdict, signed=False), scores=verdict.scores, notes=notes)


def _check_training_rows(verdict: Verdict, X: Any, table: Table) -> tuple[str, ...]:
    """Refuse other rows than a detector was fitted on; say in a note where nothing but their number speaks for them."""
    same = are_training_rows(verdict, X, table)
    if same is None:
        note = (
            f"The rows were taken for those that {verdict.name} was fitted on because there are as many; it does not "
            "tell them from others. If they are new rows, pass `detector.predict(X)` as labels."
        )
        return (note,)
    if not same:
        raise PyodExplainError(
            f"`X` must be the {table.n_rows:,} rows that {verdict.name} was fitted on, in the same order, or have "
            f"another number of rows; got {table.n_rows:,} rows that it scores otherwise than those it was fitted on."
            "\nHint: pass `detector.predict(X)` as labels if they are new rows, `detector.labels_` if they are its "
            "training rows after all."
        )
    return ()


def labelled(labels: NDArray[Any], n_rows: int, verdict: Verdict, *, signed: bool) -> Outliers:
    """Read what a detector answers; `signed`: -1 for an outlier and 1 for a normal row, as scikit-learn does."""
    if signed and labels.shape == (n_rows,) and set(np.unique(labels).tolist()) <= {-1, 1}:
        labels = (labels == -1).astype(np.int64)  # not left to read_labels: all 1 means that all are normal
    return read_labels(labels, n_rows, source=verdict.name, argument=f"labels of {verdict.name}")

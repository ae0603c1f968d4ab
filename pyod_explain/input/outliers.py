"""Which rows are outliers, and who says so: a fitted detector, labels, or scores and a threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._validate import check_choice, check_number, shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.alignment import one_per_row, some, subject
from pyod_explain.input.read import as_table
from pyod_explain.input.table import Table
from pyod_explain.input.training_rows import are_training_rows
from pyod_explain.input.verdict import Verdict, ask, fingerprint, is_result, verdict_of

__all__ = ["Outliers", "find_outliers", "read_labels", "row_weights"]

REJECTED = -2  # PyOD's predict_with_rejection: neither normal nor outlier
LARGEST = 2**53  # group numbers beyond it are not exact as floats


@dataclass(frozen=True, eq=False)
class Outliers:
    """Which rows are outliers, and who says so.

    Attributes
    ----------
    labels : for each row 1 (outlier), 0 (normal) or -1 (neither: rejected by the detector).
    source : who says so, for the report.
    numbers : for each row its group as given with the labels (0 where it is no outlier), or None.
    columns : columns of the table that hold the labels or the scores; they must not explain themselves.
    scores : for each row how strange it is, higher is stranger, or None.
    fingerprint : of the detector's labels of its training rows, by which a refit is noticed; None if it keeps none.
    notes : sentences for the report on what could not be made sure.
    """

    labels: NDArray[np.int64]
    source: str
    numbers: NDArray[np.int64] | None = None
    columns: tuple[str, ...] = ()
    scores: NDArray[np.float64] | None = None
    fingerprint: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> NDArray[np.intp]:
        """Positions of the outliers."""
        return np.flatnonzero(self.labels == 1)

    @property
    def n_outliers(self) -> int:
        return int((self.labels == 1).sum())

    @property
    def n_normals(self) -> int:
        return int((self.labels == 0).sum())


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
    given, columns = _given_scores(scores, X, table)
    if detector is None:
        found = _from_scores(given, limit)
    elif isinstance(detector, str):
        found = _from_column(detector, X, table)
    elif hasattr(detector, "fit") or isinstance(detector, Mapping) or is_result(detector):
        want = given is None and (want_scores or limit is not None)
        found = _from_verdict(verdict_of(detector), X, table, rows, want_scores=want)
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


def _given_scores(scores: Any, X: Any, table: Table) -> tuple[NDArray[np.float64] | None, tuple[str, ...]]:
    if scores is None:
        return None, ()
    columns: tuple[str, ...] = ()
    if isinstance(scores, str):
        column = _table_with(scores, X, table, argument="scores")[scores]
        if column.kind != "number":
            raise PyodExplainError(
                f"`scores` must be numbers, got column {scores!r}, which holds {column.kind} values."
            )
        columns, values = (scores,), column.floats()
    else:
        values = one_per_row(scores, table.n_rows, table.labels, "scores")
    return _as_scores(values), columns


def _as_scores(values: NDArray[Any]) -> NDArray[np.float64]:
    if values.dtype.kind not in "iuf":
        raise PyodExplainError(f"`scores` must be numbers, higher is stranger, got {some(values.tolist())}.")
    numbers = values.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise PyodExplainError(
            f"`scores` must be finite, got {int((~np.isfinite(numbers)).sum()):,} that are not.\n"
            "Hint: leave out rows that have no score."
        )
    return numbers


def _from_scores(scores: NDArray[np.float64] | None, threshold: float | None) -> Outliers:
    if scores is None or threshold is None:
        raise PyodExplainError(
            "`detector` must be a fitted detector, labels or the name of a column of `X`, got None"
            f"{'' if scores is None else ' and `scores` without `threshold`'}.\n"
            "Hint: without a detector pass both `scores=` and `threshold=`."
        )
    return Outliers(np.zeros(len(scores), dtype=np.int64), "A score")


def _from_verdict(verdict: Verdict, X: Any, table: Table, rows: str | None, *, want_scores: bool) -> Outliers:
    n_rows = table.n_rows
    own = verdict.labels
    train = rows == "train" or (rows is None and own is not None and len(own) == n_rows)
    mark = None if own is None else fingerprint(own)
    notes: tuple[str, ...] = ()
    if train and own is not None:
        if len(own) != n_rows:
            raise PyodExplainError(
                f"`X` must be the {len(own):,} rows that {verdict.name} was fitted on, got {n_rows:,} rows.\n"
                "Hint: rows='new' lets it predict other rows."
            )
        notes = () if rows == "train" else _check_training_rows(verdict, X, table)
        scores = verdict.scores
        found = _of_detector(own, n_rows, verdict, signed=False)
    elif rows is None and verdict.tested is not None and len(verdict.tested[0]) == n_rows:
        found, scores = _of_detector(verdict.tested[0], n_rows, verdict, signed=verdict.signed), verdict.tested[1]
    else:
        found = _of_detector(ask(verdict, verdict.predict, X, verb="predict"), n_rows, verdict, signed=verdict.signed)
        scores = ask(verdict, verdict.score, X, verb="score") if want_scores else None
    usable = scores is not None and scores.shape == (n_rows,) and bool(np.isfinite(scores).all())
    return replace(found, scores=scores if usable else None, fingerprint=mark, notes=notes)


def _check_training_rows(verdict: Verdict, X: Any, table: Table) -> tuple[str, ...]:
    """Refuse other rows than a detector was fitted on; say in a note where nothing but their number speaks for them."""
    same = are_training_rows(verdict, X, table)
    if same is None:
        note = (
            f"The rows were taken for those that {verdict.name} was fitted on because there are as many; it does not "
            "tell them from others. Say rows='train' or rows='new' to be sure."
        )
        return (note,)
    if not same:
        raise PyodExplainError(
            f"`X` must be the {table.n_rows:,} rows that {verdict.name} was fitted on, in the same order, or have "
            f"another number of rows; got {table.n_rows:,} rows that it scores otherwise than those it was fitted on."
            "\nHint: rows='new' lets it predict them; rows='train' says that they are its training rows after all "
            "(then pass what it was fitted on as `X`, and readable columns as `features=`)."
        )
    return ()


def _of_detector(labels: NDArray[Any], n_rows: int, verdict: Verdict, *, signed: bool) -> Outliers:
    if signed and labels.shape == (n_rows,) and set(np.unique(labels).tolist()) <= {-1, 1}:
        labels = (labels == -1).astype(np.int64)  # not left to read_labels: all 1 means that all are normal
    return read_labels(labels, n_rows, source=verdict.name, argument=f"labels of {verdict.name}")


def _table_with(name: str, X: Any, table: Table, argument: str) -> Table:
    """Give the table that has the column: the features, or else what was detected on."""
    where = table if name in table.columns or not hasattr(X, "columns") else as_table(X)
    if name not in where.columns:
        what = "a fitted detector, labels" if argument == "detector" else "numbers, one per row"
        raise PyodExplainError(
            f"`{argument}` must be {what} or the name of a column of `X`, got {name!r}, "
            f"which is none of the columns {some(where.columns, most=12)}."
        )
    return where


def _from_column(name: str, X: Any, table: Table) -> Outliers:
    column = _table_with(name, X, table, argument="detector")[name]
    if column.missing.any():
        raise PyodExplainError(
            f"The labels in column {name!r} (`detector`) must not be missing, got {column.missing.sum():,} gaps.\n"
            "Hint: leave out rows that have no label."
        )
    if column.kind not in ("number", "boolean"):
        raise PyodExplainError(
            f"The labels in column {name!r} (`detector`) must be 0 and 1, or 0 and group numbers, got {column.kind} "
            f"values.\nHint: compare the column with the value that marks outliers, and pass the result as `detector`."
        )
    values = column.values if column.values.dtype != object else column.floats()  # wide or decimal
    found = read_labels(
        values, table.n_rows, source=f"Column {name!r}", argument=f"labels in column {name!r} (`detector`)"
    )
    return replace(found, columns=(name,))


def read_labels(
    labels: Any,
    n_rows: int,
    *,
    index: pd.Index[Any] | None = None,
    source: str = "The labelling",
    argument: str = "detector",
) -> Outliers:
    """Read labels of rows.

    Parameters
    ----------
    labels : 0 normal, 1 outlier; or 0 and group numbers; or scikit-learn's 1 normal, -1 outlier; -2 is neither
        (rejected by PyOD).
    n_rows : how many there must be.
    index : the row labels that a Series is aligned with, or None.
    source : who says so, for the report.
    argument : what to call the labels in an error message.

    Examples
    --------
    >>> read_labels([1, -1, 1], 3).labels.tolist()
    [0, 1, 0]
    """
    values = _whole_numbers(one_per_row(labels, n_rows, index, argument), argument)
    distinct = set(np.unique(values).tolist())
    if distinct <= {-1, 1} and -1 in distinct:
        values = (values == -1).astype(np.int64)
    elif min(distinct - {REJECTED}, default=0) < 0:
        raise PyodExplainError(
            f"{subject(argument)} must be 0 (normal) and 1 (outlier), or 0 and group numbers, "
            f"got {some(sorted(distinct))}.\n"
            "Hint: scikit-learn's -1 and 1 and PyOD's -2 (rejected) are understood too; mark the noise of a clusterer "
            "with `labels == -1`."
        )
    numbers = np.maximum(values, 0) if max(distinct) > 1 else None
    return Outliers(np.where(values == REJECTED, -1, np.minimum(values, 1)), source, numbers)


def _whole_numbers(values: NDArray[Any], argument: str) -> NDArray[np.int64]:
    kind = values.dtype.kind
    fits = kind in "iubf" and (kind == "b" or bool((np.abs(values.astype(np.float64)) <= LARGEST).all()))
    if not fits or (kind == "f" and not bool((values == np.floor(values)).all())):  # NaN fails the first comparison
        raise PyodExplainError(
            f"{subject(argument)} must be whole numbers (0 normal, 1 outlier, or group numbers), "
            f"got {some(_distinct(values))}.\n"
            "Hint: scores go into `scores=` with `threshold=`; compare text with the word for outliers."
        )
    return values.astype(np.int64)


def _distinct(values: NDArray[Any]) -> list[Any]:
    """List distinct values in order of appearance; by their text, since some may not hash."""
    return list({repr(value): value for value in values[:1000].tolist()}.values())


def row_weights(sample_weight: Any, outliers: Outliers, table: Table) -> NDArray[np.float64] | None:
    """Read the weight of each row.

    Parameters
    ----------
    sample_weight : one number of 0 or more per row; None: 1 each; `"scores"`: the outliers weigh in proportion to how
        far their score lies above the lowest score of the table, 1 on average, and the other rows 1 each, so that the
        worst outliers matter most and the group as a whole as much as without weights.
    outliers : which rows are outliers, with their scores.
    table : the rows.

    Examples
    --------
    >>> found = Outliers(np.array([0, 1, 1]), "Scores", scores=np.array([1.0, 2.0, 4.0]))
    >>> row_weights("scores", found, as_table([[0], [0], [0]])).tolist()
    [1.0, 0.5, 1.5]
    """
    if sample_weight is None:
        return None
    if isinstance(sample_weight, str):
        if sample_weight != "scores":
            raise PyodExplainError(
                "`sample_weight` of explain() must be 'scores' or one number for each row, got "
                f"{shown(sample_weight)}.\nHint: pass a column of weights as X[{shown(sample_weight, 40)}]."
            )
        if outliers.scores is None:
            raise PyodExplainError(
                f"`sample_weight` can be 'scores' only where there are scores, and {outliers.source} has none.\n"
                "Hint: pass them as `scores=`, one number per row."
            )
        return _score_weights(outliers, outliers.scores)
    weights = one_per_row(sample_weight, table.n_rows, table.labels, "sample_weight")
    numbers = weights.astype(np.float64) if weights.dtype.kind in "iufb" else np.full(table.n_rows, np.nan)
    bad = ~np.isfinite(numbers) | (numbers < 0)
    if bad.any():
        raise PyodExplainError(
            f"`sample_weight` must be finite numbers of 0 or more, got {some(_distinct(weights[bad]))}.\n"
            "Hint: leave out rows that have no weight."
        )
    if not (numbers[outliers.labels >= 0] > 0).any():
        raise PyodExplainError("`sample_weight` must be above 0 for some row, got only zeros.")
    return numbers


def _score_weights(outliers: Outliers, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.ones(len(scores))
    rows = outliers.rows
    height = scores / (np.abs(scores).max() or 1.0)  # first, so that no difference overflows
    height = height[rows] - height.min()
    if len(rows) and height.max() > 0:
        weights[rows] = height / (math.fsum(height) / len(rows))  # a sum that depends on no order
    return weights

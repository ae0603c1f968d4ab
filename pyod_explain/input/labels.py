"""`LabelReader`: which rows are outliers, by labels, scores or a detector; `Groups`: which of them belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain._validate import check_number
from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.input.alignment import named_column, one_per_row
from pyod_explain.input.detector import DetectorOutput, are_training_rows, fingerprint, is_detector, read_detector
from pyod_explain.input.table import Table
from pyod_explain.input.values import EXACT_UP_TO, distinct, list_values

REJECTED = -2  # PyOD's predict_with_rejection: neither normal nor outlier


@dataclass(frozen=True, eq=False)
class Outliers:
    """Which rows are outliers, and how that is known.

    Attributes
    ----------
    labels : for each row 1 (outlier), 0 (normal) or -1 (neither: rejected by the detector).
    source : what marked the outliers (a detector, a column, labels), for the report.
    numbers : for each row its group as given with the labels (0 where it is no outlier), or None.
    columns : columns of the table that hold the labels or the scores; they must not explain themselves.
    scores : for each row how strange it is, higher is stranger, or None.
    fingerprint : of the detector's labels of its training rows, by which a refit is noticed; None if it keeps none.
    notes : sentences for the report on what could not be made sure.
    outlier_counts : in an aggregated table, how many of the row counts of each row are outliers; None: all or none.
    source_rows : position of each row in the user's table; None: the same positions.
    n_lines : number of rows of the user's table where it is aggregated; else None.
    """

    labels: IntArray
    source: str
    numbers: IntArray | None = None
    columns: tuple[str, ...] = ()
    scores: FloatArray | None = None
    fingerprint: str | None = None
    notes: tuple[str, ...] = ()
    outlier_counts: IntArray | None = None
    source_rows: IndexArray | None = None
    n_lines: int | None = None

    @property
    def rows(self) -> IndexArray:
        """Positions of the outliers."""
        return np.flatnonzero(self.labels == 1)

    def n_outliers(self, table: Table) -> int:
        """Count the outliers of the table, each line as often as it counts."""
        return table.count(self.labels == 1)

    def n_normals(self, table: Table) -> int:
        """Count the normal rows of the table, each line as often as it counts."""
        return table.count(self.labels == 0)


@dataclass(frozen=True, eq=False)
class Groups:
    """Which outliers belong together.

    Attributes
    ----------
    numbers : for each row 0 (normal), its group 1..K, or -1 (neither).
    names : the user's own name of each group, or its number as text.
    how : how the groups came about, for the report.
    curve : where the number of groups was chosen: for each number tried the bits of the description, those of the
        split and their difference, the net bits, and those of all outliers as one set; else None.
    made : True if the groups were made by looking at the columns that then describe them.
    rest : True if the last group is the outliers that no rule covers, where rules made the others.
    """

    numbers: IntArray
    names: tuple[str, ...]
    how: str
    curve: pd.DataFrame | None = None
    made: bool = False
    rest: bool = False

    @property
    def n_groups(self) -> int:
        return len(self.names)

    def count(self, row_counts: IntArray | None, which: BoolArray | None = None) -> IntArray:
        """Count rows among the normals and in each group 1, ..., K.

        Parameters
        ----------
        row_counts : those of the table.
        which : the rows to count; all if None.
        """
        known = (self.numbers >= 0) if which is None else which & (self.numbers >= 0)
        each = None if row_counts is None else row_counts[known]  # whose sums are exact as floats, up to 2**53
        return np.bincount(self.numbers[known], each, minlength=self.n_groups + 1).astype(np.int64)


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
    source : what marked the outliers (a detector, a column, labels), for the report.
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
        requirement, got = "0 (normal) and 1 (outlier), or 0 and group numbers", list_values(sorted(distinct))
        known = "scikit-learn's -1 and 1 and PyOD's -2 (rejected) are understood too"
        hint = f"{known}; mark the noise of a clusterer with `labels == -1`."
        raise ParameterError(argument, requirement, got_text=got, hint=hint)
    numbers = np.maximum(values, 0) if max(distinct) > 1 else None
    return Outliers(np.where(values == REJECTED, -1, np.minimum(values, 1)), source, numbers)


def labels_in_column(name: str, X: Any, table: Table) -> Outliers:
    """Read labels off a column, which then must not explain itself."""
    column = named_column(name, X, table, argument="detector")
    if column.missing.any():
        got, hint = f"column {name!r}, which has rows without one", "leave out rows that have no label."
        raise ParameterError("detector", "labels without gaps", got_text=got, hint=hint)
    if column.kind not in ("number", "boolean"):
        got = f"column {name!r}, which holds {column.kind} values"
        hint = "compare the column with the value that marks outliers, and pass the result as `detector`."
        raise ParameterError("detector", "labels 0 and 1, or 0 and group numbers", got_text=got, hint=hint)
    values = column.values if column.values.dtype != object else column.floats()  # wide or decimal
    return replace(read_labels(values, table.n_rows, source=f"Column {name!r}"), columns=(name,))


def _whole_numbers(values: NDArray[Any], argument: str) -> IntArray:
    kind = values.dtype.kind
    fits = kind in "iubf" and (kind == "b" or bool((np.abs(values.astype(np.float64)) <= EXACT_UP_TO).all()))
    if not fits or (kind == "f" and not bool((values == np.floor(values)).all())):  # NaN fails the first comparison
        requirement = "whole numbers (0 normal, 1 outlier, or group numbers)"
        hint = "scores go into `scores=` with `threshold=`; compare text with the word for outliers."
        raise ParameterError(argument, requirement, got_text=list_values(distinct(values)), hint=hint)
    return values.astype(np.int64)


def read_scores(scores: Any, X: Any, table: Table) -> FloatArray | None:
    """Read one finite number for each row, from an array or a column of that name; None where there are none."""
    if scores is None:
        return None
    if isinstance(scores, str):
        column = named_column(scores, X, table, argument="scores")
        if column.kind != "number":
            got = f"column {scores!r}, which holds {column.kind} values"
            raise ParameterError("scores", "numbers, higher is stranger", got_text=got)
        values = column.floats()
    else:
        values = one_per_row(scores, table.n_rows, table.labels, "scores")
    if values.dtype.kind not in "iuf":
        raise ParameterError("scores", "numbers, higher is stranger", got_text=list_values(values.tolist()))
    numbers = values.astype(np.float64)
    infinite = int((~np.isfinite(numbers)).sum())
    if infinite:
        hint = "leave out rows that have no score."
        raise ParameterError("scores", "finite numbers", got_text=f"{infinite:,} that are not", hint=hint)
    return numbers


@dataclass(frozen=True, eq=False)
class LabelReader:
    """Reads which rows are outliers, of a whole table or of a chunk of one.

    Attributes
    ----------
    labels : one label for each row, or the name of a column that holds them; None where a detector or scores decide.
    output : what the detector says; None where there is none.
    scores : one number for each row, higher is stranger, or the name of a column; the detector's own if None.
    threshold : rows with a score above it are outliers, whatever labels or detector say; None for no threshold.
    source : what marks the outliers, for the report.
    columns : columns that hold the labels and the scores; they must not explain themselves.

    Examples
    --------
    >>> from pyod_explain.input import as_table
    >>> X = [[1.0], [2.0], [30.0]]
    >>> LabelReader.of(None, scores=[1, 2, 30], threshold=10).read(X, as_table(X)).labels.tolist()
    [0, 0, 1]
    """

    labels: Any
    output: DetectorOutput | None
    scores: Any
    threshold: float | None
    source: str
    columns: tuple[str, ...]

    @classmethod
    def of(cls, detector: Any, *, scores: Any = None, threshold: Any = None) -> LabelReader:
        """Check what marks the outliers: a detector, labels, a column of labels, or scores above a threshold."""
        limit = None if threshold is None else check_number("explain()", "threshold", threshold, low=-np.inf)
        if detector is None and (scores is None or limit is None):
            requirement = "a fitted detector, labels or the name of a column of `X`"
            got = "None" if scores is None else "None and `scores` without `threshold`"
            hint = "without a detector pass both `scores=` and `threshold=`."
            raise ParameterError("detector", requirement, got_text=got, hint=hint)
        output = read_detector(detector) if is_detector(detector) else None
        is_name = isinstance(detector, str)
        source = (
            "A score" if detector is None
            else f"Column {detector!r}" if is_name
            else "The labelling" if output is None
            else output.name
        )  # fmt: skip
        if limit is not None:
            source += f" above {limit:g}" if detector is None else f" (scores above {limit:g})"
        columns = tuple(one for one in (detector, scores) if isinstance(one, str))
        return cls(detector if output is None else None, output, scores, limit, source, columns)

    def read(self, X: Any, table: Table, *, training: bool | None = None, want_scores: bool = False) -> Outliers:
        """Read which rows are outliers.

        Parameters
        ----------
        X : what the detector takes.
        table : the same rows as a `Table`.
        training : True: the rows that the detector was fitted on, whose labels it keeps; False: new rows, which it
            predicts; None: training rows if there are as many as it was fitted on and its scores do not tell that
            they are others, which is refused; new rows otherwise.
        want_scores : True to have the detector's scores of new rows too.
        """
        given = read_scores(self.scores, X, table)
        if self.output is not None:
            want_scores = given is None and (want_scores or self.threshold is not None)
            found = self._read_detector(self.output, X, table, training, want_scores=want_scores)
        elif isinstance(self.labels, str):
            found = labels_in_column(self.labels, X, table)
        elif self.labels is None:
            found = self.outliers(np.zeros(table.n_rows, dtype=np.int64))
        else:
            found = read_labels(self.labels, table.n_rows, index=table.labels)
        if given is not None:
            found = replace(found, scores=given)
        if self.threshold is not None:
            if found.scores is None:
                hint = "pass `scores=`, one number per row, higher is stranger."
                raise ParameterError("threshold", "None where there are no scores", got=self.threshold, hint=hint)
            # strictly, as PyOD does
            found = replace(found, labels=(found.scores > self.threshold).astype(np.int64), numbers=None)
        return replace(found, source=self.source, columns=self.columns)

    def outliers(self, labels: IntArray, numbers: IntArray | None = None) -> Outliers:
        """Put labels that were read before together with who gave them."""
        kept = None if self.output is None else self.output.labels
        mark = None if kept is None else fingerprint(kept)
        return Outliers(labels, self.source, numbers, self.columns, fingerprint=mark)

    def _read_detector(
        self, output: DetectorOutput, X: Any, table: Table, training: bool | None, *, want_scores: bool
    ) -> Outliers:
        own, tested, n_rows = output.labels, output.tested, table.n_rows
        scores: NDArray[Any] | None = None
        notes: tuple[str, ...] = ()
        if own is not None and (training or (training is None and len(own) == n_rows)):
            notes = () if training else _check_training_rows(output, X, table)
            labels, scores = own, output.scores
        elif training is None and tested is not None and len(tested[0]) == n_rows:
            labels, scores = tested
        else:
            undecided = np.zeros(n_rows, dtype=np.int64)  # the threshold decides
            labels = undecided if self.threshold is not None else output.ask(output.predict, X, "predict")
            scores = output.ask(output.score, X, "score") if want_scores else None
        signed = output.signed and labels is not own and labels.shape == (n_rows,)
        if signed and set(np.unique(labels).tolist()) <= {-1, 1}:
            labels = (labels == -1).astype(np.int64)  # not left to read_labels: all 1 means that all are normal
        found = read_labels(labels, n_rows)
        usable = scores is not None and scores.shape == (n_rows,) and bool(np.isfinite(scores).all())
        return replace(self.outliers(found.labels, found.numbers), scores=scores if usable else None, notes=notes)


def _check_training_rows(output: DetectorOutput, X: Any, table: Table) -> tuple[str, ...]:
    """Refuse other rows than a detector was fitted on; note where only their number could be compared."""
    same = are_training_rows(output, X, table)
    if same is None:
        taken = f"The rows were taken for those that {output.name} was fitted on because there are as many"
        hint = "If they are new rows, pass `detector.predict(X)` as labels."
        return (f"{taken}; its scores do not tell. {hint}",)
    if not same:
        raise PyodExplainError(
            f"`X` must be the {table.n_rows:,} rows that {output.name} was fitted on, in the same order, or have "
            f"another number of rows; got {table.n_rows:,} rows that it scores otherwise than those it was fitted on.",
            hint="pass `detector.predict(X)` as labels if these are new rows; if they are its training rows in another "
            "form, pass what it was fitted on as `X` and these as `features=`.",
        )
    return ()

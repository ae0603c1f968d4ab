"""`LabelReader`: which rows are outliers, by a detector, labels, or scores; of a table or of a chunk of one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._validate import check_number
from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.input.detector import DetectorOutput, fingerprint, is_detector, read_detector
from pyod_explain.input.labels import Outliers, labels_in_column, read_labels, read_scores
from pyod_explain.input.table import Table
from pyod_explain.input.training_rows import are_training_rows


def find_outliers(
    detector: Any,
    X: Any,
    table: Table,
    *,
    scores: Any = None,
    threshold: Any = None,
    training: bool | None = None,
    want_scores: bool = False,
) -> Outliers:
    """Read which rows of a table are outliers; see `LabelReader`.

    Examples
    --------
    >>> from pyod_explain.input import as_table
    >>> X = [[1.0], [2.0], [30.0]]
    >>> find_outliers(None, X, as_table(X), scores=[1, 2, 30], threshold=10).labels.tolist()
    [0, 0, 1]
    """
    reader = LabelReader.of(detector, scores=scores, threshold=threshold)
    return reader.read(X, table, training=training, want_scores=want_scores)


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
            raise ParameterError(
                "detector",
                "a fitted detector, labels or the name of a column of `X`",
                got_text="None" if scores is None else "None and `scores` without `threshold`",
                hint="without a detector pass both `scores=` and `threshold=`.",
            )
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
            found = self._above_threshold(found, self.threshold)
        return replace(found, source=self.source, columns=self.columns)

    def outliers(self, labels: NDArray[np.int64], numbers: NDArray[np.int64] | None = None) -> Outliers:
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
            labels = undecided if self.threshold is not None else output.predict_labels(X)
            scores = output.predict_scores(X) if want_scores else None
        signed = output.signed and labels is not own and labels.shape == (n_rows,)
        if signed and set(np.unique(labels).tolist()) <= {-1, 1}:
            labels = (labels == -1).astype(np.int64)  # not left to read_labels: all 1 means that all are normal
        found = read_labels(labels, n_rows)
        usable = scores is not None and scores.shape == (n_rows,) and bool(np.isfinite(scores).all())
        return replace(self.outliers(found.labels, found.numbers), scores=scores if usable else None, notes=notes)

    @staticmethod
    def _above_threshold(found: Outliers, threshold: float) -> Outliers:
        """Mark what scores above the threshold, strictly, as PyOD does."""
        if found.scores is None:
            raise ParameterError(
                "threshold",
                "None where there are no scores",
                got=threshold,
                hint="pass `scores=`, one number per row, higher is stranger.",
            )
        return replace(found, labels=(found.scores > threshold).astype(np.int64), numbers=None)


def _check_training_rows(output: DetectorOutput, X: Any, table: Table) -> tuple[str, ...]:
    """Refuse other rows than a detector was fitted on; note where only their number could be compared."""
    same = are_training_rows(output, X, table)
    if same is None:
        note = (
            f"The rows were taken for those that {output.name} was fitted on because there are as many; its scores do "
            "not tell. If they are new rows, pass `detector.predict(X)` as labels."
        )
        return (note,)
    if not same:
        raise PyodExplainError(
            f"`X` must be the {table.n_rows:,} rows that {output.name} was fitted on, in the same order, or have "
            f"another number of rows; got {table.n_rows:,} rows that it scores otherwise than those it was fitted on.",
            hint="pass `detector.predict(X)` as labels if these are new rows; if they are its training rows in another "
            "form, pass what it was fitted on as `X` and these as `features=`.",
        )
    return ()

"""`Labeler`: who says of each chunk which of its rows are outliers: a column, a detector, scores, labels in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._progress import silent
from pyod_explain._validate import check_choice, check_number, shown
from pyod_explain.beyond_memory.arrow import arrow_column
from pyod_explain.beyond_memory.engines import Engine, LocalEngine
from pyod_explain.beyond_memory.source import Chunk, Source
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import (
    Column,
    Outliers,
    Table,
    Verdict,
    ask,
    fingerprint,
    is_result,
    labelled,
    labels_in_column,
    read_labels,
    some,
    verdict_of,
)

__all__ = ["Labeler", "check_row_order", "labeler_for"]

MANY = 100_000  # distinct labels, beyond which they are none


class Labeler(ABC):
    """Says which rows of a chunk are outliers.

    Attributes
    ----------
    source_name : who says so, for the report.
    columns : columns that hold the labels or scores, and must not explain themselves.
    fingerprint : of a detector's labels of its training rows; None if there are none.
    """

    source_name: str
    columns: tuple[str, ...] = ()
    fingerprint: str | None = None

    @abstractmethod
    def labels(self, chunk: Chunk) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """Give 1, 0 or -1 (neither) for each row, and the group numbers if the labels are such."""

    def check(self, n_rows: int) -> None:  # noqa: B027 - most know of none
        """Refuse a number of rows, after all were read, that is another than this one knows."""

    def outliers(self, labels: NDArray[np.int64], numbers: NDArray[np.int64] | None) -> Outliers:
        """Put labels of some rows together with who gave them."""
        return Outliers(labels, self.source_name, numbers, self.columns, fingerprint=self.fingerprint)


@dataclass(frozen=True, eq=False)
class LabelValues:
    """The distinct labels in some rows of a column; those of other rows add up.

    Attributes
    ----------
    name : of the column.
    distinct : the labels, in order.
    gaps : how many rows have none.
    kind : of column; texts are no labels.
    """

    name: str
    distinct: NDArray[np.float64]
    gaps: int
    kind: Any = "number"

    def __add__(self, other: LabelValues) -> LabelValues:
        both = LabelValues(self.name, np.union1d(self.distinct, other.distinct), self.gaps + other.gaps)
        if len(both.distinct) > MANY:
            both.read()  # scores that were taken for labels are refused at once
        return both

    def read(self) -> Outliers:
        """Find out what each label means, as if these were a table: the same rules, the same errors."""
        cells = np.concatenate([self.distinct, np.full(self.gaps, np.nan)])
        column = Column(self.name, self.kind, cells, np.isnan(cells))
        return labels_in_column(self.name, None, Table({self.name: column}, pd.RangeIndex(len(cells))))


@dataclass(frozen=True, eq=False)
class LabelValuesKernel:
    """A kernel: the distinct labels in a column.

    Attributes
    ----------
    name : of the column.
    """

    labels: ClassVar[bool] = False
    threads: ClassVar[bool] = True

    name: str

    @property
    def columns(self) -> list[str]:
        """Columns that have to be read."""
        return [self.name]

    def __call__(self, chunk: Chunk) -> LabelValues:
        column = arrow_column(self.name, chunk.batch.column(self.name), in_order=False)
        if column.kind not in ("number", "boolean"):
            LabelValues(self.name, np.empty(0), int(column.missing.sum()), column.kind).read()  # which refuses it
        return LabelValues(self.name, np.unique(column.floats()[~column.missing]), int(column.missing.sum()))


class ColumnLabeler(Labeler):
    """Labels in a column. What they mean depends on all of them, so the column is read once before all else."""

    def __init__(self, name: str, source: Source, engine: Engine | None = None) -> None:
        _check_column(name, source, "detector", "a fitted detector, labels")
        told, _ = (engine or LocalEngine()).total(LabelValuesKernel(name), source, silent)
        found = told.read()
        self.name, self.columns, self.source_name = name, (name,), found.source
        self._distinct, self._found = told.distinct, found

    def labels(self, chunk: Chunk) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        values = arrow_column(self.name, chunk.batch.column(self.name), in_order=False).floats()
        where = np.searchsorted(self._distinct, values)
        numbers = self._found.numbers
        return self._found.labels[where], None if numbers is None else numbers[where]


class DetectorLabeler(Labeler):
    """A fitted detector, which predicts each chunk."""

    def __init__(self, detector: Any, source: Source) -> None:
        self._verdict = verdict_of(detector)
        self.source_name = self._verdict.name
        self.fingerprint = None if self._verdict.labels is None else fingerprint(self._verdict.labels)
        names = getattr(detector, "feature_names_in_", None)
        self._names = source.columns if names is None else [str(name) for name in names]
        source.require(self._names)

    def labels(self, chunk: Chunk) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        answer = ask(self._verdict, self._verdict.predict, _frame(chunk, self._names), verb="predict")
        found = labelled(answer, chunk.n_rows, self._verdict, signed=self._verdict.signed)
        return found.labels, found.numbers


class ScoreLabeler(Labeler):
    """Scores above a threshold: of a column, or of a detector."""

    def __init__(self, scores: str | Verdict, threshold: float, names: list[str]) -> None:
        self._scores, self._threshold, self._names = scores, threshold, names
        if isinstance(scores, str):
            self.columns, self.source_name = (scores,), f"A score above {threshold:g}"
        else:
            self.source_name = f"{scores.name} (scores above {threshold:g})"
            self.fingerprint = None if scores.labels is None else fingerprint(scores.labels)

    def labels(self, chunk: Chunk) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        if isinstance(self._scores, str):
            column = arrow_column(self._scores, chunk.batch.column(self._scores), in_order=False)
            if column.kind != "number" or column.missing.any():
                got = f"{column.kind} values" if column.kind != "number" else f"{column.missing.sum():,} gaps"
                raise PyodExplainError(
                    f"`scores` must be finite numbers, one for each row, got {got} in column {self._scores!r} "
                    f"after row {chunk.start:,}.\nHint: leave out rows that have no score."
                )
            found = column.floats()
        else:
            found = ask(self._scores, self._scores.score, _frame(chunk, self._names), verb="score")
        return (found > self._threshold).astype(np.int64), None


class GivenLabeler(Labeler):
    """Labels of all rows, in their order."""

    def __init__(self, labels: Any, argument: str = "detector") -> None:
        if isinstance(labels, pd.Series) and not labels.index.equals(pd.RangeIndex(len(labels))):
            raise PyodExplainError(
                f"`{argument}` must be labels in the order of the rows, got a Series with an index of its own, which "
                "is not matched with rows that are read in chunks.\nHint: pass `labels.to_numpy()`, or put them "
                "into a column and pass its name."
            )
        if not len(labels):
            raise PyodExplainError(f"`{argument}` must have one label for each row, got none.")
        self._found = read_labels(labels, len(labels), argument=argument)
        self.source_name = self._found.source

    def labels(self, chunk: Chunk) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        rows = slice(chunk.start, chunk.start + chunk.n_rows)
        labels, numbers = self._found.labels[rows], self._found.numbers
        if len(labels) < chunk.n_rows:
            self.check(chunk.start + chunk.n_rows)
        return labels, None if numbers is None else numbers[rows]

    def check(self, n_rows: int) -> None:
        if len(self._found.labels) != n_rows:
            more = "at least " if len(self._found.labels) < n_rows else ""
            raise PyodExplainError(
                f"`detector` must have one label for each row, got {len(self._found.labels):,} labels for {more}"
                f"{n_rows:,} rows.\nHint: put the labels into a column of `X` and pass its name."
            )


def labeler_for(
    detector: Any, source: Source, *, scores: Any, threshold: Any, rows: str | None, engine: Engine | None = None
) -> Labeler:
    """Find out who says which rows are outliers, before any is read.

    Parameters
    ----------
    detector, scores, threshold, rows : as for `explain`.
    source : the rows.
    engine : reads a column of labels, once before all else; this process if None.
    """
    if rows is not None:
        check_choice("explain()", "rows", rows, among=("train", "new"))
    if scores is not None and not isinstance(scores, str):
        raise PyodExplainError(
            f"`scores` must be the name of a column for rows that are read in chunks, got {shown(scores)}.\n"
            "Hint: put the scores into a column."
        )
    limit = None if threshold is None else check_number("explain()", "threshold", threshold, low=-np.inf)
    is_detector = _is_detector(detector)
    if limit is not None and (scores is not None or is_detector):
        if scores is not None:
            _check_column(scores, source, "scores", "numbers, one per row")
        named = getattr(detector, "feature_names_in_", None)
        names = source.columns if named is None else [str(name) for name in named]
        return ScoreLabeler(scores if scores is not None else verdict_of(detector), limit, names)
    if scores is not None or limit is not None or detector is None:
        raise PyodExplainError(
            "`detector` must be a fitted detector, labels or the name of a column of `X`, "
            f"got {'None' if detector is None else shown(detector)}"
            f"{' with `scores` without `threshold`' if scores is not None else ''}.\n"
            "Hint: scores decide with a threshold: pass both `scores=` and `threshold=`."
        )
    if isinstance(detector, str):
        return ColumnLabeler(detector, source, engine)
    if not is_detector:
        return GivenLabeler(detector)
    if rows != "train":
        return DetectorLabeler(detector, source)
    verdict = verdict_of(detector)
    if verdict.labels is None:
        raise PyodExplainError(
            f"`rows` must be 'new' or None for {verdict.name}, which keeps no labels of the rows that it was fitted on."
        )
    given = GivenLabeler(verdict.labels)
    given.source_name, given.fingerprint = verdict.name, fingerprint(verdict.labels)
    return given


def check_row_order(detector: Any, source: Source, rows: str | None) -> str | None:
    """Refuse labels in the order of the rows for rows that have none; give `rows`: a detector predicts such rows."""
    if source.ordered or detector is None or isinstance(detector, str):
        return rows
    if not _is_detector(detector) or rows == "train":
        raise PyodExplainError(
            f"`detector` must be a detector that predicts, or the name of a column, for {source.name}, whose rows have "
            f"no order, got {shown(detector)}{'' if rows is None else f' with rows={rows!r}'}.\n"
            "Hint: put the labels into a column and pass its name."
        )
    return "new"


def _is_detector(detector: Any) -> bool:
    return hasattr(detector, "fit") or isinstance(detector, Mapping) or is_result(detector)


def _check_column(name: str, source: Source, argument: str, what: str) -> None:
    if name not in source.columns:
        raise PyodExplainError(
            f"`{argument}` must be {what} or the name of a column of `X`, got {name!r}, which is none of the columns "
            f"{some(source.columns, most=12)}."
        )


def _frame(chunk: Chunk, names: list[str]) -> pd.DataFrame:
    """Give a chunk as a detector takes it."""
    frame: pd.DataFrame = chunk.batch.select(names).to_pandas()
    return frame

"""`ChunkLabeler`: which rows of a chunk are outliers, read as in a table in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pyod_explain._arrays import FloatArray, IntArray
from pyod_explain.beyond_memory.engines import Engine
from pyod_explain.beyond_memory.source import Chunk, Source
from pyod_explain.exceptions import ParameterError
from pyod_explain.input.alignment import no_such_column
from pyod_explain.input.arrow import arrow_table
from pyod_explain.input.detector import is_detector
from pyod_explain.input.labels import REJECTED, LabelReader, Outliers, labels_in_column, read_labels


class ChunkLabeler:
    """Reads which rows of each chunk are outliers.

    Parameters
    ----------
    detector, scores, threshold : as for `explain`. A detector predicts each chunk.
    source : the rows.
    engine : reads a column of labels, once before all else.
    """

    def __init__(
        self, detector: Any, source: Source, engine: Engine, *, scores: Any = None, threshold: Any = None
    ) -> None:
        if scores is not None and not isinstance(scores, str):
            requirement, hint = "the name of a column for rows that are read in chunks", "put the scores into a column."
            raise ParameterError("scores", requirement, got=scores, hint=hint)
        self.reader = LabelReader.of(detector, scores=scores, threshold=threshold)
        for argument, name in (("detector", detector), ("scores", scores)):
            if isinstance(name, str) and name not in source.columns:
                raise no_such_column(name, source.columns, argument)
        self._distinct: FloatArray | None = None  # labels of a column
        self._labels: IntArray | None = None  # what these mean; or the labels of all rows in their order
        names = getattr(detector, "feature_names_in_", None)
        self._names = source.columns if names is None else [str(name) for name in names]
        if self.reader.output is not None:
            source.require(self._names)
        elif isinstance(detector, str):
            found, _ = engine.total(DistinctLabelsKernel(detector), source)
            # What a label of one row means depends on those of all rows.
            self._distinct, self._labels = found.labels, _as_numbers(read_labels(found.labels, len(found.labels)))
        elif detector is not None:
            self._labels = _read_in_order(detector)

    def read(self, chunk: Chunk) -> Outliers:
        """Read which rows of a chunk are outliers."""
        reader = self.reader
        frame = None if reader.output is None else chunk.batch.select(self._names).to_pandas()
        if self._labels is not None:
            reader = replace(reader, labels=self._labels_of(chunk, self._labels))
        names = [name for name in self.reader.columns if name in chunk.batch.schema.names]
        return reader.read(frame, arrow_table(chunk.batch, names), training=False)

    def _labels_of(self, chunk: Chunk, labels: IntArray) -> IntArray:
        if self._distinct is not None:
            name = self.reader.labels
            return labels[np.searchsorted(self._distinct, arrow_table(chunk.batch, [name])[name].floats())]
        found = labels[chunk.start : chunk.start + chunk.n_rows]
        if len(found) < chunk.n_rows:
            self.check_length(chunk.start + chunk.n_rows)
        return found

    def check_length(self, n_rows: int) -> None:
        """Refuse labels in the order of the rows if there are more or fewer of them than rows."""
        if self._labels is not None and self._distinct is None and len(self._labels) != n_rows:
            more = "at least " if len(self._labels) < n_rows else ""
            got = f"{len(self._labels):,} labels for {more}{n_rows:,} rows"
            hint = "put the labels into a column of `X` and pass its name."
            raise ParameterError("detector", "one label for each row", got_text=got, hint=hint)


@dataclass(frozen=True, eq=False)
class DistinctLabels:
    """The distinct labels in some rows of a column; those of other rows add up."""

    labels: FloatArray

    def __add__(self, other: DistinctLabels) -> DistinctLabels:
        return DistinctLabels(np.union1d(self.labels, other.labels))


@dataclass(frozen=True, eq=False)
class DistinctLabelsKernel:
    """A kernel: the distinct labels in a column; what is no label is refused.

    Attributes
    ----------
    name : of the column.
    """

    asks_detector: ClassVar[bool] = False

    name: str

    @property
    def columns(self) -> list[str]:
        """Columns that have to be read."""
        return [self.name]

    def __call__(self, chunk: Chunk) -> DistinctLabels:
        table = arrow_table(chunk.batch, [self.name])
        labels_in_column(self.name, None, table)
        return DistinctLabels(np.unique(table[self.name].floats()))


def check_row_order(detector: Any, source: Source) -> None:
    """Refuse labels in the order of the rows for rows that have no order."""
    if not (source.ordered or detector is None or isinstance(detector, str) or is_detector(detector)):
        requirement = f"a detector that predicts, or the name of a column, for {source.name}, whose rows have no order"
        hint = "put the labels into a column and pass its name."
        raise ParameterError("detector", requirement, got=detector, hint=hint)


def _read_in_order(labels: Any) -> IntArray:
    if isinstance(labels, pd.Series) and not labels.index.equals(pd.RangeIndex(len(labels))):
        requirement = "labels in the order of the rows, for rows that are read in chunks"
        hint = "pass `labels.to_numpy()`, or put them into a column and pass its name."
        raise ParameterError("detector", requirement, got_text="a Series with an index of its own", hint=hint)
    if not len(labels):
        raise ParameterError("detector", "one label for each row", got_text="none")
    return _as_numbers(read_labels(labels, len(labels)))


def _as_numbers(found: Outliers) -> IntArray:
    """Give labels in the form that means the same in every chunk: 0, 1 or a group number, -2 for rejected."""
    return np.where(found.labels == -1, REJECTED, found.labels if found.numbers is None else found.numbers)

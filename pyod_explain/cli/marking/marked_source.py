"""`MarkedSource`: rows beyond memory with a column more, which is true for outliers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import pandas as pd

from pyod_explain.beyond_memory import Partition, Source, pyarrow
from pyod_explain.cli.marking.condition import ColumnTest

__all__ = ["MarkedSource"]


class MarkedSource(Source):
    """A source with a column that tells which rows pass a test.

    Parameters
    ----------
    source : the source.
    test : true for outliers.
    mark : name of the column.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.beyond_memory import as_source
    >>> whole = as_source([pd.DataFrame({"a": [1, 2], "status": ["ok", "bad"]})])
    >>> marked = MarkedSource(whole, ColumnTest("status", "!=", ("ok",)), "odd")
    >>> marked.columns, [chunk.batch.to_pydict() for chunk in marked.chunks(["odd"])]
    (['a', 'status', 'odd'], [{'odd': [False, True]}])
    """

    def __init__(self, source: Source, test: ColumnTest, mark: str) -> None:
        self.source, self.test, self.mark = source, test, mark
        self.name, self.repeatable, self.ordered = source.name, source.repeatable, source.ordered

    @cached_property
    def schema(self) -> Any:
        pa = pyarrow()
        return self.source.schema.append(pa.field(self.mark, pa.bool_()))

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows

    def parts(self, columns: list[str]) -> list[Partition] | None:
        parts = self.source.parts(self._theirs(columns))
        if parts is None or not all(isinstance(part.held, Source) for part in parts):
            return None
        return [replace(part, held=MarkedSource(part.held, self.test, self.mark)) for part in parts]

    def batches(self, columns: list[str]) -> Iterator[Any]:
        pa = pyarrow()
        for batch in self.source.batches(self._theirs(columns)):
            if self.mark not in columns:
                yield batch
                continue
            tested = batch.column(self.test.column)
            # Of gaps among whole numbers pandas makes doubles otherwise, which do not have all of them.
            series = tested.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}.get)
            if pa.types.is_boolean(tested.type):
                series = series.astype("boolean")  # of gaps pandas makes objects otherwise
            marks = pa.array(self.test.matches(series, whole=False))
            kept = [name for name in batch.schema.names if name in columns]
            schema = pa.schema([*map(batch.schema.field, kept), pa.field(self.mark, pa.bool_())])
            arrays = [*map(batch.column, kept), marks]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema.with_metadata(batch.schema.metadata))

    def _theirs(self, columns: list[str]) -> list[str]:
        wanted = [name for name in columns if name != self.mark]
        return wanted if self.mark not in columns or self.test.column in wanted else [*wanted, self.test.column]

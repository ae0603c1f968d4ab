"""Arrow streams as a `Source`: readers, whatever has `__arrow_c_stream__`, DuckDB's relations, Polars' lazy frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import pandas as pd

from pyod_explain.beyond_memory.source import ROWS_PER_CHUNK, Source
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import check_distinct_names, pyarrow


class StreamSource(Source):
    """Anything with `__arrow_c_stream__`, which makes a new stream each time that it is asked."""

    def __init__(self, held: Any) -> None:
        self.held, self.name = held, f"the {type(held).__name__}"

    def read_schema(self) -> Any:
        return self._reader().schema

    def _reader(self) -> Any:
        return pyarrow().RecordBatchReader.from_stream(self.held)

    def batches(self, columns: list[str]) -> Iterator[Any]:
        return (batch.select(columns) for batch in self._reader())


class ReaderSource(StreamSource):
    """A `pyarrow.RecordBatchReader`, which can be read once."""

    repeatable = False

    def _reader(self) -> Any:
        return self.held


class DuckDBSource(Source):
    """A relation of DuckDB: a query, which runs again each time that it is read, for the columns that are needed."""

    def __init__(self, relation: Any) -> None:
        self.relation, self.name = relation, "the DuckDB relation"

    def read_schema(self) -> Any:
        return _duckdb_reader(self.relation.limit(0)).schema

    def batches(self, columns: list[str]) -> Iterator[Any]:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        yield from _duckdb_reader(self.relation.project(quoted))


def _duckdb_reader(relation: Any) -> Any:
    """Give a reader of batches: with its own methods, since `execute` would hold the whole result."""
    method = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return method(ROWS_PER_CHUNK)


class LazyFrameSource(Source):
    """A LazyFrame of Polars: a query, which runs again each time that it is read, for the columns that are needed."""

    def __init__(self, frame: Any) -> None:
        if not hasattr(frame, "collect_batches"):
            rule = "must be a LazyFrame of a Polars that has `collect_batches`, got one of an older version"
            hint = "pip install -U polars; or sink_parquet() the frame and pass the path; or collect() it."
            raise PyodExplainError(f"`X` {rule}.", hint=hint)
        self.frame, self.name = frame, "the LazyFrame"

    def read_schema(self) -> Any:
        return self.frame.head(0).collect().to_arrow().schema

    def batches(self, columns: list[str]) -> Iterator[Any]:
        for frame in self.frame.select(columns).collect_batches(chunk_size=ROWS_PER_CHUNK, maintain_order=True):
            yield from frame.to_arrow().to_batches()


class ChunkedSource(Source):
    """Chunks that the user gives one after the other.

    Parameters
    ----------
    chunks : an iterable of record batches, Arrow tables, pandas or Polars frames; or a function that gives a new
        iterator of them each time. An iterator (a generator) can be read once.
    """

    def __init__(self, chunks: Iterable[Any] | Callable[[], Iterable[Any]]) -> None:
        self.name = f"the {type(chunks).__name__} of chunks"
        self.repeatable = callable(chunks) or not hasattr(chunks, "__next__")
        self._chunks = chunks
        self._begun: Iterator[Any] | None = None  # of an iterator: what is left of it, the first chunk put back

    def read_schema(self) -> Any:
        rest = self._fresh()
        first = next(rest, None)
        if first is None:
            raise PyodExplainError("`X` must give at least one chunk, got none.", hint="has the iterator been used up?")
        batches = list(as_batches(first))
        if not self.repeatable:
            self._begun = chain(batches, rest)
        return batches[0].schema

    def batches(self, columns: list[str]) -> Iterator[Any]:
        rest = self._fresh()
        self._begun = None
        for chunk in rest:
            for batch in as_batches(chunk):
                there = set(batch.schema.names)
                names = [name for name in columns if name in there]
                own = (batch.schema.pandas_metadata or {}).get("index_columns", [])
                more = [name for name in own if isinstance(name, str) and name in there and name not in names]
                yield batch.select([*names, *more])

    def _fresh(self) -> Iterator[Any]:
        if self._begun is not None:
            return self._begun
        return iter(self._chunks() if callable(self._chunks) else self._chunks)


def is_chunk(value: Any) -> bool:
    """Tell whether a value can be a chunk: a frame or record batch."""
    return isinstance(value, pd.DataFrame) or hasattr(type(value), "__arrow_c_stream__") or _is_batch(value)


def _is_batch(value: Any) -> bool:
    return hasattr(type(value), "__arrow_c_array__") and hasattr(type(value), "schema")


def as_batches(chunk: Any) -> Iterator[Any]:
    """Give a chunk as record batches; at least one, also of a chunk without rows."""
    pa = pyarrow()
    if _is_batch(chunk):
        yield pa.record_batch(chunk)
        return
    if isinstance(chunk, pd.DataFrame):
        table = _from_pandas(chunk)
    elif hasattr(type(chunk), "__arrow_c_stream__"):
        table = pa.table(chunk)
    else:
        problem = f"`X` must give record batches or frames, got a {type(chunk).__name__} among them."
        raise PyodExplainError(problem, hint="rows are joined to frames first: (pd.DataFrame(rows) for rows in ...).")
    yield from table.to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]


def _from_pandas(frame: pd.DataFrame) -> Any:
    pa = pyarrow()
    named = frame if all(isinstance(name, str) for name in frame.columns) else frame.rename(columns=str)
    check_distinct_names(named.columns)  # Arrow would refuse others in its own words
    try:
        return pa.Table.from_pandas(named, preserve_index=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        problem = f"`X` must give chunks that Arrow can hold, got one that it cannot: {error}"
        raise PyodExplainError(problem, hint="give each column one type, for example with astype(str).") from error

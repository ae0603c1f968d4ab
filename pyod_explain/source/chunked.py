"""Iterables of record batches or pandas chunks as a `Source`: lists, generators, functions that make generators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.source.arrow_column import pyarrow
from pyod_explain.source.arrow_views import without_views
from pyod_explain.source.source import Source, repeated_names

__all__ = ["ChunkedSource", "as_batches", "is_chunk"]


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

    @cached_property
    def schema(self) -> Any:
        rest = self._fresh()
        first = next(rest, None)
        if first is None:
            raise PyodExplainError("`X` must give at least one chunk, got none.\nHint: has the iterator been used up?")
        batches = list(as_batches(first))
        if not self.repeatable:
            self._begun = chain(batches, rest)
        self._first = batches[0]
        return self._first.schema

    def first(self, columns: list[str]) -> Any:
        """Give rows of the first chunk, which was looked at already: a function may take long to make another."""
        _ = self.schema
        return self._first.select(columns) if self._first.num_rows else super().first(columns)

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
    yield from without_views(_as_they_are(chunk))


def _as_they_are(chunk: Any) -> Iterator[Any]:
    pa = pyarrow()
    if isinstance(chunk, pa.RecordBatch):
        yield chunk
        return
    if isinstance(chunk, pd.DataFrame):
        table = _from_pandas(chunk)
    elif isinstance(chunk, pa.Table):
        table = chunk
    elif _is_batch(chunk):
        yield pa.record_batch(chunk)
        return
    elif hasattr(type(chunk), "__arrow_c_stream__"):
        table = pa.RecordBatchReader.from_stream(chunk).read_all()
    else:
        raise TypeError(
            f"`X` must give record batches or frames, got a {type(chunk).__name__} among them.\n"
            "Hint: rows are joined to frames first: (pd.DataFrame(rows) for rows in ...)."
        )
    pieces = table.to_batches()
    yield from pieces or [pa.RecordBatch.from_pylist([], schema=table.schema)]


def _from_pandas(frame: pd.DataFrame) -> Any:
    pa = pyarrow()
    named = frame if all(isinstance(name, str) for name in frame.columns) else frame.rename(columns=str)
    if not named.columns.is_unique:  # which Arrow would refuse in its own words
        raise repeated_names(named.columns[named.columns.duplicated()])
    try:
        return pa.Table.from_pandas(named, preserve_index=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise PyodExplainError(
            f"`X` must give chunks that Arrow can hold, got one that it cannot: {error}\n"
            "Hint: give each column one type, for example with astype(str)."
        ) from error

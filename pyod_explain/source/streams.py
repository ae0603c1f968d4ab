"""Arrow streams as a `Source`: readers, whatever has `__arrow_c_stream__`, DuckDB's relations, Polars' lazy frames."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.source.arrow_column import pyarrow
from pyod_explain.source.arrow_views import schema_without_views, without_views
from pyod_explain.source.source import CHUNK, FIRST, Source

__all__ = ["DuckDBSource", "LazyFrameSource", "ReaderSource", "StreamSource"]


class ReaderSource(Source):
    """A `pyarrow.RecordBatchReader`, which can be read once."""

    repeatable = False

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.name = f"the {type(reader).__name__}"

    @property
    def schema(self) -> Any:
        return schema_without_views(self.reader.schema)

    def batches(self, columns: list[str]) -> Iterator[Any]:
        yield from without_views(batch.select(columns) for batch in self.reader)


class StreamSource(Source):
    """Anything with `__arrow_c_stream__`, which makes a new stream each time that it is asked."""

    def __init__(self, held: Any) -> None:
        self.held = held
        self.name = f"the {type(held).__name__}"

    @cached_property
    def schema(self) -> Any:
        return schema_without_views(self._reader().schema)

    def _reader(self) -> Any:
        return pyarrow().RecordBatchReader.from_stream(self.held)

    def batches(self, columns: list[str]) -> Iterator[Any]:
        yield from without_views(batch.select(columns) for batch in self._reader())


class DuckDBSource(Source):
    """A relation of DuckDB: a query, which runs again each time that it is read, for the columns that are needed."""

    def __init__(self, relation: Any) -> None:
        self.relation = relation
        self.name = "the DuckDB relation"

    @cached_property
    def schema(self) -> Any:
        return schema_without_views(_duckdb_reader(self.relation.limit(0)).schema)

    def batches(self, columns: list[str]) -> Iterator[Any]:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        yield from without_views(_duckdb_reader(self.relation.project(quoted)))


def _duckdb_reader(relation: Any) -> Any:
    """Give a reader of batches: with its own methods, since `execute` would hold the whole result."""
    method = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return method(CHUNK)


class LazyFrameSource(Source):
    """A LazyFrame of Polars: a query, which runs again each time that it is read, for the columns that are needed."""

    def __init__(self, frame: Any) -> None:
        if not hasattr(frame, "collect_batches"):
            raise PyodExplainError(
                "`X` must be a LazyFrame of a Polars that has `collect_batches`, got one of an older version.\n"
                "Hint: pip install -U polars; or sink_parquet() the frame and pass the path; or collect() it."
            )
        self.frame = frame
        self.name = "the LazyFrame"

    @cached_property
    def schema(self) -> Any:
        return self.frame.head(0).collect().to_arrow().schema

    def first(self, columns: list[str]) -> Any:
        """Give some of the first rows."""
        return self.frame.select(columns).head(FIRST).collect().to_arrow()

    def batches(self, columns: list[str]) -> Iterator[Any]:
        for frame in self.frame.select(columns).collect_batches(chunk_size=CHUNK, maintain_order=True):
            yield from frame.to_arrow().to_batches()

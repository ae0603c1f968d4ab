"""What the rules say of rows beyond memory, batch by batch, as somebody reads it; of lazy frames as a lazy frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pyod_explain.beyond_memory import Chunk, DaskSource, Source, SparkSource, pyarrow
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.result.match_lazily import dask_frame, spark_frame
from pyod_explain.result.said import Said
from pyod_explain.result.summary import Summary

__all__ = ["read_beside", "read_groups", "read_matches", "reader_of"]


def read_groups(summary: Summary, source: Source) -> Any:
    """Give the group of each row, 0 where no rule matches: a reader (or lazy frame) with the column `group`."""
    return _read(Said(summary, "groups"), source)


def read_matches(summary: Summary, source: Source) -> Any:
    """Tell which rules match each row: a reader (or lazy frame) with a column for each rule, by group and rule."""
    return _read(Said(summary, "matches"), source)


def read_beside(summary: Summary, source: Source) -> Any:
    """Give the rows, each with its group, the rule that decides and its text.

    A reader (or lazy frame) of the columns of the source and `group`, `rule` and `text`; a name that the source has
    already gets an underscore.
    """
    return _read(Said(summary, "beside", tuple(source.schema.names)), source)


def _read(said: Said, source: Source) -> Any:
    source.require(said.needed)
    if isinstance(source, DaskSource):
        return dask_frame(said, source.frame)
    if isinstance(source, SparkSource):
        return spark_frame(said, source.frame)
    return _reader(said, source)


def _reader(said: Said, source: Source) -> Any:
    pa = pyarrow()
    ours = [pa.field(name, kind) for name, kind in zip(said.names, said.types, strict=True)]
    return reader_of(source, said.needed, ours, lambda chunk: said.of(chunk.batch), beside=said.beside)


def reader_of(
    source: Source, needed: list[str], ours: list[Any], say: Callable[[Chunk], list[Any]], *, beside: bool
) -> Any:
    """Give a reader of what is said of each chunk, which reads as it is read.

    Parameters
    ----------
    source : the rows.
    needed : columns that it takes to say it.
    ours : the fields of what is said.
    say : gives their columns.
    beside : the rows themselves stand before them.
    """
    pa = pyarrow()
    schema = pa.schema([*source.schema, *ours], metadata=source.schema.metadata) if beside else pa.schema(ours)
    columns = source.schema.names if beside else needed or source.columns[:1]

    def batches() -> Iterator[Any]:
        for chunk in source.chunks(columns):
            theirs = _cast(chunk, source.schema) if beside else []
            yield pa.RecordBatch.from_arrays([*theirs, *say(chunk)], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _cast(chunk: Chunk, schema: Any) -> list[Any]:
    """Give the columns of a chunk in the types of the first one, as a reader has them."""
    pa = pyarrow()
    found = []
    for field in schema:
        cells = chunk.batch.column(field.name)
        try:
            found.append(cells if cells.type == field.type else cells.cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise PyodExplainError(
                f"All chunks of `X` must have one type for each column, got {cells.type} and {field.type} in column "
                f"{field.name!r}: {error}\nHint: give the first chunk the wider type."
            ) from error
    return found

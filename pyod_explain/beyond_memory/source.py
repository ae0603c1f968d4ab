"""`Source`: rows that need not fit into memory, given as Arrow record batches; `Chunk`: some of them at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from pyod_explain._arrays import IntArray
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.arrow import pyarrow, schema_without_views, without_views
from pyod_explain.input.read import check_distinct_names
from pyod_explain.input.values import missing_columns, name_list

ROWS_PER_CHUNK = 65_536  # rows: their bits fit into the cache, and what each chunk costs besides counting is little
CHUNK_BYTES = 2**26  # of many columns, or of long texts, a chunk has fewer rows: several are held at a time


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some consecutive rows of a source.

    Attributes
    ----------
    batch : the rows, as an Arrow record batch.
    start : how many rows stand before them.
    """

    batch: Any
    start: int = 0

    @property
    def n_rows(self) -> int:
        return int(self.batch.num_rows)


class Source(ABC):
    """Something that gives rows as record batches, of the columns that are asked for.

    Attributes
    ----------
    name : what to call it in a message.
    repeatable : True if it can be read more than once.
    ordered : False if its rows have no order, so that nothing can be given for them row by row.
    """

    name: str = "the source"
    repeatable: bool = True
    ordered: bool = True

    @abstractmethod
    def read_schema(self) -> Any:
        """Give the Arrow schema of the rows."""

    @cached_property
    def schema(self) -> Any:
        """The Arrow schema of the rows, without views."""
        return schema_without_views(self.read_schema())

    @property
    def n_rows(self) -> int | None:
        """Number of rows, where that is known without reading them; else None."""
        return None

    def parts(self, columns: list[str]) -> list[Any] | None:  # noqa: ARG002 - most cannot
        """Give the rows in parts (`Partition`) that other processes can read by themselves; None if they cannot."""
        return None

    @abstractmethod
    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Give the rows as record batches of any size, which have at least these columns."""

    def first(self) -> Any:
        """Give some of the first rows as a record batch or Arrow table; None if there are none."""
        return next((batch for batch in self.batches(self.columns) if batch.num_rows), None)

    @cached_property
    def long_bytes(self) -> float:
        """Bytes of a row beyond 16 a cell, as the first rows tell: of long texts and lists.

        0 of what can be read only once, which nobody has looked at yet.
        """
        rows = self.first() if self.repeatable else None
        if rows is None or not rows.num_rows:
            return 0.0
        return max(float(without_dictionaries(rows).nbytes / rows.num_rows) - 16 * len(self.columns), 0.0)

    @cached_property
    def index_columns(self) -> list[str]:
        """Columns that are the row labels of a DataFrame that was written, and no features."""
        asked = (self.schema.pandas_metadata or {}).get("index_columns", [])
        return [name for name in asked if isinstance(name, str) and name in self.schema.names]

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns, but for those that hold row labels."""
        check_distinct_names(self.schema.names)
        return [name for name in self.schema.names if name not in self.index_columns]

    def changed(self, how: str) -> PyodExplainError:
        """Build the error for a source that does not give the same rows each time."""
        hint = "write it to parquet files first (or cache() a Spark DataFrame), and explain these."
        return PyodExplainError(f"`X` must give the same rows each time it is read, but {self.name} {how}.", hint)

    def require(self, names: Iterable[str]) -> None:
        """Raise one error that lists every column of `names` that the source lacks."""
        absent = [name for name in names if name not in self.columns]
        if absent:
            raise missing_columns(absent, self.columns)

    def chunks(self, columns: Iterable[str], *, start: int = 0, rows: int = ROWS_PER_CHUNK) -> Iterator[Chunk]:
        """Give the rows in chunks of equal size, whatever the batches are, with these columns.

        Parameters
        ----------
        columns : names of the columns.
        start : how many rows of a larger source stand before the first.
        rows : in a chunk; the last one of a run of batches of one type may have fewer, and all of them where rows
            take so many bytes that a chunk would be larger than 64 MB.
        """
        wanted = list(columns)
        for batch in _regular(without_views(self.batches(wanted)), rows):
            absent = [name for name in wanted if name not in batch.schema.names]
            if absent:
                rule = f"must have the same columns, got one without {name_list(absent)} after {start:,} rows"
                hint = "give every chunk all columns, with nulls where there is nothing."
                raise PyodExplainError(f"All chunks of {self.name} {rule}.", hint=hint)
            yield Chunk(batch, start)
            start += batch.num_rows

    def row_labels(self, rows: Any, numbers: IntArray) -> pd.Index[Any] | None:
        """Give the user's own labels of rows, or None if they have none.

        Parameters
        ----------
        rows : some rows, with the index columns.
        numbers : how many rows stand before each of them.
        """
        levels = [rows.column(name).to_pandas() for name in self.index_columns]
        if levels:
            return pd.Index(levels[0]).rename(None) if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)
        return None if self.range_index is None else self.range_index[numbers]

    @cached_property
    def range_index(self) -> pd.RangeIndex | None:
        """The labels of a DataFrame that counted its rows otherwise than from 0 in steps of 1, if it is this one."""
        for one in (self.schema.pandas_metadata or {}).get("index_columns", []):
            if isinstance(one, dict) and one.get("kind") == "range":
                labels = pd.RangeIndex(one["start"], one["stop"], one["step"])
                if len(labels) == self.n_rows:  # of many files the schema is that of the first
                    return labels
        return None


def _regular(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Cut and join batches to `rows` rows each; those of different types are not joined, and empty ones left out."""
    waiting: list[Any] = []
    n_waiting = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        at, most = 0, min(rows, max(CHUNK_BYTES * batch.num_rows // max(batch.nbytes, 1), 1))
        if waiting and (batch.schema != waiting[0].schema or n_waiting >= most):  # narrower ones came before
            yield _joined(waiting)
            waiting, n_waiting = [], 0
        while n_waiting + batch.num_rows - at >= most:
            piece = batch.slice(at, most - n_waiting)
            at += piece.num_rows
            yield _joined([*waiting, piece])
            waiting, n_waiting = [], 0
        if at < batch.num_rows:
            waiting.append(batch.slice(at))
            n_waiting += batch.num_rows - at
    if waiting:
        yield _joined(waiting)


def _joined(batches: list[Any]) -> Any:
    if len(batches) == 1:
        return batches[0]
    pa = pyarrow()
    try:
        whole = pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # dictionaries with nulls in them, or too large together
        whole = pa.Table.from_batches([without_dictionaries(one) for one in batches]).combine_chunks()
    pieces = whole.to_batches()
    if len(pieces) == 1:
        return pieces[0]
    columns = [pa.concat_arrays(column.chunks) for column in whole.columns]
    return pa.RecordBatch.from_arrays(columns, schema=whole.schema)


def without_dictionaries(batch: Any) -> Any:
    """Give encoded texts of a record batch or table as such."""
    pa = pyarrow()
    columns = [one.cast(one.type.value_type) if pa.types.is_dictionary(one.type) else one for one in batch.columns]
    return type(batch).from_arrays(columns, names=batch.schema.names)


@dataclass(frozen=True, eq=False)
class Partition:
    """Some consecutive rows of a source, as another process gets them.

    Attributes
    ----------
    held : a source of these rows alone, which can be pickled; or what an engine turns into one where it reads it.
    start : how many rows of the whole stand before them.
    """

    held: Any
    start: int


class SelectedSource(Source):
    """Some columns of a source.

    Parameters
    ----------
    source : the source.
    columns : the columns to have, in the order of the source.
    index : the column that holds the row labels; those of the source if None.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.beyond_memory import as_source
    >>> whole = as_source([pd.DataFrame({"a": [1, 2], "b": [3, 4], "name": ["x", "y"]})])
    >>> some = SelectedSource(whole, {"a"}, index="name")
    >>> some.columns, some.index_columns
    (['a'], ['name'])
    """

    def __init__(self, source: Source, columns: Collection[str], index: str | None = None) -> None:
        self.source, self.index = source, index
        self.name, self.repeatable, self.ordered = source.name, source.repeatable, source.ordered
        self._columns = columns

    def read_schema(self) -> Any:
        return self.source.schema.empty_table().select([*self.columns, *self.index_columns]).schema

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows

    @cached_property
    def index_columns(self) -> list[str]:
        return self.source.index_columns if self.index is None else [self.index]

    @cached_property
    def columns(self) -> list[str]:
        return [name for name in self.source.columns if name in self._columns and name != self.index]

    def parts(self, columns: list[str]) -> list[Partition] | None:
        parts = self.source.parts(columns)
        if parts is None or not all(isinstance(part.held, Source) for part in parts):
            return None
        return [replace(part, held=SelectedSource(part.held, self._columns, self.index)) for part in parts]

    def batches(self, columns: list[str]) -> Iterator[Any]:
        for batch in self.source.batches(columns):
            yield batch.select(columns).replace_schema_metadata(None) if self.index is not None else batch

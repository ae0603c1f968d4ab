"""`Source`: rows that need not fit into memory, given as Arrow record batches; `Chunk`: some of them at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import missing_columns, name_list, pyarrow

ROWS_PER_CHUNK = 65_536  # rows: their bits fit into the cache, and what each chunk costs besides counting is little
N_FIRST_ROWS = 4_096  # rows that tell how long texts are
CHUNK_BYTES = 2**26  # of many columns, or of long texts, a chunk has fewer rows: several are held at a time


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some consecutive rows of a source.

    Attributes
    ----------
    batch : the rows, as an Arrow record batch.
    start : how many rows stand before them.
    index : their labels, where they have any and somebody asked for them; None: their numbers are their labels.
    """

    batch: Any
    start: int = 0
    index: pd.Index[Any] | None = None

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

    @property
    @abstractmethod
    def schema(self) -> Any:
        """The Arrow schema of the rows."""

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

    def first(self, columns: list[str]) -> Any:
        """Give some of the first rows, of these columns, as a record batch or Arrow table; None if there are none."""
        return next((batch for batch in self.batches(columns) if batch.num_rows), None)

    @cached_property
    def long_bytes(self) -> float:
        """Bytes of a row in cells of no fixed length (texts, lists), beyond 16 a cell, as the first rows tell.

        0 of what can be read only once, which nobody has looked at yet.
        """
        names = [one.name for one in self.schema if one.name in self.columns and not _has_width(one.type)]
        rows = self.first(names) if names and self.repeatable else None
        if rows is None or not rows.num_rows:
            return 0.0
        return max(n_bytes(rows, whole=True) / int(rows.num_rows) - 16 * len(names), 0.0)

    @cached_property
    def index_columns(self) -> list[str]:
        """Columns that are the row labels of a DataFrame that was written, and no features."""
        return _index_columns(self.schema)

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns, but for those that hold row labels."""
        twice = [name for name, times in Counter(self.schema.names).items() if times > 1]
        if twice:
            raise repeated_names(twice)
        return [name for name in self.schema.names if name not in self.index_columns]

    def require(self, names: Iterable[str]) -> None:
        """Raise one error that lists every column of `names` that the source lacks."""
        absent = [name for name in names if name not in self.columns]
        if absent:
            raise missing_columns(absent, self.columns)

    def chunks(self, columns: Iterable[str], *, labels: bool = False, rows: int = ROWS_PER_CHUNK) -> Iterator[Chunk]:
        """Give the rows in chunks of equal size, whatever the batches are, with these columns.

        Parameters
        ----------
        columns : names of the columns.
        labels : True to have the row labels too, where there are any.
        rows : in a chunk; the last one of a run of batches of one type may have fewer, and all of them where rows
            take so many bytes that a chunk would be larger than 64 MB.
        """
        wanted = list(columns)
        asked = [*wanted, *(name for name in self.index_columns if labels and name not in wanted)]
        start = 0
        for batch in _regular(self.batches(asked), rows):
            absent = [name for name in wanted if name not in batch.schema.names]
            if absent:
                raise PyodExplainError(
                    f"All chunks of {self.name} must have the same columns, got one without {name_list(absent)} "
                    f"after {start:,} rows.",
                    hint="give every chunk all columns, with nulls where there is nothing.",
                )
            yield Chunk(batch, start, self._labels(batch, start) if labels else None)
            start += batch.num_rows

    def _labels(self, batch: Any, start: int) -> pd.Index[Any] | None:
        """Give the row labels that stand in the batch, or that follow from what the schema says of them."""
        there = [name for name in _index_columns(batch.schema) or self.index_columns if name in batch.schema.names]
        if there:
            levels = [batch.column(name).to_pandas() for name in there]
            return pd.Index(levels[0]).rename(None) if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)
        labels = self.range_index
        return None if labels is None else labels[start : start + batch.num_rows]

    @cached_property
    def range_index(self) -> pd.RangeIndex | None:
        """The labels of a DataFrame that counted its rows otherwise than from 0 in steps of 1, if it is this one."""
        for one in (self.schema.pandas_metadata or {}).get("index_columns", []):
            if isinstance(one, dict) and one.get("kind") == "range":
                labels = pd.RangeIndex(one["start"], one["stop"], one["step"])
                if len(labels) == self.n_rows:  # of many files the schema is that of the first
                    return labels
        return None


def repeated_names(names: Iterable[str]) -> PyodExplainError:
    """Say that columns have the same name."""
    return PyodExplainError(
        f"The column names of `X` must differ, got {name_list(sorted(set(names)))} more than once.",
        hint="rename the columns, so that a rule says which one it means.",
    )


def _index_columns(schema: Any) -> list[str]:
    asked = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in asked if isinstance(name, str) and name in schema.names]


def _regular(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Cut and join batches to `rows` rows each; those of different types are not joined, and empty ones left out."""
    waiting: list[Any] = []
    n_waiting = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        if waiting and batch.schema != waiting[0].schema:
            yield _joined(waiting)
            waiting, n_waiting = [], 0
        at, most = 0, min(rows, max(CHUNK_BYTES * batch.num_rows // max(n_bytes(batch), 1), 1))
        if n_waiting >= most:  # narrower ones came before
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


def n_bytes(rows: Any, *, whole: bool = False) -> int:
    """Tell how many bytes rows take, without the dictionaries that they share; with what they stand for if `whole`."""
    pa = pyarrow()
    found = 0
    for column in rows.columns:
        for one in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            encoded = pa.types.is_dictionary(one.type)
            held = one.indices if encoded and not whole else one.cast(one.type.value_type) if encoded else one
            found += int(held.nbytes)
    return found


def _has_width(kind: Any) -> bool:
    """Tell whether all cells of a type take the same few bytes."""
    try:
        return int(kind.bit_width) > 0 and not pyarrow().types.is_dictionary(kind)
    except ValueError:  # how Arrow says that they do not
        return False


def without_dictionaries(batch: Any) -> Any:
    """Give encoded texts as such."""
    pa = pyarrow()
    columns = [one.cast(one.type.value_type) if pa.types.is_dictionary(one.type) else one for one in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names).replace_schema_metadata(batch.schema.metadata)


@dataclass(frozen=True, eq=False)
class Partition:
    """Some consecutive rows of a source, as another process gets them.

    Attributes
    ----------
    held : a source of these rows alone, which can be pickled; or what an engine turns into one where it reads it.
    start : how many rows of the whole stand before them.
    range_index : labels of all rows of the whole, where these follow from their numbers.
    """

    held: Any
    start: int
    range_index: pd.RangeIndex | None = None

    def chunks(self, source: Source, columns: Sequence[str], *, labels: bool) -> Iterator[Chunk]:
        """Give the rows in chunks that know their numbers in the whole.

        Parameters
        ----------
        source : what is held, as a source.
        columns : names of the columns.
        labels : True to have the row labels too.
        """
        for chunk in source.chunks(columns, labels=labels):
            start, index = chunk.start + self.start, chunk.index
            if labels and index is None and self.range_index is not None:
                index = self.range_index[start : start + chunk.n_rows]
            yield replace(chunk, start=start, index=index)


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
    >>> some.columns, [list(chunk.index) for chunk in some.chunks(["a"], labels=True)]
    (['a'], [['x', 'y']])
    """

    def __init__(self, source: Source, columns: Collection[str], index: str | None = None) -> None:
        self.source, self.index = source, index
        self.name, self.repeatable, self.ordered = source.name, source.repeatable, source.ordered
        self._columns = columns

    @cached_property
    def schema(self) -> Any:
        theirs = self.source.schema
        return theirs.empty_table().select([*self.columns, *self.index_columns]).schema

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

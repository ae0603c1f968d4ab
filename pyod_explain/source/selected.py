"""`SelectedSource`: some columns of a source, one of which may be the row labels."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from pyod_explain.source.part import Part
from pyod_explain.source.source import Source

__all__ = ["SelectedSource"]


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
    >>> from pyod_explain.source import as_source
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

    def parts(self, columns: list[str]) -> list[Part] | None:
        parts = self.source.parts(columns)
        if parts is None or not all(isinstance(part.held, Source) for part in parts):
            return None
        return [replace(part, held=SelectedSource(part.held, self._columns, self.index)) for part in parts]

    def batches(self, columns: list[str]) -> Iterator[Any]:
        for batch in self.source.batches(columns):
            yield batch.select(columns).replace_schema_metadata(None) if self.index is not None else batch

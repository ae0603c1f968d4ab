"""Dask DataFrames as a `Source`: each partition is a part, which stays where it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from pyod_explain._optional import optional
from pyod_explain.source.chunked import ChunkedSource, as_batches
from pyod_explain.source.part import Part
from pyod_explain.source.source import Source

__all__ = ["DaskSource"]


class DaskSource(Source):
    """A DataFrame of Dask, in the order of its partitions.

    Parameters
    ----------
    frame : the frame. It is computed anew in each pass, for the columns that are needed, unless it was persisted.
    client : the `distributed.Client` that computes it; whatever Dask would take if None.
    """

    def __init__(self, frame: Any, client: Any = None) -> None:
        self.frame, self.client = frame, client
        self.name = "the Dask DataFrame"

    @cached_property
    def schema(self) -> Any:
        """What is known without computing: the names, and which of them are row labels."""
        return next(as_batches(self.frame._meta)).schema  # noqa: SLF001 - Dask has no other way to tell

    @cached_property
    def lengths(self) -> list[int]:
        """Number of rows in each partition: so that rows have numbers that do not depend on who reads them."""
        dask = optional("dask", "to read Dask DataFrames", extra="dask")
        counted = [dask.delayed(len)(one) for one in self._partitions(self.columns[:1])]
        return [int(n) for n in dask.compute(counted, scheduler=self.client)[0]]

    @property
    def n_rows(self) -> int:
        return sum(self.lengths)

    def parts(self, columns: list[str]) -> list[Part]:
        start, found = 0, []
        for partition, n_rows in zip(self._partitions(columns), self.lengths, strict=True):
            found.append(Part(partition, start))
            start += n_rows
        return found

    def batches(self, columns: list[str]) -> Iterator[Any]:
        for partition in self._partitions(columns):
            yield from ChunkedSource([partition.compute(scheduler=self.client)]).batches(columns)

    def _partitions(self, columns: list[str]) -> list[Any]:
        """Give what computes each partition, with these columns alone."""
        theirs = {str(name): name for name in self.frame.columns}
        found: list[Any] = self.frame[[theirs[name] for name in columns if name in theirs]].to_delayed()
        return found

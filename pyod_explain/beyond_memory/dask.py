"""Dask DataFrames as a `Source`: each partition is a part, which stays where it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from pyod_explain._progress import Step
from pyod_explain._validate import optional
from pyod_explain.beyond_memory.engines import (
    Kernel,
    Total,
    add_up_remotely,
    raise_failure,
    sum_totals,
    total_or_failure,
)
from pyod_explain.beyond_memory.source import Partition, Source
from pyod_explain.beyond_memory.streams import ChunkedSource, as_batches


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

    def parts(self, columns: list[str]) -> list[Partition]:
        start, found = 0, []
        for partition, n_rows in zip(self._partitions(columns), self.lengths, strict=True):
            found.append(Partition(partition, start))
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


SUMS_PER_TASK = 8  # sums that one task adds up
MAX_KERNEL_COPIES = 64  # of the kernel: half a megabyte each at most, as a rule
MAX_SUMS_COLLECTED = 16  # sums that come back here, one after the other


class DaskEngine:
    """The workers of a Dask cluster, or Dask's own threads where there is none.

    Parameters
    ----------
    client : the `distributed.Client` to use; if None the active one, and threads if there is none.
    """

    def __init__(self, client: Any = None) -> None:
        self.client = client

    def total(self, kernel: Kernel[Any], source: Source, step: Step) -> Total:
        """Give the sum, and the number of rows; the sum is None of no rows."""
        dask = optional("dask", "to count on Dask", extra="dask")
        columns = list(kernel.columns)
        parts = source.parts(columns) or []
        # A few copies of the kernel, not one a task: it has thousands of tags. Nor one alone, since Dask would run all
        # tasks on the worker that has it.
        copies = [dask.delayed(kernel, pure=False, traverse=False) for _ in parts[:MAX_KERNEL_COPIES]]
        count, add = dask.delayed(_count, pure=False), dask.delayed(_add, pure=False)
        waiting = [
            count(copies[i % MAX_KERNEL_COPIES], part.held, part.start, part.range_index)
            for i, part in enumerate(parts)
        ]
        while len(waiting) > MAX_SUMS_COLLECTED:
            waiting = [add(waiting[i : i + SUMS_PER_TASK]) for i in range(0, len(waiting), SUMS_PER_TASK)]
        return self._together(waiting, step)

    def _together(self, waiting: list[Any], step: Step) -> Total:
        """Add up the last few as they arrive."""
        dask, client = optional("dask", "to count on Dask", extra="dask"), self.client or _active()
        step("counting", 0.0)
        if client is None:
            return raise_failure(sum_totals(dask.compute(waiting)[0]))
        distributed = optional("distributed", "to count on a Dask cluster", extra="dask")
        found: Total = None, 0
        futures = client.compute(waiting)
        try:
            for i, (_, one) in enumerate(distributed.as_completed(futures, loop=client.loop, with_results=True)):
                found = raise_failure(sum_totals([found, one]))
                step("counting", (i + 1) / len(futures))
        finally:
            client.cancel(futures)  # what is still under way, if one failed or somebody interrupted
        return found


def _active() -> Any:
    """Give the client that the user made the current one, if there is any and no other scheduler was asked for."""
    distributed = sys.modules.get("distributed")
    if distributed is None:  # then nobody can have made one
        return None
    scheduler = getattr(optional("dask.base", "to count on Dask", extra="dask").get_scheduler(), "__self__", None)
    return scheduler if isinstance(scheduler, distributed.Client) else None


def _count(kernel: Kernel[Any], held: Any, start: int, range_index: Any) -> Total:
    """Count a part, where it is."""
    source = held if isinstance(held, Source) else ChunkedSource(list(as_batches(held)))
    return total_or_failure(
        kernel, Partition(held, start, range_index).chunks(source, kernel.columns, labels=kernel.labels)
    )


def _add(totals: list[Total]) -> Total:
    return add_up_remotely(totals)

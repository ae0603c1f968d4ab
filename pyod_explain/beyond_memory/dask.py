"""Dask DataFrames as a `Source`: each partition is a part, which stays where it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, count
from typing import Any

from pyod_explain._progress import Step, silent
from pyod_explain._validate import optional
from pyod_explain.beyond_memory.engines import Kernel, Total, count_chunk, sum_totals
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

    def read_schema(self) -> Any:
        """Give what is known without computing: the names, and which of them are row labels."""
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
        starts = accumulate(self.lengths, initial=0)
        return [Partition(one, start) for one, start in zip(self._partitions(columns), starts, strict=False)]

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

    def total(self, kernel: Kernel[Any], source: Source, step: Step = silent) -> Total:
        """Give the sum, and the number of rows; the sum is None of no rows."""
        dask = optional("dask", "to count on Dask", extra="dask")
        parts = source.parts(list(kernel.columns)) or []
        # A few copies of the kernel, not one a task: it has thousands of tags. Nor one alone, since Dask would run all
        # tasks on the worker that has it.
        copies = [dask.delayed(kernel, pure=False, traverse=False) for _ in parts[:MAX_KERNEL_COPIES]]
        count_part, add = dask.delayed(_count, pure=False), dask.delayed(sum_totals, pure=False)
        waiting = [count_part(copies[i % MAX_KERNEL_COPIES], part.held, part.start) for i, part in enumerate(parts)]
        while len(waiting) > MAX_SUMS_COLLECTED:
            waiting = [add(waiting[i : i + SUMS_PER_TASK]) for i in range(0, len(waiting), SUMS_PER_TASK)]
        client = self.client or _active()
        step("counting", 0.0)
        if client is None:
            return sum_totals(dask.compute(waiting)[0])
        distributed = optional("distributed", "to count on a Dask cluster", extra="dask")
        futures = client.compute(waiting)
        try:
            arriving = distributed.as_completed(futures, loop=client.loop, with_results=True)
            done = count(1)
            return sum_totals((one for _, one in arriving), lambda _: step("counting", next(done) / len(futures)))
        finally:
            client.cancel(futures)  # what is still under way, if one failed or somebody interrupted


def _active() -> Any:
    """Give the client that the user made the current one, if there is any and no other scheduler was asked for."""
    distributed = sys.modules.get("distributed")
    if distributed is None:  # then nobody can have made one
        return None
    scheduler = getattr(optional("dask.base", "to count on Dask", extra="dask").get_scheduler(), "__self__", None)
    return scheduler if isinstance(scheduler, distributed.Client) else None


def _count(kernel: Kernel[Any], held: Any, start: int) -> Total:
    """Count a part, where it is."""
    source = held if isinstance(held, Source) else ChunkedSource(list(as_batches(held)))
    return sum_totals(count_chunk(kernel, chunk) for chunk in source.chunks(kernel.columns, start=start))

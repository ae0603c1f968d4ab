"""`OnDask`: Dask maps the kernel over parts, and adds up what they give two by two, by eight, ..., where they are."""

from __future__ import annotations

import sys
from typing import Any

from pyod_explain._optional import optional
from pyod_explain._progress import Step
from pyod_explain.source import (
    ChunkedSource,
    Kernel,
    Part,
    Source,
    Total,
    add_there,
    add_up,
    as_batches,
    attempt,
    checked,
)

__all__ = ["OnDask"]

TOGETHER = 8  # sums that one task adds up
COPIES = 64  # of the kernel: half a megabyte each at most, as a rule
FEW = 16  # sums that come back here, one after the other


class OnDask:
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
        copies = [dask.delayed(kernel, pure=False, traverse=False) for _ in parts[:COPIES]]
        count, add = dask.delayed(_count, pure=False), dask.delayed(_add, pure=False)
        waiting = [count(copies[i % COPIES], part.held, part.start, part.numbered) for i, part in enumerate(parts)]
        while len(waiting) > FEW:
            waiting = [add(waiting[i : i + TOGETHER]) for i in range(0, len(waiting), TOGETHER)]
        return self._together(waiting, step)

    def _together(self, waiting: list[Any], step: Step) -> Total:
        """Add up the last few as they arrive."""
        dask, client = optional("dask", "to count on Dask", extra="dask"), self.client or _active()
        step("counting", 0.0)
        if client is None:
            return checked(add_up(dask.compute(waiting)[0]))
        distributed = optional("distributed", "to count on a Dask cluster", extra="dask")
        found: Total = None, 0
        futures = client.compute(waiting)
        try:
            for i, (_, one) in enumerate(distributed.as_completed(futures, loop=client.loop, with_results=True)):
                found = checked(add_up([found, one]))
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


def _count(kernel: Kernel[Any], held: Any, start: int, numbered: Any) -> Total:
    """Count a part, where it is."""
    source = held if isinstance(held, Source) else ChunkedSource(list(as_batches(held)))
    return attempt(kernel, Part(held, start, numbered).chunks(source, kernel.columns, labels=kernel.labels))


def _add(totals: list[Total]) -> Total:
    return add_there(totals)

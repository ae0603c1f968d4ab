"""`Engine`: maps a kernel over the chunks of a source and adds up; `LocalEngine` does so here, with a few threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar, Protocol, TypeVar

from joblib import cpu_count

from pyod_explain._progress import Step, silent
from pyod_explain.beyond_memory.source import Chunk, Source

MAX_THREADS = 8  # more wait for memory, and each holds the bits of a chunk
T_co = TypeVar("T_co", covariant=True)
Total = tuple[Any, int]  # what a kernel gave of some rows, None of no rows; and how many rows there were


class Kernel(Protocol[T_co]):
    """What is counted of a chunk. Results are added up by `+`, in any order.

    Attributes
    ----------
    asks_detector : True if it needs the numbers of the rows, and calls a detector, which may not bear several threads.
    """

    asks_detector: ClassVar[bool]

    @property
    def columns(self) -> Sequence[str]:
        """Columns that have to be read."""

    def __call__(self, chunk: Chunk) -> T_co:
        """Count a chunk."""


class Engine(Protocol):
    """Maps a kernel over all chunks of a source, and adds up what it gives."""

    def total(self, kernel: Kernel[Any], source: Source, step: Step = silent) -> Total:
        """Give the sum, and the number of rows; the sum is None of no rows."""


class LocalEngine:
    """A few chunks at a time, in this process: memory stays that of these, however many there are."""

    n_rows: int | None = None  # those of the last pass, to show the progress of the next

    def total(self, kernel: Kernel[Any], source: Source, step: Step = silent) -> Total:
        """Give the sum, and the number of rows; the sum is None of no rows."""
        expected = source.n_rows or self.n_rows

        def show(n_rows: int) -> None:
            step("counting", min(n_rows / expected, 1.0) if expected else 0.0)

        show(0)
        chunks = source.chunks(kernel.columns)
        workers = 1 if kernel.asks_detector else min(cpu_count(), MAX_THREADS)
        if workers == 1:
            found = sum_totals((count_chunk(kernel, chunk) for chunk in chunks), show)
        else:
            with ThreadPoolExecutor(workers) as pool:
                found = sum_totals(_ahead(pool, kernel, chunks, 2 * workers), show)
        self.n_rows = found[1]
        return found


def count_chunk(kernel: Kernel[Any], chunk: Chunk) -> Total:
    """Count a chunk, and its rows."""
    return kernel(chunk), chunk.n_rows


def _ahead(pool: ThreadPoolExecutor, kernel: Kernel[Any], chunks: Iterable[Chunk], most: int) -> Iterator[Total]:
    """Give the count of each chunk in their order, while others are being counted, at most so many."""
    waiting: deque[Future[Total]] = deque()
    try:
        for chunk in chunks:
            waiting.append(pool.submit(count_chunk, kernel, chunk))
            if len(waiting) == most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # an error, or somebody interrupted: what has not begun does not
        for one in waiting:
            one.cancel()


def sum_totals(totals: Iterable[Total], show: Callable[[int], None] = lambda _: None) -> Total:
    """Add up what was counted in several places.

    Parameters
    ----------
    totals : the counts.
    show : called with the number of rows counted, after each of them.

    Examples
    --------
    >>> sum_totals([(3, 10), (None, 0), (4, 5)])
    (7, 15)
    """
    found, n_rows = None, 0
    for one, n in totals:
        if one is not None:
            found = one if found is None else found + one
        n_rows += n
        show(n_rows)
    return found, n_rows

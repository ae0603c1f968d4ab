"""`Engine`: maps a kernel over the chunks of a source and adds up; `LocalEngine` does so here, with a few threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from joblib import cpu_count

from pyod_explain._progress import Step, silent
from pyod_explain.beyond_memory.source import Chunk, Source
from pyod_explain.exceptions import FileError, PyodExplainError

MAX_THREADS = 8  # more wait for memory, and each holds the bits of a chunk
T_co = TypeVar("T_co", covariant=True)
Total = tuple[Any, int]  # what a kernel gave of some rows, None of no rows; and how many rows there were


class Kernel(Protocol[T_co]):
    """What is counted of a chunk. Results are added up by `+`, in any order.

    Attributes
    ----------
    labels : True if it needs the numbers of the rows and their labels.
    threads : True if several chunks may be counted at once: it calls nothing of the user's, who may not expect that.
    """

    labels: ClassVar[bool]
    threads: ClassVar[bool]

    @property
    def columns(self) -> Sequence[str]:
        """Columns that have to be read."""
        ...

    def __call__(self, chunk: Chunk) -> T_co:
        """Count a chunk."""
        ...


class Engine(Protocol):
    """Maps a kernel over all chunks of a source, and adds up what it gives."""

    def total(self, kernel: Kernel[Any], source: Source, step: Step) -> Total:
        """Give the sum, and the number of rows; the sum is None of no rows."""
        ...


class LocalEngine:
    """A few chunks at a time, in this process: memory stays that of these, however many there are.

    Parameters
    ----------
    expected : number of rows, where it is known, for the progress.
    """

    def __init__(self, expected: int | None = None) -> None:
        self.expected = expected

    def total(self, kernel: Kernel[Any], source: Source, step: Step = silent) -> Total:
        """Give the sum, and the number of rows; the sum is None of no rows."""
        chunks = source.chunks(kernel.columns, labels=kernel.labels)
        workers = min(cpu_count(), MAX_THREADS) if kernel.threads else 1
        if workers == 1:
            return self._add((_counted(kernel, chunk) for chunk in chunks), step)
        with ThreadPoolExecutor(workers) as pool:
            return self._add(_ahead(pool, kernel, chunks, 2 * workers), step)

    def _add(self, totals: Iterable[Total], step: Step) -> Total:
        """Add up what arrives, and tell the progress."""
        n_rows = 0

        def with_progress() -> Iterator[Total]:
            nonlocal n_rows
            step("counting", 0.0)
            for one in totals:
                n_rows += one[1]
                step("counting", min(n_rows / self.expected, 1.0) if self.expected else 0.0)
                yield one

        return sum_totals(with_progress())


def _counted(kernel: Kernel[Any], chunk: Chunk) -> Total:
    return kernel(chunk), chunk.n_rows


def _ahead(pool: ThreadPoolExecutor, kernel: Kernel[Any], chunks: Iterable[Chunk], most: int) -> Iterator[Total]:
    """Give the count of each chunk in their order, while others are being counted, at most so many."""
    waiting: deque[Future[Total]] = deque()
    try:
        for chunk in chunks:
            waiting.append(pool.submit(_counted, kernel, chunk))
            if len(waiting) == most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # an error, or somebody interrupted: what has not begun does not
        for one in waiting:
            one.cancel()


@dataclass(frozen=True)
class Failed:
    """What stands in the place of a sum where chunks were refused: it travels, where an error would not as such.

    Attributes
    ----------
    kind : the class of the error.
    message : what it says.
    """

    kind: type[PyodExplainError]
    message: str


def total_or_failure(kernel: Kernel[Any], chunks: Iterable[Chunk]) -> Total:
    """Count chunks in another process, one after the other; what is refused is in the place of the sum."""
    return add_up_remotely(_counted(kernel, chunk) for chunk in chunks)


def add_up_remotely(totals: Iterable[Total]) -> Total:
    """Add up in another process; what is refused, also because there is too much of it, is in the place of the sum."""
    try:
        return sum_totals(totals)
    except PyodExplainError as error:
        return Failed(FileError if isinstance(error, FileError) else PyodExplainError, str(error)), 0


def raise_failure(total: Total) -> Total:
    """Give a sum, or raise the error that another process met."""
    if isinstance(total[0], Failed):
        raise total[0].kind(total[0].message)
    return total


def sum_totals(totals: Iterable[Total]) -> Total:
    """Add up what was counted in several places; nothing is left of it if one of them failed.

    >>> sum_totals([(3, 10), (None, 0), (4, 5)])
    (7, 15)
    """
    found, n_rows = None, 0
    for one, n in totals:
        if isinstance(one, Failed):
            return one, 0
        if one is not None:
            found = one if found is None else found + one
        n_rows += n
    return found, n_rows

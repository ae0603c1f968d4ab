"""`Engine`: maps a kernel over the chunks of a source and adds up; `InProcess` does so chunk by chunk, here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from pyod_explain._progress import Step, silent
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.source.source import Chunk, Source

__all__ = ["Engine", "Failed", "InProcess", "Kernel", "Total", "add_up", "attempt", "checked", "total_of"]

T_co = TypeVar("T_co", covariant=True)
Total = tuple[Any, int]  # what a kernel gave of some rows, None of no rows; and how many rows there were


class Kernel(Protocol[T_co]):
    """What is counted of a chunk. Results are added up by `+`, in any order.

    Attributes
    ----------
    labels : True if it needs the numbers of the rows and their labels.
    """

    labels: ClassVar[bool]

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


class InProcess:
    """Chunk after chunk, in this process: memory stays that of a few chunks, however many there are.

    Parameters
    ----------
    expected : number of rows, where it is known, for the progress.
    """

    def __init__(self, expected: int | None = None) -> None:
        self.expected = expected

    def total(self, kernel: Kernel[Any], source: Source, step: Step = silent) -> Total:
        """Give the sum, and the number of rows; the sum is None of no rows."""
        return total_of(kernel, source.chunks(kernel.columns, labels=kernel.labels), self.expected, step)


def total_of(kernel: Kernel[Any], chunks: Iterable[Chunk], expected: int | None = None, step: Step = silent) -> Total:
    """Count chunks one after the other: the sum, None of no rows, and the number of rows.

    Parameters
    ----------
    kernel : counts a chunk.
    chunks : the chunks.
    expected : number of rows, where it is known, for the progress.
    step : told the progress.
    """
    found, n_rows = None, 0
    for chunk in chunks:
        step("counting", min(n_rows / expected, 1.0) if expected else 0.0)
        one = kernel(chunk)
        found = one if found is None else found + one
        n_rows += chunk.n_rows
    return found, n_rows


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


def attempt(kernel: Kernel[Any], chunks: Iterable[Chunk]) -> Total:
    """Count chunks in another process: like `total_of`, with what is refused in the place of the sum."""
    try:
        return total_of(kernel, chunks)
    except PyodExplainError as error:
        return Failed(type(error), str(error)), 0


def checked(total: Total) -> Total:
    """Give a sum, or raise the error that another process met."""
    if isinstance(total[0], Failed):
        raise total[0].kind(total[0].message)
    return total


def add_up(totals: Iterable[Total]) -> Total:
    """Add up what was counted in several places; nothing is left of it if one of them failed.

    >>> add_up([(3, 10), (None, 0), (4, 5)])
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

"""`Engine`: maps a kernel over the chunks of a source and adds up; `InProcess` does so chunk by chunk, here."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from pyod_explain._progress import Step, silent
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.source.population import Population
from pyod_explain.source.source import Chunk, Source

__all__ = ["Engine", "InProcess", "Kernel", "count_normals"]

T_co = TypeVar("T_co", covariant=True)


class Kernel(Protocol[T_co]):
    """What is counted of a chunk. Results are added up by `+`, in any order."""

    @property
    def columns(self) -> list[str]:
        """Columns that have to be read."""
        ...

    def __call__(self, chunk: Chunk) -> T_co:
        """Count a chunk."""
        ...


class Engine(Protocol):
    """Maps a kernel over all chunks of a source, and adds up what it gives."""

    def total(self, kernel: Kernel[Any], source: Source, step: Step) -> tuple[Any, int]:
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

    def total(self, kernel: Kernel[Any], source: Source, step: Step = silent) -> tuple[Any, int]:
        """Give the sum, and the number of rows; the sum is None of no rows."""
        found, n_rows = None, 0
        for chunk in source.chunks(kernel.columns):
            step("counting", min(n_rows / self.expected, 1.0) if self.expected else 0.0)
            one = kernel(chunk)
            found = one if found is None else found + one
            n_rows += chunk.n_rows
        return found, n_rows


def count_normals(
    kernel: Kernel[Any], population: Population, *, engine: Engine | None = None, step: Step = silent
) -> Any:
    """Count the normal rows: all rows, less those that are not normal, which were kept.

    So nobody has to be asked again which rows are outliers.

    Parameters
    ----------
    kernel : counts a chunk; what it gives adds up and can be taken away.
    population : the rows.
    engine : maps it; this process if None.
    step : told the progress.
    """
    engine = InProcess(population.n_rows) if engine is None else engine
    found, n_rows = engine.total(kernel, population.source, step)
    if n_rows != population.n_rows:
        raise PyodExplainError(
            f"`X` must give the same rows each time it is read, but {population.source.name} gave "
            f"{population.n_rows:,} rows at first and {n_rows:,} later.\n"
            "Hint: write it to parquet files first, and explain these."
        )
    return found if population.apart is None else found - kernel(population.apart)

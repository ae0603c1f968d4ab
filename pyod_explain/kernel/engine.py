"""`count_normals`: what an engine counts of all rows, less what is known of those that are not normal."""

from __future__ import annotations

from typing import Any

from pyod_explain._progress import Step, silent
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.source import Engine, InProcess, Kernel, Population

__all__ = ["Engine", "InProcess", "Kernel", "count_normals"]


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
        raise _changed(population, f"gave {population.n_rows:,} rows at first and {n_rows:,} later")
    if population.apart is None:
        return found
    normals = found - kernel(population.apart)
    if (getattr(normals, "counts", normals) < 0).any():
        raise _changed(population, "lacked rows later that it gave at first")
    return normals


def _changed(population: Population, how: str) -> PyodExplainError:
    return PyodExplainError(
        f"`X` must give the same rows each time it is read, but {population.source.name} {how}.\n"
        "Hint: write it to parquet files first, and explain these."
    )

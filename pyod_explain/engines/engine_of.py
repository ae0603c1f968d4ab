"""`engine_of`: who counts the rows of a source."""

from __future__ import annotations

from typing import Any

from pyod_explain._validate import shown
from pyod_explain.engines.on_dask import OnDask
from pyod_explain.engines.on_spark import OnSpark
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.source import DaskSource, Engine, Source, SparkSource

__all__ = ["engine_of"]

KNOWN: dict[tuple[str, str], type[OnDask | OnSpark]] = {
    ("distributed", "Client"): OnDask,
    ("pyspark", "SparkSession"): OnSpark,
}


def engine_of(engine: Any, source: Source | None) -> Engine | None:
    """Give who maps kernels over a source; None if this process does.

    Libraries are told by the names of their types, never by importing them.

    Parameters
    ----------
    engine : None, a `distributed.Client` or a `SparkSession`.
    source : the rows; None if they are a table in memory.

    Examples
    --------
    >>> engine_of("dask", None)
    Traceback (most recent call last):
    ...
    pyod_explain.exceptions.PyodExplainError: `engine` of explain() must be None, a `distributed.Client` or a
    `SparkSession`, got 'dask'.
    """
    if engine is None:
        if isinstance(source, SparkSource):
            return OnSpark(source.frame.sparkSession)
        return OnDask() if isinstance(source, DaskSource) else None
    root, _, _ = type(engine).__module__.partition(".")
    make = KNOWN.get((root, type(engine).__name__))
    if make is None:
        raise PyodExplainError(
            f"`engine` of explain() must be None, a `distributed.Client` or a `SparkSession`, got {shown(engine)}."
        )
    if not _can_read(make, source):
        raise PyodExplainError(
            f"`engine` of explain() must be None for rows that its workers cannot read by themselves, got a "
            f"{type(engine).__name__} for {'a table in memory' if source is None else source.name}.\n"
            "Hint: pass the path of parquet files that all workers can reach."
        )
    if isinstance(source, DaskSource):
        source.client = engine  # which counts its partitions too, and may be the only one that holds them
    return make(engine)


def _can_read(make: type[OnDask | OnSpark], source: Source | None) -> bool:
    """Tell whether workers elsewhere can read the rows: their own library's frames, and files."""
    if isinstance(source, SparkSource | DaskSource):
        return (make is OnSpark) == isinstance(source, SparkSource)
    return source is not None and source.parts([]) is not None

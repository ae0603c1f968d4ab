"""`engine_of`: who counts the rows of a source."""

from __future__ import annotations

from typing import Any

from pyod_explain._validate import shown
from pyod_explain.engines.on_dask import OnDask
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.source.dask_frame import DaskSource
from pyod_explain.source.engine import Engine
from pyod_explain.source.source import Source

__all__ = ["engine_of"]


def engine_of(engine: Any, source: Source | None) -> Engine | None:
    """Give who maps kernels over a source; None if this process does.

    Parameters
    ----------
    engine : None or a `distributed.Client`.
    source : the rows; None if they are a table in memory.

    Examples
    --------
    >>> engine_of("dask", None)
    Traceback (most recent call last):
    ...
    pyod_explain.exceptions.PyodExplainError: `engine` of explain() must be None or a `distributed.Client`, got 'dask'.
    """
    if engine is None:
        return OnDask() if isinstance(source, DaskSource) else None
    root, _, _ = type(engine).__module__.partition(".")
    if root != "distributed" or type(engine).__name__ != "Client":
        raise PyodExplainError(f"`engine` of explain() must be None or a `distributed.Client`, got {shown(engine)}.")
    _check_parts(engine, source)
    return OnDask(engine)


def _check_parts(engine: Any, source: Source | None) -> None:
    """Refuse rows that workers elsewhere cannot read."""
    if source is None or source.parts(source.columns) is None:
        held = "a table in memory" if source is None else source.name
        raise PyodExplainError(
            f"`engine` of explain() must be None for rows that its workers cannot read by themselves, got "
            f"a {type(engine).__name__} for {held}.\nHint: pass the path of parquet files that all workers can reach."
        )

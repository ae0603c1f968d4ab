"""`as_source`: what the user has as a `Source`, if it is none of the tables that are read into memory as they are."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from inspect import isfunction, ismethod
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain._validate import check_int, optional
from pyod_explain.beyond_memory import streams
from pyod_explain.beyond_memory.dask import DaskEngine, DaskSource
from pyod_explain.beyond_memory.engines import Engine, LocalEngine
from pyod_explain.beyond_memory.files import DatasetSource, dataset_of_path
from pyod_explain.beyond_memory.source import Source
from pyod_explain.beyond_memory.spark import SparkEngine, SparkSource
from pyod_explain.exceptions import ParameterError

SOURCES: dict[tuple[str, str], Callable[[Any], Source]] = {
    ("dask", "DataFrame"): DaskSource,
    ("dask_expr", "DataFrame"): DaskSource,
    ("polars", "LazyFrame"): streams.LazyFrameSource,
    ("pyarrow", "RecordBatchReader"): streams.ReaderSource,
}
TABLE_LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf")  # whose frames are tables that are there


@dataclass(frozen=True, eq=False)
class LargeTable:
    """Rows that need not fit into memory, with how to read and count them; pass it to `explain` as `X`.

    Attributes
    ----------
    source : the rows, as `explain` takes them: a path, a dataset, a relation, a Dask or Spark DataFrame, ...
    sample : how many normal rows to look for rules in, at most; by default as many as fit, with their bits, into 256
        MB. All outliers are kept. A table with no more rows than this is read as a whole.
    engine : who counts the rows. None: this process, or Dask for a Dask DataFrame and Spark for a Spark DataFrame. A
        `distributed.Client` or a `SparkSession`: its workers, which read the parquet files themselves.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain import explain
    >>> parts = [pd.DataFrame({"amount": range(500), "flag": 0}), pd.DataFrame({"amount": [900] * 20, "flag": 1})]
    >>> explain("flag", LargeTable(parts, sample=100))
    Explanation(20 of 20 outliers in 1 group by 1 rule)
    """

    source: Any
    sample: int | None = None
    engine: Any = None

    def __post_init__(self) -> None:
        if self.sample is not None:
            check_int("LargeTable", "sample", self.sample, low=1)


def as_source(X: Any) -> Source | None:
    """Give a source of rows, or None if this is a table in memory (or nothing that could be read).

    Libraries are recognised by the names of their types, never by importing them.

    Parameters
    ----------
    X : the path of parquet files (a file, a folder, a pattern), a `pyarrow.dataset.Dataset` or `RecordBatchReader`,
        anything with `__arrow_c_stream__` (a DuckDB relation), Polars' LazyFrame, a DataFrame of Dask or Spark, or an
        iterable of record batches or frames, or a function that makes one.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [1, 2]})
    >>> as_source(frame) is None
    True
    >>> as_source(frame for _ in range(3)).repeatable, as_source([frame, frame]).repeatable
    (False, True)
    """
    if X is None or isinstance(X, np.ndarray | pd.DataFrame | pd.Series):
        return None
    if isinstance(X, Source):
        return X
    if isinstance(X, LargeTable):
        return as_source(X.source)
    if isinstance(X, str | os.PathLike):
        return dataset_of_path(X)
    root, _, _ = type(X).__module__.partition(".")
    make = _of_library(root, X)
    if make is not None:
        return make(X)
    if hasattr(type(X), "__arrow_c_stream__"):
        return None if root in TABLE_LIBRARIES else streams.StreamSource(X)
    if isfunction(X) or ismethod(X) or hasattr(type(X), "__next__"):
        return streams.ChunkedSource(X)
    return streams.ChunkedSource(X) if isinstance(X, list | tuple) and len(X) > 0 and streams.is_chunk(X[0]) else None


def _of_library(root: str, X: Any) -> Callable[[Any], Source] | None:
    if root in ("duckdb", "_duckdb"):
        return streams.DuckDBSource
    if type(X).__module__.startswith("pyspark.sql.") and type(X).__name__ == "DataFrame":
        return SparkSource
    if root != "pyarrow" or type(X).__name__ == "RecordBatchReader":
        return SOURCES.get((root, type(X).__name__))
    dataset = optional("pyarrow.dataset", "to read Arrow datasets", extra="arrow")
    return DatasetSource if isinstance(X, dataset.Dataset) else None


def choose_engine(engine: Any, source: Source | None) -> Engine:
    """Give who maps kernels over a source.

    Libraries are recognised by the names of their types, never by importing them.

    Parameters
    ----------
    engine : None, a `distributed.Client` or a `SparkSession`.
    source : the rows; None if they are a table in memory.

    Examples
    --------
    >>> choose_engine("dask", None)
    Traceback (most recent call last):
    ...
    pyod_explain.exceptions.ParameterError: `engine` of LargeTable must be None, a `distributed.Client` or a
    `SparkSession`, got 'dask'.
    """
    if engine is None:
        if isinstance(source, SparkSource):
            return SparkEngine(source.frame.sparkSession)
        return DaskEngine() if isinstance(source, DaskSource) else LocalEngine()
    kind = (type(engine).__module__.partition(".")[0], type(engine).__name__)
    if kind not in (("distributed", "Client"), ("pyspark", "SparkSession")):
        requirement = "None, a `distributed.Client` or a `SparkSession`"
        raise ParameterError("engine", requirement, got=engine, owner="LargeTable")
    own, other = (DaskSource, SparkSource) if kind[0] == "distributed" else (SparkSource, DaskSource)
    if isinstance(source, other) or not (isinstance(source, own) or (source is not None and source.parts([]))):
        requirement = "None for rows that its workers cannot read by themselves"
        got = f"a {kind[1]} for {'a table in memory' if source is None else source.name}"
        hint = "pass the path of parquet files that all workers can reach."
        raise ParameterError("engine", requirement, got_text=got, hint=hint, owner="LargeTable")
    if isinstance(source, DaskSource):
        source.client = engine  # which counts its partitions too, and may be the only one that holds them
    return DaskEngine(engine) if kind[0] == "distributed" else SparkEngine(engine)

"""Polars and Arrow tables as pandas series, read so that no cell is rounded: integers with gaps stay integers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._optional import optional
from pyod_explain.input.clock import NAT, zone_name
from pyod_explain.input.read_times import times_of_day

__all__ = ["from_narwhals"]


def from_narwhals(
    X: Any, argument: str, only: Collection[str] | None
) -> tuple[list[str], list[pd.Series[Any]], pd.Index[Any]]:
    """Give names, columns and row labels; a column that is not in `only` may hold anything, and is not read."""
    narwhals = optional("narwhals", "to read tables other than pandas", extra="tables")
    if type(X).__name__ == "RecordBatch":  # of Arrow, whose tables are made of batches
        X = optional("pyarrow", "to read Arrow tables").Table.from_batches([X])
    try:
        frame = narwhals.from_native(X, eager_only=True)
    except TypeError:
        raise TypeError(
            f"`{argument}` must be a DataFrame (pandas, Polars), an Arrow table or a 2-D array, "
            f"got {type(X).__name__}.\nHint: collect a lazy frame first, or build a DataFrame from it."
        ) from None
    rows = pd.RangeIndex(len(frame))
    nothing = pd.Series(np.nan, index=rows)  # stands for a column that nobody asked for
    read = [_read_series(frame[n]) if only is None or n in only else nothing for n in frame.columns]
    return list(frame.columns), read, rows


def _read_series(column: Any) -> pd.Series[Any]:
    kind = str(column.dtype).partition("(")[0]  # by its name, as narwhals has had no other way to ask in all versions
    if kind in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"):
        null = _nulls(column)
        return pd.Series(pd.arrays.IntegerArray(np.array(column.fill_null(0).to_numpy()), null))
    if kind in ("Float32", "Float64"):
        return pd.Series(np.array(column.to_numpy(), dtype=kind.lower()))
    if kind in ("Datetime", "Duration"):  # as counts, since Python's own types have no nanoseconds
        code, unit = "M" if kind == "Datetime" else "m", column.dtype.time_unit
        times = pd.Series(np.where(_nulls(column), NAT, _counts(column)).astype(f"{code}8[{unit}]"))
        zone = getattr(column.dtype, "time_zone", None)
        return times if zone is None else times.dt.tz_localize("UTC").dt.tz_convert(zone_name(zone))
    if kind in ("Time", "Unknown"):  # unknown to the first versions of narwhals
        native = column.to_native()
        if str(getattr(native, "type", getattr(native, "dtype", None))) in ("time64[ns]", "Time"):  # Arrow, Polars
            counts = native.to_physical() if hasattr(native, "to_physical") else native.cast("int64")
            return times_of_day(np.asarray(counts.fill_null(0), dtype=np.int64), _nulls(column))
    return pd.Series(column.to_list(), dtype=object)


def _nulls(column: Any) -> NDArray[np.bool_]:
    return np.asarray(column.is_null().to_numpy(), dtype=bool)


def _counts(column: Any) -> NDArray[np.int64]:
    """Give times as whole numbers of their unit; 0 where missing."""
    narwhals = optional("narwhals", "to read tables other than pandas", extra="tables")
    return np.asarray(column.cast(narwhals.Int64).fill_null(0).to_numpy(), dtype=np.int64)

"""Whole numbers of 64 bits with gaps among them, all of whose digits are kept: pandas makes doubles of them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pyod_explain.input import EXACT_UP_TO
from pyod_explain.source.arrow_column import pyarrow

__all__ = ["frame_with_all_digits", "lossy", "with_all_digits"]


def frame_with_all_digits(table: Any) -> pd.DataFrame:
    """Make a frame of a table of Arrow.

    >>> import pyarrow as pa
    >>> frame_with_all_digits(pa.table({"k": [2**60 + 1, None], "n": [1, None]}))["k"].tolist()
    [1152921504606846977, <NA>]
    """
    frame: pd.DataFrame = table.to_pandas()
    return with_all_digits(frame, {name: table.column(name) for name in lossy(frame, table.schema)})


def lossy(frame: pd.DataFrame, schema: Any) -> list[str]:
    """Name the columns that may have lost digits: whole numbers that are doubles in the frame.

    Parameters
    ----------
    frame : as pandas reads the rows.
    schema : what Arrow says of them.
    """
    types = pyarrow().types
    if not frame.columns.is_unique or len(set(schema.names)) < len(schema.names):
        return []
    wide = [field.name for field in schema if types.is_int64(field.type) or types.is_uint64(field.type)]
    return [name for name in wide if name in frame.columns and frame[name].dtype == "float64"]


def with_all_digits(frame: pd.DataFrame, columns: dict[str, Any]) -> pd.DataFrame:
    """Put those columns of Arrow that doubles cannot hold in their places.

    Parameters
    ----------
    frame : the rows.
    columns : whole numbers, by the name of their column.
    """
    exact = {
        name: pd.Series(
            column.to_pandas(types_mapper={column.type: _NULLABLE[str(column.type)]}.get).array, index=frame.index
        )
        for name, column in columns.items()
        if (frame[name].abs() >= EXACT_UP_TO).any()
    }
    return frame.assign(**exact)


_NULLABLE = {"int64": pd.Int64Dtype(), "uint64": pd.UInt64Dtype()}

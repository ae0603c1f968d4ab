"""The outliers' cells as JSON, and back: a column of them is read as it was, so that rules match the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Column, Kind, Table, has_hash, read_column

Write = Callable[[Any, str], Any]


def write_cells(table: Table, write_value: Write) -> dict[str, Any]:
    """Write the cells, a list for each column, with null where one is missing.

    A column whose values JSON cannot keep is left out: what rules say of it cannot be told from the file.

    Parameters
    ----------
    table : the rows.
    write_value : writes a value of a category.

    Examples
    --------
    >>> from pyod_explain.input import as_table
    >>> write_cells(as_table(pd.DataFrame({"a": [1, 2], "b": ["x", None]})), lambda value, _: value)["columns"]["b"]
    {'kind': 'category', 'timezone': None, 'categories': ['x'], 'values': [0, None]}
    """
    columns = {}
    for name, column in table.columns.items():
        written: dict[str, Any] = {"kind": column.kind, "timezone": column.timezone}
        try:
            if column.kind in ("category", "boolean"):
                written["categories"] = [write_value(one, name) for one in column.categories]
            columns[name] = written | {"values": _values(column, write_value)}
        except PyodExplainError:
            continue
    return {"row_counts": None if table.row_counts is None else table.row_counts.tolist(), "columns": columns}


def _values(column: Column, write_value: Write) -> list[Any]:
    """Give codes of categories, numbers as they are, moments as text (in UTC) and durations in nanoseconds."""
    values = column.values
    if column.kind == "datetime":
        listed = np.datetime_as_string(values).tolist()
    elif column.kind == "timedelta":
        listed = values.view(np.int64).tolist()
    else:
        listed = values.tolist()
        if column.kind == "number" and (values.dtype == object or not np.isfinite(values).all()):
            listed = [write_value(one, column.name) for one in listed]
    return [None if gone else one for one, gone in zip(listed, column.missing.tolist(), strict=True)]


def read_cells(data: Any, index: pd.Index[Any] | None, read_value: Callable[[Any, str], Any]) -> Table:
    """Read what `write_cells` wrote; raise ValueError, TypeError or LookupError for anything else.

    Parameters
    ----------
    data : what was written.
    index : the labels of the rows; None for numbers from 0.
    read_value : reads a value of a category.
    """
    row_counts = None if data["row_counts"] is None else np.array(_whole(data["row_counts"]), dtype=np.int64)
    columns = {str(name): _read(str(name), one, read_value) for name, one in data["columns"].items()}
    if index is None:
        index = pd.RangeIndex(len(next(iter(columns.values())).missing) if columns else 0)
    lengths = {len(one.missing) for one in columns.values()} | ({len(row_counts)} if row_counts is not None else set())
    if lengths - {len(index)} or (row_counts is not None and (row_counts < 0).any()):
        raise ValueError("as many cells in each column as there are rows")
    return Table(columns, index, row_counts=row_counts)


def _whole(numbers: Any) -> list[int]:
    if not isinstance(numbers, list) or not all(type(one) is int for one in numbers):
        raise ValueError("whole numbers")
    return numbers


def _read(name: str, data: Mapping[str, Any], read_value: Callable[[Any, str], Any]) -> Column:
    kind, zone, values = data["kind"], data["timezone"], data["values"]
    if kind not in get_args(Kind) or not isinstance(values, list) or not (zone is None or isinstance(zone, str)):
        raise ValueError("a known kind of column")
    missing = np.array([value is None for value in values], dtype=bool)
    if kind in ("category", "boolean"):
        return _read_codes(name, kind, data, missing, read_value)
    if kind == "number":
        column = read_column(name, pd.Series([read_value(one, name) for one in values], dtype=object), "cells")
        if column.kind != "number" and not missing.all():
            raise ValueError("numbers")
        return column if column.kind == "number" else Column(name, kind, np.full(len(values), np.nan), missing)
    cells: NDArray[Any]
    if kind == "datetime":
        cells = np.array([str(one or "NaT") for one in values], dtype="M8[ns]")
    else:
        cells = np.array([0 if one is None else one for one in values], dtype=np.int64).view("m8[ns]")
        cells[missing] = np.timedelta64("NaT")
    return Column(name, kind, cells, missing, timezone=zone)


def _read_codes(
    name: str, kind: Any, data: Mapping[str, Any], missing: BoolArray, read_value: Callable[[Any, str], Any]
) -> Column:
    listed, codes = (
        data["categories"],
        np.array(_whole([-1 if one is None else one for one in data["values"]]), np.int64),
    )
    categories = tuple(read_value(one, name) for one in listed)
    valid = isinstance(listed, list) and all(map(has_hash, categories)) and len(set(categories)) == len(categories)
    if not valid or (codes < -1).any() or (codes >= len(categories)).any():
        raise ValueError("codes of its categories")
    return Column(name, kind, codes, missing, categories)

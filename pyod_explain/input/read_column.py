"""`read_column`: what a column of the user's is: numbers, times, booleans, categories or collections of labels."""

from __future__ import annotations

import decimal
from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.clock import NAT
from pyod_explain.input.errors import bad_column, short_name
from pyod_explain.input.read_categories import read_categories
from pyod_explain.input.read_numbers import read_numbers
from pyod_explain.input.read_times import have_zone, read_datetimes, read_durations, times_of_day
from pyod_explain.input.table import Column

__all__ = ["read_column"]


def read_column(name: str, series: pd.Series[Any], argument: str) -> Column:
    """Decide what one column is, by its type or, if it holds Python objects, by these.

    Parameters
    ----------
    name : of the column.
    series : its cells.
    argument : what to call the table in an error message.

    Examples
    --------
    >>> read_column("when", pd.Series(["2024-01-01", None], dtype="datetime64[s]"), "X").kind
    'datetime'
    """
    try:
        missing = np.asarray(series.isna(), dtype=bool)
    except decimal.InvalidOperation:  # a signaling NaN, which refuses even the question whether it equals itself
        raise bad_column(name, argument, "must hold numbers, got a signaling NaN", "make it missing") from None
    return _of_type(name, _usual_type(series, missing), missing, argument)


def _usual_type(series: pd.Series[Any], missing: NDArray[np.bool_]) -> pd.Series[Any]:
    """Give sparse columns, periods, and durations and times of day of Arrow in a type that all versions know."""
    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        return pd.Series(np.asarray(series.array.to_dense()))
    if isinstance(dtype, pd.PeriodDtype):
        stamps: pd.Series[Any] = series.dt.to_timestamp()
        return stamps
    if isinstance(dtype, pd.ArrowDtype) and str(dtype).startswith("duration["):  # to pandas before 3 these are objects
        steps = np.asarray(series.astype("int64[pyarrow]").fillna(NAT), dtype=np.int64)
        return pd.Series(steps.astype(f"m8[{dtype.pyarrow_dtype.unit}]"))
    if str(dtype).startswith("time64[ns]"):
        return times_of_day(np.asarray(series.astype("int64[pyarrow]").fillna(0), dtype=np.int64), missing)
    return series


def _of_type(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    """Read a column by its type. Order matters: booleans are integers to numpy, categories hide a dtype."""
    types, dtype = pd.api.types, series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return read_categories(name, series.astype(object), missing, argument)
    if types.is_bool_dtype(dtype):
        return _booleans(name, series, missing)
    if types.is_complex_dtype(dtype):
        raise _complex(name, argument)
    if types.is_numeric_dtype(dtype):
        return read_numbers(name, series, missing, argument)
    dates = str(dtype).startswith(("date32", "date64"))  # of Arrow, which are objects to us
    if types.is_datetime64_any_dtype(dtype) and not dates:
        return read_datetimes(name, series, missing, argument)
    if types.is_timedelta64_dtype(dtype):
        return read_durations(name, series, missing, argument)
    return _of_objects(name, series.astype(object), missing, argument)


def _of_objects(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    """Look inside a column of Python objects: numbers and dates become what they are, the rest categories."""
    inferred = pd.api.types.infer_dtype(series, skipna=True)
    if inferred.startswith("mixed") and any(isinstance(cell, list | set | frozenset | np.ndarray) for cell in series):
        return _collections(name, series, missing, argument)
    if inferred == "boolean":
        return _booleans(name, series, missing)
    if inferred in ("integer", "floating", "mixed-integer-float", "decimal"):
        return read_numbers(name, series, missing, argument)
    if inferred in ("datetime", "datetime64", "date") and len(have_zone(series[~missing])) == 1:
        return read_datetimes(name, series, missing, argument)
    if inferred in ("timedelta", "timedelta64"):
        return read_durations(name, series, missing, argument)
    if inferred == "complex":
        raise _complex(name, argument)
    if missing.all():
        return Column(name, "number", np.full(len(series), np.nan), missing)
    return read_categories(name, series, missing, argument)


def _collections(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
    cells = series.to_numpy(dtype=object)
    for cell in cells[~missing]:
        if not _is_collection(cell):
            raise bad_column(
                name,
                argument,
                f"must hold a list or set of labels in every cell, got {shown(cell, 40)}",
                "split text into labels first, for example with X[column].str.split(','), and make lists in lists "
                "flat; or drop the column",
            )
    return Column(name, "labels", cells, missing)


def _is_collection(cell: Any) -> bool:
    """Tell whether a cell can be asked for labels: text would be searched letter by letter."""
    if isinstance(cell, str | bytes) or not isinstance(cell, Collection):
        return False
    try:
        frozenset(cell)
    except TypeError:  # a label that does not hash
        return False
    return True


def _booleans(name: str, series: pd.Series[Any], missing: NDArray[np.bool_]) -> Column:
    codes = np.full(len(series), -1, dtype=np.int32)
    codes[~missing] = np.asarray(series[~missing], dtype=bool)
    return Column(name, "boolean", codes, missing, (False, True))


def _complex(name: str, argument: str) -> PyodExplainError:
    return PyodExplainError(
        f"Complex data not supported: column {short_name(name)!r} of `{argument}` must hold real numbers.\n"
        "Hint: split it into two columns, real and imaginary part."
    )

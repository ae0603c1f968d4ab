"""`read_column`: what a column of the user's is: numbers, times, booleans or categories."""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.categories import read_categories
from pyod_explain.input.table import Column, Table
from pyod_explain.input.times import have_zone, read_datetimes, read_durations
from pyod_explain.input.values import as_decimal, bad_column, infinite_cells, plain_number, short_name


def read_column(name: str, series: pd.Series[Any], argument: str) -> Column:
    """Decide what one column of pandas is, by its type or, if it holds Python objects, by these.

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
    if isinstance(series.dtype, pd.SparseDtype):
        series = pd.Series(np.asarray(series.array.to_dense()))
    elif isinstance(series.dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    return _of_type(name, series, missing, argument)


def stack(one: Table, other: Table) -> Table:
    """Give the rows of two tables as one, with the columns that both have and that hold values of one kind.

    >>> from pyod_explain.input import as_table
    >>> stack(as_table([[1], [2]]), as_table([[2.5]]))["x0"].values.tolist()
    [1.0, 2.0, 2.5]
    """
    columns = {}
    for name, column in one.columns.items():
        more = other.columns.get(name)
        if more is not None and (more.kind, more.timezone) == (column.kind, column.timezone):
            columns[name] = _stack_columns(column, more)
    row_counts = None
    if one.row_counts is not None or other.row_counts is not None:
        parts = [np.ones(t.n_rows, np.int64) if t.row_counts is None else t.row_counts for t in (one, other)]
        row_counts = np.concatenate(parts)
    return Table(columns, pd.RangeIndex(one.n_rows + other.n_rows), row_counts=row_counts)


def _stack_columns(one: Column, other: Column) -> Column:
    if one.values.dtype == other.values.dtype and one.values.dtype != object and one.categories == other.categories:
        missing = np.concatenate([one.missing, other.missing])
        values = np.concatenate([one.values, other.values])
        return Column(one.name, one.kind, values, missing, one.categories, one.timezone)
    cells = [column.cell(i) for column in (one, other) for i in range(len(column.missing))]
    if one.kind == "category":
        series = pd.Series(cells, dtype=object)
        return read_categories(one.name, series, np.asarray(series.isna(), dtype=bool), "X")
    return read_column(one.name, pd.Series(cells, dtype=object), "X")


def _of_type(name: str, series: pd.Series[Any], missing: BoolArray, argument: str) -> Column:
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
    if types.is_datetime64_any_dtype(dtype):
        return read_datetimes(name, series, missing, argument)
    if types.is_timedelta64_dtype(dtype):
        return read_durations(name, series, missing, argument)
    return _of_objects(name, series.astype(object), missing, argument)


def _of_objects(name: str, series: pd.Series[Any], missing: BoolArray, argument: str) -> Column:
    """Look inside a column of Python objects: numbers and dates become what they are, the rest categories."""
    inferred = pd.api.types.infer_dtype(series, skipna=True)
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


def _booleans(name: str, series: pd.Series[Any], missing: BoolArray) -> Column:
    codes = np.full(len(series), -1, dtype=np.int32)
    codes[~missing] = np.asarray(series[~missing], dtype=bool)
    return Column(name, "boolean", codes, missing, (False, True))


def _complex(name: str, argument: str) -> PyodExplainError:
    problem = f"Complex data not supported: column {short_name(name)!r} of `{argument}` must hold real numbers."
    return PyodExplainError(problem, hint="split it into two columns, real and imaginary part.")


MAX_DOUBLE = int(np.finfo(np.float64).max)


def read_numbers(name: str, series: pd.Series[Any], missing: BoolArray, argument: str) -> Column:
    """Read finite numbers, none of them changed."""
    found = _exact_numbers(series[~missing], name, argument)
    values = np.full(len(series), np.nan if found.dtype.kind == "f" else 0, dtype=found.dtype)
    values[~missing] = found
    if values.dtype.kind == "f":
        values += 0.0  # -0.0 becomes 0.0: equal numbers that would be written in two ways
    infinite = int(np.isinf(found).sum()) if found.dtype.kind == "f" else 0
    if infinite:
        raise infinite_cells(name, argument, infinite)
    return Column(name, "number", values, missing)


def _exact_numbers(present: pd.Series[Any], name: str, argument: str) -> NDArray[Any]:
    """Give the numbers in a type that has each of them: int64, uint64, a float, or objects."""
    plain: Any = getattr(present.dtype, "numpy_dtype", present.dtype)  # that of a nullable or Arrow type
    if plain.kind in "iuf":
        with np.errstate(over="ignore"):  # long doubles beyond all doubles are refused as infinite
            return present.to_numpy(dtype=wide(plain))
    return _exact_objects(present.astype(object).tolist(), name, argument)


def _exact_objects(cells: list[Any], name: str, argument: str) -> NDArray[Any]:
    kinds = set(map(type, cells))
    if kinds == {float}:
        return np.array(cells, dtype=np.float64)
    if not kinds <= {int, Decimal}:  # as it mostly is
        cells = [plain_number(cell) for cell in cells]
    if any(isinstance(cell, Decimal) for cell in cells):
        return _objects_within_floats([as_decimal(cell) for cell in cells], name, argument)
    if all(isinstance(cell, int) for cell in cells):
        for dtype in (np.int64, np.uint64):
            try:
                return np.array(cells, dtype=dtype)
            except OverflowError:
                continue  # too large for this type: the next one is wider
        return _objects_within_floats(cells, name, argument)
    whole = _within_floats([cell for cell in cells if isinstance(cell, int)], name, argument)
    if all(float(cell) == cell for cell in whole):
        return np.array(cells, dtype=np.float64)
    return _objects_within_floats([as_decimal(cell) for cell in cells], name, argument)  # whole ones beyond 2**53


def _objects_within_floats(cells: Sequence[Any], name: str, argument: str) -> NDArray[Any]:
    infinite = sum(isinstance(cell, Decimal) and cell.is_infinite() for cell in cells)
    if infinite:
        raise infinite_cells(name, argument, infinite)
    values = np.empty(len(cells), dtype=object)
    values[:] = _within_floats(cells, name, argument)
    return values


def _within_floats(cells: Sequence[Any], name: str, argument: str) -> Sequence[Any]:
    """Return the numbers; refuse such as lie beyond all doubles, which have no place on an axis or in a distance."""
    if cells and (max(cells) > MAX_DOUBLE or min(cells) < -MAX_DOUBLE):
        raise bad_column(name, argument, "must hold numbers that fit into a float, got larger ones", "rescale it")
    return cells


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Give the type that numbers are kept in: int64, uint64, or a float as it is (its cells are doubles anyway)."""
    if dtype.kind in "iu":
        return np.dtype(np.int64 if dtype.kind == "i" else np.uint64)
    return np.dtype(np.float64) if dtype.itemsize > 8 else dtype.newbyteorder("=")

"""A column of numbers, each kept exactly: in the shortest type that has all of them, or as objects."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.input.errors import bad_column, infinite_cells
from pyod_explain.input.exact import as_decimal, plain_number
from pyod_explain.input.table import Column

__all__ = ["longer_than_double", "read_numbers", "wide"]

LARGEST = int(np.finfo(np.float64).max)


def read_numbers(name: str, series: pd.Series[Any], missing: NDArray[np.bool_], argument: str) -> Column:
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
    if plain.kind in "iuf" and not longer_than_double(plain):
        return present.to_numpy(dtype=wide(plain))
    if longer_than_double(plain):
        with np.errstate(over="ignore"):  # one beyond all doubles is refused below
            short = present.to_numpy().astype(np.float64)
        if (short == present.to_numpy()).all():  # as they mostly are
            return short
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
    if cells and (max(cells) > LARGEST or min(cells) < -LARGEST):
        raise bad_column(name, argument, "must hold numbers that fit into a float, got larger ones", "rescale it")
    return cells


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Give the type that numbers are kept in: int64, uint64, or a float as it is (its cells are doubles anyway)."""
    if dtype.kind in "iu":
        return np.dtype(np.int64 if dtype.kind == "i" else np.uint64)
    return dtype.newbyteorder("=")


def longer_than_double(dtype: np.dtype[Any]) -> bool:
    """Tell whether cells may have more digits than a double."""
    return dtype.kind == "f" and dtype.itemsize > 8

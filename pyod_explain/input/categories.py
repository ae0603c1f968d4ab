"""A column of categories: its distinct values in a fixed order, equal ones in one form, and the code of each cell."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, IndexArray
from pyod_explain.input.table import Column
from pyod_explain.input.values import bad_column, has_hash, plain_number, plain_value

CELLS_AT_ONCE = 65_536  # texts joined to look at their letters


def read_categories(name: str, series: pd.Series[Any], missing: BoolArray, argument: str) -> Column:
    """Read values that need not be of one type; each must be hashable."""
    try:
        # As an array: pandas before 3 makes an index of a series, and fails on numbers beyond all floats.
        codes, distinct = _factorize(series.to_numpy(dtype=object))
    except TypeError:
        got = next(type(value).__name__ for value in series if not has_hash(value))
        hint = "drop the column; labels in lists can be passed as `tags`: a table of True and False, a column for each"
        raise bad_column(name, argument, f"must hold hashable values, got {got}", hint) from None
    values = [plain_value(value) for value in _in_one_form(series, codes, distinct)]
    return sorted_categories(name, codes, values, missing)


def sorted_categories(name: str, codes: NDArray[Any], values: list[Any], missing: BoolArray) -> Column:
    """Make a column of codes, -1 where a cell is missing, with the values that they stand for in a fixed order."""
    order = sorted(range(len(values)), key=lambda i: sort_key(values[i]))
    rank = np.empty(len(values) + 1, dtype=np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    rank[-1] = -1  # the code of missing cells, which indexes the last entry
    return Column(name, "category", rank[codes], missing, tuple(values[i] for i in order))


def _factorize(cells: NDArray[np.object_]) -> tuple[IndexArray, Iterable[Any]]:
    """Number the distinct cells; where texts have half a surrogate pair, without pandas, which takes two for one."""
    if not _are_texts_that_pandas_mistakes(cells):
        return pd.factorize(cells, use_na_sentinel=True)
    number: dict[str, int] = {}
    codes = np.fromiter((number.setdefault(cell, len(number)) for cell in cells), dtype=np.intp, count=len(cells))
    return codes, number


def _are_texts_that_pandas_mistakes(cells: NDArray[np.object_]) -> bool:
    """Tell whether all are texts and some cannot be encoded: pandas 2.2 then compares memory that it has given back."""
    try:
        for start in range(0, len(cells), CELLS_AT_ONCE):
            "".join(cells[start : start + CELLS_AT_ONCE]).encode()
    except TypeError:  # not all are texts: pandas then compares them as Python does
        return False
    except UnicodeEncodeError:
        return all(isinstance(cell, str) for cell in cells)
    return False


def _in_one_form(series: pd.Series[Any], codes: IndexArray, distinct: Iterable[Any]) -> list[Any]:
    """Of equal values that are written in several ways, 1 and 1.0 and True, take the same one whichever comes first."""
    forms = list(distinct)
    if all(type(value) is str for value in forms):
        return forms
    cells = zip(codes.tolist(), series, strict=True)
    for code, cell in {(code, type(cell), repr(cell)): (code, cell) for code, cell in cells if code >= 0}.values():
        forms[code] = min(forms[code], cell, key=lambda value: (sort_key(value)[0], len(repr(value)), repr(value)))
    return forms


def sort_key(value: Any) -> tuple[str, Any]:
    """Order values of mixed types: by type, then by value where the type has an order we know.

    >>> sorted(["b", 10, 2.5, "a", True], key=sort_key)
    [2.5, 10, True, 'a', 'b']
    """
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, int | float | Decimal):
        number = plain_number(value)  # not as floats: large ones would tie
        return ("nan", "") if isinstance(number, float) and math.isnan(number) else ("", number)
    if isinstance(value, str):
        return "str", value
    if isinstance(value, dt.date | dt.time):
        return type(value).__name__, value.isoformat()
    if isinstance(value, dt.timedelta):
        return type(value).__name__, value
    if isinstance(value, frozenset):  # whose text has the order of its hashes
        return type(value).__name__, sorted(map(sort_key, value))
    return type(value).__name__, repr(value)

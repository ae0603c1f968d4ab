"""The judge of what is said of cells: numbers of every type and times, compared as fractions.

The judge knows nothing of numpy's types: it turns the user's own cells into fractions (times into whole nanoseconds)
and compares these with the numbers of the conditions.
"""

import datetime as dt
import decimal
import math
import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from pyod_explain import Condition, DatePart
from pyod_explain.groups import Groups
from pyod_explain.input import Column, as_table
from pyod_explain.tags import find_items

COMPARE = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def fraction(value: Any) -> Fraction | None:
    """The exact value of a number of any type; None where it is missing."""
    if value is None or value is pd.NA or value != value:  # noqa: PLR0124 - NaN differs from itself
        return None
    return Fraction(*(value if isinstance(value, float | Decimal | np.floating) else int(value)).as_integer_ratio())


def column(values: Any, dtype: Any = None) -> Column:
    """Read a column of these cells."""
    return as_table(pd.DataFrame({"c": pd.Series(values, dtype=dtype)}))["c"]


def judged(condition: Condition, cell: Fraction | None) -> bool:
    """Whether the condition holds for a cell, by its printed meaning."""
    if condition.op in ("missing", "present"):
        return (cell is None) == (condition.op == "missing")
    if cell is None:
        return False
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    numbers = [in_nanoseconds(one) if isinstance(one, dt.date | dt.timedelta) else fraction(one) for one in values]
    if condition.op == "between":
        return numbers[0] <= cell <= numbers[1]
    if condition.op in ("in", "not in", "rare"):
        return (cell in numbers) == (condition.op == "in")
    return COMPARE[condition.op](cell, numbers[0])


def related(op: str, a: float | None, b: float | None) -> float | None:
    """What a relation gives for two cells: the rule of the docs, word by word."""
    for cell in (a, b):
        if cell is None or math.isnan(cell) or abs(cell) > 1e150 or 0 < abs(cell) < 1e-150:
            return None
    if op == "/":
        return None if b == 0 else a / b
    return {"-": a - b, "*": a * b, "+": a + b}[op]


def in_nanoseconds(value: Any) -> Fraction:
    if isinstance(value, dt.timedelta):
        return Fraction(pd.Timedelta(value).as_unit("ns").value)
    return Fraction(pd.Timestamp(value).as_unit("ns").value)


def check_items(X: Any, cells: list[Fraction | None], y: list[int]) -> None:
    """Every condition found has exactly the printed counts, and holds for exactly those cells."""
    table = as_table(X)
    items = find_items(table, Groups(np.array(y), ("1",), "given"))
    for condition, counts in zip(items.conditions, items.counts.tolist(), strict=True):
        if isinstance(condition.column, DatePart):
            continue
        by_hand = [judged(condition, cell) for cell in cells]
        assert condition.holds(table[condition.column]).tolist() == by_hand, condition
        assert counts == [sum(h for h, one in zip(by_hand, y, strict=True) if one == k) for k in (0, 1)], condition


def steps_of(dtype: type) -> st.SearchStrategy[list[Any]]:
    """Floats that lie next to each other, around a number that people write, and some others."""
    around = st.sampled_from([0.7, 0.1, 1.0, 0.0, -0.7, 100.0, 1e-7, 1234.5, 3.0])

    def walk(start: float, steps: list[int]) -> list[Any]:
        found = []
        for step in steps:
            one = dtype(start)
            for _ in range(abs(step)):
                one = np.nextafter(one, dtype(math.copysign(np.inf, step)))
            found.append(one)
        return found

    near = st.builds(walk, around, st.lists(st.integers(-3, 3), min_size=2, max_size=8))
    far = st.lists(st.floats(-1000, 1000).map(dtype), min_size=2, max_size=8)
    return st.one_of(near, far)


def whole_around(*centres: int) -> st.SearchStrategy[list[int]]:
    one = st.builds(operator.add, st.sampled_from(centres), st.integers(-3, 3))
    return st.lists(st.one_of(one, st.integers(0, 9)), min_size=2, max_size=8)


UINT64 = whole_around(2**53 + 9, 2**63, 2**64 - 4)
DECIMALS = st.lists(
    st.builds(
        lambda digits, places: Decimal(digits).scaleb(-places, decimal.Context(prec=60)),
        st.one_of(st.integers(-40, 40), st.integers(10**20, 10**20 + 3)),
        st.integers(0, 3),
    ),
    min_size=2,
    max_size=8,
)
SMALL_DECIMALS = st.lists(st.integers(-999, 999).map(lambda n: Decimal(n).scaleb(-2)), min_size=2, max_size=8)
MIXED = st.lists(st.one_of(st.sampled_from([2**53 + 1, 2**53 + 3, 2.0**53, 0.5, 1, 7]), st.integers(0, 5)), min_size=2)


def frame_of(dtype: Any) -> Any:
    return lambda cells: pd.DataFrame({"x": pd.Series(cells, dtype=dtype)})


def nullable(numpy_type: Any, dtype: str) -> Any:
    return lambda cells: pd.DataFrame({"x": pd.array(np.array(cells, dtype=numpy_type), dtype=dtype)})


def arrow_in_pandas(kind: pa.DataType) -> Any:
    return lambda cells: pd.DataFrame({"x": pd.Series(pa.array(cells, kind), dtype=pd.ArrowDtype(kind))})


def polars(dtype: Any) -> Any:
    return lambda cells: pl.DataFrame({"x": pl.Series([plain(one) for one in cells], dtype=dtype)})


def arrow(kind: pa.DataType) -> Any:
    return lambda cells: pa.table({"x": pa.array(cells, kind)})


def plain(one: Any) -> Any:
    return one.item() if isinstance(one, np.generic) else one


TYPES: dict[str, tuple[st.SearchStrategy[list[Any]], Any]] = {
    **{f"int{n}": (whole_around(0, 2 ** (n - 1) - 4, 4 - 2 ** (n - 1)), frame_of(f"int{n}")) for n in (8, 32)},
    **{f"uint{n}": (whole_around(9, 2**n - 4), frame_of(f"uint{n}")) for n in (8, 32)},
    "int64": (whole_around(2**53, -(2**53), 2**62), frame_of("int64")),
    "uint64": (UINT64, frame_of("uint64")),
    "UInt64": (UINT64, nullable("uint64", "UInt64")),  # from a list pandas itself goes by way of doubles
    "wide int": (whole_around(2**53, 2**63, 2**64, 10**30, -(10**30)), frame_of(object)),
    "float16": (steps_of(np.float16), frame_of("float16")),
    "float32": (steps_of(np.float32), frame_of("float32")),
    "float64": (steps_of(np.float64), frame_of("float64")),
    "objects of float32": (steps_of(np.float32), frame_of(object)),
    "whole and float": (MIXED, frame_of(object)),
    "decimal": (DECIMALS, frame_of(object)),
    "pandas Arrow decimal": (SMALL_DECIMALS, arrow_in_pandas(pa.decimal128(12, 2))),
    "Arrow float": (steps_of(np.float32), arrow(pa.float32())),
    "Arrow decimal": (SMALL_DECIMALS, arrow(pa.decimal128(12, 2))),
    "Polars Float32": (steps_of(np.float32), polars(pl.Float32)),
    "Polars UInt64": (UINT64, polars(pl.UInt64)),
    "Polars Decimal": (SMALL_DECIMALS, polars(pl.Decimal(12, 2))),
}
VALUES = st.one_of(
    st.integers(-9, 9),
    st.sampled_from([2**53 + 1, 2**63, 2**64, 10**30, -(10**30) - 1, 10**400]),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.7, 0.1, 2.0**53, 0.5]),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-1000, max_value=1000),
    st.sampled_from([Decimal("0.1"), Decimal("0.7"), Decimal(2**53 + 1), Decimal("1e400")]),
)

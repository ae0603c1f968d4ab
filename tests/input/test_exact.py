"""What is printed is true of the cells as they are: numbers and times of every type, judged by fractions.

The judge knows nothing of numpy's types: it turns the user's own cells into fractions (times into whole nanoseconds)
and compares these with the numbers of the conditions.
"""

from __future__ import annotations

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
import pytest
from by_hand import explain_by
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Explanation, PyodExplainError, Tag, explain
from pyod_explain.groups import Groups
from pyod_explain.input import read_categories
from pyod_explain.input.exact import decimal_bound, double_bound, plain_number, whole_bound
from pyod_explain.input.read import as_table
from pyod_explain.tags.items import find_items
from pyod_explain.tags.ordered import threshold
from pyod_explain.tags.value_counts import profile

QUICK = settings(max_examples=15, deadline=None)
COMPARE = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


# --- the judge --------------------------------------------------------------------------------------------------------


def fraction(value: Any) -> Fraction | None:
    """The exact value of a number of any type; None where it is missing."""
    if value is None or value is pd.NA or value != value:  # noqa: PLR0124 - NaN differs from itself
        return None
    return Fraction(*(value if isinstance(value, float | Decimal | np.floating) else int(value)).as_integer_ratio())


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


def in_nanoseconds(value: Any) -> Fraction:
    if isinstance(value, dt.timedelta):
        return Fraction(pd.Timedelta(value).as_unit("ns").value)
    return Fraction(pd.Timestamp(value).as_unit("ns").value)


def check_items(X: Any, cells: list[Fraction | None], y: list[int]) -> None:
    """Every condition found has exactly the printed counts, and holds for exactly those cells."""
    table = as_table(X)
    [items] = find_items(table, Groups(np.array(y), ("1",), "given"))
    for condition, counts in zip(items.conditions, items.counts.tolist(), strict=True):
        if condition.part is not None:
            continue
        by_hand = [judged(condition, cell) for cell in cells]
        assert condition.holds(table[condition.column]).tolist() == by_hand, condition
        assert counts == [sum(h for h, one in zip(by_hand, y, strict=True) if one == k) for k in (0, 1)], condition


# --- numbers of every type --------------------------------------------------------------------------------------------


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


INT128 = whole_around(2**53, 2**63, 2**64, 10**30, -(10**30))
INT64 = whole_around(2**53, -(2**53), 2**62)
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
    return lambda cells: pl.DataFrame({"x": pl.Series([_plain(one) for one in cells], dtype=dtype)})


def arrow(kind: pa.DataType) -> Any:
    return lambda cells: pa.table({"x": pa.array(cells, kind)})


def _plain(one: Any) -> Any:
    return one.item() if isinstance(one, np.generic) else one


TYPES: dict[str, tuple[st.SearchStrategy[list[Any]], Any]] = {
    **{f"int{n}": (whole_around(0, 2 ** (n - 1) - 4, 4 - 2 ** (n - 1)), frame_of(f"int{n}")) for n in (8, 16, 32)},
    **{f"uint{n}": (whole_around(9, 2**n - 4), frame_of(f"uint{n}")) for n in (8, 16, 32)},
    "int64": (INT64, frame_of("int64")),
    "uint64": (UINT64, frame_of("uint64")),
    "Int64": (INT64, frame_of("Int64")),
    "UInt64": (UINT64, nullable("uint64", "UInt64")),  # from a list pandas itself goes by way of doubles
    "wide int": (INT128, frame_of(object)),
    "float16": (steps_of(np.float16), frame_of("float16")),
    "float32": (steps_of(np.float32), frame_of("float32")),
    "float64": (steps_of(np.float64), frame_of("float64")),
    "longdouble": (steps_of(np.longdouble), frame_of(np.longdouble)),
    "array of longdouble": (
        steps_of(np.longdouble),
        lambda cells: np.array(cells, dtype=np.longdouble).reshape(-1, 1),
    ),
    "array of float32": (steps_of(np.float32), lambda cells: np.array(cells, dtype=np.float32).reshape(-1, 1)),
    "Float32": (steps_of(np.float32), nullable(np.float32, "Float32")),
    "objects of float32": (steps_of(np.float32), frame_of(object)),
    "whole and float": (MIXED, frame_of(object)),
    "decimal": (DECIMALS, frame_of(object)),
    "pandas Arrow half": (steps_of(np.float16), arrow_in_pandas(pa.float16())),
    "pandas Arrow float": (steps_of(np.float32), arrow_in_pandas(pa.float32())),
    "pandas Arrow decimal": (SMALL_DECIMALS, arrow_in_pandas(pa.decimal128(12, 2))),
    "pandas Arrow uint64": (UINT64, arrow_in_pandas(pa.uint64())),
    "Arrow half": (steps_of(np.float16), arrow(pa.float16())),
    "Arrow float": (steps_of(np.float32), arrow(pa.float32())),
    "Arrow double": (steps_of(np.float64), arrow(pa.float64())),
    "Arrow uint64": (UINT64, arrow(pa.uint64())),
    "Arrow decimal": (SMALL_DECIMALS, arrow(pa.decimal128(12, 2))),
    "Polars Float32": (steps_of(np.float32), polars(pl.Float32)),
    "Polars Float64": (steps_of(np.float64), polars(pl.Float64)),
    "Polars UInt64": (UINT64, polars(pl.UInt64)),
    "Polars Int128": (INT128, polars(pl.Int128)),
    "Polars Decimal": (SMALL_DECIMALS, polars(pl.Decimal(12, 2))),
}
if hasattr(pl, "Float16"):
    TYPES["Polars Float16"] = (steps_of(np.float16), polars(pl.Float16))


@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_counts_are_those_of_the_cells_as_they_are(name, data):
    strategy, make = TYPES[name]
    cells = data.draw(strategy)
    y = [0, 1, *data.draw(st.lists(st.integers(0, 1), min_size=len(cells) - 2, max_size=len(cells) - 2))]
    check_items(make(cells), [fraction(cell) for cell in cells], y)


VALUES = st.one_of(
    st.integers(-9, 9),
    st.sampled_from([2**53 + 1, 2**63, 2**64, 10**30, -(10**30) - 1, 10**400]),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.7, 0.1, 2.0**53, 0.5]),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-1000, max_value=1000),
    st.sampled_from([Decimal("0.1"), Decimal("0.7"), Decimal(2**53 + 1), Decimal("1e400")]),
)


@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_conditions_of_any_number_on_cells_of_any_type(name, data):
    """Conditions that a user gives, which need not be of the type of the cells."""
    strategy, make = TYPES[name]
    cells = data.draw(strategy)
    column = next(iter(as_table(make(cells)).columns.values()))
    value = data.draw(st.one_of(VALUES, st.sampled_from(cells).map(_plain)))
    for op, compare in COMPARE.items():
        if isinstance(value, float) and not math.isfinite(value):
            by_hand = [compare(float(fraction(cell)), value) for cell in cells]  # a double is near enough
        else:
            by_hand = [judged(Condition("x", op, value), fraction(cell)) for cell in cells]
        assert Condition("x", op, value).holds(column).tolist() == by_hand, (op, value)


@given(st.one_of(st.integers(), VALUES), st.one_of(st.integers(-9, 9), st.integers()), st.sampled_from(sorted(COMPARE)))
@settings(max_examples=300, deadline=None)
def test_a_bound_in_the_type_of_the_cells_means_the_same(value, cell, op):
    if op == "!=" or (isinstance(value, float) and math.isnan(value)):
        return
    expected = COMPARE[op](cell, Decimal("inf").copy_sign(Decimal(value)) if math.inf in (value, -value) else value)
    near = float(cell)
    for bound_of, one in ((whole_bound, cell), (decimal_bound, Decimal(cell)), (double_bound, near)):
        bound = bound_of(op, value)
        found = bound if isinstance(bound, bool) else COMPARE[bound[0]](one, bound[1])
        assert found == (COMPARE[op](fraction(near), fraction(value)) if one is near and finite(value) else expected)


def finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


# --- one meaning in every container -----------------------------------------------------------------------------------


@QUICK
@given(
    st.lists(st.floats(-10, 10, width=32), min_size=6, max_size=14, unique=True),
    st.lists(st.floats(-10, 10, width=32), min_size=1, max_size=6),
)
def test_a_float32_column_and_its_copies_are_one(cells, more):
    narrow = np.array(cells, dtype=np.float32)
    y = [1 if rank >= len(cells) // 2 else 0 for rank in np.argsort(np.argsort(narrow))]
    table = as_table(pd.DataFrame({"x": narrow}))
    seen = profile(table["x"], Groups(np.array(y), ("1",), "given"))
    condition = threshold(table["x"], seen, len(cells) // 2)[1]
    e = explain_by([[Tag.of(condition)]], pd.DataFrame({"x": narrow}), y)
    again = Explanation.from_json(e.to_json())
    rows = np.array([*cells, *more, condition.value], dtype=np.float32)
    wanted = [int(judged(condition, fraction(cell))) for cell in rows]
    for new in (
        pd.DataFrame({"x": rows}),
        pd.DataFrame({"x": rows.astype(np.float64)}),
        pd.DataFrame({"x": rows.astype(np.longdouble)}),
        pd.DataFrame({"x": pd.array(rows, dtype="Float32")}),
        pd.DataFrame({"x": pd.Series(list(rows), dtype=object)}),
        pl.DataFrame({"x": rows}),
        pl.DataFrame({"x": rows.astype(np.float64)}),
        pa.table({"x": rows}),
    ):
        assert e.predict(new).tolist() == again.predict(new).tolist() == wanted


def test_a_threshold_is_not_rounded_to_the_width_of_the_cells():
    X = pd.DataFrame({"x": np.array([0.5, 0.6, 0.8, 0.9], dtype=np.float32)})
    e = explain_by([[Tag.of(Condition("x", ">=", 0.7))]], X, [0, 0, 1, 1])
    new = pd.DataFrame({"x": np.array([0.7], dtype=np.float32)})  # 0.699999988
    assert e.predict(new).tolist() == e.predict(new.astype("float64")).tolist() == [0]
    assert e.predict(pd.DataFrame({"x": [0.7]})).tolist() == [1]


@QUICK
@given(st.lists(st.integers(-3, 3), min_size=4, max_size=12), st.sampled_from([2**53, 2**63, 2**64, 10**30]))
def test_whole_numbers_of_any_size_in_any_container(steps, centre):
    cells = [centre + step for step in steps]
    X = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    y = [1, *(int(step > 0) for step in steps[1:])]
    column = as_table(X)["x"]
    assert [column.cell(row) for row in range(len(cells))] == cells
    for condition in (Condition("x", ">", centre), Condition("x", "==", centre + 1), Condition("x", "in", cells[:2])):
        e = explain_by([[Tag.of(condition)]], X, y)
        wanted = [int(judged(condition, Fraction(cell))) for cell in cells]
        again = Explanation.from_json(e.to_json())
        assert [rule.tag for rule in again.rules] == [Tag.of(condition)]
        for new in (X, pl.DataFrame({"x": pl.Series(cells, dtype=pl.Int128)})):
            assert e.predict(new).tolist() == again.predict(new).tolist() == wanted
        assert str(centre) in str(Condition("x", ">", centre))


@pytest.mark.parametrize("name", ["wide int", "longdouble", "decimal", "float32", "whole and float", "Polars Int128"])
@pytest.mark.parametrize("groups", [1, 2, "auto"])
def test_whole_explanations_say_what_is_true(name, groups):
    rng = np.random.default_rng(3)
    centre = {"wide int": 10**30, "Polars Int128": 10**30, "whole and float": 2**53}.get(name, 1)
    steps = [int(step) for step in [*rng.integers(0, 40, 60), *rng.integers(41, 50, 8)]]
    cells = {
        "longdouble": [np.longdouble(centre) + step * np.finfo(np.longdouble).eps for step in steps],
        "decimal": [centre + Decimal(step).scaleb(-25) for step in steps],
        "float32": [np.float32(centre + step * 2.0**-23) for step in steps],
    }.get(name, [centre + step if step % 2 else float(step) if name == "whole and float" else step for step in steps])
    X = TYPES[name][1](cells)
    y = [0] * 60 + [1] * 8
    e = explain(y, X, groups=groups)
    assert e.rules
    group = np.zeros(len(y), dtype=int)
    group[e.positions] = [one.number for one in e.groups for _ in range(one.size)]
    for rule in e.rules:
        holds = np.array([all(judged(c, fraction(cell)) for c in rule.tag.conditions) for cell in cells])
        assert (rule.n_outliers, rule.n_normals) == (
            int((holds & (group == rule.group)).sum()),
            int((holds & (group == 0)).sum()),
        )
    again = Explanation.from_json(e.to_json())
    assert e.predict(X).tolist() == again.predict(X).tolist()
    assert all(text for text in (str(e), e.to_html(), e.to_markdown(), str(e.for_row(e.positions[0]))))


# --- times ------------------------------------------------------------------------------------------------------------

UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
COUNTS = st.lists(
    st.one_of(st.none(), st.integers(0, 4000), st.integers(1_700_000_000, 1_700_000_003)), min_size=2, max_size=8
)


def filled(counts: list[int | None]) -> list[int]:
    return [np.iinfo(np.int64).min if one is None else one for one in counts]


TIMES = {
    "pandas": lambda kind, unit, counts: pd.DataFrame(
        {"x": np.array(filled(counts)).view(f"{'M' if kind == 'time' else 'm'}8[{unit}]")}
    ),
    "pandas Arrow": lambda kind, unit, counts: pd.DataFrame(
        {"x": pd.Series(pa.array(counts, _arrow_type(kind, unit)), dtype=pd.ArrowDtype(_arrow_type(kind, unit)))}
    ),
    "Arrow": lambda kind, unit, counts: pa.table({"x": pa.array(counts, _arrow_type(kind, unit))}),
    "Polars": lambda kind, unit, counts: pl.DataFrame(
        {"x": pl.Series(counts, dtype=pl.Int64).cast(pl.Datetime(unit) if kind == "time" else pl.Duration(unit))}
    ),
}


def _arrow_type(kind: str, unit: str) -> pa.DataType:
    return pa.timestamp(unit) if kind == "time" else pa.duration(unit)


@pytest.mark.parametrize("container", TIMES)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", ["time", "duration"])
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_times_and_durations_keep_every_nanosecond(container, unit, kind, data):
    if container == "Polars" and unit == "s":
        unit = "ms"  # it has no seconds
    counts = data.draw(COUNTS)
    y = [0, 1, *data.draw(st.lists(st.integers(0, 1), min_size=len(counts) - 2, max_size=len(counts) - 2))]
    cells = [None if one is None else Fraction(one * UNITS[unit]) for one in counts]
    X = TIMES[container](kind, unit, counts)
    if all(one is None for one in counts):
        return
    column = as_table(X)["x"]
    assert column.kind == ("datetime" if kind == "time" else "timedelta")
    read = [
        None if gone else one for one, gone in zip(column.values.view(np.int64).tolist(), column.missing, strict=True)
    ]
    assert read == [None if one is None else one * UNITS[unit] for one in counts]
    check_items(X, cells, y)


@pytest.mark.parametrize("zone", ["Europe/Paris", "UTC", "+02:00"])
def test_zoned_times_keep_every_nanosecond(zone):
    counts = [1_700_000_000_000_000_000 + i for i in (0, 1, 2, 999, 1000, 1001)]
    y = [0, 0, 1, 1, 1, 0]
    plain = pd.Series(np.array(counts).view("M8[ns]")).dt.tz_localize("UTC").dt.tz_convert(zone)
    tables = [pd.DataFrame({"x": plain}), pa.table({"x": pa.array(counts, pa.timestamp("ns", zone))})]
    if zone[0] != "+":
        tables.append(pl.DataFrame({"x": pl.Series(counts).cast(pl.Datetime("ns", zone))}))
    for X in tables:
        check_items(X, [Fraction(one) for one in counts], y)
        assert as_table(X)["x"].cell(1) == plain[1]


TIMES_OF_DAY = {
    "Polars": lambda counts: pl.DataFrame({"x": pl.Series(counts, dtype=pl.Int64).cast(pl.Time)}),
    "Arrow": lambda counts: pa.table({"x": pa.array(counts, pa.time64("ns"))}),
    "pandas Arrow": lambda counts: pd.DataFrame(
        {"x": pd.Series(pa.array(counts, pa.time64("ns")), dtype=pd.ArrowDtype(pa.time64("ns")))}
    ),
}


@pytest.mark.parametrize("container", TIMES_OF_DAY)
def test_times_of_day_keep_every_nanosecond(container):
    counts = [3_600_000_000_000 + step for step in (0, 1, 1, 999, 1000, 1000)]
    X = TIMES_OF_DAY[container]([*counts, None])
    column = as_table(X)["x"]
    cells = [column.cell(row) for row in range(7)]
    assert cells[0] == dt.time(1)
    assert cells[1] == cells[2] == "01:00:00.000000001"
    assert cells[4] == dt.time(1, 0, 0, 1)
    assert cells[6] is None
    for cell in dict.fromkeys(cells[:6]):
        by_hand = [counts[cells.index(cell)] == one for one in counts] + [False]
        assert Condition("x", "==", cell).holds(column).tolist() == by_hand


def test_arrow_times_of_other_units_are_read_as_before():
    X = pa.table({"a": pa.array([1, None], pa.time32("s")), "b": pa.array([1, None], pa.time64("us"))})
    table = as_table(X)
    assert [table[name].cell(0) for name in "ab"] == [dt.time(0, 0, 1), dt.time(0, 0, 0, 1)]
    assert table["a"].missing.tolist() == [False, True]


@pytest.mark.parametrize("value", [pd.Timestamp("9999-12-31"), dt.datetime(9999, 12, 31), dt.date(1, 1, 1)])  # noqa: DTZ001 - a bound has the column's clock
def test_bounds_beyond_the_range_of_the_cells(value):
    column = as_table(pd.DataFrame({"x": pd.to_datetime(["2024-01-01", "1900-01-01"])}))["x"]
    late = value.year == 9999
    assert Condition("x", "<", value).holds(column).tolist() == [late] * 2
    assert Condition("x", ">=", value).holds(column).tolist() == [not late] * 2


def test_far_durations_are_refused_in_one_way():
    for cells in (pd.Series([dt.timedelta(days=999_999_999)], dtype=object), np.array([2**62], dtype="m8[ms]")):
        with pytest.raises(PyodExplainError, match="durations of less than 292 years"):
            as_table(pd.DataFrame({"x": cells}))


# --- numbers that are odd ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([10**400, 1], "fit into a float"),
        ([Decimal("1e400"), Decimal(1)], "fit into a float"),
        ([Decimal("Infinity"), Decimal(1)], "must be finite, got 1 infinite value"),
        ([10**400, 0.5], "fit into a float"),
        ([2**53 + 1, math.inf, 0.5], "must be finite, got 1 infinite value"),
        ([Decimal("sNaN"), Decimal(1)], "signaling NaN"),
        ([np.longdouble("1e400"), np.longdouble(1)], "fit into a float"),
        ([np.longdouble("inf"), np.longdouble(1)], "must be finite"),
    ],
    ids=repr,
)
def test_numbers_without_a_place_among_floats_are_refused(cells, message):
    with pytest.raises(PyodExplainError, match=f"Column 'x' of `X` .*{message}"):
        as_table(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))


def test_categories_of_large_numbers_keep_their_order():
    values = pd.Index([2**53 + 1, 2**53, "a", 10**400], dtype=object)
    column = as_table(pd.DataFrame({"x": pd.Categorical.from_codes([0, 1, 2, 3], categories=values)}))["x"]
    assert column.categories == (2**53, 2**53 + 1, 10**400, "a")


def test_long_doubles_as_values_of_conditions():
    assert Condition("x", ">", np.longdouble(0.5)) == Condition("x", ">", 0.5)
    fine = 1 + np.finfo(np.longdouble).eps
    assert fraction(plain_number(fine)) == fraction(fine)


def test_decimals_are_printed_as_people_write_them():
    assert str(Condition("x", ">=", Decimal("1E+3"))) == "x >= 1000"
    assert str(Condition("x", ">=", Decimal("1.10"))) == "x >= 1.10"
    e = explain(
        [0] * 40 + [1] * 4, pd.DataFrame({"x": [Decimal(n % 20).scaleb(-2) for n in range(40)] + [Decimal(9)] * 4})
    )
    assert [str(rule.tag) for rule in e.rules] == ["x >= 5"]


def test_forests_cut_wide_numbers_where_they_part():
    cells = [10**30 + step for step in [*range(60), *range(100, 110)]]
    X = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    e = explain([0] * 60 + [1] * 10, X, tags="forest")
    assert [(rule.n_outliers, rule.n_normals) for rule in e.rules] == [(10, 0)]
    assert e.predict(X).tolist() == [0] * 60 + [1] * 10


def test_labels_may_be_decimals():
    X = pd.DataFrame({"x": [1, 2, 3, 9], "y": [Decimal(0), Decimal(0), Decimal(0), Decimal(1)]})
    assert explain("y", X).n_outliers == 1


# --- categories of numbers and times ----------------------------------------------------------------------------------

CATEGORIES = {
    "long doubles": [np.longdouble("0.1") / 3, np.longdouble("0.7") / 3],
    "numpy times": [np.datetime64("2024-01-01", "ns"), np.datetime64("2024-01-01T00:00:00.000000001", "ns")],
    "numpy durations": [np.timedelta64(1, "ns"), np.timedelta64(2, "ns")],
    "beyond all floats": [10**400, 10**400 + 1],
}


@pytest.mark.parametrize("cells", CATEGORIES.values(), ids=CATEGORIES)
def test_a_category_is_matched_by_its_own_rule(cells):
    column = np.empty(20, dtype=object)
    column[:] = [cells[0]] * 15 + [cells[1]] * 4 + ["a text"]
    X = pd.DataFrame({"x": pd.Series(column, dtype=object)})
    e = explain([0] * 15 + [1] * 4 + [0], X, groups=1)
    assert e.predict(X).tolist() == [0] * 15 + [1] * 4 + [0]
    again = Explanation.from_json(e.to_json())
    assert again.predict(X).tolist() == e.predict(X).tolist()
    for value in as_table(X)["x"].categories:
        assert not isinstance(value, np.generic)
        assert isinstance(value, str | pd.Timestamp | pd.Timedelta) == isinstance(value, str | dt.date | dt.timedelta)


def test_a_category_of_numpy_times_is_printed_as_a_time():
    column = np.empty(2, dtype=object)
    column[:] = [np.datetime64("2024-01-02", "ns"), "a text"]
    [time] = [one for one in as_table(pd.DataFrame({"x": column}))["x"].categories if one != "a text"]
    assert time == pd.Timestamp("2024-01-02")


@pytest.mark.parametrize("name", ["int64", "float64", "wide int", "decimal", "float32"])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_categories_that_are_numbers_compare_as_the_numbers_do(name, data):
    cells = data.draw(TYPES[name][0])
    among_texts = pd.DataFrame({"x": pd.Series([*cells, "a text", None], dtype=object)})
    categories = pd.DataFrame({"x": pd.Series([*cells, None], dtype=object).astype("category")})
    finite = VALUES.filter(lambda one: isinstance(one, int) or math.isfinite(one))
    bound = data.draw(st.one_of(st.sampled_from(cells), finite))
    condition = Condition("x", data.draw(st.sampled_from(["<", "<=", ">", ">="])), bound)
    by_hand = [judged(condition, fraction(cell)) for cell in cells]
    assert Tag.of(condition).covers(among_texts).tolist() == [*by_hand, False, False]
    assert Tag.of(condition).covers(categories).tolist() == [*by_hand, False]


def test_categories_that_are_times_compare_as_the_times_do():
    times = pd.Series(pd.date_range("2024-01-01", periods=9, freq="ns", tz="Europe/Berlin"))
    for one in (times, times.dt.tz_localize(None), times - times[0]):
        tag = Tag.of(Condition("x", ">=", one[4]))
        assert tag.covers(pd.DataFrame({"x": one.astype("category")})).tolist() == [False] * 4 + [True] * 5


def test_categories_are_compared_with_each_other_and_not_cell_by_cell(monkeypatch):
    calls = []
    plain_number = read_categories.plain_number
    monkeypatch.setattr(read_categories, "plain_number", lambda value: calls.append(value) or plain_number(value))
    cells = pd.Series([0.5, 1.5, 2.5, -0.0, 0.0] * 2000)
    for column in (cells.astype("category"), cells.astype(object).where(cells < 2, "a text")):
        calls.clear()
        as_table(pd.DataFrame({"x": column}))
        assert 0 < len(calls) < 40

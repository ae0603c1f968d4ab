"""Times, durations and times of day keep every nanosecond, in every unit and container."""

import datetime as dt
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from exactly import check_items
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, PyodExplainError
from pyod_explain.input import as_table

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


@pytest.mark.parametrize("moment", [pd.Timestamp.max, pd.Timestamp.min])
def test_moments_that_a_clock_cannot_show_are_refused(moment):
    cells = pd.Series([pd.Timestamp("2024-01-01"), moment]).dt.tz_localize("UTC")
    with pytest.raises(PyodExplainError, match="must have dates between the years 1678 and 2262"):
        as_table(pd.DataFrame({"t": cells.dt.tz_convert("Asia/Tokyo")}))
    assert as_table(pd.DataFrame({"t": cells.dt.tz_localize(None)})).n_rows == 2

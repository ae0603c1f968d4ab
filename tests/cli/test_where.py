"""Outliers that a column of labels marks, or a condition."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from exactly import COMPARE
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.beyond_memory import as_source
from pyod_explain.cli.where import mark_rows
from pyod_explain.exceptions import ParameterError, PyodExplainError

N = 120
ODD = np.arange(N) % 10 == 3
DAYS = [dt.date(2024, 1, 1) + dt.timedelta(int(day)) for day in np.where(ODD, 50, np.arange(N) % 30)]


def orders():
    """Columns of every type, in which the same 12 rows are odd."""
    times = pa.array([dt.datetime(2024, 3, 21 if odd else 1, tzinfo=dt.UTC) for odd in ODD])
    return pa.table(
        {
            "status": pa.array(np.where(ODD, np.where(np.arange(N) % 20 == 3, "fraud", "bad, late"), "ok")),
            "a < b": pa.array(np.where(ODD, 5, 1)),
            "flag": pa.array(ODD),
            "score": pa.array(np.where(ODD, 0.9, 0.1)),
            "day": pa.array([None if k == 7 else day for k, day in enumerate(DAYS)]),
            "zoned": times.cast(pa.timestamp("us", "Europe/Berlin")),
            "price": pa.array([decimal.Decimal("90.10") if odd else decimal.Decimal(1) for odd in ODD]),
            "took": pa.array(np.where(ODD, 7200, np.arange(N)), pa.duration("s")),
            "kind": pa.array(np.where(ODD, "x", "y")).dictionary_encode(),
            "big": pa.array([None if k == 9 else 2**60 + int(odd) for k, odd in enumerate(ODD)]),
        }
    )


def read(beyond_memory):
    table = orders()
    return (
        as_source(table.to_batches(max_chunksize=50))
        if beyond_memory
        else table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    )


@pytest.mark.parametrize("beyond_memory", [False, True])
@pytest.mark.parametrize(
    "where",
    [
        "status != ok", "status in fraud, 'bad, late'", "`a < b`=5", "flag == true", "score >= 0.9",
        "day == 2024-02-20", "zoned == 2024-03-21 01:00", "price == 90.1", "took > 00:30:00", f"big == {2**60 + 1}",
        f"big > {2**60}",
    ],
)  # fmt: skip
def test_twelve_rows_are_marked_in_many_ways(where, beyond_memory):
    notes = []
    data, labels, condition = mark_rows(read(beyond_memory), where, notify=notes.append)
    assert labels.tolist() == ODD.tolist()
    assert str(condition.column) not in data.columns
    assert bool(notes) == where.startswith(("day", "big"))


@pytest.mark.parametrize("beyond_memory", [False, True])
@pytest.mark.parametrize(
    ("where", "word"),
    [
        ("statsu != ok", "'status'"), ("status == frad", "'fraud'"), ("score > much", "a number"),
        ("flag == maybe", "true or false"), ("day > 2024-01-01T00:00Z", "time zone"), ("took > 500", "a duration"),
        ("score < 0", "holds for none"), ("score > 0", "holds for all"),
    ],
)  # fmt: skip
def test_a_condition_is_refused(where, word, beyond_memory):
    with pytest.raises(ParameterError) as caught:
        mark_rows(read(beyond_memory), where)
    assert caught.value.argument == "where"
    assert word in str(caught.value)


@pytest.mark.parametrize("beyond_memory", [False, True])
def test_the_column_of_the_condition_may_stay(beyond_memory):
    data = read(beyond_memory)
    assert list(mark_rows(data, "status != ok", keep=["status"])[0].columns) == list(data.columns)


def test_a_time_that_clocks_show_twice_is_refused():
    when = pd.Series(pd.date_range("2024-10-26", periods=50, freq="h", tz="Europe/Berlin"))
    with pytest.raises(PyodExplainError, match="Berlin"):
        mark_rows(pd.DataFrame({"t": when, "a": 1}), "t == 2024-10-27 02:30")


@given(
    st.lists(st.one_of(st.none(), st.integers(-9, 9)), min_size=1, max_size=12),
    st.sampled_from(sorted(COMPARE)),
    st.integers(-9, 9),
)
def test_a_condition_holds_row_by_row(values, op, limit):
    expected = [value is not None and COMPARE[op](value, limit) for value in values]
    frame = pd.DataFrame({"my column": pd.Series(values, dtype="float64"), "a": 1})
    if len(set(expected)) == 1 or (op in ("==", "!=") and limit not in values):
        with pytest.raises(ParameterError):
            mark_rows(frame, f"my column {op} {limit}")
    else:
        assert mark_rows(frame, f"my column {op} {limit}")[1].tolist() == expected

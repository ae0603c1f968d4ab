"""What a column is, which cells are missing, and what is refused, for every kind of table that people have."""

from __future__ import annotations

import datetime as dt
import decimal
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from pyod_explain import PyodExplainError
from pyod_explain.input.read import as_table


def column(values, dtype=None):
    return as_table(pd.DataFrame({"c": pd.Series(values, dtype=dtype)}))["c"]


@pytest.mark.parametrize(
    ("values", "dtype", "kind", "missing"),
    [
        ([1, 2], None, "number", [False, False]),
        ([1.5, np.nan], None, "number", [False, True]),
        ([1, None], "Int64", "number", [False, True]),
        ([1, None], object, "number", [False, True]),
        ([decimal.Decimal("1.5"), None], object, "number", [False, True]),
        ([None, None], object, "number", [True, True]),
        (["a", None], object, "category", [False, True]),
        (["a", ""], None, "category", [False, False]),
        ([1, "a"], object, "category", [False, False]),
        (["a", "b"], "category", "category", [False, False]),
        ([True, False], None, "boolean", [False, False]),
        ([True, None], object, "boolean", [False, True]),
        ([True, None], "boolean", "boolean", [False, True]),
        ([pd.Timestamp("2024"), pd.NaT], None, "datetime", [False, True]),
        ([dt.date(2024, 1, 1), None], object, "datetime", [False, True]),
        ([dt.timedelta(1), None], object, "timedelta", [False, True]),
        ([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)], object, "category", [False, False]),  # noqa: DTZ001 - the point
    ],
)
def test_kinds(values, dtype, kind, missing):
    found = column(values, dtype)
    assert (found.kind, found.missing.tolist()) == (kind, missing)


def test_numbers_stay_exact():
    assert column([2**63, 2**64 - 1]).values.tolist() == [2**63, 2**64 - 1]
    assert column([2**53 + 1, None], object).values[0] == 2**53 + 1
    assert column(np.array([0.1], dtype=np.float32)).values.dtype == np.float32


def test_cells_come_back_as_the_user_knows_them():
    berlin = pd.Timestamp("2024-07-01 12:00", tz="Europe/Berlin")
    assert column([berlin]).cell(0) == berlin
    assert str(column([berlin]).cell(0).tz) == "Europe/Berlin"
    assert column([pd.Timedelta("1h")]).cell(0) == pd.Timedelta("1h")
    assert column(["a", None], object).cell(1) is None
    stamps = pl.Series([berlin.tz_convert("UTC").to_pydatetime()]).dt.convert_time_zone("Europe/Berlin")
    aware = as_table(pl.DataFrame({"c": stamps}))["c"]
    assert (aware.cell(0), aware.timezone) == (berlin, "Europe/Berlin")
    assert type(column(np.array([3], dtype=np.int8)).cell(0)) is int


TABLES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "batch": pa.RecordBatch.from_pydict,
}


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64()], ids=str)
def test_dates_of_arrow(kind):
    cells = pa.array([dt.date(2024, 1, 1), None], kind)
    for X in (pa.table({"d": cells}), pd.DataFrame({"d": pd.Series(cells, dtype=pd.ArrowDtype(kind))})):
        assert [as_table(X)["d"].cell(row) for row in (0, 1)] == [pd.Timestamp("2024-01-01"), None]


@pytest.mark.parametrize("make", TABLES.values(), ids=list(TABLES))
def test_every_kind_of_table_reads_the_same(make):
    data = {"n": [1.5, None, 3.0], "i": [2**60 + 1, 5, 6], "s": ["a", "b", None], "b": [True, False, True]}
    table = as_table(make(data))
    assert {name: one.kind for name, one in table.columns.items()} == {
        "n": "number", "i": "number", "s": "category", "b": "boolean",
    }  # fmt: skip
    assert table["i"].cell(0) == 2**60 + 1
    assert [table[name].missing.tolist() for name in "ns"] == [[False, True, False], [False, False, True]]


def test_an_integer_column_with_gaps_stays_one_in_any_library():
    for make in (pl.DataFrame, pa.table):
        assert as_table(make({"i": [2**60 + 1, None]}))["i"].cell(0) == 2**60 + 1


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.floats(allow_infinity=False)), min_size=2, max_size=2), min_size=1, max_size=8
    )
)
def test_the_quick_way_for_arrays_agrees_with_the_slow_one(rows):
    array = np.array([[math.nan if cell is None else cell for cell in row] for row in rows])
    quick, slow = as_table(array), as_table(pd.DataFrame(array, columns=["x0", "x1"]))
    for name in ("x0", "x1"):
        assert np.array_equal(quick[name].values, slow[name].values, equal_nan=True)
        assert np.array_equal(quick[name].missing, slow[name].missing)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint16, ">f8", ">i4", np.longdouble])
def test_arrays_of_any_number_type(dtype):
    array = np.arange(6).reshape(3, 2).astype(dtype)
    for given_as in (array, sparse.csr_matrix(array.astype(float)), np.asfortranarray(array), array[::1]):
        assert as_table(given_as)["x1"].values.tolist() == [1, 3, 5]
    assert as_table(array)["x0"].values.dtype.isnative


def test_the_users_array_is_copied():
    array = np.zeros((3, 2))
    table = as_table(array)
    array[:] = 7
    assert table["x0"].values.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame({"a": [1.0, np.inf]}), r"Column 'a' of `X` must be finite, got 1 infinite value"),
        (np.array([[1.0], [-np.inf]]), r"Column 'x0' of `X` must be finite, got 1 infinite value"),
        (pd.DataFrame({"a": [{"b": 1}]}), r"Column 'a' of `X` must hold hashable values, got dict"),
        (pd.DataFrame({"a": [1j, 2]}), r"Complex data not supported: column 'a' of `X`"),
        (pd.DataFrame({"a": [10**400, 1]}, dtype=object), r"Column 'a' of `X` must hold numbers that fit into a float"),
        (
            pd.DataFrame({"a": np.array(["9999-12-31"], dtype="M8[s]")}),
            r"`X` must have dates between .* 1678 and 2262",
        ),
        (pd.DataFrame({"a": np.array([10**12], dtype="m8[s]")}), r"`X` must have durations of less than 292 years"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"The column names of `X` must differ .* got 'a'"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), r"The column names of `X` must differ \(as text\), got '1'"),
        (pd.DataFrame(), r"`X` must have rows and columns, got 0 sample\(s\)"),
        (pd.DataFrame({"a": [1]})[[]], r"`X` must have rows and columns, got 0 feature\(s\) \(shape=\(1, 0\)\)"),
        (pd.Series([1]), r"`X` must be a table .* got a Series"),
        (np.zeros(3), r"`X` must be a table .* got 1 dimension with shape \(3,\)"),
        ([[1], [1, 2]], r"`X` must have rows of one length"),
    ],
)
def test_what_is_refused_and_how(X, message):
    with pytest.raises(PyodExplainError, match=message):
        as_table(X)


@pytest.mark.parametrize(
    "X", [None, 3, "text", b"bytes", {"a": [1]}, iter([1]), pd.DataFrame, pl.LazyFrame({"a": [1]})]
)
def test_what_is_no_table_at_all(X):
    with pytest.raises(TypeError, match="`features` must be a DataFrame"):
        as_table(X, argument="features")


def test_missing_columns_are_all_named():
    with pytest.raises(PyodExplainError, match="lacks the columns 'b', 'c'; it has 'a'"):
        as_table(pd.DataFrame({"a": [1]})).require(["a", "b", "c"])
    with pytest.raises(PyodExplainError, match="and 88 more"):
        as_table(np.zeros((1, 1))).require([f"c{i}" for i in range(100)])


def test_long_names_are_cut_in_messages():
    with pytest.raises(PyodExplainError) as caught:
        as_table(pd.DataFrame({"n" * 10_000: [np.inf]}))
    assert len(str(caught.value)) < 300

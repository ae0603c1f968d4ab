"""Tables, arrays and lists of every kind become tables, and what is no table is refused."""

import datetime as dt
import decimal
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from exactly import column
from scipy import sparse

from pyod_explain import PyodExplainError
from pyod_explain.input import as_table


@pytest.mark.parametrize(
    ("values", "dtype", "kind", "missing"),
    [
        ([1.5, np.nan], None, "number", [False, True]),
        ([1, None], "Int64", "number", [False, True]),
        ([1, None], object, "number", [False, True]),
        ([decimal.Decimal("1.5"), None], object, "number", [False, True]),
        ([None, None], object, "number", [True, True]),
        (["a", None], object, "category", [False, True]),
        ([1, "a"], object, "category", [False, False]),
        (["a", "b"], "category", "category", [False, False]),
        ([True, None], object, "boolean", [False, True]),
        ([True, None], "boolean", "boolean", [False, True]),
        ([pd.Timestamp("2024"), pd.NaT], None, "datetime", [False, True]),
        ([dt.date(2024, 1, 1), None], object, "datetime", [False, True]),
        ([dt.timedelta(1), None], object, "timedelta", [False, True]),
        ([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)], object, "category", [False, False]),  # noqa: DTZ001 - the point
    ],
)
def test_what_a_column_is_and_which_of_its_cells_are_missing(values, dtype, kind, missing):
    found = column(values, dtype)
    assert (found.kind, found.missing.tolist()) == (kind, missing)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, pa.RecordBatch.from_pydict])
def test_every_kind_of_table_reads_the_same(make):
    data = {"n": [1.5, None, 3.0], "i": [2**60 + 1, 5, 6], "s": ["a", "b", None], "b": [True, False, True]}
    table = as_table(make(data))
    assert [table[name].kind for name in "nisb"] == ["number", "number", "category", "boolean"]
    assert table["i"].cell(0) == 2**60 + 1
    assert [table[name].missing.tolist() for name in "ns"] == [[False, True, False], [False, False, True]]
    if make is not pd.DataFrame:
        assert as_table(make({"i": [2**60 + 1, None]}))["i"].cell(0) == 2**60 + 1


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
    ("cells", "kind"),
    [
        ([1, math.nan, 3], "number"), ([0.5, None, 1.5], "number"), ([2**53 + 1, 1, 2], "number"),
        ([2**63, -1, 2], "number"), ([True, False, True], "boolean"), (["a", "1", "b"], "category"),
        ([b"a", b"1", b"b"], "category"),
    ],
)  # fmt: skip
def test_in_a_list_of_rows_a_column_is_what_it_is_whatever_stands_beside_it(cells, kind):
    beside = as_table([[cell, text] for cell, text in zip(cells, "xyz", strict=True)])
    alone = as_table(pd.DataFrame({"x0": pd.Series(cells, dtype=object)}))
    assert beside["x0"].kind == kind
    assert beside["x0"].same_cells(alone["x0"])
    assert beside["x1"].categories == ("x", "y", "z")


def test_a_tensor_is_taken_off_its_graph():
    class Tensor:
        """As those of PyTorch: with a graph behind it, numpy is refused."""

        def detach(self):
            return np.array([[1, 2]])

        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("call detach first")

    assert as_table(Tensor())["x1"].values.tolist() == [2]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[np.inf, 1]], r"Column 'x0' of `X` must be finite, got 1 infinite value"),
        (np.array([[1.0], [-np.inf]]), r"Column 'x0' of `X` must be finite, got 1 infinite value"),
        (pd.DataFrame({"a": [{"b": 1}]}), r"Column 'a' of `X` must hold hashable values, got dict"),
        (pd.DataFrame({"a": [1j, 2]}), r"Complex data not supported: column 'a' of `X`"),
        (pd.DataFrame({"a": [10**400, 1]}, dtype=object), r"Column 'a' of `X` must hold numbers that fit into a float"),
        (pd.DataFrame({"a": np.array(["9999-12-31"], dtype="M8[s]")}), r"`X` must have dates between .* 1678 and 2262"),
        (pd.DataFrame({"a": np.array([10**12], dtype="m8[s]")}), r"`X` must have durations of less than 292 years"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), r"The column names of `X` must differ \(as text\), got '1'"),
        (pd.DataFrame(), r"`X` must have rows and columns, got 0 sample\(s\)"),
        (pd.DataFrame({"a": [1]})[[]], r"`X` must have rows and columns, got 0 feature\(s\) \(shape=\(1, 0\)\)"),
        (pl.Series([1, 2]), "`X` must be a table with rows and columns, got 1 dimension"),
        (pd.DataFrame({"a": [["b"], None]}), "hashable"),
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


def test_messages_name_the_columns_and_stay_short():
    with pytest.raises(PyodExplainError, match="lacks the columns 'b', 'c'; it has 'a'"):
        as_table(pd.DataFrame({"a": [1]})).require(["a", "b", "c"])
    with pytest.raises(PyodExplainError, match="and 88 more"):
        as_table(np.zeros((1, 1))).require([f"c{i}" for i in range(100)])
    with pytest.raises(PyodExplainError) as caught:
        as_table(pd.DataFrame({"n" * 10_000: [np.inf]}))
    assert len(str(caught.value)) < 300

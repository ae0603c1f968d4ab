"""Arrays of every kind become tables, and what is no table is refused."""

from __future__ import annotations

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
from pyod_explain.input import as_table, has_names


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


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, pa.RecordBatch.from_pydict])
def test_tables_have_names(make):
    assert has_names(make({"a": [1]}))


@pytest.mark.parametrize(
    "X",
    [np.zeros((1, 1)), sparse.eye_array(1), [[1]], pd.Series([1]), pl.Series([1]), pa.array([1]), "a", pd.DataFrame],
)
def test_what_is_no_table_has_no_names(X):
    assert not has_names(X)


def test_a_column_of_another_library_is_no_table():
    with pytest.raises(PyodExplainError, match="`X` must be a table with rows and columns, got 1 dimension"):
        as_table(pl.Series([1, 2]))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, math.nan, 3], "number"),
        ([0.5, None, 1.5], "number"),
        ([2**53 + 1, 1, 2], "number"),
        ([2**63, -1, 2], "number"),
        ([True, False, True], "boolean"),
        (["a", "1", "b"], "category"),
        ([b"a", b"1", b"b"], "category"),
    ],
)
@pytest.mark.parametrize("make", [list, tuple])
def test_in_a_list_of_rows_a_column_is_what_it_is_whatever_stands_beside_it(cells, kind, make):
    beside = as_table(make([cell, text] for cell, text in zip(cells, "xyz", strict=True)))
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


def test_whole_numbers_of_a_list_are_not_rounded_beside_floats():
    table = as_table([[2**53 + 1, 0.5], [1, 0.25]])
    assert [table["x0"].cell(row) for row in (0, 1)] == [2**53 + 1, 1]
    assert table["x1"].values.tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[np.inf, 1]], r"Column 'x0' of `X` must be finite, got 1 infinite value"),
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

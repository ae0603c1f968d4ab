"""Polars and Arrow tables read as those of pandas."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pyod_explain.input import as_table

TABLES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "batch": pa.RecordBatch.from_pydict,
}


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

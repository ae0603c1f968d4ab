"""A text names a column of the features, or else of what was detected on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.input import as_table, named_column

X = pd.DataFrame({"a": [1, 2], "both": [3, 4]})
FEATURES = as_table(pd.DataFrame({"b": [5, 6], "both": [7, 8]}))


@pytest.mark.parametrize(("name", "cells"), [("a", [1, 2]), ("b", [5, 6]), ("both", [7, 8])])
def test_the_features_come_first(name, cells):
    assert named_column(name, X, FEATURES, "scores").values.tolist() == cells


def test_a_name_that_is_nowhere_is_refused_with_those_that_are():
    with pytest.raises(PyodExplainError, match="`scores` must be numbers, one per row or the name of a column of `X`"):
        named_column("c", X, FEATURES, "scores")
    with pytest.raises(PyodExplainError, match="got 'c', which is none of the columns 'b', 'both'"):
        named_column("c", np.zeros((2, 2)), FEATURES, "detector")


def test_the_other_columns_of_what_was_detected_on_may_hold_anything():
    rows = X.assign(junk=[{"a": 1}] * 2)
    assert named_column("a", rows, FEATURES, "detector").values.tolist() == [1, 2]
    with pytest.raises(PyodExplainError, match="none of the columns 'a', 'both', 'junk'"):
        named_column("c", rows, FEATURES, "detector")


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas, pa.RecordBatch.from_pandas])
def test_tables_of_any_library_name_columns(make):
    assert named_column("a", make(X), FEATURES, "scores").values.tolist() == [1, 2]

"""What a column is, and which of its cells are missing."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.input import as_table


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


@pytest.mark.parametrize(
    "cells", [[["a"], None, ()], [{"a"}, {1}, {}], [frozenset("ab"), np.array(["a"]), ["a", None]]]
)
def test_collections_of_labels_are_kept_as_they_are(cells):
    found = column(cells, object)
    assert found.kind == "labels"
    assert all(kept is cell for kept, cell in zip(found.values, cells, strict=True))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("abc", "'abc'"),
        (b"abc", "b'abc'"),
        (5, "5"),
        (2.5, r"2\.5"),
        (["a", ["b"]], r"\['a', \['b'\]\]"),
        (iter("a"), "<"),
    ],
)
def test_among_lists_of_labels_every_cell_must_be_one(cell, text):
    for cells in ([["a"], cell], [cell, ["a"]]):
        rule = f"Column 'c' of `X` must hold a list or set of labels in every cell, got {text}"
        with pytest.raises(PyodExplainError, match=rf"{rule}[^\n]*\nHint: split text into labels first"):
            column(cells, object)


def test_arrays_are_collections_of_labels_too():
    column = as_table(pd.DataFrame({"l": pd.Series([np.array(["a"]), np.array(["a", "b"])], dtype=object)}))["l"]
    assert column.kind == "labels"
    assert column.label_sets == [{"a"}, {"a", "b"}]

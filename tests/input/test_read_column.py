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


@pytest.mark.parametrize("cells", [[["a"], None, ()], [{"a"}, {1}, {}], [np.array(["a"]), ["a", None]]])
def test_collections_are_no_values(cells):
    with pytest.raises(PyodExplainError, match="hashable"):
        column(cells, object)

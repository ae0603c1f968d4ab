"""Errors name the columns that they are about, and stay short."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.input import as_table


def test_missing_columns_are_all_named():
    with pytest.raises(PyodExplainError, match="lacks the columns 'b', 'c'; it has 'a'"):
        as_table(pd.DataFrame({"a": [1]})).require(["a", "b", "c"])
    with pytest.raises(PyodExplainError, match="and 88 more"):
        as_table(np.zeros((1, 1))).require([f"c{i}" for i in range(100)])


def test_long_names_are_cut_in_messages():
    with pytest.raises(PyodExplainError) as caught:
        as_table(pd.DataFrame({"n" * 10_000: [np.inf]}))
    assert len(str(caught.value)) < 300

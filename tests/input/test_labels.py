"""The ways to write labels, and what is no label."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from pyod_explain import PyodExplainError, explain
from pyod_explain.input import read_labels


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([0, 1, 0], [0, 1, 0]),
        ([True, False, False], [1, 0, 0]),
        ([1, -1, 1], [0, 1, 0]),
        ([-1, -1, -1], [1, 1, 1]),
        ([1, 1, 1], [1, 1, 1]),
        ([0.0, 1.0, 0.0], [0, 1, 0]),
        ([0, -2, 1], [0, -1, 1]),
        ([0, 3, 7], [0, 1, 1]),
        ([-2, 3, 0], [-1, 1, 0]),
    ],
)
def test_the_ways_to_write_them(labels, expected):
    assert read_labels(labels, 3).labels.tolist() == expected


def test_group_numbers_are_kept():
    found = read_labels([0, 3, 7, -2], 4)
    assert found.numbers.tolist() == [0, 3, 7, 0]
    assert read_labels([0, 1, 0], 3).numbers is None


@pytest.mark.parametrize(
    "labels", [[0, -1, 1], [-3, 0, 1], [0, 0.5, 1], [0, np.nan, 1], ["a", "b", "c"], [0, 2**60, 1]]
)
def test_what_is_no_label_is_refused(labels):
    with pytest.raises(PyodExplainError, match="`y` must be"):
        read_labels(labels, 3, argument="y")


def test_labels_may_be_decimals():
    X = pd.DataFrame({"x": [1, 2, 3, 9], "y": [Decimal(0), Decimal(0), Decimal(0), Decimal(1)]})
    assert explain("y", X).n_outliers == 1

"""How groups are numbered and called."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pyod_explain.groups import all_together, number_by_name, number_by_size
from pyod_explain.input import as_table, read_labels

OUTLIERS = read_labels([0, 1, 1, 1, 0, 1, -2, 1], 8)
TABLE = as_table(np.zeros((8, 1)))


def test_all_outliers_are_one_group_and_rejected_rows_are_in_none():
    groups = all_together(OUTLIERS)
    assert (groups.numbers.tolist(), groups.n_groups) == ([0, 1, 1, 1, 0, 1, -1, 1], 1)
    assert not groups.made


def test_the_largest_cluster_is_group_1_and_noise_comes_last():
    groups = number_by_size(np.array([-1, -1, 5, 5, 3]), OUTLIERS.rows, OUTLIERS, TABLE, "by hand")
    assert groups.numbers.tolist() == [0, 3, 3, 1, 0, 1, -1, 2]
    assert groups.names == ("1", "2", "noise")
    assert groups.made


def test_of_clusters_of_one_size_the_one_with_the_first_row_comes_first():
    groups = number_by_size(np.array([9, 2, 9, 2, 4]), OUTLIERS.rows, OUTLIERS, TABLE, "by hand")
    assert groups.numbers.tolist() == [0, 1, 2, 1, 0, 2, -1, 3]


def test_names_stay_and_stand_in_their_own_order():
    groups = number_by_name(np.array([10, 9, 10, 9, 2]), OUTLIERS, "given")
    assert groups.names == ("2", "9", "10")
    assert groups.numbers.tolist() == [0, 3, 2, 3, 0, 2, -1, 1]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ([("a", 1), ("a", 0)], ("('a', 0)", "('a', 1)")),
        ([b"\xff", b"b"], ("b'\\xff'", "b'b'")),
        (np.array([1.5, 0.5], dtype=np.float16), ("0.5", "1.5")),
        (np.array([1.1, 0.5], dtype=np.float32), ("0.5", "1.1")),
        (np.array(["2024-01-02", "2024-01-01"], dtype="M8[ns]"), ("2024-01-01", "2024-01-02")),
        (np.array(["2024-01-02", "2024-01-01T12"], dtype="M8[ns]"), ("2024-01-01 12:00:00", "2024-01-02 00:00:00")),
    ],
)
def test_names_are_what_people_write(given, names):
    labels = pd.Series(given, dtype=object).to_numpy() if isinstance(given, list) else given
    groups = number_by_name(labels, read_labels([1, 1, 0], 3), "given")
    assert set(groups.names) == set(names)
    assert groups.numbers[0] != groups.numbers[1]

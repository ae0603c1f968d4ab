"""Rows that stand for many, as lines that are each normal or outliers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Outliers, as_table, read_counts, split_mixed_rows


@pytest.fixture
def table():
    frame = pd.DataFrame({"kind": ["a", "b", "c", "a"], "n": [4, 0, 3, 2]}, index=["w", "x", "y", "z"])
    return replace(as_table(frame), row_counts=np.array([4, 0, 3, 2]))


def test_a_row_of_both_kinds_is_two_lines_and_one_of_none_is_no_line(table):
    outliers = Outliers(np.array([1, 0, 0, 1]), "Column 'bad'", outlier_counts=np.array([1, 0, 0, 2]))
    lines = split_mixed_rows(table, outliers)
    assert lines.rows.tolist() == [0, 0, 2, 3]
    assert lines.table.index.tolist() == ["w", "w", "y", "z"]
    assert lines.table.row_counts.tolist() == [3, 1, 3, 2]
    assert lines.outliers.labels.tolist() == [0, 1, 0, 1]
    assert (lines.outliers.n_outliers(lines.table), lines.outliers.n_normals(lines.table), lines.table.total_rows) == (
        3,
        6,
        9,
    )


def test_labels_of_groups_rejected_rows_and_scores_go_along(table):
    labels, numbers = np.array([1, 1, -1, 0]), np.array([2, 1, 0, 0])
    lines = split_mixed_rows(table, Outliers(labels, "Labels", numbers=numbers, scores=np.array([4.0, 3.0, 2.0, 1.0])))
    assert lines.outliers.labels.tolist() == [1, -1, 0]
    assert lines.outliers.numbers.tolist() == [2, 0, 0]
    assert lines.outliers.scores.tolist() == [4.0, 2.0, 1.0]


def test_categories_of_rows_that_stand_for_nothing_are_forgotten(table):
    lines = split_mixed_rows(table, Outliers(np.array([1, 0, 0, 0]), "Labels"))
    column = lines.table["kind"]
    assert column.categories == ("a", "c")
    assert [column.cell(i) for i in range(3)] == ["a", "c", "a"]


def test_what_is_given_row_by_row_is_spread_over_the_lines(table):
    lines = split_mixed_rows(
        table, Outliers(np.array([1, 0, 0, 1]), "Column 'bad'", outlier_counts=np.array([1, 0, 0, 2]))
    )
    given = pd.Series([9, 8, 7, 6], index=["z", "y", "x", "w"])
    assert lines.spread(given, table, "groups").tolist() == [6, 6, 8, 9]
    assert lines.spread("kind", table, "groups") == "kind"
    assert lines.spread(3, table, "groups") == 3
    assert lines.spread([1, 2], table, "groups") == [1, 2]  # for each outlier


def test_counts_are_read_from_a_column_or_row_by_row(table):
    assert read_counts("n", None, table)[1] == "n"
    assert read_counts(np.array([1.0, 2.0, 0.0, 5.0]), None, table)[0].tolist() == [1, 2, 0, 5]
    with pytest.raises(PyodExplainError, match=r"`counts` must be .* row 'x' with a missing one"):
        read_counts("n", None, as_table(pd.DataFrame({"n": [1, None, 2.0]}, index=["w", "x", "y"])))
    with pytest.raises(PyodExplainError, match="numbers beyond 64 bits"):
        read_counts([2**70, 1, 1, 1], None, table)

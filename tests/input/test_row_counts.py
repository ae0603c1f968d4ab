"""Rows that stand for many: as lines that are each normal or outliers, in draws, and in scales."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.input import (
    Outliers,
    as_table,
    draw_rows,
    partition_in_turn,
    random_partition,
    robust_scale,
    split_mixed_rows,
)

ROW_COUNTS = "pyod_explain.input.row_counts"
counts_of_rows = st.lists(st.integers(0, 9), min_size=1, max_size=12).map(np.array).filter(lambda one: one.sum() > 0)


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
    assert (lines.outliers.n_outliers(lines.table), lines.outliers.n_normals(lines.table)) == (3, 6)
    column = lines.table["kind"]
    assert column.categories == ("a", "c")  # that of the row that stands for nothing is forgotten
    assert [column.cell(i) for i in range(4)] == ["a", "a", "c", "a"]
    given = pd.Series([9, 8, 7, 6], index=["z", "y", "x", "w"])
    assert lines.spread(given, table, "groups").tolist() == [6, 6, 8, 9]
    assert lines.spread([1, 2], table, "groups") == [1, 2]  # for each outlier


def test_labels_of_groups_rejected_rows_and_scores_go_along(table):
    labels, numbers = np.array([1, 1, -1, 0]), np.array([2, 1, 0, 0])
    lines = split_mixed_rows(table, Outliers(labels, "Labels", numbers=numbers, scores=np.array([4.0, 3.0, 2.0, 1.0])))
    assert lines.outliers.labels.tolist() == [1, -1, 0]
    assert lines.outliers.numbers.tolist() == [2, 0, 0]
    assert lines.outliers.scores.tolist() == [4.0, 2.0, 1.0]


@given(counts_of_rows, st.integers(0, 99), st.data())
def test_few_rows_are_drawn_as_repeated_ones_are(copies, seed, data):
    total = int(copies.sum())
    n_drawn = data.draw(st.integers(0, total))
    lines = np.repeat(np.arange(len(copies)), copies)
    rows = np.random.default_rng(seed).choice(total, size=n_drawn, replace=False)
    expected = [int((lines[rows] == line).sum()) for line in range(len(copies))]
    assert draw_rows(copies, n_drawn, np.random.default_rng(seed)).tolist() == expected


@pytest.mark.parametrize("exact", [10**9, 1])
@given(copies=counts_of_rows, data=st.data())
def test_many_rows_are_split_into_parts_of_the_same_sizes(exact, copies, data):
    first, n_parts = data.draw(st.integers(0, 3)), 4
    split = [partition_in_turn(copies, n_parts, first, np.random.default_rng(0))]
    with mock.patch(ROW_COUNTS + ".MAX_SHUFFLED_ROWS", 0), mock.patch(ROW_COUNTS + ".MAX_HYPERGEOMETRIC", exact):
        split.append(partition_in_turn(copies, n_parts, first, np.random.default_rng(0)))
        drawn = draw_rows(copies, int(copies.sum()) // 2, np.random.default_rng(0))
    for parts in split:
        assert (parts >= 0).all()
        assert parts.sum(axis=0).tolist() == copies.tolist()
    assert split[0].sum(axis=1).tolist() == split[1].sum(axis=1).tolist()
    assert drawn.sum() == copies.sum() // 2
    assert ((drawn >= 0) & (drawn <= copies)).all()


@pytest.mark.parametrize("shuffled", [10**5, 0])
def test_every_row_is_as_likely_to_be_drawn(shuffled):
    random, copies = np.random.default_rng(0), np.array([50, 30, 0, 20])
    with mock.patch(ROW_COUNTS + ".MAX_SHUFFLED_ROWS", shuffled):
        mean = np.mean([random_partition(copies, np.array([60, 40]), random)[1] for _ in range(2_000)], axis=0)
    assert mean == pytest.approx([20, 12, 0, 8], abs=0.3)


def test_a_scale_is_that_of_normal_numbers_whatever_the_extremes_and_the_order():
    assert robust_scale(np.random.default_rng(0).normal(5.0, 3.0, 100_000)) == pytest.approx((5.0, 3.0), rel=0.02)
    assert robust_scale(np.array([*range(100), 1e9])) == pytest.approx((50.0, 50 / 1.349))
    assert robust_scale(np.array([3.0, 3.0, 3.0, 3.0, 8.0])) == pytest.approx((3.0, 2.0))
    numbers = np.append(np.zeros(300), np.random.default_rng(0).normal(size=90))
    assert len({robust_scale(np.random.default_rng(seed).permutation(numbers)) for seed in range(20)}) == 1


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 6)), min_size=1, max_size=12))
def test_a_scale_counts_copies(pairs):
    numbers, copies = (np.array(part) for part in zip(*pairs, strict=True))
    repeated = robust_scale(np.repeat(numbers / 10, copies))
    assert robust_scale(numbers / 10, copies) == repeated
    with mock.patch(ROW_COUNTS + ".MAX_REPEATED_ROWS", 0):  # as where they are too many to be written out
        assert robust_scale(numbers / 10, copies) == pytest.approx(repeated, rel=1e-12, abs=1e-15)

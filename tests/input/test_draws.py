"""Draws among aggregated rows: those of repeated rows where these are few, and likewise beyond."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.input import draw_rows, partition_in_turn, random_partition

ROW_COUNTS = "pyod_explain.input.row_counts"
counts_of_rows = st.lists(st.integers(0, 9), min_size=1, max_size=12).map(np.array).filter(lambda one: one.sum() > 0)


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
def test_many_rows_are_dealt_out_in_the_same_numbers(exact, copies, data):
    first, n_hands = data.draw(st.integers(0, 3)), 4
    dealt = [partition_in_turn(copies, n_hands, first, np.random.default_rng(0))]
    with (
        mock.patch(ROW_COUNTS + ".MAX_SHUFFLED_ROWS", 0),
        mock.patch(ROW_COUNTS + ".MAX_HYPERGEOMETRIC", exact),
    ):
        dealt.append(partition_in_turn(copies, n_hands, first, np.random.default_rng(0)))
        drawn = draw_rows(copies, int(copies.sum()) // 2, np.random.default_rng(0))
    for hands in dealt:
        assert (hands >= 0).all()
        assert hands.sum(axis=0).tolist() == copies.tolist()
    assert dealt[0].sum(axis=1).tolist() == dealt[1].sum(axis=1).tolist()
    assert drawn.sum() == copies.sum() // 2
    assert ((drawn >= 0) & (drawn <= copies)).all()


@pytest.mark.parametrize("shuffled", [10**5, 0])
def test_every_row_is_as_likely_to_be_drawn(shuffled):
    random, copies = np.random.default_rng(0), np.array([50, 30, 0, 20])
    with mock.patch(ROW_COUNTS + ".MAX_SHUFFLED_ROWS", shuffled):
        mean = np.mean([random_partition(copies, np.array([60, 40]), random)[1] for _ in range(2_000)], axis=0)
    assert mean == pytest.approx([20, 12, 0, 8], abs=0.3)

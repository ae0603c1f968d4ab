"""A typical difference between numbers: by their quartiles, whatever the extremes, and in whatever order they come."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.input import robust_scale
from pyod_explain.input import row_counts as scale


def test_of_many_normal_numbers_it_is_their_standard_deviation():
    numbers = np.random.default_rng(0).normal(5.0, 3.0, 100_000)
    assert robust_scale(numbers) == pytest.approx((5.0, 3.0), rel=0.02)


def test_one_extreme_number_does_not_decide_it():
    assert robust_scale(np.array([*range(100), 1e9])) == pytest.approx((50.0, 50 / 1.349))


def test_numbers_that_are_nearly_all_equal_are_apart_by_their_standard_deviation():
    assert robust_scale(np.array([3.0, 3.0, 3.0, 3.0, 8.0])) == pytest.approx((3.0, 2.0))
    assert robust_scale(np.array([3.0])) == (3.0, 1.0)


def test_their_order_changes_no_digit():
    numbers = np.append(np.zeros(300), np.random.default_rng(0).normal(size=90))
    found = {robust_scale(np.random.default_rng(seed).permutation(numbers)) for seed in range(20)}
    assert len(found) == 1


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 6)), min_size=1, max_size=12))
def test_copies_count_as_often_as_they_are_many_or_few(pairs):
    numbers, copies = (np.array(part) for part in zip(*pairs, strict=True))
    repeated = robust_scale(np.repeat(numbers / 10, copies))
    assert robust_scale(numbers / 10, copies) == repeated
    with mock.patch.object(scale, "MAX_REPEATED_ROWS", 0):  # as where they are too many to be written out
        assert robust_scale(numbers / 10, copies) == pytest.approx(repeated, rel=1e-12, abs=1e-15)

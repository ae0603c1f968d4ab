"""A typical difference between numbers: by their quartiles, whatever the extremes, and in whatever order they come."""

import numpy as np
import pytest

from pyod_explain.input.scale import robust_scale


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

"""Two sets of scores of the same rows, of others, and of neither for sure."""

from __future__ import annotations

import numpy as np
import pytest

from pyod_explain.input import agree, correlation, differ, some_equal

SCORES = np.random.default_rng(0).normal(size=200)
OTHERS = np.random.default_rng(1).normal(size=200)
NORMAL = np.ones(200, dtype=bool)


@pytest.mark.parametrize(
    ("found", "same"),
    [
        (SCORES, True),
        (np.where(np.arange(200) < 20, OTHERS, SCORES), True),  # a few rows changed
        (SCORES * 3 + 1, True),  # the same order
        (OTHERS, False),
        (SCORES[::-1], False),
        (np.where(np.arange(200) < 100, OTHERS, SCORES), False),  # half of them others
        (None, None),
    ],
    ids=["the same", "nearly", "in order", "others", "backwards", "half", "no answer"],
)
def test_scores_agree_where_chance_does_not_explain_it(found, same):
    assert agree(SCORES, found, NORMAL) is same


def test_scores_that_are_all_the_same_tell_nothing():
    assert agree(np.zeros(200), np.zeros(200), NORMAL) is None


def test_few_rows_have_no_order():
    assert correlation(SCORES[:5], SCORES[:5]) is None
    assert correlation(SCORES, SCORES) == pytest.approx(1)
    assert correlation(np.zeros(200), SCORES) is None


def test_two_answers_differ_by_more_than_rounding():
    assert not differ(SCORES, SCORES * (1 + 1e-12))
    assert differ(SCORES, SCORES + 0.1)
    assert differ(SCORES, None)


def test_part_of_the_rows_kept_to_the_last_digit():
    assert some_equal(SCORES, np.where(np.arange(200) < 100, OTHERS, SCORES))
    assert not some_equal(SCORES, OTHERS)
    assert not some_equal(np.zeros(200), np.zeros(200))  # by chance

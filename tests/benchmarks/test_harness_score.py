"""Held-out bits, F1 and the comparison with peers agree with a count by hand."""

from math import comb, log2

import numpy as np
import pytest

CONSTANT = log2(2.865064)  # of the code for whole numbers


def rows(*numbers, of=10):
    return np.isin(np.arange(of), numbers)


def test_bits_of_what_is_wrong_over_bits_of_naming_all(scoring):
    said, true = rows(0, 1, 5), rows(0, 1, 2, 3)
    # two missed among the seven rows outside, one normal among the three inside; else four outliers among ten rows
    two, four = CONSTANT + 1, CONSTANT + 2 + 1
    wrong = two + log2(comb(7, 2)) + CONSTANT + log2(comb(3, 1))
    assert scoring.held_out_bits(said, true) == pytest.approx(wrong / (four + log2(comb(10, 4))))


def test_f1(scoring):
    assert scoring.f1(rows(0, 1, 5), rows(0, 1, 2, 3)) == pytest.approx(2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4))
    assert scoring.f1(rows(), rows(0)) == 0.0


def test_a_duel_is_with_another_or_with_the_best_of_several_in_each_case(scoring):
    def scores(**bits_and_conditions):
        return {case: scoring.Score(bits, 0.5, 1, n, 0.1) for case, (bits, n) in bits_and_conditions.items()}

    ours = scores(a=(0.2, 5), b=(0.5, 5), c=(0.4, 3), only_ours=(0.0, 1))
    best = scoring.best_of([scores(a=(0.4, 4), b=(0.9, 1), c=(0.4, 3)), scores(a=(0.8, 9), b=(0.25, 7))])
    assert best == scores(a=(0.4, 4), b=(0.25, 7), c=(0.4, 3))
    found = scoring.duel(ours, best)
    assert (found.cases, found.fewer, found.equal) == (3, 1, 1)
    assert (found.short, found.short_fewer) == (2, 0)  # b and c have no more conditions
    assert found.ratio == pytest.approx((0.5 * 2 * 1) ** (1 / 3))
    assert scoring.duel(ours, {}) is None


def test_means_are_over_folds_and_keep_what_cannot_be_read_unread(scoring):
    mean = scoring.Score.mean([scoring.Score(0.2, 1.0, 1, 2, 0.5), scoring.Score(0.4, 0.0, 3, 5, 1.5)])
    assert mean == scoring.Score(pytest.approx(0.3), 0.5, 2, 3.5, 1.0)
    assert np.isnan(scoring.Score.of(rows(0), rows(0, 1)).conditions)

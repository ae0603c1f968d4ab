import numpy as np

from pyod_explain import WCCM, Coverage
from pyod_explain.solvers import WeightedCover, greedy_weighted, refine_weighted


def test_tags_that_pay_only_together_are_found():
    """Three tags cover two outliers each, and all of them the same four normals: one alone costs 4 and saves 2."""
    tags = np.zeros((12, 3), dtype=bool)
    for j in range(3):
        tags[2 * j : 2 * j + 2, j] = True
    tags[6:10] = True
    cov = Coverage.from_dense(tags, [1] * 6 + [0] * 6)
    assert WCCM(weight=1.0, solver="greedy").select(cov).objective == 6
    found = WCCM(weight=1.0).select(cov)
    assert found.objective == 4
    assert sorted(found.tags[0]) == [0, 1, 2]


def test_an_outlier_is_given_up_where_that_sets_many_tags_free():
    """Each tag of group 1 saves two of its outliers, for the same three of group 2: lost together, not one by one."""
    tags = np.zeros((13, 4), dtype=bool)
    for j in range(4):
        tags[2 * j : 2 * j + 2, j] = True
    tags[8:11] = True
    cov = Coverage.from_dense(tags, [1] * 8 + [2] * 3 + [0] * 2)
    assert WCCM(weight=1.0).select(cov).objective == 3


def planted(seed):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(300) < 0.3, rng.integers(1, 3, 300), 0)
    owner = rng.integers(1, 3, 30)
    return rng.random((300, 30)) < np.where(y[:, None] == owner[None, :], 0.35, 0.05), y


def test_rows_are_searched_with_weights_of_rows_and_groups():
    for seed in range(3):
        tags, y = planted(seed)
        weights = np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 3.0], len(y))
        cov = Coverage.from_dense(tags, y, sample_weight=weights)
        asked = WeightedCover(cov, cov.eligible(0.0), np.array([3.0, 7.5]))
        start = greedy_weighted(asked)
        found = refine_weighted(asked, start)
        assert asked.objective(found) <= asked.objective(start)
        assert asked.objective(found) == WCCM(weight=[3.0, 7.5]).select(cov).objective

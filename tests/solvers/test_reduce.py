"""Reductions keep the best value; the rules of a problem are checked by name."""

import numpy as np
import pytest
import reference
from fast import coverage_of
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from strategies import lambdas, small_problems

from pyod_explain import Coverage
from pyod_explain.bits import pack
from pyod_explain.solvers import BudgetedCover, WeightedCover, merge_rows, useful_pairs
from pyod_explain.solvers.reduce import undominated

MIN_LIFTS = st.sampled_from([0.0, 0.0, 1.0, 2.0])


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_reductions_keep_the_optimum(data):
    problem, min_lift = data.draw(small_problems()), data.draw(MIN_LIFTS)
    cov = coverage_of(problem)
    weight = data.draw(lambdas(len(problem.groups)))
    pairs = useful_pairs(cov, cov.eligible(min_lift))
    assert not (pairs & ~cov.eligible(min_lift)).any()
    kept = [[j for j in range(cov.n_tags) if pairs[k, j]] for k in range(cov.n_groups)]
    best = min(
        reference.objective_wccm(problem, one, weight)
        for one in reference.descriptions(problem, min_lift)
        if all(set(tags) <= set(kept[k]) for k, tags in enumerate(one))
    )
    assert best == pytest.approx(reference.best_wccm(problem, weight, min_lift))


def test_equal_rows_are_merged_and_those_without_a_tag_set_aside():
    T = [[1, 0], [1, 0], [0, 1], [0, 0], [1, 1], [1, 1], [0, 0]]
    for copies, outliers, normals in ((None, [1, 2], [2]), ([1, 2, 3, 4, 5, 6, 7], [3, 3], [11])):
        cov = Coverage.from_dense(T, [1, 1, 1, 1, 0, 0, 0], row_counts=copies)
        small = merge_rows(cov, cov.eligible(0.0))
        assert sorted(small.outlier_counts.tolist()) == outliers
        assert small.normal_counts.tolist() == normals
        assert small.uncoverable.tolist() == [1 if copies is None else 4]
        assert small.selection(np.array([True, False])) == [[0]]


def dominates(i, j, own, foreign, normals):
    """By its definition, with sets; of equal tags the first dominates."""
    as_good = (own[i] >= own[j]).all() and (foreign[i] <= foreign[j]).all() and (normals[i] <= normals[j]).all()
    equal = all((bits[i] == bits[j]).all() for bits in (own, foreign, normals))
    return as_good and (not equal or i < j)


@given(st.data())
def test_a_tag_stays_unless_another_dominates_it(data):
    n_tags = data.draw(st.integers(0, 8))
    bits = [data.draw(arrays(bool, (n_tags, n))) for n in (4, 3, 3)]
    expected = [not any(dominates(i, j, *bits) for i in range(n_tags) if i != j) for j in range(n_tags)]
    assert undominated(*map(pack, bits)).tolist() == expected


def test_broken_rules_are_named():
    cov = Coverage.from_dense([[1, 1], [0, 1], [0, 0]], [1, 2, 0])
    problem = WeightedCover(cov, np.array([[True, False], [True, True]]), np.ones(2))
    assert problem.broken_rules([[0], [1]]) == []
    assert problem.broken_rules([[0], [0]]) == ["Tag 0 is used 2 times."]
    assert problem.broken_rules([[1], []]) == ["Tag 1 may not describe group 1."]
    assert len(problem.broken_rules([[2], [-1]])) == 2
    assert len(problem.broken_rules([[0]])) == 1
    budgets = BudgetedCover(cov, cov.eligible(0.0), np.ones(2), np.zeros(2))
    assert "max_tags" in budgets.broken_rules([[0, 1], []])[0]
    assert "max_uncovered" in budgets.broken_rules([[0], [1]])[0]  # tag 1 covers the outlier of group 1 as well

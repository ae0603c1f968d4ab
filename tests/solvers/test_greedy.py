import itertools

import numpy as np
import pytest
import reference
from fast import WEIGHTS, as_sets, coverage_of, table
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import any_problems, lambdas, rhos, thetas

from pyod_explain import WCCM
from pyod_explain.solvers import BudgetedCover, Stuck, greedy_budgeted

MIN_LIFTS = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0])


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_greedy_wccm_is_algorithm_1(data):
    problem, min_lift = data.draw(any_problems()), data.draw(MIN_LIFTS)
    weight = data.draw(lambdas(len(problem.groups)))
    found = WCCM(weight=weight, solver="greedy", min_lift=min_lift).select(coverage_of(problem))
    assert found.tags == reference.greedy_wccm(problem, weight, min_lift)
    assert found.objective == pytest.approx(reference.objective_wccm(problem, found.tags, weight))
    assert (found.status, found.bound, found.gap) == ("feasible", None, None)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_greedy_bccm_is_algorithm_2(data):
    problem, min_lift = data.draw(any_problems()), data.draw(MIN_LIFTS)
    theta, rho = data.draw(thetas(len(problem.groups))), data.draw(rhos(len(problem.groups)))
    cov = coverage_of(problem)
    asked = BudgetedCover(cov, cov.eligible(min_lift), np.array(theta, dtype=float), np.array(rho))
    found = greedy_budgeted(asked)
    expected = reference.greedy_bccm(problem, theta, rho, min_lift)
    if isinstance(expected, reference.Stuck):
        assert found == Stuck(expected.group, expected.round)
    else:
        assert tuple(map(tuple, found)) == expected


@pytest.mark.parametrize("kind", WEIGHTS)
def test_greedy_is_algorithm_1_with_weights_in_any_unit(kind):
    for seed, power in itertools.product(range(3), (-11, 0, 9)):
        T, y, rng = table(seed, n_rows=30, n_tags=6)
        problem = as_sets(T, y, WEIGHTS[kind](rng, len(y)) * 10.0**power)
        found = WCCM(weight=[2.5, 1.5], solver="greedy").select(coverage_of(problem))
        assert found.tags == reference.greedy_wccm(problem, [2.5, 1.5])

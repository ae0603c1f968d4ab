import numpy as np
import reference
from fast import coverage_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import lambdas, problems, rhos, thetas

from pyod_explain.explainers.greedy import Stuck, greedy_budgeted, greedy_weighted
from pyod_explain.explainers.problem import BudgetedCover, WeightedCover
from pyod_explain.explainers.refine import refine_budgeted, refine_weighted


@given(st.data())
def test_refined_is_never_worse_than_greedy_and_has_no_redundant_tag(data):
    problem = data.draw(problems(weighted=data.draw(st.booleans())))
    cov = coverage_of(problem)
    weight = data.draw(lambdas(len(problem.groups)))
    asked = WeightedCover(cov, cov.eligible(0.0), np.array(weight))
    start = greedy_weighted(asked)
    found = tuple(map(tuple, refine_weighted(asked, start)))
    value = reference.objective_wccm(problem, found, weight)
    assert value <= reference.objective_wccm(problem, tuple(map(tuple, start)), weight) + 1e-9
    assert reference.disjoint(found)
    for k, tags in enumerate(found):
        for tag in tags:
            fewer = (*found[:k], tuple(j for j in tags if j != tag), *found[k + 1 :])
            assert reference.objective_wccm(problem, fewer, weight) > value


@given(st.data())
def test_what_refined_returns_for_budgets_meets_them(data):
    problem = data.draw(problems(weighted=data.draw(st.booleans())))
    cov = coverage_of(problem)
    theta, rho = data.draw(thetas(len(problem.groups))), data.draw(rhos(len(problem.groups)))
    asked = BudgetedCover(cov, cov.eligible(0.0), np.array(theta, dtype=float), np.array(rho))
    start = greedy_budgeted(asked)
    found = refine_budgeted(asked, None if isinstance(start, Stuck) else start)
    if found is not None:
        assert reference.feasible_bccm(problem, tuple(map(tuple, found)), theta, rho)
    if not isinstance(start, Stuck) and not asked.excess(start).any():
        assert found is not None
        assert asked.objective(found) <= asked.objective(start)

import numpy as np
import pytest
import reference
from fast import coverage_of, table
from hypothesis import given
from hypothesis import strategies as st
from strategies import lambdas, problems, rhos, thetas

from pyod_explain import BCCM, WCCM, Coverage
from pyod_explain.solvers import (
    BudgetedCover,
    Deadline,
    Stuck,
    WeightedCover,
    greedy_budgeted,
    greedy_weighted,
    refine_budgeted,
    refine_weighted,
)


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


@given(st.data())
def test_refined_is_between_the_optimum_and_greedy_and_always_the_same(data):
    problem = data.draw(problems(max_rows=10, max_tags=5, max_groups=3, weighted=data.draw(st.booleans())))
    cov = coverage_of(problem)
    weight = data.draw(lambdas(len(problem.groups)))
    found, again = WCCM(weight=weight).select(cov), WCCM(weight=weight).select(cov)
    assert found.objective == reference.objective_wccm(problem, found.tags, weight)
    assert found.objective >= reference.best_wccm(problem, weight) - 1e-9
    assert found.objective <= WCCM(weight=weight, solver="greedy").select(cov).objective + 1e-9
    assert found.tags == again.tags


def planted(seed):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(300) < 0.3, rng.integers(1, 3, 300), 0)
    owner = rng.integers(1, 3, 30)
    return rng.random((300, 30)) < np.where(y[:, None] == owner[None, :], 0.35, 0.05), y


def test_the_same_problem_has_the_same_answer():
    for seed in range(3):
        tags, y = planted(seed)
        for explainer in (WCCM(weight=5.0), BCCM(max_tags=6, max_uncovered=0.4)):
            answers = {explainer.select(Coverage.from_dense(tags, y)).tags for _ in range(2)}
            assert len(answers) == 1


@pytest.mark.parametrize("weight", [1e9 / 3, 1e8 + 0.1, 1e15 / 7, 1e-9 / 3, 1e29])
def test_refined_ends_whatever_the_weight(weight):
    T, y, rng = table(3, n_rows=200, n_tags=40)
    for weights in (None, rng.lognormal(0, 1, len(y))):
        cov = Coverage.from_dense(T, y, sample_weight=weights)
        # Unscaled as well: the search itself must end.
        problem = WeightedCover(cov, cov.eligible(0.0), np.full(2, weight))
        start = greedy_weighted(problem)
        deadline = Deadline.after(20.0)
        found = refine_weighted(problem, start, deadline)
        assert not deadline.passed
        assert problem.objective(found) <= problem.objective(start) * (1 + 1e-9)
        assert WCCM(weight=weight).select(cov).objective <= problem.objective(start) * (1 + 1e-9)

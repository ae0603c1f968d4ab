import numpy as np
import reference
from fast import coverage_of, limited
from hypothesis import given
from hypothesis import strategies as st
from strategies import lambdas, problems, rhos, thetas

from pyod_explain import BCCM, WCCM, Coverage
from pyod_explain.solvers.greedy import Stuck, greedy_budgeted, greedy_weighted
from pyod_explain.solvers.limits import Limits
from pyod_explain.solvers.local_search import refine_budgeted, refine_weighted
from pyod_explain.solvers.problem import BudgetedCover, WeightedCover


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


def test_the_same_problem_has_the_same_answer():
    for seed in range(3):
        tags, y = planted(seed)
        for explainer in (WCCM(weight=5.0), BCCM(max_tags=6, max_uncovered=0.4)):
            answers = {explainer.select(Coverage.from_dense(tags, y)).tags for _ in range(2)}
            assert len(answers) == 1


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


def test_the_nearest_budgets_are_found_even_where_the_program_comes_to_nothing():
    rng = np.random.default_rng(1)
    y = rng.choice([0, 0, 0, 1, 2], 200)
    cov = Coverage.from_dense(rng.random((200, 30)) < np.where(y[:, None] > 0, 0.3, 0.1), y)
    explainer = limited(BCCM, Limits(nearest_program=0))(max_tags=2, max_uncovered=0.05, relax=True)
    found = explainer.select(cov)
    lost = np.array(cov.weigh_lost(found.tags)) / np.array(cov.group_totals)
    assert all(found.tags)
    assert (lost < 1).all()
    assert len(found.notes) == (lost > 0.05).sum() > 0

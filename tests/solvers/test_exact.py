import itertools

import numpy as np
import pytest
import reference
from fast import WEIGHTS, as_sets, coverage_of, limited, planted, table
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import lambdas, rhos, small_problems, thetas

from pyod_explain import BCCM, WCCM, Coverage
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.solvers import (
    BudgetedCover,
    Deadline,
    Limits,
    WeightedCover,
    reduced,
    solve_budgeted,
    solve_weighted,
    useful_pairs,
)

MIN_LIFTS = st.sampled_from([0.0, 0.0, 1.0, 2.0])


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_exact_wccm_is_the_optimum_and_says_so(data):
    problem, min_lift = data.draw(small_problems()), data.draw(MIN_LIFTS)
    weight = data.draw(lambdas(len(problem.groups)))
    found = WCCM(weight=weight, solver="exact", min_lift=min_lift).select(coverage_of(problem))
    best = reference.best_wccm(problem, weight, min_lift)
    assert found.objective == pytest.approx(best, abs=1e-6)
    assert found.objective == pytest.approx(reference.objective_wccm(problem, found.tags, weight))
    assert found.status == "optimal"
    assert found.bound == pytest.approx(best, abs=1e-6)
    assert found.gap == pytest.approx(0.0, abs=1e-6)
    assert reference.disjoint(found.tags)
    assert all(reference.eligible(problem, k, j, min_lift) for k, tags in enumerate(found.tags) for j in tags)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_exact_bccm_is_the_optimum_or_proves_that_there_is_none(data):
    problem, min_lift = data.draw(small_problems()), data.draw(MIN_LIFTS)
    theta, rho = data.draw(thetas(len(problem.groups))), data.draw(rhos(len(problem.groups)))
    explainer = BCCM(max_tags=theta, max_uncovered=rho, solver="exact", min_lift=min_lift)
    best = reference.best_bccm(problem, theta, rho, min_lift)
    if best is None:
        with pytest.raises(InfeasibleError, match="this is proved") as caught:
            explainer.select(coverage_of(problem))
        assert caught.value.proved
        return
    found = explainer.select(coverage_of(problem))
    assert found.objective == pytest.approx(best, abs=1e-6)
    assert found.objective == pytest.approx(reference.objective_bccm(problem, found.tags))
    assert (found.status, found.bound) == ("optimal", pytest.approx(best, abs=1e-6))
    assert reference.feasible_bccm(problem, found.tags, theta, rho)
    assert all(reference.eligible(problem, k, j, min_lift) for k, tags in enumerate(found.tags) for j in tags)


# Small problems are solved by branch and bound; with no tags allowed there they take the road of larger ones.
ROADS = {"branch and bound": Limits(), "HiGHS": Limits(few_tags=0)}


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("seed", range(8))
def test_all_roads_to_the_optimum_agree_with_exhaustive_search(road, seed):
    rng = np.random.default_rng(seed)
    owners = rng.integers(0, 3, 60) * (rng.random(60) < 0.4)
    T = rng.random((60, 7)) < np.where(owners[:, None] > 0, 0.3, 0.15)
    problem = reference.Problem(
        tags=tuple(frozenset(np.flatnonzero(column).tolist()) for column in T.T),
        normals=frozenset(np.flatnonzero(owners == 0).tolist()),
        groups=tuple(frozenset(np.flatnonzero(owners == k).tolist()) for k in (1, 2)),
        lengths=(1,) * 7,
        n_items=7,
        weights=tuple(rng.choice([0.5, 1.0, 2.0], 60).tolist()) if seed % 2 else None,
    )
    cov = coverage_of(problem)
    weighted = WeightedCover(cov, cov.eligible(0.0), np.array([3.0, 2.0]))
    solved = solve_weighted(weighted, reduced(cov, weighted.eligible), [[], []], Deadline.after(20.0), ROADS[road])
    best = reference.best_wccm(problem, [3.0, 2.0])
    assert (weighted.objective(solved.tags), solved.bound) == (pytest.approx(best), pytest.approx(best))

    theta, rho = [2, 2], [0.6, 0.5]
    budgeted = BudgetedCover(cov, cov.eligible(0.0), np.array(theta, dtype=float), np.array(rho))
    best = reference.best_bccm(problem, theta, rho)
    solved = solve_budgeted(budgeted, reduced(cov, budgeted.eligible), None, Deadline.after(20.0), ROADS[road])
    if best is None:
        assert solved.infeasible
    else:
        assert (budgeted.objective(solved.tags), solved.bound) == (pytest.approx(best), pytest.approx(best))


@pytest.mark.parametrize("seed", range(3))
def test_instances_too_large_for_exhaustive_search_are_solved_to_the_end(seed):
    found = WCCM(weight=3.0, solver="exact").select(planted(seed=seed))
    assert found.status == "optimal"
    refined = WCCM(weight=3.0, bound=True).select(planted(seed=seed))
    assert refined.bound <= found.objective <= refined.objective


def test_a_solver_stopped_by_time_claims_no_more_than_it_proved():
    cov = planted(600, 60, seed=1)
    found = WCCM(weight=8.0, solver="exact", time_limit=0.01).select(cov)
    assert found.status == ("optimal" if found.bound == found.objective else "feasible")
    assert 0 <= found.gap <= 1


def test_two_tags_that_pay_only_together_are_both_kept():
    # Both cover the same three normals for one outlier each: apart 3 > 2, together 3 < 4.
    T = [[1, 0], [0, 1], [1, 1], [1, 1], [1, 1]]
    found = WCCM(weight=2.0, solver="exact").select(Coverage.from_dense(T, [1, 1, 0, 0, 0]))
    assert (found.tags, found.objective) == (((0, 1),), 3.0)


@pytest.mark.parametrize("seed", range(6))
def test_no_budget_is_broken_where_more_than_200_tags_are_left(seed):
    """Many narrow tags cover no normals; the few that are allowed must be broad ones, which do."""
    rng = np.random.default_rng(seed)
    n_groups = 1 + seed % 2
    y = np.where(rng.random(250) < 0.25, rng.integers(1, n_groups + 1, 250), 0)
    y[:n_groups] = np.arange(1, n_groups + 1)
    mine, broad = y[:, None] == rng.integers(1, n_groups + 1, 320), np.arange(320) < 40
    T = rng.random((250, 320)) < np.where(broad, np.where(mine, 0.6, 0.1), np.where(mine, 0.12, 0.01))
    weights = rng.lognormal(0, 0.2, len(y)) if seed >= 3 else None
    theta, rho = [2] * n_groups, [0.4] * n_groups
    cov = Coverage.from_dense(T, y, sample_weight=weights)
    assert useful_pairs(cov, cov.eligible(0.0)).any(axis=0).sum() > 200
    found = BCCM(max_tags=theta, max_uncovered=rho, solver="exact", time_limit=3.0).select(cov)
    assert reference.feasible_bccm(as_sets(T, y, weights), found.tags, theta, rho)
    assert found.bound <= found.objective
    if found.status == "optimal" and n_groups == 1:
        best = min(
            cov.weigh_normals(cov.normals_with(pair))
            for pair in itertools.combinations_with_replacement(range(320), 2)
            if cov.weigh_lost([sorted(set(pair))])[0] <= 0.4 * cov.group_totals[0] * (1 + 1e-9)
        )
        assert found.objective == pytest.approx(best)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(sorted(WEIGHTS)), few=st.sampled_from([0, 200]))
def test_what_exact_calls_optimal_is_the_best_of_all_selections(seed, kind, few):
    """By either road, that of many tags included, and with weights in any unit."""
    T, y, rng = table(seed, n_rows=40, n_tags=6)
    weights = WEIGHTS[kind](rng, len(y)) * 10.0 ** int(rng.integers(-12, 13))
    problem = as_sets(T, y, weights)
    lam, theta, rho = [2.5, 1 / 3], [1, 2], [0.5, 0.6]
    limits = Limits(few_tags=few)
    weighted = limited(WCCM, limits)(weight=lam, solver="exact").select(coverage_of(problem))
    best = reference.best_wccm(problem, lam)
    assert weighted.status == "optimal"
    assert weighted.objective == pytest.approx(best, rel=1e-9, abs=0)
    budget = reference.best_bccm(problem, theta, rho)
    explainer = limited(BCCM, limits)(max_tags=theta, max_uncovered=rho, solver="exact")
    if budget is None:
        with pytest.raises(InfeasibleError) as caught:
            explainer.select(coverage_of(problem))
        assert caught.value.proved
        return
    found = explainer.select(coverage_of(problem))
    assert reference.feasible_bccm(problem, found.tags, theta, rho)
    assert (found.status, found.objective) == ("optimal", pytest.approx(budget, rel=1e-9, abs=0))


@pytest.mark.parametrize("few", [0, 200])
@pytest.mark.parametrize("weight", [1e12, 1e15 / 7])
def test_next_to_huge_losses_no_covered_normal_is_overlooked(weight, few):
    """Two outliers of different groups have the same tags, so that one is lost, at a cost beside which all else is
    little: yet a selection that covers a few normals less is better, and none may be called optimal before it."""
    explain = limited(WCCM, Limits(few_tags=few))
    for seed in (0, 1, 2, 7):
        rng = np.random.default_rng(seed)
        y = np.where(rng.random(300) < 0.06, rng.integers(1, 3, 300), 0)
        y[:2] = 1, 2
        T = rng.random((300, 6)) < np.where(y[:, None] > 0, 0.5, 0.2)
        T[1] = T[0]
        T[:2, :2] = True
        best = reference.best_wccm(as_sets(T, y, None), [weight] * 2)
        cov = Coverage.from_dense(T, y)
        for explainer in (explain(weight=weight, solver="exact"), explain(weight=weight, solver="greedy", bound=True)):
            found = explainer.select(cov)
            assert found.bound <= best + 0.25
            assert found.status != "optimal" or found.objective == pytest.approx(best, rel=0, abs=0.25)
        if few:
            assert explain(weight=weight, solver="exact").select(cov).status == "optimal"


def test_a_start_that_breaks_a_budget_is_not_taken_for_a_selection():
    T, y, _ = table(0)
    cov = Coverage.from_dense(T, y)
    problem = BudgetedCover(cov, cov.eligible(0.0), np.array([1.0, 1.0]), np.array([0.9, 0.9]))
    everything = [list(range(5)), list(range(5, 10))]
    assert "has 5 tags where `max_tags` allows 1" in problem.broken(everything)[0]
    solved = solve_budgeted(problem, reduced(cov, problem.eligible), everything, Deadline.after(5.0))
    assert solved.tags is None or not problem.broken(solved.tags)

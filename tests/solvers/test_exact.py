import numpy as np
import pytest
import reference
from fast import coverage_of, limited
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import lambdas, problems, rhos, thetas

from pyod_explain import BCCM, WCCM, Coverage
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.solvers.bounds import budgeted_bound, weighted_bound
from pyod_explain.solvers.choice import choice, share_costs
from pyod_explain.solvers.deadline import Deadline
from pyod_explain.solvers.exact import solve_budgeted, solve_weighted
from pyod_explain.solvers.limits import Limits
from pyod_explain.solvers.problem import BudgetedCover, WeightedCover
from pyod_explain.solvers.proof import settle, step_of
from pyod_explain.solvers.reduce import reduced, useful_pairs

MIN_LIFTS = st.sampled_from([0.0, 0.0, 1.0, 2.0])


@st.composite
def small_problems(draw):
    """Small enough for exhaustive search; half of them with weights, some with empty groups."""
    empty = draw(st.booleans())
    drawn = draw(
        problems(max_rows=12, max_tags=5, max_groups=3, weighted=draw(st.booleans()), allow_empty_groups=empty)
    )
    return drawn if drawn.groups[-1] else draw(problems(max_rows=12, max_tags=5, max_groups=3))


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


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_bounds_are_below_the_optimum(data):
    problem = data.draw(small_problems())
    cov, n_groups = coverage_of(problem), len(problem.groups)
    weight = data.draw(lambdas(n_groups))
    theta, rho = data.draw(thetas(n_groups)), data.draw(rhos(n_groups))
    limits = Limits(few_tags=data.draw(st.sampled_from([0, 200])), few_parts=data.draw(st.sampled_from([1, 3, 100])))
    for solver in ("greedy", "refined"):
        found = limited(WCCM, limits)(weight=weight, solver=solver, bound=True).select(cov)
        best = reference.best_wccm(problem, weight)
        assert 0 <= found.bound <= best + 1e-6 <= found.objective + 2e-6
        assert (found.status == "optimal") == (found.bound == found.objective)
    best = reference.best_bccm(problem, theta, rho)
    if best is not None:
        found = limited(BCCM, limits)(max_tags=theta, max_uncovered=rho, bound=True).select(cov)
        assert 0 <= found.bound <= best + 1e-6 <= found.objective + 2e-6


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_paying_in_parties_proves_a_bound_too(data):
    problem = data.draw(small_problems())
    cov = coverage_of(problem)
    weight = np.array(data.draw(lambdas(len(problem.groups))))
    small = reduced(cov, cov.eligible(0.0))
    sharing = share_costs(choice(small, weight), parties=small.outlier_group)
    assert sharing.bound <= reference.best_wccm(problem, weight.tolist()) + 1e-6


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


def planted(n_rows=300, n_tags=15, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice([0, 0, 0, 0, 0, 0, 0, 1, 1, 2], n_rows)
    rate = rng.uniform(0.02, 0.3, (3, n_tags))
    return Coverage.from_dense(rng.random((n_rows, n_tags)) < rate[y], y)


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


def test_the_bound_is_rounded_up_to_what_the_objective_can_be():
    assert step_of(np.array([1.0, 1.0, 10.0])) == 1.0
    assert step_of(np.array([])) == 0.0
    assert settle(7.0000000001, 9.0, 1.0) == 7.0
    assert settle(9.5, 9.0, 1.0) == 9.0


def test_bounds_of_large_problems_leave_part_of_the_normals_unpaid():
    cov = planted(200, 10, seed=2)
    weighted = WeightedCover(cov, cov.eligible(0.0), np.array([3.0, 3.0]))
    budgeted = BudgetedCover(cov, cov.eligible(0.0), np.array([9.0, 9.0]), np.array([0.8, 0.8]))
    tags = solve_weighted(weighted, reduced(cov, weighted.eligible), [[], []], Deadline.after(20.0)).tags
    cheap = solve_budgeted(budgeted, reduced(cov, budgeted.eligible), None, Deadline.after(20.0))
    small = reduced(cov, cov.eligible(0.0))
    full = weighted_bound(weighted, small, tags, Deadline.after(5.0))
    for few_tags in (0, 200):
        limits = Limits(few_tags=few_tags, dense=20 * 100, shares=10, minimal=0)
        bound = weighted_bound(weighted, small, tags, Deadline.after(5.0), limits)
        assert 0 <= bound <= full <= weighted.objective(tags)
        bound = budgeted_bound(budgeted, small, cheap.tags, Deadline.after(5.0), limits)
        assert 0 <= bound <= budgeted.objective(cheap.tags)

import numpy as np
import pytest
import reference
from fast import coverage_of, planted
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import lambdas, problems, rhos, thetas

from pyod_explain import WCCM, Coverage
from pyod_explain.solvers import LIMITS, BudgetedCover, Limits, WeightedCover, branch_and_bound, reduced, step_of

ROUNDS = st.builds(Limits, first_rounds=st.sampled_from([1, 100]), rounds=st.sampled_from([1, 60]))


@st.composite
def small_problems(draw):
    """Small enough for exhaustive search; half of them with weights."""
    return draw(problems(max_rows=14, max_tags=6, max_groups=3, weighted=draw(st.booleans())))


def search_weighted(cov, weight, *, cutoff=np.inf, seconds=20.0, limits=LIMITS):
    """What `branch_and_bound` finds for WCCM, in terms of the coverage: (tags or None, value, bound, found)."""
    small = reduced(cov, cov.eligible(0.0))
    loss = np.asarray(weight)[small.outlier_group] * small.outlier_mass
    fixed = float(np.asarray(weight) @ small.hopeless)
    step = step_of(np.r_[small.normal_mass, loss, fixed])
    found = branch_and_bound(small, loss, cutoff=cutoff - fixed, step=step, seconds=seconds, limits=limits)
    tags = None if found.tags is None else [[int(small.tags[t]) for t in chosen] for chosen in found.tags]
    return tags, found.value + fixed, found.bound + fixed, found


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_the_best_of_all_selections_is_found(data):
    problem = data.draw(small_problems())
    weight = data.draw(lambdas(len(problem.groups)))
    cov = coverage_of(problem)
    best = reference.best_wccm(problem, weight)
    limits = data.draw(ROUNDS)
    tags, value, bound, found = search_weighted(cov, weight, limits=limits)
    assert found.complete
    assert (value, bound) == (pytest.approx(best), pytest.approx(best))
    assert reference.objective_wccm(problem, tags, weight) == pytest.approx(best)
    assert reference.disjoint(tags)
    assert search_weighted(cov, weight, cutoff=best - 0.1, limits=limits)[0] is None


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_the_best_within_the_budgets_is_found_or_there_is_none(data):
    problem = data.draw(small_problems())
    theta, rho = data.draw(thetas(len(problem.groups))), data.draw(rhos(len(problem.groups)))
    cov = coverage_of(problem)
    budgeted = BudgetedCover(cov, cov.eligible(0.0), np.array(theta, dtype=float), np.array(rho))
    small = reduced(cov, budgeted.eligible)
    room = budgeted.allowed - small.hopeless
    best = reference.best_bccm(problem, theta, rho)
    if (room < 0).any():
        return
    found = branch_and_bound(
        small,
        np.zeros(len(small.outliers)),
        cutoff=np.inf,
        step=step_of(small.normal_mass),
        seconds=20.0,
        max_tags=budgeted.max_tags,
        room=room,
        limits=data.draw(ROUNDS),
    )
    assert found.complete
    if best is None:
        assert (found.tags, found.bound) == (None, np.inf)
        return
    tags = [[int(small.tags[t]) for t in chosen] for chosen in found.tags]
    assert (found.value, reference.objective_bccm(problem, tags)) == (pytest.approx(best), pytest.approx(best))
    assert reference.feasible_bccm(problem, tags, theta, rho)


@pytest.mark.parametrize("seed", range(3))
def test_better_shares_change_the_road_but_not_the_end(seed):
    cov = planted(200, 14, seed)
    ends = []
    for rounds in (1, 60):
        limits = Limits(first_rounds=50 * rounds, rounds=rounds)
        tags, value, _, found = search_weighted(cov, [4.0, 3.0], limits=limits)
        assert found.complete
        assert WeightedCover(cov, cov.eligible(0.0), np.array([4.0, 3.0])).objective(tags) == pytest.approx(value)
        ends.append((value, found.n_parts))
    assert ends[0][0] == pytest.approx(ends[1][0])
    assert ends[0][1] > ends[1][1]


def test_with_little_memory_the_deepest_part_is_next():
    cov = planted(200, 14, 0)
    before = search_weighted(cov, [4.0, 3.0])[1]
    tags, value, _, found = search_weighted(cov, [4.0, 3.0], limits=Limits(held_bytes=0))
    assert found.complete
    assert (tags is not None, value) == (True, pytest.approx(before))


def test_a_search_stopped_by_time_proves_no_more_than_the_least_open_bound():
    cov = planted(300, 18, 1)
    best = search_weighted(cov, [4.0, 4.0])[1]
    for seconds in (0.0, 0.02, 0.1):
        _, value, bound, found = search_weighted(cov, [4.0, 4.0], seconds=seconds)
        assert bound <= best + 1e-6 <= value + 2e-6
        assert found.complete or bound >= 0


@pytest.mark.parametrize("explainer", [WCCM(weight=3.0, solver="exact"), WCCM(weight=3.0, bound=True)], ids=repr)
def test_a_tag_may_go_to_any_of_many_groups(explainer):
    """128 groups without a tag; in the last one tags form a ring, so that three must be found that cover it."""
    first, normals = 128, 128 + 5
    tags = [{first + i, first + (i + 1) % 5, normals + 2 * i, normals + 2 * i + 1} for i in range(5)]
    groups = [*({row} for row in range(first)), set(range(first, normals))]
    found = explainer.select(Coverage.from_sets(tags, groups, n_rows=normals + 10))
    assert found.bound == found.objective == 128 * 3 + 3 * 2
    assert len(found.tags[-1]) == 3

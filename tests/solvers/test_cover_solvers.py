"""WCCM and BCCM: greedy is the paper's, refined is no worse, exact is the best of all selections."""

import itertools

import numpy as np
import pytest
import reference
from fast import as_sets, coverage_of, planted, table
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import any_problems, lambdas, problems, rhos, small_problems, thetas

from pyod_explain import BCCM, WCCM, Coverage, solvers
from pyod_explain.exceptions import InfeasibleError

MIN_LIFTS = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0])


def eligible_everywhere(problem, found, min_lift):
    return all(reference.eligible(problem, k, j, min_lift) for k, tags in enumerate(found.tags) for j in tags)


# --- greedy -----------------------------------------------------------------------------------------------------------


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
def test_greedy_bccm_is_algorithm_2_and_reports_where_it_stopped_or_what_it_broke(data):
    problem, min_lift = data.draw(any_problems()), data.draw(MIN_LIFTS)
    theta, rho = data.draw(thetas(len(problem.groups))), data.draw(rhos(len(problem.groups)))
    explainer = BCCM(max_tags=theta, max_uncovered=rho, solver="greedy", min_lift=min_lift)
    expected = reference.greedy_bccm(problem, theta, rho, min_lift)
    if isinstance(expected, reference.Stuck):
        with pytest.raises(InfeasibleError) as caught:
            explainer.select(coverage_of(problem))
        assert (caught.value.group, caught.value.round) == (expected.group + 1, expected.round)
        return
    found = explainer.select(coverage_of(problem))
    assert found.tags == expected
    assert found.objective == pytest.approx(reference.objective_bccm(problem, found.tags))
    broken = reference.violations(problem, expected, rho)
    assert (found.status, len(found.notes)) == ("violated" if broken else "feasible", len(broken))


def slow_greedy_cover(T, y, pairs):
    """By its definition, with sets."""
    groups = [set(np.flatnonzero(y == k + 1).tolist()) for k in range(len(pairs))]
    rows = [set(np.flatnonzero(column).tolist()) for column in T.T]
    chosen, free = [[] for _ in groups], pairs.copy()
    while True:
        gain = {(t, k): len(rows[t] & groups[k]) for k, t in zip(*np.nonzero(free), strict=True)}
        t, k = min(gain, key=lambda pair: (-gain[pair], pair), default=(0, 0))
        if not gain.get((t, k)):
            return chosen
        chosen[k].append(int(t))
        free[:, t] = False
        groups[k] -= rows[t]


@pytest.mark.parametrize("seed", range(6))
def test_the_greedy_cover_takes_the_tag_that_covers_most(seed):
    T, y, _ = table(seed, n_rows=200, n_tags=60, n_groups=1 + seed % 3, rate=[0.06, 0.3][seed // 3])
    cov = Coverage.from_dense(T, y)
    pairs = cov.eligible(1.0)
    assert solvers.greedy_cover(cov, pairs) == slow_greedy_cover(T, y, pairs)


# --- refined ----------------------------------------------------------------------------------------------------------


@given(st.data())
def test_refined_wccm_is_between_the_optimum_and_greedy_and_has_no_redundant_tag(data):
    problem, min_lift = data.draw(small_problems()), data.draw(MIN_LIFTS)
    cov = coverage_of(problem)
    weight = data.draw(lambdas(len(problem.groups)))
    found, again = (WCCM(weight=weight, min_lift=min_lift).select(cov) for _ in range(2))
    assert found == again
    greedy = WCCM(weight=weight, min_lift=min_lift, solver="greedy").select(cov)
    assert reference.best_wccm(problem, weight, min_lift) - 1e-9 <= found.objective <= greedy.objective + 1e-9
    assert found.objective == pytest.approx(reference.objective_wccm(problem, found.tags, weight))
    assert reference.disjoint(found.tags)
    assert eligible_everywhere(problem, found, min_lift)
    for k, tags in enumerate(found.tags):
        for tag in tags:
            fewer = (*found.tags[:k], tuple(j for j in tags if j != tag), *found.tags[k + 1 :])
            assert reference.objective_wccm(problem, fewer, weight) > found.objective


@given(st.data())
def test_refined_bccm_meets_the_budgets_or_there_is_no_way(data):
    problem = data.draw(small_problems())
    theta, rho = data.draw(thetas(len(problem.groups))), data.draw(rhos(len(problem.groups)))
    best = reference.best_bccm(problem, theta, rho)
    explainer = BCCM(max_tags=theta, max_uncovered=rho)
    if best is None:
        with pytest.raises(InfeasibleError) as caught:
            explainer.select(coverage_of(problem))
        check_diagnosis(problem, theta, caught.value)
        return
    found = explainer.select(coverage_of(problem))
    assert found.status == "feasible"
    assert reference.feasible_bccm(problem, found.tags, theta, rho)
    assert best <= found.objective == pytest.approx(reference.objective_bccm(problem, found.tags))
    greedy = reference.greedy_bccm(problem, theta, rho)
    if not isinstance(greedy, reference.Stuck) and reference.feasible_bccm(problem, greedy, theta, rho):
        assert found.objective <= reference.objective_bccm(problem, greedy)


def check_diagnosis(problem, theta, error):
    """What the error says of its group is reachable, and not better than the best."""
    assert error.proved
    k = error.group - 1
    size = max(len(problem.groups[k]), 1)
    subsets = itertools.chain(*(itertools.combinations(range(len(problem.tags)), n) for n in range(theta[k] + 1)))
    left = {len(problem.groups[k] - reference.covered(problem, tags)) / size for tags in subsets}
    assert min(left) - 1e-9 <= error.best_uncovered
    assert any(error.best_uncovered == pytest.approx(share) for share in left)


@pytest.mark.parametrize("weight", [1e9 / 3, 1e15 / 7, 1e-9 / 3, 1e29])
def test_refined_ends_whatever_the_weight(weight):
    T, y, _ = table(3, n_rows=200, n_tags=40)
    cov = Coverage.from_dense(T, y)
    problem = solvers.WeightedCover(cov, cov.eligible(0.0), np.full(2, weight))
    start = solvers.greedy_weighted(problem)
    assert problem.objective(solvers.refine_weighted(problem, start)) <= problem.objective(start) * (1 + 1e-9)


def test_a_search_without_time_returns_what_it_has():
    cov, late = planted(), solvers.Deadline.after(0.0)
    problem = solvers.WeightedCover(cov, cov.eligible(0.0), np.full(2, 3.0))
    assert problem.broken_rules(solvers.refine_weighted(problem, solvers.greedy_weighted(problem, late), late)) == []
    budgets = solvers.BudgetedCover(cov, cov.eligible(0.0), np.full(2, 5.0), np.full(2, 0.1))
    assert isinstance(solvers.greedy_budgeted(budgets, late), solvers.Stuck)
    found = solvers.refine_budgeted(budgets, None, late)
    assert found is None or budgets.broken_rules(found) == []


# --- exact ------------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["strong", "compact"])
def form(request, monkeypatch):
    """Both forms of the program of WCCM: the compact one is for problems that are too large for the other."""
    if request.param == "compact":
        monkeypatch.setattr(solvers.highs, "STRONG_NONZEROS", -1)


@pytest.mark.usefixtures("form")
@settings(max_examples=50, deadline=None)
@given(st.data())
def test_exact_wccm_is_the_optimum_and_says_so(data):
    problem, min_lift = data.draw(small_problems()), data.draw(MIN_LIFTS)
    weight = data.draw(lambdas(len(problem.groups)))
    found = WCCM(weight=weight, solver="exact", min_lift=min_lift).select(coverage_of(problem))
    best = reference.best_wccm(problem, weight, min_lift)
    assert found.objective == pytest.approx(best, abs=1e-6)
    assert found.objective == pytest.approx(reference.objective_wccm(problem, found.tags, weight))
    assert (found.status, found.bound, found.gap) == ("optimal", found.objective, 0.0)
    assert reference.disjoint(found.tags)
    assert eligible_everywhere(problem, found, min_lift)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_exact_bccm_is_the_optimum_or_proves_that_there_is_none(data):
    problem, min_lift = data.draw(small_problems()), data.draw(MIN_LIFTS)
    theta, rho = data.draw(thetas(len(problem.groups))), data.draw(rhos(len(problem.groups)))
    explainer = BCCM(max_tags=theta, max_uncovered=rho, solver="exact", min_lift=min_lift)
    best = reference.best_bccm(problem, theta, rho, min_lift)
    if best is None:
        with pytest.raises(InfeasibleError) as caught:
            explainer.select(coverage_of(problem))
        assert caught.value.proved
        return
    found = explainer.select(coverage_of(problem))
    assert (found.objective, found.status, found.bound) == (best, "optimal", best)
    assert reference.feasible_bccm(problem, found.tags, theta, rho)
    assert eligible_everywhere(problem, found, min_lift)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("seed", range(12))
def test_the_program_finds_the_optimum_by_itself(seed):
    """From no selection, or a bad one: with the refined one it mostly has nothing to find."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 60) * (rng.random(60) < 0.4)
    y[:2] = 1, 2
    T = rng.random((60, 7)) < np.where(y[:, None] > 0, 0.3, 0.15)
    copies = rng.integers(1, 4, 60) if seed % 2 else None
    cov = Coverage.from_dense(T, y, row_counts=copies)
    times = np.ones(60, dtype=int) if copies is None else copies
    problem = as_sets(np.repeat(T, times, axis=0), np.repeat(y, times))
    weight = [[3.0, 2.0], [2.5, 1 / 3], [1.0, 10.0]][seed % 3]
    weighted = solvers.WeightedCover(cov, cov.eligible(0.0), np.array(weight))
    solved = solvers.solve_weighted(weighted, [[], []], solvers.Deadline.after(60.0))
    best = reference.best_wccm(problem, weight)
    assert (weighted.objective(solved.tags), solved.bound) == (pytest.approx(best), pytest.approx(best))
    theta, rho = [2, 2], [0.6, 0.5]
    budgeted = solvers.BudgetedCover(cov, cov.eligible(0.0), np.array(theta, dtype=float), np.array(rho))
    best = reference.best_bccm(problem, theta, rho)
    solved = solvers.solve_budgeted(budgeted, None, solvers.Deadline.after(60.0))
    if best is None:
        assert (solved.tags, solved.bound) == (None, np.inf)
    else:
        assert (budgeted.objective(solved.tags), solved.bound) == (best, best)


@given(problems(max_rows=12, max_tags=5, max_groups=3))
def test_the_program_finds_the_fewest_tags_or_proves_that_there_is_no_cover(problem):
    cov = coverage_of(problem)
    best = reference.best_dtdm(problem)
    found = solvers.solve_fewest(cov, cov.eligible(0.0) & (cov.group_counts > 0), None, solvers.Deadline.after(60.0))
    if best is None:
        assert (found.tags, found.bound) == (None, np.inf)
    else:
        assert (sum(map(len, found.tags)), found.bound) == (best, best)
        assert reference.feasible_dtdm(problem, tuple(map(tuple, found.tags)))


@pytest.mark.parametrize("seed", range(3))
def test_instances_too_large_for_exhaustive_search_are_solved_to_the_end(seed):
    found = WCCM(weight=3.0, solver="exact").select(planted(seed=seed))
    assert found.status == "optimal"
    assert found.objective <= WCCM(weight=3.0).select(planted(seed=seed)).objective


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("weight", [1e12, 1e15 / 7])
def test_next_to_huge_losses_nothing_is_called_optimal_that_is_not(weight):
    """Two outliers of different groups have the same tags: one is lost, at a cost beside which normals are little."""
    for seed in (0, 1, 2, 7):
        rng = np.random.default_rng(seed)
        y = np.where(rng.random(300) < 0.06, rng.integers(1, 3, 300), 0)
        y[:2] = 1, 2
        T = rng.random((300, 6)) < np.where(y[:, None] > 0, 0.5, 0.2)
        T[1] = T[0]
        T[:2, :2] = True
        best = reference.best_wccm(as_sets(T, y), [weight] * 2)
        found = WCCM(weight=weight, solver="exact").select(Coverage.from_dense(T, y))
        assert found.bound <= best + 0.25
        assert found.status != "optimal" or found.objective == pytest.approx(best, rel=0, abs=0.25)


def test_without_time_for_a_program_only_a_simple_bound_is_proved(monkeypatch):
    best = WCCM(weight=8.0, solver="exact").select(planted()).objective
    monkeypatch.setattr(solvers.highs, "SECONDS_PER_NONZERO", 1e9)
    found = WCCM(weight=8.0, solver="exact").select(planted())
    assert found.status == "feasible"
    assert 40.0 < found.bound <= best  # five outliers that no tag covers, at 8 each, and a normal or outlier more
    cov = Coverage.from_dense(np.eye(4, dtype=bool), [1, 1, 2, 0])
    solved = solvers.solve_fewest(
        cov, cov.eligible(0.0) & (cov.group_counts > 0), [[0, 1], [2]], solvers.Deadline.after(5.0)
    )
    assert (solved.tags, solved.bound) == ([[0, 1], [2]], 2.0)  # a tag for each group

import pickle

import numpy as np
import pytest
import reference
from fast import coverage_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from strategies import lambdas, problems, rhos, thetas

from pyod_explain import BCCM, WCCM, Coverage
from pyod_explain.exceptions import InfeasibleError, PyodExplainError
from pyod_explain.explainers import DTDM, PDM
from pyod_explain.solvers.greedy import Stuck, greedy_budgeted
from pyod_explain.solvers.problem import BudgetedCover

MIN_LIFTS = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0])
SOLVERS = ("greedy", "refined", "exact")


@st.composite
def any_problems(draw):
    """Problems of all kinds; groups in the middle may be empty."""
    drawn = draw(problems(weighted=draw(st.booleans()), allow_empty_groups=draw(st.booleans())))
    return drawn if drawn.groups[-1] else draw(problems())  # a last group that is empty leaves no trace in y


# --- the paper's algorithms -------------------------------------------------------------------------------------


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


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_greedy_bccm_says_where_it_gave_up_and_what_it_broke(data):
    problem = data.draw(any_problems())
    theta, rho = data.draw(thetas(len(problem.groups))), data.draw(rhos(len(problem.groups)))
    explainer = BCCM(max_tags=theta, max_uncovered=rho, solver="greedy")
    expected = reference.greedy_bccm(problem, theta, rho)
    if isinstance(expected, reference.Stuck):
        with pytest.raises(InfeasibleError) as caught:
            explainer.select(coverage_of(problem))
        assert caught.value.round == expected.round
        return
    found = explainer.select(coverage_of(problem))
    assert found.objective == pytest.approx(reference.objective_bccm(problem, found.tags))
    broken = reference.violations(problem, expected, rho)
    assert found.status == ("violated" if broken else "feasible")
    assert len(found.notes) == len(broken)


# --- refined ----------------------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_refined_is_at_most_greedy_and_what_it_says(data):
    problem, min_lift = data.draw(any_problems()), data.draw(MIN_LIFTS)
    weight = data.draw(lambdas(len(problem.groups)))
    cov = coverage_of(problem)
    greedy = WCCM(weight=weight, solver="greedy", min_lift=min_lift).select(cov)
    found = WCCM(weight=weight, min_lift=min_lift).select(cov)
    assert found.objective <= greedy.objective + 1e-9
    assert found.objective == pytest.approx(reference.objective_wccm(problem, found.tags, weight))
    assert reference.disjoint(found.tags)
    assert all(reference.eligible(problem, k, j, min_lift) for k, tags in enumerate(found.tags) for j in tags)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_refined_bccm_meets_the_budgets_or_there_is_no_way(data):
    problem = data.draw(problems(max_rows=12, max_tags=5, max_groups=3, weighted=data.draw(st.booleans())))
    theta, rho = data.draw(thetas(len(problem.groups))), data.draw(rhos(len(problem.groups)))
    best = reference.best_bccm(problem, theta, rho)
    explainer = BCCM(max_tags=theta, max_uncovered=rho)
    if best is None:
        with pytest.raises(InfeasibleError) as caught:
            explainer.select(coverage_of(problem))
        check_diagnosis(problem, theta, rho, caught.value)
        return
    found = explainer.select(coverage_of(problem))
    assert found.status == "feasible"
    assert reference.feasible_bccm(problem, found.tags, theta, rho)
    assert best <= found.objective == pytest.approx(reference.objective_bccm(problem, found.tags))


def check_diagnosis(problem, theta, rho, error):
    """What the error claims is true: with the tags it asks for, or the shares, the budgets can be met."""
    assert error.proved
    k = error.group - 1
    left = [
        problem.weight(problem.groups[k] - reference.covered(problem, one[k])) / problem.weight(problem.groups[k])
        for one in reference.descriptions(problem)
        if len(one[k]) <= theta[k]
    ]
    assert error.best_uncovered == pytest.approx(min(left))
    if error.needed_max_tags is not None:
        more = [*theta[:k], error.needed_max_tags, *theta[k + 1 :]]
        assert reference.best_bccm(problem, more, rho) is not None
        more[k] -= 1
        assert reference.best_bccm(problem, more, rho) is None
    if error.needed_max_uncovered is not None and len(problem.groups) == 1:
        assert reference.best_bccm(problem, theta, [error.needed_max_uncovered]) is not None


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_relax_answers_where_nothing_else_would(data):
    problem = data.draw(problems(max_rows=12, max_tags=5, max_groups=3))
    theta, rho = data.draw(thetas(len(problem.groups))), data.draw(rhos(len(problem.groups)))
    solver = data.draw(st.sampled_from(SOLVERS))
    best = reference.best_bccm(problem, theta, rho)
    found = BCCM(max_tags=theta, max_uncovered=rho, solver=solver, relax=True).select(coverage_of(problem))
    assert reference.disjoint(found.tags)
    assert all(len(tags) <= limit for tags, limit in zip(found.tags, theta, strict=True))
    broken = reference.violations(problem, found.tags, rho)
    if best is None:
        raised = [note for note in found.notes if "was raised from" in note]
        assert broken
        assert found.status == "violated" or len(raised) >= len(broken)
    elif solver != "greedy":
        assert not broken


# --- errors -----------------------------------------------------------------------------------------------------


def two_of_five():
    """Five outliers, a tag each for two of them."""
    return Coverage.from_dense([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]], [1, 1, 1, 1, 1, 0])


def test_the_error_says_what_would_do():
    with pytest.raises(InfeasibleError, match=r"Group 1: no choice of tags has \(this is proved\)") as caught:
        BCCM(max_tags=1, max_uncovered=0.6, solver="exact").select(two_of_five())
    error = caught.value
    assert (error.group, error.round, error.proved) == (1, None, True)
    assert (error.best_uncovered, error.needed_max_tags, error.needed_max_uncovered) == (0.8, 2, 0.8)
    assert "`max_uncovered` of 0.8 for group 1 or `max_tags` of 2 for group 1 would do" in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.needed_max_tags, copy.group) == (str(error), 2, 1)


def test_an_unreachable_group_needs_more_than_budgets():
    with pytest.raises(InfeasibleError, match="add tags that cover more") as caught:
        BCCM(max_uncovered=0.5).select(Coverage.from_dense([[0], [1]], [1, 0]))
    assert (caught.value.needed_max_tags, caught.value.needed_max_uncovered) == (None, None)
    assert caught.value.best_uncovered == 1.0


def test_a_greedy_search_that_gave_up_points_to_the_solver_that_finds_it():
    # Two tags cover half of the group each. Algorithm 2 begins with the third, the purest, which covers half of it too:
    # then no single tag covers all that is left.
    T = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [1, 0, 0], [0, 1, 0]]
    cov = Coverage.from_dense(T, [1, 1, 1, 1, 0, 0])
    with pytest.raises(InfeasibleError, match=r"gave up in round 2 of 2(.|\n)*solver='refined'") as caught:
        BCCM(max_tags=2, max_uncovered=0.0, solver="greedy").select(cov)
    assert (caught.value.group, caught.value.round, caught.value.proved) == (1, 2, False)
    assert BCCM(max_tags=2, max_uncovered=0.0).select(cov).tags == ((0, 1),)
    found = BCCM(max_tags=2, max_uncovered=0.0, solver="greedy", relax=True).select(cov)
    assert found.notes[0].startswith("The paper's greedy search found nothing within the budgets")


def test_relaxed_budgets_are_in_the_notes():
    found = BCCM(max_tags=1, max_uncovered=0.1, solver="exact", relax=True).select(two_of_five())
    assert found.tags in {((0,),), ((1,),)}
    assert "`max_uncovered` of group 1 was raised from 0.10 to 0.80" in found.notes[0]
    assert found.status == "optimal"


@pytest.mark.parametrize(
    ("explainer", "message"),
    [
        (WCCM(weight=0), "`weight` of WCCM must be a number above 0, got 0"),
        (WCCM(weight=[1, 2]), "got 2 for 1 group"),
        (WCCM(solver="best"), "`solver` of WCCM must be one of 'greedy', 'refined', 'exact', got 'best'"),
        (WCCM(time_limit=-1), "`time_limit` of WCCM must be a number above 0"),
        (WCCM(min_lift=-0.5), "`min_lift` of WCCM"),
        (BCCM(max_tags=0), "`max_tags` of BCCM must be a whole number of at least 1, got 0"),
        (BCCM(max_tags=1.5), "`max_tags` of BCCM"),
        (BCCM(max_uncovered=1.0), r"`max_uncovered` of BCCM must be a number in \[0, 1\), got 1.0"),
        (BCCM(max_uncovered=[0.1, 0.2]), "got 2 for 1 group"),
        (BCCM(time_limit=True), "`time_limit` of BCCM"),
    ],
    ids=repr,
)
def test_parameters_are_checked_on_use(explainer, message):
    with pytest.raises(PyodExplainError, match=message):
        explainer.select(two_of_five())


# --- degenerate input -------------------------------------------------------------------------------------------

EXPLAINERS = [
    *(WCCM(solver=solver, bound=True) for solver in SOLVERS),
    *(BCCM(solver=solver, bound=True, relax=True) for solver in SOLVERS),
    *(kind(solver=solver) for kind in (PDM, DTDM) for solver in ("greedy", "exact")),
]
DEGENERATE = {
    "one tag": Coverage.from_dense([[1], [1], [0]], [1, 1, 0]),
    "no tags": Coverage.from_dense(np.zeros((3, 0), dtype=bool), [1, 1, 0]),
    "one outlier": Coverage.from_dense([[1, 0], [0, 1], [0, 1]], [1, 0, 0]),
    "duplicate rows": Coverage.from_dense([[1, 0]] * 5 + [[0, 1]] * 5, [1] * 5 + [0] * 5),
    "a group covered by nothing": Coverage.from_dense([[1], [0], [0]], [1, 2, 0]),
    "an empty group": Coverage.from_dense([[1, 0], [0, 1], [0, 0]], [1, 3, 0]),
    "no normals": Coverage.from_dense([[1, 0], [0, 1]], [1, 2]),
    "a tag for everything": Coverage.from_dense(np.ones((6, 1), dtype=bool), [1, 1, 2, 0, 0, 0]),
    "rows without weight": Coverage.from_dense([[1], [0], [1]], [1, 1, 0], sample_weight=[0.0, 0.0, 0.0]),
    "30 groups": Coverage.from_dense(np.eye(31, dtype=bool), np.arange(31)),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("explainer", EXPLAINERS, ids=repr)
def test_degenerate_input_gets_a_selection_or_a_clear_error(explainer, name):
    cov = DEGENERATE[name]
    try:
        found = clone(explainer).select(cov)
    except InfeasibleError as error:
        assert isinstance(explainer, PDM | DTDM)
        assert error.proved or explainer.solver == "greedy"
        return
    assert len(found.tags) == cov.n_groups
    assert found.method == type(explainer).__name__
    assert found.bound is None or found.bound <= found.objective
    if isinstance(explainer, WCCM | BCCM) and explainer.solver == "exact":
        assert found.status == "optimal"
    if name == "30 groups":
        assert found.tags == tuple((k,) for k in range(1, 31))


@pytest.mark.parametrize(
    "explainer", [WCCM(solver="greedy", bound=True), BCCM(solver="greedy", bound=True), PDM(), DTDM()], ids=repr
)
def test_two_hundred_groups(explainer):
    found = explainer.select(Coverage.from_dense(np.eye(201, dtype=bool), np.arange(201)))
    assert found.tags == tuple((k,) for k in range(1, 201))
    assert found.status == "optimal"

import itertools
import pickle

import numpy as np
import pytest
import reference
from fast import coverage_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import problems, rhos, thetas

from pyod_explain import BCCM, Coverage
from pyod_explain.exceptions import InfeasibleError


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
    assert "`max_uncovered` of group 1 was raised from 0.1 to 0.8:" in found.notes[0]
    assert found.status == "optimal"


def test_a_budget_is_told_with_all_its_digits():
    T = np.arange(1_001)[:, None] >= 104
    cov = Coverage.from_dense(T, [1] * 1_000 + [0])
    found = BCCM(max_tags=1, max_uncovered=0.1, relax=True).select(cov)
    assert "raised from 0.1 to 0.104:" in found.notes[0]
    with pytest.raises(InfeasibleError, match=r"at most 10\.25% of the group lost"):
        BCCM(max_tags=1, max_uncovered=0.1025).select(cov)


def test_the_group_that_cannot_be_told_is_named_and_not_the_one_where_greedy_gave_up():
    cov = Coverage.from_sets([{1, 2}, {0, 1, 5}, {2, 3, 5}], groups=[{0, 1, 2, 3}, {4}], n_rows=6)
    with pytest.raises(InfeasibleError, match="Group 2: no choice of tags has") as caught:
        BCCM(max_tags=2, max_uncovered=0.0, solver="greedy").select(cov)
    assert (caught.value.group, caught.value.proved, caught.value.best_uncovered) == (2, True, 1.0)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_what_is_proved_of_a_group_is_true_of_it(data):
    """No selection keeps all budgets, and the group that is named needs more than it was given."""
    problem = data.draw(problems(max_tags=4))
    n_groups = len(problem.groups)
    theta, rho = data.draw(thetas(n_groups)), data.draw(rhos(n_groups))
    solver = data.draw(st.sampled_from(["greedy", "refined", "exact"]))
    try:
        BCCM(max_tags=theta, max_uncovered=rho, solver=solver).select(coverage_of(problem))
    except InfeasibleError as error:
        assume(error.proved)
        assert ("and meets the budgets of the other groups. " in str(error)) == (n_groups > 1)
        owners = itertools.product(range(-1, n_groups), repeat=len(problem.tags))
        choices = ([[j for j, g in enumerate(owner) if g == k] for k in range(n_groups)] for owner in owners)
        assert not any(reference.feasible_bccm(problem, choice, theta, rho) for choice in choices)
        needed, given_share = error.needed_max_uncovered, np.broadcast_to(rho, n_groups)[error.group - 1]
        assert needed is None or needed > given_share

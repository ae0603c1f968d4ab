import pytest
import reference
from fast import coverage_of, table
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import any_problems, problems, rhos, thetas

from pyod_explain import BCCM, MDL, Coverage
from pyod_explain.exceptions import InfeasibleError


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


SOLVERS = ("greedy", "refined", "exact")


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


def test_any_number_of_tags_may_be_allowed():
    T, y, _ = table(0)
    cov = Coverage.from_dense(T, y)
    for solver in SOLVERS:
        many = BCCM(max_tags=[1, 10**400], max_uncovered=0.9, solver=solver).select(cov)
        assert many.tags == BCCM(max_tags=[1, 10**15], max_uncovered=0.9, solver=solver).select(cov).tags
    assert MDL(max_tags=10**400).select(cov).tags == MDL().select(cov).tags

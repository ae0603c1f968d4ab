import pytest
import reference
from fast import coverage_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from pyod_explain import Coverage
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers import DTDM, PDM

MIN_LIFTS = st.sampled_from([0.0, 0.0, 1.0])
EXPLAINERS = [(PDM, reference.best_pdm, reference.feasible_pdm), (DTDM, reference.best_dtdm, reference.feasible_dtdm)]


@pytest.mark.parametrize(("kind", "optimum", "feasible"), EXPLAINERS)
@given(problem=problems(max_rows=12, max_tags=5, max_groups=3), min_lift=MIN_LIFTS)
def test_exact_uses_the_fewest_tags_or_proves_that_none_will_do(kind, optimum, feasible, problem, min_lift):
    best = optimum(problem, min_lift)
    cov = coverage_of(problem)
    if best is None:
        with pytest.raises(InfeasibleError) as caught:
            kind(min_lift=min_lift).select(cov)
        assert caught.value.proved
        return
    found = kind(min_lift=min_lift).select(cov)
    assert (found.objective, found.bound, found.status, found.gap) == (best, best, "optimal", 0.0)
    assert sum(map(len, found.tags)) == best
    assert feasible(problem, found.tags)
    assert all(reference.eligible(problem, k, j, min_lift) for k, tags in enumerate(found.tags) for j in tags)


@pytest.mark.parametrize(("kind", "optimum", "feasible"), EXPLAINERS)
@given(problem=problems(max_rows=12, max_tags=5, max_groups=3))
def test_greedy_covers_all_or_says_how_sure_it_is(kind, optimum, feasible, problem):
    best = optimum(problem)
    try:
        found = kind(solver="greedy").select(coverage_of(problem))
    except InfeasibleError as error:
        assert best is None or (kind is DTDM and not error.proved)
        return
    assert feasible(problem, found.tags)
    assert found.objective == sum(map(len, found.tags)) >= best
    assert (found.status, found.bound) == ("feasible", None)


@given(problem=problems(max_rows=12, max_tags=5, max_groups=3))
def test_pdm_names_the_outliers_that_no_pure_tag_covers(problem):
    for k, group in enumerate(problem.groups):
        pure = [rows for rows in problem.tags if rows <= group]
        missing = sorted(group - frozenset().union(*pure))
        if missing:
            with pytest.raises(InfeasibleError, match="no pure tag") as caught:
                PDM().select(coverage_of(problem))
            assert (caught.value.group, list(caught.value.rows)) == (k + 1, missing)
            assert caught.value.proved
            return


def test_dtdm_says_that_groups_need_the_same_tag():
    cov = Coverage.from_dense([[1], [1], [0]], [1, 2, 0])
    with pytest.raises(InfeasibleError, match="there are no") as caught:
        DTDM().select(cov)
    assert (caught.value.proved, caught.value.group, caught.value.rows) == (True, None, ())
    with pytest.raises(InfeasibleError, match="were found") as caught:
        DTDM(solver="greedy").select(cov)
    assert not caught.value.proved

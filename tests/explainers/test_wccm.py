import pytest
import reference
from fast import coverage_of
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import any_problems, lambdas

from pyod_explain import WCCM

MIN_LIFTS = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0])


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

import pytest
import reference
from fast import coverage_of
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import lambdas, small_problems

from pyod_explain.solvers import useful_pairs

MIN_LIFTS = st.sampled_from([0.0, 0.0, 1.0, 2.0])


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

"""The unit in which weights are given changes nothing."""

import numpy as np
import pytest
from fast import WEIGHTS, table
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import BCCM, WCCM, Coverage, PyodExplainError
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.solvers import WeightedCover

pytestmark = pytest.mark.no_cover

SOLVERS = ("greedy", "refined", "exact")
POWERS = (-12, -11, -9, -6, -3, -1, 1, 2, 5, 8, 12)


def answer(explainer, cov, factor):
    try:
        found = explainer.select(cov)
    except InfeasibleError as error:
        return (error.group, error.proved), ()
    return (found.tags, found.status), tuple(one / factor for one in (found.objective, found.bound or 0.0))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_the_unit_of_weights_changes_nothing(kind, solver):
    T, y, rng = table(list(WEIGHTS).index(kind))
    weights = WEIGHTS[kind](rng, len(y))
    for explainer in (WCCM(weight=[3.3, 2.0], solver=solver), BCCM(max_tags=4, max_uncovered=0.5, solver=solver)):
        what, values = answer(explainer, Coverage.from_dense(T, y, sample_weight=weights), 1.0)
        assert solver != "exact" or what[1] == "optimal"
        for power in POWERS:
            cov = Coverage.from_dense(T, y, sample_weight=weights * 10.0**power)
            assert answer(explainer, cov, 10.0**power) == (what, pytest.approx(values, rel=1e-9, abs=0))


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(sorted(WEIGHTS)), power=st.sampled_from(POWERS))
def test_nor_does_that_of_normals_and_of_a_lost_outlier(seed, kind, power):
    T, y, rng = table(seed, n_rows=50, n_tags=6)
    weights = WEIGHTS[kind](rng, len(y))
    other = np.where(y == 0, weights * 10.0**power, weights)
    for solver in SOLVERS:
        first = WCCM(weight=[3.3, 2.0], solver=solver).select(Coverage.from_dense(T, y, sample_weight=weights))
        scaled = [3.3 * 10.0**power, 2.0 * 10.0**power]
        second = WCCM(weight=scaled, solver=solver).select(Coverage.from_dense(T, y, sample_weight=other))
        assert (second.tags, second.status) == (first.tags, first.status)
        budget = BCCM(max_tags=3, max_uncovered=0.6, solver=solver)
        assert (
            answer(budget, Coverage.from_dense(T, y, sample_weight=other), 1.0)[0]
            == answer(budget, Coverage.from_dense(T, y, sample_weight=weights), 1.0)[0]
        )


def test_values_that_floats_cannot_hold_are_refused_by_name():
    T, y, _ = table(0)
    cov = Coverage.from_dense(T, y)
    for weight in (1e308, 1e31, 1e-31):
        with pytest.raises(PyodExplainError, match=r"`weight` of WCCM must be such that(.|\n)*Hint"):
            WCCM(weight=weight).select(cov)
    with pytest.raises(PyodExplainError, match="`sample_weight` must have a finite sum"):
        Coverage.from_dense(T, y, sample_weight=np.full(len(y), 1e308))
    for tiny in (5e-324, 1e-310):
        with pytest.raises(PyodExplainError, match=r"`sample_weight` must be 0 or at least 1e-300, got(.|\n)*Hint"):
            Coverage.from_dense(T, y, sample_weight=np.where(np.arange(len(y)) % 2, tiny, 1.0))
    heavy = Coverage.from_dense(T, y, sample_weight=np.full(len(y), 1e305))
    with pytest.raises(PyodExplainError, match="`weight` of WCCM"):
        WCCM(weight=1e4).select(heavy)


@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_may_be_as_far_apart_as_floats_are(solver):
    T, y, rng = table(0)
    cov = Coverage.from_dense(T, y, sample_weight=rng.choice([0.0, 1e-300, 1.0, 1e200], len(y)))
    found = WCCM(weight=3.0, solver=solver).select(cov)
    assert found.objective == WeightedCover(cov, cov.eligible(0.0), np.full(2, 3.0)).objective(found.tags)
    assert BCCM(max_tags=5, max_uncovered=0.999, solver=solver).select(cov).objective < np.inf

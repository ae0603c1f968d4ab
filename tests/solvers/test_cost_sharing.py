import numpy as np
import reference
from fast import coverage_of
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import lambdas, small_problems

from pyod_explain import Coverage
from pyod_explain.solvers import (
    CostSharing,
    Instance,
    Limits,
    Manner,
    Schedule,
    choice,
    everything,
    reduced,
    share_costs,
)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_paying_in_parties_proves_a_bound_too(data):
    problem = data.draw(small_problems())
    cov = coverage_of(problem)
    weight = np.array(data.draw(lambdas(len(problem.groups))))
    small = reduced(cov, cov.eligible(0.0))
    sharing = share_costs(choice(small, weight), parties=small.outlier_group)
    assert sharing.bound <= reference.best_wccm(problem, weight.tolist()) + 1e-6


def whole_sharing(cov, weight, **manner):
    small = reduced(cov, cov.eligible(0.0))
    whole = Instance(small, np.asarray(weight)[small.outlier_group] * small.outlier_mass, None)
    base = float(np.asarray(weight) @ small.hopeless)
    tags = np.arange(len(small.tags))
    return CostSharing(whole, everything(small), tags, base=base, left=None, cutoff=np.inf, manner=Manner(**manner))


@settings(max_examples=40, deadline=None)
@given(data=st.data(), tolls=st.booleans(), double=st.booleans())
def test_every_round_of_every_manner_proves_a_bound(data, tolls, double):
    problem = data.draw(small_problems())
    weight = data.draw(lambdas(len(problem.groups)))
    sharing = whole_sharing(coverage_of(problem), weight, tolls=tolls, double=double)
    best, bound = reference.best_wccm(problem, weight), -np.inf
    for _ in range(3):
        proof = sharing.ascend(np.inf, np.inf, Schedule.next(Limits(rounds=5)))
        assert proof.bound <= best + 1e-5 * abs(best)
        bound = max(bound, proof.bound)
    assert bound > -np.inf


def test_tolls_prove_more_where_two_groups_want_the_same_tag():
    """One tag for both groups, of four outliers each: one of them is lost whoever uses the tag, and a normal paid."""
    cov = Coverage.from_dense(np.ones((9, 1), dtype=bool), [1] * 4 + [2] * 4 + [0])
    without, tolled = (
        whole_sharing(cov, [1.0, 1.0], tolls=tolls).ascend(np.inf, np.inf, Schedule.first()).bound
        for tolls in (False, True)
    )
    assert without + 0.2 < tolled <= 5.0

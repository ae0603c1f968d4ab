import tracemalloc

import numpy as np
import pytest
from fast import limited

from pyod_explain import BCCM, Coverage
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.solvers import Limits


def test_the_nearest_budgets_are_found_even_where_the_program_comes_to_nothing():
    rng = np.random.default_rng(1)
    y = rng.choice([0, 0, 0, 1, 2], 200)
    cov = Coverage.from_dense(rng.random((200, 30)) < np.where(y[:, None] > 0, 0.3, 0.1), y)
    explainer = limited(BCCM, Limits(nearest_program=0))(max_tags=2, max_uncovered=0.05, relax=True)
    found = explainer.select(cov)
    lost = np.array(cov.weigh_lost(found.tags)) / np.array(cov.group_totals)
    assert all(found.tags)
    assert (lost < 1).all()
    assert len(found.notes) == (lost > 0.05).sum() > 0


@pytest.mark.parametrize("weights", [(1.0, 1.0), (1e-3, 1e3), (1e3, 1e-3)])
def test_the_group_that_is_named_is_the_one_furthest_from_its_budget(weights):
    """In shares of the group, whatever the unit of its weights: 30 percent of group 1 are lost and 90 of group 2."""
    T = np.zeros((22, 2), dtype=bool)
    T[:7, 0], T[10, 1] = True, True
    y = np.repeat([1, 2, 0], [10, 10, 2])
    cov = Coverage.from_dense(T, y, sample_weight=np.repeat([*weights, 1.0], [10, 10, 2]))
    with pytest.raises(InfeasibleError, match="Group 2: no choice of tags has") as caught:
        BCCM(max_tags=1, max_uncovered=0.1).select(cov)
    assert (caught.value.group, caught.value.needed_max_uncovered) == (2, pytest.approx(0.9))


def test_budgets_out_of_reach_take_no_more_memory_with_more_groups():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(3_000) < 0.5, rng.integers(1, 21, 3_000), 0)
    cov = Coverage.from_dense(rng.random((3_000, 500)) < 0.1, y)
    tracemalloc.start()
    with pytest.raises(InfeasibleError):
        BCCM(max_tags=1, max_uncovered=0.01, time_limit=2.0).select(cov)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * (cov.normal_bits.nbytes + cov.outlier_bits.nbytes) + 200e6

import numpy as np
import pytest
import reference
from fast import coverage_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from pyod_explain import MDL, Coverage, evaluate


@given(
    st.booleans().flatmap(lambda priced: problems(max_rows=20, max_tags=6, with_prices=priced)),
    st.sampled_from([0.0, 1.0, 1.5]),
    st.sampled_from([None, 1, 2]),
)
def test_never_longer_than_naming_nor_shorter_than_the_optimum(problem, min_lift, max_tags):
    cov = coverage_of(problem)
    found = MDL(min_lift=min_lift, max_tags=max_tags).select(cov)
    bits = [reference.mdl_group(problem, k, tags) for k, tags in enumerate(found.tags)]
    for k, tags in enumerate(found.tags):
        assert bits[k] <= reference.mdl_group(problem, k, ()) + 1e-6
        assert bits[k] >= reference.best_mdl_group(problem, k, min_lift, max_tags) - 1e-6
        assert all(reference.eligible(problem, k, j, min_lift) for j in tags)
        assert max_tags is None or len(tags) <= max_tags
    assert reference.disjoint(found.tags)
    assert found.objective == pytest.approx(sum(bits))
    if problem.prices is None:
        assert found.objective == pytest.approx(evaluate(cov, found).attrs["mdl"])
    assert (found.status, found.bound) == ("feasible", None)


@given(st.integers(0, 10_000))
def test_finds_the_optimum_of_most_small_problems(seed):
    """One group, eight tags: adding and swapping ends within a few percent of the best of all 256 choices."""
    rng = np.random.default_rng(seed)
    tags = tuple(frozenset(np.flatnonzero(rng.random(60) < rng.random()).tolist()) for _ in range(8))
    problem = reference.Problem(tags, frozenset(range(20, 60)), (frozenset(range(20)),), (1,) * 8, 8)
    found = MDL().select(coverage_of(problem)).objective
    assert found <= 1.05 * reference.best_mdl_group(problem, 0, 1.0)


def test_a_group_that_no_tags_describe_in_fewer_bits_gets_no_description():
    T = np.random.default_rng(0).random((100, 5)) < 0.5
    y = (np.arange(100) < 10).astype(int)
    assert MDL().select(Coverage.from_dense(T, y)).tags == ((),)


def test_a_tag_that_two_groups_want_goes_to_one():
    T = np.zeros((400, 1), dtype=bool)
    T[:40, 0] = True
    y = np.where(np.arange(400) < 25, 1, np.where(np.arange(400) < 40, 2, 0))
    found = MDL().select(Coverage.from_dense(T, y))
    assert sorted(found.tags) == [(), (0,)]
    assert found.tags[0] == (0,)  # the larger group saves more by it

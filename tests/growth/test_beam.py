"""The conjunctions that lower what is minimised most, against looking at all of them."""

import itertools

import numpy as np
import pytest
from fast import coverage_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from pyod_explain import BCCM, MDL, WCCM, Coverage
from pyod_explain.growth import Pool, best_conjunctions
from pyod_explain.tags import log2_binomial, log_star

EXPLAINERS = [MDL(), WCCM(weight=3.0), BCCM(max_tags=2, max_uncovered=0.2)]


def pool_of(coverage, places):
    """The tags of a coverage as conditions of a pool."""
    extra = np.zeros(coverage.n_tags) if coverage.extra_bits is None else coverage.extra_bits
    return Pool(
        tuple(range(coverage.n_tags)),
        np.array(places, dtype=np.intp),
        coverage.outlier_bits,
        coverage.normal_bits,
        coverage.lengths,
        extra,
    )


def prices_of(coverage, max_length):
    lengths = np.arange(3 * max_length + 1)
    return np.asarray(log_star(lengths) + log2_binomial(coverage.n_items, lengths) + lengths)


def value_of(coverage, explainer, chosen, group, members):
    """What is minimised with this conjunction, from the definitions: it is added as a tag."""
    both = [
        np.bitwise_and.reduce(bits[list(members)], axis=0, keepdims=True)
        for bits in (coverage.normal_bits, coverage.outlier_bits)
    ]
    extra = 0.0 if coverage.extra_bits is None else coverage.extra_bits[list(members)].sum()
    more = coverage.with_bits(*both, [int(coverage.lengths[list(members)].sum())], np.array([extra]))
    added = [[*one, coverage.n_tags] if k == group else list(one) for k, one in enumerate(chosen)]
    return explainer.marginal_objective(more, added, group).current


@st.composite
def pools(draw, max_tags=8):
    problem = draw(problems(max_rows=16, max_tags=max_tags, max_groups=2, with_lists=True).filter(lambda one: one.tags))
    coverage = coverage_of(problem)
    places = draw(st.lists(st.integers(0, 4), min_size=coverage.n_tags, max_size=coverage.n_tags))
    first = draw(st.integers(0, coverage.n_tags))
    chosen = [[], *([[]] * (coverage.n_groups - 1))]
    if first < coverage.n_tags:
        chosen = [[first], *chosen[1:]]
    return coverage, places, chosen, draw(st.integers(0, coverage.n_groups - 1))


@pytest.mark.parametrize("explainer", EXPLAINERS, ids=["MDL", "WCCM", "BCCM"])
@pytest.mark.parametrize("max_length", [1, 2, 3])
@given(drawn=pools())
def test_each_has_the_value_that_it_claims_lowers_what_is_minimised_and_speaks_of_a_place_once(
    explainer, max_length, drawn
):
    coverage, places, chosen, group = drawn
    objective = explainer.marginal_objective(coverage, chosen, group)
    prices = prices_of(coverage, max_length)
    found = best_conjunctions(pool_of(coverage, places), objective, prices, max_length=max_length)
    assert [one.value for one in found] == sorted(one.value for one in found)
    for one in found:
        assert 1 <= len(one.members) <= max_length
        assert len({places[i] for i in one.members}) == len(one.members)
        assert one.value < objective.current
        assert one.value == pytest.approx(value_of(coverage, explainer, chosen, group, one.members))


def lifted(coverage, objective, members):
    """Tell whether what is new of a conjunction is more frequent in the group than among the normals."""
    outliers = np.bitwise_and.reduce(coverage.outlier_bits[list(members)], axis=0, keepdims=True)
    normals = np.bitwise_and.reduce(coverage.normal_bits[list(members)], axis=0, keepdims=True)
    new = objective.count(outliers, normals & objective.normals)
    return new.own[0] * max(objective.totals[1], 1) > new.normals[0] * max(objective.totals[0], 1)


@pytest.mark.parametrize("explainer", EXPLAINERS, ids=["MDL", "WCCM", "BCCM"])
@given(drawn=pools())
def test_of_single_conditions_the_best_is_found(explainer, drawn):
    coverage, places, chosen, group = drawn
    objective = explainer.marginal_objective(coverage, chosen, group)
    found = best_conjunctions(pool_of(coverage, places), objective, prices_of(coverage, 1), max_length=1)
    all_of_them = [
        value_of(coverage, explainer, chosen, group, [i])
        for i in range(coverage.n_tags)
        if lifted(coverage, objective, [i])
    ]
    lower = [value for value in all_of_them if value < objective.current]
    assert [found[0].value] == pytest.approx([min(lower)]) if lower else not found


@given(drawn=pools(max_tags=4))
def test_of_few_conditions_the_best_pair_is_found_as_well(drawn):
    """Where all single conditions are followed, nothing is missed but what keeps no normal out."""
    coverage, _, chosen, group = drawn
    explainer = MDL()
    objective = explainer.marginal_objective(coverage, chosen, group)
    places = list(range(coverage.n_tags))
    found = best_conjunctions(pool_of(coverage, places), objective, prices_of(coverage, 2), max_length=2)
    best = min((one.value for one in found), default=objective.current)
    for size in (1, 2):
        for members in itertools.combinations(range(coverage.n_tags), size):
            if all(lifted(coverage, objective, part) for part in ([i] for i in members)) and lifted(
                coverage, objective, members
            ):
                assert best <= value_of(coverage, explainer, chosen, group, members) + 1e-9


def test_a_pair_is_found_though_neither_condition_lowers_anything_alone():
    """An outlier needs both; each alone has as many normals again as there are outliers."""
    T = np.zeros((4000, 12), dtype=bool)
    T[:20, :2] = True
    T[20:520, 0] = T[520:1020, 1] = True
    rng = np.random.default_rng(0)
    T[:, 2:] = rng.random((4000, 10)) < 0.3
    coverage = Coverage.from_dense(T, [1] * 20 + [0] * 3980)
    objective = MDL().marginal_objective(coverage, [[]], 0)
    found = best_conjunctions(pool_of(coverage, range(12)), objective, prices_of(coverage, 3))
    assert found[0].members == (0, 1)

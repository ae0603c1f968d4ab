"""The conjunctions that lower what is minimised most, against looking at all of them, by sets."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from fast import as_sets, coverage_of, pool_of, with_conjunctions
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import covered, mdl_group, objective_wccm
from strategies import problems

from pyod_explain import BCCM, MDL, WCCM
from pyod_explain.growth import best_conjunctions

EXPLAINERS = [MDL(), WCCM(weight=3.0), BCCM(max_tags=2, max_uncovered=0.2)]


def value_of(problem, explainer, chosen, group, members):
    """What is minimised with this conjunction in the group, from the definitions."""
    conjunctions = [*([j] for j in range(len(problem.tags))), members]
    more = with_conjunctions(problem, conjunctions)
    added = [[*one, len(problem.tags)] if k == group else list(one) for k, one in enumerate(chosen)]
    if isinstance(explainer, MDL):
        return mdl_group(more, group, added[group])
    if isinstance(explainer, WCCM):
        return objective_wccm(more, added, [3.0] * len(chosen))
    return explainer.marginal_objective(coverage_of(more), added, group).current


def lifted(problem, explainer, chosen, group, members):
    """Tell whether what is new of a conjunction is more frequent in the group than among the normals."""
    rows = frozenset.intersection(*(problem.tags[j] for j in members))
    # For MDL a rule is worth what it covers beside the rules of its group; for the others beside all rules.
    ours = covered(problem, chosen[group])
    anyone = covered(problem, [j for one in chosen for j in one])
    taken = ours if isinstance(explainer, MDL) else anyone
    own, normals = problem.groups[group], problem.normals
    return len(rows & own - taken) * max(len(normals), 1) > len(rows & normals - taken) * max(len(own), 1)


@st.composite
def situations(draw, max_tags=8):
    """A problem, its pool, the tags that were chosen before, and the group that gets one more."""
    drawn = problems(max_rows=16, max_tags=max_tags, max_groups=2, with_prices=True)
    problem = draw(drawn.filter(lambda one: one.tags))
    first = draw(st.integers(0, len(problem.tags)))
    chosen = [[first] if first < len(problem.tags) else [], *([] for _ in problem.groups[1:])]
    return problem, chosen, draw(st.integers(0, len(problem.groups) - 1))


@pytest.mark.parametrize("explainer", EXPLAINERS, ids=["MDL", "WCCM", "BCCM"])
@pytest.mark.parametrize("max_length", [1, 2, 3])
@given(drawn=situations(), data=st.data())
def test_each_has_the_value_that_it_claims_lowers_what_is_minimised_and_has_one_condition_on_a_side_of_a_term(
    explainer, max_length, drawn, data
):
    problem, chosen, group = drawn
    coverage, pool = pool_of(problem)
    term_sides = data.draw(st.lists(st.integers(0, 4), min_size=len(pool), max_size=len(pool)))
    objective = explainer.marginal_objective(coverage, chosen, group)
    found = best_conjunctions(
        replace(pool, term_sides=np.array(term_sides)), objective, max_length=max_length, most=1000
    )
    assert [one.value for one in found] == sorted(one.value for one in found)
    assert len({one.members for one in found}) == len(found)
    for one in found:
        assert 1 <= len(one.members) <= max_length
        assert len({term_sides[i] for i in one.members}) == len(one.members)
        assert one.value < objective.current
        assert one.value == pytest.approx(value_of(problem, explainer, chosen, group, one.members))
        assert lifted(problem, explainer, chosen, group, one.members)


def reachable(problem, members):
    """Tell whether a conjunction can be made one by one: lifted at each step, and each keeps some normal out."""

    def n_normals(some):
        return len(problem.normals.intersection(*(problem.tags[j] for j in some)))

    def steps(order):
        return [order[:n] for n in range(1, len(order) + 1)]

    return any(
        all(lifted(problem, MDL(), [[]], 0, one) for one in steps(order))
        and all(n_normals(b) < n_normals(a) for a, b in itertools.pairwise(steps(order)))
        for order in itertools.permutations(members)
    )


@given(st.integers(0, 100_000))
def test_a_wide_beam_finds_the_best_of_all_conjunctions(seed):
    """Six conditions, of which no two combinations cover as many rows of each kind: none is left aside."""
    rng = np.random.default_rng(seed)
    y = (np.arange(200) < 60).astype(int)
    T = rng.random((200, 6)) < np.where(y[:, None] == 1, rng.uniform(0.3, 0.9, 6), rng.uniform(0.1, 0.5, 6))
    problem = replace(as_sets(T, y), prices=tuple(rng.uniform(2, 9, 6)))
    combinations = [one for size in (1, 2, 3) for one in itertools.combinations(range(6), size)]
    both = with_conjunctions(problem, combinations[:21])
    assume(len({(len(rows & problem.groups[0]), len(rows & problem.normals)) for rows in both.tags}) == 21)
    coverage, pool = pool_of(problem)
    objective = MDL().marginal_objective(coverage, [[]], 0)
    found = best_conjunctions(pool, objective, max_length=3, width=100, most=1000)
    values = {one: value_of(problem, MDL(), [[]], 0, one) for one in combinations if reachable(problem, one)}
    lower = {one: value for one, value in values.items() if value < objective.current}
    assert {one.members for one in found} == set(lower)
    assert [one.value for one in found] == pytest.approx(sorted(lower.values()))
    narrow = best_conjunctions(pool, objective, max_length=3, width=1)
    assert {one.members for one in narrow} <= set(lower)

"""The moves on a description: what is minimised only falls, and it is what counting the rules anew by sets gives."""

from dataclasses import replace

import numpy as np
import pytest
from fast import as_sets, pool_of, with_conjunctions
from hypothesis import given
from hypothesis import strategies as st
from reference import mdl_group, objective_wccm
from strategies import problems

from pyod_explain import MDL, WCCM, Condition
from pyod_explain.growth import Conjunction, Description
from pyod_explain.growth.description import MAX_RULES_PER_GROUP

MOVES = ("add_rules", "change_conditions", "replace_rules")


def described(problem, explainer, rules, max_length=2):
    """A description that has these conjunctions, and the pool of all conditions."""
    coverage, pool = pool_of(problem)
    made = [[Conjunction.of(pool, one) for one in group] for group in rules]
    return Description(coverage, made, explainer.marginal_objective, max_length=max_length, min_lift=1.0), pool


def conjunctions(description):
    """For each group its rules, as numbers of tags."""
    return [[[int(c.column[1:]) for c in one.tag.sorted] for one in group] for group in description.rules]


def bits_by_sets(problem, explainer, rules, group):
    flat = [one for part in rules for one in part]
    ends = np.cumsum([0, *map(len, rules)]).tolist()
    chosen = [list(range(*ends[k : k + 2])) for k in range(len(rules))]
    more = with_conjunctions(problem, flat)
    if isinstance(explainer, MDL):
        return mdl_group(more, group, chosen[group])
    return objective_wccm(more, chosen, [1.0] * len(rules))


@st.composite
def situations(draw):
    """A problem, conjunctions of its tags that describe its groups so far, and the group that is to be changed."""
    drawn = problems(max_rows=24, max_tags=7, max_groups=2, with_prices=draw(st.booleans()))
    problem = draw(drawn.filter(lambda one: one.tags))
    tags = st.integers(0, len(problem.tags) - 1)
    rules = st.lists(st.lists(tags, min_size=1, max_size=2, unique=True).map(sorted), max_size=3, unique_by=tuple)
    return problem, [draw(rules) for _ in problem.groups], draw(st.integers(0, len(problem.groups) - 1))


@pytest.mark.parametrize("explainer", [MDL(), WCCM(weight=1.0)], ids=["MDL", "WCCM"])
@given(drawn=situations(), moves=st.lists(st.sampled_from(MOVES), min_size=1, max_size=4))
def test_each_move_lowers_what_is_minimised_and_the_value_is_that_of_the_rules(explainer, drawn, moves):
    problem, rules, group = drawn
    description, pool = described(problem, explainer, rules)
    priced = replace(problem, prices=tuple(pool.prices.tolist()))  # those of the table where a problem has none
    value = description.bits(group)
    assert value == pytest.approx(bits_by_sets(priced, explainer, rules, group))
    for move in moves:
        before = conjunctions(description)
        told = getattr(description, move)(group, pool)
        after, now = conjunctions(description), description.bits(group)
        assert now == pytest.approx(bits_by_sets(priced, explainer, after, group))
        assert now < value if after != before else now == value
        assert told in (None, after != before)
        assert all(len(one) <= 2 for part in after for one in part)
        assert [part for k, part in enumerate(after) if k != group] == [
            part for k, part in enumerate(before) if k != group
        ]
        value = now
    there = {one.tag for part in description.rules for one in part}
    initial = {Conjunction.of(pool, one).tag for part in rules for one in part}
    assert there <= initial | {one.tag for one in description.seen}


@given(situations())
def test_no_rule_can_be_left_out_of_what_changes_of_conditions_end_with(drawn):
    problem, rules, group = drawn
    description, pool = described(problem, MDL(), rules)
    description.change_conditions(group, pool)
    ended, value = list(description.rules[group]), description.bits(group)
    for i in range(len(ended)):
        description.rules[group] = [*ended[:i], *ended[i + 1 :]]
        assert description.bits(group) >= value - 1e-6


def kinds(n_wide):
    """Two kinds of 30 outliers; a wide tag has both and some normals, a narrow one each and no normal."""
    T = np.zeros((5_000, 3), dtype=bool)
    T[:60, 0] = T[:30, 1] = T[30:60, 2] = True
    T[60 : 60 + n_wide, 0] = True
    return as_sets(T, np.repeat([1, 0], [60, 4_940]))


def test_a_wide_rule_that_was_there_gives_way_to_two_narrow_ones():
    """Neither of the narrow ones would be added to it; without it both are."""
    description, pool = described(kinds(440), MDL(), [[[0]]], max_length=1)
    description.add_rules(0, pool)
    assert conjunctions(description) == [[[0]]]
    assert description.replace_rules(0, pool)
    assert sorted(conjunctions(description)[0]) == [[1], [2]]
    assert not description.replace_rules(0, pool)


def test_rules_of_a_group_are_bounded():
    n = MAX_RULES_PER_GROUP + 20
    T = np.concatenate([np.repeat(np.eye(n, dtype=bool), 40, axis=0), np.zeros((20_000, n), dtype=bool)])
    description, pool = described(as_sets(T, np.repeat([1, 0], [40 * n, 20_000])), WCCM(), [[]])
    description.add_rules(0, pool)
    assert len(description.rules[0]) == MAX_RULES_PER_GROUP
    assert description.rules[0][0].conditions == (Condition("c000", "==", 1),)

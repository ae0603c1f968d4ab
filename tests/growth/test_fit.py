"""Cuts that are fitted: never a longer description, and for a single condition the shortest there is."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import MDL, Condition, Coverage, Tag, explain
from pyod_explain.description_length import mdl_of_group
from pyod_explain.explainers import Selection
from pyod_explain.groups import Groups
from pyod_explain.growth import fit_cuts
from pyod_explain.input import as_table
from pyod_explain.tags import Prices, TagSet

NUMBERS = st.integers(0, 12).map(float) | st.none()
SIDES = st.sampled_from(["x", "y"]), st.sampled_from([">=", "<"])
CUTS = st.tuples(*SIDES, st.integers(0, 13).map(lambda i: i - 0.5)).map(lambda one: Condition(*one))
RULES = st.lists(st.lists(CUTS, min_size=1, max_size=2).map(Tag), min_size=1, max_size=3, unique=True)


@st.composite
def tables(draw):
    n = draw(st.integers(6, 40))
    X = pd.DataFrame({name: draw(st.lists(NUMBERS, min_size=n, max_size=n)) for name in "xy"}, dtype=float)
    numbers = [1, 0, *draw(st.lists(st.sampled_from([0, 0, 1]), min_size=n - 2, max_size=n - 2))]
    return as_table(X), Groups(np.array(numbers), ("1",), "given")


def covered(table, groups, rules):
    return Coverage.from_tags(table, rules, groups, prices=Prices(table))


def bits(table, groups, rules):
    return mdl_of_group(covered(table, groups, rules), 0, range(len(rules)))


def fitted(table, groups, rules, *, given_tags=()):
    """The rules that become of these, and what they are said to cost."""
    chosen = Selection((tuple(range(len(rules))),), bits(table, groups, rules), "feasible")
    tags = TagSet(tuple(rules), 4, given=frozenset(given_tags))
    tags, _, chosen = fit_cuts(table, groups, tags, covered(table, groups, rules), chosen, MDL())
    return [tags.tags[j] for j in chosen.tags[0]], chosen.objective


@given(drawn=tables(), rules=RULES)
def test_a_description_does_not_get_longer_and_costs_what_is_said(drawn, rules):
    better, cost = fitted(*drawn, rules)
    assert cost <= bits(*drawn, rules) + 1e-6
    assert cost == pytest.approx(bits(*drawn, better))
    assert set(fitted(*drawn, rules, given_tags=rules)[0]) <= set(rules)


@given(drawn=tables(), rule=CUTS)
def test_a_single_condition_gets_the_best_cut(drawn, rule):
    coverage = covered(*drawn, [Tag.of(Condition(rule.column, rule.op, i - 0.5)) for i in range(14)])
    able = np.flatnonzero(coverage.eligible(1.0)[0])
    now = bits(*drawn, [Tag.of(rule)])
    best = min([now, *(mdl_of_group(coverage, 0, [j]) for j in able)])
    if covered(*drawn, [Tag.of(rule)]).outlier_counts[0]:
        assert fitted(*drawn, [Tag.of(rule)])[1] == pytest.approx(min(best, bits(*drawn, [])))


def test_an_interval_loses_an_end_that_leaves_nothing_out():
    table = as_table(pd.DataFrame({"x": np.arange(100.0)}))
    groups = Groups((np.arange(100) >= 60).astype(int), ("1",), "given")
    assert fitted(table, groups, [Tag.of(Condition("x", "between", (61, 99)))])[0] == [Tag.of(Condition("x", ">=", 60))]


def test_the_numbers_of_planted_rules_are_found_in_more_rows_than_the_search_looks_at():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"x{i}": rng.normal(size=60_000) for i in range(5)}).assign(c=rng.choice([*"abcd"], 60_000))
    y = (X.x0 > 2.5) & (X.c == "a") | (X.x1 > 1.7) & (X.x2 < -1.8) | X.x3.between(2.1, 2.3) & (X.x4 > 1)
    found = explain(y.astype(int), X)
    planted = {"c is 'a' and x0 >= 2.5", "x1 >= 1.7 and x2 < -1.8", "2.1 <= x3 <= 2.3 and x4 >= 1"}
    assert {rule.text for rule in found.rules} == planted
    assert ((found.predict(X) > 0) == y).all()

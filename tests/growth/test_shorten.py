"""Level of detail: what saves few bits is left out, within the share that may be given up."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import MDL, Condition, Coverage, Selection, Tag, explain
from pyod_explain.description_length import mdl_of_group
from pyod_explain.growth import shorten
from pyod_explain.input import as_table
from pyod_explain.tags import Prices, TagSet

NAMES = list("abcd")


@st.composite
def described(draw):
    """A table of yes or no columns, two groups, and a selection of tags for each."""
    n = draw(st.integers(12, 40))
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    y = np.r_[rng.integers(0, 3, n - 3), 0, 1, 2]
    X = pd.DataFrame(rng.integers(0, 2, (n, 4)), columns=NAMES)
    X["a"] |= (y == 1).astype(int)
    X["b"] &= (y != 2).astype(int)
    table = as_table(X)
    conditions = [Condition(name, "==", value) for name in NAMES for value in (0, 1)]
    tags = draw(
        st.lists(
            st.lists(st.sampled_from(conditions), min_size=1, max_size=3, unique_by=lambda c: c.column).map(
                lambda found: Tag(frozenset(found))
            ),
            min_size=1,
            max_size=6,
            unique=True,
        )
    )
    coverage = Coverage.from_tags(table, tags, y, prices=Prices(table))
    owner = draw(st.lists(st.integers(0, 2), min_size=len(tags), max_size=len(tags)))
    chosen = tuple(tuple(j for j, k in enumerate(owner) if k == one + 1) for one in range(2))
    selection = Selection(chosen, bits(coverage, chosen), "heuristic", "MDL", "refined")
    return table, TagSet(tuple(tags), 8), coverage, selection


def bits(coverage, chosen):
    return sum(mdl_of_group(coverage, k, one) for k, one in enumerate(chosen))


def n_conditions(tags, selection):
    return sum(len(tags.tags[j]) for one in selection.tags for j in one)


@given(described(), st.sampled_from([0.0, 0.02, 0.3, 1.0]), st.sampled_from([0.0, 1.0, 1.5]))
def test_each_group_loses_no_more_than_the_share_and_the_figures_are_true(drawn, share, min_lift):
    table, tags, coverage, selection = drawn
    before = [mdl_of_group(coverage, k, one) for k, one in enumerate(selection.tags)]
    empty = [mdl_of_group(coverage, k, ()) for k in range(2)]
    more, wider, shorter = shorten(table, tags, coverage, selection, share=share, min_lift=min_lift)
    assert more.tags[: len(tags.tags)] == tags.tags
    assert len(set(more.tags)) == len(more.tags) == wider.n_tags
    used = [j for one in shorter.tags for j in one]
    assert len(set(used)) == len(used)  # no rule twice, for one group or for two
    again = coverage.take([]).with_tags(table, more.tags, 8, Prices(table))
    assert shorter.objective == pytest.approx(bits(again, shorter.tags))
    for k, one in enumerate(shorter.tags):
        assert mdl_of_group(wider, k, one) <= before[k] + share * max(empty[k] - before[k], 0) + 1e-6
    fewer = n_conditions(tags, selection) - n_conditions(more, shorter)
    assert fewer >= 0
    if not fewer:
        assert shorter is selection
        return
    eligible = wider.eligible(min_lift)
    new = [(k, j) for k, one in enumerate(shorter.tags) for j in one if j >= len(tags.tags)]
    assert all(eligible[k, j] for k, j in new)


@given(described())
def test_nothing_that_could_go_is_left(drawn):
    """Without any one further condition, a group would lose more than it may, or a rule its lift."""
    table, tags, coverage, selection = drawn
    most = []
    for k, one in enumerate(selection.tags):
        before, empty = mdl_of_group(coverage, k, one), mdl_of_group(coverage, k, ())
        most.append(before + 0.2 * max(empty - before, 0))
    more, wider, shorter = shorten(table, tags, coverage, selection, share=0.2, min_lift=1.0)
    there = {more.tags[j] for one in shorter.tags for j in one}
    for k, one in enumerate(shorter.tags):
        for j in one:
            for condition in more.tags[j].conditions:
                left = more.tags[j].conditions - {condition}
                if not left or Tag(left) in there:
                    continue  # then the rule itself may go, which is told of below
                kept = [*(more.tags[i] for i in one if i != j), Tag(left)]
                again = wider.take([]).with_tags(table, kept, 8, Prices(table))
                if again.eligible(1.0)[k, len(kept) - 1]:
                    assert mdl_of_group(again, k, range(len(kept))) > most[k]


def device(n=6_000, seed=0):
    """A cause, and a detail that is worth some bits: hardly any outlier is of one device."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"load": rng.normal(size=n).round(2), "device": rng.choice(["C1", "C2", "C3", "C8"], n)})
    cause = X["load"] > 1.5
    out = cause & ((X["device"] != "C8") | (rng.random(n) < 0.3))
    return X, out.to_numpy().astype(int)


def test_a_detail_that_saves_little_is_left_out_and_0_keeps_all():
    X, y = device()
    whole, short = explain(y, X, simplify=0), explain(y, X, simplify=0.1)
    assert sum(len(rule.tag) for group in whole.groups for rule in group.rules) > 1
    assert [[rule.tag.columns for rule in group.rules] for group in short.groups] == [[["load"]]]
    assert any("left out for brevity" in note for note in short.notes)
    assert not any("left out for brevity" in note for note in whole.notes)
    assert [len(rule.tag) for rule in explain(y, X, detail=1.0).rules] == [1]  # the last rule is no detail


def test_the_least_lift_is_that_of_the_explainer():
    """A rule that lost a condition is still that much more frequent in its group."""
    X, y = device()
    e = explain(y, X, groups=1, method=MDL(min_lift=120.0), simplify=0.2)
    assert e.groups[0].rules
    for rule in e.groups[0].rules:
        hit = rule.tag.covers(X)
        assert hit[y == 1].mean() > 120 * hit[y == 0].mean()


@pytest.mark.parametrize("share", ["auto", 0.2])
def test_tags_of_the_users_own_are_said_as_they_were_given(share):
    X, y = device()
    own = Tag.of(Condition("load", ">", 1.5), Condition("device", "in", ["C1", "C2", "C3"]))
    assert own in [rule.tag for rule in explain(y, X, tags=[own], simplify=share).rules]
    assert explain(y, X, tags=[own], simplify=share).notes == explain(y, X, tags=[own], simplify=0).notes
    mixed = explain(y, X, tags=[own, "itemsets"], simplify=share)
    assert all(rule.tag == own or not rule.tag.conditions < own.conditions for rule in mixed.rules if len(rule.tag) > 1)


def aggregated(seed):
    """Combinations of attributes, and how many of their viewers fail: a frequent cause and one of two conditions."""
    rng = np.random.default_rng(seed)
    names = ["site", "rate", "device", "region"]
    X = pd.DataFrame(np.indices((6, 6, 5, 2)).reshape(4, -1).T, columns=names).astype(str)
    X["viewers"] = rng.poisson(rng.lognormal(4, 1, len(X))) + 1
    rate = 0.01 * np.exp(rng.normal(0, 0.2, 5))[X["device"].astype(int)]
    rate = np.where(X["site"] == "1", 0.5, np.where((X["rate"] == "2") & (X["region"] == "1"), 0.4, rate))
    return X.assign(failing=rng.binomial(X["viewers"], rate))


@pytest.mark.parametrize("seed", range(3))
def test_a_condition_that_cuts_away_normal_rows_stays_however_much_other_rules_save(seed):
    X = aggregated(seed)
    found = explain(None, X, counts="viewers", outlier_counts="failing")
    assert {rule.text for rule in found.rules} == {"site is '1'", "rate is '2' and region is '1'"}

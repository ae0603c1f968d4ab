"""Makers: tags are relevant, short, bounded and the same every time; itemsets are those of counting by hand."""

import gc
import itertools
import logging
import weakref
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tag_tables import grouped

from pyod_explain.exceptions import ParameterError
from pyod_explain.input import as_table
from pyod_explain.tags import Condition, DatePart, ForestRules, Itemsets, Prices, Tag, gain, needed
from pyod_explain.tags.mining import PlainWriter, combine, frequent
from pyod_explain.tags.tag import TagMaker

MAKERS = [Itemsets(), Itemsets(max_length=2, min_support=0.2, max_tags=15), ForestRules(n_rules=60, n_estimators=20)]


@pytest.mark.parametrize("maker", MAKERS, ids=repr)
def test_tags_are_distinct_short_and_more_frequent_in_some_group(maker: Any, shop: Any) -> None:
    frame, groups = shop
    made = clone(maker).make(as_table(frame), groups)
    assert isinstance(maker, TagMaker)
    assert 0 < len(made.tags) == len(set(made.tags))
    for tag in made.tags:
        assert len(tag) <= maker.max_length
        assert len({(c.column, c.side) for c in tag.conditions}) == len(tag)
        covered = tag.covers(frame)
        shares = [covered[groups.numbers == k].mean() for k in range(3)]
        assert max(shares[1:]) > shares[0]


@pytest.mark.parametrize(
    ("maker", "wrong"),
    [
        (Itemsets(max_length=0), "max_length"), (Itemsets(min_support=0), "min_support"),
        (Itemsets(min_lift=-1), "min_lift"), (Itemsets(max_items=2.5), "max_items"),
        (Itemsets(categorical=["zip"]), "categorical"), (ForestRules(categorical=["zip", 0]), "categorical"),
        (ForestRules(n_rules=0), "n_rules"),
    ],
    ids=repr,
)  # fmt: skip
def test_wrong_parameters_are_refused_on_use(maker: Any, wrong: str, shop: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        maker.make(as_table(shop[0]), shop[1])
    assert caught.value.argument == wrong


def test_the_bound_keeps_the_most_telling_tags_says_so_and_covers_everybody(shop: Any, caplog: Any) -> None:
    table, groups = as_table(shop[0]), shop[1]
    everything = Itemsets(max_tags=10**6).make(table, groups)
    with caplog.at_level(logging.INFO, logger="pyod_explain"):
        few = Itemsets(max_tags=20).make(table, groups)
    assert len(few.tags) <= 40 < len(everything.tags)
    assert set(few.tags) <= set(everything.tags)
    assert any("max_tags=20" in note for note in few.notes)
    assert set(few.notes) <= {record.message for record in caplog.records}
    for group in (1, 2):
        members = groups.numbers == group

        def best(tags: Any, members: Any = members) -> float:
            normal = groups.numbers == 0
            masks = [tag.covers(table) for tag in tags]
            return max(
                float(gain(m[members].sum(), m[normal].sum(), members.sum(), normal.sum())) - 3 * len(tag)
                for m, tag in zip(masks, tags, strict=True)
            )

        assert best(few.tags) >= 0.95 * best(everything.tags)
        reached, reachable = (
            np.any([tag.covers(table)[members] for tag in made.tags], axis=0) for made in (few, everything)
        )
        assert (reached == reachable).all()


def test_a_support_that_leaves_no_tags_is_said() -> None:
    rng = np.random.default_rng(0)
    table = as_table(pd.DataFrame({"a": rng.normal(size=200)}))
    made = Itemsets(min_support=0.9, min_lift=5.0).make(table, grouped([1, *[0] * 9] * 20))
    assert made.tags == ()
    (note,) = made.notes
    assert "90%" in note
    assert "min_support" in note


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=14),
    support=st.sampled_from([0.01, 0.15, 0.3, 0.5, 1.0]),
    length=st.integers(1, 4),
)
def test_itemsets_are_those_of_counting_by_hand(rows: Any, support: float, length: int) -> None:
    inside = np.array(rows).T
    by_hand = [
        combination
        for size in range(1, length + 1)
        for combination in itertools.combinations(range(5), size)
        if inside[list(combination)].all(axis=0).sum() >= max(support * len(rows) - 1e-6, 1)
    ]
    sets, lengths = frequent(inside, support, length)
    assert [tuple(one[:n].tolist()) for one, n in zip(sets, lengths, strict=True)] == by_hand


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=8),
    support=st.sampled_from([0.01, 0.15, 0.3, 0.5, 1.0]),
    length=st.integers(1, 5),
    seed=st.integers(0, 99),
)
def test_copies_are_mined_as_repeated_rows_are(rows, support, length, seed):
    inside = np.array(rows, dtype=bool).T
    copies = np.random.default_rng(seed).integers(1, 6, len(rows))
    found = (
        combine(inside, np.ones(6), support, length, copies),
        combine(np.repeat(inside, copies, axis=1), np.ones(6), support, length),
    )
    ours, theirs = ([one[:n].tolist() for one, n in zip(*made, strict=True)] for made in found)
    assert ours == theirs


def test_forest_rules_merge_the_conditions_on_one_column() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": np.r_[rng.uniform(0, 100, 900), rng.uniform(40, 50, 60)]})
    made = ForestRules(n_estimators=10).make(as_table(frame), grouped([0] * 900 + [1] * 60))
    assert all(len(tag) == 1 for tag in made.tags)
    assert any(condition.op == "between" for tag in made.tags for condition in tag.conditions)


def test_forest_rules_join_values_that_are_ruled_out() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": np.r_[rng.choice(list("abc"), 900), rng.choice(list("defgh"), 100)]})
    made = ForestRules(n_estimators=30).make(as_table(frame), grouped([0] * 900 + [1] * 100))
    assert "c is none of 'a', 'b', 'c'" in [str(tag) for tag in made.tags]


cells = st.sampled_from([None, -1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 2.5, 7.0])

frames = (
    st.integers(3, 25)
    .flatmap(lambda n: st.fixed_dictionaries({name: st.lists(cells, min_size=n, max_size=n) for name in "abc"}))
    .map(lambda columns: pd.DataFrame(columns, dtype="float64"))
)

bounds = st.sampled_from([-1.0, 0.0, 0.3, 0.5, 1.0, 2.0, 7.0])

conditions = st.one_of(
    st.builds(Condition, st.sampled_from("abc"), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), bounds),
    st.builds(lambda c, a, b: Condition(c, "between", (min(a, b), max(a, b))), st.sampled_from("abc"), bounds, bounds),
    st.builds(Condition, st.sampled_from("abc"), st.sampled_from(["missing", "present"])),
)

rules = st.lists(conditions, min_size=1, max_size=4, unique=True)

of_one_column = st.lists(
    conditions.filter(lambda one: one.column == "a")
    | st.builds(Condition, st.just("a"), st.sampled_from(["in", "not in"]), st.sets(bounds, min_size=2, max_size=4)),
    min_size=2,
    max_size=4,
)


def covers(rule: Any, frame: pd.DataFrame) -> list[bool]:
    return Tag(frozenset(rule)).covers(frame).tolist()


@given(frame=frames, rule=rules)
def test_the_same_rows_match_and_nothing_said_is_idle(frame: pd.DataFrame, rule: list[Condition]) -> None:
    said = PlainWriter(as_table(frame)).rule(rule)
    assert covers(said, frame) == covers(rule, frame)
    assert len(said) <= len(rule)
    for fewer in combinations(said, len(said) - 1):
        assert not fewer or covers(fewer, frame) != covers(said, frame)
    assert PlainWriter(as_table(frame)).rule(said) == said
    assert PlainWriter(as_table(frame)).rule(reversed(rule)) == said


@given(of_one_column)
def test_what_the_others_imply_is_left_out(rule: list[Condition]) -> None:
    every = pd.DataFrame({"a": [None, *np.arange(-2, 8, 0.05).round(2)]}, dtype="float64")
    said = needed(rule)
    assert covers(said, every) == covers(rule, every)
    if any(covers(rule, every)):
        assert all(covers(fewer, every) != covers(said, every) for fewer in combinations(said, len(said) - 1) if fewer)


@pytest.mark.parametrize(
    ("values", "condition", "expected"),
    [
        ([0, 0, 3, 4, 5], Condition("x", "<", 1), "x is 0"),
        ([0, *range(50, 99)], Condition("x", "<=", 0), "x is 0"),  # a single one, but no other is as low as 0
        ([-2, 0, 3, 4, 5], Condition("x", "<=", 0), "x is 0 or less"),
        (
            pd.to_datetime(["2024-01-01 00:10"] * 5 + ["2024-02-01 07:00"]),
            Condition(DatePart("x", "hour"), "<", 5),
            "hour of x is 0",
        ),
    ],
)
def test_a_threshold_that_one_value_meets_names_it(values: Any, condition: Condition, expected: str) -> None:
    [said] = PlainWriter(as_table(pd.DataFrame({"x": values}))).rule([condition])
    assert str(said) == expected


@pytest.mark.parametrize(("kind", "ask"), [(Prices, "condition_bits"), (PlainWriter, "name")])
def test_what_keeps_answers_about_a_table_is_freed_at_once(kind: Any, ask: str) -> None:
    """A reference cycle would hold a large table until the next garbage collection."""
    one = kind(as_table(pd.DataFrame({"x": range(9)})))
    getattr(one, ask)(Condition("x", ">", 3))
    alive = weakref.ref(one)
    gc.disable()
    del one
    kept = alive() is not None
    gc.enable()
    assert not kept

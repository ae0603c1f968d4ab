"""Rules are said without what changes nothing, about exactly the same rows."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tag_tables import grouped

from pyod_explain.input import as_table
from pyod_explain.tags import Condition, DatePart, ForestRules, Itemsets, Tag
from pyod_explain.tags.mining import PlainWriter

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


def covers(rule: Any, frame: pd.DataFrame) -> list[bool]:
    return Tag(frozenset(rule)).covers(frame).tolist()


@settings(deadline=None)
@given(frame=frames, rule=rules)
def test_the_same_rows_match_and_nothing_said_is_idle(frame: pd.DataFrame, rule: list[Condition]) -> None:
    said = PlainWriter(as_table(frame)).rule(rule)
    assert covers(said, frame) == covers(rule, frame)
    assert len(said) <= len(rule)
    for fewer in combinations(said, len(said) - 1):
        assert not fewer or covers(fewer, frame) != covers(said, frame)
    assert PlainWriter(as_table(frame)).rule(said) == said
    assert PlainWriter(as_table(frame)).rule(reversed(rule)) == said


@settings(deadline=None)
@given(frame=frames, rule=rules)
def test_no_interval_has_an_end_that_others_say(frame: pd.DataFrame, rule: list[Condition]) -> None:
    said = PlainWriter(as_table(frame)).rule(rule)
    assume(len(said) > 1)
    for one in said:
        if one.op == "between":
            rest = [other for other in said if other is not one]
            for op, t in zip((">=", "<="), one.value, strict=True):
                assert covers([*rest, Condition(one.column, op, t)], frame) != covers(said, frame)


@pytest.mark.parametrize(
    ("values", "condition", "expected"),
    [
        ([0, 0, 3, 4, 5], Condition("x", "<", 1), "x is 0"),
        ([0, *range(50, 99)], Condition("x", "<=", 0), "x is 0"),  # a single one, but no other is as low as 0
        ([-2, 0, 3, 4, 5], Condition("x", "<=", 0), "x is 0 or less"),
        ([0.25] * 20 + [0.3, 0.7], Condition("x", "<", 0.26), "x is 0.25"),
        ([12.3451, *np.linspace(13, 99, 60)], Condition("x", "<", 13), "x < 13"),  # one row of many
        ([0.0506801187398] * 20 + [0.3, 0.7], Condition("x", "<", 0.1), "x < 0.1"),  # nobody would name it
        ([10234567] * 20 + [3, 7], Condition("x", ">=", 1e7), "x is 10234567"),
        ([1, 1, 7, 7], Condition("x", ">=", 5), "x is 7"),
        ([1, 1, 7, 8], Condition("x", ">=", 5), "x >= 5"),
        ([0, 0, None, 3, 4], Condition("x", "<", 1), "x is 0"),
        (np.array([0.1] * 9 + [5, 6], dtype=np.float32), Condition("x", "<", 1), "x < 1"),  # it is 0.10000000149
        (np.array([0.5] * 9 + [5, 6], dtype=np.float32), Condition("x", "<", 1), "x is 0.5"),
        (
            pd.to_datetime(["2024-01-01"] * 5 + ["2024-02-01"]),
            Condition("x", "<", pd.Timestamp("2024-01-15")),
            "x < 2024-01-15",
        ),
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


@pytest.mark.parametrize("maker", [Itemsets(), ForestRules(n_estimators=20)], ids=lambda one: type(one).__name__)
def test_no_tag_of_a_maker_says_what_changes_nothing(maker: Any) -> None:
    rng = np.random.default_rng(3)
    n = 400
    frame = pd.DataFrame(
        {"a": rng.integers(0, 6, n), "fee": np.where(rng.uniform(size=n) < 0.7, 0, rng.exponential(3, n))}
    )
    frame["twice"] = 2 * frame["a"]  # says the same in other words
    frame["kind"] = np.where(frame["a"] > 2, "many", "few")
    y = ((frame["a"] >= 4) & (frame["fee"] == 0)).to_numpy().astype(int)
    made = maker.make(as_table(frame), grouped(y))
    assert any("fee is 0" in str(tag) for tag in made.tags)
    for tag in made.tags:
        for fewer in combinations(tag.sorted, len(tag) - 1):
            assert not fewer or covers(fewer, frame) != covers(tag.sorted, frame), tag

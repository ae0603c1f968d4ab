"""What a rule says of one thing: two limits as one, and of the same rows."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import Condition, DatePart, Tag
from pyod_explain.export import to_dbt
from pyod_explain.tags import statements

limits = st.tuples(st.sampled_from(["x", "y"]), st.sampled_from(["<", "<=", ">", ">="]), st.integers(-3, 3))
COMPARED = re.compile(r"(?:(-?\d+) (<=?|≤) )?([xy]) (<=|>=|<|>|≤|≥|is at most|is) (-?\d+)( or less)?")


def matching(text: str, X: pd.DataFrame) -> np.ndarray:
    """The rows that a printed rule names, by reading it: nothing of the package is asked."""
    found = np.ones(len(X), dtype=bool)
    signs = {"≤": "<=", "≥": ">=", "is at most": "<=", "is": "=="}
    for part in text.split(" and "):
        match = COMPARED.fullmatch(part)
        assert match, part
        low, first, name, second, high, less = match.groups()
        second = "<=" if less else second
        said = f"{name} {signs.get(second, second)} {high}"
        if low is not None:
            said += f" and {low} {signs.get(first, first)} {name}"
        found &= X.eval(said).to_numpy()
    return found


@given(st.lists(limits, min_size=1, max_size=5, unique=True))
def test_what_is_printed_is_true_of_the_same_rows(drawn):
    X = pd.DataFrame([(x, y) for x in range(-4, 5) for y in range(-4, 5)], columns=["x", "y"])
    tag = Tag.of(*(Condition(*one) for one in drawn))
    said = statements(tag.sorted)
    for text in (str(tag), " and ".join(one.signs for one in said)):
        np.testing.assert_array_equal(matching(text, X), tag.covers(X))
    assert {condition for one in said for condition in one.conditions} == tag.conditions


@pytest.mark.parametrize(
    ("conditions", "text", "signs", "phrase"),
    [
        ([("w", "<=", 1), ("w", ">=", 1)], "w is 1", "w is 1", "w 1"),
        ([("w", "between", (1, 1.0))], "w is 1", "w is 1", "w 1"),
        ([("x", "<=", 8), ("x", ">=", 4)], "4 <= x <= 8", "4 ≤ x ≤ 8", "x from 4 to 8"),
        ([("x", "<", 8), ("x", ">", 4)], "4 < x < 8", "4 < x < 8", "x above 4 and below 8"),
        ([("x", "<", 8), ("x", ">=", 4)], "4 <= x < 8", "4 ≤ x < 8", "x from 4 to below 8"),
        (
            [(DatePart("t", "weekday"), "<=", 4), (DatePart("t", "weekday"), ">", 0)],
            "Monday < weekday of t <= Friday",
            "Monday < weekday of t ≤ Friday",
            "weekday of t above Monday and at most Friday",
        ),
        (
            [("t", "<", pd.Timestamp("2024-05-02 07:30")), ("t", ">=", pd.Timestamp("2024-05-01"))],
            "2024-05-01 00:00:00 <= t < 2024-05-02 07:30:00",
            "2024-05-01 00:00:00 ≤ t < 2024-05-02 07:30:00",
            "t from 2024-05-01 00:00:00 to before 2024-05-02 07:30:00",
        ),
        (
            [("t", "between", (pd.Timestamp("2024-05-01"), pd.Timestamp("2024-05-02")))],
            "2024-05-01 <= t <= 2024-05-02",
            "2024-05-01 ≤ t ≤ 2024-05-02",
            "t from 2024-05-01 to 2024-05-02",
        ),
        ([("x", ">", 1), ("x", ">", 4), ("x", "<", 8)], "x < 8 and x > 1 and x > 4", None, None),
    ],
)
def test_two_limits_are_said_as_one(conditions, text, signs, phrase):
    tag = Tag.of(*(Condition(*one) for one in conditions))
    assert str(tag) == text
    if signs is not None:
        assert [one.signs for one in statements(tag.sorted)] == [signs]
        assert [one.phrase() for one in statements(tag.sorted)] == [phrase]


def test_every_view_says_an_interval_as_one():
    X = pd.DataFrame({"x": [1, 2, 3, 20, 30, 5, 6], "w": [0, 2, 0, 2, 0, 1, 1]})
    one = Tag.of(Condition("x", ">=", 4), Condition("x", "<=", 8))
    two = Tag.of(Condition("w", ">=", 1), Condition("w", "<=", 1))
    e = explain_by([[one], [two]], X, [0] * 5 + [1, 2])
    assert (
        [rule.text for rule in e.rules]
        == ["4 <= x <= 8", "w is 1"]
        == [r["text"] for g in e.to_dict()["groups"] for r in g["rules"]]
    )
    assert e.to_frame().rule.tolist() == ["4 <= x <= 8", "w is 1"]
    assert "if 4 <= x <= 8\n" in str(e)
    assert "if w is 1\n" in str(e)
    assert "outlier with x from 4 to 8" in e.headline.replace("outliers", "outlier")
    assert r"| 4 \<= x \<= 8 |" in e.to_markdown()
    assert ">4 ≤ x ≤ 8<" in e.to_html()
    assert ">w is 1<" in e.to_html()
    assert str(e.for_row(5)).endswith("  if 4 <= x <= 8 (it is 5)")
    assert str(e.for_row({"x": 9, "w": 7})).endswith("  if 4 <= x <= 8 (it is 9, which fails)")
    assert "4 <= x <= 8" in to_dbt(e, "t")
    for view in (str(e), e.headline, e.to_markdown(), to_dbt(e, "t"), str(e.for_row(5)), e.to_json()):
        assert "is at most" not in view

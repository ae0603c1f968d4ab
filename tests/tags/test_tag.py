"""Conditions and tags as values: equal meaning is equal value, opposites, text, and evaluation on any column."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.read import as_table
from pyod_explain.tags import Condition, Tag

FRAME = pd.DataFrame(
    {
        "n": [1, 2, 3, 4],
        "x": [0.5, np.nan, 2.5, 4.0],
        "c": ["a", None, "b", "a"],
        "when": pd.to_datetime(["2024-01-01 05:00", None, "2024-01-06 12:00", "2024-01-07 23:00"]),
        "span": pd.to_timedelta(["1h", None, "2h", "3h"]),
        "flag": pd.array([True, None, False, True], dtype="boolean"),
    }
)


def holds(condition: Condition, frame: pd.DataFrame = FRAME) -> list[bool]:
    return condition.holds(as_table(frame)[condition.column]).tolist()


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("x", "<=", 2.5), [True, False, True, False]),
        (Condition("x", ">", decimal.Decimal("0.5")), [False, False, True, True]),
        (Condition("x", "between", (0, 3)), [True, False, True, False]),
        (Condition("n", "in", [1, 4]), [True, False, False, True]),
        (Condition("n", "==", 2.0), [False, True, False, False]),
        (Condition("n", "==", 2.5), [False] * 4),
        (Condition("c", "!=", "a"), [False, False, True, False]),
        (Condition("c", "not in", ["b", "z"]), [True, False, False, True]),
        (Condition("c", "rare", ["a"]), [False, False, True, False]),
        (Condition("c", "missing"), [False, True, False, False]),
        (Condition("c", "present"), [True, False, True, True]),
        (Condition("flag", "==", True), [True, False, False, True]),
        (Condition("when", ">=", dt.date(2024, 1, 6)), [False, False, True, True]),
        (Condition("when", "<", np.datetime64("2024-01-06T12:00")), [True, False, False, False]),
        (Condition("when", ">=", 12, part="hour"), [False, False, True, True]),
        (Condition("when", "in", [5, 6], part="weekday"), [False, False, True, True]),
        (Condition("span", ">", np.timedelta64(1, "h")), [False, False, True, True]),
        (Condition("span", "==", dt.timedelta(hours=2)), [False, False, True, False]),
    ],
    ids=str,
)
def test_missing_cells_satisfy_only_missing(condition: Condition, expected: list[bool]) -> None:
    assert holds(condition) == expected


@pytest.mark.parametrize(
    "condition",
    [
        Condition("c", "<=", 3),
        Condition("x", ">", "a"),
        Condition("x", "contains", "a"),
        Condition("c", "==", 12, part="hour"),
        Condition("span", "<", 3),
    ],
    ids=str,
)
def test_what_cannot_be_compared_is_not_satisfied(condition: Condition) -> None:
    assert not any(holds(condition))


def test_whole_cells_beyond_doubles_are_compared_exactly_with_doubles() -> None:
    frame = pd.DataFrame({"n": [2**53, 2**53 + 1, 2**53 + 2]})
    assert holds(Condition("n", ">", float(2**53)), frame) == [False, True, True]
    assert holds(Condition("n", "<=", 2.0**53 + 0.5), frame) == [True, False, False]
    assert holds(Condition("n", "==", float(2**53)), frame) == [True, False, False]


def test_bounds_below_zero_compare_with_unsigned_cells() -> None:
    frame = pd.DataFrame({"n": np.array([0, 2**64 - 1], dtype=np.uint64)})
    assert holds(Condition("n", ">=", -1), frame) == [True, True]
    assert holds(Condition("n", "<", -0.5), frame) == [False, False]


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Condition("x", ">=", 3.0), "x >= 3"),
        (Condition("x", "<", 0.25), "x < 0.25"),
        (Condition("x", ">", 1e22), "x > 1e+22"),
        (Condition("flag", "==", False), "flag is false"),
        (Condition("when", "<", pd.Timestamp("2024-01-06")), "when < 2024-01-06"),
        (Condition("when", "<", pd.Timestamp("2024-01-06 07:30")), "when < 2024-01-06 07:30:00"),
        (Condition("when", "<", dt.date(2024, 1, 6)), "when < 2024-01-06"),
        (Condition("when", ">=", 22, part="hour"), "hour of when >= 22"),
        (Condition("when", "==", 5, part="weekday"), "weekday of when is Saturday"),
        (Condition("when", "in", [6, 5], part="weekday"), "weekday of when is one of Saturday, Sunday"),
        (Condition("span", "<=", dt.timedelta(hours=26)), "span <= 1 day, 2:00:00"),
        (Condition("price", "<", decimal.Decimal("1.10")), "price < 1.10"),
        (Condition("c", "missing"), "c is missing"),
        (Condition("labels", "contains", "urgent"), "labels has 'urgent'"),
    ],
    ids=repr,
)
def test_conditions_read_as_a_person_would_say_them(condition: Condition, text: str) -> None:
    assert str(condition) == text


@pytest.mark.parametrize("op", ["<=", "<", ">=", ">", "==", "!="])
def test_the_opposite_holds_for_the_other_cells_that_are_there(op: Any) -> None:
    condition = Condition("x", op, 2.5)
    present = [True, False, True, True]
    assert [a != b for a, b in zip(holds(condition), holds(~condition), strict=True)] == present
    assert ~~condition == condition
    assert condition.feature == (~condition).feature


def test_some_conditions_have_no_opposite() -> None:
    with pytest.raises(PyodExplainError, match=r"The condition 1 <= x <= 2 has no opposite that is one condition"):
        ~Condition("x", "between", (1, 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", "=>", 1), "`op` of a Condition must be one of <=, <, .* got '=>'"),
        (("x", "<="), "A condition '<=' needs a value, got None; for missing cells use 'missing'"),
        (("x", "missing", 3), "A condition 'missing' takes no value, got 3"),
        (("x", "in", "abc"), "A condition 'in' takes several values, got 'abc'"),
        (("x", "between", 3), "A condition 'between' takes a pair of ends, got 3"),
    ],
    ids=repr,
)
def test_conditions_that_make_no_sense_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(PyodExplainError, match=message):
        Condition(*arguments)


def test_equal_meaning_is_equal_value() -> None:
    assert Condition("x", ">", np.float64(1.5)) == Condition("x", ">", 1.5)
    assert Condition("c", "in", ["b", "a", "b"]) == Condition("c", "in", {"a", "b"})
    one, other = Condition("x", ">", 1), Condition("c", "==", "a")
    assert Tag.of(one, other) == Tag.of(other, one)
    assert len({Tag.of(one, other), Tag.of(other, one)}) == 1


def test_a_tag_needs_only_its_columns_and_names_those_that_are_absent() -> None:
    tag = Tag.of(Condition("n", ">", 1), Condition("when", "==", 5, part="weekday"), Condition("x", "between", (2, 3)))
    assert tag.columns == ["n", "when", "x"]
    assert tag.covers(FRAME[["x", "when", "n"]]).tolist() == [False, False, True, False]
    with pytest.raises(PyodExplainError, match="lacks the columns 'n', 'x'; it has 'when'"):
        tag.covers(FRAME[["when"]])


def test_the_repr_of_a_tag_is_short_and_says_what_it_is() -> None:
    tag = Tag.of(Condition("c", "missing"), Condition("n", "between", (1, 2)), Condition("flag", "==", True))
    assert repr(tag) == "Tag(c is missing and flag == True and 1 <= n <= 2)"
    assert repr(Condition("when", "==", 5, part="weekday")) == "Condition('when', '==', 5, part='weekday')"


def test_a_tag_without_conditions_is_refused() -> None:
    with pytest.raises(PyodExplainError, match="must be one or more Condition objects"):
        Tag(frozenset())


@pytest.mark.parametrize("moment", ["2024-03-31 02:30", "2024-10-27 02:30"])
def test_a_time_that_the_clock_skips_or_shows_twice_is_refused(moment):
    X = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=3, tz="Europe/Berlin")})
    with pytest.raises(PyodExplainError, match=r"must stand once on the clock of Europe/Berlin(?s:.*)Hint"):
        Tag.of(Condition("t", ">=", pd.Timestamp(moment))).covers(X)
    zoned = pd.Timestamp(moment).tz_localize("UTC")
    assert not Tag.of(Condition("t", ">=", zoned)).covers(X).any()

"""Conditions and tags: equal meaning is equal value, exact evaluation, and texts that name the same rows."""

import datetime as dt
import decimal
import pickle
import re
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_tables import FRAME, holds

from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.input import as_table
from pyod_explain.tags import Condition, DatePart, Tag, statements


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("x", "=>", 1), "op"), (("x", "<="), "value"), (("x", "missing", 3), "value"), (("x", "in", "abc"), "value"),
        (("x", "between", 3), "value"),
    ],
    ids=repr,
)  # fmt: skip
def test_conditions_that_make_no_sense_are_refused(arguments: Any, wrong: str) -> None:
    with pytest.raises(ParameterError, match=f"^`{wrong}`"):
        Condition(*arguments)


@pytest.mark.parametrize("value", [float("nan"), pd.NaT, pd.NA, ("a", float("nan")), 1.5, "a"], ids=repr)
def test_a_condition_equals_its_copy_whatever_its_value(value):
    one = Condition("x", "==", value)
    two = pickle.loads(pickle.dumps(one))
    assert one == two
    assert len({one, two}) == 1
    assert one != Condition("x", "!=", value)
    assert one != "x"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("x", "<=", 2.5), [True, False, True, False]),
        (Condition("x", ">", decimal.Decimal("0.5")), [False, False, True, True]),
        (Condition("x", "between", (0, 3)), [True, False, True, False]),
        (Condition("n", "in", [1, 4]), [True, False, False, True]),
        (Condition("n", "==", 2.0), [False, True, False, False]),
        (Condition("c", "!=", "a"), [False, False, True, False]),
        (Condition("c", "not in", ["b", "z"]), [True, False, False, True]),
        (Condition("c", "rare", ["a"]), [False, False, True, False]),
        (Condition("flag", "==", True), [True, False, False, True]),
        (Condition("when", ">=", dt.date(2024, 1, 6)), [False, False, True, True]),
        (Condition("when", "<", np.datetime64("2024-01-06T12:00")), [True, False, False, False]),
        (Condition(DatePart("when", "hour"), ">=", 12), [False, False, True, True]),
        (Condition(DatePart("when", "weekday"), "in", [5, 6]), [False, False, True, True]),
        (Condition("span", ">", np.timedelta64(1, "h")), [False, False, True, True]),
        (Condition("span", "==", dt.timedelta(hours=2)), [False, False, True, False]),
    ],
    ids=str,
)
def test_missing_cells_satisfy_only_missing(condition: Condition, expected: list[bool]) -> None:
    assert holds(condition) == expected


@pytest.mark.parametrize("moment", ["2024-03-31 02:30", "2024-10-27 02:30"])
def test_a_time_that_the_clock_skips_or_shows_twice_is_refused(moment):
    X = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=3, tz="Europe/Berlin")})
    with pytest.raises(PyodExplainError, match=r"clock of Europe/Berlin(?s:.*)Hint"):
        Tag.of(Condition("t", ">=", pd.Timestamp(moment))).covers(X)
    zoned = pd.Timestamp(moment).tz_localize("UTC")
    assert not Tag.of(Condition("t", ">=", zoned)).covers(X).any()


def test_an_hour_that_the_clock_repeats_is_two_moments() -> None:
    zone = ZoneInfo("Europe/Berlin")
    hours = pd.date_range("2024-10-26 23:30", periods=4, freq="h", tz="UTC").tz_convert(zone)
    column = as_table(pd.DataFrame({"at": hours}))["at"]
    first, second = (dt.datetime(2024, 10, 27, 2, 30, tzinfo=zone, fold=fold) for fold in (0, 1))
    assert Condition("at", ">", first) == Condition("at", ">", second)  # as first == second in Python
    for _ in range(2):
        assert Condition("at", ">", first).holds(column).tolist() == [False, False, True, True]
        assert Condition("at", ">", second).holds(column).tolist() == [False, False, False, True]
        assert Condition("at", "between", (first, first)).holds(column).tolist() == [False, True, False, False]
        assert Condition("at", "between", (second, second)).holds(column).tolist() == [False, False, True, False]


def test_equal_meaning_is_equal_value() -> None:
    assert Condition("x", ">", np.float64(1.5)) == Condition("x", ">", 1.5)
    assert Condition("c", "in", ["b", "a", "b"]) == Condition("c", "in", {"a", "b"})
    one, other = Condition("x", ">", 1), Condition("c", "==", "a")
    assert Tag.of(one, other) == Tag.of(other, one)
    assert len({Tag.of(one, other), Tag.of(other, one)}) == 1


def test_a_tag_needs_only_its_columns_and_names_those_that_are_absent() -> None:
    tag = Tag.of(
        Condition("n", ">", 1), Condition(DatePart("when", "weekday"), "==", 5), Condition("x", "between", (2, 3))
    )
    assert tag.columns == ["n", "when", "x"]
    assert tag.covers(FRAME[["x", "when", "n"]]).tolist() == [False, False, True, False]
    with pytest.raises(PyodExplainError, match="'n', 'x'"):
        tag.covers(FRAME[["when"]])


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
        ([("x", "<=", 8), ("x", ">=", 4)], "4 <= x <= 8", "4 ≤ x ≤ 8", "x from 4 to 8"),
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
        ([("x", ">", 1), ("x", ">", 4), ("x", "<", 8)], "x < 8 and x > 1 and x > 4", None, None),
    ],
)
def test_two_limits_are_said_as_one(conditions, text, signs, phrase):
    tag = Tag.of(*(Condition(*one) for one in conditions))
    assert str(tag) == text
    if signs is not None:
        assert [one.signs for one in statements(tag.sorted)] == [signs]
        assert [one.phrase() for one in statements(tag.sorted)] == [phrase]


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Condition("x", ">=", 3.0), "x >= 3"),
        (Condition("n", "<=", 3), "n is at most 3"),
        (Condition("n", "<=", 0), "n is 0 or less"),
        (Condition("flag", "==", False), "flag is false"),
        (Condition("when", "<", pd.Timestamp("2024-01-06 07:30")), "when < 2024-01-06 07:30:00"),
        (Condition(DatePart("when", "weekday"), "==", 5), "weekday of when is Saturday"),
        (Condition(DatePart("when", "weekday"), "in", [6, 5]), "weekday of when is one of Saturday, Sunday"),
        (Condition("span", "<=", dt.timedelta(hours=26)), "span <= 1 day, 2:00:00"),
        (
            Condition("at", "in", [dt.time(3), dt.time(10), dt.time(0, 30, 0, 5)]),
            "at is one of 00:30:00.000005, 03:00:00, 10:00:00",
        ),
    ],
    ids=repr,
)
def test_conditions_read_as_a_person_would_say_them(condition: Condition, text: str) -> None:
    assert str(condition) == text

"""Evaluation on any column: exact, and missing cells satisfy only `missing`."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest
from tag_tables import holds

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import as_table
from pyod_explain.tags import Condition, DatePart, Tag


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
        (Condition(DatePart("when", "hour"), ">=", 12), [False, False, True, True]),
        (Condition(DatePart("when", "weekday"), "in", [5, 6]), [False, False, True, True]),
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
        Condition(DatePart("c", "hour"), "==", 12),
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


@pytest.mark.parametrize("moment", ["2024-03-31 02:30", "2024-10-27 02:30"])
def test_a_time_that_the_clock_skips_or_shows_twice_is_refused(moment):
    X = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=3, tz="Europe/Berlin")})
    with pytest.raises(PyodExplainError, match=r"clock of Europe/Berlin(?s:.*)Hint"):
        Tag.of(Condition("t", ">=", pd.Timestamp(moment))).covers(X)
    zoned = pd.Timestamp(moment).tz_localize("UTC")
    assert not Tag.of(Condition("t", ">=", zoned)).covers(X).any()


def test_conditions_compare_dates_of_another_time_zone() -> None:
    table = as_table(pd.DataFrame({"t": pd.to_datetime(["2024-01-01T00:00", "2024-01-02T00:00"], utc=True)}))
    condition = Condition("t", ">=", pd.Timestamp("2024-01-01T12:00", tz="Asia/Tokyo"))
    assert condition.holds(table["t"]).tolist() == [False, True]


def test_labels_that_compare_with_nothing_are_no_trouble() -> None:
    column = as_table(pd.DataFrame({"c": [["b", pd.NA], {"a"}, np.array(["a", "c"]), None]}))["c"]
    assert Condition("c", "contains", "a").holds(column).tolist() == [False, True, True, False]
    assert not Condition("c", "contains", ["a"]).holds(column).any()

"""Conditions and tags in words and as expressions."""

from __future__ import annotations

import datetime as dt
import decimal

import pandas as pd
import pytest

from pyod_explain.tags import Condition, DatePart


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Condition("x", ">=", 3.0), "x >= 3"),
        (Condition("x", "<", 0.25), "x < 0.25"),
        (Condition("x", ">", 1e22), "x > 1e+22"),
        (Condition("n", "<=", 3), "n is at most 3"),
        (Condition("n", "<=", 3.0), "n is at most 3"),
        (Condition("n", "<=", -2), "n is at most -2"),
        (Condition("n", "<=", 0), "n is 0 or less"),
        (Condition("n", "<=", -0.0), "n is 0 or less"),
        (Condition("n", "<=", decimal.Decimal(0)), "n is 0 or less"),
        (Condition("n", "<=", decimal.Decimal("sNaN")), "n <= sNaN"),
        (Condition("n", "<=", float("inf")), "n <= inf"),
        (Condition("n", "<=", 18.9), "n <= 18.9"),
        (Condition(DatePart("when", "hour"), "<=", 5), "hour of when is at most 5"),
        (Condition("flag", "==", False), "flag is false"),
        (Condition("when", "<", pd.Timestamp("2024-01-06")), "when < 2024-01-06"),
        (Condition("when", "<", pd.Timestamp("2024-01-06 07:30")), "when < 2024-01-06 07:30:00"),
        (Condition("when", "<", dt.date(2024, 1, 6)), "when < 2024-01-06"),
        (Condition(DatePart("when", "hour"), ">=", 22), "hour of when >= 22"),
        (Condition(DatePart("when", "weekday"), "==", 5), "weekday of when is Saturday"),
        (Condition(DatePart("when", "weekday"), "in", [6, 5]), "weekday of when is one of Saturday, Sunday"),
        (Condition("span", "<=", dt.timedelta(hours=26)), "span <= 1 day, 2:00:00"),
        (
            Condition("at", "in", [dt.time(3), dt.time(10), dt.time(0, 30, 0, 5)]),
            "at is one of 00:30:00.000005, 03:00:00, 10:00:00",
        ),
        (
            Condition("took", "in", [dt.timedelta(10), dt.timedelta(2)]),
            "took is one of 2 days, 0:00:00, 10 days, 0:00:00",
        ),
        (Condition("n", "in", [10, 2, 1.5, decimal.Decimal(3)]), "n is one of 1.5, 2, 3, 10"),
        (Condition("price", "<", decimal.Decimal("1.10")), "price < 1.10"),
        (Condition("c", "missing"), "c is missing"),
        (Condition("labels", "contains", "urgent"), "labels has 'urgent'"),
    ],
    ids=repr,
)
def test_conditions_read_as_a_person_would_say_them(condition: Condition, text: str) -> None:
    assert str(condition) == text

"""Items: what is printed is what is counted, and only what tells a group is kept."""

from __future__ import annotations

import datetime as dt
import decimal
import operator
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tag_tables import COLUMNS, every_condition, grouped, texts, two_piece_table

from pyod_explain.input import as_table
from pyod_explain.tags import WEEKDAYS, find_items

COMPARE = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt}


def read_value(text: str, like: Any) -> Any:
    """Read a printed value as the type that the cells have."""
    if isinstance(like, pd.Timestamp):
        return pd.Timestamp(text)
    if isinstance(like, pd.Timedelta):
        return pd.Timedelta(text)
    if text in ("true", "false"):
        return text == "true"
    if text.startswith(("'", '"')):
        return text[1:-1]
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def read_and_evaluate(text: str, name: str, cells: list[Any]) -> list[bool]:
    """Evaluate a printed condition on raw cells (None where missing)."""
    if text == f"{name} is missing":
        return [cell is None for cell in cells]
    if text == f"{name} is not missing":
        return [cell is not None for cell in cells]
    like = next(cell for cell in cells if cell is not None)
    if match := re.fullmatch(rf"(.+) <= {name} <= (.+)", text):
        low, high = (read_value(end, like) for end in match.groups())
        return [cell is not None and low <= cell <= high for cell in cells]
    if text == f"{name} is 0 or less":
        return [cell is not None and cell <= 0 for cell in cells]
    if match := re.fullmatch(rf"{name} (<=|<|>=|>) (.+)", text.replace(" is at most ", " <= ")):
        bound = read_value(match[2], like)
        return [cell is not None and COMPARE[match[1]](cell, bound) for cell in cells]
    if match := re.fullmatch(rf"{name} is (not |one of |none of )?(.+)", text):
        kind = (match[1] or "").strip()
        values = [read_value(v, like) for v in (match[2].split(", ") if kind.endswith("of") else [match[2]])]
        return [cell is not None and (cell in values) == (kind in ("", "one of")) for cell in cells]
    raise AssertionError(f"unreadable: {text}")


@pytest.mark.parametrize("kind", COLUMNS)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_the_printed_condition_read_by_a_stranger_gives_exactly_the_rows_and_counts(kind: str, data: Any) -> None:
    cells, values = data.draw(COLUMNS[kind])
    cells = [None if pd.isna(cell) else cell for cell in cells]
    assume(any(cell is not None for cell in cells))
    numbers = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(cells), max_size=len(cells))))
    items = every_condition(pd.DataFrame({"col": values}), numbers)
    table = as_table(pd.DataFrame({"col": values}))
    for condition, counts in zip(items.conditions, items.counts, strict=True):
        mask = condition.holds(table[condition.column])
        if isinstance(condition.column, str) and condition.op != "rare":
            assert read_and_evaluate(str(condition), "col", cells) == mask.tolist()
        assert [int(mask[numbers == k].sum()) for k in range(len(counts))] == counts.tolist()


def test_numbers_named_as_codes_are_compared_for_equality() -> None:
    frame, y = two_piece_table(site_id=([1, 2, 3, 7] * 50, [5] * 20))
    assert "site_id is 5" in texts(every_condition(frame, y))


def test_numbers_that_the_caller_calls_categories_are_compared_for_equality() -> None:
    frame, y = two_piece_table(grade=([1, 2, 3, 7] * 50, [5] * 20))
    [items] = find_items(as_table(frame), grouped(y), categorical=["grade"])
    assert {condition.op for condition in items.conditions} <= {"==", "!=", "in", "not in"}


def test_constant_columns_give_nothing() -> None:
    frame, y = two_piece_table(a=([1.5] * 50, [1.5] * 5), b=(["x"] * 50, ["x"] * 5), c=([None] * 50, [None] * 5))
    assert every_condition(frame, y).conditions == ()


def test_missing_cells_are_a_reason_of_their_own() -> None:
    frame, y = two_piece_table(x=(np.arange(300.0), [np.nan] * 20))
    assert texts(every_condition(frame, y)) == ["x is missing"]


def test_the_hour_and_the_weekday_are_used_where_they_tell_something() -> None:
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, 1000), unit="D")
    normal = days[:950] + pd.to_timedelta(rng.integers(8 * 60, 20 * 60, 950), unit="min")
    odd = days[950:].normalize() - pd.to_timedelta(days[950:].day_of_week - 6, unit="D") + pd.Timedelta("3h")
    frame, y = two_piece_table(when=(normal, odd))
    found = texts(every_condition(frame, y))
    assert {"hour of when < 8", "weekday of when is Sunday"} <= set(found) or any("hour of when" in t for t in found)
    assert any(day in text for text in found for day in WEEKDAYS)


def test_hours_that_tell_nothing_are_left_out() -> None:
    rng = np.random.default_rng(0)
    stamps = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**6, 2000), unit="min")
    frame = pd.DataFrame({"when": stamps, "x": rng.normal(size=2000)})
    items = every_condition(frame, (frame["x"] > 1.8).astype(int).to_numpy())
    assert all(isinstance(condition.column, str) for condition in items.conditions)


@pytest.mark.parametrize(
    "values",
    [
        [1, "a", 2.5, "a", None, (1, 2)] * 20,
        [decimal.Decimal("1.10"), decimal.Decimal("2.20"), None] * 40,
        pd.Categorical(["lo", "hi", None] * 40, categories=["lo", "mid", "hi"], ordered=True),
        pd.array([1, None, 3] * 40, dtype="Int8"),
        pd.array(["a", None, "b"] * 40, dtype="string"),
        pd.period_range("2020-01", periods=120, freq="M"),
        [dt.date(2020, 1, 1), dt.date(2021, 1, 1), None] * 40,
    ],
    ids=["mixed", "decimal", "categorical", "nullable", "string", "period", "date"],
)
def test_unusual_columns_are_read_without_a_crash(values: Any) -> None:
    frame = pd.DataFrame({"col": values})
    y = np.arange(len(frame)) % 3 == 0
    items = every_condition(frame, y.astype(int))
    table = as_table(frame)
    for condition, counts in zip(items.conditions, items.counts, strict=True):
        assert condition.holds(table[condition.column])[y].sum() == counts[1]


def test_items_need_a_lift_and_a_support() -> None:
    frame, y = two_piece_table(x=([1.0, 2.0, 3.0, 4.0] * 100, [4.0] * 15 + [1.0] * 5))
    items = every_condition(frame, y)
    for i in items.relevant(min_support=0.5, min_lift=2.0)[0]:
        normal_share, group_share = items.counts[i] / items.totals
        assert group_share >= 0.5
        assert group_share > 2 * normal_share


def test_a_condition_and_its_opposite_are_one_feature() -> None:
    frame, y = two_piece_table(x=(np.arange(500.0), np.arange(490.0, 520.0)))
    items = every_condition(frame, y)
    assert len(items.features) == len({condition.feature for condition in items.conditions})


def test_a_column_of_noise_costs_few_features() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(2000, 60))).rename(columns=str)
    items = every_condition(frame, (rng.uniform(size=2000) < 0.05).astype(int))
    assert len(items.features) <= 60 * 4


def test_the_order_of_rows_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=400).round(1), "c": rng.choice(list("abcdef"), 400)})
    y = (rng.uniform(size=400) < 0.1).astype(int)
    order = rng.permutation(400)
    one, other = every_condition(frame, y), every_condition(frame.iloc[order], y[order])
    assert one.conditions == other.conditions
    assert (one.counts == other.counts).all()


def test_rows_that_are_neither_normal_nor_outlier_are_not_counted() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 50.0, 1000.0]})
    items = every_condition(frame, np.array([0, 0, 0, 1, -1]))
    assert items.totals.tolist() == [3, 1]
    assert (items.counts <= items.totals).all()

"""Items: what is printed is what is counted, cut points are short, and only what tells a group is kept."""

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

from pyod_explain.groups import Groups
from pyod_explain.input.read import as_table
from pyod_explain.tags import cuts
from pyod_explain.tags.items import Items, find_items
from pyod_explain.tags.ordered import between, threshold
from pyod_explain.tags.tag import WEEKDAYS, Condition
from pyod_explain.tags.value_counts import profile

COMPARE = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt}


def grouped(numbers: Any) -> Groups:
    numbers = np.asarray(numbers)
    return Groups(numbers, tuple(str(k) for k in range(1, int(numbers.max(initial=0)) + 1)), "given")


def every_condition(frame: pd.DataFrame, numbers: Any) -> Items:
    [items] = find_items(as_table(frame), grouped(numbers))
    return items


# --- the printed text, read by somebody who knows neither Condition nor Table ----------------------------------------


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
    if match := re.fullmatch(rf"{name} (<=|<|>=|>) (.+)", text):
        bound = read_value(match[2], like)
        return [cell is not None and COMPARE[match[1]](cell, bound) for cell in cells]
    if match := re.fullmatch(rf"{name} is (not |one of |none of )?(.+)", text):
        kind = (match[1] or "").strip()
        values = [read_value(v, like) for v in (match[2].split(", ") if kind.endswith("of") else [match[2]])]
        return [cell is not None and (cell in values) == (kind in ("", "one of")) for cell in cells]
    raise AssertionError(f"unreadable: {text}")


floats = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1, 1),
    st.floats(-1e-300, 1e-300),
    st.integers(-5, 5).map(float),
    st.sampled_from([0.1, 0.1 + 1e-17, 0.30000000000000004, 0.3, 1e22, 1e-7, 123456.789, np.nextafter(1.0, 2.0)]),
)
COLUMNS = {
    "float64": st.lists(st.one_of(st.none(), floats), min_size=3, max_size=30).map(
        lambda cells: (cells, pd.array([np.nan if c is None else c for c in cells], dtype="float64"))
    ),
    "float32": st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3, max_size=30).map(
        lambda cells: (cells, np.array(cells, dtype=np.float32))
    ),
    "int64": st.lists(
        st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(2**53 - 3, 2**53 + 3), st.integers(-9, 9)),
        min_size=3,
        max_size=30,
    ).map(lambda cells: (cells, np.array(cells, dtype=np.int64))),
    "uint64": st.lists(st.integers(2**64 - 9, 2**64 - 1), min_size=3, max_size=30).map(
        lambda cells: (cells, np.array(cells, dtype=np.uint64))
    ),
    "Int64": st.lists(st.one_of(st.none(), st.integers(-(2**62), 2**62)), min_size=3, max_size=30).map(
        lambda cells: (cells, pd.array(cells, dtype="Int64"))
    ),
    "datetime": st.lists(
        st.one_of(
            st.none(), st.datetimes(dt.datetime.fromisoformat("1990-01-01"), dt.datetime.fromisoformat("2040-01-01"))
        ),
        min_size=3,
        max_size=30,
    ).map(lambda cells: ([None if c is None else pd.Timestamp(c) for c in cells], pd.to_datetime(cells))),
    "zoned": st.lists(
        st.datetimes(
            dt.datetime.fromisoformat("2020-01-01"), dt.datetime.fromisoformat("2023-01-01"), timezones=st.just(dt.UTC)
        ),
        min_size=3,
        max_size=30,
    ).map(
        lambda cells: (
            [pd.Timestamp(c) for c in cells],
            pd.to_datetime(cells, utc=True).tz_convert("Europe/Berlin"),
        )
    ),
    "timedelta": st.lists(st.timedeltas(dt.timedelta(-900), dt.timedelta(900)), min_size=3, max_size=30).map(
        lambda cells: ([pd.Timedelta(c) for c in cells], pd.to_timedelta(cells))
    ),
    "string": st.lists(st.one_of(st.none(), st.sampled_from("abcdefgh")), min_size=3, max_size=30).map(
        lambda cells: (cells, pd.array(cells, dtype="object"))
    ),
    "boolean": st.lists(st.one_of(st.none(), st.booleans()), min_size=3, max_size=30).map(
        lambda cells: (cells, pd.array(cells, dtype="boolean"))
    ),
}


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
        mask = condition.holds(table["col"])
        if condition.part is None and condition.op != "rare":
            assert read_and_evaluate(str(condition), "col", cells) == mask.tolist()
        assert [int(mask[numbers == k].sum()) for k in range(len(counts))] == counts.tolist()


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "uint64", "Int64", "datetime", "zoned", "timedelta"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_possible_cut_moves_no_row(kind: str, data: Any) -> None:
    _, values = data.draw(COLUMNS[kind])
    column = as_table(pd.DataFrame({"col": values}))["col"]
    assume(not column.missing.all())
    seen = profile(column, grouped(np.zeros(len(column.missing), dtype=np.int64)))
    for position in range(1, seen.n_distinct):
        below, above = threshold(column, seen, position)
        assert below.holds(column).sum() == seen.normals_below[position]
        assert (above.holds(column) == ~below.holds(column) & ~column.missing).all()
        for stop in range(position + 1, min(position + 4, seen.n_distinct)):
            inside = between(column, seen, position, stop).holds(column).sum()
            assert inside == seen.normals_below[stop] - seen.normals_below[position]


@given(low=floats, high=floats)
def test_no_shorter_decimal_lies_between(low: float, high: float) -> None:
    assume(low < high)
    t = cuts.simplest(low, high)
    assert low < t <= high
    used = cuts.n_digits(t)
    for n in range(1, used):  # rounding an end to fewer digits must leave the interval
        with decimal.localcontext(prec=n, rounding=decimal.ROUND_FLOOR):
            shorter = float(+decimal.Decimal(high))
        assert not low < shorter <= high or cuts.n_digits(shorter) >= used


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (17.38, 23.1, 20),
        (0.1234, 0.1239, 0.1235),
        (99, 101, 100),
        (-0.5, 3.0, 0),
        (-23.1, -17.38, -20),
        (2, 3, 3),
        (2**53, 2**53 + 1, 2**53 + 1),
        (1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 2.0)),
    ],
)
def test_cut_points_are_what_a_person_would_write(low: float, high: float, expected: float) -> None:
    assert cuts.simplest(low, high) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ("2022-11-03 14:05", "2023-05-01 12:00", "2023-01-01"),
        ("2023-03-30", "2023-04-18 12:00", "2023-04-01"),
        ("2023-04-18 01:00", "2023-04-18 12:34:56", "2023-04-18 12:00:00"),
    ],
)
def test_dates_are_cut_at_the_start_of_a_year_month_day_or_hour(low: str, high: str, expected: str) -> None:
    table = as_table(pd.DataFrame({"when": [pd.Timestamp(low), pd.Timestamp(high)]}))
    seen = profile(table["when"], grouped([0, 0]))
    assert str(threshold(table["when"], seen, 1)[1]) == f"when >= {expected}"


def test_a_cut_in_the_hour_that_the_clocks_repeat_is_exact() -> None:
    stamps = pd.to_datetime(["2022-10-30T00:30", "2022-10-30T01:10", "2022-10-30T01:20"], utc=True)
    table = as_table(pd.DataFrame({"when": stamps.tz_convert("Europe/Berlin")}))
    seen = profile(table["when"], grouped([0, 0, 0]))
    for position in (1, 2):
        assert threshold(table["when"], seen, position)[0].holds(table["when"]).sum() == position


# --- which items -----------------------------------------------------------------------------------------------------


def texts(items: Items, group: int = 1) -> list[str]:
    found, groups = items.relevant(min_support=0.05, min_lift=1.0)
    return [str(items.conditions[i]) for i in found[groups == group]]


def two_piece_table(**columns: tuple[Any, Any]) -> tuple[pd.DataFrame, Any]:
    """Build a table from (normal cells, outlier cells) per column."""
    frame = pd.DataFrame({name: list(normal) + list(odd) for name, (normal, odd) in columns.items()})
    n_odd = len(next(iter(columns.values()))[1])
    return frame, np.array([0] * (len(frame) - n_odd) + [1] * n_odd)


def test_a_group_in_the_middle_gets_an_interval() -> None:
    rng = np.random.default_rng(0)
    frame, y = two_piece_table(x=(rng.uniform(0, 100, 1000), rng.uniform(40, 42, 40)))
    assert any(re.fullmatch(r"(39|40)[.\d]* <= x <= (41|42)[.\d]*", text) for text in texts(every_condition(frame, y)))


def test_whole_numbers_of_few_values_are_compared_in_whole_numbers() -> None:
    frame, y = two_piece_table(children=([0, 1, 2] * 100, [3, 4, 5] * 10))
    assert "children >= 3" in texts(every_condition(frame, y))


def test_numbers_named_as_codes_are_compared_for_equality() -> None:
    frame, y = two_piece_table(site_id=([1, 2, 3, 7] * 50, [5] * 20))
    assert "site_id is 5" in texts(every_condition(frame, y))


def test_numbers_that_the_caller_calls_categories_are_compared_for_equality() -> None:
    frame, y = two_piece_table(grade=([1, 2, 3, 7] * 50, [5] * 20))
    [items] = find_items(as_table(frame), grouped(y), categorical=["grade"])
    assert {condition.op for condition in items.conditions} <= {"==", "!=", "in", "not in"}


def test_a_column_of_noughts_and_ones_is_said_to_be_one() -> None:
    frame, y = two_piece_table(flag=([0] * 90 + [1] * 10, [1] * 20))
    assert texts(every_condition(frame, y)) == ["flag is 1"]


def test_constant_columns_give_nothing() -> None:
    frame, y = two_piece_table(a=([1.5] * 50, [1.5] * 5), b=(["x"] * 50, ["x"] * 5), c=([None] * 50, [None] * 5))
    assert every_condition(frame, y).conditions == ()


def test_values_of_like_lift_are_joined_and_at_most_five_are_named() -> None:
    frame, y = two_piece_table(c=(list("abcdefghij") * 60, list("abc") * 20))
    items = every_condition(frame, y)
    assert "c is one of 'a', 'b', 'c'" in texts(items)
    assert all(len(c.value) <= 5 for c in items.conditions if c.op in ("in", "not in"))


def test_the_value_that_outliers_avoid_is_said() -> None:
    frame, y = two_piece_table(c=(["usual"] * 900 + list("abcde") * 20, list("abcde") * 8))
    assert "c is not 'usual'" in texts(every_condition(frame, y))


def test_rare_values_together_are_a_reason() -> None:
    frame, y = two_piece_table(host=(list("abcdefgh") * 100, [f"host-{i}" for i in range(40)]))
    assert "host is a rare value (none of the 8 common ones)" in texts(every_condition(frame, y))


def test_few_common_values_are_named_instead() -> None:
    frame, y = two_piece_table(host=(["www"] * 500 + ["mail"] * 400, [f"host-{i}" for i in range(40)]))
    assert "host is none of 'mail', 'www'" in texts(every_condition(frame, y))


def test_many_distinct_values_are_bounded_and_the_bound_is_said() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": rng.permutation(100_000).astype(str)})
    items = every_condition(frame, np.arange(100_000) < 500)
    assert len(items.conditions) < 400
    assert "100,000 distinct values" in items.notes[0]


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
    assert all(condition.part is None for condition in items.conditions)


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
    column = as_table(frame)["col"]
    for condition, counts in zip(items.conditions, items.counts, strict=True):
        assert condition.holds(column)[y].sum() == counts[1]


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


def test_an_unknown_categorical_column_is_an_error_that_lists_the_columns() -> None:
    with pytest.raises(ValueError, match=r"lacks the column 'nope'; it has 'x'"):
        list(find_items(as_table(pd.DataFrame({"x": [1, 2]})), grouped([0, 1]), categorical=["nope"]))


def test_conditions_compare_dates_of_another_time_zone() -> None:
    table = as_table(pd.DataFrame({"t": pd.to_datetime(["2024-01-01T00:00", "2024-01-02T00:00"], utc=True)}))
    condition = Condition("t", ">=", pd.Timestamp("2024-01-01T12:00", tz="Asia/Tokyo"))
    assert condition.holds(table["t"]).tolist() == [False, True]

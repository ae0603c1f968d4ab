"""Items of ordered columns: cuts move no row, and lie where a group parts from the normals."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tag_tables import COLUMNS, every_condition, grouped, texts, two_piece_table

from pyod_explain.input import as_table
from pyod_explain.tags import count_values
from pyod_explain.tags.ordered import between, threshold


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "uint64", "Int64", "datetime", "zoned", "timedelta"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_possible_cut_moves_no_row(kind: str, data: Any) -> None:
    _, values = data.draw(COLUMNS[kind])
    column = as_table(pd.DataFrame({"col": values}))["col"]
    assume(not column.missing.all())
    seen = count_values(column, grouped(np.zeros(len(column.missing), dtype=np.int64)))
    for position in range(1, seen.n_distinct):
        below, above = threshold(column, seen, position)
        assert below.holds(column).sum() == seen.normals_below[position]
        assert (above.holds(column) == ~below.holds(column) & ~column.missing).all()
        for stop in range(position + 1, min(position + 4, seen.n_distinct)):
            inside = between(column, seen, position, stop).holds(column).sum()
            assert inside == seen.normals_below[stop] - seen.normals_below[position]


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
    seen = count_values(table["when"], grouped([0, 0]))
    assert str(threshold(table["when"], seen, 1)[1]) == f"when >= {expected}"


def test_a_cut_in_the_hour_that_the_clocks_repeat_is_exact() -> None:
    stamps = pd.to_datetime(["2022-10-30T00:30", "2022-10-30T01:10", "2022-10-30T01:20"], utc=True)
    table = as_table(pd.DataFrame({"when": stamps.tz_convert("Europe/Berlin")}))
    seen = count_values(table["when"], grouped([0, 0, 0]))
    for position in (1, 2):
        assert threshold(table["when"], seen, position)[0].holds(table["when"]).sum() == position


def test_a_group_in_the_middle_gets_an_interval() -> None:
    rng = np.random.default_rng(0)
    frame, y = two_piece_table(x=(rng.uniform(0, 100, 1000), rng.uniform(40, 42, 40)))
    assert any(re.fullmatch(r"(39|40)[.\d]* <= x <= (41|42)[.\d]*", text) for text in texts(every_condition(frame, y)))


def test_whole_numbers_of_few_values_are_compared_in_whole_numbers() -> None:
    frame, y = two_piece_table(children=([0, 1, 2] * 100, [3, 4, 5] * 10))
    assert "children >= 3" in texts(every_condition(frame, y))


def test_a_column_of_noughts_and_ones_is_said_to_be_one() -> None:
    frame, y = two_piece_table(flag=([0] * 90 + [1] * 10, [1] * 20))
    assert texts(every_condition(frame, y)) == ["flag is 1"]


def sides(values: Any, position: int) -> list[str]:
    column = as_table(pd.DataFrame({"fee": values}))["fee"]
    seen = count_values(column, grouped(np.zeros(len(column.missing), dtype=np.int64)))
    return [str(one) for one in threshold(column, seen, position)]


SCATTERED = [round(20.37 + 1.13 * i, 2) for i in range(50)]


@pytest.mark.parametrize(
    ("values", "position", "expected"),
    [
        ([17] * 50 + [23, *SCATTERED], 1, ["fee is at most 17", "fee > 17"]),  # and not 20
        ([12.5] * 50 + SCATTERED, 1, ["fee <= 12.5", "fee > 12.5"]),  # and not 15 or 20
        ([81.25] * 50 + SCATTERED, 50, ["fee < 81.25", "fee >= 81.25"]),  # and not 80
        ([12.50680118739] * 50 + SCATTERED, 1, ["fee < 20", "fee >= 20"]),  # too long to be named
        ([10] * 3 + SCATTERED, 1, ["fee < 20", "fee >= 20"]),  # no more than some rows have it
        ([17, 23, 31, 47] * 20, 1, ["fee < 20", "fee >= 20"]),  # all values are alike
        ([-1.5, *[0.0] * 40, *SCATTERED], 2, ["fee is 0 or less", "fee > 0"]),
        (np.array([0.1] * 40 + SCATTERED, dtype=np.float32), 1, ["fee < 10", "fee >= 10"]),  # it is 0.10000000149
    ],
)
def test_a_cut_beside_a_value_that_stands_out_names_it(values: Any, position: int, expected: list[str]) -> None:
    assert sides(values, position) == expected


def test_an_interval_that_ends_at_a_value_that_stands_out_names_it() -> None:
    column = as_table(pd.DataFrame({"fee": [30.14] * 60 + [70.56] * 60 + SCATTERED}))["fee"]
    seen = count_values(column, grouped(np.zeros(len(column.missing), dtype=np.int64)))
    first, last = (int(np.searchsorted(seen.distinct, value)) for value in (30.14, 70.56))
    assert str(between(column, seen, first, last + 1)) == "30.14 <= fee <= 70.56"
    assert str(between(column, seen, first, first + 1)) == "fee is 30.14"


def test_a_cut_that_tells_nearly_as_much_is_made_beside_the_many_equal_values() -> None:
    """Two normals lie between 0 and the best cut; `fee > 0` tells nearly as much, and is what a person would say."""
    rng = np.random.default_rng(0)
    frame, y = two_piece_table(fee=([0.0] * 900 + [0.03, 0.06], rng.uniform(0.07, 5, 60).round(2)))
    assert "fee > 0" in texts(every_condition(frame, y))


def test_a_cut_that_tells_more_than_the_many_equal_values_stays() -> None:
    rng = np.random.default_rng(0)
    normal = np.concatenate([np.zeros(400), rng.uniform(0.01, 40, 400)])
    frame, y = two_piece_table(fee=(normal, rng.uniform(50, 60, 60)))
    assert texts(every_condition(frame, y)) == ["fee >= 50"]

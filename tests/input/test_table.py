"""What a column says of its cells, what it remembers, and samples that do not depend on where rows stand."""

import decimal
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from exactly import column
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.input import as_table, sample_rows, table


def test_cells_come_back_as_the_user_knows_them():
    berlin = pd.Timestamp("2024-07-01 12:00", tz="Europe/Berlin")
    stamps = pl.Series([berlin.tz_convert("UTC").to_pydatetime()]).dt.convert_time_zone("Europe/Berlin")
    for one in (column([berlin]), as_table(pl.DataFrame({"c": stamps}))["c"]):
        assert (one.cell(0), one.timezone) == (berlin, "Europe/Berlin")
        assert one.stamp(berlin.value) == berlin
        assert str(one.stamp(berlin.value).tz) == "Europe/Berlin"
    assert column([pd.Timedelta("1h")]).cell(0) == pd.Timedelta("1h")
    assert column(["a", None], object).cell(1) is None
    assert type(column(np.array([3], dtype=np.int8)).cell(0)) is int


@pytest.mark.parametrize(
    ("values", "dtype", "floats"),
    [
        ([1, None], "Int64", [1.0, math.nan]), ([decimal.Decimal("0.5"), None], object, [0.5, math.nan]),
        ([2**70, 1], object, [2.0**70, 1.0]), ([pd.Timestamp(7), pd.NaT], None, [7.0, math.nan]),
        ([pd.Timedelta(7), pd.NaT], None, [7.0, math.nan]), (["b", "a", None], object, [1.0, 0.0, math.nan]),
        ([True, None], "boolean", [1.0, math.nan]),
    ],
)  # fmt: skip
def test_every_cell_has_a_place_on_a_line(values, dtype, floats):
    found = column(values, dtype)
    np.testing.assert_array_equal(found.floats(), floats)
    found.floats()[:] = 0.0  # they are the caller's own
    np.testing.assert_array_equal(found.floats(), floats)


def test_a_gap_is_filled_by_the_median():
    assert column([1.0, None, 2.0, 9.0]).filled_floats().tolist() == [1, 2, 2, 9]
    assert column([None, None], object).filled_floats().tolist() == [0, 0]


def test_a_condition_is_evaluated_once_as_long_as_its_answer_is_kept(monkeypatch):
    monkeypatch.setattr(table, "CONDITION_CACHE_BYTES", 0)
    numbers, asked = column(range(10)), []

    def ask(value):
        answer = numbers.ask(value, lambda: asked.append(value) or numbers.values == value)
        assert answer.tolist() == [one == value for one in range(10)]

    for value in (3, 4, 3):
        ask(value)
    assert asked == [3, 4]
    for value in range(100, 100 + table.MIN_CACHED_CONDITIONS):
        ask(value)
        ask(3)  # what is used stays
    assert asked.count(3) == 1
    ask(4)
    assert asked.count(4) == 2
    assert pickle.loads(pickle.dumps(numbers)).ask(3, lambda: np.zeros(10, dtype=bool)).sum() == 0


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab")), min_size=1, max_size=30),
    st.integers(1, 12),
    st.randoms(use_true_random=False),
)
def test_the_same_rows_are_drawn_in_whatever_order_they_stand(cells, most, random):
    frame = pd.DataFrame(cells, columns=["number", "letter"])
    order = list(range(len(frame)))
    random.shuffle(order)
    drawn = []
    for X in (frame, frame.iloc[order].reset_index(drop=True)):
        rows = sample_rows(as_table(X), np.arange(len(X)), most, 0)
        assert len(set(rows.tolist())) == len(rows) == min(most, len(X))
        assert rows.tolist() == sorted(rows.tolist())
        drawn.append(sorted(map(tuple, X.iloc[rows].to_numpy().tolist())))
    assert drawn[0] == drawn[1]


def test_only_the_rows_asked_for_are_drawn_and_another_seed_draws_others():
    rows = np.arange(500, 1000)
    first, second = (sample_rows(as_table(np.arange(1000.0)[:, None]), rows, 50, seed) for seed in (0, 1))
    assert set(first.tolist()) <= set(rows.tolist())
    assert first.tolist() != second.tolist()

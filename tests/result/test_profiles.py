"""Percent points of columns, and numbers as text."""

import datetime as dt
import decimal
import fractions
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import explain
from pyod_explain.input import as_table
from pyod_explain.result import Points, has_days_alone, number, percent, points_of, short_value

whole = st.one_of(st.integers(-1000, 1000), st.integers(-(2**62), 2**62), st.integers(-(2**80), 2**80))
decimals = st.decimals(-(10**6), 10**6, places=3)


def points(cells, dtype=None, copies=None) -> Points:
    column = as_table(pd.DataFrame({"x": pd.Series(cells, dtype=dtype)})).columns["x"]
    found = points_of(column, copies, days=has_days_alone(column))
    assert found is not None
    return found


@given(st.one_of(st.lists(whole, min_size=1, max_size=9), st.lists(decimals, min_size=1, max_size=9)))
def test_the_median_is_exact_whatever_the_numbers(cells):
    found = points(cells, object)
    exact = statistics.median(map(fractions.Fraction, cells))
    assert fractions.Fraction(found.quantiles[2]) == exact
    assert list(found.quantiles) == sorted(found.quantiles)
    assert found.cell in cells
    assert found.cell <= found.quantiles[2]


@given(st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=9), st.data())
def test_the_median_of_doubles_is_that_of_numpy_also_of_repeated_ones(cells, data):
    copies = data.draw(st.lists(st.integers(1, 3), min_size=len(cells), max_size=len(cells)))
    middle = float(np.median(np.repeat(cells, copies) / 4)) * 4  # so that no sum overflows
    assert points(cells, float, np.array(copies)).quantiles[2] == pytest.approx(middle, rel=1e-15, abs=1e-300)


def test_the_median_of_times_and_durations_lies_halfway_and_that_of_dates_is_a_day():
    clock = [pd.Timestamp("2024-05-01 07:00"), pd.Timestamp("2024-05-01 08:01")]
    assert points(clock).quantiles[2] == pd.Timestamp("2024-05-01 07:30:30") == pd.Series(clock).median()
    assert points([pd.Timedelta("1h"), pd.Timedelta("2h")]).quantiles[2] == pd.Timedelta("90min")
    zoned = [one.tz_localize("Europe/Paris") for one in clock]
    assert points(zoned).quantiles[2] == pd.Timestamp("2024-05-01 07:30:30", tz="Europe/Paris")
    days = [dt.date(2024, 5, 1), dt.date(2024, 5, 2)]
    assert points(days).quantiles[2] == pd.Timestamp("2024-05-01")  # no "12:00" where there are days alone
    assert points([dt.date(2024, 5, 1), dt.date(2024, 5, 4)]).quantiles[2] == pd.Timestamp("2024-05-02")


def test_the_other_points_and_what_a_cell_may_become_are_values_that_occur():
    found = points([1, 2, 4, 8])
    assert found == Points((1, 2, 3, 4, 8), 2)
    assert points([decimal.Decimal("0.1"), decimal.Decimal("0.2")]).quantiles[2] == decimal.Decimal("0.15")
    X = pd.DataFrame({"x": [*range(50), 900, 951]})
    e = explain([0] * 50 + [1] * 2, X)
    assert e.groups[0].profiles[0].normals == (2, 12, 24.5, 37, 47)
    assert all(isinstance(one, int) for one in e.summary.facts("x").candidates)
    assert all(one in range(50) for one in e.summary.facts("x").candidates)


def test_every_view_prints_the_median_that_pandas_prints():
    X = pd.DataFrame({"amount": [*range(1100, 1150), 1850, 2000, 2181, 2990], "kind": ["web"] * 54})
    y = np.repeat([0, 1], [50, 4])
    e = explain(y, X)
    own, usual = (f"{X['amount'][y == k].median():,.1f}" for k in (1, 0))
    assert (own, usual) == ("2,090.5", "1,124.5")
    assert f"median {own} in the group, normally {usual}." in e.headline
    assert f"median {own} in the group, normally {usual}." in e.to_markdown()
    assert f"median {own}, normally {usual}" in e.to_html()
    assert f"median {own} in the group, {usual} among normal rows" in e.to_html()


def test_numbers_are_written_for_people():
    assert percent(1) == "100%"
    assert percent(3.5) == "350%"
    assert percent(0.995) == "99.5%"
    assert number(-np.inf) == "minus infinite"
    assert number(123456.7) == "123,457"
    assert short_value(12345.678) == "12,346"
    assert short_value(1e20) == "1e+20"
    assert short_value(pd.Timestamp("2024-01-02")) == "2024-01-02"
    assert short_value(pd.Timedelta("1 day")) == "1 days 00:00:00"

"""Percent points of columns, and numbers as text."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import Condition, Tag, explain
from pyod_explain.result import number, percent, short_value


def quantiles(cells):
    """The percent points of normal rows that have these cells."""
    X = pd.DataFrame({"x": [*cells, None]})
    e = explain_by([[Tag.of(Condition("x", "missing"))]], X, [0] * len(cells) + [1])
    return e.groups[0].profiles[0].normals


@given(st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=9))
def test_the_median_of_doubles_is_that_of_numpy(cells):
    middle = float(np.median(np.array(cells) / 4)) * 4  # so that no sum overflows
    found = quantiles(cells)
    assert found[2] == pytest.approx(middle, rel=1e-15, abs=1e-300)
    assert list(found) == sorted(found)
    assert {found[i] for i in (0, 1, 3, 4)} <= set(cells)


def test_the_median_of_times_and_durations_lies_halfway_and_that_of_dates_is_a_day():
    clock = [pd.Timestamp("2024-05-01 07:00"), pd.Timestamp("2024-05-01 08:01")]
    assert quantiles(clock)[2] == pd.Timestamp("2024-05-01 07:30:30") == pd.Series(clock).median()
    assert quantiles([pd.Timedelta("1h"), pd.Timedelta("2h")])[2] == pd.Timedelta("90min")
    zoned = [one.tz_localize("Europe/Paris") for one in clock]
    assert quantiles(zoned)[2] == pd.Timestamp("2024-05-01 07:30:30", tz="Europe/Paris")
    assert quantiles([dt.date(2024, 5, 1), dt.date(2024, 5, 2)])[2] == pd.Timestamp("2024-05-01")


def test_percent_points_of_whole_and_exact_numbers_and_of_rows_that_stand_for_many():
    assert quantiles([decimal.Decimal("0.1"), decimal.Decimal("0.2")])[2] == decimal.Decimal("0.15")
    X = pd.DataFrame({"x": [*range(50), 900, 951]})
    e = explain([0] * 50 + [1] * 2, X)
    assert e.groups[0].profiles[0].normals == (2, 12, 24.5, 37, 47)
    assert all(isinstance(one, int) and one in range(50) for one in e.summary.facts("x").candidates)
    many = explain([0] * 50 + [1] * 2, X, counts=np.where(X["x"] < 10, 5, 1))
    repeated = X.loc[np.repeat(X.index, np.where(X["x"] < 10, 5, 1))]["x"]
    assert many.groups[0].profiles[0].normals[2] == repeated[repeated < 50].median()


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

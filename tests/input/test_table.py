"""What a column says of its cells."""

from __future__ import annotations

import decimal
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pyod_explain.input import as_table


def column(values, dtype=None):
    return as_table(pd.DataFrame({"c": pd.Series(values, dtype=dtype)}))["c"]


def test_cells_come_back_as_the_user_knows_them():
    berlin = pd.Timestamp("2024-07-01 12:00", tz="Europe/Berlin")
    assert column([berlin]).cell(0) == berlin
    assert str(column([berlin]).cell(0).tz) == "Europe/Berlin"
    assert column([pd.Timedelta("1h")]).cell(0) == pd.Timedelta("1h")
    assert column(["a", None], object).cell(1) is None
    stamps = pl.Series([berlin.tz_convert("UTC").to_pydatetime()]).dt.convert_time_zone("Europe/Berlin")
    aware = as_table(pl.DataFrame({"c": stamps}))["c"]
    assert (aware.cell(0), aware.timezone) == (berlin, "Europe/Berlin")
    assert type(column(np.array([3], dtype=np.int8)).cell(0)) is int


@pytest.mark.parametrize(
    ("values", "dtype", "floats"),
    [
        ([1, 2], "int8", [1.0, 2.0]),
        ([1, None], "Int64", [1.0, math.nan]),
        ([decimal.Decimal("0.5"), None], object, [0.5, math.nan]),
        ([2**70, 1], object, [2.0**70, 1.0]),
        ([pd.Timestamp(7), pd.NaT], None, [7.0, math.nan]),
        ([pd.Timedelta(7), pd.NaT], None, [7.0, math.nan]),
        (["b", "a", None], object, [1.0, 0.0, math.nan]),
        ([True, None], "boolean", [1.0, math.nan]),
    ],
)
def test_every_cell_has_a_place_on_a_line(values, dtype, floats):
    found = column(values, dtype)
    np.testing.assert_array_equal(found.floats(), floats)
    found.floats()[:] = 0.0  # they are the caller's own
    np.testing.assert_array_equal(found.floats(), floats)


def test_a_gap_is_filled_by_the_median():
    assert column([1.0, None, 2.0, 9.0]).filled_floats().tolist() == [1, 2, 2, 9]
    assert column([None, None], object).filled_floats().tolist() == [0, 0]


def test_a_moment_stands_on_the_clock_of_its_column():
    noon = pd.Timestamp("2024-07-01 12:00", tz="Europe/Berlin")
    assert column([noon]).stamp(noon.value) == noon
    assert str(column([noon]).stamp(noon.value).tz) == "Europe/Berlin"
    assert column([noon.tz_localize(None)]).stamp(0) == pd.Timestamp(0)

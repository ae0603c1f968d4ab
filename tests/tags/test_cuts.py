"""Cut points are as short as a person would write them."""

import decimal
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tag_tables import floats

from pyod_explain.input import Column, as_table
from pyod_explain.tags import cuts

any_floats = st.floats(allow_nan=False, allow_infinity=False)  # subnormal and huge ones too


@given(low=st.one_of(floats, any_floats), high=st.one_of(floats, any_floats), near=st.booleans())
def test_no_shorter_decimal_lies_between(low: float, high: float, near: bool) -> None:
    high = math.nextafter(low, math.inf) if near else high
    assume(low < high < math.inf)
    t = cuts.simplest(low, high)
    assert low < t <= high
    used = cuts.n_digits(t)
    assert used <= cuts.n_digits(high)
    for n in range(1, used):  # rounding an end to fewer digits must leave the interval
        for end in (low, high):
            for way in (decimal.ROUND_FLOOR, decimal.ROUND_CEILING):
                with decimal.localcontext(prec=n, rounding=way):
                    shorter = float(+decimal.Decimal(end))
                assert not low < shorter <= high or cuts.n_digits(shorter) >= used


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@given(data=st.data())
def test_short_floats_are_parted_as_they_are_and_as_they_are_printed(
    kind: type[np.floating], data: st.DataObject
) -> None:
    width = np.dtype(kind).itemsize * 8
    several = st.floats(width=width, allow_nan=False, allow_infinity=False) | st.decimals(-999, 999, places=2).map(
        float
    )
    low, high = sorted(kind(data.draw(several)) for _ in range(2))
    assume(low < high)
    for t in (cuts.simplest(low, high), -cuts.simplest(-high, -low)):
        assert float(low) <= t <= float(high)
        assert decimal.Decimal(str(low)) <= decimal.Decimal(repr(t)) <= decimal.Decimal(str(high)) or t in (low, high)
    assert float(low) < cuts.simplest(low, high)
    assert -cuts.simplest(-high, -low) < float(high)


@given(data=st.data())
@pytest.mark.parametrize("values", [st.integers(-(10**30), 10**30), st.decimals(-(10**9), 10**9, allow_nan=False)])
def test_whole_numbers_and_decimals_are_separated_exactly(values: st.SearchStrategy, data: st.DataObject) -> None:
    low, high = sorted(data.draw(st.lists(values, min_size=2, max_size=2, unique=True)))
    t = cuts.simplest(low, high)
    assert type(t) is type(high)
    assert low < t <= high
    assert cuts.n_digits(t) <= cuts.n_digits(high) or t == 0


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (17.38, 23.1, 20), (0.1234, 0.1239, 0.1235), (18.89, 18.9, 18.9), (1.1, 1.2, 1.2),
        (1e23, 1.0000000000000001e23, 1.0000000000000001e23), (99, 101, 100), (-0.5, 3.0, 0), (-23.1, -17.38, -20),
        (2, 3, 3), (2**53, 2**53 + 1, 2**53 + 1), (1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 2.0)),
    ],
)  # fmt: skip
def test_cut_points_are_what_a_person_would_write(low: float, high: float, expected: float) -> None:
    assert cuts.simplest(low, high) == expected


ZONES = [None, "UTC", "Europe/Berlin", "America/Havana", "Asia/Kolkata"]  # Havana's clock changes at midnight
CHANGES = [
    pd.Timestamp(day).value for day in ("2024-03-10 05:00", "2024-03-31 01:00", "2024-10-27 01:00", "2024-11-03 05:00")
]
moments = st.one_of(
    st.integers(pd.Timestamp("1678").value, pd.Timestamp("2262").value),
    st.builds(int.__add__, st.sampled_from(CHANGES), st.integers(-2 * 3600 * 10**9, 2 * 3600 * 10**9)),
)


def times(zone: str | None, *nanoseconds: int) -> Column:
    stamps = pd.to_datetime(list(nanoseconds), unit="ns")
    return as_table(pd.DataFrame({"at": stamps if zone is None else stamps.tz_localize("UTC").tz_convert(zone)}))["at"]


def parted(column: Column, low: int, high: int) -> bool:
    at_most, at_least = cuts.at_most(column, low, high).value, cuts.at_least(column, low, high).value
    return low <= at_most < high and low < at_least <= high


@given(zone=st.sampled_from(ZONES), ends=st.lists(moments, min_size=2, max_size=2, unique=True).map(sorted))
def test_cut_points_of_moments_part_them(zone: str | None, ends: list[int]) -> None:
    assert parted(times(zone, *ends), *ends)


@given(ends=st.lists(st.integers(-(2**62), 2**62), min_size=2, max_size=2, unique=True).map(sorted))
def test_cut_points_of_durations_part_them(ends: list[int]) -> None:
    assert parted(as_table(pd.DataFrame({"took": pd.to_timedelta(ends, unit="ns")}))["took"], *ends)


@pytest.mark.parametrize(
    ("zone", "low", "high", "expected"),
    [
        (None, "2024-05-29 21:46:43.436560414", "2024-05-30 10:00", "2024-05-30"),
        (None, "2024-05-29 21:46:43.436560414", "2024-05-29 21:50", "2024-05-29 21:49"),
        ("Europe/Berlin", "2024-05-29 20:46:43.4", "2024-05-30 10:00", "2024-05-29 22:00"),  # midnight in Berlin
        # an hour that comes twice
        ("Europe/Berlin", "2024-10-27 00:10:01.5", "2024-10-27 00:50:01.5", "2024-10-27 00:50"),
    ],
)
def test_the_last_moment_is_what_a_person_would_write(zone: str | None, low: str, high: str, expected: str) -> None:
    value, following = pd.Timestamp(low).value, pd.Timestamp(high).value
    assert cuts.at_most(times(zone, value, following), value, following).value == pd.Timestamp(expected).value


@pytest.mark.parametrize("zone", ZONES)
def test_the_first_dates_have_cut_points_too(zone: str | None) -> None:
    low, high = (pd.Timestamp(day).value for day in ("1677-09-23 07:00", "1677-12-01 07:00"))
    assert parted(times(zone, low, high), low, high)

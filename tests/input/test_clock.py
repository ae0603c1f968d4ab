"""Moments in UTC and on the clock of a zone."""

import pandas as pd
import pytest

from pyod_explain.input import from_utc, to_utc, zone_name

MOMENTS = pd.date_range("2024-03-30", periods=60, freq="h", tz="UTC")  # the clocks of Berlin change in between


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Asia/Kolkata"])
def test_there_and_back_is_the_same_moment(zone):
    for moment in MOMENTS.tz_convert(zone):
        assert from_utc(to_utc(moment), zone) == moment
        assert from_utc(to_utc(moment), zone).isoformat() == moment.isoformat()
        assert to_utc(moment).tzinfo is None


def test_many_moments_are_each_as_one():
    together = from_utc(MOMENTS.tz_localize(None), "Europe/Berlin")
    assert list(together) == [from_utc(to_utc(moment), "Europe/Berlin") for moment in MOMENTS]


def test_a_moment_without_a_zone_stays_as_it_is():
    moment = pd.Timestamp("2024-07-01 12:00:00.000000001")
    assert to_utc(moment) == moment == from_utc(moment, None)


def test_a_zone_that_nothing_finds_by_its_name_is_written_in_utc():
    assert [zone_name(zone) for zone in ("Europe/Berlin", "UTC", "Atlantis/Port")] == ["Europe/Berlin", "UTC", "UTC"]

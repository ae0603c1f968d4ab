"""Columns of times: moments and durations in nanoseconds, which 64 bits must hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, IntArray
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.table import Column
from pyod_explain.input.values import NAT, UNITS, bad_column, zone_name


def read_datetimes(name: str, series: pd.Series[Any], missing: BoolArray, argument: str) -> Column:
    """Read moments, of pandas' own types or as Python objects that all have a zone or all have none."""
    try:
        stamps = _stamps(series, missing) if series.dtype == object else series
    except pd.errors.OutOfBoundsDatetime:  # pandas before 3; later ones answer with a coarser unit
        raise _out_of_range(name, argument) from None
    zone = getattr(stamps.dt, "tz", None)
    if zone is not None:
        stamps = stamps.dt.tz_convert("UTC").dt.tz_localize(None)
    counts = stamps.to_numpy(dtype=f"datetime64[{stamps.dt.unit}]").view(np.int64)
    values = _nanoseconds(counts, stamps.dt.unit, "datetime64", missing)
    if values is None or (zone is not None and _leave_the_clock(values[~missing])):
        raise _out_of_range(name, argument)
    return Column(name, "datetime", values, missing, (), zone and zone_name(zone))


def _leave_the_clock(values: NDArray[np.datetime64]) -> bool:
    """Tell whether moments are so near to the first or last that can be counted that a clock may not show them."""
    counts, most = values.view(np.int64), np.iinfo(np.int64).max - 86_400 * 10**9
    return bool((np.abs(counts) > most).any())


def have_zone(cells: pd.Series[Any]) -> set[bool]:
    """Tell whether moments have a time zone; {False, True} if some do: these do not compare with the others."""
    return {getattr(cell, "tzinfo", None) is not None for cell in cells}


def _stamps(series: pd.Series[Any], missing: BoolArray) -> pd.Series[Any]:
    """Give objects as pandas' own type: in their zone if it is one, else in UTC."""
    present = series[~missing]
    stamps = pd.to_datetime(series, utc=have_zone(present) == {True})
    zones = {str(getattr(cell, "tzinfo", None)): getattr(cell, "tzinfo", None) for cell in present}
    if len(zones) == 1 and None not in zones.values():
        stamps = stamps.dt.tz_convert(zones.popitem()[1])
    return stamps


def read_durations(name: str, series: pd.Series[Any], missing: BoolArray, argument: str) -> Column:
    """Read durations, of pandas' own types or as Python objects."""
    try:
        steps = pd.to_timedelta(series) if series.dtype == object else series
    except pd.errors.OutOfBoundsTimedelta:  # pandas before 3; later ones answer with a coarser unit
        raise _too_long(name, argument) from None
    counts = steps.to_numpy(dtype=f"timedelta64[{steps.dt.unit}]").view(np.int64)
    values = _nanoseconds(counts, steps.dt.unit, "timedelta64", missing)
    if values is None:
        raise _too_long(name, argument)
    return Column(name, "timedelta", values, missing)


def _nanoseconds(counts: IntArray, unit: str, dtype: str, missing: BoolArray) -> NDArray[Any] | None:
    """Count in nanoseconds; None if 64 bits are too few, where numpy would wrap around without a word."""
    most = np.iinfo(np.int64).max // UNITS[unit]
    present = counts[~missing]
    if not ((present >= -most) & (present <= most)).all():
        return None
    return np.where(missing, NAT, np.where(missing, 0, counts) * UNITS[unit]).view(f"{dtype}[ns]")


def _too_long(name: str, argument: str) -> PyodExplainError:
    return bad_column(name, argument, "must have durations of less than 292 years, got a longer one", "use numbers")


def _out_of_range(name: str, argument: str) -> PyodExplainError:
    hint = "make dates that stand for 'never' missing, or pass the year as a number"
    return bad_column(name, argument, "must have dates between the years 1678 and 2262, got others", hint)

"""Moments of time: in UTC, as columns keep them, and on the clock of a zone, as the user knows them."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import pandas as pd

__all__ = ["NAT", "UNITS", "from_utc", "to_utc", "zone_name"]

NAT = np.iinfo(np.int64).min  # how numpy writes a missing time
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}  # in nanoseconds
Stamps = TypeVar("Stamps", pd.Timestamp, pd.DatetimeIndex)


def to_utc(stamp: pd.Timestamp) -> pd.Timestamp:
    """Give a moment in UTC, its zone left off; one without a zone stays as it is.

    >>> to_utc(pd.Timestamp("2024-07-01 12:00", tz="Europe/Berlin"))
    Timestamp('2024-07-01 10:00:00')
    """
    return stamp if stamp.tzinfo is None else stamp.tz_convert("UTC").tz_localize(None)


def from_utc(stamps: Stamps, zone: str | None) -> Stamps:
    """Give moments in UTC on the clock of a zone; None: as they are.

    >>> from_utc(pd.Timestamp("2024-07-01 10:00"), "Europe/Berlin")
    Timestamp('2024-07-01 12:00:00+0200', tz='Europe/Berlin')
    """
    return stamps if zone is None else stamps.tz_localize("UTC").tz_convert(zone)


def zone_name(zone: Any) -> str:
    """Give the name by which pandas finds the zone again; one without such a name is written in UTC."""
    try:
        pd.Timestamp("2000-01-01", tz=str(zone))
    except (KeyError, ValueError):  # what the libraries of time zones raise for names that they do not know
        return "UTC"
    return str(zone)

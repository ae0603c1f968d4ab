"""Time zones by their names: written so that they are found again, and never taken for paths of files."""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo

import pandas as pd

__all__ = ["read_zone", "write_zone"]


def write_zone(moment: dt.datetime) -> str | None:
    """Give the name of a time's zone; where nothing finds it again by its name, its distance from UTC."""
    if moment.tzinfo is None:
        return None
    offset = moment.utcoffset()
    try:
        known = moment.astimezone(read_zone(str(moment.tzinfo))).utcoffset() == offset
    except (ValueError, TypeError, ArithmeticError, LookupError, NotImplementedError, OSError):
        known = False
    return str(moment.tzinfo) if known else str(dt.timezone(offset or dt.timedelta(0)))


def read_zone(name: str) -> dt.tzinfo:
    """Find a time zone by its name in the system's list, or by its distance from UTC: `UTC+05:30`.

    Never by pandas, which takes some names for paths of files.
    """
    if name == "UTC":
        return dt.UTC
    if name == "tzlocal()":  # as dateutil calls the zone of this machine
        return pd.Timestamp("2000-01-01", tz="tzlocal()").tzinfo or dt.UTC
    found = re.fullmatch(r"UTC([+-])(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{6}))?)?", name)
    if found is None:
        return zoneinfo.ZoneInfo(name)
    hours, minutes, seconds, micro = (int(part or 0) for part in found.groups()[1:])
    offset = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=micro)
    return dt.timezone(-offset if found[1] == "-" else offset)

"""Units and zones of time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

__all__ = ["NAT", "UNITS", "zone_name"]

NAT = np.iinfo(np.int64).min  # how numpy writes a missing time
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}  # in nanoseconds


def zone_name(zone: Any) -> str:
    """Give the name by which pandas finds the zone again; one without such a name is written in UTC."""
    try:
        pd.Timestamp("2000-01-01", tz=str(zone))
    except (KeyError, ValueError):  # what the libraries of time zones raise for names that they do not know
        return "UTC"
    return str(zone)

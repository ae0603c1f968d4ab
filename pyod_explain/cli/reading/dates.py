"""Columns of ISO dates in a table that was read from text."""

from __future__ import annotations

from typing import Any

import pandas as pd

__all__ = ["read_dates"]

ISO_DATE = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
ZONE = r":\d{2}(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})$"
LOOKED_AT = 100  # values that rule most columns of text out


def read_dates(series: pd.Series[Any]) -> pd.Series[Any]:
    """Read a column of ISO dates; any other stays as it is.

    So do dates of which only some have a zone, and those that do not exist. Zones that differ become UTC.

    Parameters
    ----------
    series : the column.
    """
    if not pd.api.types.is_string_dtype(series) or not _all_dates(series.iloc[:LOOKED_AT].dropna()):
        return series
    present = series.dropna()
    if not len(present) or not _all_dates(present):
        return series
    zones = set(present.str.extract(ZONE, expand=False).fillna("").unique())
    if len(zones) > 1 and "" in zones:
        return series
    try:
        return pd.to_datetime(series, format="ISO8601", utc=len(zones) > 1)
    except ValueError:
        return series


def _all_dates(present: pd.Series[Any]) -> bool:
    return not len(present) or bool(present.astype(str).str.fullmatch(ISO_DATE).all())

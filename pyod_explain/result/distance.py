"""How far apart two values of a column are, so that columns can be weighed against each other."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pyod_explain.input import Number
from pyod_explain.result.summary import ColumnFacts

__all__ = ["distance", "place"]


def distance(old: Any, new: Any, facts: ColumnFacts) -> float:
    """Difference of two values in typical differences of the column; 1 for anything unordered."""
    if old is None or new is None:
        return 1.0
    if facts.kind == "number":
        return abs(float(new) - float(old)) / facts.scale
    if facts.kind in ("datetime", "timedelta"):
        # Of nanoseconds as whole numbers: a difference of 300 years is no Timedelta.
        return abs(float(_stamp(new, facts).value - _stamp(old, facts).value)) / facts.scale
    return 1.0


def place(value: Any, facts: ColumnFacts) -> float:
    """Where a value of an ordered column stands, as a float: as it is, or in nanoseconds; NaN for what is no number."""
    if facts.kind == "number":
        return float(value) if isinstance(value, Number) else float("nan")
    return float(_stamp(value, facts).value)


def _stamp(value: Any, facts: ColumnFacts) -> Any:
    if facts.kind == "timedelta":
        return pd.Timedelta(value)
    stamp = pd.Timestamp(value)
    if facts.timezone is not None and stamp.tzinfo is None:
        return stamp.tz_localize(facts.timezone)
    return stamp

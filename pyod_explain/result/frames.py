"""Figures of an explanation as frames: the metrics of each group, and how the number of groups was chosen."""

from __future__ import annotations

import pandas as pd

from pyod_explain.metrics import METRICS
from pyod_explain.result.summary import Summary

__all__ = ["group_curve_frame", "metrics_frame"]

CURVE = ("groups", "mdl", "split", "net", "bits")


def metrics_frame(s: Summary) -> pd.DataFrame:
    """Give a row per group; `.attrs` has `mdl` and `mdl_empty` of all groups together."""
    frame = pd.DataFrame([dict(group.metrics) for group in s.groups], columns=list(METRICS))
    frame.index = pd.RangeIndex(1, len(s.groups) + 1, name="group")
    frame.attrs.update(mdl=s.mdl, mdl_empty=s.mdl_empty)
    return frame


def group_curve_frame(s: Summary) -> pd.DataFrame | None:
    """Give a row for each number of groups that was tried; None where there was nothing to choose."""
    if not s.group_curve:
        return None
    known = CURVE[: len(s.group_curve[0])]  # files of version 0.1.0 lack the last
    return pd.DataFrame(s.group_curve, columns=list(known)).set_index("groups")

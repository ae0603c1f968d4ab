"""The rules as a tidy frame: a row a rule."""

from __future__ import annotations

import pandas as pd

from pyod_explain._frame import frame_of
from pyod_explain.result import Summary

__all__ = ["to_frame"]


def to_frame(s: Summary) -> pd.DataFrame:
    """Return a row per rule with its counts and figures; held-out figures where there are any."""
    columns = ["group", "rule", "length", "outliers", "added", "normals", "others"]
    columns += ["precision", "recall", "lift", "p_value"]
    rows = [
        (
            rule.group,
            rule.text,
            len(rule.tag),
            rule.n_outliers,
            rule.n_added,
            rule.n_normals,
            rule.n_others,
            s.precision_of(rule),
            rule.recall,
            rule.lift,
            rule.p_value,
        )
        for rule in s.rules
    ]
    frame = frame_of(rows, columns).astype({"added": "Int64"})  # which files of version 0.1.0 lack
    if s.validation is not None:
        held = s.validation.rules
        frame["holdout_found"] = [one.found for one in held]
        frame["holdout_outliers"] = [one.n_outliers for one in held]
        frame["holdout_normals"] = [one.n_normals for one in held]
        frame["holdout_others"] = [one.n_others for one in held]
        # A rule that was not found again was never judged: no figure is not the figure 0.
        frame["holdout_precision"] = [s.precision_of(one) if one.found else float("nan") for one in held]
        frame["holdout_recall"] = [one.recall if one.found else float("nan") for one in held]
    return frame

"""How the number of groups was chosen, as a frame."""

from __future__ import annotations

import pandas as pd

from pyod_explain.result.summary import Summary

__all__ = ["group_curve_frame"]

CURVE = ("groups", "mdl", "split", "net", "bits")


def group_curve_frame(s: Summary) -> pd.DataFrame | None:
    """Give a row for each number of groups that was tried; None where there was nothing to choose."""
    if not s.group_curve:
        return None
    known = CURVE[: len(s.group_curve[0])]  # files of version 0.1.0 lack the last
    return pd.DataFrame(s.group_curve, columns=list(known)).set_index("groups")

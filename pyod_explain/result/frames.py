"""How the number of groups was chosen, as a frame."""

from __future__ import annotations

import pandas as pd

from pyod_explain.result.summary import Summary

__all__ = ["group_curve_frame"]

CURVES = {2: ("groups", "bits"), 4: ("groups", "mdl", "split", "net"), 5: ("groups", "mdl", "split", "net", "bits")}


def group_curve_frame(s: Summary) -> pd.DataFrame | None:
    """Give a row for each number of groups that was tried; None where there was nothing to choose."""
    if not s.group_curve:
        return None
    names = CURVES[len(s.group_curve[0])]  # files of earlier versions have more
    return pd.DataFrame(s.group_curve, columns=list(names)).set_index("groups")

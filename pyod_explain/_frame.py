"""Frames of whatever texts there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

__all__ = ["frame_of"]


def frame_of(rows: Sequence[Any], columns: Sequence[str]) -> pd.DataFrame:
    """Make a frame of rows; of Python objects where Arrow, in which pandas keeps texts, cannot keep one."""
    try:
        return pd.DataFrame(rows, columns=list(columns))
    except UnicodeEncodeError:  # half of a character
        return pd.DataFrame(rows, columns=list(columns), dtype=object)

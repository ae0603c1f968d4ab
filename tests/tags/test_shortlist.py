"""The shortlist of a group: the tightest of nested thresholds, and room for other columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from tag_tables import every_condition

from pyod_explain.tags import Shortlist


def shortlist(frame: pd.DataFrame, numbers: Any, most: int) -> tuple[list[str], Any]:
    found = Shortlist(n_groups=1, most=most, min_support=0.05, min_lift=1.0)
    found.add(every_condition(frame, numbers))
    conditions, worth = found.best(1)
    return [str(condition) for condition in conditions], worth


def test_of_thresholds_with_the_same_members_the_tightest_is_kept() -> None:
    frame = pd.DataFrame({"x": [*range(10), 14, 15]})
    conditions, _ = shortlist(frame, [0] * 10 + [1, 1], most=40)
    assert [text for text in conditions if ">" in text] == ["x >= 10", "x >= 15"]  # 1, ..., 9 reach the same two


def test_near_copies_of_one_threshold_leave_room_for_other_columns() -> None:
    rng = np.random.default_rng(0)
    numbers = np.arange(400) < 40
    frame = pd.DataFrame({"strong": rng.normal(size=400) + 3 * numbers, "weak": rng.normal(size=400) + numbers})
    conditions, worth = shortlist(frame, numbers.astype(int), most=4)
    assert len(conditions) == len(worth) == 4
    assert any("weak" in text for text in conditions)
    assert any("strong" in text for text in conditions)

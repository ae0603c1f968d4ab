"""`Origin`: where an explanation comes from: which rows of the table, and of which fit of the detector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Outliers, fingerprint, read_detector

__all__ = ["STALE", "Origin"]

STALE = "This explanation is of an earlier fit: the detector marks other rows now. Explain it again."


@dataclass(frozen=True, eq=False)
class Origin:
    """Where an explanation comes from.

    Attributes
    ----------
    positions : of the outliers in the table that was explained, group after group.
    scores : how strange each of them is, or None.
    percentiles : for each of them the percentage of all rows that score no higher, or None.
    fingerprint : of the detector's labels of its training rows at the time; None if it keeps none.
    """

    positions: NDArray[np.intp]
    scores: NDArray[np.float64] | None
    percentiles: NDArray[np.float64] | None
    fingerprint: str | None

    @classmethod
    def of(cls, outliers: Outliers, positions: NDArray[np.intp]) -> Origin:
        """Note the outliers at these positions, in this order."""
        scores, where = outliers.scores, positions if outliers.lines is None else outliers.lines[positions]
        if scores is None:
            return cls(where, None, None, outliers.fingerprint)
        order = np.argsort(scores, kind="stable")
        found = np.searchsorted(scores[order], scores[positions], side="right")
        copies = np.ones(len(scores), dtype=np.int64) if outliers.copies is None else outliers.copies
        below = np.append(0, np.cumsum(copies[order]))[found]
        return cls(where, scores[positions], below / copies.sum() * 100, outliers.fingerprint)

    def is_outdated(self, detector: Any) -> bool:
        """Tell whether the detector's own labels have changed or gone; one that never kept any is not found out."""
        if self.fingerprint is None:
            return False
        try:
            labels = read_detector(detector).labels
        except PyodExplainError:  # no longer fitted
            return True
        return labels is None or fingerprint(labels) != self.fingerprint

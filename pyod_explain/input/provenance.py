"""Where an explanation comes from: who is attached to whom, and was the detector fitted again since?"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.adengine import is_result
from pyod_explain.input.arrays import plain_array
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.read_verdict import verdict_of

__all__ = ["STALE", "Origin", "fingerprint", "holder_of"]

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
        scores = outliers.scores
        if scores is None:
            return cls(positions, None, None, outliers.fingerprint)
        below = np.searchsorted(np.sort(scores), scores[positions], side="right")
        return cls(positions, scores[positions], below / len(scores) * 100, outliers.fingerprint)

    def is_outdated(self, detector: Any) -> bool:
        """Tell whether the detector's own labels have changed or gone; one that never kept any is not found out."""
        if self.fingerprint is None:
            return False
        try:
            labels = verdict_of(detector).labels
        except PyodExplainError:  # no longer fitted
            return True
        return labels is None or fingerprint(labels) != self.fingerprint


def fingerprint(labels: Any) -> str:
    """Give a short text that changes when any label changes: how a refit is noticed.

    >>> fingerprint([0, 1, 0]) == fingerprint(np.array([0, 1, 0], dtype=np.uint8)) != fingerprint([0, 0, 1])
    True
    """
    values = np.ascontiguousarray(plain_array(labels)).astype(np.int8)
    return hashlib.sha256(values.tobytes()).hexdigest()[:16]


def holder_of(detector: Any) -> Any:
    """Give the object that can keep an explanation: a detector or an ADEngine state; None for labels and the like."""
    holder = detector.get("detector") if isinstance(detector, Mapping) else detector
    return holder if hasattr(holder, "fit") or is_result(holder) else None

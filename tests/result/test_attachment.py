"""Who is attached to whom: each explanation for itself, and no detector is refused for what it cannot keep."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyod_explain import explain

X = np.arange(48.0)[:, None] + 90 * (np.arange(48) >= 40)[:, None]


class Tail:
    """A detector that marks the rows of one end."""

    def __init__(self) -> None:
        self.mark(high=True)

    def mark(self, *, high: bool) -> None:
        self.labels_ = (np.arange(48) >= 40 if high else np.arange(48) < 8).astype(int)

    def fit(self, X: Any) -> Tail:
        return self

    def predict(self, X: Any) -> Any:
        return self.labels_


class Slotted:
    """A detector with room for an explanation and none for weak references."""

    __slots__ = ("explanation_", "labels_")

    def __init__(self) -> None:
        self.labels_ = (np.arange(48) >= 40).astype(int)

    fit = Tail.fit
    predict = Tail.predict


def test_a_checked_explanation_is_attached_for_itself() -> None:
    one, other = Tail(), Tail()
    first = explain(one, X, groups=1, rows="train")
    checked = first.validate(2)
    assert checked.attachment.detector is one
    checked.attach_to(other)
    assert first.attachment.detector is one
    other.mark(high=False)
    assert checked.is_stale()
    assert not first.is_stale()


def test_a_detector_that_cannot_be_watched_keeps_the_explanation() -> None:
    detector = Slotted()
    explanation = explain(detector, X, groups=1, rows="train")
    assert detector.explanation_ is explanation
    assert explanation.attachment.detector is None
    assert not explanation.is_stale()
    assert not explanation.is_stale(detector)
    detector.labels_ = 1 - detector.labels_
    assert explanation.is_stale(detector)

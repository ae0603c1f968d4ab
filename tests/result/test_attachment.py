"""Who is attached to whom: each explanation for itself, and no detector is kept alive or refused for it."""

from __future__ import annotations

import copy
import gc
import logging
import pickle
from typing import Any

import numpy as np
import pytest
from pyod.models.knn import KNN
from sklearn.neighbors import LocalOutlierFactor

from pyod_explain import StaleExplanationWarning, explain
from pyod_explain.result import Attachment, holder_of

pytestmark = pytest.mark.usefixtures("few_looks")

X = np.vstack([np.random.default_rng(0).normal(size=(80, 2)), [[9.0, 9.0], [8.0, 9.0], [9.0, 8.0]]])


class Fitted:
    """A detector of three attributes that can be fitted again."""

    def fit(self, X, y=None):
        self.labels_ = np.asarray(y)
        self.decision_scores_ = self.labels_ + 0.5
        return self

    def decision_function(self, X):
        return self.decision_scores_


LABELS = np.array([0] * 80 + [1] * 3)


def test_a_later_fit_is_noticed_and_only_that():
    detector = Fitted().fit(X, LABELS)
    e = explain(detector, X)
    assert detector.explanation_ is e
    assert e.attachment.detector is detector
    assert not e.is_stale()
    detector.fit(X, LABELS)
    assert not e.is_stale()
    detector.fit(X, 1 - LABELS)
    assert e.is_stale()
    assert "stale" in repr(e)
    with pytest.warns(StaleExplanationWarning):
        e.predict(X)


def test_two_detectors_with_the_same_explanation_are_told_apart():
    one, other = Fitted().fit(X, LABELS), Fitted().fit(X, LABELS)
    first, second = explain(one, X), explain(other, X)
    assert first == second
    one.fit(X, 1 - LABELS)
    assert first.is_stale()
    assert not second.is_stale()


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_a_copy_is_attached_to_nobody(again):
    detector = Fitted().fit(X, LABELS)
    e = again(explain(detector, X))
    detector.fit(X, 1 - LABELS)
    assert e.attachment.detector is None
    assert not e.is_stale()
    assert e.is_stale(detector)


def test_what_checks_add_is_attached_as_before():
    detector = Fitted().fit(X, LABELS)
    e = explain(detector, X).validate(2)
    assert e.attachment.detector is detector


def test_a_detector_is_not_kept_alive():
    detector = LocalOutlierFactor().fit(X)
    e = explain(detector, X)
    del detector
    gc.collect()
    assert e.attachment.detector is None
    assert not e.is_stale()


def test_labels_keep_nothing(caplog):
    class Slots:
        __slots__ = ("labels_",)

        def fit(self, X):
            return self

    attachment = Attachment()
    with caplog.at_level(logging.INFO, logger="pyod_explain"):
        attachment.attach(object(), LABELS)
        assert not caplog.text
        attachment.attach(object(), Slots())
    assert "Slots cannot keep an attribute `explanation_`" in caplog.text
    assert attachment.detector is None


LINE = np.arange(48.0)[:, None] + 90 * (np.arange(48) >= 40)[:, None]


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
    first = explain(one, LINE, groups=1)
    checked = first.validate(2)
    assert checked.attachment.detector is one
    checked.attach_to(other)
    assert first.attachment.detector is one
    other.mark(high=False)
    assert checked.is_stale()
    assert not first.is_stale()


def test_a_detector_that_cannot_be_watched_keeps_the_explanation() -> None:
    detector = Slotted()
    explanation = explain(detector, LINE, groups=1)
    assert detector.explanation_ is explanation
    assert explanation.attachment.detector is None
    assert not explanation.is_stale()
    assert not explanation.is_stale(detector)
    detector.labels_ = 1 - detector.labels_
    assert explanation.is_stale(detector)


def test_who_can_hold_an_explanation():
    clf = KNN()
    assert holder_of(clf) is clf
    assert holder_of({"labels_train": [0, 1], "detector": clf}) is clf
    assert holder_of([0, 1]) is holder_of("column") is holder_of({"labels_train": [0, 1]}) is None

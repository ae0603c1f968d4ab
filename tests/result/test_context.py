"""Where an explanation comes from: the table, which a pickle leaves out, the outliers, and its detector."""

import copy
import gc
import pickle

import numpy as np
import pandas as pd
import pytest
from pyod.models.knn import KNN
from sklearn.neighbors import LocalOutlierFactor

from pyod_explain import PyodExplainError, StaleExplanationWarning, explain
from pyod_explain.explanation import attach_explanation
from pyod_explain.export import to_findings
from pyod_explain.result import attach

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
    assert e._detector() is detector
    assert not e.is_stale()
    detector.fit(X, LABELS)
    assert not e.is_stale()
    detector.fit(X, 1 - LABELS)
    assert e.is_stale()
    assert "stale" in repr(e)
    for use in (lambda: e.predict(X), lambda: e.for_row(80), lambda: to_findings(e)):
        with pytest.warns(StaleExplanationWarning, match="again"):
            use()
    assert not explain(detector, X).is_stale()


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_a_copy_is_attached_to_nobody(again):
    detector = Fitted().fit(X, LABELS)
    e = again(explain(detector, X))
    detector.fit(X, 1 - LABELS)
    assert e._detector is None
    assert not e.is_stale()
    assert e.is_stale(detector)


def test_a_detector_is_not_kept_alive():
    detector = LocalOutlierFactor().fit(X)
    e = explain(detector, X)
    del detector
    gc.collect()
    assert e._detector() is None
    assert not e.is_stale()


class Slotted:
    """A detector with room for an explanation and none for weak references."""

    __slots__ = ("decision_scores_", "explanation_", "labels_")

    fit = Fitted.fit
    decision_function = Fitted.decision_function


def test_a_checked_explanation_is_attached_for_itself():
    one, other = Fitted().fit(X, LABELS), Fitted().fit(X, LABELS)
    first = explain(one, X)
    checked = first.validate(2)
    assert checked._detector() is one
    attach_explanation(checked, other)
    assert first._detector() is one
    other.fit(X, 1 - LABELS)
    assert checked.is_stale()
    assert not first.is_stale()


def test_a_detector_that_cannot_be_watched_keeps_the_explanation():
    detector = Slotted().fit(X, LABELS)
    explanation = explain(detector, X)
    assert detector.explanation_ is explanation
    assert not explanation.is_stale()
    detector.fit(X, 1 - LABELS)
    assert explanation.is_stale(detector)


def test_what_can_keep_an_explanation():
    class Slots:
        __slots__ = ("labels_",)

        def fit(self, X):
            return self

    clf, e = KNN(), object()
    assert attach(e, clf)() is clf
    assert clf.explanation_ is e
    assert attach(e, {"labels_train": [0, 1], "detector": clf})() is clf
    full = Slots()
    full.labels_ = LABELS
    assert explain(full, X).n_outliers == 3  # though it cannot keep it
    for other in (LABELS, "column", {"labels_train": [0, 1]}, full):
        assert attach(e, other) is None


def test_findings_rank_the_outliers_among_all_rows():
    e = explain(X=pd.DataFrame({"x": [1, 9, 2, 8]}), scores=[1.0, 4.0, 2.0, 3.0], threshold=2.5)
    assert [(one["score"], one["percentile"]) for one in to_findings(e)] == [(4, 100), (3, 75)]


def test_a_pickle_leaves_the_table_out(payments):
    big = pd.concat([payments[0]] * 80, ignore_index=True).assign(noise=np.random.default_rng(0).normal(size=24_000))
    e = explain(payments[1] * 80, big)
    loaded = pickle.loads(pickle.dumps(e))
    assert loaded == e
    assert len(pickle.dumps(e)) < 0.2 * len(pickle.dumps(big))
    for call in (loaded.validate, loaded.placebo_test, lambda: loaded.plot("pairs")):
        with pytest.raises(PyodExplainError, match="was pickled"):
            call()


@pytest.mark.parametrize("label", [float("nan"), pd.NaT, pd.NA], ids=repr)
def test_a_missing_row_label_is_a_label_as_any_other(label):
    Z = pd.DataFrame({"a": [*range(90, 95), *range(50)]}, index=pd.Index([label, *range(1, 55)], dtype=object))
    e = explain([1] * 5 + [0] * 50, Z, groups=1)
    copied = pickle.loads(pickle.dumps(e))
    assert copied.for_row(label).group == 1
    assert e.compare(copied).rows.empty

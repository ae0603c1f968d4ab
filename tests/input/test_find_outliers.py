"""Scores and thresholds, with a detector and without."""

from __future__ import annotations

import numpy as np
import pytest
from pyod.models.knn import KNN
from sklearn.ensemble import IsolationForest

from pyod_explain import PyodExplainError, explain
from pyod_explain.input import as_table, find_outliers


def test_scores_above_a_threshold_are_outliers(frame):
    found = find_outliers(None, frame, as_table(frame), scores=frame["u"], threshold=5)
    assert found.rows.tolist() == np.flatnonzero(frame["u"] > 5).tolist()
    assert "above 5" in found.source


def test_a_detector_is_explained_at_another_threshold(frame):
    clf = KNN(contamination=0.1).fit(frame.to_numpy())
    higher = np.sort(clf.decision_scores_)[-4]
    assert explain(clf, frame, threshold=higher).n_outliers == 3
    new = frame.iloc[:50]
    expected = int((clf.decision_function(new.to_numpy()) > higher).sum())
    assert explain(clf, new, threshold=higher).n_outliers == expected


def test_scikit_learn_scores_grow_with_strangeness(frame):
    clf = IsolationForest(random_state=0, contamination=0.05).fit(frame)
    found = find_outliers(clf, frame, as_table(frame), want_scores=True)
    assert ((found.scores > 0) == (found.labels == 1)).all()


def test_scores_without_a_threshold_are_no_labels(frame):
    with pytest.raises(PyodExplainError, match="`scores` without `threshold`"):
        explain(None, frame, scores=frame["u"])

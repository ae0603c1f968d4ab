"""Training rows have the labels that the detector keeps, new rows those that it predicts."""

from __future__ import annotations

import numpy as np
import pytest
from pyod.models.knn import KNN
from pyod.models.lof import LOF
from sklearn.ensemble import IsolationForest

from pyod_explain import PyodExplainError, explain
from pyod_explain.input import as_table, find_outliers


def test_training_rows_have_the_detectors_own_labels(frame):
    clf = LOF(contamination=0.1).fit(frame.to_numpy())
    assert (clf.predict(frame.to_numpy()) != clf.labels_).any()  # why it matters
    found = find_outliers(clf, frame, as_table(frame))
    assert found.labels.tolist() == clf.labels_.tolist()
    assert found.scores.tolist() == clf.decision_scores_.tolist()


def test_whether_rows_are_those_of_the_fit_can_be_said(frame):
    clf = LOF(contamination=0.1).fit(frame.to_numpy())
    table, predicted = as_table(frame), clf.predict(frame.to_numpy())
    assert find_outliers(clf, frame, table, training=True).labels.tolist() == clf.labels_.tolist()
    assert find_outliers(clf, frame, table, training=False).labels.tolist() == predicted.tolist()
    few = frame.iloc[:9]
    assert find_outliers(clf, few, as_table(few)).labels.tolist() == clf.predict(few.to_numpy()).tolist()


def test_a_detector_that_cannot_predict_says_so(frame):
    class Transductive:
        labels_ = np.array([0, 1, 0])

        def fit(self, X):
            return self

    with pytest.raises(PyodExplainError, match=r"`X` must be the 3 rows .* cannot predict"):
        explain(Transductive(), frame)


def test_a_detector_that_looks_for_its_fitted_state_in_vain_is_not_fitted(frame):
    class Unfitted:
        def fit(self, X):
            return self

        def predict(self, X):
            return self.state_

    with pytest.raises(PyodExplainError, match="`detector` must be fitted"):
        explain(Unfitted(), frame)


def test_a_detector_without_labels_or_predict_is_not_fitted(frame):
    class Bare:
        def fit(self, X):
            return self

    with pytest.raises(PyodExplainError, match="`detector` must be fitted"):
        explain(Bare(), frame)


def test_names_of_the_fit_are_given_to_an_array(frame):
    clf = IsolationForest(random_state=0, contamination=0.05).fit(frame)
    assert explain(clf, frame.to_numpy()).n_outliers == 5


def test_what_the_detector_raises_names_x(frame):
    clf = KNN().fit(frame.to_numpy())
    with pytest.raises(PyodExplainError, match=r"`X` must be the 100 rows .* can predict, got rows for which"):
        explain(clf, frame.iloc[:9].assign(text="a"))

"""Which rows are outliers: labels, scores, training rows, new rows, and who is not allowed to say so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pyod.models.knn import KNN
from pyod.models.lof import LOF
from sklearn.ensemble import IsolationForest

from pyod_explain import PyodExplainError, evaluate, explain
from pyod_explain.coverage import Coverage
from pyod_explain.input.alignment import one_per_row, row_order
from pyod_explain.input.find_outliers import find_outliers
from pyod_explain.input.labels import read_labels
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.provenance import fingerprint
from pyod_explain.input.read import as_table
from pyod_explain.input.read_verdict import verdict_of
from pyod_explain.input.weights import row_weights

LETTERS = list("abcdef")


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(100, 2)), columns=["u", "v"])
    frame.iloc[:5] += 9
    return frame


class TestReadLabels:
    @pytest.mark.parametrize(
        ("labels", "expected"),
        [
            ([0, 1, 0], [0, 1, 0]),
            ([True, False, False], [1, 0, 0]),
            ([1, -1, 1], [0, 1, 0]),
            ([-1, -1, -1], [1, 1, 1]),
            ([1, 1, 1], [1, 1, 1]),
            ([0.0, 1.0, 0.0], [0, 1, 0]),
            ([0, -2, 1], [0, -1, 1]),
            ([0, 3, 7], [0, 1, 1]),
            ([-2, 3, 0], [-1, 1, 0]),
        ],
    )
    def test_the_ways_to_write_them(self, labels, expected):
        assert read_labels(labels, 3).labels.tolist() == expected

    def test_group_numbers_are_kept(self):
        found = read_labels([0, 3, 7, -2], 4)
        assert found.numbers.tolist() == [0, 3, 7, 0]
        assert read_labels([0, 1, 0], 3).numbers is None

    @pytest.mark.parametrize(
        "labels", [[0, -1, 1], [-3, 0, 1], [0, 0.5, 1], [0, np.nan, 1], ["a", "b", "c"], [0, 2**60, 1]]
    )
    def test_what_is_no_label_is_refused(self, labels):
        with pytest.raises(PyodExplainError, match="`y` must be"):
            read_labels(labels, 3, argument="y")


class TestAlignment:
    def test_the_same_labels_in_another_order_are_aligned(self):
        labels = pd.Series([1, 0, 0, 0, 0, 0], index=LETTERS)
        assert one_per_row(labels[::-1], 6, pd.Index(LETTERS), "y").tolist() == [1, 0, 0, 0, 0, 0]

    def test_an_index_that_shares_nothing_with_a_default_one_is_taken_in_order(self):
        assert row_order(pd.RangeIndex(6), pd.Index(LETTERS), "y") is None
        assert row_order(pd.Index(LETTERS), None, "y") is None

    @pytest.mark.parametrize(
        ("given", "index"),
        [
            (pd.RangeIndex(6), pd.Index([5, 4, 3, 2, 1, 0])),
            (pd.Index([5, 4, 3, 2, 1, 0]), pd.RangeIndex(6)),
            (pd.RangeIndex(6), pd.Index([3, 4, 5, 6, 7, 8])),
            (pd.Index(LETTERS), pd.Index(list("abcdeg"))),
            (pd.Index(list("aabbcc")), pd.Index(list("abcabc"))),
        ],
    )
    def test_what_could_be_misread_is_refused(self, given, index):
        with pytest.raises(PyodExplainError, match="`y` must have the index of `X`"):
            row_order(given, index, "y")

    def test_features_are_aligned_too(self, frame):
        named = frame.set_axis([f"r{i}" for i in range(100)])
        y = [1] * 5 + [0] * 95
        shuffled = named.sample(frac=1, random_state=0)
        assert explain(y, named, features=shuffled).to_frame().equals(explain(y, named).to_frame())
        with pytest.raises(PyodExplainError, match="`features` must have the index of `X`"):
            explain(y, frame, features=frame.sample(frac=1, random_state=0))


class TestTrainingAndNewRows:
    def test_training_rows_have_the_detectors_own_labels(self, frame):
        clf = LOF(contamination=0.1).fit(frame.to_numpy())
        assert (clf.predict(frame.to_numpy()) != clf.labels_).any()  # why it matters
        found = find_outliers(clf, frame, as_table(frame))
        assert found.labels.tolist() == clf.labels_.tolist()
        assert found.scores.tolist() == clf.decision_scores_.tolist()

    def test_rows_decides(self, frame):
        clf = LOF(contamination=0.1).fit(frame.to_numpy())
        table = as_table(frame)
        assert find_outliers(clf, frame, table, rows="train").labels.tolist() == clf.labels_.tolist()
        assert find_outliers(clf, frame, table, rows="new").labels.tolist() == clf.predict(frame.to_numpy()).tolist()
        few = frame.iloc[:9]
        assert find_outliers(clf, few, as_table(few)).labels.tolist() == clf.predict(few.to_numpy()).tolist()
        with pytest.raises(PyodExplainError, match="`X` must be the 100 rows that LOF was fitted on, got 9"):
            find_outliers(clf, few, as_table(few), rows="train")
        with pytest.raises(PyodExplainError, match="`rows` of explain"):
            find_outliers(clf, frame, table, rows="all")

    def test_a_detector_that_cannot_predict_says_so(self, frame):
        class Transductive:
            labels_ = np.array([0, 1, 0])

            def fit(self, X):
                return self

        with pytest.raises(PyodExplainError, match=r"`X` must be the 3 rows .* cannot predict new rows"):
            explain(Transductive(), frame)

    def test_a_detector_that_looks_for_its_fitted_state_in_vain_is_not_fitted(self, frame):
        class Unfitted:
            def fit(self, X):
                return self

            def predict(self, X):
                return self.state_

        with pytest.raises(PyodExplainError, match="`detector` must be fitted"):
            explain(Unfitted(), frame)

    def test_a_detector_without_labels_or_predict_is_not_fitted(self, frame):
        class Bare:
            def fit(self, X):
                return self

        with pytest.raises(PyodExplainError, match="`detector` must be fitted"):
            explain(Bare(), frame)

    def test_names_of_the_fit_are_given_to_an_array(self, frame):
        clf = IsolationForest(random_state=0, contamination=0.05).fit(frame)
        assert explain(clf, frame.to_numpy()).n_outliers == 5

    def test_what_the_detector_raises_names_x(self, frame):
        clf = KNN().fit(frame.to_numpy())
        with pytest.raises(PyodExplainError, match=r"`X` must be the 100 rows .* can predict; it failed with"):
            explain(clf, frame.iloc[:9].assign(text="a"))


class TestScores:
    def test_scores_above_a_threshold_are_outliers(self, frame):
        found = find_outliers(None, frame, as_table(frame), scores=frame["u"], threshold=5)
        assert found.rows.tolist() == np.flatnonzero(frame["u"] > 5).tolist()
        assert "above 5" in found.source

    def test_a_detector_is_explained_at_another_threshold(self, frame):
        clf = KNN(contamination=0.1).fit(frame.to_numpy())
        higher = np.sort(clf.decision_scores_)[-4]
        assert explain(clf, frame, threshold=higher).n_outliers == 3
        new = frame.iloc[:50]
        expected = int((clf.decision_function(new.to_numpy()) > higher).sum())
        assert explain(clf, new, threshold=higher, attach=False).n_outliers == expected

    def test_scikit_learn_scores_grow_with_strangeness(self, frame):
        clf = IsolationForest(random_state=0, contamination=0.05).fit(frame)
        found = find_outliers(clf, frame, as_table(frame), want_scores=True)
        assert ((found.scores > 0) == (found.labels == 1)).all()

    def test_scores_without_a_threshold_are_no_labels(self, frame):
        with pytest.raises(PyodExplainError, match="`scores` without `threshold`"):
            explain(None, frame, scores=frame["u"])


class TestWeights:
    def test_scores_become_weights_of_one_on_average(self):
        scores = np.array([-3.0, -2.0, 1.0, 5.0])
        found = Outliers(np.array([0, 0, 1, 1]), "Scores", scores=scores)
        weights = row_weights("scores", found, as_table(np.zeros((4, 1))))
        assert weights.tolist() == [1, 1, 4 / 6, 8 / 6]

    def test_equal_scores_weigh_one(self):
        found = Outliers(np.array([0, 1]), "Scores", scores=np.zeros(2))
        assert row_weights("scores", found, as_table(np.zeros((2, 1)))).tolist() == [1, 1]

    def test_a_series_of_weights_is_aligned(self):
        frame = pd.DataFrame({"a": range(3)}, index=list("abc"))
        weights = pd.Series([3.0, 2.0, 1.0], index=list("cba"))
        assert row_weights(weights, Outliers(np.array([0, 0, 1]), ""), as_table(frame)).tolist() == [1, 2, 3]

    def test_weights_reach_the_metrics_and_the_choice(self):
        X = pd.DataFrame({"a": [0] * 20 + [1, 1, 1, 1, 0], "b": [0] * 20 + [0, 0, 0, 0, 1]})
        y = np.array([0] * 20 + [1] * 5)
        heavy = np.where(np.arange(25) == 24, 100.0, 1.0)
        plain = explain(y, X, groups=1, method="bccm", max_tags=1, max_uncovered=0.5)
        weighted = explain(y, X, groups=1, method="bccm", max_tags=1, max_uncovered=0.5, sample_weight=heavy)
        assert plain.rules[0].tag.columns == ["a"]
        assert weighted.rules[0].tag.columns == ["b"]
        assert weighted.metrics.loc[1, "FUO"] == pytest.approx(4 / 104)

    def test_equal_weights_change_nothing(self, frame):
        y = np.array([1] * 5 + [0] * 95)
        plain = explain(y, frame, method="wccm")
        assert explain(y, frame, method="wccm", sample_weight=np.ones(100)).to_frame().equals(plain.to_frame())

    def test_a_method_that_counts_rows_says_so(self, frame):
        y = np.array([1] * 5 + [0] * 95)
        assert "whatever they weigh" in " ".join(explain(y, frame, sample_weight=np.ones(100)).notes)
        assert explain(y, frame).to_frame().equals(explain(y, frame, sample_weight=np.arange(100) + 1.0).to_frame())

    def test_metrics_are_shares_of_weight(self):
        coverage = Coverage.from_dense([[1], [0], [1], [0]], [1, 1, 0, 0], sample_weight=[3, 1, 1, 4])
        assert evaluate(coverage, [(0,)])[["FUO", "FCN"]].to_numpy().tolist() == [[0.25, 0.2]]


def test_a_fingerprint_tells_labels_apart():
    assert fingerprint([0, 1, 1]) == fingerprint(np.array([False, True, True]))
    assert fingerprint([0, 1, 1]) != fingerprint([0, 1, 0])


def test_a_class_is_no_detector():
    with pytest.raises(TypeError, match=r"`detector` must be a fitted detector, got the class KNN"):
        verdict_of(KNN)

"""Which rows are outliers: labels, a column, scores above a threshold, or a detector."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from boxes import PYOD_3, drawn
from pyod.models.knn import KNN
from pyod.models.lof import LOF
from sklearn.ensemble import IsolationForest

from pyod_explain import PyodExplainError, explain
from pyod_explain.export import to_findings
from pyod_explain.input import LabelReader, as_table, read_labels


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(100, 2)), columns=["u", "v"])
    frame.iloc[:5] += 9
    return frame


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([0, 1, 0], [0, 1, 0]), ([True, False, False], [1, 0, 0]), ([1, -1, 1], [0, 1, 0]), ([-1, -1, -1], [1, 1, 1]),
        ([1, 1, 1], [1, 1, 1]), ([0.0, 1.0, 0.0], [0, 1, 0]), ([0, 3, 7], [0, 1, 1]), ([-2, 3, 0], [-1, 1, 0]),
    ],
)  # fmt: skip
def test_the_ways_to_write_them(labels, expected):
    assert read_labels(labels, 3).labels.tolist() == expected


def test_group_numbers_are_kept():
    assert read_labels([0, 3, 7, -2], 4).numbers.tolist() == [0, 3, 7, 0]
    assert read_labels([0, 1, 0], 3).numbers is None


@pytest.mark.parametrize(
    "labels", [[0, -1, 1], [-3, 0, 1], [0, 0.5, 1], [0, np.nan, 1], ["a", "b", "c"], [0, 2**60, 1]]
)
def test_what_is_no_label_is_refused(labels):
    with pytest.raises(PyodExplainError, match="`y` must be"):
        read_labels(labels, 3, argument="y")


def test_labels_may_be_a_column_of_decimals():
    X = pd.DataFrame({"x": [1, 2, 3, 9], "y": [Decimal(0), Decimal(0), Decimal(0), Decimal(1)]})
    assert explain("y", X).n_outliers == 1


# --- names of columns, scores ----------------------------------------------------------------------------------------

ROWS = pd.DataFrame(
    {"a": [1, 9, 2], "both": [0, 0, 0], "gap": [1.0, None, 2.0], "word": list("abc")}, index=list("xyz")
)
FEATURES = pd.DataFrame({"both": [5, 6, 7]}, index=list("xyz"))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas, pa.RecordBatch.from_pandas])
def test_a_name_is_a_column_of_the_features_or_else_of_what_was_detected_on(make):
    X, table = make(ROWS.assign(junk=["p", "q", "r"])), as_table(FEATURES)
    assert LabelReader.of(None, scores="a", threshold=5).read(X, table).labels.tolist() == [0, 1, 0]
    assert LabelReader.of(None, scores="both", threshold=5).read(X, table).labels.tolist() == [0, 1, 1]
    with pytest.raises(PyodExplainError, match="which is none of the columns 'a', 'both'"):
        LabelReader.of("c").read(X, table)


def test_scores_are_aligned_and_the_source_says_the_threshold():
    scores = pd.Series([2, 9, 1], index=list("zyx"))
    found = LabelReader.of(None, scores=scores, threshold=5).read(ROWS, as_table(ROWS))
    assert found.scores.tolist() == [1, 9, 2]
    assert "above 5" in found.source


@pytest.mark.parametrize("scores", ["gap", [1, np.inf, np.nan], "word", list("abc"), [1, 2]])
def test_what_is_no_score_is_refused(scores):
    with pytest.raises(PyodExplainError, match="`scores` must"):
        LabelReader.of(None, scores=scores, threshold=1).read(ROWS, as_table(ROWS))
    with pytest.raises(PyodExplainError, match="`scores` without `threshold`"):
        explain(None, ROWS, scores=scores)


# --- detectors -------------------------------------------------------------------------------------------------------


def test_a_detector_is_explained_at_another_threshold(frame):
    clf = KNN(contamination=0.1).fit(frame.to_numpy())
    higher = np.sort(clf.decision_scores_)[-4]
    assert explain(clf, frame, threshold=higher).n_outliers == 3
    new = frame.iloc[:50]
    expected = int((clf.decision_function(new.to_numpy()) > higher).sum())
    assert explain(clf, new, threshold=higher).n_outliers == expected


def test_scikit_learn_scores_grow_with_strangeness_and_it_is_given_its_names(frame):
    clf = IsolationForest(random_state=0, contamination=0.05).fit(frame)
    found = LabelReader.of(clf).read(frame, as_table(frame), want_scores=True)
    assert ((found.scores > 0) == (found.labels == 1)).all()
    assert explain(clf, frame.to_numpy()).n_outliers == 5


def test_training_rows_have_the_detectors_own_labels_and_others_those_it_predicts(frame):
    clf = LOF(contamination=0.1).fit(frame.to_numpy())
    table, predicted = as_table(frame), clf.predict(frame.to_numpy())
    assert (predicted != clf.labels_).any()  # why it matters
    found = LabelReader.of(clf).read(frame, table)
    assert found.labels.tolist() == clf.labels_.tolist()
    assert found.scores.tolist() == clf.decision_scores_.tolist()
    assert LabelReader.of(clf).read(frame, table, training=False).labels.tolist() == predicted.tolist()
    few = frame.iloc[:9]
    assert LabelReader.of(clf).read(few, as_table(few)).labels.tolist() == clf.predict(few.to_numpy()).tolist()


class Bare:
    """No labels, no predict."""

    def fit(self, X):
        return self


class Transductive(Bare):
    labels_ = np.array([0, 1, 0])


class Unfitted(Bare):
    def predict(self, X):
        return self.state_


@pytest.mark.parametrize(
    ("detector", "message"),
    [
        (Bare(), "`detector` must be fitted"),
        (Unfitted(), "`detector` must be fitted"),
        (Transductive(), "`X` must be the 3 rows .* cannot predict"),
        (KNN, "the class KNN"),
        ({"labels": [0, 1]}, "without 'labels_train'"),
    ],
)
def test_a_detector_that_cannot_say_is_refused(detector, message, frame):
    with pytest.raises(PyodExplainError, match=message):
        explain(detector, frame)


def test_what_the_detector_raises_names_x(frame):
    clf = KNN().fit(frame.to_numpy())
    with pytest.raises(PyodExplainError, match=r"`X` must be the 100 rows .* can predict, got rows for which"):
        explain(clf, frame.iloc[:9].assign(text="a"))


@pytest.mark.skipif(not PYOD_3, reason="ADEngine came with PyOD 3")
def test_what_adengine_returns_is_explained():
    from pyod.utils.ad_engine import ADEngine

    engine, frame = ADEngine(), drawn(seed=0)
    result = engine.detect(frame.to_numpy(), X_test=frame.to_numpy()[:20])
    explanation = explain(result, frame)
    assert explanation.n_outliers == result["n_anomalies"]
    assert result["detector"].explanation_ is explanation
    assert explain(result, frame.iloc[:20]).n_outliers == int(result["labels_test"].sum())
    ours, theirs = to_findings(explanation), engine.explain_findings(result, X=frame.to_numpy())
    assert set(theirs[0]) <= set(ours[0])
    for key in ("score", "percentile"):  # not the index: scores tie
        assert [one[key] for one in ours[:5]] == pytest.approx([one[key] for one in theirs])


@pytest.mark.skipif(not PYOD_3, reason="ADEngine came with PyOD 3")
def test_an_adengine_state_carries_its_data():
    from pyod.utils.ad_engine import ADEngine

    engine, frame = ADEngine(), drawn(seed=0)
    state = engine.investigate(frame.to_numpy())
    explanation = explain(state)
    assert explanation.n_outliers == int(state.consensus["labels"].sum())
    assert state.explanation_ is explanation
    assert set(explain(state, frame).rules[0].tag.columns) <= set(frame.columns)
    with pytest.raises(PyodExplainError, match="a consensus"):
        explain(engine.start(frame.to_numpy()))
    state.consensus = None  # as after another round of planning
    assert explanation.is_stale(state)

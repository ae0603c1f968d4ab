"""A detector that explains itself after every fit."""

import warnings

import numpy as np
import pytest
from pyod.models.iforest import IForest
from sklearn.base import clone, is_outlier_detector
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pyod_explain import ExplainedDetector, OutlierExplainer, PyodExplainError, explain


@pytest.fixture(name="X")
def numbers(frame):
    return frame[["amount", "age"]]


@pytest.mark.parametrize(
    "detector",
    [
        IForest(contamination=0.075, random_state=0),
        IsolationForest(contamination=0.075, random_state=0),
        LocalOutlierFactor(contamination=0.075),
        LocalOutlierFactor(contamination=0.075, novelty=True),
        make_pipeline(StandardScaler(), IForest(contamination=0.075, random_state=0)),
        make_pipeline(StandardScaler(), IsolationForest(contamination=0.075, random_state=0)),
    ],
    ids=lambda one: f"{type(one).__module__.partition('.')[0]} {str(one)[:60]}",
)
def test_it_passes_for_the_detector_inside(detector, X):
    model = ExplainedDetector(detector).fit(X)
    assert set(np.unique(model.labels_)) == {0, 1}
    assert model.explanation_.n_outliers == model.labels_.sum() == 6
    assert ((model.decision_scores_ > model.threshold_) == model.labels_).all()
    assert is_outlier_detector(model)
    for method in ("predict", "decision_function", "predict_proba"):
        assert hasattr(model, method) == hasattr(model.detector_, method), method
        if hasattr(model, method):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # LocalOutlierFactor's, of names that it drops itself
                expected = getattr(model.detector_, method)(X)
            assert np.array_equal(getattr(model, method)(X), expected)
    assert explain(model, X).to_frame().equals(model.explanation_.to_frame())
    if isinstance(detector, IsolationForest):
        assert np.array_equal(ExplainedDetector(detector).fit_predict(X), clone(detector).fit_predict(X))


def test_what_only_pyod_has_passes_through(X, frame):
    model = ExplainedDetector(IForest(contamination=0.075, random_state=0)).fit(X)
    assert model.predict_confidence(X).shape == (80,)
    if not hasattr(model, "predict_with_rejection"):
        pytest.skip("predict_with_rejection came with a later PyOD")
    labels = model.predict_with_rejection(X, c_r=0.1)
    assert set(np.unique(labels)) <= {-2, 0, 1}
    assert explain(labels, frame).n_outliers == (labels == 1).sum()
    assert not hasattr(ExplainedDetector(IsolationForest()), "predict_confidence")


def test_parameters_reach_inside(X):
    model = ExplainedDetector(IForest(), OutlierExplainer())
    model.set_params(detector__contamination=0.05, explainer__max_length=1)
    assert model.get_params()["detector__contamination"] == 0.05
    fitted = clone(model).fit(X)
    assert fitted.labels_.sum() == 4
    assert max(map(len, (rule.tag for rule in fitted.explanation_.rules))) == 1
    assert not hasattr(model, "explanation_")
    assert not hasattr(clone(fitted), "explanation_")


def test_it_is_the_last_step_of_a_pipeline(X):
    model = ExplainedDetector(IForest(contamination=0.075, random_state=0))
    pipeline = make_pipeline(StandardScaler(), model).fit(X)
    assert np.array_equal(pipeline.predict(X), pipeline[-1].detector_.predict(pipeline[:-1].transform(X)))
    raw = explain(pipeline, X)
    assert {column for rule in raw.rules for column in rule.tag.columns} <= {"amount", "age"}


def test_readable_columns_can_differ_from_those_detected_on(X, frame):
    model = ExplainedDetector(IForest(contamination=0.075, random_state=0))
    model.fit(X.to_numpy(), features=frame)
    assert {c for rule in model.explanation_.rules for c in rule.tag.columns} <= set(frame.columns)
    with pytest.raises(PyodExplainError, match="`features` must have the rows of `X`"):
        model.fit(X.to_numpy(), features=frame.iloc[1:])


def test_before_fit_it_says_so(frame):
    with pytest.raises(NotFittedError):
        ExplainedDetector(IForest()).predict(frame)
    with pytest.raises(PyodExplainError, match="`detector` must be fitted"):
        explain(ExplainedDetector(IForest()), frame[["amount"]])

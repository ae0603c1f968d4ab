"""Pipelines and searches are asked through the detector inside."""

import numpy as np
import pandas as pd
import pytest
from boxes import N_OUTLIERS, N_ROWS, SCIKIT, drawn
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from pyod_explain import PyodExplainError, explain


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return drawn(seed=0)


@pytest.fixture
def mixed(frame) -> pd.DataFrame:
    kinds = ["rare"] * N_OUTLIERS + ["a", "b"] * ((N_ROWS - N_OUTLIERS) // 2)
    return frame.assign(kind=kinds)


def raw_pipeline(detector) -> Pipeline:
    columns = make_column_transformer(
        (OneHotEncoder(drop="first", sparse_output=False), ["kind"]), remainder=StandardScaler()
    )
    return make_pipeline(columns, StandardScaler(), detector)


@pytest.mark.parametrize(
    "detector",
    [IForest(contamination=0.075, random_state=0), KNN(contamination=0.075), *SCIKIT],
    ids=lambda one: type(one).__module__.partition(".")[0] + " " + str(one)[:40],
)
def test_a_pipeline_is_explained_in_its_raw_columns(detector, mixed):
    pipeline = raw_pipeline(detector)
    if isinstance(detector, LocalOutlierFactor) and not detector.novelty:
        pipeline.fit_predict(mixed)
    else:
        pipeline.fit(mixed)
    explanation = explain(pipeline, mixed)
    assert pipeline.explanation_ is explanation
    assert explanation.n_outliers > 0
    for rule in explanation.rules:
        assert set(rule.tag.columns) <= set(mixed.columns)
    assert np.array_equal(explanation.predict(mixed), explanation.predict(mixed[mixed.columns[::-1]]))


def test_training_rows_have_the_labels_of_the_detector_inside_and_new_rows_those_that_are_predicted(mixed):
    pipeline = raw_pipeline(IForest(contamination=0.1, random_state=0)).fit(mixed)
    new = mixed.iloc[:30]
    for X, labels in ((mixed, pipeline[-1].labels_), (new, pipeline.predict(new))):
        rows = {row for group in explain(pipeline, X).groups for row in group.rows}
        assert rows == set(X.index[labels == 1])


def test_a_pipeline_without_a_detector_is_refused(mixed):
    pipeline = Pipeline([("encode", OrdinalEncoder()), ("last", "passthrough")]).fit(mixed)
    with pytest.raises(PyodExplainError, match="`detector` must be a Pipeline that ends in a detector"):
        explain(pipeline, mixed)


def test_a_search_is_explained_by_its_best_estimator(frame):
    truth = np.where(np.arange(N_ROWS) < N_OUTLIERS, -1, 1)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), IsolationForest(random_state=0)),
        {"isolationforest__contamination": [0.05, 0.075]},
        scoring="accuracy",
        cv=2,
    ).fit(frame, truth)
    explanation = explain(search, frame)
    assert search.explanation_ is explanation
    assert explanation.summary.detector == "IsolationForest"
    assert explanation.n_outliers == int((search.predict(frame) == -1).sum())

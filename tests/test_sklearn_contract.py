"""`OutlierExplainer` and `ExplainedDetector` keep scikit-learn's contract: its own checks, and what they leave out."""

from __future__ import annotations

import copy
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from pyod.models.ecod import ECOD
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from sklearn.base import clone, is_outlier_detector
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from pyod_explain import ExplainedDetector, OutlierExplainer, PyodExplainError, explain

NO_NORMALS = "the check labels rows 1 and 2 only, and outliers can only be told from normal rows (0)"
NO_ROWS_BY_WEIGHT = "description length counts rows: a row of weight 2 is not two rows, one of weight 0 is still there"
EXPECTED = {
    "check_estimators_dtypes": NO_NORMALS,
    "check_sample_weights_pandas_series": NO_NORMALS,
    "check_sample_weights_not_an_array": NO_NORMALS,
    "check_sample_weights_shape": NO_NORMALS,
    "check_sample_weights_not_overwritten": NO_NORMALS,
    "check_sample_weight_equivalence_on_dense_data": NO_ROWS_BY_WEIGHT,
    "check_sample_weight_equivalence_on_sparse_data": NO_ROWS_BY_WEIGHT,
}


CHECKS = [
    pair
    for estimator in (OutlierExplainer(groups=1), ExplainedDetector(IsolationForest(n_estimators=10, random_state=0)))
    for pair in estimator_checks_generator(
        estimator, expected_failed_checks=EXPECTED if isinstance(estimator, OutlierExplainer) else {}, mark="xfail"
    )
]


@pytest.mark.parametrize(("estimator", "check"), CHECKS, ids=lambda one: getattr(one, "func", type(one)).__name__)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"amount": rng.normal(size=80), "age": rng.integers(18, 70, 80), "kind": ["a", "b"] * 40})
    frame.loc[:5, "amount"] += 20
    return frame


@pytest.fixture
def y() -> np.ndarray:
    return np.array([1] * 6 + [0] * 74)


class TestOutlierExplainer:
    def test_parameters_are_stored_untouched(self):
        groups = [1, 2]
        assert OutlierExplainer(groups=groups).groups is groups
        assert clone(OutlierExplainer(method="wccm", weight=3.0)).weight == 3.0

    def test_y_is_needed(self, frame):
        with pytest.raises(PyodExplainError, match="requires y to be passed"):
            OutlierExplainer().fit(frame)

    def test_before_fit_it_says_so(self, frame):
        for method in ("predict", "transform", "get_feature_names_out"):
            with pytest.raises(NotFittedError):
                getattr(OutlierExplainer(), method)(frame)

    def test_columns_are_found_by_name_in_any_order_and_others_are_not_needed(self, frame, y):
        explainer = OutlierExplainer().fit(frame, y)
        needed = {column for rule in explainer.explanation_.rules for column in rule.tag.columns}
        expected = explainer.predict(frame)
        assert expected.tolist() == y.tolist()
        assert np.array_equal(explainer.predict(frame[frame.columns[::-1]]), expected)
        assert np.array_equal(explainer.predict(frame[sorted(needed)]), expected)
        with pytest.raises(PyodExplainError, match="lacks the column 'amount'"):
            explainer.predict(frame[["age"]])

    def test_names_of_the_fit_serve_an_array_by_their_order(self, frame, y):
        explainer = OutlierExplainer().fit(frame, y)
        assert np.array_equal(explainer.predict(frame.to_numpy(dtype=object)), explainer.predict(frame))
        nameless = OutlierExplainer().fit(frame[["amount", "age"]].to_numpy(), y)
        assert not hasattr(nameless, "feature_names_in_")
        assert np.array_equal(nameless.predict(frame[["amount", "age"]]), explainer.predict(frame))
        with pytest.raises(PyodExplainError, match="X has 1 features, but OutlierExplainer is expecting 2"):
            nameless.predict(frame[["amount"]].to_numpy())

    def test_a_second_fit_forgets_the_names_of_the_first(self, frame, y):
        explainer = OutlierExplainer().fit(frame, y)
        assert explainer.feature_names_in_.tolist() == list(frame.columns)
        explainer.fit(frame[["amount"]].to_numpy(), y)
        assert explainer.n_features_in_ == 1
        assert not hasattr(explainer, "feature_names_in_")

    def test_new_rows_may_hold_anything(self, frame, y):
        explainer = OutlierExplainer().fit(frame, y)
        odd = pd.DataFrame({"amount": ["text", None, 99], "kind": ["never seen", None, 7], "age": [1.5, 2.5, None]})
        assert explainer.predict(odd).shape == (3,)
        assert explainer.predict(frame.assign(amount=np.nan)).tolist() == [0] * 80
        assert explainer.predict(frame.assign(amount=frame["amount"].astype("Float32"))).tolist() == y.tolist()

    def test_output_can_be_a_frame(self, frame, y):
        explainer = OutlierExplainer().fit(frame, y)
        plain = explainer.transform(frame)
        assert isinstance(plain, np.ndarray)
        assert plain.dtype == bool
        framed = explainer.set_output(transform="pandas").transform(frame)
        assert list(framed.columns) == explainer.get_feature_names_out().tolist()
        assert framed.index.equals(frame.index)
        assert np.array_equal(framed.to_numpy(), plain)

    def test_rules_are_features_for_a_model(self, frame, y):
        model = make_pipeline(OutlierExplainer(), DecisionTreeClassifier()).fit(frame, y)
        assert model.score(frame, y) == 1.0

    def test_weights_are_routed_to_fit(self, frame, y):
        with sklearn.config_context(enable_metadata_routing=True):
            explainer = OutlierExplainer(method="wccm").set_fit_request(sample_weight=True)
            pipeline = make_pipeline(explainer, LogisticRegression().set_fit_request(sample_weight=False))
            pipeline.fit(frame, y, sample_weight=np.where(y == 1, 2.0, 1.0))
        alone = OutlierExplainer(method="wccm").fit(frame, y, sample_weight=np.where(y == 1, 2.0, 1.0))
        assert pipeline[0].explanation_.to_frame().equals(alone.explanation_.to_frame())


class TestExplainedDetector:
    @pytest.mark.parametrize(
        "detector",
        [
            IForest(contamination=0.075, random_state=0),
            KNN(contamination=0.075),
            IsolationForest(contamination=0.075, random_state=0),
            LocalOutlierFactor(contamination=0.075),
            LocalOutlierFactor(contamination=0.075, novelty=True),
            make_pipeline(StandardScaler(), IForest(contamination=0.075, random_state=0)),
            make_pipeline(StandardScaler(), IsolationForest(contamination=0.075, random_state=0)),
        ],
        ids=lambda one: f"{type(one).__module__.partition('.')[0]} {str(one)[:60]}",
    )
    def test_it_passes_for_the_detector_inside(self, detector, frame):
        X = frame[["amount", "age"]]
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
        assert explain(model, X, attach=False).to_frame().equals(model.explanation_.to_frame())

    def test_labels_of_the_training_rows_come_the_detectors_own_way(self, frame):
        X = frame[["amount", "age"]]
        ours = ExplainedDetector(IsolationForest(contamination=0.075, random_state=0)).fit_predict(X)
        assert np.array_equal(ours, IsolationForest(contamination=0.075, random_state=0).fit_predict(X))
        assert set(ExplainedDetector(ECOD(contamination=0.075)).fit_predict(X)) == {0, 1}

    def test_what_only_pyod_has_passes_through(self, frame):
        X = frame[["amount", "age"]]
        model = ExplainedDetector(IForest(contamination=0.075, random_state=0)).fit(X)
        assert model.predict_confidence(X).shape == (80,)
        if not hasattr(model, "predict_with_rejection"):
            pytest.skip("predict_with_rejection came with a later PyOD")
        labels = model.predict_with_rejection(X, c_r=0.1)
        assert set(np.unique(labels)) <= {-2, 0, 1}
        assert explain(labels, frame).n_outliers == (labels == 1).sum()
        assert not hasattr(ExplainedDetector(IsolationForest()), "predict_confidence")

    def test_parameters_reach_inside(self, frame):
        model = ExplainedDetector(IForest(), OutlierExplainer())
        model.set_params(detector__contamination=0.05, explainer__max_length=1)
        assert model.get_params()["detector__contamination"] == 0.05
        fitted = clone(model).fit(frame[["amount", "age"]])
        assert fitted.labels_.sum() == 4
        assert max(map(len, (rule.tag for rule in fitted.explanation_.rules))) == 1
        assert not hasattr(model, "explanation_")
        assert not hasattr(clone(fitted), "explanation_")

    def test_a_refit_explains_anew(self, frame):
        model = ExplainedDetector(IForest(contamination=0.1, random_state=0)).fit(frame[["amount", "age"]])
        first = model.explanation_
        model.fit(frame[["amount", "age"]].iloc[6:])
        assert model.explanation_ is not first
        assert model.explanation_.n_rows == 74
        assert not model.explanation_.is_stale(model)

    def test_it_is_the_last_step_of_a_pipeline(self, frame):
        X = frame[["amount", "age"]]
        pipeline = make_pipeline(StandardScaler(), ExplainedDetector(IForest(contamination=0.075, random_state=0))).fit(
            X
        )
        assert np.array_equal(pipeline.predict(X), pipeline[-1].detector_.predict(pipeline[:-1].transform(X)))
        raw = explain(pipeline, X)
        assert {column for rule in raw.rules for column in rule.tag.columns} <= {"amount", "age"}

    def test_it_survives_pickling(self, frame):
        model = ExplainedDetector(IForest(contamination=0.075, random_state=0)).fit(frame[["amount", "age"]])
        for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert twin.explanation_.to_frame().equals(model.explanation_.to_frame())
            assert np.array_equal(twin.predict(frame[["amount", "age"]]), model.predict(frame[["amount", "age"]]))

    def test_readable_columns_can_differ_from_those_detected_on(self, frame):
        model = ExplainedDetector(IForest(contamination=0.075, random_state=0))
        model.fit(frame[["amount", "age"]].to_numpy(), features=frame)
        assert model.explanation_.outlier_table is not None
        assert {c for rule in model.explanation_.rules for c in rule.tag.columns} <= set(frame.columns)
        with pytest.raises(PyodExplainError, match="`features` must have the rows of `X`"):
            model.fit(frame[["amount", "age"]].to_numpy(), features=frame.iloc[1:])

    def test_before_fit_it_says_so(self, frame):
        with pytest.raises(NotFittedError):
            ExplainedDetector(IForest()).predict(frame)
        with pytest.raises(PyodExplainError, match="`detector` must be fitted"):
            explain(ExplainedDetector(IForest()), frame[["amount"]])


def test_a_dumped_model_is_loaded_with_its_explanation(frame, tmp_path):
    clf = IForest(contamination=0.075, random_state=0).fit(frame[["amount", "age"]].to_numpy())
    explanation = explain(clf, frame[["amount", "age"]])
    joblib.dump(clf, tmp_path / "clf.joblib")
    loaded = joblib.load(tmp_path / "clf.joblib")
    assert loaded.explanation_.to_frame().equals(explanation.to_frame())
    assert not loaded.explanation_.is_stale(loaded)

"""`OutlierExplainer` and `ExplainedDetector` keep scikit-learn's contract: its own checks, and what they leave out."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from pyod_explain import WCCM, ExplainedDetector, OutlierExplainer, PyodExplainError

pytestmark = pytest.mark.no_cover

NO_NORMALS = "the check labels rows 1 and 2 only, and outliers can only be told from normal rows (0)"
EXPECTED = {"check_estimators_dtypes": NO_NORMALS}


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
def y() -> np.ndarray:
    return np.array([1] * 6 + [0] * 74)


class TestOutlierExplainer:
    def test_parameters_are_stored_untouched(self):
        groups = [1, 2]
        assert OutlierExplainer(groups=groups).groups is groups
        assert clone(OutlierExplainer(method=WCCM(weight=3.0))).method.weight == 3.0

    def test_y_is_needed(self, frame):
        with pytest.raises(PyodExplainError, match="requires y"):
            OutlierExplainer().fit(frame)

    def test_columns_are_found_by_name_in_any_order_and_others_are_not_needed(self, frame, y):
        explainer = OutlierExplainer().fit(frame, y)
        needed = {column for rule in explainer.explanation_.rules for column in rule.tag.columns}
        expected = explainer.predict(frame)
        assert expected.tolist() == y.tolist()
        assert np.array_equal(explainer.predict(frame[frame.columns[::-1]]), expected)
        assert np.array_equal(explainer.predict(frame[sorted(needed)]), expected)
        with pytest.raises(PyodExplainError, match="amount"):
            explainer.predict(frame[["age"]])

    def test_names_of_the_fit_serve_an_array_by_their_order(self, frame, y):
        explainer = OutlierExplainer().fit(frame, y)
        assert np.array_equal(explainer.predict(frame.to_numpy(dtype=object)), explainer.predict(frame))
        nameless = OutlierExplainer().fit(frame[["amount", "age"]].to_numpy(), y)
        assert not hasattr(nameless, "feature_names_in_")
        assert np.array_equal(nameless.predict(frame[["amount", "age"]]), explainer.predict(frame))
        with pytest.raises(PyodExplainError, match="features"):
            nameless.predict(frame[["amount"]].to_numpy())

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

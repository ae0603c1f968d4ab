"""Rows that are as many as a detector was fitted on are recognised, refused, or taken with a note."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyod.models.copod import COPOD
from pyod.models.ecod import ECOD
from pyod.models.gmm import GMM
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from pyod.models.lof import LOF
from pyod.models.pca import PCA
from sklearn.base import clone
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler

from pyod_explain import PyodExplainError, explain
from pyod_explain.input import as_table, read_detector
from pyod_explain.input.detector import MAX_COMPARED_ROWS, MAX_SCORED_ROWS, are_training_rows

OTHER = r"^`X` must be the 300 rows that \w+ was fitted on, in the same order"


def rows(seed: int, n: int = 300) -> pd.DataFrame:
    """Draw rows whose outliers come last, as PyOD's own `generate_data` does for training and test rows alike."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 3))
    values[-(n // 10) :] += rng.choice([-5, 5], size=(n // 10, 1))
    return pd.DataFrame(values, columns=["a", "b", "c"])


def recognised(detector, X) -> bool | None:
    return are_training_rows(read_detector(detector), X, as_table(X))


KINDS = [IForest, KNN, LOF, ECOD, PCA, GMM]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.sampled_from([MAX_COMPARED_ROWS, MAX_COMPARED_ROWS + 1, 400]))
def test_training_rows_are_known_and_others_are_not(kind, seed, n):
    X = rows(seed, n).to_numpy()
    clf = kind(contamination=0.1).fit(X)
    assert recognised(clf, X) is True
    for other in (X[np.random.default_rng(seed).permutation(n)], rows(seed + 1, n).to_numpy()):
        assert recognised(clf, other) is not True


@pytest.mark.parametrize("kind", KINDS)
def test_other_rows_are_refused_and_a_few_changed_ones_are_not(kind):
    """Not for every seed: now and then the scores of other rows are alike enough for a note instead."""
    refused = []
    for seed in range(4):
        X = rows(seed).to_numpy()
        clf = kind(contamination=0.1).fit(X)
        assert recognised(clf, X + 0.5 * (np.arange(len(X)) % 20 == 0)[:, None]) is True
        refused.append(recognised(clf, X[np.random.default_rng(seed).permutation(len(X))]) is False)
        refused.append(recognised(clf, rows(seed + 1).to_numpy()) is False)
    assert sum(refused) >= 7


NEIGHBOURS = [
    *(KNN(n_neighbors=k, contamination=0.1) for k in (1, 2, 5)),
    *(LOF(n_neighbors=k, contamination=0.1) for k in (1, 2, 20)),
    *(LocalOutlierFactor(n_neighbors=k, novelty=True) for k in (2, 5)),
]


@pytest.mark.filterwarnings("ignore:Duplicate values:UserWarning")  # of scikit-learn's fit
@pytest.mark.parametrize("clf", NEIGHBOURS, ids=repr)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.sampled_from([21, 40, 100, 300]), tied=st.booleans())
def test_rows_that_are_their_own_neighbours_are_never_refused(clf, seed, n, tied):
    X = rows(seed, n).to_numpy()
    X = X.round() if tied else X
    assert recognised(clone(clf).fit(X), X) is not False


@pytest.mark.parametrize("scaler", [StandardScaler(), RobustScaler()], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_rows_before_scaling_are_never_refused(kind, scaler):
    X = rows(0) * [1, 100, 10_000] + [5, 0, 77]
    clf = kind(contamination=0.1).fit(scaler.fit_transform(X))
    assert recognised(clf, X) is not False


class Fake:
    """A detector whose scores of the training rows are their first column, and that counts what it is asked."""

    def __init__(self, X, answer):
        self.decision_scores_ = np.asarray(X)[:, 0]
        self.labels_ = (self.decision_scores_ > np.quantile(self.decision_scores_, 0.9)).astype(int)
        self.answer = answer
        self.asked = []

    def fit(self, X):
        return self

    def decision_function(self, X):
        self.asked.append(len(X))
        return self.answer(np.asarray(X))


def test_it_costs_a_sample():
    X = rows(0, 20_000)
    clf = Fake(X, lambda X: X[:, 0])
    assert recognised(clf, X) is True
    assert recognised(clf, X[::-1]) is False
    assert sum(clf.asked) <= 4 * MAX_COMPARED_ROWS


@pytest.mark.parametrize(("n", "known"), [(80, True), (300, True), (MAX_SCORED_ROWS + 1, None)])
def test_scores_that_depend_on_the_rows_around_are_asked_of_all_or_tell_nothing(n, known):
    """Such as those of a time series: what precedes a row decides."""
    X = rows(0, n)
    clf = Fake(X, lambda X: X[:, 0] * np.roll(X[:, 0], 1))
    clf.decision_scores_ = clf.answer(X.to_numpy())
    assert recognised(clf, X) is known
    assert recognised(clf, X[::-1]) is (False if known else None)


def fail(X):
    raise MemoryError


@pytest.mark.parametrize(
    "answer", [lambda X: np.random.default_rng().normal(size=len(X)), lambda X: np.zeros(len(X)), fail]
)
def test_random_or_equal_scores_and_failures_tell_nothing(answer):
    assert recognised(Fake(rows(0), answer), rows(0)) is None


def test_a_pipeline_is_asked_in_its_raw_columns():
    X = rows(0)
    pipe = make_pipeline(StandardScaler(), KNN(contamination=0.1)).fit(X)
    assert not explain(pipe, X, simplify=0, tags="itemsets").notes
    with pytest.raises(PyodExplainError, match=OTHER):
        explain(pipe, X[::-1])


@pytest.mark.parametrize(
    "frame", [pl.from_pandas, pa.Table.from_pandas, pd.DataFrame.to_numpy], ids=["Polars", "Arrow", "numpy"]
)
def test_any_table_is_sampled(frame):
    clf = IForest(random_state=0).fit(rows(0).to_numpy())
    assert recognised(clf, frame(rows(0))) is True
    assert recognised(clf, frame(rows(0)[::-1].reset_index(drop=True))) is False


@pytest.mark.parametrize("kind", [COPOD, ECOD])
def test_the_detector_stays_as_it_was(kind):
    clf = kind().fit(rows(0).to_numpy())
    before = {name: np.copy(value) for name, value in vars(clf).items() if isinstance(value, np.ndarray)}
    assert recognised(clf, rows(0)) is True
    assert before
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(clf, name), value)

"""Every detector that PyOD ships, and its neighbours, each fitted for real and explained."""

import importlib
import importlib.util
import inspect
import pkgutil
import warnings

import numpy as np
import pandas as pd
import pyod.models
import pytest
from boxes import N_OUTLIERS, N_ROWS, PYOD_3, SCIKIT, drawn
from pyod.models.base import BaseDetector
from pyod.models.hbos import HBOS
from pyod.models.knn import KNN
from sklearn.ensemble import IsolationForest

from pyod_explain import PyodExplainError, explain
from pyod_explain.export import to_findings

pytestmark = pytest.mark.no_cover

# What a detector needs beyond its defaults, to be quick or to run at all.
SETTINGS = {
    "ABOD": {"n_neighbors": 5},
    "AE1SVM": {"epochs": 2},
    "ALAD": {"epochs": 2},
    "AnoGAN": {"epochs": 1, "epochs_query": 1},
    "AutoEncoder": {"epoch_num": 2, "verbose": 0},
    "DeepSVDD": {"n_features": 3, "epochs": 2, "verbose": 0},
    "DIF": {"n_ensemble": 2, "n_estimators": 2},
    "FeatureBagging": {"n_estimators": 3},
    "INNE": {"n_estimators": 20},
    "LSCP": {"detector_list": [KNN(n_neighbors=3), KNN(n_neighbors=5)]},
    "LUNAR": {"n_epochs": 2},
    "MO_GAAL": {"stop_epochs": 1},
    "SO_GAAL": {"stop_epochs": 1, "epoch_num": 2},  # two classes of that name
    "SUOD": {"base_estimators": [KNN(), HBOS()], "n_jobs": 1, "verbose": False},
    "VAE": {"epoch_num": 2, "verbose": 0},
    "XGBOD": {"estimator_list": [KNN()], "standardization_flag_list": [True]},
}
# Whose scores do not tell training rows from others: KPCA's are all 0 but for rounding, RGraph's cost a fit each.
CANNOT_TELL = {"KPCA", "RGraph"}
SLOW_TO_REFUSE = {"LOCI"}  # its scores of 80 other rows may be a little alike: then a note says that nothing is sure
LEARNS_FROM_LABELS = {"XGBOD", "DevNet"}
ONE_COLUMN = {"MAD"}
# Families that take no table: each has a test of its own below.
TIME_SERIES = {
    "ts_anomaly_transformer", "ts_kshape", "ts_lstm", "ts_matrix_profile", "ts_od", "ts_sand", "ts_spectral_residual",
}  # fmt: skip
GRAPHS = {
    "pyg_anomalous", "pyg_anomalydae", "pyg_cola", "pyg_conad", "pyg_dominant", "pyg_guide", "pyg_radar", "pyg_scan",
}  # fmt: skip
EMBEDDINGS = {"embedding"}
AUDIO = {"audio_ae"}  # takes sound files, and librosa beside torch; its labels are read as any detector's
# Modules that cannot be imported without a package; where it is there, they are tested like the rest.
NEEDS = {
    **dict.fromkeys(("ae1svm", "alad", "anogan", "auto_encoder", "base_dl", "deep_svdd", "devnet", "dif", "gaal_base",
                     "lunar", "mo_gaal", "so_gaal", "so_gaal_new", "ts_anomaly_transformer", "vae"), "torch"),
    **dict.fromkeys(("combination", "feature_bagging", "suod"), "combo"),
    "xgbod": "xgboost",
}  # fmt: skip
NEEDS_WHEN_MADE = {"ts_lstm": "torch", **dict.fromkeys(GRAPHS, "torch")}


def installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def modules() -> list[str]:
    return [one.name for one in pkgutil.iter_modules(pyod.models.__path__)]


def load(module: str):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what PyOD's modules say of themselves on import
        return importlib.import_module(f"pyod.models.{module}")


def detectors_of(module: str) -> list[type]:
    found = inspect.getmembers(load(module), inspect.isclass)
    mine = [one for _, one in found if one.__module__ == f"pyod.models.{module}" and issubclass(one, BaseDetector)]
    return [one for one in mine if not inspect.isabstract(one)]


def importable(module: str) -> bool:
    return NEEDS.get(module) is None or installed(NEEDS[module])


TABULAR = [name for name in modules() if name not in TIME_SERIES | GRAPHS | EMBEDDINGS | AUDIO]
HERE = [one for name in TABULAR if importable(name) for one in detectors_of(name)]
WITH_TORCH = {name for name, package in (NEEDS | NEEDS_WHEN_MADE).items() if package == "torch"}


def marked(module: str, value):
    """Mark what needs torch, so that `-m torch` runs just that where it is installed."""
    return pytest.param(
        value, marks=pytest.mark.torch if module in WITH_TORCH else (), id=getattr(value, "__name__", module)
    )


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return drawn(seed=0)


def fitted(kind: type, settings: dict, *data, **more):
    """Fit with those of the settings that the detector has."""
    parameters = inspect.signature(kind.__init__).parameters
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the detectors' own
        clf = kind(**{name: value for name, value in settings.items() if name in parameters})
        clf.fit(*data, **more)
    return clf


@pytest.mark.parametrize("kind", [marked(one.__module__.rpartition(".")[2], one) for one in HERE])
def test_every_detector_of_pyod_is_explained(kind, frame):
    frame = frame[["width"]] if kind.__name__ in ONE_COLUMN else frame
    before = frame.copy(deep=True)
    settings = {**SETTINGS.get(kind.__name__, {}), "contamination": N_OUTLIERS / N_ROWS, "random_state": 0}
    y = {"y": np.arange(N_ROWS) < N_OUTLIERS} if kind.__name__ in LEARNS_FROM_LABELS else {}
    clf = fitted(kind, settings, frame.to_numpy(), **y)
    explanation = explain(clf, frame)
    assert clf.explanation_ is explanation
    again = explain(clf, frame)
    assert explanation.summary.detector == kind.__name__
    assert explanation.to_frame().equals(again.to_frame())
    marked = frame.index[np.asarray(clf.labels_) == 1]
    assert sorted(row for group in explanation.groups for row in group.rows) == sorted(marked)
    assert {column for rule in explanation.rules for column in rule.tag.columns} <= set(frame.columns)
    if not len(marked):
        assert "none" in str(explanation) or "Nothing" in str(explanation)
    pd.testing.assert_frame_equal(frame, before)
    noted = any("because there are as many" in note for note in explanation.notes)
    if kind.__module__.rpartition(".")[2] not in WITH_TORCH:  # some of these draw at random when asked
        assert noted == (kind.__name__ in CANNOT_TELL)
    if not noted:
        for other in (frame.sample(frac=1, random_state=1), drawn(seed=7)[list(frame)]):
            if kind.__name__ in SLOW_TO_REFUSE:
                continue
            with pytest.raises(PyodExplainError, match=r"^`X` must be the 80 rows"):
                explain(clf, other)


def test_no_detector_of_pyod_is_left_out():
    """A module is explained above, belongs to a family tested below, holds no detector, or lacks its package."""
    tested = {kind.__module__.rpartition(".")[2] for kind in HERE}
    for module in modules():
        if module in tested | TIME_SERIES | GRAPHS | EMBEDDINGS | AUDIO:
            continue
        if not importable(module):
            with pytest.raises((ImportError, NameError)):  # NameError: a module that goes on without torch
                load(module)
            continue
        assert detectors_of(module) == [], module
    assert len(HERE) >= 25


@pytest.mark.skipif(not PYOD_3, reason="time series detectors came with PyOD 3")
@pytest.mark.parametrize("module", [marked(one, one) for one in sorted(TIME_SERIES)])
def test_time_series_are_explained_through_readable_features(module):
    needed = {**NEEDS, **NEEDS_WHEN_MADE}.get(module)
    if needed and not installed(needed):
        pytest.skip(f"{module} needs {needed}")
    (kind,) = detectors_of(module)
    rng = np.random.default_rng(0)
    time = pd.date_range("2024-01-01", periods=300, freq="h", name="time")
    series = pd.Series(np.sin(np.arange(300) / 4) + rng.normal(0, 0.05, 300), index=time)
    series.iloc[150:156] += 8
    quick = {"contamination": 0.05, "epochs": 1, "d_model": 16, "n_heads": 2, "n_layers": 1}
    clf = fitted(kind, quick, series.to_numpy())
    features = pd.DataFrame({"level": series, "change": series.diff(), "night": time.hour < 6}, index=time)
    explanation = explain(clf, series, features=features)
    assert explanation.n_outliers == int(np.sum(clf.labels_))
    assert {column for rule in explanation.rules for column in rule.tag.columns} <= set(features.columns)
    assert all(isinstance(row, pd.Timestamp) for group in explanation.groups for row in group.rows)


@pytest.mark.skipif(not PYOD_3, reason="graph detectors came with PyOD 3")
@pytest.mark.parametrize("module", [marked(one, one) for one in sorted(GRAPHS)])
def test_nodes_of_a_graph_are_explained_through_readable_features(module):
    for package in ("torch", "torch_geometric"):
        if not installed(package):
            pytest.skip(f"{module} needs {package}")
    (kind,) = detectors_of(module)
    rng = np.random.default_rng(0)
    nodes = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"), index=[f"node {i}" for i in range(60)])
    nodes.iloc[:4] += 7
    ring = np.arange(60)
    edges = np.stack([np.r_[ring, ring], np.r_[(ring + 1) % 60, (ring + 2) % 60]])
    clf = fitted(kind, {"contamination": 0.1, "epochs": 2}, nodes.to_numpy(), edge_index=edges)
    explanation = explain(clf, nodes)
    assert explanation.n_outliers == int(np.sum(np.asarray(clf.labels_)))
    assert all(row in nodes.index for group in explanation.groups for row in group.rows)


class FakeGraphDetector:
    """PyGOD's fitted state: singular names, tensors that must leave their graph and device first."""

    class Tensor:
        def __init__(self, values):
            self.values = np.asarray(values)

        def detach(self):
            return self

        def cpu(self):
            return self.values

    def __init__(self, labels):
        self.label_ = self.Tensor(labels)
        self.decision_score_ = self.Tensor(np.asarray(labels) * 2.0)

    def fit(self, data):
        return self


def test_pygod_is_read_by_its_singular_names(frame):
    clf = FakeGraphDetector([1] * N_OUTLIERS + [0] * (N_ROWS - N_OUTLIERS))
    explanation = explain(clf, frame)
    assert explanation.n_outliers == N_OUTLIERS
    assert clf.explanation_ is explanation
    assert to_findings(explanation)[0]["score"] == 2.0


@pytest.mark.skipif(not PYOD_3, reason="EmbeddingOD came with PyOD 3")
def test_texts_are_explained_through_readable_features():
    from pyod.models.embedding import EmbeddingOD

    texts = [f"order {i} was shipped on time" for i in range(60)] + ["WIN MONEY NOW!!! $$$ call 555"] * 4

    def encode(texts):
        return np.array([[len(text), sum(map(str.isupper, text)), text.count("!")] for text in texts], dtype=float)

    clf = EmbeddingOD(encoder=encode, detector="KNN", contamination=0.06).fit(texts)
    features = pd.DataFrame({"shouts": [text.isupper() or "!!!" in text for text in texts], "length": map(len, texts)})
    explanation = explain(clf, texts, features=features)
    assert explanation.n_outliers == int(clf.labels_.sum()) > 0
    assert explanation.rules[0].tag.columns == ["shouts"]  # both tell them apart: yes or no takes fewer bits
    new = explain(clf, texts[:1] + texts[50:], features=features.iloc[[0, *range(50, 64)]])
    assert new.n_rows == 15


@pytest.mark.parametrize("as_frame", [True, False], ids=["frame", "array"])
@pytest.mark.parametrize("detector", SCIKIT, ids=str)
def test_scikit_learn_means_an_outlier_by_minus_one(detector, as_frame, frame):
    given = frame if as_frame else frame.to_numpy()
    if getattr(detector, "novelty", False):
        marked = np.where(detector.fit(given).negative_outlier_factor_ < detector.offset_, -1, 1)
    else:
        marked = detector.fit_predict(given)
    explanation = explain(detector, frame)
    rows = sorted(row for group in explanation.groups for row in group.rows)
    assert rows == sorted(frame.index[marked == -1])
    assert detector.explanation_ is explanation


def test_scikit_learn_without_a_flagged_row_is_no_table_full_of_outliers(frame):
    detector = IsolationForest(contamination=0.075, random_state=0).fit(frame)
    calm = frame[detector.predict(frame) == 1]
    explanation = explain(detector, calm)
    assert explanation.n_outliers == 0
    assert explanation.summary.n_normals == len(calm)


def test_pycaret_is_read_by_the_names_of_its_columns(frame):
    scored = frame.assign(Anomaly=[1] * N_OUTLIERS + [0] * (N_ROWS - N_OUTLIERS), Anomaly_Score=np.arange(N_ROWS)[::-1])
    explanation = explain("Anomaly", scored, scores="Anomaly_Score")
    assert explanation.n_outliers == N_OUTLIERS
    named = {column for rule in explanation.rules for column in rule.tag.columns}
    assert named
    assert named <= set(frame.columns)  # neither labels nor scores explain themselves
    assert to_findings(explanation)[0]["index"] == 0

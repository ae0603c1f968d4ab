"""A small table of boxes, a few of them odd, that detectors are fitted on."""

import importlib
import importlib.util

import numpy as np
import pandas as pd
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

N_ROWS, N_OUTLIERS = 80, 6


PYOD_3 = importlib.util.find_spec("pyod.utils.ad_engine") is not None


def drawn(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(N_ROWS, 3)).round(3)
    values[:N_OUTLIERS] += 6
    return pd.DataFrame(values, columns=["width", "height", "depth"], index=[f"row {i}" for i in range(N_ROWS)])


SCIKIT = [
    IsolationForest(contamination=0.075, random_state=0),
    LocalOutlierFactor(contamination=0.075),
    LocalOutlierFactor(contamination=0.075, novelty=True),
    OneClassSVM(nu=0.075),
    EllipticEnvelope(contamination=0.075, random_state=0),
]

"""Detectors of PyOD that mark 5 percent of a table's rows, and what fitting one takes.

They see numbers, with missing cells as the median and a column of their own, and the most frequent values of the other
columns as 0 and 1; all scaled.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pyod.models.ecod import ECOD
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from sklearn.preprocessing import StandardScaler

from harness.columns import Encoder
from harness.folds import SEED

CONTAMINATION = 0.05
DETECTORS = {
    "IForest": lambda: IForest(contamination=CONTAMINATION, random_state=SEED),  # 100 trees
    "ECOD": lambda: ECOD(contamination=CONTAMINATION),
    "KNN": lambda: KNN(contamination=CONTAMINATION),
}


def as_points(X: pd.DataFrame) -> NDArray[np.float64]:
    return StandardScaler().fit_transform(Encoder(X).encode(X))


def strangest(X: pd.DataFrame, detector: str) -> list[int]:
    """Give the rows that a detector marks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.flatnonzero(DETECTORS[detector]().fit(as_points(X)).labels_).tolist()


def seconds_of_iforest(X: pd.DataFrame) -> float:
    points = as_points(X)
    start = time.process_time()
    DETECTORS["IForest"]().fit(points)
    return time.process_time() - start

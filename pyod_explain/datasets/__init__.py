"""Data to develop, demonstrate and judge by: tables with planted reasons, and real data sets from UCI.

>>> from pyod_explain.datasets import make_planted
>>> make_planted(n_rows=500, random_state=0).X.shape
(500, 10)
"""

from pyod_explain.datasets.dataset import Dataset
from pyod_explain.datasets.planted import Planted, make_planted
from pyod_explain.datasets.real import (
    load_bank,
    load_census,
    load_german_credit,
    load_heart,
    load_readmission,
)

__all__ = [
    "Dataset",
    "Planted",
    "load_bank",
    "load_census",
    "load_german_credit",
    "load_heart",
    "load_readmission",
    "make_planted",
]

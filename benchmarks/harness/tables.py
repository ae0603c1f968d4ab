"""Tables that rules are looked for in: where they come from, which rows of them count, and which are outliers in truth.

The rarer class are the true outliers, of which as many rows are drawn as make 30 percent where it is more. Tables of
more than 6,000 rows are sampled. All of it with fixed seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets as scikit

from harness.folders import DATA_VARIABLE, folder
from harness.folds import SEED
from harness.uci import load_bank, load_census, load_german_credit, load_heart, load_readmission
from pyod_explain.datasets import make_planted

MOST_ROWS = 6_000
MOST_OUTLIERS = 0.3  # of the rows, where they are true labels
UNUSED = -1  # a row that is neither normal nor outlier in truth

Labelled = tuple[pd.DataFrame, NDArray[np.int64] | None]  # columns; 1 outlier, 0 normal, UNUSED; None: truth unknown


def of_classes(load: Callable, normal: str | None = None, outlier: str | None = None) -> Callable[[], Labelled]:
    """Take a class as normal (the first) and another, or all others, as outliers."""

    def make() -> Labelled:
        data = load()
        y = (data.y > 0).astype(np.int64)
        if outlier is not None:
            names = np.array(data.class_names)[data.y]
            y = np.select([names == normal, names == outlier], [0, 1], UNUSED)
        return data.X, y

    return make


def of_scikit(load: Callable, outlier: int | None) -> Callable[[], Labelled]:
    """Take one class against the rest; None where there are no classes."""

    def make() -> Labelled:
        data = load(as_frame=True)
        return data.data, None if outlier is None else np.asarray(data.target == outlier, dtype=np.int64)

    return make


def of_adbench(name: str) -> Callable[[], Labelled]:
    """Read a table of ADBench; it has no column names."""

    def make() -> Labelled:
        where = folder("adbench")
        if where is None:
            raise FileNotFoundError(f"no folder adbench in the one that {DATA_VARIABLE} names")
        with np.load(where / f"{name}.npz", allow_pickle=False) as file:
            X, y = file["X"], file["y"]
        return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]), y.astype(np.int64)

    return make


def of_planted(**options) -> Callable[[], Labelled]:
    """Make a table whose outliers have known reasons."""

    def make() -> Labelled:
        data = make_planted(**options)
        return data.X, (data.y > 0).astype(np.int64)

    return make


TABLES: dict[str, Callable[[], Labelled]] = {
    "bank": of_classes(load_bank),
    "census": of_classes(load_census),
    "german_credit": of_classes(load_german_credit),
    "heart": of_classes(load_heart),
    "readmission": of_classes(load_readmission, "NO", "<30"),
    "fault": of_adbench("12_fault"),
    "landsat": of_adbench("19_landsat"),
    "magic.gamma": of_adbench("22_magic.gamma"),
    "pendigits": of_adbench("28_pendigits"),
    "satellite": of_adbench("30_satellite"),
    "skin": of_adbench("33_skin"),
    "spambase": of_adbench("35_SpamBase"),
    "stamps": of_adbench("37_Stamps"),
    "vowels": of_adbench("40_vowels"),
    "waveform": of_adbench("41_Waveform"),
    "wdbc": of_adbench("43_WDBC"),
    "wilt": of_adbench("44_Wilt"),
    "yeast": of_adbench("47_yeast"),
    "breast_cancer": of_scikit(scikit.load_breast_cancer, 0),
    "diabetes": of_scikit(scikit.load_diabetes, None),
    "digits": of_scikit(scikit.load_digits, 8),
    "wine": of_scikit(scikit.load_wine, 2),
    "planted_2": of_planted(n_rows=2000, n_groups=2),
    "planted_3": of_planted(n_rows=6000, n_groups=3, reason_length=3),
    "planted_noisy": of_planted(n_rows=3000, n_groups=3, noise=0.1, random_state=7),
    "planted_rare": of_planted(n_rows=6000, n_groups=3, n_outliers=[380, 16, 4], random_state=11),
}
SAME_SOURCE = {"satellite": "landsat", "wdbc": "breast_cancer"}  # measurements of the same things
SAME_ROWS = {"satellite"}  # those of landsat, scaled: the detectors say nothing new, the labels do
UNLABELLED = {"diabetes"}


@lru_cache(maxsize=2)
def loaded(table: str) -> Labelled:
    """Load a table, whole; its row labels are 0, 1, 2 and so on."""
    X, y = TABLES[table]()
    return X.reset_index(drop=True), y


def drawn(X: pd.DataFrame, rows: NDArray[np.int64], n: int) -> pd.DataFrame:
    """Draw at most so many of the rows, in their order, and number them anew."""
    return X.iloc[sample(rows, n)].reset_index(drop=True)


def sample(rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    if len(rows) <= n:
        return rows
    return np.sort(np.random.default_rng(SEED).choice(rows, n, replace=False))


def true_outliers(table: str) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Give the rows whose true label is known, the rarer class thinned out where it is too frequent."""
    X, y = loaded(table)
    normals, outliers = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    if len(outliers) > len(normals):
        normals, outliers = outliers, normals
    share = min(len(outliers) / (len(normals) + len(outliers)), MOST_OUTLIERS)
    total = min(MOST_ROWS, int(len(normals) / (1 - share)))
    chosen = sample(outliers, round(share * total)), sample(normals, total - round(share * total))
    rows = np.sort(np.concatenate(chosen))
    return X.iloc[rows].reset_index(drop=True), np.isin(rows, chosen[0])

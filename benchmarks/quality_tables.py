"""The cases of `quality.py`: tables, who says which rows are outliers, the folds, and the two halves of the tables.

    from quality_tables import cases
    for case in cases("tune"):
        case.name, case.X, case.y, case.folds  # "bank/IForest", a DataFrame, True for outliers, pairs of row numbers

Outliers are those of IForest, ECOD and KNN of PyOD, 5 percent, or the true labels: the rarer class, of which as many
rows are drawn as make 30 percent where it is more. The detectors see numbers, with missing cells as the median and a
column of their own, and the most frequent values of the other columns as 0 and 1; all scaled. Tables of more than 6,000
rows are sampled. All of it with fixed seeds.

Each second table is of the half that may be looked at while tuning, in the order of `TABLES` (alphabetical within a
source); tables that share rows are of the same half. Nothing is tuned on the others.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from data_folders import folder
from numpy.typing import NDArray
from pyod.models.ecod import ECOD
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from quality_cache import Cache
from quality_columns import Encoder
from sklearn import datasets as scikit
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from pyod_explain.datasets import load_bank, load_census, load_german_credit, load_heart, load_readmission, make_planted
from pyod_explain.datasets.files import DATA_VARIABLE

MOST_ROWS = 6_000
MOST_OUTLIERS = 0.3  # of the rows, where they are true labels
CONTAMINATION = 0.05
N_FOLDS = 3
SEED = 0
VERSION = "1"  # of everything that decides on rows and labels
UNUSED = -1  # a row that is neither normal nor outlier in truth

Labelled = tuple[pd.DataFrame, NDArray[np.int64] | None]  # columns; 1 outlier, 0 normal, UNUSED; None: truth unknown
DETECTORS = {
    "IForest": lambda: IForest(contamination=CONTAMINATION, random_state=SEED),  # 100 trees
    "ECOD": lambda: ECOD(contamination=CONTAMINATION),
    "KNN": lambda: KNN(contamination=CONTAMINATION),
}


# The tables.


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


def halves() -> dict[str, str]:
    """Say of each table whether it is for tuning ("tune") or for reporting ("report")."""
    own = [name for name in TABLES if name not in SAME_SOURCE]
    found = {name: ("tune", "report")[i % 2] for i, name in enumerate(own)}
    return {name: found[SAME_SOURCE.get(name, name)] for name in TABLES}


# The cases.


@dataclass(frozen=True)
class Case:
    """A table and its outliers; nothing is loaded or fitted before it is asked for.

    Attributes
    ----------
    table, by : names of the table and of who says which rows are outliers ("truth" or a detector).
    half : "tune" or "report".
    cache : where labels are kept.
    """

    table: str
    by: str
    half: str
    cache: Cache

    @property
    def name(self) -> str:
        return f"{self.table}/{self.by}"

    def load(self) -> None:
        """Read the table and find its outliers now, so that what is missing is missed here."""
        _ = self._labelled

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802 - the field's own name
        return self._labelled[0]

    @property
    def y(self) -> NDArray[np.bool_]:
        return self._labelled[1]

    @cached_property
    def _labelled(self) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
        if self.by == "truth":
            return true_outliers(self.table)
        X, _ = loaded(self.table)
        X = drawn(X, np.arange(len(X)), MOST_ROWS)
        found = self.cache.ask(self.name, "labels", VERSION, lambda: strangest(X, self.by))
        y = np.zeros(len(X), dtype=bool)
        y[found] = True
        return X, y

    @cached_property
    def folds(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Rows to find rules on, and rows to judge them by."""
        split = StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED)
        return list(split.split(np.zeros(len(self.y)), self.y))

    @property
    def yardstick(self) -> float:
        """CPU seconds that IForest takes to fit the rows of the first fold, which is what a user waits for anyway."""
        known, _ = self.folds[0]
        return self.cache.ask(self.name, "yardstick", VERSION, lambda: seconds_of_iforest(self.X.iloc[known]))


def cases(half: str = "both", *, only: Sequence[str] = (), cache: str | Path | None = None) -> Iterator[Case]:
    """Give the cases of a half ("tune", "report", "both"), or those whose names have one of these words."""
    kept = Cache(None if cache is None else Path(cache))
    for table, own in halves().items():
        for by in (*DETECTORS, "truth"):
            case = Case(table, by, own, kept)
            if (by == "truth" and table in UNLABELLED) or (by != "truth" and table in SAME_ROWS):
                continue
            if half in (own, "both") and (not only or any(word in case.name for word in only)):
                yield case


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

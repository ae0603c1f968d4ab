"""Labels and detectors: whatever people pass to say which rows are outliers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.cluster import DBSCAN, KMeans
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression

from hostile.case import LETTERS, SUMMER, Case, N, Thing, Y, case, table, values

CASES: list[Case] = []


def as_labels(name: str, make: Callable[[], Any], refused: str | None = None, labels: Any = Y) -> None:
    CASES.append(Case(f"labels: {name}", lambda: {"detector": make(), "X": table()}, refused, labels))


def unfitted_pyod() -> Any:
    from pyod.models.ecod import ECOD

    return ECOD()


as_labels("booleans", lambda: Y == 1)
as_labels("a list", Y.tolist)
as_labels("a tuple", lambda: tuple(Y.tolist()))
as_labels("whole floats", lambda: Y.astype(float))
as_labels("uint8", lambda: Y.astype(np.uint8))
as_labels("objects", lambda: Y.astype(object))
as_labels("scikit-learn's", lambda: 1 - 2 * Y)
as_labels("a rejected row", lambda: np.array([-2, *Y[1:]]), None, np.array([-1, *Y[1:]]))
as_labels("a rejected row and groups", lambda: np.array([-2, *Y[1:-2], 7, 7]), None, np.array([-1, *Y[1:]]))
as_labels("only rejected rows and normals", lambda: np.where(Y, -2, 0), None, -Y)
as_labels("only rejected rows", lambda: np.full(N, -2), None, np.full(N, -1))
as_labels("group numbers", lambda: Y * (1 + np.arange(N) % 2))
as_labels("group numbers with gaps", lambda: Y * (40 + np.arange(N) % 2))
as_labels("no outliers", lambda: np.zeros(N, dtype=int), None, np.zeros(N, dtype=int))
as_labels("only outliers", lambda: np.ones(N, dtype=int), "detector")
as_labels("only scikit-learn's outliers", lambda: -np.ones(N, dtype=int), "detector")
as_labels("other negative numbers", lambda: Y - 5, "detector")
as_labels("a clusterer's labels", lambda: Y * 2 - 1 + (np.arange(N) % 2), "detector")
as_labels("scores", lambda: np.linspace(0, 1, N), "detector")
as_labels("NaN", lambda: np.where(Y, np.nan, 0.0), "detector")
as_labels("infinite", lambda: np.where(Y, np.inf, 0.0), "detector")
as_labels("huge numbers", lambda: Y.astype(np.uint64) * np.uint64(2**63), "detector")
as_labels("text", lambda: np.where(Y, "yes", "no"), "detector")
as_labels("numbers as text", lambda: Y.astype(str), "detector")
as_labels("None", lambda: [None] * N, "detector")
as_labels("nullable integers", lambda: pd.Series(Y, dtype="Int64"))
as_labels("nullable integers with gaps", lambda: pd.Series([pd.NA, *Y[1:]], dtype="Int64"), "detector")
as_labels("categories", lambda: pd.Series(pd.Categorical(Y)))
as_labels("dates", lambda: SUMMER, "detector")
as_labels("too few", lambda: Y[1:], "detector")
as_labels("too many", lambda: np.r_[Y, 0], "detector")
as_labels("none at all", list, "detector")
as_labels("a table of one column", lambda: Y.reshape(-1, 1))
as_labels("a table of two columns", lambda: np.c_[Y, Y], "detector")
as_labels("a row", lambda: Y.reshape(1, -1), "detector")
as_labels("a ragged list", lambda: [[0], [0, 1]] * (N // 2), "detector")
as_labels("lists in a list", lambda: [[0, 1]] * N, "detector")
as_labels("a frame of one column", lambda: pd.DataFrame({"y": Y}))
as_labels("a Polars Series", lambda: pl.Series(Y))
as_labels("an Arrow array", lambda: pa.array(Y))
as_labels("a set", lambda: {0, 1}, "detector")
as_labels("a generator", lambda: (one for one in Y), "detector")
as_labels("a dict", lambda: dict(enumerate(Y.tolist())), "detector")
as_labels("a number", lambda: 1, "detector")
as_labels("None instead of labels", lambda: None, "detector")
as_labels("an object", Thing, "detector")
as_labels("a name that is no column", lambda: "nothing", "detector")
as_labels("the name of a column of text", lambda: "kind", "detector")
as_labels("the name of a column of numbers", lambda: "amount", "detector")
as_labels("an unfitted detector", unfitted_pyod, "detector")
as_labels("an unfitted scikit-learn detector", IsolationForest, "detector")
as_labels("a detector's class", lambda: IsolationForest, "detector")
as_labels("a clusterer", lambda: KMeans(2, n_init=1).fit(table()[["amount"]]), "detector")
as_labels("a density clusterer", lambda: DBSCAN().fit(table()[["amount"]]), "detector")
as_labels("a regressor", lambda: LinearRegression().fit(table()[["amount"]], Y), "detector")
as_labels("a detector that cannot read the columns", lambda: IsolationForest(random_state=0).fit(values()), "X")
as_labels("an empty dict", dict, "detector")


@case(CASES, "labels: a Series in another order")
def _():
    X = table().set_axis(LETTERS)
    return {"detector": pd.Series(Y, index=LETTERS)[::-1], "X": X}


@case(CASES, "labels: a Series of other rows", "detector")
def _():
    return {"detector": pd.Series(Y, index=[f"other {i}" for i in range(N)]), "X": table().set_axis(LETTERS)}


@case(CASES, "labels: a Series without labels of its own, X has some")
def _():
    return {"detector": pd.Series(Y), "X": table().set_axis(LETTERS)}


@case(CASES, "labels: a default index beside shuffled numbers", "detector")
def _():
    return {"detector": pd.Series(Y), "X": table().set_axis(np.random.default_rng(0).permutation(N))}


@case(CASES, "labels: shuffled numbers beside a default index", "detector")
def _():
    return {"detector": pd.Series(Y, index=np.random.default_rng(0).permutation(N)), "X": table()}


@case(CASES, "labels: a Series with any index beside an array")
def _():
    return {"detector": pd.Series(Y, index=LETTERS), "X": values()}


INDEXED: dict[str, Callable[[Any], dict[str, Any]]] = {
    "groups": lambda index: {"detector": Y, "groups": pd.Series(np.arange(N) % 2, index=index)},
    "scores": lambda index: {"detector": None, "scores": pd.Series(Y * 1.0, index=index), "threshold": 0.5},
    "features": lambda index: {"detector": Y, "features": table().set_axis(index)},
    "tags": lambda index: {"detector": Y, "tags": pd.DataFrame({"odd": Y == 1}, index=index)},
}
for indexed_name, make_indexed in INDEXED.items():
    CASES.append(
        Case(
            f"{indexed_name}: a default index beside shuffled numbers",
            lambda make=make_indexed: {
                "X": table().set_axis(np.random.default_rng(0).permutation(N)),
                **make(pd.RangeIndex(N)),
            },
            indexed_name,
        )
    )


@case(CASES, "labels: a column with gaps", "detector")
def _():
    return {"detector": "label", "X": table(label=np.where(Y, np.nan, 0))}


@case(CASES, "labels: a column of booleans")
def _():
    return {"detector": "label", "X": table(label=Y == 1)}


@case(CASES, "labels: the only column", "X")
def _():
    return {"detector": "label", "X": pd.DataFrame({"label": Y})}

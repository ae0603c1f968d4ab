"""Labels and detectors: whatever people pass to say which rows are outliers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest

from hostile.case import LETTERS, Case, N, Y, table, values

CASES: list[Case] = []


def as_labels(name: str, make: Callable[[], Any], refused: str | None = None, labels: Any = Y) -> None:
    CASES.append(Case(f"labels: {name}", lambda: {"detector": make(), "X": table()}, refused, labels))


def unfitted_pyod() -> Any:
    from pyod.models.ecod import ECOD

    return ECOD()


as_labels("scikit-learn's", lambda: 1 - 2 * Y)
as_labels("a rejected row", lambda: np.array([-2, *Y[1:]]), None, np.array([-1, *Y[1:]]))
as_labels("a rejected row and groups", lambda: np.array([-2, *Y[1:-2], 7, 7]), None, np.array([-1, *Y[1:]]))
as_labels("only rejected rows and normals", lambda: np.where(Y, -2, 0), None, -Y)
as_labels("group numbers", lambda: Y * (1 + np.arange(N) % 2))
as_labels("no outliers", lambda: np.zeros(N, dtype=int), None, np.zeros(N, dtype=int))
as_labels("only outliers", lambda: np.ones(N, dtype=int), "detector")
as_labels("a clusterer's labels", lambda: Y * 2 - 1 + (np.arange(N) % 2), "detector")
as_labels("scores", lambda: np.linspace(0, 1, N), "detector")
as_labels("text", lambda: np.where(Y, "yes", "no"), "detector")
as_labels("nullable integers with gaps", lambda: pd.Series([pd.NA, *Y[1:]], dtype="Int64"), "detector")
as_labels("too few", lambda: Y[1:], "detector")
as_labels("a table of one column", lambda: Y.reshape(-1, 1))
as_labels("a frame of one column", lambda: pd.DataFrame({"y": Y}))
as_labels("a Polars Series", lambda: pl.Series(Y))
as_labels("an Arrow array", lambda: pa.array(Y))
as_labels("a generator", lambda: (one for one in Y), "detector")
as_labels("None instead of labels", lambda: None, "detector")
as_labels("a name that is no column", lambda: "nothing", "detector")
as_labels("the name of a column of text", lambda: "kind", "detector")
as_labels("an unfitted detector", unfitted_pyod, "detector")
as_labels("a clusterer", lambda: KMeans(2, n_init=1).fit(table()[["amount"]]), "detector")
as_labels("a detector that cannot read the columns", lambda: IsolationForest(random_state=0).fit(values()), "X")


SHUFFLED = np.random.default_rng(0).permutation(N)
ALIGNED: dict[str, tuple[Any, Any, str | None]] = {  # labels, table, refused
    "a Series in another order": (pd.Series(Y, index=LETTERS)[::-1], table().set_axis(LETTERS), None),
    "a Series of other rows": (pd.Series(Y, index=LETTERS).add_prefix("other "), table().set_axis(LETTERS), "detector"),
    "a Series without labels of its own, X has some": (pd.Series(Y), table().set_axis(LETTERS), None),
    "a default index beside shuffled numbers": (pd.Series(Y), table().set_axis(SHUFFLED), "detector"),
    "shuffled numbers beside a default index": (pd.Series(Y, index=SHUFFLED), table(), "detector"),
    "a column with gaps": ("label", table(label=np.where(Y, np.nan, 0)), "detector"),
    "the only column": ("label", pd.DataFrame({"label": Y}), "X"),
}
for aligned_name, (given_labels, given_table, refused) in ALIGNED.items():
    arguments = {"detector": given_labels, "X": given_table}
    CASES.append(Case(f"labels: {aligned_name}", lambda given=arguments: given, refused))
INDEXED: dict[str, Callable[[Any], dict[str, Any]]] = {
    "groups": lambda index: {"detector": Y, "groups": pd.Series(np.arange(N) % 2, index=index)},
    "scores": lambda index: {"detector": None, "scores": pd.Series(Y * 1.0, index=index), "threshold": 0.5},
    "features": lambda index: {"detector": Y, "features": table().set_axis(index)},
    "tags": lambda index: {"detector": Y, "tags": pd.DataFrame({"odd": Y == 1}, index=index)},
}
for indexed_name, make_indexed in INDEXED.items():
    arguments = {"X": table().set_axis(SHUFFLED), **make_indexed(pd.RangeIndex(N))}
    name = f"{indexed_name}: a default index beside shuffled numbers"
    CASES.append(Case(name, lambda given=arguments: given, indexed_name))

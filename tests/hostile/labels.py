"""Labels and detectors: whatever people pass to say which rows are outliers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyod.models.ecod import ECOD
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest

from hostile.case import Case, N, Y, table, values

CASES: list[Case] = []


def as_labels(name: str, make: Callable[[], Any], refused: str | None = None, labels: Any = Y) -> None:
    CASES.append(Case(f"labels: {name}", lambda: {"detector": make(), "X": table()}, refused, labels))


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
as_labels("an unfitted detector", ECOD, "detector")
as_labels("a clusterer", lambda: KMeans(2, n_init=1).fit(table()[["amount"]]), "detector")
as_labels("a detector that cannot read the columns", lambda: IsolationForest(random_state=0).fit(values()), "X")
COLUMNS = [("with gaps", table(label=np.where(Y, np.nan, 0)), "detector"), ("alone", pd.DataFrame({"label": Y}), "X")]
for column_name, given_table, wrong in COLUMNS:
    arguments = {"detector": "label", "X": given_table}
    CASES.append(Case(f"labels: a column {column_name}", lambda given=arguments: given, wrong))

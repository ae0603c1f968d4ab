"""Tables in every container and shape, with odd names of columns and odd labels of rows."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from hostile.case import HTML, SQL, SUMMER, Case, N, Y, split, table, values

CASES: list[Case] = []

# --- names of columns -------------------------------------------------------------------------------------------------


def renamed(name: Any) -> pd.DataFrame:
    names = np.empty(2, dtype=object)  # cell by cell: a tuple is a name too
    names[0], names[1] = name, "kind"
    return table().set_axis(pd.Index(names, dtype=object, tupleize_cols=False), axis=1)


NAMES = [
    "index", "level_0", "and", "", " ", "🙂", "n" * 10_000, HTML, SQL, "a\nb", "a\0b", "`back`", "{0} %s", "\ud800",
    "x0", "group", "1", "amount >= 3", "__class__", "None",
    0, 1.5, None, np.nan, True, ("a", 1), pd.Timestamp("2024-01-01"), b"bytes", dt.date(2024, 1, 1), np.int64(3),
]  # fmt: skip
CASES.extend(Case(f"a column named {one!r:.20}", lambda one=one: {"detector": Y, "X": renamed(one)}) for one in NAMES)


# --- shapes and containers --------------------------------------------------------------------------------------------


def as_x(name: str, make: Callable[[], Any], refused: str | None = None, labels: Any = Y) -> None:
    CASES.append(Case(f"X: {name}", lambda: {"detector": labels, "X": make()}, refused, labels))


def read_only() -> np.ndarray:
    array = values()
    array.flags.writeable = False
    return array


as_x("an array", values)
as_x("a read-only array", read_only)
as_x("an array of objects", lambda: table().to_numpy(dtype=object))
as_x("an array with infinity", lambda: np.where(values() > 140, np.inf, values()), "X")
as_x("a masked array", lambda: np.ma.masked_less(values(), 1.0))
as_x("a structured array", lambda: table().to_records(index=False), "X")
as_x("a list of lists", lambda: values().tolist())
as_x("a ragged list", lambda: [[1.0], [1.0, 2.0]] * (N // 2), "X")
as_x("a dict of lists", lambda: table().to_dict("list"), "X")
as_x("a CSR matrix", lambda: sparse.csr_matrix(values()))
as_x("a Polars frame", lambda: pl.from_pandas(table()))
as_x("a lazy Polars frame", lambda: pl.from_pandas(table()).lazy())
as_x("a Polars frame with gaps and lists", lambda: pl.DataFrame({"a": [[1]] * N}), "X")
as_x("Polars time stamps with a zone", lambda: pl.DataFrame({"a": list(SUMMER.to_pydatetime())}))
as_x("Polars categories", lambda: pl.DataFrame({"a": pl.Series(split("a", "b"), dtype=pl.Categorical)}))
as_x("a Polars column of nothing but gaps", lambda: pl.DataFrame({"a": [None] * N}))
as_x("Polars Float32 with gaps", lambda: pl.DataFrame({"a": [None, 0.1, 0.2] * (N // 3)}, {"a": pl.Float32}))
as_x("an Arrow table", lambda: pa.Table.from_pandas(table()))
as_x("a Series", lambda: table()["amount"], "X")
as_x("None", lambda: None, "X")
as_x("a generator", lambda: (row for row in values()), "X")
as_x("no rows", lambda: table().iloc[:0], "X")
as_x("no columns", lambda: table()[[]], "X")
as_x("one row, an outlier", lambda: pd.DataFrame({"a": [1]}), "detector", np.array([1]))
as_x("two rows", lambda: pd.DataFrame({"a": [1, 9]}), None, np.array([0, 1]))
as_x("all cells missing", lambda: pd.DataFrame(np.full((N, 3), np.nan)))
as_x("3,000 columns", lambda: np.random.default_rng(0).normal(size=(N, 3_000)))
as_x("more outliers than normals", table, None, 1 - Y)

# --- row labels -------------------------------------------------------------------------------------------------------

as_x("row labels of two levels", lambda: table().set_axis(pd.MultiIndex.from_product([range(N // 2), ["a", "b"]])))
as_x("row labels all the same", lambda: table().set_axis([HTML] * N))
as_x("row labels that are tuples", lambda: table().set_axis(pd.Index([(i, i) for i in range(N)], tupleize_cols=False)))
as_x("columns with two levels", lambda: table().set_axis(pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]), axis=1))
as_x("two columns of one name", lambda: table().set_axis(["a", "a"], axis=1), "X")
as_x("two columns of one name as text", lambda: table().set_axis([1, "1"], axis=1), "X")

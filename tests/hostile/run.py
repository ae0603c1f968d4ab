"""Odd and bad inputs: each ends in a true explanation or in one clear error that names the argument.

Run `python benchmarks/robustness.py` for the table, `--failed` for the failures only. An input passes if

- what was expected happens: an explanation, or a `PyodExplainError` or `TypeError` whose message names the argument;
- every printed rule, evaluated cell by cell and exactly on the user's own table, gives exactly the printed counts;
- no warning is raised, the input is unchanged byte for byte, and it takes less than 30 seconds.
"""

from __future__ import annotations

import argparse
import datetime as dt
import decimal
import enum
import fractions
import io
import ipaddress
import operator
import pathlib
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse
from sklearn.cluster import DBSCAN, KMeans
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression

from pyod_explain import BCCM, Condition, Explanation, PyodExplainError, Tag, explain

N, K = 60, 6  # rows, and outliers: the last ones
Y = np.array([0] * (N - K) + [1] * K)
LIMIT = 30.0  # seconds


@dataclass
class Case:
    """One odd input: what to pass, and what must come of it.

    `refused` is the argument that the error must name, or None if an explanation must come out. `labels` are the true
    labels of the rows, by which the counts are checked (-1: neither).
    """

    name: str
    make: Callable[[], dict[str, Any]]
    refused: str | None = None
    labels: Any = field(default_factory=lambda: Y)


CASES: list[Case] = []


def case(name: str, refused: str | None = None, labels: Any = None) -> Callable[[Callable[[], Any]], None]:
    def add(make: Callable[[], Any]) -> None:
        CASES.append(Case(name, make, refused, Y if labels is None else labels))

    return add


def table(**columns: Any) -> pd.DataFrame:
    """Make the usual table: a number that tells the outliers, a category, and further columns."""
    rng = np.random.default_rng(0)
    amount = rng.normal(50, 5, N).round(2)
    amount[Y == 1] += 100
    return pd.DataFrame({"amount": amount, "kind": np.where(np.arange(N) % 3, "a", "b"), **columns})


def column(values: Any, dtype: Any = None) -> pd.Series:
    return pd.Series(list(values), dtype=dtype)


def split(normal: Any, outlier: Any) -> list[Any]:
    """List one value for every normal row and another for every outlier."""
    return [normal] * (N - K) + [outlier] * K


def only(name: str, values: Any, refused: str | None = None) -> None:
    """Add two cases: the column beside the usual ones, and alone."""
    CASES.append(Case(f"column: {name}", lambda: {"detector": Y, "X": table(odd=values())}, refused))
    CASES.append(Case(f"only column: {name}", lambda: {"detector": Y, "X": pd.DataFrame({"odd": values()})}, refused))


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Thing:
    """An object that hashes and compares by identity, and prints with its address."""


THINGS = (Thing(), Thing())
ZONE = "Europe/Berlin"
day = dt.datetime  # with and without a zone, as people have them
SUMMER = pd.date_range("2024-03-30 12:00", periods=N, freq="h", tz=ZONE)
HTML = "<script>alert('x')</script>&amp;"
SQL = "'; DROP TABLE users; --"

# --- columns --------------------------------------------------------------------------------------------------------

only("float32", lambda: np.linspace(0, 1, N, dtype=np.float32))
only("float16", lambda: np.linspace(0, 1, N, dtype=np.float16))
only("longdouble", lambda: np.linspace(0, 1, N).astype(np.longdouble))
only("int8 at its limits", lambda: np.array(split(-128, 127), dtype=np.int8))
only("uint8", lambda: np.array(split(0, 255), dtype=np.uint8))
only("uint64 at its limit", lambda: np.array(split(2**63, 2**64 - 1), dtype=np.uint64))
only("int64 at its limits", lambda: np.array(split(-(2**63), 2**63 - 1), dtype=np.int64))
only("integers beyond 2**53", lambda: np.array([2**53 + i for i in range(N)]))
only("integers beyond 64 bits", lambda: column([10**30 + i for i in range(N)], object))
only("integers beyond 2**53 and floats", lambda: column([2**53 + i if i % 2 else 0.5 for i in range(N)], object))
only("floats a bit apart", lambda: np.nextafter(np.array(split(0.7, 0.8)), np.arange(N)))
only("float32 a bit apart", lambda: 1 + np.arange(N, dtype=np.float32) * np.finfo(np.float32).eps)
only("longdouble a bit apart", lambda: 1 + np.arange(N) * np.finfo(np.longdouble).eps)
only("longdouble beyond all floats", lambda: column([*range(N - 1), np.longdouble("1e400")], object), "X")
only("decimals of many digits", lambda: column([1 + decimal.Decimal(i).scaleb(-25) for i in range(N)], object))
only("a decimal beyond all floats", lambda: column([decimal.Decimal(1)] * (N - 1) + [decimal.Decimal("1e400")]), "X")
only("a decimal that is no number", lambda: column([decimal.Decimal(1)] * (N - 1) + [decimal.Decimal("NaN")]))
only("a decimal that signals", lambda: column([decimal.Decimal(1)] * (N - 1) + [decimal.Decimal("sNaN")]), "X")
LARGE = pd.Index([10**400, 10**400 + 1, 10**400 + 2], dtype=object)
only("categories of large integers", lambda: pd.Categorical.from_codes(np.arange(N) % 3, categories=LARGE))
only("time stamps a nanosecond apart", lambda: pd.to_datetime(np.arange(N)))
only("durations a nanosecond apart", lambda: pd.to_timedelta(np.arange(N)))
only("durations in seconds", lambda: np.arange(N).astype("m8[s]"))
only("a duration of ages", lambda: np.array([1] * (N - 1) + [2**61]).astype("m8[s]"), "X")
only("an integer beyond all floats", lambda: column([*range(N - 1), 10**400], object), "X")
only("the largest floats", lambda: np.array(split(-1.7e308, 1.7e308)))
only("subnormal floats", lambda: np.array(split(0.0, 5e-324)))
only("negative zero", lambda: np.array(split(0.0, -0.0)))
only("infinite", lambda: np.array([*np.arange(N - 1.0), np.inf]), "X")
only("negative infinite", lambda: np.array([*np.arange(N - 1.0), -np.inf]), "X")
only("NaN now and then", lambda: np.where(np.arange(N) % 4, np.arange(N), np.nan))
only("NaN for the outliers", lambda: np.where(Y, np.nan, np.arange(N)))
only("NaN for the normals", lambda: np.where(Y, np.arange(N), np.nan))
only("all missing floats", lambda: np.full(N, np.nan))
only("all None", lambda: column([None] * N, object))
only("all NaT", lambda: pd.Series([pd.NaT] * N))
only("all pd.NA", lambda: column([pd.NA] * N, object))
only("None, NaN, NaT and NA mixed", lambda: column([None, np.nan, pd.NaT, pd.NA, 1.5] * (N // 5), object))
only("constant", lambda: np.ones(N))
only("booleans", lambda: Y == 1)
only("booleans as objects with None", lambda: column([*[True, False, None] * (N // 3)], object))
only("nullable booleans", lambda: column(split(pd.NA, True), "boolean"))
only("nullable integers", lambda: column([pd.NA, 1, 2] * (N // 3), "Int64"))
only("nullable unsigned bytes", lambda: column([pd.NA, 1, 255] * (N // 3), "UInt8"))
only("nullable floats", lambda: column([pd.NA, 1.5, 2.5] * (N // 3), "Float32"))
only("pandas strings", lambda: column(split("", "a"), "string"))
only("Arrow strings with gaps", lambda: column(["a", None, "b"] * (N // 3), pd.ArrowDtype(pa.string())))
only("Arrow integers with gaps", lambda: column([1, None, 3] * (N // 3), pd.ArrowDtype(pa.int32())))
only("Arrow floats", lambda: column(split(1.5, None), pd.ArrowDtype(pa.float64())))
only("Arrow booleans with gaps", lambda: column([True, None, False] * (N // 3), pd.ArrowDtype(pa.bool_())))
only("Arrow time stamps", lambda: pd.Series(SUMMER).astype(pd.ArrowDtype(pa.timestamp("us", tz=ZONE))))
only("Arrow dates", lambda: pd.Series(SUMMER.tz_localize(None)).astype(pd.ArrowDtype(pa.date32())))
only("Arrow durations", lambda: column(pd.to_timedelta(range(N), "h"), pd.ArrowDtype(pa.duration("s"))))
only("Arrow decimals", lambda: column([decimal.Decimal(i) for i in range(N)], pd.ArrowDtype(pa.decimal128(9, 2))))
only("Arrow lists", lambda: column([[1, 2]] * N, pd.ArrowDtype(pa.list_(pa.int64()))), "X")
only("Arrow dictionaries", lambda: column(split("a", "b"), pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))))
only("categories", lambda: pd.Categorical(split("a", "b"), categories=["b", "a", "unused"]))
only("ordered categories", lambda: pd.Categorical(split("low", "high"), ["low", "mid", "high"], ordered=True))
only("categories with gaps", lambda: pd.Categorical(split(None, "b")))
only("categories of numbers", lambda: pd.Categorical(np.arange(N) % 7))
only("categories of dates", lambda: pd.Categorical(SUMMER.tz_localize(None).normalize()))
only("interval categories", lambda: pd.cut(np.arange(N), 5))
only("intervals", lambda: pd.arrays.IntervalArray.from_breaks(range(N + 1)))
only("periods", lambda: pd.period_range("2020-01", periods=N, freq="M"))
only("dates with a zone, across the change of clocks", lambda: SUMMER)
only("dates with a fixed offset", lambda: SUMMER.tz_convert(dt.timezone(dt.timedelta(hours=5, minutes=30))))
if pd.__version__ >= "3":  # earlier ones cannot read their own column back with today's dateutil
    only("dates with a zone of dateutil", lambda: SUMMER.tz_convert("dateutil/Europe/Paris"))
only("dates without a zone", lambda: SUMMER.tz_localize(None))
only("dates by the second", lambda: SUMMER.tz_localize(None).as_unit("s"))
only(
    "dates beyond 2262",
    lambda: column(split(np.datetime64("2024-01-01"), np.datetime64("9999-12-31")), "datetime64[s]"),
    "X",
)
only("datetime objects", lambda: column([day(2024, 1, 1 + i % 28) for i in range(N)], object))
only(
    "datetime objects beyond 2262",
    lambda: column(split(day(2024, 1, 1), day(9999, 12, 31)), object),
    "X",
)
only(
    "datetime objects, some with a zone",
    lambda: column(split(day(2024, 1, 1), day(2024, 6, 1, tzinfo=dt.UTC)), object),
)
only("date objects", lambda: column([dt.date(2024, 1, 1 + i % 28) for i in range(N)], object))
only("time objects", lambda: column([dt.time(i % 24) for i in range(N)], object))
only("durations", lambda: pd.to_timedelta(np.arange(N), "min"))
only("timedelta objects with None", lambda: column([dt.timedelta(hours=1), None] * (N // 2), object))
only("decimals", lambda: column([decimal.Decimal(i) / 3 for i in range(N)], object))
only("decimals that are not numbers", lambda: column([decimal.Decimal("NaN"), decimal.Decimal(1)] * (N // 2), object))
only("fractions", lambda: column([fractions.Fraction(i, 7) for i in range(N)], object))
only("complex numbers", lambda: np.arange(N) * 1j, "X")
only("complex numbers as objects", lambda: column([1j] * N, object), "X")
only("numbers as objects", lambda: column(range(N), object))
only("numbers as text", lambda: column(map(str, range(N))))
only("numbers and text", lambda: column([1, "1"] * (N // 2), object))
only("True, 1 and 1.0", lambda: column([True, 1, 1.0] * (N // 3), object))
only("empty text", lambda: column(split("", " ")))
only("text that reads nan", lambda: column(split("nan", "None")))
only("emoji", lambda: column(split("🙂", "👩‍👩‍👧‍👦")))
only("text of 10,000 characters", lambda: column(split("a" * 10_000, "b" * 10_000)))
only("text with a line break and a NUL", lambda: column(split("a\nb", "a\0b")))
only("lone surrogates", lambda: column(split("a", "\ud800"), object))
only("HTML", lambda: column(split("a", HTML)))
only("SQL", lambda: column(split("a", SQL)))
only("bytes", lambda: column(split(b"a", b"\xff"), object))
only("tuples", lambda: column(split((1, 2), (3,)), object))
only("frozensets", lambda: column(split(frozenset({1}), frozenset({2})), object), "X")
only("lists", lambda: column([[1, 2]] * N, object), "X")
only("dicts", lambda: column([{"a": 1}] * N, object), "X")
only("sets", lambda: column([{1}] * N, object), "X")
only("arrays in cells", lambda: column([np.arange(2)] * N, object), "X")
only("tuples that hold lists", lambda: column([([1],)] * N, object), "X")
only("enums", lambda: column(split(Colour.RED, Colour.BLUE), object))
only("objects that print their address", lambda: column(split(*THINGS), object))
only("functions", lambda: column(split(len, print), object))
only("UUIDs", lambda: column([uuid.UUID(int=i) for i in range(N)], object))
only("IP addresses", lambda: column([ipaddress.ip_address(i) for i in range(N)], object))
only("paths", lambda: column([pathlib.PurePosixPath(f"/{i % 5}") for i in range(N)], object))
only("numpy scalars", lambda: column([np.int8(i) for i in range(N)], object))
only("numpy strings", lambda: column([np.str_(i % 4) for i in range(N)], object))
only("sparse floats", lambda: pd.arrays.SparseArray(np.where(Y, 3.0, 0.0)))
only("sparse with gaps", lambda: pd.arrays.SparseArray(np.where(Y, 3.0, np.nan)))
only("sparse integers", lambda: pd.arrays.SparseArray(Y.astype(np.int32)))
only("a different text in every row", lambda: column(f"id{i}" for i in range(N)))

# --- names ----------------------------------------------------------------------------------------------------------


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


@case("columns with two levels")
def _():
    return {"detector": Y, "X": table().set_axis(pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]), axis=1)}


@case("two columns of one name", "X")
def _():
    return {"detector": Y, "X": table().set_axis(["a", "a"], axis=1)}


@case("two columns of one name as text", "X")
def _():
    return {"detector": Y, "X": table().set_axis([1, "1"], axis=1)}


@case("columns named by categories")
def _():
    return {"detector": Y, "X": table().set_axis(pd.CategoricalIndex(["a", "b"]), axis=1)}


# --- shapes and containers ------------------------------------------------------------------------------------------


def values() -> np.ndarray:
    return table()[["amount"]].assign(other=np.arange(N) % 5).to_numpy(dtype=float)


def as_x(name: str, make: Callable[[], Any], refused: str | None = None, labels: Any = Y) -> None:
    CASES.append(Case(f"X: {name}", lambda: {"detector": labels, "X": make()}, refused, labels))


def read_only() -> np.ndarray:
    array = values()
    array.flags.writeable = False
    return array


def matrix() -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy advises against them, and people have them
        return np.asmatrix(values())


as_x("an array", values)
as_x("a read-only array", read_only)
as_x("a read-only frame", lambda: pd.DataFrame(read_only()))
as_x("Fortran order", lambda: np.asfortranarray(values()))
as_x("a transposed view", lambda: np.ascontiguousarray(values().T).T)
as_x("every other row of an array", lambda: np.repeat(values(), 2, axis=0)[::2])
as_x("every other column of an array", lambda: np.repeat(values(), 2, axis=1)[:, ::2])
as_x("an array read backwards", lambda: values()[::-1][::-1])
as_x("big-endian numbers", lambda: values().astype(">f8"))
as_x("big-endian integers in a frame", lambda: pd.DataFrame(values().astype(">i4")))
as_x("a float32 array", lambda: values().astype(np.float32))
as_x("a float16 array", lambda: values().astype(np.float16))
as_x("an int8 array", lambda: (values() / 2).astype(np.int8))
as_x("a boolean array", lambda: values() > 50)
as_x("an array of objects", lambda: table().to_numpy(dtype=object))
as_x("an array of text", lambda: table().astype(str).to_numpy(dtype=str))
as_x("an array of bytes", lambda: table()[["kind"]].to_numpy(dtype="S"))
as_x("an array of dates", lambda: np.array(SUMMER.tz_localize(None)).reshape(-1, 1))
as_x("a complex array", lambda: values() * 1j, "X")
as_x("an array with infinity", lambda: np.where(values() > 140, np.inf, values()), "X")
as_x("a masked array", lambda: np.ma.masked_less(values(), 1.0))
as_x("a matrix", matrix)
as_x("a structured array", lambda: table().to_records(index=False), "X")
as_x("a memory map", lambda: np.frombuffer(values().tobytes()).reshape(N, 2))
as_x("a list of lists", lambda: values().tolist())
as_x("a tuple of tuples", lambda: tuple(map(tuple, values().tolist())))
as_x("a ragged list", lambda: [[1.0], [1.0, 2.0]] * (N // 2), "X")
as_x("a list of dicts", lambda: table().to_dict("records"), "X")
as_x("a dict of lists", lambda: table().to_dict("list"), "X")
as_x("a CSR matrix", lambda: sparse.csr_matrix(values()))
as_x("a CSC array", lambda: sparse.csc_array(values()))
as_x("a COO matrix", lambda: sparse.coo_matrix(values()))
as_x("a sparse frame", lambda: pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(values())))
as_x("a Polars frame", lambda: pl.from_pandas(table()))
as_x("a lazy Polars frame", lambda: pl.from_pandas(table()).lazy(), "X")
as_x("a Polars frame with gaps and lists", lambda: pl.DataFrame({"a": [[1]] * N}), "X")
POLARS: dict[str, Callable[[], pl.Series]] = {
    "time stamps with a zone": lambda: pl.Series(list(SUMMER.to_pydatetime())),
    "dates": lambda: pl.Series([dt.date(2024, 1, 1 + i % 28) for i in range(N)]),
    "durations with gaps": lambda: pl.Series([None, dt.timedelta(hours=1)] * (N // 2)),
    "times": lambda: pl.Series([dt.time(i % 24) for i in range(N)]),
    "categories": lambda: pl.Series(split("a", "b"), dtype=pl.Categorical),
    "enums": lambda: pl.Series(split("a", "b"), dtype=pl.Enum(["a", "b"])),
    "decimals": lambda: pl.Series([decimal.Decimal(i) for i in range(N)]),
    "bytes": lambda: pl.Series(split(b"a", b"b")),
    "nothing but gaps": lambda: pl.Series([None] * N),
    "float32 with gaps": lambda: pl.Series([None, 0.1, 0.2] * (N // 3), dtype=pl.Float32),
    "booleans with gaps": lambda: pl.Series([None, True, False] * (N // 3)),
}
NANOSECONDS = pl.Series([1_700_000_000_000 + i for i in range(N)])
POLARS["time stamps a nanosecond apart"] = lambda: NANOSECONDS.cast(pl.Datetime("ns"))
POLARS["time stamps with a zone a nanosecond apart"] = lambda: NANOSECONDS.cast(pl.Datetime("ns", ZONE))
POLARS["durations a nanosecond apart"] = lambda: NANOSECONDS.cast(pl.Duration("ns"))
POLARS["times a nanosecond apart"] = lambda: NANOSECONDS.cast(pl.Time)
if hasattr(pl, "Int128"):
    POLARS["wide integers"] = lambda: pl.Series([10**30 + i for i in range(N)], dtype=pl.Int128)
for polars_name, polars_make in POLARS.items():
    as_x(f"a Polars column: {polars_name}", lambda make=polars_make: pl.DataFrame({"a": make()}))
as_x("an Arrow table", lambda: pa.Table.from_pandas(table()))
as_x("an Arrow batch", lambda: pa.RecordBatch.from_pandas(table()))
as_x("a Series", lambda: table()["amount"], "X")
as_x("one dimension", lambda: values()[:, 0], "X")
as_x("three dimensions", lambda: values()[:, :, None], "X")
as_x("no dimension", lambda: np.array(3.0), "X")
as_x("None", lambda: None, "X")
as_x("a number", lambda: 3, "X")
as_x("text", lambda: "amount", "X")
as_x("bytes", lambda: b"amount", "X")
as_x("a set", lambda: {1, 2}, "X")
as_x("a generator", lambda: (row for row in values()), "X")
as_x("an open file", lambda: io.StringIO("a,b"), "X")
as_x("a class", lambda: pd.DataFrame, "X")
as_x("a function", lambda: table, "X")
as_x("an empty list", list, "X")
as_x("no rows", lambda: table().iloc[:0], "X")
as_x("no columns", lambda: table()[[]], "X")
as_x("an empty array", lambda: np.empty((0, 3)), "X")
as_x("an array without columns", lambda: np.empty((N, 0)), "X")
as_x("one row, an outlier", lambda: pd.DataFrame({"a": [1]}), "detector", np.array([1]))
as_x("one row, a normal", lambda: pd.DataFrame({"a": [1]}), None, np.array([0]))
as_x("two rows", lambda: pd.DataFrame({"a": [1, 9]}), None, np.array([0, 1]))
as_x("two equal rows", lambda: pd.DataFrame({"a": [1, 1]}), None, np.array([0, 1]))
as_x("all rows equal", lambda: pd.DataFrame({"a": [1] * N, "b": ["x"] * N}))
as_x("all cells missing", lambda: pd.DataFrame(np.full((N, 3), np.nan)))
as_x("10,000 columns", lambda: np.random.default_rng(0).normal(size=(N, 10_000)))
as_x("one outlier", table, None, np.array([0] * (N - 1) + [1]))
as_x("more outliers than normals", table, None, 1 - Y)

# --- labels ---------------------------------------------------------------------------------------------------------


def as_labels(name: str, make: Callable[[], Any], refused: str | None = None, labels: Any = Y) -> None:
    CASES.append(Case(f"labels: {name}", lambda: {"detector": make(), "X": table()}, refused, labels))


def unfitted_pyod() -> Any:
    from pyod.models.ecod import ECOD

    return ECOD()


LETTERS = [f"row {i}" for i in range(N)]
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


@case("labels: a Series in another order")
def _():
    X = table().set_axis(LETTERS)
    return {"detector": pd.Series(Y, index=LETTERS)[::-1], "X": X}


@case("labels: a Series of other rows", "detector")
def _():
    return {"detector": pd.Series(Y, index=[f"other {i}" for i in range(N)]), "X": table().set_axis(LETTERS)}


@case("labels: a Series without labels of its own, X has some")
def _():
    return {"detector": pd.Series(Y), "X": table().set_axis(LETTERS)}


@case("labels: a default index beside shuffled numbers", "detector")
def _():
    return {"detector": pd.Series(Y), "X": table().set_axis(np.random.default_rng(0).permutation(N))}


@case("labels: shuffled numbers beside a default index", "detector")
def _():
    return {"detector": pd.Series(Y, index=np.random.default_rng(0).permutation(N)), "X": table()}


@case("labels: a Series with any index beside an array")
def _():
    return {"detector": pd.Series(Y, index=LETTERS), "X": values()}


INDEXED: dict[str, Callable[[Any], dict[str, Any]]] = {
    "groups": lambda index: {"detector": Y, "groups": pd.Series(np.arange(N) % 2, index=index)},
    "sample_weight": lambda index: {"detector": Y, "sample_weight": pd.Series(np.ones(N), index=index)},
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


@case("labels: a column with gaps", "detector")
def _():
    return {"detector": "label", "X": table(label=np.where(Y, np.nan, 0))}


@case("labels: a column of booleans")
def _():
    return {"detector": "label", "X": table(label=Y == 1)}


@case("labels: the only column", "X")
def _():
    return {"detector": "label", "X": pd.DataFrame({"label": Y})}


# --- row labels -----------------------------------------------------------------------------------------------------

INDEXES: dict[str, Callable[[], Any]] = {
    "text": lambda: LETTERS,
    "dates": lambda: pd.date_range("2024-01-01", periods=N),
    "dates with a zone": lambda: SUMMER,
    "two levels": lambda: pd.MultiIndex.from_product([range(N // 2), ["a", "b"]]),
    "all the same": lambda: ["same"] * N,
    "missing": lambda: [np.nan] * N,
    "numbers and text": lambda: [i if i % 2 else str(i) for i in range(N)],
    "floats": lambda: np.linspace(0, 1, N),
    "intervals": lambda: pd.interval_range(0, N),
    "periods": lambda: pd.period_range("2020-01", periods=N, freq="M"),
    "categories": lambda: pd.CategoricalIndex(np.arange(N) % 3),
    "tuples": lambda: pd.Index([(i, i) for i in range(N)], tupleize_cols=False),
    "HTML": lambda: [HTML] * N,
}
for index_name, make_index in INDEXES.items():
    CASES.append(
        Case(f"row labels: {index_name}", lambda make=make_index: {"detector": Y, "X": table().set_axis(make())})
    )

# --- other arguments ------------------------------------------------------------------------------------------------


def option(name: str, refused: str | None = None, **options: Any) -> None:
    CASES.append(Case(f"option: {name}", lambda: {"detector": Y, "X": table(), **options}, refused))


option("groups=0", "groups", groups=0)
option("groups=-1", "groups", groups=-1)
option("groups=1.5", "groups", groups=1.5)
option("groups=True", "groups", groups=True)
option("groups=7 of 6 outliers", "groups", groups=7)
option("groups=6 of 6 outliers", groups=6)
option("groups: no such column", "groups", groups="nothing")
option("groups: a column", groups="kind")
option("groups: a column of numbers", groups="amount")
option("groups: a label a row", groups=np.arange(N) % 2)
option("groups: a label an outlier", groups=list("aabbcc"))
option("groups: labels of mixed types", groups=["a", 1, 1.5, "x", "a", True])
option("groups: too few labels", "groups", groups=[1, 2])
option("groups: missing labels", "groups", groups=[1, 1, 1, None, 2, 2])
option("groups: a dict", "groups", groups={"a": 1})
option("groups: a clusterer", groups=KMeans(2, n_init=1, random_state=0))
option("groups: a clusterer that fails", "groups", groups=KMeans(50, n_init=1))
option("groups: a clusterer that calls all noise", groups=DBSCAN(eps=1e-9))
option("groups: an object", "groups", groups=Thing())
option("tags='nothing'", "tags", tags="nothing")
option("tags=3", "tags", tags=3)
option("tags: no tags", "tags", tags=[])
option("tags: tuples instead of tags", "tags", tags=[("amount", ">", 3)])
option("tags: a tag of another column", "tags", tags=[Tag.of(Condition("nothing", ">", 3))])
option("method='nothing'", "method", method="nothing")
option("method=None", "method", method=None)
option("method: a class", "method", method=BCCM)
option("solver='nothing'", "solver", solver="nothing")
option("weight=0", "weight", method="wccm", weight=0)
option("weight='3'", "weight", method="wccm", weight="3")
option("weight=inf", "weight", method="wccm", weight=np.inf)
option("weight=1e308", "weight", method="wccm", weight=1e308)
option("weight=1e9/3", method="wccm", weight=1e9 / 3)
option("weight=1e15/7", method="wccm", weight=1e15 / 7)
option("max_tags=10**400", method="bccm", max_tags=10**400)
option("max_tags=[10**400]", method="bccm", max_tags=[10**400], groups=1)
option("a weight for each of 3 groups", "weight", method="wccm", weight=[1, 2, 3], groups=2)
option("weight for mdl", "weight", weight=3.0)
option("max_tags=0", "max_tags", method="bccm", max_tags=0)
option("max_tags=1.5", "max_tags", method="bccm", max_tags=1.5)
option("max_uncovered=1", "max_uncovered", method="bccm", max_uncovered=1.0)
option("max_uncovered=-0.1", "max_uncovered", method="bccm", max_uncovered=-0.1)
option("max_length=0", "max_length", max_length=0)
option("max_length=1.5", "max_length", max_length=1.5)
option("max_length=50", max_length=50)
option("min_lift=-1", "min_lift", min_lift=-1)
option("min_lift=nan", "min_lift", min_lift=np.nan)
option("min_lift=1e9", min_lift=1e9)
option("random_state='a'", "random_state", random_state="a")
option("random_state=-1", "random_state", random_state=-1)
option("random_state: a RandomState", random_state=np.random.RandomState(0))
option("random_state: a Generator", random_state=np.random.default_rng(0))
option("random_state=None", random_state=None)
option("rows='all'", "rows", rows="all")
option("rows=1", "rows", rows=1)
option("threshold without scores", "threshold", threshold=0.5)
option("threshold='a'", "threshold", threshold="a", scores=np.arange(N))
option("threshold=nan", "threshold", threshold=np.nan, scores=np.arange(N))
option("scores: too few", "scores", scores=np.arange(3))
option("scores: NaN", "scores", scores=np.full(N, np.nan))
option("scores: text", "scores", scores=["a"] * N)
option("scores: no such column", "scores", scores="nothing")
option("scores: a column of text", "scores", scores="kind")
option("scores and threshold", scores=Y + 0.0, threshold=0.5)
option("huge scores", scores=np.where(Y, 1e308, -1e308), sample_weight="scores")
option("sample_weight: tiny", sample_weight=np.full(N, 1e-300), method="bccm")
option("sample_weight: subnormal", "sample_weight", sample_weight=np.full(N, 5e-324), method="bccm")
option("sample_weight: as far apart as floats are", sample_weight=np.where(Y, 1e200, 1e-300), method="bccm")
option("sample_weight: beyond all floats in sum", "sample_weight", sample_weight=np.full(N, 1e308), method="wccm")
option("sample_weight: negative", "sample_weight", sample_weight=-np.ones(N))
option("sample_weight: NaN", "sample_weight", sample_weight=np.full(N, np.nan))
option("sample_weight: zeros", "sample_weight", sample_weight=np.zeros(N))
option("sample_weight: too few", "sample_weight", sample_weight=[1, 2])
option("sample_weight: text", "sample_weight", sample_weight="many")
option("sample_weight: zero for the outliers", sample_weight=1.0 - Y, method="wccm", weight=5.0)
option("sample_weight: 'scores' without scores", "sample_weight", sample_weight="scores")
option("features: other rows", "features", features=table().iloc[1:])
option("features: other row labels", "features", features=table().set_axis(range(5, N + 5)))
option("features: one dimension", "features", features=np.arange(N))
option("features: a Series", "features", features=pd.Series(np.arange(N)))
option("features: text", "features", features="amount")
option("features: infinite", "features", features=pd.DataFrame({"a": [np.inf] * N}))
option("features: no columns", "features", features=pd.DataFrame(index=range(N)))


# --- running --------------------------------------------------------------------------------------------------------


@dataclass
class Result:
    """What came of a case: `problem` is empty if all is as it must be."""

    case: Case
    outcome: str
    problem: str
    seconds: float


def run(one: Case) -> Result:
    """Run a case and check everything that was promised of it."""
    arguments = one.make()
    before = [snapshot(value) for value in arguments.values()]
    options = {name: value for name, value in arguments.items() if name not in ("detector", "X")}
    start = time.process_time()  # not by the clock on the wall, which a busy machine moves too
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            explanation = explain(arguments["detector"], arguments["X"], attach=False, **options)
            outcome, problem = repr(explanation), ""
            text = str(explanation)
        except (PyodExplainError, TypeError) as error:
            outcome, problem = f"{type(error).__name__}: {error}", wrong_refusal(one, error)
        except Exception as error:  # noqa: BLE001 - the very thing that must not happen
            outcome, problem = f"{type(error).__name__}: {error}", "another exception"
        else:
            problem = "not refused" if one.refused is not None else untrue(explanation, text, one, arguments)
            problem = problem or changed_on_the_way(explanation, arguments)
    seconds = time.process_time() - start
    if before != [snapshot(value) for value in arguments.values()]:
        problem = problem or "the input was changed"
    if caught:
        problem = problem or f"a warning: {caught[0].category.__name__}: {caught[0].message}"
    if seconds > LIMIT:
        problem = problem or f"it took {seconds:.0f} s"
    return Result(one, outcome, problem, seconds)


def wrong_refusal(one: Case, error: Exception) -> str:
    if one.refused is None:
        return "refused"
    return "" if f"`{one.refused}`" in str(error) else f"the message does not name `{one.refused}`"


def snapshot(value: Any) -> Any:
    """Give the bytes of an input, so that any change shows."""
    if isinstance(value, pd.DataFrame):
        columns = [snapshot(value.iloc[:, i]) for i in range(value.shape[1])]
        return [*columns, repr(list(value.columns)), snapshot(value.index.to_series())]
    if isinstance(value, pd.Series):
        if hasattr(value.array, "asi8"):  # dates and durations
            return [str(value.dtype), value.array.asi8.tobytes(), repr(value.index[:3])]
        cells = [cell if isinstance(cell, float) else repr(cell) for cell in value.array]
        return [str(value.dtype), repr(cells), repr(value.index[:3])]
    if isinstance(value, np.ndarray):
        return [
            str(value.dtype),
            value.shape,
            value.strides,
            repr(value.tolist()) if value.dtype == object else value.tobytes(),
        ]
    if sparse.issparse(value):
        return [value.format, snapshot(value.toarray())]
    if isinstance(value, list | tuple | dict | set):
        return repr(value)
    return [type(value).__name__, sorted(vars(value)) if hasattr(value, "__dict__") else repr(value)]


# --- is it true? ----------------------------------------------------------------------------------------------------


def untrue(explanation: Explanation, text: str, one: Case, arguments: dict[str, Any]) -> str:
    """Evaluate every rule on the user's own table; return what is not as printed, or nothing."""
    labels = np.asarray(one.labels)
    features = arguments.get("features")
    columns = columns_of(arguments["X"] if features is None else features)
    if not text or explanation.n_rows != len(labels):
        return "not about these rows"
    if explanation.n_outliers != int((labels == 1).sum()) or explanation.n_normals != int((labels == 0).sum()):
        return "other numbers of outliers and normals"
    if sorted(explanation.positions) != np.flatnonzero(labels == 1).tolist():
        return "other outliers"
    group = np.where(labels == 0, 0, -1)
    group[explanation.positions] = [one.number for one in explanation.groups for _ in range(one.size)]
    for rule in explanation.rules:
        holds = np.ones(len(labels), dtype=bool)
        for condition in rule.tag.conditions:
            holds &= satisfied(columns[condition.column], condition)
        counts = [int((holds & (group == wanted)).sum()) for wanted in (rule.group, 0)]
        others = int((holds & (group > 0) & (group != rule.group)).sum())
        printed = [rule.n_outliers, rule.n_normals]
        if [*counts, others] != [*printed, rule.n_others]:
            return f"untrue: {str(rule.tag)[:60]} has {counts} and {others}, printed {printed} and {rule.n_others}"
    return ""


def changed_on_the_way(explanation: Explanation, arguments: dict[str, Any]) -> str:
    """Write the explanation as JSON and read it back; return what differs, or nothing. It may be refused, by column."""
    try:
        again = Explanation.from_json(explanation.to_json().encode())
    except PyodExplainError as error:
        names_it = ("Column '" in str(error) or "index of the table" in str(error)) and "Hint: " in str(error)
        return "" if names_it and "JSON cannot keep" in str(error) else f"JSON: {error}"
    if str(again) != str(explanation):
        return "another text after JSON"
    if again.to_dict() != explanation.to_dict():
        return "other data after JSON"
    X = arguments.get("features", arguments["X"])
    named = {column for rule in explanation.rules for column in rule.tag.columns}
    if named <= set(columns_of(X)) and again.predict(X).tolist() != explanation.predict(X).tolist():
        return "other rows match after JSON"
    return ""


def columns_of(X: Any) -> dict[str, pd.Series]:
    """Give the columns of the user's table by their printed names, cells untouched."""
    if isinstance(X, pl.DataFrame):
        return {name: pd.Series(polars_cells(X[name]), dtype=object) for name in X.columns}
    if isinstance(X, pa.Table | pa.RecordBatch):
        return {name: pd.Series(X.column(name).to_pylist(), dtype=object) for name in X.schema.names}
    if isinstance(X, pd.DataFrame):
        return {str(name): X.iloc[:, i].reset_index(drop=True) for i, name in enumerate(X.columns)}
    array = X.toarray() if sparse.issparse(X) else X
    if isinstance(array, np.ma.MaskedArray):
        array = array.filled(np.nan)
    frame = pd.DataFrame(np.asarray(array))
    return {f"x{i}": frame.iloc[:, i] for i in range(frame.shape[1])}


def polars_cells(series: pl.Series) -> list[Any]:
    """List the cells; those in nanoseconds as pandas has them, or as text, since Python's own types cut them."""
    if series.dtype == pl.Time:
        texts = series.dt.to_string("%H:%M:%S%.9f").to_list()
        return [text if text and text[-3:] != "000" else cell for text, cell in zip(texts, series, strict=True)]
    if getattr(series.dtype, "time_unit", None) != "ns":
        return series.to_list()
    zone = getattr(series.dtype, "time_zone", None)
    make = pd.Timedelta if series.dtype == pl.Duration else partial(pd.Timestamp, tz=zone)
    return [None if count is None else make(count) for count in series.to_physical()]


def exact(value: Any) -> Any:
    """Give numbers as fractions, which compare exactly whatever their types; anything else as it is."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | decimal.Decimal | np.number):
        return value
    if isinstance(value, float | decimal.Decimal | np.floating):
        return fractions.Fraction(*value.as_integer_ratio())
    return fractions.Fraction(int(value))


OPERATORS = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
}


def satisfied(cells: pd.Series, condition: Any) -> np.ndarray:
    """Evaluate one condition the plain way: cell by cell."""
    missing = cells.isna().to_numpy(dtype=bool)
    if condition.op in ("missing", "present"):
        return missing if condition.op == "missing" else ~missing
    return np.array([not gone and _one(cell, condition) for cell, gone in zip(cells, missing, strict=True)], dtype=bool)


def _one(cell: Any, condition: Any) -> bool:
    value = condition.value
    if isinstance(cell, pd.Period):
        cell = cell.to_timestamp()
    if isinstance(value, pd.Timestamp) or (isinstance(value, tuple) and value and isinstance(value[0], pd.Timestamp)):
        cell = pd.Timestamp(cell)
    if condition.part is not None:
        cell = pd.Timestamp(cell).hour if condition.part == "hour" else pd.Timestamp(cell).dayofweek
    cell = exact(cell)
    value = tuple(exact(one) for one in value) if isinstance(value, tuple) else exact(value)
    if condition.op == "between":
        return bool(value[0] <= cell <= value[1])
    if condition.op in ("in", "not in", "rare"):
        return bool(cell in value) == (condition.op == "in")
    return bool(OPERATORS[condition.op](cell, value))


def all_results(cases: list[Case]) -> Iterator[Result]:
    for one in cases:
        yield run(one)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failed", action="store_true", help="print the failures only")
    options = parser.parse_args()
    results = []
    for result in all_results(CASES):
        results.append(result)
        if result.problem or not options.failed:
            first = result.outcome.split("\n")[0][:110]
            print(
                f"{'FAIL' if result.problem else 'ok':4}  {result.case.name[:52]:52}  {result.seconds:6.2f} s  {first}"
            )
            if result.problem:
                print(f"      -> {result.problem[:200]}")
    failed = sum(bool(one.problem) for one in results)
    refused = sum(one.case.refused is not None for one in results)
    slowest = max(results, key=lambda one: one.seconds)
    print(
        f"{len(results)} odd inputs: {len(results) - refused} to explain, {refused} to refuse; {failed} failed; "
        f"slowest {slowest.seconds:.1f} s ({slowest.case.name})."
    )


if __name__ == "__main__":
    main()

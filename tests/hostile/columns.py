"""Columns of every type and kind that tables have, each beside the usual ones and alone."""

import datetime as dt
import decimal
import enum
import fractions
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from hostile.case import HTML, SUMMER, Case, N, Thing, Y, split, table

CASES: list[Case] = []
THINGS = (Thing(), Thing())
day = dt.datetime  # with and without a zone, as people have them


Colour = enum.Enum("Colour", "RED BLUE")


def column(values: Any, dtype: Any = None) -> pd.Series:
    return pd.Series(list(values), dtype=dtype)


def only(name: str, values: Any, refused: str | None = None) -> None:
    """Add two cases: the column beside the usual ones, and alone."""
    CASES.append(Case(f"column: {name}", lambda: {"detector": Y, "X": table(odd=values())}, refused))
    CASES.append(Case(f"only column: {name}", lambda: {"detector": Y, "X": pd.DataFrame({"odd": values()})}, refused))


only("int8 at its limits", lambda: np.array(split(-128, 127), dtype=np.int8))
only("uint64 at its limit", lambda: np.array(split(2**63, 2**64 - 1), dtype=np.uint64))
only("integers beyond 2**53", lambda: np.array([2**53 + i for i in range(N)]))
only("integers beyond 64 bits", lambda: column([10**30 + i for i in range(N)], object))
only("integers beyond 2**53 and floats", lambda: column([2**53 + i if i % 2 else 0.5 for i in range(N)], object))
only("floats a bit apart", lambda: np.nextafter(np.array(split(0.7, 0.8)), np.arange(N)))
only("short floats a step apart", lambda: (1 + np.arange(N) * 2.0**-23).astype(np.float32))
only("decimals of many digits", lambda: column([1 + decimal.Decimal(i).scaleb(-25) for i in range(N)], object))
only("time stamps a nanosecond apart", lambda: pd.to_datetime(np.arange(N)))
only("the largest floats", lambda: np.array(split(-1.7e308, 1.7e308)))
only("negative zero", lambda: np.array(split(0.0, -0.0)))
only("infinite", lambda: np.array([*np.arange(N - 1.0), np.inf]), "X")
only("NaN now and then", lambda: np.where(np.arange(N) % 4, np.arange(N), np.nan))
only("NaN for the outliers", lambda: np.where(Y, np.nan, np.arange(N)))
only("all None", lambda: column([None] * N, object))
only("None, NaN, NaT and NA mixed", lambda: column([None, np.nan, pd.NaT, pd.NA, 1.5] * (N // 5), object))
only("booleans as objects with None", lambda: column([*[True, False, None] * (N // 3)], object))
only("nullable integers", lambda: column([pd.NA, 1, 2] * (N // 3), "Int64"))
only("Arrow lists", lambda: column([[1, 2]] * N, pd.ArrowDtype(pa.list_(pa.int64()))), "X")
only("Arrow dictionaries", lambda: column(split("a", "b"), pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))))
only("intervals", lambda: pd.arrays.IntervalArray.from_breaks(range(N + 1)))
only("periods", lambda: pd.period_range("2020-01", periods=N, freq="M"))
only("dates with a zone, across the change of clocks", lambda: SUMMER)
only(
    "datetime objects, some with a zone", lambda: column(split(day(2024, 1, 1), day(2024, 6, 1, tzinfo=dt.UTC)), object)
)
only("time objects", lambda: column([dt.time(i % 24) for i in range(N)], object))
only("timedelta objects with None", lambda: column([dt.timedelta(hours=1), None] * (N // 2), object))
only("decimals that are not numbers", lambda: column([decimal.Decimal("NaN"), decimal.Decimal(1)] * (N // 2), object))
only("fractions", lambda: column([fractions.Fraction(i, 7) for i in range(N)], object))
only("numbers and text", lambda: column([1, "1"] * (N // 2), object))
only("True, 1 and 1.0", lambda: column([True, 1, 1.0] * (N // 3), object))
only("text of 10,000 characters", lambda: column(split("a" * 10_000, "b" * 10_000)))
only("text with a line break and a NUL", lambda: column(split("a\nb", "a\0b")))
only("lone surrogates", lambda: column(split("a", "\ud800"), object))
only("HTML", lambda: column(split("a", HTML)))
only("bytes", lambda: column(split(b"a", b"\xff"), object))
only("tuples", lambda: column(split((1, 2), (3,)), object))
only("frozensets", lambda: column(split(frozenset({1}), frozenset({2})), object))
only("enums", lambda: column(split(Colour.RED, Colour.BLUE), object))
only("objects that print their address", lambda: column(split(*THINGS), object))
only("sparse with gaps", lambda: pd.arrays.SparseArray(np.where(Y, 3.0, np.nan)))

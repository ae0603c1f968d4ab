"""Columns of every Arrow type that tables have, with gaps: what readers and kernels are tested on."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

D, T = dt.date, dt.time

INTEGERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
ZONES = (None, "UTC", "Europe/Berlin", "+01:00")
TEXTS = ["b", None, "a", "b", "c", "", "a"]
NUMBERS = [1, None, 3, 0, 7, 3, 100]
FLOATS = [1.5, None, float("nan"), -0.0, 0.1, 3.0, -7.25]
MOMENTS = [1_700_000_000, None, 10**9, 5, 1_700_000_000, 86_400, 0]
DAYS = [D(2020, 1, 1), None, D(1960, 1, 1), D(2020, 1, 1), D(2024, 2, 29), D(1999, 12, 31), None]
CLOCK = [T(1), None, T(2), T(1), T(23, 59, 59), T(0), None]
MONEY = [Decimal("1.10"), None, Decimal("-2.00"), Decimal("3.33"), Decimal("1.1"), Decimal(0), Decimal("99.99")]


def columns() -> dict[str, pa.Array]:
    """Give an array of seven cells for each type, by its name."""
    return {
        **{str(kind): pa.array(NUMBERS, kind) for kind in INTEGERS},
        "without gaps": pa.array([1, 2, 3, 4, 5, 6, 7]),
        "beyond 2**53": pa.array([2**53, 2**53 + 1, None, 2**63 - 1, -(2**63), 2**53 + 2, 0]),
        "beyond 2**63": pa.array([2**64 - 1, 2**63, None, 2**53 + 1, 0, 1, 2], pa.uint64()),
        "float16": pa.array(np.array([1, 2, np.nan, 4, 0.5, -1, 0], dtype=np.float16)),
        "float32": pa.array(FLOATS, pa.float32()),
        "float64": pa.array(FLOATS),
        "float without gaps": pa.array([1.0, 2.5, -3.0, 4.0, 0.1, -0.0, 7.0]),
        "bool": pa.array([True, None, False, True, True, False, None]),
        "string": pa.array(TEXTS),
        "large_string": pa.array(TEXTS, pa.large_string()),
        "string_view": pa.array(TEXTS, pa.string_view()),
        "dictionary": pa.array(TEXTS).dictionary_encode(),
        "dictionary of Polars": pa.DictionaryArray.from_arrays(
            pa.array([1, None, 0, 1, 2, 0, None], pa.uint32()), pa.array(["a", "b", "c"])
        ),
        "dictionary of large": pa.array(TEXTS, pa.large_string()).dictionary_encode(),
        "dictionary of numbers": pa.array(NUMBERS).dictionary_encode(),
        "dictionary with twins": pa.DictionaryArray.from_arrays(
            pa.array([0, 1, 2, None, 3, 0, 1]), pa.array(["a", "a", None, "b"])
        ),
        "dictionary with more": pa.DictionaryArray.from_arrays(
            pa.array([1, 1, 3, None, 3, 1, 1]), pa.array(["z", "a", "y", "b"])
        ),
        **{
            f"timestamp[{unit}, {zone}]": pa.array(MOMENTS, pa.int64()).cast(pa.timestamp(unit, zone))
            for unit in ("s", "ms", "us", "ns")
            for zone in ZONES
        },
        **{f"duration[{unit}]": pa.array(MOMENTS, pa.duration(unit)) for unit in ("s", "ms", "us", "ns")},
        "date32": pa.array(DAYS),
        "date64": pa.array(DAYS, pa.date64()),
        "time32": pa.array(CLOCK, pa.time32("s")),
        "time64[us]": pa.array(CLOCK, pa.time64("us")),
        "time64[ns]": pa.array([1, None, 10**9, 5, 1, 2, 3], pa.time64("ns")),
        "decimal128": pa.array(MONEY),
        "decimal256": pa.array(MONEY, pa.decimal256(50, 2)),
        "null": pa.nulls(7),
        "binary": pa.array([b"a", None, b"b", b"a", b"", b"a", None]),
        **{f"nothing of {kind}": pa.nulls(7, kind) for kind in NOTHING},
    }


NOTHING = (
    pa.int32(), pa.float32(), pa.string(), pa.bool_(), pa.timestamp("ns"), pa.date32(), pa.duration("s"),
    pa.decimal128(5, 2), pa.dictionary(pa.int8(), pa.string()),
)  # fmt: skip


def pieces(cells: Any) -> list[Any]:
    """Give an array whole, a slice of it, none of it, and in chunks."""
    return [cells, cells.slice(1, 3), cells.slice(0, 0), pa.chunked_array([cells.slice(0, 2), cells.slice(2)])]

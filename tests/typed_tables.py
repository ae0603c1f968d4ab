"""Tables of one column whose cells have a given type, and explanations that bound them by values of any type.

Cells are handed to the databases as literals of that type, so that nothing is rounded on the way in.
"""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
from by_hand import condition_on, explain_by
from hypothesis import strategies as st

from pyod_explain import Tag


def big(*centres):
    return st.one_of(st.integers(-3, 3), *(st.integers(centre - 2, centre + 2) for centre in centres))


def text_of_time(count, zone=""):
    return pd.Timestamp(count).isoformat(sep=" ", timespec="nanoseconds") + zone


def nanoseconds(counts, zone=None):
    times = pd.Series(np.array([np.iinfo(np.int64).min if one is None else one for one in counts]).view("M8[ns]"))
    return times if zone is None else times.dt.tz_localize("UTC").dt.tz_convert(zone)


def spans(counts):
    return pd.Series(nanoseconds(counts).to_numpy().view("m8[ns]"))


def objects(cells):
    return pd.Series(cells, dtype=object)


def category(cells):
    return pd.Series(pd.Categorical(cells))


MOMENT = 1_700_000_000_000_000_000

NEAR_FLOATS = st.sampled_from([0.7, 0.1, 0.5, -0.7, 1e300, 0.0, 3.0, np.nextafter(0.7, 1), np.nextafter(0.5, 0)]).map(
    float
)

NARROW = st.sampled_from([0.7, 0.1, 0.5, -0.7, 3.0, 16777216.0]).map(lambda one: float(np.float32(one)))

COUNTS = st.integers(MOMENT - 2, MOMENT + 1001)

PLAIN_FLOATS = st.sampled_from([0.5, 1.0, 2.0, 0.1, 0.25, 1e22, 1e300, -3.0])

# kind: cells, how pandas has them, DuckDB's type, a cell in DuckDB, SQLite's type, a cell in SQLite
TYPED = {
    "bigint": (big(2**53, 2**62, -(2**53)), lambda c: pd.Series(c, dtype="Int64"), "BIGINT", str, "INTEGER", int),
    "ubigint": (big(2**53, 2**64 - 3).map(abs), lambda c: pd.Series(c, dtype="UInt64"), "UBIGINT", str, None, None),
    "hugeint": (big(2**63, 2**64, 10**30), objects, "HUGEINT", str, None, None),
    "double": (NEAR_FLOATS, lambda c: pd.Series(c, dtype="float64"), "DOUBLE", repr, "REAL", float),
    "float": (NARROW, lambda c: pd.Series(c, dtype="float32"), "FLOAT", repr, "REAL", float),
    "decimal": (
        st.integers(-2000, 2000).map(lambda n: Decimal(n).scaleb(-3)), objects, "DECIMAL(20, 3)", str, "REAL", float,
    ),
    "time": (COUNTS, nanoseconds, "TIMESTAMP_NS", text_of_time, "TEXT", text_of_time),
    "zoned in microseconds": (
        COUNTS.map(lambda c: c // 1000 * 1000), lambda c: nanoseconds(c, "Europe/Paris"),
        "TIMESTAMPTZ", lambda c: text_of_time(c, "+00"), None, None,
    ),
    "duration": (
        st.integers(-3, 3).map(lambda n: 1000 * n), spans,
        "INTERVAL", lambda c: f"{c // 1000} microseconds", "INTEGER", int,
    ),
    "duration in nanoseconds": (
        st.integers(-3, 3), spans, None, None, "INTEGER", int,
    ),
    "float category": (PLAIN_FLOATS, category, "DOUBLE", repr, "REAL", float),
    "float category as text": (PLAIN_FLOATS, category, None, None, "TEXT", float),
    "whole category": (big(2**53), category, "BIGINT", str, "INTEGER", int),
    "whole category as text": (big(2**53), category, None, None, "TEXT", int),
    "truth category": (st.booleans(), category, "BOOLEAN", str, "INTEGER", int),
    "text category": (st.sampled_from(["a", "1", "0.5", "it's", ""]), category, "VARCHAR", str, "TEXT", str),
}  # fmt: skip

NUMBERS = st.one_of(
    st.integers(-3, 3), big(2**53, 2**64, 10**30), NEAR_FLOATS, st.sampled_from([Decimal("0.1"), Decimal("0.7"), 0.25]),
    st.sampled_from([math.inf, -math.inf, Decimal(2**53 + 1), 2.5]),
)  # fmt: skip


def forms(value):
    """The same value as it is, and whole numbers as floats and the other way round."""
    if isinstance(value, float) and value.is_integer():
        return [value, int(value)]
    return [value, float(value)] if isinstance(value, int) and abs(value) < 2**53 else [value]


@st.composite
def typed_tables(draw, kinds):
    """Cells of one type with gaps, and an explanation of them by rules that bound them by values of any type."""
    kind = draw(st.sampled_from(kinds))
    strategy, make, *_ = TYPED[kind]
    cells = draw(st.lists(st.one_of(strategy, strategy, strategy, st.none()), min_size=3, max_size=8))
    if all(cell is None for cell in cells):
        cells[0] = draw(strategy)
    frame = pd.DataFrame({"x": make(cells)})
    known = [value for value in frame["x"] if not pd.isna(value)]
    value = (
        st.sampled_from([form for one in known for form in forms(one)])
        if "category" in kind or hasattr(known[0], "as_unit")
        else st.one_of(st.sampled_from(known), NUMBERS)
    )
    ops = ["==", "!=", "in", "not in", "missing", "present"] + (
        [] if "category" in kind else ["<", "<=", ">", ">=", "between"]
    )
    condition = draw(condition_on("x", ops, value, ends=tuple))
    return kind, cells, explain_by([[Tag.of(condition)]], frame, [1, 0, *[0] * (len(cells) - 2)]), frame

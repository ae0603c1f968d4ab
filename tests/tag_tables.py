"""Tables, columns and groups that the tests of tags share."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from pyod_explain.groups import Groups
from pyod_explain.input import as_table
from pyod_explain.tags import Condition, find_items
from pyod_explain.tags.items import Items

FRAME = pd.DataFrame(
    {
        "n": [1, 2, 3, 4],
        "x": [0.5, np.nan, 2.5, 4.0],
        "c": ["a", None, "b", "a"],
        "when": pd.to_datetime(["2024-01-01 05:00", None, "2024-01-06 12:00", "2024-01-07 23:00"]),
        "span": pd.to_timedelta(["1h", None, "2h", "3h"]),
        "flag": pd.array([True, None, False, True], dtype="boolean"),
    }
)


def holds(condition: Condition, frame: pd.DataFrame = FRAME) -> list[bool]:
    return condition.holds(as_table(frame)[condition.column]).tolist()


def grouped(numbers: Any) -> Groups:
    numbers = np.asarray(numbers)
    return Groups(numbers, tuple(str(k) for k in range(1, int(numbers.max(initial=0)) + 1)), "given")


def every_condition(frame: pd.DataFrame, numbers: Any) -> Items:
    return find_items(as_table(frame), grouped(numbers))


def texts(items: Items, group: int = 1) -> list[str]:
    found, groups = items.relevant(min_support=0.05, min_lift=1.0)
    return [str(items.conditions[i]) for i in found[groups == group]]


def two_piece_table(**columns: tuple[Any, Any]) -> tuple[pd.DataFrame, Any]:
    """Build a table from (normal cells, outlier cells) per column."""
    frame = pd.DataFrame({name: list(normal) + list(odd) for name, (normal, odd) in columns.items()})
    n_odd = len(next(iter(columns.values()))[1])
    return frame, np.array([0] * (len(frame) - n_odd) + [1] * n_odd)


floats = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1, 1),
    st.floats(-1e-300, 1e-300),
    st.integers(-5, 5).map(float),
    st.sampled_from([0.1, 0.1 + 1e-17, 0.30000000000000004, 0.3, 1e22, 1e-7, 123456.789, np.nextafter(1.0, 2.0)]),
)


def cells_of(strategy: Any, make: Any) -> Any:
    """Draw cells, and the column of pandas or numpy that holds them."""
    return st.lists(strategy, min_size=3, max_size=30).map(lambda cells: (cells, make(cells)))


def moments(first: str, last: str) -> Any:
    return st.datetimes(dt.datetime.fromisoformat(first), dt.datetime.fromisoformat(last)).map(pd.Timestamp)


WHOLE = st.integers(-(2**63), 2**63 - 1) | st.integers(2**53 - 3, 2**53 + 3) | st.integers(-9, 9)
COLUMNS = {
    "float64": cells_of(st.none() | floats, lambda cells: np.array(cells, dtype=np.float64)),
    "float32": cells_of(
        st.floats(width=32, allow_nan=False, allow_infinity=False), lambda cells: np.array(cells, dtype=np.float32)
    ),
    "int64": cells_of(WHOLE, lambda cells: np.array(cells, dtype=np.int64)),
    "uint64": cells_of(st.integers(2**64 - 9, 2**64 - 1), lambda cells: np.array(cells, dtype=np.uint64)),
    "Int64": cells_of(st.none() | st.integers(-(2**62), 2**62), lambda cells: pd.array(cells, dtype="Int64")),
    "datetime": cells_of(st.none() | moments("1990-01-01", "2040-01-01"), pd.to_datetime),
    "zoned": cells_of(
        moments("2020-01-01", "2023-01-01").map(lambda one: one.tz_localize("UTC")),
        lambda cells: pd.to_datetime(cells, utc=True).tz_convert("Europe/Berlin"),
    ),
    "timedelta": cells_of(st.timedeltas(dt.timedelta(-900), dt.timedelta(900)).map(pd.Timedelta), pd.to_timedelta),
    "string": cells_of(st.none() | st.sampled_from("abcdefgh"), lambda cells: pd.array(cells, dtype="object")),
    "boolean": cells_of(st.none() | st.booleans(), lambda cells: pd.array(cells, dtype="boolean")),
}

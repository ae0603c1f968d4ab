"""Which cells of a column meet a condition, exactly, whatever the types of the two."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import (
    UNITS,
    Bound,
    Column,
    Number,
    as_decimal,
    decimal_bound,
    double_bound,
    from_utc,
    has_hash,
    nan_safe_key,
    plain_number,
    to_utc,
    whole_bound,
)

__all__ = ["Part", "beyond", "bound_of", "evaluate", "on_the_clock", "part_of"]

Part = Literal["hour", "weekday"]
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<=": np.less_equal,
    "<": np.less,
    ">=": np.greater_equal,
    ">": np.greater,
    "==": np.equal,
}


def evaluate(column: Column, op: str, value: Any, part: Part | None = None) -> NDArray[np.bool_]:
    """Tell which cells meet a condition; those that are missing, or do not compare with the value, do not.

    Parameters
    ----------
    column, op, value, part : as for `Condition`, which asks this once a column.
    """
    if part is not None:
        column = part_of(column, part)
    if op == "missing":
        return column.missing.copy()
    if op == "present":
        return ~column.missing
    return _EVALUATE[op](column, value, op) & ~column.missing


def _exact_bound(kind: str, zone: Any, value: Any) -> Number | None:
    """Give the value as a number in the units of a column of this kind, or None where the two do not compare."""
    if kind == "number":
        return plain_number(value)
    if kind == "datetime" and isinstance(value, dt.date):
        stamp = pd.Timestamp(value)
        if zone is not None:
            stamp = on_the_clock(stamp, zone)
        return _nanoseconds(to_utc(stamp).to_datetime64())
    if kind == "timedelta" and isinstance(value, dt.timedelta):
        return _nanoseconds(pd.Timedelta(value).to_timedelta64())
    return None


def on_the_clock(stamp: pd.Timestamp, zone: Any) -> pd.Timestamp:
    """Read a time without a zone on the clock of a zone; one that stands there twice, or never, is no time."""
    if stamp.tzinfo is not None:
        return stamp
    zoned = stamp.tz_localize(zone, ambiguous="NaT", nonexistent="NaT")
    if not isinstance(zoned, pd.Timestamp):  # NaT is none
        raise PyodExplainError(
            f"The time {stamp} of a condition must stand once on the clock of {zone}, got one it skips or repeats.\n"
            "Hint: give it with its own time zone or offset."
        )
    return zoned


def _nanoseconds(value: np.datetime64 | np.timedelta64) -> int | None:
    """Count nanoseconds in as many bits as it takes: numpy would wrap around far from today."""
    if np.isnat(value):
        return None
    unit, step = np.datetime_data(value.dtype)
    return int(value.view(np.int64)) * step * UNITS[unit]


def _compare(column: Column, value: Any, op: str) -> NDArray[np.bool_]:
    """Compare the cells with a value exactly, whatever the types of the two; False where they do not compare."""
    if column.kind in ("category", "boolean"):
        met = [_meets(category, op, value) for category in column.categories]
        return np.asarray(np.array([*met, False])[column.values])  # the last entry answers for code -1, missing
    if column.kind == "labels":
        return np.zeros(len(column.missing), dtype=bool)
    values = column.values if column.kind == "number" else column.values.view(np.int64)
    if values.dtype == object:
        exact = _exact_bound(column.kind, column.timezone, value)
        if exact is None:
            return np.zeros(len(column.missing), dtype=bool)
        return _compare_ranks(column, (whole_bound if column.whole else decimal_bound)(op, exact))
    return beyond(values, bound_of(column.kind, column.timezone, values.dtype, op, value))


def bound_of(kind: str, zone: str | None, dtype: np.dtype[Any], op: str, value: Any) -> Bound:
    """Say what a comparison means for cells of a type: an operator and a limit of that type, or one answer for all.

    Parameters
    ----------
    kind, zone : of the column.
    dtype : of its values; for times that of their counts.
    op, value : the comparison.

    Examples
    --------
    >>> bound_of("number", None, np.dtype(np.int64), ">", 2.5)
    ('>', np.int64(2))
    """
    exact = _exact_bound(kind, zone, value)
    if exact is None:
        return False
    if dtype.kind != "f":
        return _fitting(whole_bound(op, exact), dtype)
    bound = double_bound(op, exact)
    # A Python float would be rounded to the type of shorter cells.
    return bound if isinstance(bound, bool) else (bound[0], np.float64(bound[1]))


def beyond(values: NDArray[Any], bound: Bound) -> NDArray[np.bool_]:
    """Tell which values meet a bound."""
    if isinstance(bound, bool):
        return np.full(len(values), bound)
    op, limit = bound
    return np.asarray(_COMPARE[op](values, limit), dtype=bool)


def _meets(category: Any, op: str, value: Any) -> bool:
    """Compare one category, which may be a number among texts, with a value."""
    kind = "datetime" if isinstance(category, dt.date) else "timedelta"
    kind = "number" if plain_number(category) is not None else kind
    zone = getattr(category, "tzinfo", None)
    exact, limit = (_exact_bound(kind, zone, one) for one in (category, value))
    if exact is None or limit is None or as_decimal(limit).is_nan():
        return False
    return bool(_COMPARE[op](as_decimal(exact), as_decimal(limit)))


def _fitting(bound: Bound, dtype: np.dtype[Any]) -> Bound:
    """Answer at once where a whole bound lies beyond all cells; numpy has no type for it then."""
    if isinstance(bound, bool):
        return bound
    op, limit = bound
    span = np.iinfo(dtype)
    if span.min <= limit <= span.max:
        return op, dtype.type(limit)
    return op in (("<", "<=") if limit > span.max else (">", ">="))


def _compare_ranks(column: Column, bound: Bound) -> NDArray[np.bool_]:
    if isinstance(bound, bool):
        return np.full(len(column.missing), bound)
    op, limit = bound
    ranks, distinct = column.ranked
    below, up_to = bisect_left(distinct, limit), bisect_right(distinct, limit)
    first, last = {"<": (0, below), "<=": (0, up_to), "==": (below, up_to), ">=": (below, None), ">": (up_to, None)}[op]
    return np.asarray((ranks >= first) & (ranks < (len(distinct) if last is None else last)))


def _evaluate_between(column: Column, value: Any, _op: str) -> NDArray[np.bool_]:
    return _compare(column, value[0], ">=") & _compare(column, value[1], "<=")


def _evaluate_equal(column: Column, value: Any, op: str) -> NDArray[np.bool_]:
    return _evaluate_among(column, (value,), "in" if op == "==" else "not in")


def _evaluate_among(column: Column, values: tuple[Any, ...], op: str) -> NDArray[np.bool_]:
    if column.kind in ("category", "boolean"):
        wanted = np.zeros(len(column.categories) + 1, dtype=bool)  # the last entry answers for code -1, missing
        known = [nan_safe_key(value) for value in values if has_hash(value)]
        wanted[[column.code_of[value] for value in known if value in column.code_of]] = True
        found = np.asarray(wanted[column.values])
    else:
        found = np.zeros(len(column.missing), dtype=bool)
        for value in values:
            found |= _compare(column, value, "==")
    return found if op == "in" else ~found


def _evaluate_contains(column: Column, value: Any, _op: str) -> NDArray[np.bool_]:
    if column.kind != "labels" or not has_hash(value):
        return np.zeros(len(column.missing), dtype=bool)
    wanted = nan_safe_key(value)
    return np.array([wanted in labels for labels in column.label_sets], dtype=bool)


_EVALUATE: dict[str, Callable[[Column, Any, str], NDArray[np.bool_]]] = {
    **dict.fromkeys(("<=", "<", ">=", ">"), _compare),
    "between": _evaluate_between,
    "==": _evaluate_equal,
    "!=": _evaluate_equal,
    "in": _evaluate_among,
    "not in": _evaluate_among,
    "rare": _evaluate_among,  # any present value that is not one of the common ones
    "contains": _evaluate_contains,
}


def part_of(column: Column, part: Part) -> Column:
    """Give the hour or the weekday of a datetime column, on the clock of its own time zone."""
    if column.kind != "datetime":
        return Column(column.name, "number", np.full(len(column.missing), np.nan), np.ones_like(column.missing))
    stamps = from_utc(pd.DatetimeIndex(column.values), column.timezone)
    values = np.asarray(stamps.hour if part == "hour" else stamps.day_of_week, dtype=np.float64)
    return Column(column.name, "number", values, column.missing)

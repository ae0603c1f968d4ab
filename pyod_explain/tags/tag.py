"""`Condition` and `Tag`: what an instance can be said to be, as values that hash, compare, print and evaluate.

A tag is structured data. Its text is derived from it and never parsed back.
"""

from __future__ import annotations

import datetime as dt
import decimal
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.clock import UNITS, from_utc, to_utc
from pyod_explain.input.exact import (
    Bound,
    Number,
    as_decimal,
    decimal_bound,
    double_bound,
    plain_number,
    plain_value,
    whole_bound,
)
from pyod_explain.input.read import as_table
from pyod_explain.input.table import Column

__all__ = ["Condition", "Op", "Part", "Tag", "on_the_clock", "part_of", "unique_features", "value_text"]

Op = Literal["<=", "<", ">=", ">", "between", "==", "!=", "in", "not in", "rare", "missing", "present", "contains"]
Part = Literal["hour", "weekday"]
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<=": np.less_equal,
    "<": np.less,
    ">=": np.greater_equal,
    ">": np.greater,
    "==": np.equal,
}
_OPPOSITE: dict[str, Op] = {
    "<=": ">", ">": "<=", "<": ">=", ">=": "<", "==": "!=", "!=": "==",
    "in": "not in", "not in": "in", "missing": "present", "present": "missing",
}  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Condition:
    """A statement about one column that a row satisfies or not; a missing cell satisfies only `missing`.

    Parameters
    ----------
    column : name of the column.
    op : `<=`, `<`, `>=`, `>` (value: a number, date or duration); `between` (value: the pair of both ends,
        which belong to it); `==`, `!=` (one value); `in`, `not in` (several values); `rare` (value: the
        common values; holds for any other); `missing`, `present` (no value); `contains` (value: a label that
        the cell's collection has).
    value : what to compare with.
    part : for datetimes, compare the `"hour"` (0 to 23) or the `"weekday"` (0 is Monday) instead.

    Examples
    --------
    >>> Condition("age", "between", (18, 25))
    Condition('age', 'between', (18, 25))
    >>> print(Condition("age", "between", (18, 25)))
    18 <= age <= 25
    >>> print(~Condition("job", "in", ["nurse", "cook"]))
    job is none of 'cook', 'nurse'
    """

    column: str
    op: Op
    value: Any = None
    part: Part | None = None

    def __post_init__(self) -> None:
        if self.op not in get_args(Op):
            raise PyodExplainError(f"`op` of a Condition must be one of {', '.join(get_args(Op))}, got {self.op!r}.")
        object.__setattr__(self, "value", _normal_value(self.op, self.value))
        _check_part(self.part, self.value)

    def __invert__(self) -> Condition:
        """Return the opposite statement about the cells that are not missing."""
        if self.op not in _OPPOSITE:
            raise PyodExplainError(f"The condition {self} has no opposite that is one condition.")
        return Condition(self.column, _OPPOSITE[self.op], self.value, self.part)

    @property
    def feature(self) -> Condition:
        """The binary feature that the condition gives a value: the same for a condition and its opposite."""
        return ~self if self.op in (">", ">=", "!=", "not in", "present") else self

    @property
    def direction(self) -> str:
        """`"low"`, `"high"` or `"is"`: a tag has at most one condition per column and direction."""
        return {"<": "high", "<=": "high", ">": "low", ">=": "low"}.get(self.op, "is")

    def holds(self, column: Column) -> NDArray[np.bool_]:
        """Evaluate on a column; cells that cannot be compared with the value do not satisfy it."""
        if self.part is not None:
            column = part_of(column, self.part)
        if self.op == "missing":
            return column.missing.copy()
        if self.op == "present":
            return ~column.missing
        return _EVALUATE[self.op](column, self.value, self.op) & ~column.missing

    def __repr__(self) -> str:
        arguments = [repr(self.column), repr(self.op)]
        if self.value is not None:
            arguments.append(repr(self.value))
        if self.part is not None:
            arguments.append(f"part={self.part!r}")
        return f"Condition({', '.join(arguments)})"

    def __str__(self) -> str:
        return _TEXT[self.op](self.subject, self.value if self.part != "weekday" else self._weekdays())

    @property
    def subject(self) -> str:
        """What the condition speaks of: the column, or a part of it."""
        return self.column if self.part is None else f"{self.part} of {self.column}"

    def _weekdays(self) -> Any:
        if self.value is None:
            return None
        if isinstance(self.value, tuple):
            return tuple(_Word(WEEKDAYS[day]) for day in self.value)
        return _Word(WEEKDAYS[self.value])

    @property
    def sort_key(self) -> tuple[str, str, str, str]:
        """A fixed order of conditions, whatever the types of their values."""
        return self.column, self.part or "", self.op, repr(self.value)


class _Word(str):
    """A string that prints without quotes."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Tag:
    """A property that an instance has or lacks: all of its conditions hold.

    Parameters
    ----------
    conditions : the conditions, in any order.

    Examples
    --------
    >>> Tag.of(Condition("hour", "<=", 5), Condition("channel", "==", "web"))
    Tag(channel == 'web' and hour <= 5)
    >>> tag = Tag.of(Condition("x", ">", 1.5))
    >>> tag.covers(pd.DataFrame({"x": [1.0, 2.0, None]})).tolist()
    [False, True, False]
    """

    conditions: frozenset[Condition]  # a set, so that equal meaning is equal value and equal hash

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", frozenset(self.conditions))
        if not self.conditions or not all(isinstance(c, Condition) for c in self.conditions):
            raise PyodExplainError(
                "`conditions` of a Tag must be one or more Condition objects, "
                f"got {list(self.conditions)!r}.\nHint: Tag.of(Condition('age', '>=', 65))."
            )

    @classmethod
    def of(cls, *conditions: Condition) -> Tag:
        """Build a tag from its conditions."""
        return cls(frozenset(conditions))

    @property
    def sorted(self) -> list[Condition]:
        """The conditions in a fixed order: by column, then by what they say."""
        return sorted(self.conditions, key=lambda condition: condition.sort_key)

    @property
    def columns(self) -> list[str]:
        """Names of the columns that decide it, in order, each once."""
        return list(dict.fromkeys(condition.column for condition in self.sorted))

    def __len__(self) -> int:
        return len(self.conditions)

    def covers(self, table: Any) -> NDArray[np.bool_]:
        """Tell for each row whether it has the tag; needs only the tag's columns.

        Parameters
        ----------
        table : anything that `explain` takes as a table.
        """
        rows = as_table(table, argument="table")
        rows.require(self.columns)
        result = np.ones(rows.n_rows, dtype=bool)
        for condition in self.conditions:
            result &= condition.holds(rows[condition.column])
        return result

    def __repr__(self) -> str:
        return f"Tag({' and '.join(_code(condition) for condition in self.sorted)})"

    def __str__(self) -> str:
        return " and ".join(str(condition) for condition in self.sorted)


def unique_features(tags: Iterable[Tag]) -> int:
    """Count the binary features that the tags speak of: a condition and its opposite are one feature."""
    return len({condition.feature for tag in tags for condition in tag.conditions})


# --- values ---------------------------------------------------------------------------------------------------------


def _normal_value(op: str, value: Any) -> Any:
    """Bring a value into one form, so that conditions of equal meaning are equal."""
    if op in ("missing", "present"):
        if value is not None:
            raise PyodExplainError(f"A condition {op!r} takes no value, got {value!r}.")
        return None
    if op in ("in", "not in", "rare"):
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise PyodExplainError(f"A condition {op!r} takes several values, got {value!r}.")
        plain = {plain_value(one) for one in value}
        return tuple(sorted(plain, key=lambda one: (type(one).__name__, _order_text(one))))
    if op == "between":
        try:
            low, high = value
        except (TypeError, ValueError):
            raise PyodExplainError(f"A condition 'between' takes a pair of ends, got {value!r}.") from None
        return plain_value(low), plain_value(high)
    if value is None:
        raise PyodExplainError(f"A condition {op!r} needs a value, got None; for missing cells use 'missing'.")
    return plain_value(value)


def _order_text(value: Any) -> str:
    return value_text(value) if type(value) is frozenset else repr(value)  # whose repr has the order of its hashes


def _check_part(part: Any, value: Any) -> None:
    """Check that a part is one we know, and that weekdays have a name."""
    if part is not None and part not in get_args(Part):
        raise PyodExplainError(f"`part` of a Condition must be 'hour', 'weekday' or None, got {part!r}.")
    days = value if isinstance(value, tuple) else (value,)
    if part == "weekday" and value is not None and not all(type(day) is int and 0 <= day <= 6 for day in days):
        raise PyodExplainError(f"A weekday must be a whole number from 0 (Monday) to 6 (Sunday), got {value!r}.")


# --- evaluation -----------------------------------------------------------------------------------------------------


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


def _compare(column: Column, op: str, value: Any) -> NDArray[np.bool_]:
    """Compare the cells with a value exactly, whatever the types of the two; False where they do not compare."""
    if column.kind in ("category", "boolean"):
        met = [_meets(category, op, value) for category in column.categories]
        return np.asarray(np.array([*met, False])[column.values])  # the last entry answers for code -1, missing
    exact = _exact_bound(column.kind, column.timezone, value)
    if exact is None:
        return np.zeros(len(column.missing), dtype=bool)
    values = column.values if column.kind == "number" else column.values.view(np.int64)
    if values.dtype == object:
        return _compare_ranks(column, (whole_bound if column.whole else decimal_bound)(op, exact))
    bound = double_bound(op, exact) if values.dtype.kind == "f" else _fitting(whole_bound(op, exact), values.dtype)
    if isinstance(bound, bool):
        return np.full(len(values), bound)
    op, limit = bound
    if values.dtype.kind == "f":
        limit = np.float64(limit)  # a Python float would be rounded to the type of shorter cells
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


def _evaluate_order(column: Column, value: Any, op: str) -> NDArray[np.bool_]:
    return _compare(column, op, value)


def _evaluate_between(column: Column, value: Any, _op: str) -> NDArray[np.bool_]:
    return _evaluate_order(column, value[0], ">=") & _evaluate_order(column, value[1], "<=")


def _evaluate_equal(column: Column, value: Any, op: str) -> NDArray[np.bool_]:
    return _evaluate_among(column, (value,), "in" if op == "==" else "not in")


def _evaluate_among(column: Column, values: tuple[Any, ...], op: str) -> NDArray[np.bool_]:
    if column.kind in ("category", "boolean"):
        wanted = np.zeros(len(column.categories) + 1, dtype=bool)  # the last entry answers for code -1, missing
        wanted[[column.code_of[value] for value in values if value in column.code_of]] = True
        found = np.asarray(wanted[column.values])
    elif column.kind == "labels":
        found = np.zeros(len(column.missing), dtype=bool)
    else:
        found = np.zeros(len(column.missing), dtype=bool)
        for value in values:
            found |= _compare(column, "==", value)
    return found if op == "in" else ~found


def _evaluate_contains(column: Column, value: Any, _op: str) -> NDArray[np.bool_]:
    if column.kind != "labels":
        return np.zeros(len(column.missing), dtype=bool)
    return np.array([not gone and value in cell for cell, gone in zip(column.values, column.missing, strict=True)])


_EVALUATE: dict[str, Callable[[Column, Any, str], NDArray[np.bool_]]] = {
    **dict.fromkeys(("<=", "<", ">=", ">"), _evaluate_order),
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


# --- text -----------------------------------------------------------------------------------------------------------


def value_text(value: Any) -> str:
    """Write a value as a person would: no needless decimals or times of day, strings in quotes."""
    if isinstance(value, _Word):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, dt.datetime):
        text = value.isoformat(sep=" ")
        return text.removesuffix(" 00:00:00") if value.tzinfo is None else text
    if isinstance(value, decimal.Decimal):
        return format(value, "f") if -20 <= value.adjusted() < 20 else str(value)
    if isinstance(value, dt.date | dt.timedelta):
        return str(value)
    if type(value) is frozenset:  # in one order, whatever that of its hashes
        return f"frozenset({{{', '.join(sorted(value_text(one) for one in value))}}})"
    return repr(value)


def _listed(values: tuple[Any, ...]) -> str:
    return ", ".join(value_text(value) for value in values)


def _compared_text(op: str, subject: str, value: Any) -> str:
    return f"{subject} {op} {value_text(value)}"


def _rare_text(subject: str, value: tuple[Any, ...]) -> str:
    return f"{subject} is a rare value (none of the {len(value):,} common ones)"


_TEXT: dict[str, Callable[[str, Any], str]] = {
    **{op: partial(_compared_text, op) for op in ("<=", "<", ">=", ">")},
    "between": lambda s, v: f"{value_text(v[0])} <= {s} <= {value_text(v[1])}",
    "==": lambda s, v: f"{s} is {value_text(v)}",
    "!=": lambda s, v: f"{s} is not {value_text(v)}",
    "in": lambda s, v: f"{s} is one of {_listed(v)}",
    "not in": lambda s, v: f"{s} is none of {_listed(v)}",
    "rare": _rare_text,
    "missing": lambda s, _: f"{s} is missing",
    "present": lambda s, _: f"{s} is not missing",
    "contains": lambda s, v: f"{s} has {value_text(v)}",
}


def _code(condition: Condition) -> str:
    """Write a condition as an expression, for the repr of a tag."""
    subject, value = condition.subject, condition.value
    if condition.op in ("missing", "present"):
        return f"{subject} is {condition.op}"
    if condition.op == "between":
        return str(condition)
    return f"{subject} {condition.op} {value!r}"

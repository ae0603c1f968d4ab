"""`Condition`: a statement about one column, or about a relation of two, as a value.

It hashes, compares, prints and evaluates. It is structured data. Its text is derived from it and never parsed back.
"""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import (
    UNITS,
    Bound,
    Column,
    Number,
    Relation,
    as_decimal,
    decimal_bound,
    double_bound,
    from_utc,
    has_hash,
    nan_safe_key,
    plain_number,
    plain_value,
    sort_key,
    to_utc,
    whole_bound,
)
from pyod_explain.tags.wording import in_code, in_phrase, in_signs, in_words, spoken_name

Op = Literal["<=", "<", ">=", ">", "between", "==", "!=", "in", "not in", "rare", "missing", "present", "contains"]
_OPPOSITE: dict[str, Op] = {
    "<=": ">", ">": "<=", "<": ">=", ">=": "<", "==": "!=", "!=": "==",
    "in": "not in", "not in": "in", "missing": "present", "present": "missing",
}  # fmt: skip

_PLAIN = frozenset({str, int, bool, type(None)})


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A statement about one column that a row satisfies or not; a missing cell satisfies only `missing`.

    Parameters
    ----------
    column : name of the column; or the `Relation` of two.
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
    >>> print(Condition(Relation("outlet", "-", "inlet"), "<", 4.5))
    outlet - inlet < 4.5
    """

    column: str | Relation
    op: Op
    value: Any = None
    part: Part | None = None

    def __post_init__(self) -> None:
        if self.op not in get_args(Op):
            raise PyodExplainError(f"`op` of a Condition must be one of {', '.join(get_args(Op))}, got {self.op!r}.")
        object.__setattr__(self, "value", _normal_value(self.op, self.value))
        _check_part(self.part, self.value)
        if isinstance(self.column, Relation) and (self.part is not None or self.op == "contains"):
            said = f"`part` {self.part!r}" if self.part is not None else "`op` 'contains'"
            raise PyodExplainError(f"A condition on a Relation, which gives numbers, takes no {said}.")

    @property
    def _said(self) -> tuple[Hashable, ...]:
        value = self.value
        plain = not math.isnan(value) if type(value) is float else type(value) in _PLAIN
        if not plain:  # asked very often, so that what is plain is known at once
            value = nan_safe_key(value)  # a label may be NaN, which equals nothing
        return self.column, self.op, value, self.part

    def __eq__(self, other: object) -> bool:
        return self._said == other._said if isinstance(other, Condition) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._said)

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
    def negates(self) -> bool:
        """True if it says what a value is not: "is not", "is none of", "is not missing".

        >>> Condition("job", "!=", "cook").negates, Condition("age", "<", 18).negates
        (True, False)
        """
        return self.op in ("!=", "not in", "present")

    @property
    def side(self) -> str:
        """Where it puts the values: `"high"` above a threshold, `"low"` below one, `"is"` where there is no threshold.

        A tag has at most one condition per column and side.
        """
        return {">": "high", ">=": "high", "<": "low", "<=": "low"}.get(self.op, "is")

    def holds(self, column: Column) -> NDArray[np.bool_]:
        """Tell which cells of a column satisfy it; those that cannot be compared with the value do not.

        The column remembers the answer, so ask the whole column and take rows of the answer.
        """
        if not has_hash(self.value):  # so it cannot be remembered, but it is a fair question
            return evaluate(column, self.op, self.value, self.part)
        form = tuple(map(_form, self.value)) if isinstance(self.value, tuple) else _form(self.value)
        return column.evaluated.ask((self, form), lambda: evaluate(column, self.op, self.value, self.part))

    def __repr__(self) -> str:
        arguments = [repr(self.column), repr(self.op)]
        if self.value is not None:
            arguments.append(repr(self.value))
        if self.part is not None:
            arguments.append(f"part={self.part!r}")
        return f"Condition({', '.join(arguments)})"

    def __str__(self) -> str:
        return in_words(self.subject, self.op, self.value, weekday=self.part == "weekday")

    @property
    def signs(self) -> str:
        """The condition with the signs that are printed: `age ≥ 65`."""
        return in_signs(self.subject, self.op, self.value, weekday=self.part == "weekday")

    def phrase(self, subject: str | None = None) -> str:
        """Say what rows are like that meet it, to follow "rows with".

        Parameters
        ----------
        subject : what it is said of, if not the column: `""` where that stands before it.
        """
        named = f"{'' if self.part is None else f'{self.part} of '}{self.spoken}" if subject is None else subject
        return in_phrase(named, self.op, self.value, weekday=self.part == "weekday")

    @property
    def code(self) -> str:
        """The condition as an expression, for the repr of a tag."""
        subject = self.column.code if isinstance(self.column, Relation) else self.subject
        return in_code(subject, self.op, self.value, weekday=self.part == "weekday")

    @property
    def subject(self) -> str:
        """What the condition speaks of: the column, a part of it, or what two columns give together."""
        return str(self.column) if self.part is None else f"{self.part} of {self.column}"

    @property
    def spoken(self) -> str:
        """The column as a sentence names it: one whose name is a number, or nothing, as a column.

        >>> Condition("age", "<", 18).spoken, Condition("0", "<", 18).spoken
        ('age', "column '0'")
        """
        if isinstance(self.column, Relation):
            return self.column.joined(*map(spoken_name, self.column.columns))
        return spoken_name(self.column)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that decide it: one, or the two of a relation."""
        return self.column.columns if isinstance(self.column, Relation) else (self.column,)

    @property
    def sort_key(self) -> tuple[str, ...]:
        """A fixed order of conditions, whatever the types of their values."""
        kind = self.column.op if isinstance(self.column, Relation) else ""  # a column may be named as a relation reads
        return str(self.column), self.part or "", self.op, repr(self.value), kind, *self.columns


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
        return tuple(sorted(plain, key=sort_key))
    if op == "between":
        try:
            low, high = value
        except (TypeError, ValueError):
            raise PyodExplainError(f"A condition 'between' takes a pair of ends, got {value!r}.") from None
        return plain_value(low), plain_value(high)
    if value is None:
        raise PyodExplainError(f"A condition {op!r} needs a value, got None; for missing cells use 'missing'.")
    return plain_value(value)


def _form(value: Any) -> Any:
    """Tell apart values that are equal and yet compare differently with cells, so that none answers for another.

    1 equals complex(1), which is no number that cells compare with. An hour that a clock repeats equals itself: Python
    compares what two times of one zone read, not the moments.
    """
    return (type(value), repr(value)) if isinstance(value, dt.datetime) else type(value)


def _check_part(part: Any, value: Any) -> None:
    """Check that a part is one we know, and that weekdays have a name."""
    if part is not None and part not in get_args(Part):
        raise PyodExplainError(f"`part` of a Condition must be 'hour', 'weekday' or None, got {part!r}.")
    days = value if isinstance(value, tuple) else (value,)
    if part == "weekday" and value is not None and not all(type(day) is int and 0 <= day <= 6 for day in days):
        raise PyodExplainError(f"A weekday must be a whole number from 0 (Monday) to 6 (Sunday), got {value!r}.")


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

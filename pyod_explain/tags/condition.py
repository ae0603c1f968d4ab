"""`Condition`: a statement about a term, as a value: it hashes, compares, prints and evaluates.

Its text is derived from it and never parsed back.
"""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.input import (
    UNITS,
    Bound,
    Column,
    Number,
    as_decimal,
    decimal_bound,
    double_bound,
    has_hash,
    nan_safe_key,
    plain_number,
    plain_value,
    sort_key,
    to_utc,
    whole_bound,
)
from pyod_explain.tags.terms import Relation, Term
from pyod_explain.tags.wording import name_in_sentence, write_condition, write_phrase

Op = Literal["<=", "<", ">=", ">", "between", "==", "!=", "in", "not in", "rare", "missing", "present"]
_OPPOSITE: dict[str, Op] = {
    "<=": ">", ">": "<=", "<": ">=", ">=": "<", "==": "!=", "!=": "==",
    "in": "not in", "not in": "in", "missing": "present", "present": "missing",
}  # fmt: skip

_PLAIN = frozenset({str, int, bool, type(None)})


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<=": np.less_equal,
    "<": np.less,
    ">=": np.greater_equal,
    ">": np.greater,
    "==": np.equal,
}


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A statement about a term that a row satisfies or not; a missing cell satisfies only `missing`.

    Parameters
    ----------
    column : the term: the name of a column; or a `Relation` of two, or a `DatePart` of one.
    op : `<=`, `<`, `>=`, `>` (value: a number, date or duration); `between` (value: the pair of both ends,
        which belong to it); `==`, `!=` (one value); `in`, `not in` (several values); `rare` (value: the
        common values; holds for any other); `missing`, `present` (no value).
    value : what to compare with.

    Examples
    --------
    >>> Condition("age", "between", (18, 25))
    Condition('age', 'between', (18, 25))
    >>> print(Condition("age", "between", (18, 25)))
    18 <= age <= 25
    >>> print(~Condition("job", "in", ["nurse", "cook"]))
    job is none of 'cook', 'nurse'
    >>> from pyod_explain import DatePart, Relation
    >>> print(Condition(Relation("outlet", "-", "inlet"), "<", 4.5))
    outlet - inlet < 4.5
    >>> print(Condition(DatePart("sale", "weekday"), "in", [5, 6]))
    weekday of sale is one of Saturday, Sunday
    """

    column: Term
    op: Op
    value: Any = None

    def __post_init__(self) -> None:
        if self.op not in get_args(Op):
            raise ParameterError("op", f"one of {', '.join(get_args(Op))}", got=self.op, owner="a Condition")
        object.__setattr__(self, "value", _normalize_value(self.op, self.value))
        if not isinstance(self.column, str) and self.value is not None:
            self.column.check(self.value)

    @property
    def _key(self) -> tuple[Hashable, ...]:
        value = self.value
        plain = not math.isnan(value) if type(value) is float else type(value) in _PLAIN
        if not plain:  # plain values are frequent, and need no conversion
            value = nan_safe_key(value)  # a label may be NaN, which equals nothing
        return self.column, self.op, value

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Condition) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def exact_key(self) -> tuple[Hashable, ...]:
        """A key that differs for values that are equal and yet compare differently with cells."""
        form = tuple(map(value_form, self.value)) if isinstance(self.value, tuple) else value_form(self.value)
        return self, form

    def __invert__(self) -> Condition:
        """Return the opposite statement about the cells that are not missing."""
        if self.op not in _OPPOSITE:
            raise PyodExplainError(f"The condition {self} has no opposite that is one condition.")
        return Condition(self.column, _OPPOSITE[self.op], self.value)

    @property
    def feature(self) -> Condition:
        """The binary feature that the condition gives a value: the same for a condition and its opposite."""
        return ~self if self.op in (">", ">=", "!=", "not in", "present") else self

    @property
    def negates(self) -> bool:
        """True if it states what a value is not: "is not", "is none of", "is not missing".

        >>> Condition("job", "!=", "cook").negates, Condition("age", "<", 18).negates
        (True, False)
        """
        return self.op in ("!=", "not in", "present")

    @property
    def side(self) -> str:
        """Where the values are: `"high"` above a threshold, `"low"` below one, `"is"` where there is no threshold."""
        return {">": "high", ">=": "high", "<": "low", "<=": "low"}.get(self.op, "is")

    def holds(self, values: Column) -> NDArray[np.bool_]:
        """Return which cells of `table[condition.column]` satisfy it; those that do not compare with the value do not.

        The column keeps the answer, so evaluate the whole column and take rows of the answer.
        """
        if not has_hash(self.value):
            return evaluate(values, self.op, self.value)
        return values.ask(self.exact_key, lambda: evaluate(values, self.op, self.value))

    def __repr__(self) -> str:
        value = "" if self.value is None else f", {self.value!r}"
        return f"Condition({self.column!r}, {self.op!r}{value})"

    def __str__(self) -> str:
        return write_condition(str(self.column), self.op, self.shown_value)

    @property
    def signs(self) -> str:
        """The condition with printed signs: `age ≥ 65`."""
        return write_condition(str(self.column), self.op, self.shown_value, signs=True)

    def phrase(self, subject: str | None = None) -> str:
        """Describe the rows that meet it, to follow "rows with".

        Parameters
        ----------
        subject : what the phrase is about, if not the term: `""` where that stands before it.
        """
        return write_phrase(self.in_sentence if subject is None else subject, self.op, self.shown_value)

    @property
    def code(self) -> str:
        """The condition as an expression, for the repr of a tag."""
        term = self.column
        name = f"{term.left} {term.op} {term.right}" if isinstance(term, Relation) else str(term)
        if self.op in ("missing", "present"):
            return f"{name} is {self.op}"
        return (
            write_condition(name, "between", self.shown_value)
            if self.op == "between"
            else f"{name} {self.op} {self.value!r}"
        )

    @property
    def in_sentence(self) -> str:
        """The term as a sentence names it: a column whose name is a number, or blank, as a column.

        >>> Condition("age", "<", 18).in_sentence, Condition("0", "<", 18).in_sentence
        ('age', "column '0'")
        """
        return name_in_sentence(self.column) if isinstance(self.column, str) else self.column.in_sentence

    @property
    def shown_value(self) -> Any:
        """The value as it is printed: days of the week by name."""
        return self.value if isinstance(self.column, str) else self.column.display(self.value)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that decide it."""
        return (self.column,) if isinstance(self.column, str) else self.column.columns

    @property
    def axis(self) -> Term:
        """The column or term whose values are profiled and drawn for it; of a part of a date that is the column."""
        return self.column if isinstance(self.column, str) else cast("Term", self.column.axis)

    @property
    def sort_key(self) -> tuple[str, ...]:
        """A fixed order of conditions, whatever the types of their values."""
        first, second, last = (self.column, "", "") if isinstance(self.column, str) else self.column.sort_key
        return first, second, self.op, repr(self.value), last, *self.columns


def _normalize_value(op: str, value: Any) -> Any:
    """Bring a value into one form, so that conditions of equal meaning are equal."""
    if op in ("missing", "present"):
        if value is not None:
            raise ParameterError("value", f"None, as {op!r} takes none", got=value, owner="a Condition")
        return None
    if op in ("in", "not in", "rare"):
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise ParameterError("value", f"a list of values for {op!r}", got=value, owner="a Condition")
        plain = {plain_value(one) for one in value}
        return tuple(sorted(plain, key=sort_key))
    if op == "between":
        try:
            low, high = value
        except (TypeError, ValueError):
            raise ParameterError("value", "a pair of ends for 'between'", got=value, owner="a Condition") from None
        return plain_value(low), plain_value(high)
    if value is None:
        hint = "For missing cells use 'missing'."
        raise ParameterError("value", f"a value for {op!r}", got=None, hint=hint, owner="a Condition")
    return plain_value(value)


def value_form(value: Any) -> Any:
    """Give what differs between values that are equal and yet compare differently with cells.

    1 equals complex(1), which is no number that cells compare with. An hour that a clock repeats equals itself: Python
    compares what two times of one zone read, not the moments.
    """
    return (type(value), repr(value)) if isinstance(value, dt.datetime) else type(value)


def evaluate(column: Column, op: str, value: Any) -> NDArray[np.bool_]:
    """Tell which cells meet a condition; those that are missing, or do not compare with the value, do not.

    Parameters
    ----------
    column : the values.
    op, value : as for `Condition`, which evaluates each column once.
    """
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
            f"The clock of {zone} skips or repeats the time {stamp} of a condition.",
            hint="Give the time with its own time zone or offset.",
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


_EVALUATE: dict[str, Callable[[Column, Any, str], NDArray[np.bool_]]] = {
    **dict.fromkeys(("<=", "<", ">=", ">"), _compare),
    "between": lambda column, ends, _: _compare(column, ends[0], ">=") & _compare(column, ends[1], "<="),
    "==": lambda column, value, _: _evaluate_among(column, (value,), "in"),
    "!=": lambda column, value, _: _evaluate_among(column, (value,), "not in"),
    "in": _evaluate_among,
    "not in": _evaluate_among,
    "rare": _evaluate_among,  # any present value that is not one of the common ones
}

"""`Condition`: a statement about a term, as a value: it hashes, compares, prints and evaluates.

Its text is derived from it and never parsed back.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Literal, cast, get_args

import numpy as np
import pandas as pd

from pyod_explain._arrays import BoolArray
from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.input import Column, Number, nan_safe_key, plain_number, plain_value, sort_key, to_utc
from pyod_explain.input.values import UNITS, Bound, as_decimal, decimal_bound, double_bound, has_hash, whole_bound
from pyod_explain.tags.terms import Term, name_in_sentence, value_text, value_texts

Op = Literal["<=", "<", ">=", ">", "between", "==", "!=", "in", "not in", "rare", "missing", "present"]
_OPPOSITE: dict[str, Op] = {
    "<=": ">", ">": "<=", "<": ">=", ">=": "<", "==": "!=", "!=": "==",
    "in": "not in", "not in": "in", "missing": "present", "present": "missing",
}  # fmt: skip

_COMPARE: dict[str, Any] = {"<=": np.less_equal, "<": np.less, ">=": np.greater_equal, ">": np.greater, "==": np.equal}


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
    # Kept, since conditions are looked up very often. A value may be NaN, which equals nothing.
    _key: tuple[Hashable, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.op not in get_args(Op):
            raise ParameterError("op", f"one of {', '.join(get_args(Op))}", got=self.op, owner="a Condition")
        object.__setattr__(self, "value", _normalize_value(self.op, self.value))
        if not isinstance(self.column, str) and self.value is not None:
            self.column.check(self.value)
        object.__setattr__(self, "_key", (self.column, self.op, nan_safe_key(self.value)))

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Condition) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def exact_key(self) -> tuple[Hashable, ...]:
        """A key that differs for values that are equal and yet compare differently with cells."""
        return self, tuple(map(value_form, self.value)) if isinstance(self.value, tuple) else value_form(self.value)

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

    def holds(self, values: Column) -> BoolArray:
        """Return which cells of `table[condition.column]` satisfy it; those that do not compare with the value do not.

        The column keeps the answer, so evaluate the whole column and take rows of the answer.
        """
        if not has_hash(self.value):
            return evaluate(values, self.op, self.value)
        return values.ask(self.exact_key, lambda: evaluate(values, self.op, self.value))

    def allows(self, value: Any) -> bool:
        """Tell whether a cell of this value satisfies it."""
        if self.op in ("missing", "present"):
            return self.op == "present"
        if self.op == "between":
            return all(_meets(value, op, end) for op, end in zip((">=", "<="), self.value, strict=True))
        if self.op in _COMPARE and self.op != "==":
            return _meets(value, self.op, self.value)
        return (nan_safe_key(value) in map(nan_safe_key, self.values)) == (self.op in ("==", "in"))

    @property
    def values(self) -> tuple[Any, ...]:
        """The values that it names: of a list all of them."""
        return self.value if self.op in ("in", "not in", "rare") else (self.value,)

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
    def in_sentence(self) -> str:
        """The term as a sentence names it: a column whose name is a number, or blank, as a column.

        >>> Condition("age", "<", 18).in_sentence, Condition("0", "<", 18).in_sentence
        ('age', "column '0'")
        """
        return name_in_sentence(self.column)

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
    wrong = partial(ParameterError, "value", got=value, owner="a Condition")
    if op in ("missing", "present"):
        if value is not None:
            raise wrong(f"None, as {op!r} takes none")
        return None
    if op in ("in", "not in", "rare"):
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise wrong(f"a list of values for {op!r}")
        return tuple(sorted({plain_value(one) for one in value}, key=sort_key))
    if op == "between":
        try:
            low, high = value
        except (TypeError, ValueError):
            raise wrong("a pair of ends for 'between'") from None
        return plain_value(low), plain_value(high)
    if value is None:
        raise wrong(f"a value for {op!r}", hint="For missing cells use 'missing'.")
    return plain_value(value)


def value_form(value: Any) -> Any:
    """Give what differs between values that are equal and yet compare differently with cells.

    1 equals complex(1), which is no number that cells compare with. An hour that a clock repeats equals itself: Python
    compares what two times of one zone read, not the moments.
    """
    return (type(value), repr(value)) if isinstance(value, dt.datetime) else type(value)


def evaluate(column: Column, op: str, value: Any) -> BoolArray:
    """Tell which cells meet a condition; those that are missing, or do not compare with the value, do not.

    Parameters
    ----------
    column : the values.
    op, value : as for `Condition`, which evaluates each column once.
    """
    if op == "missing":
        return column.missing.copy()
    return ~column.missing if op == "present" else _EVALUATE[op](column, value, op) & ~column.missing


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
        problem = f"The clock of {zone} skips or repeats the time {stamp} of a condition."
        raise PyodExplainError(problem, hint="Give the time with its own time zone or offset.")
    return zoned


def _nanoseconds(value: np.datetime64 | np.timedelta64) -> int | None:
    """Count nanoseconds in as many bits as it takes: numpy would wrap around far from today."""
    if np.isnat(value):
        return None
    unit, step = np.datetime_data(value.dtype)
    return int(value.view(np.int64)) * step * UNITS[unit]


def _compare(column: Column, value: Any, op: str) -> BoolArray:
    """Compare the cells with a value exactly, whatever the types of the two; False where they do not compare."""
    if column.kind in ("category", "boolean"):
        met = [_meets(category, op, value) for category in column.categories]
        return np.asarray(np.array([*met, False])[column.values])  # the last entry answers for code -1, missing
    exact = _exact_bound(column.kind, column.timezone, value)
    if exact is None:
        return np.zeros(len(column.missing), dtype=bool)
    values = column.numbers
    ranks: Any = slice(None)
    bound: Bound
    if values.dtype == object:
        bound = (whole_bound if column.whole else decimal_bound)(op, exact)
        ranks, values = column.ranked
    else:
        is_float = values.dtype.kind == "f"
        bound = double_bound(op, exact) if is_float else _fitting(whole_bound(op, exact), values.dtype)
    if isinstance(bound, bool):
        return np.full(len(column.missing), bound)
    op, limit = bound
    # A Python float would be rounded to the type of shorter cells.
    met = _COMPARE[op](values, np.float64(limit) if isinstance(limit, float) else limit)
    return np.asarray(np.asarray(met, dtype=bool)[ranks])


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


def _evaluate_among(column: Column, values: tuple[Any, ...], op: str) -> BoolArray:
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


_EVALUATE: dict[str, Callable[[Column, Any, str], BoolArray]] = {
    **dict.fromkeys(("<=", "<", ">=", ">"), _compare),
    "between": lambda column, ends, _: _compare(column, ends[0], ">=") & _compare(column, ends[1], "<="),
    "==": lambda column, value, _: _evaluate_among(column, (value,), "in"),
    "!=": lambda column, value, _: _evaluate_among(column, (value,), "not in"),
    "in": _evaluate_among,
    "not in": _evaluate_among,
    "rare": _evaluate_among,  # any present value that is not one of the common ones
}

End = tuple[str, Any]  # of an interval: the operator and the value
MAX_COUNT = 10**15  # whole numbers below are written as counts
MAX_VALUE_LENGTH = 80  # characters of a value in a phrase; a rule has all of them
MAX_PHRASE_VALUES = 4  # values of a list that a phrase names; of a longer one it names three


def write_condition(subject: str, op: str, value: Any, *, signs: bool = False) -> str:
    """Write a condition as a person would; with `signs`, with ≤ and ≥.

    >>> write_condition("age", ">=", 65.0), write_condition("age", "between", (18, 25), signs=True)
    ('age >= 65', '18 ≤ age ≤ 25')
    >>> write_condition("children", "<=", 3), write_condition("balance", "<=", 0), write_condition("rate", "<=", 0.5)
    ('children is at most 3', 'balance is 0 or less', 'rate <= 0.5')
    """
    if op == "between":
        return write_interval(subject, (">=", value[0]), ("<=", value[1]), signs=signs)
    if signs and (op == ">=" or (op == "<=" and not _is_count(value))):
        return f"{subject} {'≥' if op == '>=' else '≤'} {value_text(value)}"
    return _TEXT[op](subject, value)


def write_phrase(subject: str, op: str, value: Any) -> str:
    """Describe the rows that meet a condition, to follow "rows with"; of a long list its first three values.

    >>> write_phrase("amount", ">", 410), write_phrase("payment", "==", "card"), write_phrase("job", "in", ("a", "b"))
    ('amount above 410', "payment 'card'", "job 'a' or 'b'")
    >>> write_phrase("sale", ">=", dt.date(2024, 5, 1)), write_phrase("job", "not in", tuple("abcdef"))
    ('sale from 2024-05-01 on', "job none of 'a', 'b', 'c' or 3 more")
    """
    times = _OF_TIME if isinstance(value, dt.date) else {}
    return (times.get(op) or _PHRASE[op])(subject, value).strip()


def write_interval(subject: str, low: End, high: End, *, signs: bool = False) -> str:
    """Write that a subject lies between two ends, which may or may not belong to the interval.

    >>> write_interval("x", (">", 4), ("<=", 8)), write_interval("x", (">=", 4), ("<", 8), signs=True)
    ('4 < x <= 8', '4 ≤ x < 8')
    """
    equal = "≤" if signs else "<="
    first, last = value_texts([low[1], high[1]])
    if first == last and (low[0], high[0]) == (">=", "<="):
        return f"{subject} is {first}"
    return f"{first} {equal if low[0] == '>=' else '<'} {subject} {equal if high[0] == '<=' else '<'} {last}"


def interval_phrase(subject: str, low: End, high: End) -> str:
    """Describe the rows of an interval, to follow "rows with".

    >>> interval_phrase("x", (">", 4), ("<=", 8)), interval_phrase("x", (">=", 4), ("<", 8))
    ('x above 4 and at most 8', 'x from 4 to below 8')
    >>> interval_phrase("sale", (">", dt.datetime(2024, 5, 1)), ("<", dt.datetime(2024, 5, 2, 7, 30)))
    'sale after 2024-05-01 00:00:00 and before 2024-05-02 07:30:00'
    """
    first, last = map(_cut, value_texts([low[1], high[1]]))
    of_time = isinstance(low[1], dt.date)
    after, before, until = ("after", "before", "until") if of_time else ("above", "below", "at most")
    if first == last:
        return f"{subject} {first}"
    if low[0] == ">=":
        return f"{subject} from {first} to {last if high[0] == '<=' else f'{before} {last}'}"
    return f"{subject} {after} {first} and {until if high[0] == '<=' else before} {last}"


def _at_most_text(subject: str, value: Any) -> str:
    """Write whole numbers as counts; measures, dates and durations are compared."""
    if not _is_count(value):
        return f"{subject} <= {value_text(value)}"
    return f"{subject} is at most {value_text(value)}" if value else f"{subject} is 0 or less"


def _is_count(value: Any) -> bool:
    if isinstance(value, Decimal):
        return value.is_finite() and abs(value) < MAX_COUNT and value == int(value)
    if isinstance(value, float):
        return abs(value) < MAX_COUNT and value.is_integer()
    return type(value) is int and abs(value) < MAX_COUNT


_TEXT: dict[str, Callable[[str, Any], str]] = {
    "<": lambda s, v: f"{s} < {value_text(v)}",
    ">": lambda s, v: f"{s} > {value_text(v)}",
    ">=": lambda s, v: f"{s} >= {value_text(v)}",
    "<=": _at_most_text,
    "==": lambda s, v: f"{s} is {value_text(v)}",
    "!=": lambda s, v: f"{s} is not {value_text(v)}",
    "in": lambda s, v: f"{s} is one of {', '.join(value_texts(v))}",
    "not in": lambda s, v: f"{s} is none of {', '.join(value_texts(v))}",
    "rare": lambda s, v: f"{s} is a rare value (none of the {len(v):,} common ones)",
    "missing": lambda s, _: f"{s} is missing",
    "present": lambda s, _: f"{s} is not missing",
}


def _brief(value: Any) -> str:
    """Write a value for a sentence, cut where it is long."""
    return _cut(value_text(value))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[: MAX_VALUE_LENGTH - 2]}…{text[-1]}"


def _one_of(values: tuple[Any, ...]) -> str:
    named = list(map(_cut, value_texts(values))) or ["none"]
    if len(named) > MAX_PHRASE_VALUES:
        named[MAX_PHRASE_VALUES - 1 :] = [f"{len(named) - MAX_PHRASE_VALUES + 1:,} more"]
    return f"{', '.join(named[:-1])} or {named[-1]}" if named[1:] else named[0]


_PHRASE: dict[str, Callable[[str, Any], str]] = {
    ">": lambda s, v: f"{s} above {_brief(v)}",
    ">=": lambda s, v: f"{s} {_brief(v)} or more",
    "<": lambda s, v: f"{s} below {_brief(v)}",
    "<=": lambda s, v: f"{s} {_brief(v)} or less",
    "between": lambda s, v: interval_phrase(s, (">=", v[0]), ("<=", v[1])),
    "==": lambda s, v: f"{s} {_brief(v)}",
    "!=": lambda s, v: f"{s} other than {_brief(v)}",
    "in": lambda s, v: f"{s} {_one_of(v)}",
    "not in": lambda s, v: f"{s} none of {_one_of(v)}" if v else f"{s} of any value",
    "rare": lambda s, v: f"{s} none of {len(v):,} common values",
    "missing": lambda s, _: f"{s} missing",
    "present": lambda s, _: f"{s} not missing",
}
_OF_TIME: dict[str, Callable[[str, Any], str]] = {
    ">": lambda s, v: f"{s} after {_brief(v)}",
    ">=": lambda s, v: f"{s} from {_brief(v)} on",
    "<": lambda s, v: f"{s} before {_brief(v)}",
    "<=": lambda s, v: f"{s} until {_brief(v)}",
}

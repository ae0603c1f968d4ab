"""`Condition`: a statement about one column, or about a relation of two, as a value.

It hashes, compares, prints and evaluates. It is structured data. Its text is derived from it and never parsed back.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Column, Relation, has_hash, nan_safe_key, plain_value, sort_key
from pyod_explain.tags.evaluation import Part, evaluate
from pyod_explain.tags.wording import in_code, in_phrase, in_signs, in_words, spoken_name

__all__ = ["Condition", "Op"]

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

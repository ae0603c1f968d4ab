"""One condition as SQL: true for just the cells for which `Condition.holds` says so."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import (
    Bound,
    Number,
    decimal_bound,
    double_bound,
    plain_number,
    to_utc,
    whole_bound,
)
from pyod_explain.report.sql.dialect import Dialect
from pyod_explain.report.sql.literals import unwritable
from pyod_explain.result import ColumnFacts
from pyod_explain.tags import Condition, DerivedTerm, on_the_clock

__all__ = ["write_condition"]

NEVER = "1 = 0"
WITH_ORDER: tuple[Any, ...] = (Number, dt.date, dt.timedelta)


def write_condition(c: Condition, columns: Sequence[ColumnFacts], speak: Dialect, owner: str = "") -> str:
    r"""Write one condition; what is compared is a number, a text, a truth value, a time or a duration.

    Parameters
    ----------
    c : the condition.
    columns : what is known of the columns of its term.
    speak : the dialect.
    owner : what stands before the name of the column: the name of its table and a dot.

    Examples
    --------
    >>> write_condition(Condition("kind", "!=", "web"), [ColumnFacts("kind", "category")], Dialect(), "t.")
    'NOT (t."kind" = \'web\')'
    """
    facts = columns[0]
    if c.op == "contains" or facts.kind == "labels":
        raise PyodExplainError(
            f"The condition {c} cannot be written in SQL: databases store collections of labels in many ways.\n"
            "Hint: give each label a column of its own, True or False, and explain with these."
        )
    if not isinstance(c.column, str):
        return _on_term(c, c.column, columns, speak, owner)
    subject = owner + speak.name(c.column)
    is_nan = speak.is_nan(subject) if _has_floats(c, facts) else None
    if c.op == "missing":
        return f"({subject} IS NULL OR {is_nan})" if is_nan else f"{subject} IS NULL"
    if c.op == "present":
        return f"({subject} IS NOT NULL AND NOT {is_nan})" if is_nan else f"{subject} IS NOT NULL"
    test = _comparison(c, subject, facts, speak)
    nan_passes = c.op in (">", ">=", "!=", "not in", "rare") or " IS NOT NULL" in test
    return f"({test} AND NOT {is_nan})" if is_nan and nan_passes else test


def _on_term(c: Condition, term: DerivedTerm, columns: Sequence[ColumnFacts], speak: Dialect, owner: str) -> str:
    """Write a condition on a derived term: NULL, which only "missing" takes for true, where there is no value."""
    value = term.to_sql(speak, [owner + speak.name(name) for name in term.columns], columns)
    if value is None:
        return "1 = 1" if c.op == "missing" else NEVER
    if c.op in ("missing", "present"):
        return f"{value} IS {'NOT ' if c.op == 'present' else ''}NULL"
    numbers = ColumnFacts(c.column, "number", whole=term.whole, candidates=() if term.whole else (0.0,))
    return _comparison(c, value, numbers, speak)


def _has_floats(c: Condition, facts: ColumnFacts) -> bool:
    """Tell whether the column may hold NaN: numbers that are not whole, or categories that are floats."""
    if facts.kind != "category":
        return facts.kind == "number" and not facts.whole
    values = c.value if isinstance(c.value, tuple) else () if c.value is None else (c.value,)
    known = [*facts.candidates, *values]
    return any(isinstance(one, float) for one in known) and all(isinstance(one, int | float) for one in known)


def _comparison(c: Condition, subject: str, facts: ColumnFacts, speak: Dialect) -> str:
    if facts.kind == "datetime":
        subject = speak.time(subject, facts)
    if c.op in ("<", "<=", ">", ">=", "between"):
        return _range(c, subject, facts, speak)
    values = (c.value,) if c.op in ("==", "!=") else c.value
    listed = list(dict.fromkeys(text for one in values for text in _equal(one, facts, speak)))
    if not listed:
        return NEVER if c.op in ("==", "in") else f"{subject} IS NOT NULL"
    test = _is_in(subject, listed, speak if facts.whole else None)
    return test if c.op in ("==", "in") else f"NOT {test}"


# --- bounds -----------------------------------------------------------------------------------------------------------


def _range(c: Condition, subject: str, facts: ColumnFacts, speak: Dialect) -> str:
    """Write that a cell is on one side of a bound, or between two."""
    ends = zip((">=", "<="), c.value, strict=True) if c.op == "between" else [(c.op, c.value)]
    tests = [_compared(subject, op, end, facts, speak) for op, end in ends]
    if NEVER in tests:
        return NEVER
    is_number = speak.is_number(subject) if isinstance(c.column, str) else None
    if is_number and facts.kind in ("number", "timedelta"):
        tests.append(is_number)
    return tests[0] if len(tests) == 1 else f"({' AND '.join(tests)})"


def _compared(subject: str, op: str, value: Any, facts: ColumnFacts, speak: Dialect) -> str:
    """Write that a cell is on one side of a bound, in the type of the column."""
    if facts.kind == "number":
        number = plain_number(value)
        bound = False if number is None else _bound(op, number, facts)
        if isinstance(bound, bool):
            return f"{subject} IS NOT NULL" if bound else NEVER
        literal = speak.number(bound[1], facts)
        return f"{speak.beside(subject, literal) if facts.whole else subject} {bound[0]} {literal}"
    if any(isinstance(value, kind) and isinstance(one, kind) for kind in WITH_ORDER for one in facts.candidates):
        reason = " as a bound of categories, which a database may hold as texts.\nHint: make them numbers or times"
        if facts.kind in ("category", "boolean"):
            raise unwritable(value, facts, reason)
    text = _time(value, facts, speak)
    return NEVER if text is None else f"{subject} {op} {text}"


def _bound(op: str, number: Number, facts: ColumnFacts) -> Bound:
    """Bring a bound into the type of the column, as `Condition.holds` does."""
    if facts.whole:
        return whole_bound(op, number)
    known = [one for one in facts.candidates if isinstance(one, float | Decimal)] or [number]
    if isinstance(known[0], Decimal):
        return decimal_bound(op, number)
    bound = double_bound(op, number)
    if isinstance(bound, bool) or math.isfinite(bound[1]):
        return bound
    return whole_bound(*bound)  # beyond all numbers: the answer is the same for every cell


# --- values to be equal to --------------------------------------------------------------------------------------------


def _is_in(subject: str, listed: Sequence[str], speak: Dialect | None) -> str:
    """Write that a cell is one of some values; those that need a whole column in another type stand apart."""
    subjects: dict[str, list[str]] = {}
    for literal in listed:
        subjects.setdefault(speak.beside(subject, literal) if speak else subject, []).append(literal)
    tests = [
        f"({one} = {some[0]})" if len(some) == 1 else f"({one} IN ({', '.join(some)}))"
        for one, some in subjects.items()
    ]
    return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"


def _equal(value: Any, facts: ColumnFacts, speak: Dialect) -> list[str]:
    """Write a value to be equal to, in each form that the database may have it in; none if no cell can be."""
    if facts.kind == "boolean":
        return [speak.truth[bool(value)]] if value in (0, 1) else []
    if facts.kind == "number":
        number = plain_number(value)
        bound = False if number is None else _bound("==", number, facts)
        return [] if isinstance(bound, bool) else [speak.number(bound[1], facts)]
    if facts.kind in ("datetime", "timedelta"):
        text = _time(value, facts, speak)
        return [] if text is None else [text]
    return speak.category(value, facts)


# --- times ------------------------------------------------------------------------------------------------------------


def _time(value: Any, facts: ColumnFacts, speak: Dialect) -> str | None:
    """Write a time or duration in the type of the column; None if the two do not compare."""
    if facts.kind == "datetime" and isinstance(value, dt.date):
        known = [one for one in facts.candidates if isinstance(one, pd.Timestamp)]
        fine = any(one.nanosecond for one in known)
        return speak.moment(_moment(value, facts), zoned=facts.timezone is not None, fine=fine)
    if facts.kind == "timedelta" and isinstance(value, dt.timedelta):
        return speak.duration(pd.Timedelta(value))
    return None


def _moment(value: dt.date, facts: ColumnFacts) -> pd.Timestamp:
    stamp = pd.Timestamp(value)
    if facts.timezone is not None:
        return on_the_clock(stamp, facts.timezone).tz_convert("UTC")
    return to_utc(stamp)

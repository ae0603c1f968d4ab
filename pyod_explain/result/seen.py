"""What a condition saw in a row: the value that decided it, in words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import numpy as np

from pyod_explain.input import Column
from pyod_explain.result.words import cell_text
from pyod_explain.tags import WEEKDAYS, Condition, DatePart, Relation, Statement, Term, value_texts

__all__ = ["Values", "seen_by", "seen_in", "value_of"]

LARGEST_SHORT = float(np.finfo(np.float32).max)
Values = Mapping[Term, Any]  # a row's cells, and what two of them give together


def value_of(condition: Condition, values: Values) -> str:
    """Write what a condition saw: a cell, its hour or weekday, or what two cells give together, with these.

    >>> import pandas as pd
    >>> value_of(Condition(DatePart("sale", "weekday"), "==", 5), {"sale": pd.Timestamp("2024-01-06 10:30")})
    'Saturday: 2024-01-06 10:30:00'
    >>> value_of(Condition(Relation("b", "-", "a"), "<", 2), {Relation("b", "-", "a"): 1.5, "a": 1.0, "b": 2.5})
    '1.5: b 2.5, a 1'
    """
    decided = _decided(condition, values)
    if isinstance(condition.column, Relation):
        return f"{decided}: {', '.join(f'{name} {cell_text(values[name])}' for name in condition.columns)}"
    if isinstance(condition.column, str) or values[condition.axis] is None:
        return decided
    return f"{decided}: {cell_text(values[condition.axis])}"


def seen_by(statement: Statement, values: Values) -> str:
    """Write what a statement saw, with as many digits as decide any of its conditions.

    >>> from pyod_explain.tags import statements
    >>> [interval] = statements([Condition("x", ">", 4), Condition("x", "<", 8)])
    >>> seen_by(interval, {"x": 9.5})
    '9.5'
    """
    return max((value_of(condition, values) for condition in statement.conditions), key=len)


def seen_in(condition: Condition, values: Values) -> dict[str, str]:
    """Give what a condition saw by its name: the cell, or its part, or what two cells give together and these.

    >>> seen_in(Condition("amount", ">", 5), {"amount": 9.0})
    {'amount': '9'}
    """
    seen = {str(condition.column): _decided(condition, values)}
    if not isinstance(condition.column, str):
        seen |= {name: cell_text(values[name]) for name in condition.columns}
    return seen


def _decided(condition: Condition, values: Values) -> str:
    """Write the value that is compared."""
    value = values[condition.axis]
    if isinstance(condition.column, Relation):
        if value is None:
            return "undefined"
        return cell_text(_unless_it_decides(value, float(f"{value:.12g}"), condition))  # the rest is of rounded cells
    if isinstance(condition.column, DatePart) and isinstance(value, dt.datetime):
        return WEEKDAYS[value.weekday()] if condition.column.part == "weekday" else str(value.hour)
    if isinstance(value, float) and abs(value) < LARGEST_SHORT and float(np.float32(value)) == value:
        return cell_text(_unless_it_decides(value, float(str(np.float32(value))), condition))
    if isinstance(value, dt.datetime):  # with the time of day, if what it is compared with has one
        ends = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        return value_texts([value, *ends])[0]
    return cell_text(value)


def _unless_it_decides(value: float, short: float, condition: Condition) -> float:
    """Give a number without digits that say nothing, unless these decide the condition.

    A cell of 32 bits that was written as 0.1 has 17 digits as a double.
    """
    pair = Column(str(condition.column), "number", np.array([value, short]), np.zeros(2, dtype=bool))
    return short if len(set(condition.holds(pair).tolist())) == 1 else value

"""What a condition saw in a row: the value that decided it, in words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import numpy as np

from pyod_explain.input.relation import Relation
from pyod_explain.input.table import Column
from pyod_explain.result.words import cell_text
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.wording import WEEKDAYS

__all__ = ["Values", "seen_in", "value_of"]

Values = Mapping[str | Relation, Any]  # a row's cells, and what two of them give together


def value_of(condition: Condition, values: Values) -> str:
    """Write what a condition saw: a cell, its hour or weekday, or what two cells give together, with these.

    >>> import pandas as pd
    >>> value_of(Condition("sale", "==", 5, part="weekday"), {"sale": pd.Timestamp("2024-01-06 10:30")})
    'Saturday: 2024-01-06 10:30:00'
    >>> value_of(Condition(Relation("b", "-", "a"), "<", 2), {Relation("b", "-", "a"): 1.5, "a": 1.0, "b": 2.5})
    '1.5: b 2.5, a 1'
    """
    column = condition.column
    if isinstance(column, Relation):
        parts = ", ".join(f"{name} {cell_text(values[name])}" for name in column.columns)
        return f"{_decided(condition, values)}: {parts}"
    part = _decided(condition, values)
    return part if condition.part is None or values[column] is None else f"{part}: {cell_text(values[column])}"


def seen_in(condition: Condition, values: Values) -> dict[str, str]:
    """Give what a condition saw by its name: the cell, or its part, or what two cells give together and these.

    >>> seen_in(Condition("amount", ">", 5), {"amount": 9.0})
    {'amount': '9'}
    """
    seen = {condition.subject: _decided(condition, values)}
    if condition.subject != condition.column:
        seen |= {name: cell_text(values[name]) for name in condition.columns}
    return seen


def _decided(condition: Condition, values: Values) -> str:
    """Write the value that is compared."""
    value = values[condition.column]
    if isinstance(condition.column, Relation):
        return "undefined" if value is None else cell_text(_rounded(value, condition))
    if condition.part is not None and isinstance(value, dt.datetime):
        return WEEKDAYS[value.weekday()] if condition.part == "weekday" else str(value.hour)
    return cell_text(value)


def _rounded(value: float, condition: Condition) -> float:
    """Drop the last digits of a result, which are those of rounded cells, unless they decide the condition."""
    short = float(f"{value:.12g}")
    pair = Column(str(condition.column), "number", np.array([value, short]), np.zeros(2, dtype=bool))
    return short if len(set(condition.holds(pair).tolist())) == 1 else value

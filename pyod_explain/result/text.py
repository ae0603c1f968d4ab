"""Counts, shares and values as text, written the same way everywhere."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from pyod_explain.exceptions import visible
from pyod_explain.input import Column
from pyod_explain.tags import WEEKDAYS, Condition, DatePart, Relation, Statement, Term, value_text, value_texts

MAX_FLOAT32 = float(np.finfo(np.float32).max)
Values = Mapping[Term, Any]  # a row's cells, and what two of them give together


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Write a number of things.

    >>> count(1, "row"), count(1200, "row"), count(0, "match", "matches")
    ('1 row', '1,200 rows', '0 matches')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def percent(part: float, whole: float = 1.0) -> str:
    """Write a share; never 0% for something or 100% for less than everything.

    >>> percent(1, 3), percent(1, 80), percent(1, 3000), percent(1, 10**6), percent(0, 5), percent(0, 0)
    ('33%', '1.2%', '0.03%', 'under 0.01%', '0%', '0%')
    >>> percent(5, 5), percent(199, 200), percent(2999, 3000)
    ('100%', '99.5%', 'over 99.9%')
    """
    value = 100 * part / whole if whole else 0.0
    if value in (0.0, 100.0) or 10 <= value <= 99 or value > 100:
        return f"{value:,.0f}%"
    if value > 99:
        return f"{value:.1f}%" if value < 99.95 else "over 99.9%"
    if value >= 0.01:
        return f"{value:.1f}%" if value >= 0.1 else f"{value:.2f}%"
    return "under 0.01%"


def number(value: float) -> str:
    """Write a number to three digits.

    >>> number(0.12345), number(12.345), number(1234.5), number(float("inf"))
    ('0.123', '12.3', '1,234', 'infinite')
    """
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def cell_text(value: Any) -> str:
    """Write the value of a cell; a missing one as such.

    >>> cell_text(None), cell_text(3.0), cell_text("web")
    ('missing', '3', "'web'")
    """
    return "missing" if value is None else visible(value_text(value))


def short_value(value: Any) -> str:
    """Write a value of a profile in few characters: fractions to four digits, times to the day.

    Halves, as medians of whole numbers are, and fractions of five digits have all of them. As in rules, thousands are
    not separated: the number may be a year or a code.

    >>> short_value(0.123456), short_value(12345678), short_value(dt.datetime(2024, 5, 1, 7, 30))
    ('0.1235', '12345678', '2024-05-01')
    >>> short_value(12590.5), short_value((150.5 + 150.6) / 2)
    ('12590.5', '150.55')
    """
    if isinstance(value, decimal.Decimal):
        value = float(value)
    if isinstance(value, float) and abs(value) < 1e15 and (2 * value) % 2 == 1:
        return f"{value:.1f}"
    if isinstance(value, float) and not value.is_integer():
        whole = f"{value:.5g}"
        exact = math.isclose(float(whole), value, rel_tol=1e-12)  # 150.55, which a mean may miss by its last bit
        return (whole if exact else f"{value:.4g}") if abs(value) < 10_000 else f"{value:.0f}"
    if isinstance(value, dt.datetime):
        return f"{value:%Y-%m-%d}"
    return cell_text(value)


def alike(values: Iterable[Any], limits: Iterable[Any] = ()) -> Callable[[Any], str]:
    """Give how values of a column are written in few characters: moments all or none with the time of day.

    They have it if one of the limits of rules on the column has it; without such limits if all lie within two days.

    >>> moments = [dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 1, 7, 30)]
    >>> [alike(moments)(one) for one in moments], alike(moments, moments[:1])(moments[1]), alike([1, 2.5])(2.5)
    (['2024-05-01 00:00:00', '2024-05-01 07:30:00'], '2024-05-01', '2.5')
    """
    moments = [value for value in values if isinstance(value, dt.datetime)]
    known = [value for value in limits if isinstance(value, dt.datetime)]
    if not known and moments and max(moments) - min(moments) < dt.timedelta(days=2):
        known = moments
    if any((value.hour, value.minute, value.second) != (0, 0, 0) for value in known):
        return lambda value: f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, dt.datetime) else short_value(value)
    return short_value


def seen_by_condition(condition: Condition, values: Values) -> str:
    """Write what a condition saw: a cell, its hour or weekday, or what two cells give together, with these.

    >>> import pandas as pd
    >>> seen_by_condition(Condition(DatePart("sale", "weekday"), "==", 5), {"sale": pd.Timestamp("2024-01-06 10:30")})
    'Saturday: 2024-01-06 10:30:00'
    >>> gap = Relation("b", "-", "a")
    >>> seen_by_condition(Condition(gap, "<", 2), {gap: 1.5, "a": 1.0, "b": 2.5})
    '1.5: b 2.5, a 1'
    """
    seen = _compared_value(condition, values)
    if isinstance(condition.column, Relation):
        return f"{seen}: {', '.join(f'{name} {cell_text(values[name])}' for name in condition.columns)}"
    if isinstance(condition.column, str) or values[condition.axis] is None:
        return seen
    return f"{seen}: {cell_text(values[condition.axis])}"


def seen_by_statement(statement: Statement, values: Values) -> str:
    """Write what a statement saw, with as many digits as decide any of its conditions.

    >>> from pyod_explain.tags import statements
    >>> [interval] = statements([Condition("x", ">", 4), Condition("x", "<", 8)])
    >>> seen_by_statement(interval, {"x": 9.5})
    '9.5'
    """
    return max((seen_by_condition(condition, values) for condition in statement.conditions), key=len)


def seen_values(condition: Condition, values: Values) -> dict[str, str]:
    """Give what a condition saw by its name: the cell, or its part, or what two cells give together and these.

    >>> seen_values(Condition("amount", ">", 5), {"amount": 9.0})
    {'amount': '9'}
    """
    seen = {str(condition.column): _compared_value(condition, values)}
    if not isinstance(condition.column, str):
        seen |= {name: cell_text(values[name]) for name in condition.columns}
    return seen


def _compared_value(condition: Condition, values: Values) -> str:
    """Write the value that is compared."""
    value = values[condition.axis]
    if isinstance(condition.column, Relation):
        if value is None:
            return "undefined"
        return cell_text(_shortened(value, float(f"{value:.12g}"), condition))  # the rest is of rounded cells
    if isinstance(condition.column, DatePart) and isinstance(value, dt.datetime):
        return WEEKDAYS[value.weekday()] if condition.column.part == "weekday" else str(value.hour)
    if isinstance(value, float) and abs(value) < MAX_FLOAT32 and float(np.float32(value)) == value:
        return cell_text(_shortened(value, float(str(np.float32(value))), condition))
    if isinstance(value, dt.datetime):  # with the time of day, if what it is compared with has one
        ends = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        return value_texts([value, *ends])[0]
    return cell_text(value)


def _shortened(value: float, short: float, condition: Condition) -> float:
    """Give a number without digits that say nothing, unless these decide the condition.

    A cell of 32 bits that was written as 0.1 has 17 digits as a double.
    """
    pair = Column(str(condition.column), "number", np.array([value, short]), np.zeros(2, dtype=bool))
    return short if len(set(condition.holds(pair).tolist())) == 1 else value

"""Conditions and values in words, as a person would say them, and as an expression.

Text is derived from structured data and never parsed back.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Iterable
from typing import Any

End = tuple[str, Any]  # of an interval: the operator and the value

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

MAX_COUNT = 10**15  # whole numbers below are written as counts
MAX_VALUE_LENGTH = 80  # characters of a value in a phrase; a rule has all of them
MAX_PHRASE_VALUES = 4  # values of a list that a phrase names; of a longer one it gives the number


class Unquoted(str):
    """A string that is printed without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def write_condition(subject: str, op: str, value: Any, *, signs: bool = False) -> str:
    """Write a condition as a person would; with `signs`, with ≤ and ≥.

    >>> write_condition("age", ">=", 65.0), write_condition("age", "between", (18, 25), signs=True)
    ('age >= 65', '18 ≤ age ≤ 25')
    >>> write_condition("children", "<=", 3), write_condition("balance", "<=", 0), write_condition("rate", "<=", 0.5)
    ('children is at most 3', 'balance is 0 or less', 'rate <= 0.5')
    """
    if signs and op == "between":
        return _between_text(subject, value, "≤")
    if signs and (op == ">=" or (op == "<=" and not _is_count(value))):
        return f"{subject} {'≥' if op == '>=' else '≤'} {value_text(value)}"
    return _TEXT[op](subject, value)


def write_phrase(subject: str, op: str, value: Any) -> str:
    """Describe the rows that meet a condition, to follow "rows with"; of a long list only its length.

    >>> write_phrase("amount", ">", 410), write_phrase("payment", "==", "card"), write_phrase("job", "in", ("a", "b"))
    ('amount above 410', "payment 'card'", "job 'a' or 'b'")
    >>> write_phrase("sale", ">=", dt.date(2024, 5, 1)), write_phrase("job", "not in", tuple("abcdef"))
    ('sale from 2024-05-01 on', 'job none of 6 values')
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
    return f"{first} {equal if low[0] == '>=' else '<'} {subject} {equal if high[0] == '<=' else '<'} {last}"


def interval_phrase(subject: str, low: End, high: End) -> str:
    """Describe the rows of an interval, to follow "rows with".

    >>> interval_phrase("x", (">", 4), ("<=", 8)), interval_phrase("x", (">=", 4), ("<", 8))
    ('x above 4 and at most 8', 'x from 4 to below 8')
    >>> interval_phrase("sale", (">", dt.datetime(2024, 5, 1)), ("<", dt.datetime(2024, 5, 2, 7, 30)))
    'sale after 2024-05-01 00:00:00 and before 2024-05-02 07:30:00'
    """
    first, last = map(_cut, value_texts([low[1], high[1]]))
    times = isinstance(low[1], dt.date)
    if low[0] == ">=":
        return f"{subject} from {first} to {'before' if times else 'below'} {last}"
    upper = ("until" if times else "at most") if high[0] == "<=" else ("before" if times else "below")
    return f"{subject} {'after' if times else 'above'} {first} and {upper} {last}"


def name_in_sentence(name: str) -> str:
    """Name a column in a sentence, so that it is not taken for a value.

    >>> name_in_sentence("age"), name_in_sentence("0"), name_in_sentence(" ")
    ('age', "column '0'", "column ' '")
    """
    return name if any(c.isalpha() for c in name) else f"column {name!r}"


def value_text(value: Any) -> str:
    """Write a value as a person would: no needless decimals or times of day, strings in quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, dt.datetime):
        text = value.isoformat(sep=" ")
        return text.removesuffix(" 00:00:00") if value.tzinfo is None else text
    if isinstance(value, decimal.Decimal):
        return format(value, "f") if -20 <= value.adjusted() < 20 else str(value)
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        return str(value)
    if type(value) is frozenset:  # in one order, whatever that of its hashes
        return f"frozenset({{{', '.join(sorted(value_text(one) for one in value))}}})"
    return repr(value)


def value_texts(values: Iterable[Any]) -> list[str]:
    """Write values that stand beside each other alike: of moments all or none with the time of day.

    >>> value_texts([dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 2, 7, 30)])
    ['2024-05-01 00:00:00', '2024-05-02 07:30:00']
    """
    listed = list(values)
    texts = [value_text(value) for value in listed]
    moments = [isinstance(value, dt.datetime) for value in listed]
    if any(moment and ":" in text for moment, text in zip(moments, texts, strict=True)):
        rows = zip(listed, moments, texts, strict=True)
        return [value.isoformat(sep=" ") if moment else text for value, moment, text in rows]
    return texts


def _between_text(subject: str, ends: tuple[Any, Any], sign: str = "<=") -> str:
    """Say of an interval that is one value what that is."""
    if _is_one(ends):
        return f"{subject} is {value_text(ends[0])}"
    low, high = value_texts(ends)
    return f"{low} {sign} {subject} {sign} {high}"


def _is_one(ends: tuple[Any, Any]) -> bool:
    """Tell whether both ends are one value: they read the same, and no two values of a column do."""
    return value_text(ends[0]) == value_text(ends[1])


def _at_most_text(subject: str, value: Any) -> str:
    """Say of whole numbers what a person counts; measures, dates and durations are compared."""
    if not _is_count(value):
        return f"{subject} <= {value_text(value)}"
    return f"{subject} is at most {value_text(value)}" if value else f"{subject} is 0 or less"


def _is_count(value: Any) -> bool:
    if isinstance(value, decimal.Decimal):
        return value.is_finite() and abs(value) < MAX_COUNT and value == int(value)
    if isinstance(value, float):
        return abs(value) < MAX_COUNT and value.is_integer()
    return type(value) is int and abs(value) < MAX_COUNT


_TEXT: dict[str, Callable[[str, Any], str]] = {
    "<": lambda s, v: f"{s} < {value_text(v)}",
    ">": lambda s, v: f"{s} > {value_text(v)}",
    ">=": lambda s, v: f"{s} >= {value_text(v)}",
    "<=": _at_most_text,
    "between": _between_text,
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


def _span(subject: str, ends: tuple[Any, Any]) -> str:
    if _is_one(ends):
        return f"{subject} {_brief(ends[0])}"
    low, high = map(_cut, value_texts(ends))
    return f"{subject} from {low} to {high}"


def _one_of(values: tuple[Any, ...]) -> str:
    if len(values) > MAX_PHRASE_VALUES:
        return f"one of {len(values):,} values"
    *most, last = (_brief(value) for value in values) if values else ("none",)
    return f"{', '.join(most)} or {last}" if most else last


def _none_of(values: tuple[Any, ...]) -> str:
    if len(values) > MAX_PHRASE_VALUES:
        return f"none of {len(values):,} values"
    return f"none of {', '.join(_brief(value) for value in values)}" if values else "of any value"


_PHRASE: dict[str, Callable[[str, Any], str]] = {
    ">": lambda s, v: f"{s} above {_brief(v)}",
    ">=": lambda s, v: f"{s} {_brief(v)} or more",
    "<": lambda s, v: f"{s} below {_brief(v)}",
    "<=": lambda s, v: f"{s} {_brief(v)} or less",
    "between": _span,
    "==": lambda s, v: f"{s} {_brief(v)}",
    "!=": lambda s, v: f"{s} other than {_brief(v)}",
    "in": lambda s, v: f"{s} {_one_of(v)}",
    "not in": lambda s, v: f"{s} {_none_of(v)}",
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

"""`read_rule`: a rule from its text, as reports and tables of rules have it."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Callable, Hashable
from typing import Any, cast, get_args

import pandas as pd

from pyod_explain.input import Column, Table
from pyod_explain.tags.condition import Condition, Op
from pyod_explain.tags.tag import Tag
from pyod_explain.tags.terms import WEEKDAYS, DatePart, Part, Relation, Term, value_text

OPERATOR = re.compile(
    r"\s*(==|!=|<>|>=|<=|≥|≤|=|>|<)\s*|\s+(is\s+none\s+of|is\s+one\s+of|is\s+not|is\s+at\s+most|is|not\s+in|in)\s+",
    re.IGNORECASE,
)
WORDS: dict[str, str] = {
    "=": "==",
    "<>": "!=",
    "≥": ">=",
    "≤": "<=",
    "is": "==",
    "is not": "!=",
    "is at most": "<=",
    "is one of": "in",
    "is none of": "not in",
}
LISTED_VALUE = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]*?)\s*(?:,|$)""")
RELATION = re.compile(r"\s([-+/x*])\s")
INTERVAL = re.compile(r"^(?P<low>[^<]+?)\s*(?P<first><=|<|≤)\s*(?P<term>.+?)\s*(?P<last><=|<|≤)\s*(?P<high>[^<]+)$")


def read_rule(text: str, table: Table) -> Tag:
    """Read a rule from its text: `str(tag)`, or conditions such as `kind == 'a' and amount > 100`.

    Parameters
    ----------
    text : the rule.
    table : has the columns that it names, so that values are read as the columns hold them.

    Examples
    --------
    >>> from pyod_explain.input import as_table
    >>> payments = as_table(pd.DataFrame({"amount": [1.5], "kind": ["a"], "paid_at": [pd.Timestamp("2024-05-01")]}))
    >>> read_rule("hour of paid_at is at most 5 and 2 <= amount < 3 and kind is one of 'a', 'b'", payments)
    Tag(2 <= amount < 3 and kind is one of 'a', 'b' and hour of paid_at is at most 5)
    """
    found = _read_conditions(text.strip(), table)
    if found is None:
        raise ValueError(text)
    return Tag.of(*found)


def _read_conditions(text: str, table: Table) -> list[Condition] | None:
    """Read conditions that "and" joins; a name or a value may hold that word too, so longer first parts come later."""
    ends = [found.start() for found in re.finditer(r"\sand\s", text)]
    for end in (*ends, len(text)):
        try:
            first = _read_statement(text[:end].strip(), table)
        except (ValueError, ArithmeticError, LookupError):
            continue
        if end == len(text):
            return first
        rest = _read_conditions(text[end + 5 :].strip(), table)
        if rest is not None:
            return [*first, *rest]
    return None


def _read_statement(text: str, table: Table) -> list[Condition]:
    """Read one condition; an interval with an open end is two."""
    for ending, op in ((" is not missing", "present"), (" is missing", "missing")):
        if text.endswith(ending) and (term := _term(text.removesuffix(ending), table)) is not None:
            return [Condition(term, cast("Op", op))]
    interval = INTERVAL.match(text)
    term = None if interval is None else _term(interval["term"], table)
    if interval is not None and term is not None:
        low, high = (parse_value(interval[end], term, table) for end in ("low", "high"))
        first, last = (WORDS.get(interval[one], interval[one]) for one in ("first", "last"))
        if (first, last) == ("<=", "<="):
            return [Condition(term, "between", (low, high))]
        return [Condition(term, ">=" if first == "<=" else ">", low), Condition(term, cast("Op", last), high)]
    name, op, values = split_condition(text, lambda name: _term(name, table))
    parsed = [parse_value(value, name, table) for value in values]
    return [Condition(name, op, parsed if op in ("in", "not in") else parsed[0])]


def split_condition(text: str, find: Callable[[str], Any]) -> tuple[Any, Op, list[str]]:
    """Split a condition into a term that exists, whose name may hold anything, an operator and the texts of values.

    Parameters
    ----------
    text : the condition.
    find : gives the term of a name, or None.
    """
    start = 0
    while found := OPERATOR.search(text, start):  # operators may overlap: a name may end in "is"
        start = found.start() + 1
        term, rest = find(_unquote(text[: found.start()].strip())), text[found.end() :].strip()
        if term is not None and rest:
            word = " ".join((found[1] or found[2]).lower().split())
            if word == "is" and rest.endswith(" or less"):
                word, rest = "<=", rest.removesuffix(" or less")
            op = cast("Op", WORDS.get(word, word))
            return term, op, _split_list(rest) if op in ("in", "not in") else [rest]
    raise ValueError(text)


def _term(name: str, table: Table) -> Term | None:
    """Give the column, part of a date or relation that is written so; None if the table has none."""
    if name in table.columns:
        return name
    for part in get_args(Part):
        column = name.removeprefix(f"{part} of ")
        if column != name and column in table.columns:
            return DatePart(column, part)
    for found in RELATION.finditer(name):
        left, right = name[: found.start()], name[found.end() :]
        if left in table.columns and right in table.columns and left != right:
            return Relation(left, "*" if found[1] == "x" else cast("Any", found[1]), right)
    return None


def _unquote(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"`" else text


def _split_list(text: str) -> list[str]:
    if text[:1] + text[-1:] in ("()", "[]"):
        text = text[1:-1]
    return [value for value in LISTED_VALUE.findall(text) if value]


def parse_value(text: str, term: Term, table: Table) -> Any:
    """Parse a value as the term would hold it; raise ValueError, ArithmeticError or LookupError for anything else."""
    if isinstance(term, DatePart) and text in WEEKDAYS:
        return WEEKDAYS.index(text)
    return parse_cell(text, table[term])


def parse_cell(text: str, column: Column) -> Any:
    """Parse a value as a column would hold it; raise as `parse_value` does."""
    return PARSERS[column.kind](_unquote(text) if column.kind != "category" else text, column)


def _parse_number(text: str, column: Column) -> Any:
    if re.fullmatch(r"\s*[-+]?\d+\s*", text):
        return int(text)
    number = decimal.Decimal(text)
    if not math.isfinite(number):
        raise ValueError
    exact = column.values.dtype == object and isinstance(next(iter(column.values[~column.missing]), 0), decimal.Decimal)
    return number if exact else float(text)


def _parse_date(text: str, column: Column) -> pd.Timestamp:
    date = pd.to_datetime(text, format="ISO8601")
    if date.tzinfo is not None and column.timezone is None:
        raise ValueError
    return date


def _parse_duration(text: str, _: Column) -> pd.Timedelta:
    if not re.search(r"[:a-zA-Z]", text):
        raise ValueError  # a number without a unit would be nanoseconds
    return pd.Timedelta(text)


def _parse_category(text: str, column: Column) -> Hashable:
    plain = _unquote(text)
    return next((one for one in column.categories if text == value_text(one) or plain == str(one)), plain)


PARSERS: dict[str, Callable[[str, Column], Any]] = {
    "number": _parse_number,
    "boolean": lambda text, _: {"true": True, "1": True, "false": False, "0": False}[text.lower()],
    "datetime": _parse_date,
    "timedelta": _parse_duration,
    "category": _parse_category,
}

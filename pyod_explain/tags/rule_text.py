"""`read_rule`: a rule from its text, as reports and tables of rules have it."""

from __future__ import annotations

import ast
import contextlib
import decimal
import math
import re
from collections.abc import Callable, Hashable, Iterator
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
SIGN = re.compile(r"\s*(==|!=|<>|>=|<=|=|>|<)\s*|\s+(not\s+in|in)\s+", re.IGNORECASE)
QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
DOUBTFUL = re.compile(r"""['",;<>=()]|\b(?:and|or|not|one of|none of|between|missing|rare value)\b""", re.IGNORECASE)
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
    found = list(dict.fromkeys(Tag.of(*one) for one in _read_conditions(text.strip(), table)))
    exact = [tag for tag in found if str(tag) == text.strip()]
    if len(exact or found) != 1:  # no way to read it, or several, as names of columns may hold anything
        raise ValueError(text)
    return (exact or found)[0]


def _read_conditions(text: str, table: Table) -> Iterator[list[Condition]]:
    """Give the ways to read conditions that "and" joins; a name or a value may hold that word, too."""
    ends = [found.start() for found in re.finditer(r"\sand\s", text, re.IGNORECASE)]
    for end in (*ends, len(text)):
        for first in _read_statement(text[:end].strip(), table):
            if end == len(text):
                yield first
            else:
                yield from ([*first, *rest] for rest in _read_conditions(text[end + 5 :].strip(), table))


def _read_statement(text: str, table: Table) -> Iterator[list[Condition]]:
    """Give the ways to read one condition; an interval with an open end is two."""
    for ending, op in ((" is not missing", "present"), (" is missing", "missing")):
        term = _term(text[: -len(ending)], table)
        if text.lower().endswith(ending) and term is not None:
            yield [Condition(term, cast("Op", op))]
            return
    interval = INTERVAL.match(text)
    term = None if interval is None else _term(interval["term"], table)
    if interval is not None and term is not None:
        with contextlib.suppress(ValueError, ArithmeticError, LookupError):
            low, high = (parse_value(interval[end], term, table) for end in ("low", "high"))
            first, last = (WORDS.get(interval[one], interval[one]) for one in ("first", "last"))
            if (first, last) == ("<=", "<="):
                yield [Condition(term, "between", (low, high))]
            else:
                yield [Condition(term, ">=" if first == "<=" else ">", low), Condition(term, cast("Op", last), high)]
    for name, op, values in split_condition(text, lambda name: _term(name, table)):
        with contextlib.suppress(ValueError, ArithmeticError, LookupError):
            parsed = [parse_value(value, name, table) for value in values]
            yield [Condition(name, op, parsed if op in ("in", "not in") else parsed[0])]


def split_condition(
    text: str, find: Callable[[str], Any], operator: re.Pattern[str] = OPERATOR
) -> Iterator[tuple[Any, Op, list[str]]]:
    """Give the ways to split a condition into a term that exists, an operator and the texts of values.

    Parameters
    ----------
    text : the condition.
    find : gives the term of a name, which may hold anything, or None.
    operator : matches an operator.
    """
    start = 0
    while found := operator.search(text, start):  # operators may overlap: a name may end in "is"
        start = found.start() + 1
        term, rest = find(_unquote(text[: found.start()].strip())), text[found.end() :].strip()
        if term is not None and rest:
            word = " ".join((found[1] or found[2]).lower().split())
            if word == "is" and rest.endswith(" or less"):
                word, rest = "<=", rest.removesuffix(" or less")
            op = cast("Op", WORDS.get(word, word))
            yield term, op, _split_list(rest) if op in ("in", "not in") else [rest]
            start = found.end()


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
    column = table[term]
    plain = column.kind == "category" and not QUOTED.fullmatch(text) and text not in map(str, column.categories)
    if plain and DOUBTFUL.search(text):  # more than a value, or a slip
        raise ValueError(text)
    return parse_cell(text, column)


def parse_cell(text: str, column: Column) -> Any:
    """Parse a value as a column would hold it; raise as `parse_value` does."""
    return PARSERS[column.kind][0](_unquote(text) if column.kind != "category" else text, column)


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
    plain = str(ast.literal_eval(text)) if QUOTED.fullmatch(text) else text
    values = column.categories
    exact = next((one for one in values if text == value_text(one)), None)
    return next((one for one in values if plain == str(one)), plain) if exact is None else exact


BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
# By the kind of the column: how to read a value, and what it must be.
PARSERS: dict[str, tuple[Callable[[str, Column], Any], str]] = {
    "number": (_parse_number, "a number"),
    "boolean": (lambda text, _: BOOLEANS[text.lower()], "true or false"),
    "datetime": (_parse_date, "a date such as 2024-01-31, with a time zone only if the column has one"),
    "timedelta": (_parse_duration, "a duration such as 1 day 06:30:00"),
    "category": (_parse_category, "a value"),
}

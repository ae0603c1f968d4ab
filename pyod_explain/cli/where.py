"""`--where`: the outliers are the rows that meet a condition such as `status != ok`."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.beyond_memory import SelectedSource, Source
from pyod_explain.cli.request import Notify, no_notify
from pyod_explain.exceptions import Message, ParameterError, shown
from pyod_explain.input import Column, arrow_column, as_table, name_list
from pyod_explain.tags import Condition, Op

OPERATOR = re.compile(r"\s*(==|!=|<>|>=|<=|=|>|<)\s*|\s+(not\s+in|in)\s+", re.IGNORECASE)
LISTED_VALUE = re.compile(r"""\s*(?:'([^']*)'|"([^"]*)"|([^,]*?))\s*(?:,|$)""")
N_VALUES_SHOWN = 6
EQUALITIES = ("==", "!=", "in", "not in")


def mark_rows(
    data: pd.DataFrame | Source, where: str, *, keep: Collection[str] = (), notify: Notify = no_notify
) -> tuple[pd.DataFrame | Source, NDArray[np.bool_], Condition]:
    """Mark the rows that meet a condition; refuse one that holds for no row or for all rows.

    Return the rows without the column of the condition, which would explain itself; for each whether it is an outlier;
    and the condition.

    Parameters
    ----------
    data : the rows.
    where : such as `status != ok`, `amount >= 100` or `status in fraud, chargeback`.
    keep : columns that stay, even if the condition is about them.
    notify : gets a note on rows that have no value there.

    Examples
    --------
    >>> orders = pd.DataFrame({"status": ["ok", "bad", "ok"], "a": [1, 2, 3]})
    >>> rows, labels, condition = mark_rows(orders, "status != ok")
    >>> rows.to_dict("list"), labels.tolist(), str(condition)
    ({'a': [1, 2, 3]}, [False, True, False], "status is not 'ok'")
    """
    name, op, texts = _split(where, list(map(str, data.columns)))
    first = next(_read_columns(data, name))
    values = [_parse_value(text, first, where) for text in texts]
    condition = Condition(name, op, values if op in ("in", "not in") else values[0])
    unknown = list(values) if op in EQUALITIES else []
    if not first.has_order and op not in EQUALITIES:
        raise ParameterError("where", "a condition with ==, != or in, as the column holds texts", got=where)
    marks, n_missing = [], 0
    for column in _read_columns(data, name):
        n_missing += int(column.missing.sum())
        marks.append(condition.holds(column))
        unknown = [value for value in unknown if not Condition(name, "==", value).holds(column).any()]
    if unknown:
        some = ", ".join(repr(str(value)) for value in first.categories[:N_VALUES_SHOWN])
        got, hint = f"{shown(str(unknown[0]))}, which no row has", f"Values are {some}." if some else ""
        raise ParameterError("where", f"a condition on values of column {name!r}", got_text=got, hint=hint)
    labels = np.concatenate(marks)
    if labels.all() or not labels.any():
        got_text = f"{shown(where)}, which holds for {'all' if labels.any() else 'none'}"
        raise ParameterError("where", "a condition that holds for some rows and not for all", got_text=got_text)
    if n_missing:
        about = {"n": n_missing, "name": name}
        notify(Message("{n:,} rows without a value in column {name!r} are taken as normal", about))
    if name not in keep:
        others = [one for one in data.columns if one != name]
        data = SelectedSource(data, others) if isinstance(data, Source) else data[others]
    return data, labels, condition


def _read_columns(data: pd.DataFrame | Source, name: str) -> Iterator[Column]:
    """Yield the column: as a whole, or that of each chunk."""
    if isinstance(data, Source):
        for chunk in data.chunks([name]):
            yield arrow_column(name, chunk.batch.column(name), in_order=False)
    else:
        yield as_table(data[[name]])[name]


def _split(where: str, names: Sequence[str]) -> tuple[str, Op, list[str]]:
    """Split a condition into a column that exists, whose name may hold anything, an operator and values."""
    for found in OPERATOR.finditer(where):
        name, rest = _unquote(where[: found.start()].strip()), where[found.end() :].strip()
        if name in names and rest:
            word = " ".join((found[1] or found[2]).lower().split())
            op = cast("Op", {"=": "==", "<>": "!="}.get(word, word))
            return name, op, _split_list(rest) if op in ("in", "not in") else [_unquote(rest)]
    requirement = "a condition such as 'status != ok' on one of the columns"
    raise ParameterError("where", requirement, got=where, hint=f"The columns are {name_list(names)}.")


def _unquote(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"`" else text


def _split_list(text: str) -> list[str]:
    if text[:1] + text[-1:] in ("()", "[]"):
        text = text[1:-1]
    return [value for groups in LISTED_VALUE.findall(text) if (value := "".join(groups))]


def _parse_value(text: str, column: Column, where: str) -> Any:
    """Parse a value as the column would hold it."""
    parse, wanted = _PARSERS[column.kind]
    try:
        return parse(text, column)
    except (KeyError, ValueError, ArithmeticError):
        requirement = f"a condition that compares column {column.name!r} with {wanted}"
        raise ParameterError("where", requirement, got=where) from None


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
    return next((value for value in column.categories if str(value) == text), text)


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
# By the kind of the column: how to read a value, and what it must be.
_PARSERS: dict[str, tuple[Callable[[str, Column], Any], str]] = {
    "number": (_parse_number, "a number"),
    "boolean": (lambda text, _: _BOOLEANS[text.lower()], "true or false"),
    "datetime": (_parse_date, "a date such as 2024-01-31, with a time zone only if the column has one"),
    "timedelta": (_parse_duration, "a duration such as 1 day 06:30:00"),
    "category": (_parse_category, "a value"),
}

"""`--where`: the outliers are the rows that meet a condition such as `status != ok`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain._arrays import BoolArray
from pyod_explain.beyond_memory import SelectedSource, Source
from pyod_explain.cli.request import Notify, no_notify
from pyod_explain.exceptions import Message, ParameterError, shown
from pyod_explain.input import Column, arrow_column, as_table, name_list
from pyod_explain.tags import PARSERS, SIGN, Condition, Op, parse_cell, split_condition

N_VALUES_SHOWN = 6
EQUALITIES = ("==", "!=", "in", "not in")


def mark_rows(
    data: pd.DataFrame | Source, where: str, *, keep: Collection[str] = (), notify: Notify = no_notify
) -> tuple[pd.DataFrame | Source, BoolArray, Condition]:
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
    """Split a condition into a column, an operator and values."""
    for name, op, texts in split_condition(where, lambda name: name if name in names else None, SIGN):
        return name, op, texts
    hint = f"The columns are {name_list(list(names))}."
    raise ParameterError("where", "a condition such as 'status != ok' on one of the columns", got=where, hint=hint)


def _parse_value(text: str, column: Column, where: str) -> Any:
    """Parse a value as the column would hold it."""
    try:
        return parse_cell(text, column)
    except (LookupError, ValueError, ArithmeticError):
        requirement = f"a condition that compares column {column.name!r} with {PARSERS[column.kind][1]}"
        raise ParameterError("where", requirement, got=where) from None

"""Which rows are outliers: those that a column of labels marks, or that meet a condition such as `status != ok`."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import pandas as pd

from pyod_explain.beyond_memory import SelectedSource, Source
from pyod_explain.exceptions import Message, ParameterError, shown
from pyod_explain.input import Column, arrow_column, as_table, name_list, pyarrow
from pyod_explain.tags import Condition, Op

OPERATOR = re.compile(r"\s*(==|!=|<>|>=|<=|=|>|<)\s*|\s+(not\s+in|in)\s+", re.IGNORECASE)
LISTED_VALUE = re.compile(r"""\s*(?:'([^']*)'|"([^"]*)"|([^,]*?))\s*(?:,|$)""")
N_VALUES_SHOWN = 6
# What a value must be, by the kind of the column that it is compared with.
REQUIREMENTS = {
    "number": "a number",
    "boolean": "true or false",
    "datetime": "a date such as 2024-01-31, with a time zone only if the column has one",
    "timedelta": "a duration such as 1 day 06:30:00",
    "category": "a text",
}


@dataclass(frozen=True, eq=False)
class Marked:
    """Rows with a column that is true for outliers.

    Attributes
    ----------
    data : the rows; without the column of the condition, which would explain itself.
    column : name of the column that is true for outliers.
    condition : what holds for these rows.
    notes : how many rows have no value there.
    """

    data: pd.DataFrame | Source
    column: str
    condition: Condition
    notes: tuple[Message, ...]


def check_label_column(data: pd.DataFrame | Source, name: str) -> None:
    """Refuse labels that are not numbers or booleans, with the condition to use instead.

    Parameters
    ----------
    data : the rows.
    name : the column of labels.
    """
    column = next(_read_columns(data, name))
    if column.kind in ("number", "boolean"):
        return
    value = min(column.categories, key=str) if column.kind == "category" and column.categories else "value"
    raise ParameterError(
        "labels",
        "a column of 0 and 1, of true and false, or of 0 and group numbers",
        got_text=f"{name!r}, which holds {'texts' if column.kind == 'category' else column.kind + ' values'}",
        hint=Message("A condition says which rows are outliers: {arg_where} {test!r}.", {"test": f"{name} == {value}"}),
    )


def mark_rows(data: pd.DataFrame | Source, where: str, *, keep: Collection[str] = ()) -> Marked:
    """Mark the rows that meet a condition.

    Parameters
    ----------
    data : the rows.
    where : such as `status != ok`, `amount >= 100` or `status in fraud, chargeback`.
    keep : columns that stay, even if the condition is about them.

    Examples
    --------
    >>> marked = mark_rows(pd.DataFrame({"status": ["ok", "bad", "ok"], "a": [1, 2, 3]}), "status != ok")
    >>> marked.data.to_dict("list"), str(marked.condition)
    ({'status != ok': [False, True, False], 'a': [1, 2, 3]}, "status is not 'ok'")
    """
    names = list(map(str, data.columns))
    name, op, texts = _split(where, names)
    column = next(_read_columns(data, name))
    values = [_parse_value(text, column, where) for text in texts]
    condition = Condition(name, op, values if op in ("in", "not in") else values[0])
    notes = _check_rows(data, condition, values, where)
    mark = where.strip()
    while mark in names:
        mark += "?"
    if isinstance(data, Source):
        source: Source = MarkedSource(data, condition, mark)
        others = [one for one in source.columns if one != name]
        return Marked(source if name in keep else SelectedSource(source, others), mark, condition, notes)
    frame = data.copy(deep=False)
    frame.insert(names.index(name), mark, condition.holds(column))
    return Marked(frame if name in keep else frame.drop(columns=name), mark, condition, notes)


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
    raise ParameterError(
        "where",
        "a condition such as 'status != ok' on one of the columns",
        got=where,
        hint=f"The columns are {name_list(list(names))}.",
    )


def _unquote(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"`" else text


def _split_list(text: str) -> list[str]:
    if text[:1] + text[-1:] in ("()", "[]"):
        text = text[1:-1]
    return [value for groups in LISTED_VALUE.findall(text) if (value := "".join(groups))]


def _parse_value(text: str, column: Column, where: str) -> Any:
    """Parse a value as the column would hold it."""
    try:
        return _PARSERS[column.kind](text, column)
    except (KeyError, ValueError, ArithmeticError):
        requirement = (
            f"a condition that compares column {column.name!r} with {REQUIREMENTS.get(column.kind, 'a value')}"
        )
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


_PARSERS: dict[str, Any] = {
    "number": _parse_number,
    "boolean": lambda text, _: {"true": True, "1": True, "false": False, "0": False}[text.lower()],
    "datetime": _parse_date,
    "timedelta": _parse_duration,
    "category": _parse_category,
}


def _check_rows(
    data: pd.DataFrame | Source, condition: Condition, values: list[Any], where: str
) -> tuple[Message, ...]:
    """Refuse a condition that holds for no row, for all rows, or compares with a value that no row has."""
    n_rows = n_marked = n_missing = 0
    name = str(condition.column)
    unknown = list(values) if condition.op in ("==", "!=", "in", "not in") else []
    first: Column | None = None
    for column in _read_columns(data, name):
        first = first or column
        n_rows += len(column.missing)
        n_missing += int(column.missing.sum())
        n_marked += int(condition.holds(column).sum())
        unknown = [value for value in unknown if not Condition(name, "==", value).holds(column).any()]
    if first is not None and not first.has_order and condition.op not in ("==", "!=", "in", "not in"):
        raise ParameterError("where", "a condition with ==, != or in, as the column holds texts", got=where)
    if unknown:
        some = ", ".join(repr(str(value)) for value in first.categories[:N_VALUES_SHOWN]) if first is not None else ""
        raise ParameterError(
            "where",
            f"a condition on values of column {name!r}",
            got_text=f"{shown(str(unknown[0]))}, which no row has",
            hint=f"Values are {some}." if some else "",
        )
    if n_marked in (0, n_rows):
        got_text = f"{shown(where)}, which holds for {'all' if n_marked else 'none'}"
        raise ParameterError("where", "a condition that holds for some rows and not for all", got_text=got_text)
    if not n_missing:
        return ()
    values_ = {"n": n_missing, "name": name}
    return (Message("{n:,} rows without a value in column {name!r} are taken as normal", values_),)


class MarkedSource(Source):
    """A source with a column that tells which rows meet a condition.

    Parameters
    ----------
    source : the source.
    condition : holds for outliers.
    mark : name of the column.

    Examples
    --------
    >>> from pyod_explain.beyond_memory import as_source
    >>> whole = as_source([pd.DataFrame({"a": [1, 2], "status": ["ok", "bad"]})])
    >>> marked = MarkedSource(whole, Condition("status", "!=", "ok"), "outlier")
    >>> marked.columns, [chunk.batch.to_pydict() for chunk in marked.chunks(["outlier"])]
    (['a', 'status', 'outlier'], [{'outlier': [False, True]}])
    """

    def __init__(self, source: Source, condition: Condition, mark: str) -> None:
        self.source, self.condition, self.mark = source, condition, mark
        self.name, self.repeatable, self.ordered = source.name, source.repeatable, source.ordered

    def read_schema(self) -> Any:
        pa = pyarrow()
        return self.source.schema.append(pa.field(self.mark, pa.bool_()))

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows

    def parts(self, columns: list[str]) -> list[Any] | None:
        parts = self.source.parts(self._needed(columns))
        if parts is None or not all(isinstance(part.held, Source) for part in parts):
            return None
        return [replace(part, held=MarkedSource(part.held, self.condition, self.mark)) for part in parts]

    def batches(self, columns: list[str]) -> Iterator[Any]:
        pa, name = pyarrow(), str(self.condition.column)
        for batch in self.source.batches(self._needed(columns)):
            if self.mark not in columns:
                yield batch
                continue
            marks = pa.array(self.condition.holds(arrow_column(name, batch.column(name), in_order=False)))
            kept = [one for one in batch.schema.names if one in columns]
            schema = pa.schema([*map(batch.schema.field, kept), pa.field(self.mark, pa.bool_())])
            arrays = [*map(batch.column, kept), marks]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema.with_metadata(batch.schema.metadata))

    def _needed(self, columns: list[str]) -> list[str]:
        """Return the columns of the source that these columns need."""
        tested = [str(self.condition.column)] if self.mark in columns else []
        return list(dict.fromkeys([*(name for name in columns if name != self.mark), *tested]))

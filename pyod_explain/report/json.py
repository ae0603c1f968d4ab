"""The summary as JSON, and back: every field is written and read by the type that its dataclass declares.

The schema is versioned and described in docs/report.md. What is read has the declared types, or is refused by its path;
figures that follow from counts are written for other readers and computed anew.

A value that JSON has no form for is an object with its `type` and `value`. The types are a fixed list: a file cannot
name a class, and nothing of it is imported, evaluated or unpickled.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import types
import zoneinfo
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray
from pyod_explain.exceptions import ParameterError, PyodExplainError, shown
from pyod_explain.input import Column, Kind, Table, read_column
from pyod_explain.input.values import has_hash
from pyod_explain.result import GroupExplanation, Holdout, Placebo, Rule, Summary
from pyod_explain.tags import Condition, Tag

SCHEMA = "pyod_explain.explanation"
VERSION = 3
KEYS: dict[tuple[type, str], str] = {(Rule, "tag"): "conditions"}  # where the key is not the name of the field
# Figures that follow from the fields: written, and not read.
DERIVED: dict[type, tuple[str, ...]] = {
    Summary: ("n_outliers", "n_explained", "precision", "share_saved", "p_value"),
    GroupExplanation: ("precision",),
    Rule: ("text", "precision", "outlier_share", "recall", "lift", "significant"),
    Holdout: ("precision", "outlier_share", "recall"),
    Placebo: ("mean_share_saved",),
}


def to_json(s: Summary, *, rows: bool = True, indent: int | None = 2) -> str:
    """Write the summary as JSON."""
    data = to_dict(s, rows=rows)
    write = partial(json.dumps, ensure_ascii=False, allow_nan=False)
    tables = {name: data.pop(name) for name in ("cells", "normal_cells")}
    line = "" if indent is None else "\n"
    text = write(data, indent=indent).removesuffix("}").rstrip()
    text += "".join(f',{line}"{name}": {_columns_as_lines(table, write, line)}' for name, table in tables.items())
    text += f"{line}}}\n"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")  # half of a character, which UTF-8 cannot write


def _columns_as_lines(table: dict[str, Any] | None, write: Callable[[Any], str], line: str) -> str:
    if table is None:
        return "null"
    lines = f",{line}".join(f"{write(name)}: {write(one)}" for name, one in table["columns"].items())
    return f'{{"row_counts": {write(table["row_counts"])}, "columns": {{{line}{lines}{line}}}}}'


def to_dict(s: Summary, *, rows: bool = True) -> dict[str, Any]:
    """Return the summary as dicts, lists, numbers and texts."""
    data = {"schema": SCHEMA, "version": VERSION, **_write(Summary, s, "")}
    for group in data["groups"]:
        if not rows or not group["rows"]:  # left out now, or when the explanation was written before
            group["rows"] = group["uncovered"] = group["extremes"] = None
    for name in ("cells", "normal_cells"):
        table = getattr(s, name) if rows and s.tables is None else None
        data[name] = None if table is None else write_cells(table)
    return data


def from_json(text: str | bytes | Path) -> Summary:
    """Read a summary from JSON: the text, or the file at a path."""
    if not isinstance(text, str | bytes | bytearray | Path):
        hint = "Explanation.from_dict() reads what to_dict() returned."
        raise ParameterError("text", "JSON text or a Path", got=type(text), hint=hint, owner="from_json()")
    try:
        content = text.read_bytes() if isinstance(text, Path) else text
        decoded = content if isinstance(content, str) else bytes(content).decode("utf-8")
        data = json.loads(decoded.removeprefix("\ufeff"))
    except (OSError, ValueError, RecursionError) as error:
        raise PyodExplainError(
            f"The text must be JSON as written by to_json(), got something else: {error}.",
            hint="to read a file, pass its path: Explanation.from_json(Path('explanation.json')).",
        ) from error
    return from_dict(data)


def from_dict(data: Mapping[str, Any]) -> Summary:
    """Read a summary from what `to_dict` returned.

    Parameters
    ----------
    data : what `to_dict` returned.
    """
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        raise PyodExplainError(f"The data must be an explanation as written by to_json() (schema {SCHEMA!r}).")
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise PyodExplainError(
            f"The explanation must have schema version {VERSION}, got {shown(data.get('version'))}.",
            hint="it was written by another version of pyod_explain; read it with that one, or explain again.",
        )
    s: Summary = _read(Summary, data, "")
    for k, group in enumerate(s.groups):
        if any(one.row >= len(group.rows) for one in group.extremes):
            raise damaged(f"groups[{k}].extremes", "about rows of the group", data["groups"][k]["extremes"])
    labels = pd.Index([label for group in s.groups for label in group.rows], dtype=object, tupleize_cols=False)
    tables: dict[str, Any] = {}
    for name, index in (("cells", labels), ("normal_cells", None)):
        if data.get(name) is not None:
            try:
                tables[name] = read_cells(data[name], index)
            except (AttributeError, TypeError, ValueError, LookupError, OverflowError) as error:
                raise damaged(name, f"as written by to_json() ({error})", data[name]) from None
    return replace(s, **tables)


def damaged(path: str, requirement: str, got: Any) -> PyodExplainError:
    """Build the error for a part of the data that is not as `to_json` writes it.

    Parameters
    ----------
    path : where, such as `groups[2].rules[0].n_normals`.
    requirement : what it must be.
    got : what it is.
    """
    found = "an object" if isinstance(got, Mapping) else "a list" if isinstance(got, list) else shown(got)
    return PyodExplainError(
        f"`{path}` of the explanation must be {requirement}, got {found}.",
        hint="the data was changed after to_json() wrote it; write it again from the explanation.",
    )


# --- by declared type -------------------------------------------------------------------------------------------------


@cache
def _keys(kind: Any) -> dict[str, tuple[Field[Any], Any]]:
    """List the keys of a dataclass, each with its field and declared type."""
    hints = get_type_hints(kind)
    known = (one for one in fields(kind) if one.init and hints[one.name] != Table | None)  # `read_cells` reads these
    return {KEYS.get((kind, one.name), one.name): (one, hints[one.name]) for one in known}


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _write(hint: Any, value: Any, path: str) -> Any:
    """Write a value of the declared type."""
    if hint is str and isinstance(value, str):
        return str(value)  # a note may be a `Message`
    if value is None or hint in (Any, Hashable, str, int, float, bool) or get_origin(hint) is Literal:
        return write_value(value, path)
    if get_origin(hint) in (Union, types.UnionType):
        return _write(next((one for one in get_args(hint) if one is type(value)), get_args(hint)[0]), value, path)
    if get_origin(hint) is tuple:
        return [_write(one, part, f"{path}[{i}]") for i, (one, part) in enumerate(_items(hint, value))]
    if hint is Tag:
        return [_write(Condition, one, f"{path}[{i}]") for i, one in enumerate(value.sorted)]
    if is_dataclass(hint):
        return _write_dataclass(hint, value, path)
    return {key: _write(get_args(hint)[1], one, _join(path, key)) for key, one in value.items()}  # a mapping


def _write_dataclass(kind: Any, value: Any, path: str) -> dict[str, Any]:
    written = {key: _write(hint, getattr(value, f.name), _join(path, key)) for key, (f, hint) in _keys(kind).items()}
    return {**written, **{name: write_value(getattr(value, name), path) for name in DERIVED.get(kind, ())}}


def _items(hint: Any, values: Any) -> Iterator[tuple[Any, Any]]:
    """Pair the items of a tuple with their declared types."""
    kinds = get_args(hint)
    return zip(kinds[:1] * len(values) if kinds[-1] is Ellipsis else kinds, values, strict=True)


def _read(hint: Any, data: Any, path: str) -> Any:
    """Read a value of the declared type, or refuse it by its path."""
    if hint in (Any, Hashable, *PLAIN_TYPES):
        return _read_plain(hint, data, path)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return None if data is None and type(None) in arguments else _read(_member(arguments, data), data, path)
    if origin is Literal:
        if not isinstance(data, str) or data not in arguments:
            raise damaged(path, f"one of {', '.join(map(repr, arguments))}", data)
        return data
    if origin is tuple:
        if not isinstance(data, list) or (arguments[-1] is not Ellipsis and len(data) != len(arguments)):
            raise damaged(path, "a list" if arguments[-1] is Ellipsis else f"a list of {len(arguments)}", data)
        return tuple(_read(one, part, f"{path}[{i}]") for i, (one, part) in enumerate(_items(hint, data)))
    if hint is Tag:
        return _build(Tag.of, path, data, *_read(tuple[Condition, ...], data, path))
    if not isinstance(data, Mapping):
        raise damaged(path, "an object", data)
    if is_dataclass(hint):
        return _read_dataclass(hint, data, path)
    return {str(key): _read(arguments[1], one, _join(path, str(key))) for key, one in data.items()}


def _read_dataclass(kind: Any, data: Mapping[str, Any], path: str) -> Any:
    values = {}
    for key, (field, hint) in _keys(kind).items():
        if key not in data:
            raise PyodExplainError(f"The explanation is incomplete: `{_join(path, key)}` is not there.")
        left_out = kind is GroupExplanation and key in ("rows", "uncovered", "extremes") and data[key] is None
        values[field.name] = () if left_out else _read(hint, data[key], _join(path, key))
    return _build(kind, path, data, **values)


def _build(make: Callable[..., Any], path: str, data: Any, *parts: Any, **values: Any) -> Any:
    """Call a constructor that checks its arguments, and name the place of what it refuses."""
    try:
        return make(*parts, **values)
    except PyodExplainError as error:
        raise damaged(path, f"valid ({str(error).splitlines()[0]})", data) from None
    except TypeError:  # a value that the operator does not take
        raise damaged(path, "a condition whose value fits its operator", data) from None


def _member(kinds: tuple[Any, ...], data: Any) -> Any:
    """Choose the type of a union: the dataclass with these keys for an object, else the first plain type."""
    made: list[Any] = [kind for kind in kinds if is_dataclass(kind)]
    plain = [kind for kind in kinds if kind not in made and kind is not type(None)]
    if plain and not isinstance(data, Mapping):
        return plain[0]
    fits = [kind for kind in made if isinstance(data, Mapping) and set(_keys(kind)) == set(data)]
    return [*fits, *made, *plain][0]


# --- single values ----------------------------------------------------------------------------------------------------


def _write_timestamp(moment: dt.datetime) -> list[str | None]:
    """Write a time with its offset from UTC, and the name of its zone where that has one."""
    zone = getattr(moment.tzinfo, "key", getattr(moment.tzinfo, "zone", None))  # of zoneinfo, or of pytz
    return [moment.isoformat(), zone]


def _read_timestamp(data: Any) -> pd.Timestamp:
    text, zone = data
    if not text[:4].isdigit():  # pandas takes "now" for a time, and a zone for the name of a file
        raise ValueError(text)
    return pd.Timestamp(text) if zone is None else pd.Timestamp(text).tz_convert(zoneinfo.ZoneInfo(zone))


VALUE_TYPES: dict[str, tuple[tuple[type, ...], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "timestamp": ((pd.Timestamp, dt.datetime), _write_timestamp, _read_timestamp),
    "date": ((dt.date,), dt.date.isoformat, dt.date.fromisoformat),
    "time": ((dt.time,), dt.time.isoformat, dt.time.fromisoformat),
    "timedelta": ((pd.Timedelta, dt.timedelta), lambda value: pd.Timedelta(value).isoformat(), pd.Timedelta),
    "decimal": ((decimal.Decimal,), str, decimal.Decimal),
    "missing": ((type(pd.NaT),), str, lambda _: pd.NaT),
}
WHOLE = "a whole number of at least 0 and less than 2**63"
PLAIN_TYPES = {str: "a text", bool: "true or false", int: WHOLE, float: "a number"}


def write_value(value: Any, path: str) -> Any:
    """Write the value of a condition, a cell or a row label, or refuse it.

    Parameters
    ----------
    value : the value.
    path : where it is, for an error message.

    Examples
    --------
    >>> import datetime as dt
    >>> write_value(2.5, "groups[0].rows[0]"), write_value(dt.date(2024, 5, 1), "groups[0].rows[0]")
    (2.5, {'type': 'date', 'value': '2024-05-01'})
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if type(plain) is float and not math.isfinite(plain):
        return {"type": "float", "value": repr(plain)}
    if plain is None or type(plain) in PLAIN_TYPES:
        return plain
    if type(plain) is tuple:
        return {"type": "tuple", "value": [write_value(one, path) for one in plain]}
    for name, (kinds, write, _) in VALUE_TYPES.items():
        if type(plain) in kinds:
            return {"type": name, "value": write(plain)}
    raise PyodExplainError(
        f"`{path}` is {shown(value)} of type {type(value).__name__}, which JSON cannot keep.",
        hint="use texts, numbers or dates in the column, such as X['c'].map(str); leave row labels out with "
        "rows=False; or pickle the explanation, which keeps any value.",
    )


def read_value(data: Any, path: str) -> Any:
    """Read what `write_value` wrote.

    Parameters
    ----------
    data : the value as JSON has it.
    path : where it is, for an error message.

    Examples
    --------
    >>> read_value({"type": "date", "value": "2024-05-01"}, "groups[0].rows[0]")
    datetime.date(2024, 5, 1)
    """
    if data is None or type(data) in PLAIN_TYPES:
        return data
    try:
        name, value = data["type"], data["value"]
        if name == "tuple":
            return tuple(read_value(one, f"{path}.value[{i}]") for i, one in enumerate(value))
        return float(value) if name == "float" else VALUE_TYPES[name][2](value)
    except PyodExplainError:
        raise
    except (ValueError, TypeError, AttributeError, ArithmeticError, LookupError, OSError):
        requirement = f"a plain value, or an object with a known `type` ({', '.join(VALUE_TYPES)}) and `value`"
        raise damaged(path, requirement, data) from None


def _read_plain(hint: Any, data: Any, path: str) -> Any:
    value = read_value(data, path)
    if hint not in PLAIN_TYPES or (hint is float and type(value) is int):  # a whole one stays whole
        return value
    if type(value) is not hint or (hint is int and not 0 <= value < 2**63):
        raise damaged(path, PLAIN_TYPES[hint], data)
    return value


# --- the cells of the outliers: each column is read as it was, so that rules match the same rows --------------------


def write_cells(table: Table) -> dict[str, Any]:
    """Write the cells, a list for each column, with null where one is missing.

    A column whose values JSON cannot keep is left out: what rules say of it cannot be told from the file.

    Parameters
    ----------
    table : the rows.

    Examples
    --------
    >>> from pyod_explain.input import as_table
    >>> write_cells(as_table(pd.DataFrame({"a": [1, 2], "b": ["x", None]})))["columns"]["b"]
    {'kind': 'category', 'timezone': None, 'categories': ['x'], 'values': [0, None]}
    """
    columns = {}
    for name, column in table.columns.items():
        written: dict[str, Any] = {"kind": column.kind, "timezone": column.timezone}
        try:
            if column.kind in ("category", "boolean"):
                written["categories"] = [write_value(one, name) for one in column.categories]
            columns[name] = written | {"values": _cell_values(column)}
        except PyodExplainError:
            continue
    return {"row_counts": None if table.row_counts is None else table.row_counts.tolist(), "columns": columns}


def _cell_values(column: Column) -> list[Any]:
    """Give codes of categories, numbers as they are, moments as text (in UTC) and durations in nanoseconds."""
    values = column.values
    if column.kind == "datetime":
        listed = np.datetime_as_string(values).tolist()
    elif column.kind == "timedelta":
        listed = values.view(np.int64).tolist()
    else:
        listed = values.tolist()
        if column.kind == "number" and (values.dtype == object or not np.isfinite(values).all()):
            listed = [write_value(one, column.name) for one in listed]
    return [None if gone else one for one, gone in zip(listed, column.missing.tolist(), strict=True)]


def read_cells(data: Any, index: pd.Index[Any] | None) -> Table:
    """Read what `write_cells` wrote; raise ValueError, TypeError or LookupError for anything else.

    Parameters
    ----------
    data : what was written.
    index : the labels of the rows; None for numbers from 0.
    """
    row_counts = None if data["row_counts"] is None else np.array(_whole(data["row_counts"]), dtype=np.int64)
    columns = {str(name): _read_column(str(name), one) for name, one in data["columns"].items()}
    if index is None:
        index = pd.RangeIndex(len(next(iter(columns.values())).missing) if columns else 0)
    lengths = {len(one.missing) for one in columns.values()} | ({len(row_counts)} if row_counts is not None else set())
    if lengths - {len(index)} or (row_counts is not None and (row_counts < 0).any()):
        raise ValueError("as many cells in each column as there are rows")
    return Table(columns, index, row_counts=row_counts)


def _whole(numbers: Any) -> list[int]:
    if not isinstance(numbers, list) or not all(type(one) is int for one in numbers):
        raise ValueError("whole numbers")
    return numbers


def _read_column(name: str, data: Mapping[str, Any]) -> Column:
    kind, zone, values = data["kind"], data["timezone"], data["values"]
    if kind not in get_args(Kind) or not isinstance(values, list) or not (zone is None or isinstance(zone, str)):
        raise ValueError("a known kind of column")
    missing = np.array([value is None for value in values], dtype=bool)
    if kind in ("category", "boolean"):
        return _read_codes(name, kind, data, missing)
    if kind == "number":
        column = read_column(name, pd.Series([read_value(one, name) for one in values], dtype=object), "cells")
        if column.kind != "number" and not missing.all():
            raise ValueError("numbers")
        return column if column.kind == "number" else Column(name, kind, np.full(len(values), np.nan), missing)
    cells: NDArray[Any]
    if kind == "datetime":
        cells = np.array([str(one or "NaT") for one in values], dtype="M8[ns]")
    else:
        cells = np.array([0 if one is None else one for one in values], dtype=np.int64).view("m8[ns]")
        cells[missing] = np.timedelta64("NaT")
    return Column(name, kind, cells, missing, timezone=zone)


def _read_codes(name: str, kind: Any, data: Mapping[str, Any], missing: BoolArray) -> Column:
    categories = tuple(read_value(one, name) for one in data["categories"])
    codes = np.array(_whole([-1 if one is None else one for one in data["values"]]), dtype=np.int64)
    valid = isinstance(data["categories"], list) and all(map(has_hash, categories))
    if not valid or len(set(categories)) < len(categories) or (codes < -1).any() or (codes >= len(categories)).any():
        raise ValueError("codes of its categories")
    return Column(name, kind, codes, missing, categories)

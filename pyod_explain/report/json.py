"""The summary as JSON, and back: every field is written and read by the type that its dataclass declares.

The schema is versioned and described in docs/report.md. What is read has the declared types, or is refused by its path;
figures that follow from counts are written for other readers and computed anew.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pyod_explain.exceptions import ParameterError, PyodExplainError, shown
from pyod_explain.report.json_values import damaged, read_value, write_value
from pyod_explain.result import GroupExplanation, Holdout, Placebo, Rule, Summary
from pyod_explain.tags import Condition, Tag

SCHEMA = "pyod_explain.explanation"
VERSION = 2
SURROGATE = re.compile("[\ud800-\udfff]")  # half of a character, which UTF-8 cannot write
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
    text = json.dumps(to_dict(s, rows=rows), ensure_ascii=False, indent=indent, allow_nan=False) + "\n"
    return SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def to_dict(s: Summary, *, rows: bool = True) -> dict[str, Any]:
    """Return the summary as dicts, lists, numbers and texts."""
    data = {"schema": SCHEMA, "version": VERSION, **_write(Summary, s, "")}
    for group in data["groups"]:
        if not rows or not group["rows"]:  # left out now, or when the explanation was written before
            group["rows"] = group["uncovered"] = None
    return data


def from_json(text: str | bytes | Path) -> Summary:
    """Read a summary from JSON: the text, or the file at a path."""
    if not isinstance(text, str | bytes | bytearray | Path):
        hint = "Explanation.from_dict() reads what to_dict() returned."
        raise ParameterError("text", "JSON text or a Path", got=type(text), hint=hint, owner="from_json()")
    try:
        content = text.read_bytes() if isinstance(text, Path) else text
        decoded = content if isinstance(content, str) else bytes(content).decode("utf-8")
        return from_dict(json.loads(decoded.removeprefix("\ufeff"), parse_constant=_refuse_constant))
    except PyodExplainError:
        raise
    except OSError as error:
        raise ParameterError(
            "text",
            "JSON or the path of a file that can be read",
            got_text=f"{shown(text)}: {error}",
            owner="from_json()",
        ) from error
    except (ValueError, RecursionError) as error:  # no JSON, no UTF-8, nested too deep, a number of thousands of digits
        raise PyodExplainError(
            f"The text must be JSON as written by to_json(), got something else: {error}.",
            hint="to read a file, pass its path: Explanation.from_json(Path('explanation.json')).",
        ) from None


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
    s: Summary = _read(Summary, {name: one for name, one in data.items() if name not in ("schema", "version")}, "")
    return s


def _refuse_constant(name: str) -> None:
    raise PyodExplainError(f"The text must be JSON as written by to_json(), got {name}, which is no number of JSON.")


# --- by declared type -------------------------------------------------------------------------------------------------


@cache
def _keys(kind: Any) -> dict[str, tuple[Field[Any], Any]]:
    """List the keys of a dataclass, each with its field and declared type."""
    hints = get_type_hints(kind)
    return {KEYS.get((kind, one.name), one.name): (one, hints[one.name]) for one in fields(kind)}


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
    if hint in PLAIN_READERS:
        return PLAIN_READERS[hint](data, path)
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
    keys = _keys(kind)
    for key in (*keys, *DERIVED.get(kind, ())):
        if key not in data:
            raise PyodExplainError(f"The explanation is incomplete: `{_join(path, key)}` is not there.")
    unknown = sorted(set(data) - set(keys) - set(DERIVED.get(kind, ())))
    if unknown:
        raise damaged(_join(path, unknown[0]), "absent, as no such key is known", data[unknown[0]])
    values = {}
    for key, (field, hint) in keys.items():
        left_out = kind is GroupExplanation and key in ("rows", "uncovered") and data[key] is None
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
    if isinstance(data, Mapping) or not plain:
        return next(
            (kind for kind in made if isinstance(data, Mapping) and set(_keys(kind)) == set(data)), (made or plain)[0]
        )
    return plain[0]


# --- plain types ------------------------------------------------------------------------------------------------------


def _read_text(data: Any, path: str) -> str:
    if not isinstance(data, str):
        raise damaged(path, "a text", data)
    return data


def _read_count(data: Any, path: str) -> int:
    if type(data) is not int or not 0 <= data < 2**63:
        raise damaged(path, "a whole number of at least 0 and less than 2**63", data)
    return data


def _read_number(data: Any, path: str) -> float:
    value: float = read_value(data, path)
    if type(value) not in (int, float):
        raise damaged(path, "a number", data)
    return value  # a whole one stays whole, so that it is written as it was


def _read_flag(data: Any, path: str) -> bool:
    if not isinstance(data, bool):
        raise damaged(path, "true or false", data)
    return data


PLAIN_READERS: dict[Any, Callable[[Any, str], Any]] = {
    str: _read_text,
    int: _read_count,
    float: _read_number,
    bool: _read_flag,
    Any: read_value,
    Hashable: read_value,
}

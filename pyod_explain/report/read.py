"""From parsed JSON to a `Summary`: every field is read by the type that its dataclass declares, or refused by its path.

What comes out has the right types and finite numbers; that it also makes sense is checked in `consistency`.
"""

from __future__ import annotations

import math
import types
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.consistency import check_summary
from pyod_explain.report.values import damaged, read_value
from pyod_explain.result.summary import ColumnFacts, GroupExplanation, Holdout, Rule, Summary
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.tag import Tag

__all__ = ["read_summary"]

MOST = 2**63 - 1  # no table has more rows
NEARLY = 1e-9

# Fields that have a default and are in every file nevertheless. Others with a default came later: files may lack them.
_ALWAYS = {
    Summary: {field.name for field in fields(Summary)}
    & {
        "n_normals_matched", "n_strays", "n_tags", "n_items", "mdl", "mdl_empty", "method", "solver", "status",
        "objective", "bound", "group_curve", "columns", "notes", "validation", "placebo", "parameters", "versions",
        "timings",
    },
    GroupExplanation: {"profiles"},
    ColumnFacts: {"timezone", "whole", "scale", "candidates"},
}  # fmt: skip


# Figures that follow from the fields. They are written for readers, and computed anew; but they must agree.
_FOLLOW: dict[Any, tuple[str, ...]] = {
    Summary: ("n_outliers", "n_explained", "precision"),
    GroupExplanation: ("precision",),
    Rule: ("precision", "recall"),
    Holdout: ("precision", "recall"),
}


def read_summary(data: Mapping[str, Any]) -> Summary:
    """Read a summary and check it; figures that follow from counts are computed anew.

    Keys that are not known are left alone: a later version may have added them.

    Parameters
    ----------
    data : what `to_dict` returned, schema and version checked.
    """
    s = _fields(
        Summary,
        data,
        "",
        objective=_figure(_get(data, "objective", ""), "objective"),
        bound=_figure(_get(data, "bound", ""), "bound"),
        groups=_each(_group, _get(data, "groups", ""), "groups"),
    )
    check_summary(s)
    return s  # type: ignore[no-any-return]  # it is what was asked for


# --- by declared type -------------------------------------------------------------------------------------------------


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _fields(kind: Any, data: Any, path: str, **given: Any) -> Any:
    """Read a dataclass: the given fields as they are, each other one by its declared type."""
    hints = _hints(kind)
    for field in fields(kind):
        if field.name in given:
            continue
        late = field.default is not MISSING or field.default_factory is not MISSING
        if late and field.name not in _ALWAYS.get(kind, ()) and field.name not in _object(data, path):
            continue
        given[field.name] = _as(hints[field.name], _get(data, field.name, path), _join(path, field.name))
    result = kind(**given)
    for name in _FOLLOW.get(kind, ()):
        _check_figure(result, name, data, path)
    return result


def _check_figure(one: Any, name: str, data: Mapping[str, Any], path: str) -> None:
    """Compare a figure of the file with what its counts give: where they disagree, one of them was changed."""
    expected = getattr(one, name)
    found = _number(_get(data, name, path), _join(path, name))
    if abs(found - expected) > NEARLY:
        raise damaged(_join(path, name), f"{expected}, which follows from the other figures", found)


def _as(hint: Any, data: Any, path: str) -> Any:
    """Read a value of the declared type."""
    if hint in _PLAIN:
        return _PLAIN[hint](data, path)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):  # something or None
        (one,) = [kind for kind in arguments if kind is not type(None)]
        return None if data is None else _as(one, data, path)
    if origin is Literal:
        if not isinstance(data, str) or data not in arguments:
            raise damaged(path, f"one of {', '.join(map(repr, arguments))}", data)
        return data
    if origin is tuple and arguments[-1] is Ellipsis:
        return _each(partial(_as, arguments[0]), data, path)
    if origin is tuple:
        items = _list(data, path)
        if len(items) != len(arguments):
            raise damaged(path, f"a list of {len(arguments)}", f"{len(items)} items")
        return tuple(_as(kind, one, f"{path}[{i}]") for i, (kind, one) in enumerate(zip(arguments, items, strict=True)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {_text(key, path): _as(arguments[1], one, f"{path}.{key}") for key, one in _object(data, path).items()}
    if is_dataclass(hint):
        return _fields(hint, data, path)
    raise TypeError(f"nothing reads a field of type {hint}")  # a new kind of field in `summary`


def _text(data: Any, path: str) -> str:
    if not isinstance(data, str):
        raise damaged(path, "a text", data)
    return data


def _count(data: Any, path: str) -> int:
    if type(data) is not int or not 0 <= data <= MOST:
        raise damaged(path, "a whole number of at least 0 and less than 2**63", data)
    return data


def _number(data: Any, path: str) -> float:
    if type(data) not in (int, float) or abs(data) > 1e300 or math.isnan(data):
        raise damaged(path, "a finite number", data)
    return data  # type: ignore[no-any-return]  # a whole one stays whole, so that it is written as it was


def _flag(data: Any, path: str) -> bool:
    if not isinstance(data, bool):
        raise damaged(path, "true or false", data)
    return data


def _figure(data: Any, path: str) -> float | None:
    """Read a number that may be infinite, or null: what was minimised."""
    value = read_value(data, path)
    if value is None or (type(value) is float and math.isinf(value)):
        return value
    return _number(value, path)


_PLAIN: dict[Any, Callable[[Any, str], Any]] = {
    str: _text,
    int: _count,
    float: _number,
    bool: _flag,
    Any: read_value,
    Hashable: read_value,
}


# --- parts of the tree ------------------------------------------------------------------------------------------------


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _object(data: Any, path: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise damaged(path, "an object", data)
    return data


def _get(data: Any, name: str, path: str) -> Any:
    record = _object(data, path)
    if name not in record:
        raise PyodExplainError(
            f"The explanation is incomplete: `{_join(path, name)}` is not there.\n"
            "Hint: the text was changed or cut after to_json() wrote it; write it again from the explanation."
        )
    return record[name]


def _list(data: Any, path: str) -> list[Any]:
    """Give the items of a list; version 0.1.0 wrote some as the value that is a tuple."""
    if isinstance(data, Mapping) and data.get("type") == "tuple":
        data, path = data.get("items"), f"{path}.items"
    if not isinstance(data, list):
        raise damaged(path, "a list", data)
    return data


def _each(read: Callable[[Any, str], Any], data: Any, path: str) -> tuple[Any, ...]:
    return tuple(read(one, f"{path}[{i}]") for i, one in enumerate(_list(data, path)))


def _group(data: Any, path: str) -> GroupExplanation:
    number = _count(_get(data, "number", path), _join(path, "number"))
    rows, uncovered = _labels(data, path)
    return _fields(  # type: ignore[no-any-return]  # it returns what it is asked for
        GroupExplanation,
        data,
        path,
        number=number,
        rows=rows,
        uncovered=uncovered,
        rules=_each(partial(_rule, group=number), _get(data, "rules", path), _join(path, "rules")),
    )


def _labels(data: Any, path: str) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
    """Read the row labels, which were left out if both are null; the uncovered ones must be among all of them."""
    rows, uncovered = _get(data, "rows", path), _get(data, "uncovered", path)
    if rows is None and uncovered is None:
        return (), ()
    label = partial(read_value, label=True)
    labels, left = _each(label, rows, _join(path, "rows")), _each(label, uncovered, _join(path, "uncovered"))
    # As they are written, since NaN is no label of its own to Python.
    strange = Counter(map(repr, uncovered)) - Counter(map(repr, rows))
    if strange:
        raise damaged(_join(path, "uncovered"), "some of `rows`, each as often as there", next(iter(strange)))
    return labels, left


def _rule(data: Any, path: str, *, group: int) -> Rule:
    conditions = _each(_condition, _get(data, "conditions", path), _join(path, "conditions"))
    if not conditions or len({one.sort_key for one in conditions}) < len(conditions):
        raise damaged(_join(path, "conditions"), "one or more conditions that differ", f"{len(conditions)} conditions")
    return _fields(Rule, data, path, tag=Tag.of(*conditions), group=group)  # type: ignore[no-any-return]


SEVERAL = ("in", "not in", "rare", "between")


def _condition(data: Any, path: str) -> Condition:
    hints = _hints(Condition)
    column, op, part = (
        _as(hints[name], _get(data, name, path), _join(path, name)) for name in ("column", "op", "part")
    )
    value = read_value(_get(data, "value", path), _join(path, "value"))
    if op in SEVERAL and not isinstance(value, tuple):  # nor anything else that can be counted through, as a network
        raise damaged(_join(path, "value"), f"a tuple, as {op!r} takes one", value)
    try:
        return Condition(column, op, value, part)
    except PyodExplainError as error:
        raise damaged(path, f"a condition ({str(error).splitlines()[0]})", value) from None


_PLAIN[Condition] = _condition

"""From plain data to a `Summary`: every field is read by the type that its dataclass declares, or refused by its path.

What comes out has the right types and finite numbers; that it also makes sense is checked in `consistency`.
"""

from __future__ import annotations

import math
import types
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Relation
from pyod_explain.report.json.consistency import check_summary
from pyod_explain.report.json.schema import SCHEMA, VERSION, damaged
from pyod_explain.report.json.tree import count, each, flag, items, join, member, number, record, text
from pyod_explain.report.json.values import read_value
from pyod_explain.result import NEARLY, GroupExplanation, Holdout, Rule, Summary, Validation
from pyod_explain.tags import Condition, Tag

__all__ = ["from_dict"]

# Fields that came after version 0.1.0: its files lack them, and get the default. All others are in every file.
_LATER: dict[Any, set[str]] = {
    Summary: {"bits", "bits_named", "bits_groups", "chance", "groups_made", "n_lines", "provenance", "tables"},
    Rule: {"n_added"},
    Validation: {"curve"},
}

# Figures that follow from the fields. They are written for readers, and computed anew; but they must agree.
_FOLLOW: dict[Any, tuple[str, ...]] = {
    Summary: ("n_outliers", "n_explained", "precision"),
    GroupExplanation: ("precision",),
    Rule: ("precision", "recall"),
    Holdout: ("precision", "recall"),
}


def from_dict(data: Mapping[str, Any]) -> Summary:
    """Read a summary from what `to_dict` returned, and check it; figures that follow from counts are computed anew.

    Keys that are not known are left alone: a later version may have added them.

    Parameters
    ----------
    data : what `to_dict` returned.
    """
    _check_schema(data)
    s: Summary = _fields(
        Summary,
        data,
        "",
        objective=_figure(member(data, "objective", ""), "objective"),
        bound=_figure(member(data, "bound", ""), "bound"),
        groups=each(_group, member(data, "groups", ""), "groups"),
    )
    check_summary(s)
    return s


def _check_schema(data: Any) -> None:
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        raise PyodExplainError(f"The data must be an explanation as written by to_json() (schema {SCHEMA!r}).")
    version = data.get("version")
    if type(version) is not int:
        raise damaged("version", f"the number of the schema's version, {VERSION}", version)
    if version != VERSION:
        raise PyodExplainError(
            f"The explanation must have schema version {VERSION}, got {shown(version)}.\n"
            "Hint: it was written by another version of pyod_explain; read it with that one, or install the newest."
        )


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
        if field.name in _LATER.get(kind, ()) and field.name not in record(data, path):
            continue
        given[field.name] = _as(hints[field.name], member(data, field.name, path), join(path, field.name))
    result = kind(**given)
    for name in _FOLLOW.get(kind, ()):
        _check_figure(result, name, data, path)
    return result


def _check_figure(one: Any, name: str, data: Mapping[str, Any], path: str) -> None:
    """Compare a figure of the file with what its counts give: where they disagree, one of them was changed."""
    expected = getattr(one, name)
    found = number(member(data, name, path), join(path, name))
    if abs(found - expected) > NEARLY:
        raise damaged(join(path, name), f"{expected}, which follows from the other figures", found)


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
        return each(partial(_as, arguments[0]), data, path)
    if origin is tuple:
        parts = items(data, path)
        if len(parts) != len(arguments):
            raise damaged(path, f"a list of {len(arguments)}", f"{len(parts)} items")
        return tuple(_as(kind, one, f"{path}[{i}]") for i, (kind, one) in enumerate(zip(arguments, parts, strict=True)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {text(key, path): _as(arguments[1], one, f"{path}.{key}") for key, one in record(data, path).items()}
    if is_dataclass(hint):
        return _fields(hint, data, path)
    raise TypeError(f"nothing reads a field of type {hint}")  # a new kind of field in `summary`


def _figure(data: Any, path: str) -> float | None:
    """Read a number that may be infinite, or null: what was minimised."""
    value = read_value(data, path)
    if value is None or (type(value) is float and math.isinf(value)):
        return value
    return number(value, path)


_PLAIN: dict[Any, Callable[[Any, str], Any]] = {
    str: text,
    int: count,
    float: number,
    bool: flag,
    Any: read_value,
    Hashable: read_value,
}


# --- parts that are more than their fields ----------------------------------------------------------------------------


def _group(data: Any, path: str) -> GroupExplanation:
    own = count(member(data, "number", path), join(path, "number"))
    rows, uncovered = _labels(data, path)
    group: GroupExplanation = _fields(
        GroupExplanation,
        data,
        path,
        number=own,
        rows=rows,
        uncovered=uncovered,
        rules=each(partial(_rule, group=own), member(data, "rules", path), join(path, "rules")),
    )
    return group


def _labels(data: Any, path: str) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
    """Read the row labels, which were left out if both are null; the uncovered ones must be among all of them."""
    rows, uncovered = member(data, "rows", path), member(data, "uncovered", path)
    if rows is None and uncovered is None:
        return (), ()
    label = partial(read_value, label=True)
    labels, left = each(label, rows, join(path, "rows")), each(label, uncovered, join(path, "uncovered"))
    # As they are written, since NaN is no label of its own to Python.
    strange = Counter(map(repr, uncovered)) - Counter(map(repr, rows))
    if strange:
        raise damaged(join(path, "uncovered"), "some of `rows`, each as often as there", next(iter(strange)))
    return labels, left


def _rule(data: Any, path: str, *, group: int) -> Rule:
    conditions = each(_condition, member(data, "conditions", path), join(path, "conditions"))
    if not conditions or len({one.sort_key for one in conditions}) < len(conditions):
        raise damaged(join(path, "conditions"), "one or more conditions that differ", f"{len(conditions)} conditions")
    rule: Rule = _fields(Rule, data, path, tag=Tag.of(*conditions), group=group)
    return rule


SEVERAL = ("in", "not in", "rare", "between")


def _condition(data: Any, path: str) -> Condition:
    hints = _hints(Condition)
    column, op, part = (
        _as(hints[name], member(data, name, path), join(path, name)) for name in ("column", "op", "part")
    )
    value = read_value(member(data, "value", path), join(path, "value"))
    if op in SEVERAL and not isinstance(value, tuple):  # nor anything else that can be counted through, as a network
        raise damaged(join(path, "value"), f"a tuple, as {op!r} takes one", value)
    try:
        return Condition(column, op, value, part)
    except PyodExplainError as error:
        raise damaged(path, f"a condition ({str(error).splitlines()[0]})", value) from None


def _subject(data: Any, path: str) -> str | Relation:
    """Read the name of a column, or a relation by its parts."""
    if not isinstance(data, Mapping):
        return text(data, path)
    hints = _hints(Relation)
    left, op, right = (_as(hints[name], member(data, name, path), join(path, name)) for name in ("left", "op", "right"))
    try:
        return Relation(left, op, right)
    except PyodExplainError as error:
        raise damaged(path, f"a relation ({str(error).splitlines()[0]})", data) from None


_PLAIN[Condition] = _condition
_PLAIN[str | Relation] = _subject

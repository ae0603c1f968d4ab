"""The summary as JSON, and back. The schema is versioned and described in docs/report.md.

Every value that JSON has no word for (dates, tuples, infinities) is written as an object with a `type`, so that what
is read back equals what was written.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.summary import (
    ColumnFacts,
    GroupExplanation,
    Holdout,
    Placebo,
    Profile,
    Rule,
    Summary,
    Validation,
)
from pyod_explain.tags.tag import Condition, Tag

__all__ = ["SCHEMA", "VERSION", "from_dict", "from_json", "to_dict", "to_json"]

SCHEMA = "pyod_explain.explanation"
VERSION = 1


def to_json(s: Summary, *, rows: bool = True, indent: int | None = 2) -> str:
    """Write the summary as JSON."""
    return json.dumps(to_dict(s, rows=rows), ensure_ascii=False, indent=indent, allow_nan=False) + "\n"


def from_json(text: str | bytes) -> Summary:
    """Read a summary from JSON text."""
    try:
        data = json.loads(text)
    except ValueError as error:  # undecodable bytes are ValueErrors too
        raise PyodExplainError(
            f"The text must be JSON as written by to_json(), got something else: {error}.\n"
            "Hint: to read a file, pass its path: Explanation.from_json(Path('explanation.json'))."
        ) from None
    return from_dict(data)


# --- writing ----------------------------------------------------------------------------------------------------------


def to_dict(s: Summary, *, rows: bool = True) -> dict[str, Any]:
    """Return the summary as dicts, lists, numbers and strings, figures that follow from counts included."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "detector": s.detector,
        "grouping": s.grouping,
        "n_rows": s.n_rows,
        "n_normals": s.n_normals,
        "n_outliers": s.n_outliers,
        "n_explained": s.n_explained,
        "n_normals_matched": s.n_normals_matched,
        "n_strays": s.n_strays,
        "n_tags": s.n_tags,
        "n_items": s.n_items,
        "precision": s.precision,
        "mdl": s.mdl,
        "mdl_empty": s.mdl_empty,
        "bits": s.bits,
        "bits_named": s.bits_named,
        "gain": s.gain,
        "p_value": s.p_value,
        "method": s.method,
        "solver": s.solver,
        "status": s.status,
        "objective": _value(s.objective),
        "bound": _value(s.bound),
        "groups": [_group(group, rows=rows) for group in s.groups],
        "group_curve": [list(point) for point in s.group_curve],
        "columns": [_plain_fields(facts) for facts in s.columns],
        "notes": list(s.notes),
        "validation": None if s.validation is None else _validation(s.validation),
        "placebo": _placebo(s.placebo),
        "chance": _placebo(s.chance),
        "groups_made": s.groups_made,
        "parameters": dict(s.parameters),
        "versions": dict(s.versions),
        "timings": dict(s.timings),
    }


def _placebo(placebo: Placebo | None) -> dict[str, Any] | None:
    return None if placebo is None else {**_plain_fields(placebo), "gain": placebo.gain}


def _group(group: GroupExplanation, *, rows: bool) -> dict[str, Any]:
    return {
        "number": group.number,
        "name": group.name,
        "size": group.size,
        "n_explained": group.n_explained,
        "n_normals": group.n_normals,
        "n_others": group.n_others,
        "precision": group.precision,
        "metrics": {name: _value(value) for name, value in group.metrics.items()},
        "mdl_empty": group.mdl_empty,
        "rules": [_rule(rule) for rule in group.rules],
        "profiles": [
            {
                "column": one.column,
                "group": _value(one.group),
                "normals": _value(one.normals),
                "conditions": [_condition(condition) for condition in one.conditions],
                "matching": [list(pair) for pair in one.matching],
            }
            for one in group.profiles
        ],
        "rows": [_value(label) for label in group.rows] if rows else None,
        "uncovered": [_value(label) for label in group.uncovered] if rows else None,
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "text": rule.text,
        "conditions": [_condition(condition) for condition in rule.tag.sorted],
        "n_outliers": rule.n_outliers,
        "n_normals": rule.n_normals,
        "n_others": rule.n_others,
        "group_size": rule.group_size,
        "total_normals": rule.total_normals,
        "precision": rule.precision,
        "recall": rule.recall,
        "lift": _value(rule.lift),
        "p_value": rule.p_value,
        "significant": rule.significant,
    }


def _condition(condition: Condition) -> dict[str, Any]:
    return {
        "column": condition.column,
        "op": condition.op,
        "value": _value(condition.value),
        "part": condition.part,
    }


def _holdout(one: Holdout) -> dict[str, Any]:
    return {**_plain_fields(one), "precision": one.precision, "recall": one.recall}


def _validation(one: Validation) -> dict[str, Any]:
    return {
        "n_splits": one.n_splits,
        "whole": _holdout(one.whole),
        "groups": [_holdout(group) for group in one.groups],
        "rules": [_holdout(rule) for rule in one.rules],
    }


def _plain_fields(one: Any) -> dict[str, Any]:
    return {field.name: _value(getattr(one, field.name)) for field in fields(one)}


def _value(value: Any) -> Any:
    """Write any value that a condition, a cell or a row label may have."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"type": "float", "value": repr(value)}
    if isinstance(value, tuple | list):
        return {"type": "tuple", "items": [_value(one) for one in value]}
    for name, (kind, write, _) in _TYPES.items():
        if isinstance(value, kind):
            return {"type": name, "value": write(value)}
    return {"type": "text", "value": str(value)}  # any other label: its text is what a person knows it by


def _write_stamp(stamp: pd.Timestamp) -> list[str | None]:
    zone = None if stamp.tzinfo is None else str(stamp.tzinfo)
    return [(stamp if zone is None else stamp.tz_convert("UTC")).isoformat(), zone]


def _read_stamp(parts: list[str | None]) -> pd.Timestamp:
    stamp = pd.Timestamp(str(parts[0]))
    return stamp if parts[1] is None else stamp.tz_convert(parts[1])


# A pandas Timestamp is a datetime and a datetime is a date, so the narrower type comes first.
_TYPES: dict[str, tuple[Any, Any, Any]] = {
    "timestamp": (pd.Timestamp, _write_stamp, _read_stamp),
    "datetime": (dt.datetime, dt.datetime.isoformat, dt.datetime.fromisoformat),
    "date": (dt.date, dt.date.isoformat, dt.date.fromisoformat),
    "timedelta": (dt.timedelta, lambda v: pd.Timedelta(v).isoformat(), pd.Timedelta),
    "decimal": (decimal.Decimal, str, decimal.Decimal),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
}


# --- reading ----------------------------------------------------------------------------------------------------------


def from_dict(data: Mapping[str, Any]) -> Summary:
    """Read a summary from what `to_dict` returned; figures that follow from counts are not read but computed."""
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        raise PyodExplainError(f"The data must be an explanation as written by to_json() (schema {SCHEMA!r}).")
    if data["version"] != VERSION:
        raise PyodExplainError(
            f"The explanation must have schema version {VERSION}, got {data['version']!r}.\n"
            "Hint: it was written by another version of pyod_explain; read it with that one."
        )
    try:
        return _read_summary(data)
    except (KeyError, TypeError) as error:
        raise PyodExplainError(f"The explanation is incomplete: {type(error).__name__}: {error}.") from error


def _read_summary(data: Mapping[str, Any]) -> Summary:
    validation, placebo, chance = data["validation"], data["placebo"], data["chance"]
    return Summary(
        **{name: data[name] for name in _COPIED},
        objective=_read(data["objective"]),
        bound=_read(data["bound"]),
        groups=tuple(_read_group(group) for group in data["groups"]),
        group_curve=tuple((n, mdl, split, net, bits) for n, mdl, split, net, bits in data["group_curve"]),
        columns=tuple(_read_fields(ColumnFacts, facts) for facts in data["columns"]),
        notes=tuple(data["notes"]),
        validation=None
        if validation is None
        else Validation(
            n_splits=validation["n_splits"],
            whole=_read_fields(Holdout, validation["whole"]),
            groups=tuple(_read_fields(Holdout, one) for one in validation["groups"]),
            rules=tuple(_read_fields(Holdout, one) for one in validation["rules"]),
        ),
        placebo=None if placebo is None else _read_fields(Placebo, placebo),
        chance=None if chance is None else _read_fields(Placebo, chance),
        parameters=dict(data["parameters"]),
        versions=dict(data["versions"]),
        timings=dict(data["timings"]),
    )


_COPIED = (
    "detector", "grouping", "n_rows", "n_normals", "n_normals_matched", "n_strays", "n_tags", "n_items", "mdl",
    "mdl_empty", "bits", "bits_named", "groups_made", "method", "solver", "status",
)  # fmt: skip


def _read_group(data: Mapping[str, Any]) -> GroupExplanation:
    return GroupExplanation(
        number=data["number"],
        name=data["name"],
        size=data["size"],
        rows=tuple(_read(label) for label in data["rows"] or ()),
        rules=tuple(_read_rule(rule, data["number"]) for rule in data["rules"]),
        uncovered=tuple(_read(label) for label in data["uncovered"] or ()),
        n_explained=data["n_explained"],
        n_normals=data["n_normals"],
        n_others=data["n_others"],
        metrics={name: _read(value) for name, value in data["metrics"].items()},
        mdl_empty=data["mdl_empty"],
        profiles=tuple(
            Profile(
                column=one["column"],
                group=_read(one["group"]),
                normals=_read(one["normals"]),
                conditions=tuple(_read_condition(condition) for condition in one["conditions"]),
                matching=tuple((pair[0], pair[1]) for pair in one["matching"]),
            )
            for one in data["profiles"]
        ),
    )


def _read_rule(data: Mapping[str, Any], group: int) -> Rule:
    counts = ("n_outliers", "n_normals", "n_others", "group_size", "total_normals", "p_value")
    tag = Tag.of(*(_read_condition(condition) for condition in data["conditions"]))
    return Rule(tag=tag, group=group, **{name: data[name] for name in counts})


def _read_condition(data: Mapping[str, Any]) -> Condition:
    return Condition(data["column"], data["op"], _read(data["value"]), data["part"])


def _read_fields(kind: Any, data: Mapping[str, Any]) -> Any:
    return kind(**{field.name: _read(data[field.name]) for field in fields(kind)})


def _read(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    name = value["type"]
    if name == "tuple":
        return tuple(_read(one) for one in value["items"])
    if name == "float":
        return float(value["value"])
    if name == "text":
        return value["value"]
    if name not in _TYPES:
        raise PyodExplainError(f"The explanation has a value of unknown type {name!r}.")
    return _TYPES[name][2](value["value"])

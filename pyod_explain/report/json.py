"""The summary as JSON, and back. The schema is versioned and described in docs/report.md.

Every value that JSON has no word for (dates, tuples, infinities) is written as an object with a `type`, so that what
is read back equals what was written; see `values`. What is read is checked; see `read` and `consistency`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.read import read_summary
from pyod_explain.report.values import damaged, write_value
from pyod_explain.result.summary import (
    ColumnFacts,
    GroupExplanation,
    Holdout,
    Placebo,
    Rule,
    Summary,
    Validation,
)
from pyod_explain.tags.tag import Condition

__all__ = ["SCHEMA", "VERSION", "from_dict", "from_json", "read_json", "to_dict", "to_json"]

SCHEMA = "pyod_explain.explanation"
VERSION = 1
_HALF = re.compile("[\ud800-\udfff]")  # half of a character of UTF-16, which UTF-8 cannot write
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def to_json(s: Summary, *, rows: bool = True, indent: int | None = 2) -> str:
    """Write the summary as JSON."""
    text = json.dumps(to_dict(s, rows=rows), ensure_ascii=False, indent=indent, allow_nan=False) + "\n"
    halves = _HALVES.search(text)
    if halves is not None:
        around = text[max(halves.start() - 20, 0) : halves.end() + 20]
        raise PyodExplainError(
            f"The text {shown(around)} cannot be written as JSON: two halves of a character (surrogates) would be read "
            "as one.\nHint: repair the text with text.encode('utf-16', 'surrogatepass').decode('utf-16')."
        )
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def read_json(text: str | bytes | Path) -> Summary:
    """Read a summary: the text, or the file at a path."""
    return from_json(_content(text) if isinstance(text, Path) else text)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise PyodExplainError(
            f"`text` of from_json() must be JSON or the path of a file that can be read, got {shown(path)}: {error}."
        ) from error


def from_json(text: str | bytes | bytearray) -> Summary:
    """Read a summary from JSON text, and refuse what `to_json` would not write."""
    try:
        if not isinstance(text, str):
            text = text.decode("utf-8")
        data = json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_object_of_pairs, parse_constant=_refuse_constant
        )
    except PyodExplainError:
        raise
    except ValueError as error:  # undecodable bytes and numbers of thousands of digits are ValueErrors too
        raise PyodExplainError(
            f"The text must be JSON as written by to_json(), got something else: {error}.\n"
            "Hint: to read a file, pass its path: Explanation.from_json(Path('explanation.json'))."
        ) from None
    except RecursionError:
        raise PyodExplainError(
            "The text must be JSON as written by to_json(), got lists or objects that are nested too deep to read."
        ) from None
    return from_dict(data)


def _object_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise PyodExplainError(
            f"The text must be JSON as written by to_json(), got an object with the key {shown(twice)} more than once."
        )
    return result


def _refuse_constant(word: str) -> NoReturn:
    raise PyodExplainError(
        f"The text must be JSON as written by to_json(), got {word}, which is no number of JSON.\n"
        'Hint: to_json() writes it as {"type": "float", "value": "nan"} (or "inf", "-inf").'
    )


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
        "bits_groups": s.bits_groups,
        "gain": s.gain,
        "p_value": s.p_value,
        "method": s.method,
        "solver": s.solver,
        "status": s.status,
        "objective": write_value(s.objective, "The objective"),
        "bound": write_value(s.bound, "The bound"),
        "groups": [_group(group, rows=rows) for group in s.groups],
        "group_curve": [list(point) for point in s.group_curve],
        "columns": [_facts(facts) for facts in s.columns],
        "notes": list(s.notes),
        "validation": None if s.validation is None else _validation(s.validation),
        "placebo": None if s.placebo is None else _placebo(s.placebo),
        "chance": None if s.chance is None else _placebo(s.chance),
        "groups_made": s.groups_made,
        "parameters": dict(s.parameters),
        "versions": dict(s.versions),
        "timings": dict(s.timings),
    }


LABELS = "The index of the table"


def _column(name: str) -> str:
    return f"Column {shown(name)}"


def _group(group: GroupExplanation, *, rows: bool) -> dict[str, Any]:
    labels = rows and bool(group.rows)  # one that was read without its labels has none to list
    return {
        "number": group.number,
        "name": group.name,
        "size": group.size,
        "n_explained": group.n_explained,
        "n_normals": group.n_normals,
        "n_others": group.n_others,
        "precision": group.precision,
        "metrics": {name: write_value(value, f"The metric {name}") for name, value in group.metrics.items()},
        "mdl_empty": group.mdl_empty,
        "rules": [_rule(rule) for rule in group.rules],
        "profiles": [
            {
                "column": one.column,
                "group": write_value(one.group, _column(one.column)),
                "normals": write_value(one.normals, _column(one.column)),
                "conditions": [_condition(condition) for condition in one.conditions],
                "matching": [list(pair) for pair in one.matching],
            }
            for one in group.profiles
        ],
        "rows": [write_value(label, LABELS) for label in group.rows] if labels else None,
        "uncovered": [write_value(label, LABELS) for label in group.uncovered] if labels else None,
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
        "lift": write_value(rule.lift, "The lift"),
        "p_value": rule.p_value,
        "significant": rule.significant,
    }


def _condition(condition: Condition) -> dict[str, Any]:
    return {
        "column": condition.column,
        "op": condition.op,
        "value": write_value(condition.value, _column(condition.column)),
        "part": condition.part,
    }


def _holdout(one: Holdout) -> dict[str, Any]:
    counts = {field.name: getattr(one, field.name) for field in fields(one)}
    return {**counts, "precision": one.precision, "recall": one.recall}


def _validation(one: Validation) -> dict[str, Any]:
    return {
        "n_splits": one.n_splits,
        "whole": _holdout(one.whole),
        "groups": [_holdout(group) for group in one.groups],
        "rules": [_holdout(rule) for rule in one.rules],
    }


def _placebo(one: Placebo) -> dict[str, Any]:
    return {
        "gains": write_value(one.gains, "The placebo"),
        "real": one.real,
        "grouping": one.grouping,
        "gain": one.gain,
    }


def _facts(facts: ColumnFacts) -> dict[str, Any]:
    values = {field.name: getattr(facts, field.name) for field in fields(facts)}
    return {**values, "candidates": write_value(facts.candidates, _column(facts.name))}


# --- reading ----------------------------------------------------------------------------------------------------------


def from_dict(data: Mapping[str, Any]) -> Summary:
    """Read a summary from what `to_dict` returned; figures that follow from counts are not read but computed."""
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
    return read_summary(data)

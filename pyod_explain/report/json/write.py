"""The summary as dicts, lists, numbers and texts: what JSON has words for."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from pyod_explain._validate import shown
from pyod_explain.input import Relation
from pyod_explain.report.json.schema import SCHEMA, VERSION
from pyod_explain.report.json.values import write_value
from pyod_explain.result import ColumnFacts, GroupExplanation, Holdout, Placebo, Rule, Summary, Validation
from pyod_explain.tags import Condition

__all__ = ["to_dict"]

LABELS = "The index of the table"


def to_dict(s: Summary, *, rows: bool = True) -> dict[str, Any]:
    """Return the summary as dicts, lists, numbers and strings, figures that follow from counts included."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "detector": s.detector,
        "outlier_test": s.outlier_test,
        "grouping": s.grouping,
        "n_rows": s.n_rows,
        "n_lines": s.n_lines,
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
        "gain": s.share_saved,
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
        "provenance": dict(s.provenance),
        "tables": None if s.tables is None else list(s.tables),
    }


def _column(name: str | Relation) -> str:
    return f"Column {shown(str(name))}"


def _subject(column: str | Relation) -> Any:
    """Write a column by its name; a relation by its parts, so that no name of a column is taken for one."""
    if isinstance(column, Relation):
        return {"left": column.left, "op": column.op, "right": column.right}
    return column


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
                "column": _subject(one.column),
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
        "n_added": rule.n_added,
        "n_normals": rule.n_normals,
        "n_others": rule.n_others,
        "group_size": rule.group_size,
        "total_normals": rule.total_normals,
        "precision": rule.precision,
        "outlier_share": rule.outlier_share,
        "recall": rule.recall,
        "lift": write_value(rule.lift, "The lift"),
        "p_value": rule.p_value,
        "significant": rule.significant,
    }


def _condition(condition: Condition) -> dict[str, Any]:
    return {
        "column": _subject(condition.column),
        "op": condition.op,
        "value": write_value(condition.value, _column(condition.column)),
        "part": condition.part,
    }


def _holdout(one: Holdout) -> dict[str, Any]:
    counts = {field.name: getattr(one, field.name) for field in fields(one)}
    return {**counts, "precision": one.precision, "outlier_share": one.outlier_share, "recall": one.recall}


def _validation(one: Validation) -> dict[str, Any]:
    return {
        "n_splits": one.n_splits,
        "whole": _holdout(one.whole),
        "groups": [_holdout(group) for group in one.groups],
        "rules": [_holdout(rule) for rule in one.rules],
        "curve": [_holdout(point) for point in one.curve],
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
    return {**values, "name": _subject(facts.name), "candidates": write_value(facts.candidates, _column(facts.name))}

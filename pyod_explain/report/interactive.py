"""The part of a page that reacts: rules to select, and the rows that they match, to sort, search and copy.

What is listed is chosen and written here, and shown by `templates/interactive.js`. Cells are texts there, and each
column has its distinct ones in their order, so that a browser rounds no number and compares no dates.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain._validate import check_names
from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.input import Number, Table, by_content, name_list, plain_value
from pyod_explain.report.frame import escape_formulas
from pyod_explain.report.sentences import other_outliers
from pyod_explain.report.sql import to_sql
from pyod_explain.result import FitContext, Picture, Rule, Summary, free_name, match_rules
from pyod_explain.tags import value_texts

MAX_LISTED_ROWS = 1_000  # outliers, and as many normal rows
MAX_LISTED_RULES = 100
MAX_CHOSEN_COLUMNS = 10  # more only if the rules name more, or the caller does
MAX_DATA_BYTES = 500_000


def rows_part(
    s: Summary,
    scores: FloatArray | None,
    cells: Table,
    context: FitContext | None,
    columns: bool | Sequence[str],
    pictures: Sequence[Picture],
) -> dict[str, str]:
    """Give the data, the script and the security policy of the part; with fewer rows if the data would be too large.

    Parameters
    ----------
    s : the summary.
    scores, cells : how strange each outlier is, if that is known, and its cells, group after group.
    context : has the table that was explained; if it is no longer known, there are no normal rows.
    columns : names of the columns to show; True for those of the rules, then of the pictures, then others.
    pictures : scatter plots that show the outliers apart.
    """
    if context is None:
        table = cells
        groups = np.array([group.number for group in s.groups for _ in group.rows], dtype=np.int64)
    else:
        table, scores, groups = context.table, context.outliers.scores, context.groups.numbers
    chosen = _choose_columns(s, table, columns, pictures)
    matches = match_rules(s, table)
    found = [np.flatnonzero(which) for which in (groups > 0, (groups == 0) & matches.any(axis=1))]
    ordered = [_order(rows, table, matches, scores) for rows in found]
    n_rows, n_rules, data = 2 * MAX_LISTED_ROWS, MAX_LISTED_RULES, ""
    while not data or (len(data) > MAX_DATA_BYTES and n_rules):
        n_rows, n_rules = (n_rows // 2, n_rules) if n_rows else (0, n_rules // 2)
        rows = np.concatenate([np.sort(some[:n_rows]) for some in ordered])
        listed = table.take(rows), groups[rows], None if scores is None else scores[rows], matches[rows, :n_rules]
        data = _to_json(s, chosen, *listed)
    script = (Path(__file__).parent / "templates" / "interactive.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    return {"data": data, "script": script, "policy": f"{policy}; base-uri 'none'; form-action 'none'"}


def _order(rows: IndexArray, table: Table, matches: BoolArray, scores: FloatArray | None) -> IndexArray:
    """Order rows so that the first few have some of each rule, the strangest of it; random ones without scores."""
    order = np.random.default_rng(0).permutation(by_content(table, rows))
    if scores is not None:
        order = order[np.argsort(-scores[order], kind="stable")]
    has = np.column_stack([matches[order], ~matches[order].any(axis=1)])
    turn = np.where(has, has.cumsum(axis=0, dtype=np.int32), len(rows) + 1).min(axis=1)
    return order[np.argsort(turn, kind="stable")]


def _choose_columns(s: Summary, table: Table, asked: bool | Sequence[str], pictures: Sequence[Picture]) -> list[str]:
    if asked is True:
        pictured = (name for one in pictures for name in one.columns)
        first = dict.fromkeys([*s.rule_columns, *pictured, *sorted(table.columns)])
        return list(first)[: max(MAX_CHOSEN_COLUMNS, len(s.rule_columns))]
    names = dict.fromkeys(check_names("to_html()", "interactive", asked))
    if unknown := names.keys() - table.columns.keys():
        hint, requirement = f"There are {name_list(list(table.columns))}.", "True, False or columns of the table"
        raise ParameterError("interactive", requirement, got=min(unknown), hint=hint, owner="to_html()")
    return list(names)


def _to_json(
    s: Summary, names: Sequence[str], table: Table, groups: IntArray, scores: FloatArray | None, matches: BoolArray
) -> str:
    """Write what is listed as JSON that can stand in a page: ASCII, and without the signs that end a script.

    Parameters
    ----------
    s : the summary.
    names : the columns to show.
    table, groups, scores : the rows, outliers first, with the number of the group, 0 for a normal row.
    matches : which of them (rows) match which of the first rules (columns).
    """
    titles = [s.nouns["normal"], *(group.title for group in s.groups)]
    beside: dict[str, tuple[list[Any], list[str] | None]] = {
        "Row": ([plain_value(label) for label in table.index], None),
        "Group": ([int(one) or len(titles) for one in groups], [titles[one] for one in groups]),  # normal rows last
    }
    if scores is not None:
        beside["Score"] = [float(f"{score:.4g}") for score in scores], None
    if table.row_counts is not None:
        beside["Rows"] = table.row_counts.tolist(), None
    columns = [_encode(free_name(name, names), *cells) for name, cells in beside.items()]
    columns += [_encode(name, list(map(table[name].cell, range(table.n_rows)))) for name in names]
    rules = [
        {
            "group": rule.group,
            "title": titles[rule.group],
            "text": rule.signs,
            "counts": [rule.n_outliers, rule.n_others, rule.n_normals],
            "figures": _figures(rule, s),
            "rows": "".join("01"[hit] for hit in matched.tolist()),
            "columns": [len(beside) + names.index(one) for one in rule.tag.columns if one in names],
            "sql": _rule_as_sql(rule, s),
        }
        for rule, matched in zip(s.rules, matches.T, strict=False)
    ]
    data = {
        "columns": columns,
        "groups": groups.tolist(),
        "counts": [1] * table.n_rows if table.row_counts is None else table.row_counts.tolist(),
        "rules": rules,
        "moreRules": len(s.rules) - len(rules),
        "totals": [s.n_outliers, s.n_normals_matched],
        "nouns": dict(s.nouns),
    }
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _encode(name: str, cells: Sequence[Any], texts: Sequence[str] | None = None) -> dict[str, Any]:
    """Write a column as its distinct texts in the order of their values, and for each row the number of its text.

    >>> _encode("n", [10, None, 9])
    {'name': 'n', 'head': 'n', 'number': True, 'values': ['9', '10'], 'escaped': {}, 'cells': [1, -1, 0]}
    """
    number = texts is None and all(isinstance(one, Number | None) and not isinstance(one, bool) for one in cells)
    if texts is None:
        pairs = zip(cells, value_texts(cells), strict=True)
        texts = [cell if isinstance(cell, str) else text for cell, text in pairs]
    known = {text: cell for text, cell in zip(texts, cells, strict=True) if cell is not None}
    try:
        values = sorted(known, key=known.__getitem__)
    except TypeError:  # values of several types
        values = sorted(known)
    codes = {text: code for code, text in enumerate(values)}
    safe = {} if number else {code: escape_formulas(text) for text, code in codes.items()}
    return {
        "name": name,
        "head": escape_formulas(name),
        "number": number,
        "values": values,
        "escaped": {code: text for code, text in safe.items() if text != values[code]},
        "cells": [-1 if cell is None else codes[text] for cell, text in zip(cells, texts, strict=True)],
    }


def _figures(rule: Rule, s: Summary) -> str:
    others = f", {other_outliers(rule.n_others, s)}" if rule.n_others else ""
    return f"{s.count_outliers(rule.n_outliers)}{others}, {s.count_normals(rule.n_normals)}"


def _rule_as_sql(rule: Rule, s: Summary) -> str | None:
    """Write the SELECT of the rows that one rule matches; None where SQL cannot say it."""
    group = replace(s.groups[rule.group - 1], rules=(rule,))
    try:
        return to_sql(replace(s, groups=(group,)), "data")
    except PyodExplainError:
        return None

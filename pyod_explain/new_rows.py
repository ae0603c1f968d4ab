"""`explain_new`: what is in this table and was not in that one."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.api import explain
from pyod_explain.beyond_memory import as_source
from pyod_explain.exceptions import Message, ParameterError, PyodExplainError
from pyod_explain.explanation import Explanation, with_metadata, with_summary
from pyod_explain.input import as_frame, as_table, name_list
from pyod_explain.result import call_facts
from pyod_explain.tags import find_identifiers


def explain_new(now: Any, before: Any, *, names: tuple[str, str] = ("now", "before"), **settings: Any) -> Explanation:
    """Explain what is in a table and was not in another: rules that match many rows of it and few of the other.

    The same as `explain` with 1 for the rows of `now` and 0 for those of `before`: the outliers of the result are the
    rows of `now`, its normals those of `before`, and reports call them so. `predict(X)` gives 1 to rows that match a
    rule. Columns that only one table has, or that hold other kinds of values in either, are named and left out.

    Parameters
    ----------
    now, before : the two tables, in memory: of pandas, Polars or Arrow, or arrays.
    names : what to call them.
    settings : as for `explain`, such as `exclude=["date"]` or `max_length=2`.

    Examples
    --------
    >>> before = pd.DataFrame({"price": [5, 6, 7, 8] * 20})
    >>> now = pd.DataFrame({"price": [5, 6, 7, 8] * 15 + [90] * 20})
    >>> new = explain_new(now, before)
    >>> print(new.headline.splitlines()[0])
    now has 80 rows, before 80. 1 rule matches 20 rows of now (25%) and 0 rows of before (0%).
    >>> new.to_frame()[["rule", "outliers", "normals"]].to_dict("records")
    [{'rule': 'price is 90', 'outliers': 20, 'normals': 0}]
    """
    now, before = _frame("now", now), _frame("before", before)
    for name, frame in (("now", now), ("before", before)):
        if not len(frame):
            raise ParameterError(name, "a table of at least one row", got_text="none", owner="explain_new()")
    made = call_facts(explain_new, {"now": now, "before": before, "names": names, "settings": dict(settings)})
    common, notes = _common(now, before, names)
    both = pd.concat([now[common], before[common]], ignore_index=True)
    labels = np.repeat([1, 0], [len(now), len(before)])
    if settings.get("id_columns", "auto") == "auto":
        settings["id_columns"] = _identifiers(now[common], before[common], notes)
    explanation = with_metadata(explain(labels, both, **{"groups": 1, **settings}), **made)
    groups = tuple(replace(group, extremes=()) for group in explanation.groups)  # these are no outliers
    explanation = with_summary(explanation, tables=names, groups=groups)
    dates = {name for name, column in as_table(now[common]).columns.items() if column.kind == "datetime"}
    if explanation.rules and all({*rule.tag.columns} <= dates for rule in explanation.rules):
        notes.append(Message("All rules are about dates, which differ anyway; {arg_exclude} leaves these out."))
    nouns = explanation.summary.nouns
    for note in explanation.notes:
        notes.append(Message(note.template, {**nouns, **note.values}) if isinstance(note, Message) else note)
    return with_summary(explanation, notes=tuple(notes))


def _frame(name: str, X: Any) -> pd.DataFrame:
    """Read one of the two tables; refuse rows beyond memory."""
    if isinstance(X, str | PathLike) or as_source(X) is not None:
        hint = (
            "read it as a DataFrame; or put both into one folder, with a column that is 1 now and 0 before, and call "
            "explain() with the name of that column and the folder."
        )
        raise ParameterError(name, "a table in memory", got_text=type(X).__name__, hint=hint, owner="explain_new()")
    return as_frame(X, argument=name)


def _common(now: pd.DataFrame, before: pd.DataFrame, names: tuple[str, str]) -> tuple[list[Any], list[str]]:
    """Give the columns that both tables have, with values of one kind; say which are left out, and why."""
    notes = []
    for one, other, name in ((now, before, names[0]), (before, now, names[1])):
        if only := [column for column in one.columns if column not in set(other.columns)]:
            notes.append(f"Columns left out because only {name} has them: {_list(only)}.")
    both = [column for column in now.columns if column in set(before.columns)]
    kinds = [{_kind(frame[[column]]) for frame in (now, before)} - {None} for column in both]
    mixed = [column for column, kind in zip(both, kinds, strict=True) if len(kind) > 1]
    if mixed:
        notes.append(f"Columns left out because their kinds of values differ: {_list(mixed)}.")
    common = [column for column in both if column not in mixed]
    if not common:
        got = f"{name_list(list(now.columns))} and {name_list(list(before.columns))}"
        raise PyodExplainError(f"`now` and `before` of explain_new() must have a column in common, got {got}.")
    return common, notes


def _identifiers(now: pd.DataFrame, before: pd.DataFrame, notes: list[str]) -> list[str]:
    """Find columns that name rows in either table: a number that counts on from one to the other tells them apart."""
    found = {name for frame in (now, before) for name in find_identifiers(as_table(frame))}
    names = [name for name in map(str, now.columns) if name in found]
    if not names or len(names) == now.shape[1]:
        return []
    notes.append(f"Columns left out of the rules because they name rows: {_list(names)}.")
    return names


def _kind(column: pd.DataFrame) -> tuple[str, str | None] | None:
    """Give the kind of a column and its time zone; None where it has no value at all."""
    [read] = as_table(column).columns.values()
    return None if read.missing.all() else (read.kind, read.timezone)


def _list(names: list[Any]) -> str:
    return name_list([str(name) for name in names])

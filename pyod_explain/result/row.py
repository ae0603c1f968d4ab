"""One row at a time: why it is an outlier, and what would have to change for it not to match."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.input.clock import to_utc
from pyod_explain.input.table import Column, Table
from pyod_explain.result.summary import ColumnFacts, GroupExplanation, Rule, Summary
from pyod_explain.result.words import cell_text, visible
from pyod_explain.tags.tag import Condition

__all__ = ["Change", "Counterfactual", "RowExplanation", "counterfactual", "explain_row"]

MOST_COMBINATIONS = 20_000  # of values tried for one counterfactual


@dataclass(frozen=True)
class RowExplanation:
    """Why one row is an outlier, as far as the rules tell.

    Attributes
    ----------
    label : the row's label.
    group : number of its group.
    matching : the rules of its group that cover it.
    nearest : if none does, the rule that it misses by least: fewest failing conditions, then smallest distance.
    failing : the conditions of `nearest` that fail.
    values : the row's own values in the columns of those rules.
    """

    label: Hashable
    group: int
    matching: tuple[Rule, ...]
    nearest: Rule | None
    failing: tuple[Condition, ...]
    values: Mapping[str, Any]

    def __str__(self) -> str:
        name = visible(repr(self.label))
        if self.matching:
            reasons = [line for rule in self.matching for line in self._lines(rule)]
            return "\n".join([f"Row {name} is an outlier of group {self.group}, because", *reasons])
        if self.nearest is None:
            return f"Row {name} is an outlier of group {self.group}, which no rule describes."
        lines = [f"Row {name} is an outlier of group {self.group}, and no rule of the group covers it."]
        return "\n".join([*lines, "The nearest rule:", *self._lines(self.nearest)])

    def _lines(self, rule: Rule) -> Iterable[str]:
        for i, condition in enumerate(rule.tag.sorted):
            lead = "  if " if i == 0 else "     and "
            verdict = ", which fails" if condition in self.failing else ""
            yield visible(f"{lead}{condition} (it is {cell_text(self.values[condition.column])}{verdict})")


@dataclass(frozen=True)
class Change:
    """A cell to change: the column, what it is, what it would have to be."""

    column: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{visible(self.column)}: {cell_text(self.old)} -> {cell_text(self.new)}"


@dataclass(frozen=True)
class Counterfactual:
    """The smallest change of a row's values after which no rule of its group matches it.

    Attributes
    ----------
    label, group : the row and its group.
    changes : the cells to change; empty if no rule matches as it is; None if no change that was tried is enough.
    """

    label: Hashable
    group: int
    changes: tuple[Change, ...] | None

    def __str__(self) -> str:
        name = visible(repr(self.label))
        if self.changes is None:
            return f"Row {name}: no change of its values was found after which no rule of group {self.group} matches."
        if not self.changes:
            return f"Row {name} matches no rule of group {self.group} as it is."
        lines = "\n".join(f"  {change}" for change in self.changes)
        return f"Row {name} would match no rule of group {self.group} with\n{lines}"


def explain_row(label: Hashable, group: GroupExplanation, row: Table, summary: Summary) -> RowExplanation:
    """Tell which rules of its group cover a row, or which one it misses by least.

    Parameters
    ----------
    label, group : the row and its group.
    row : a table of that one row.
    summary : facts on the columns, to weigh a distance in one against a distance in another.
    """
    failing = {rule: tuple(c for c in rule.tag.sorted if not c.holds(row[c.column])[0]) for rule in group.rules}
    matching = tuple(rule for rule, fails in failing.items() if not fails)
    nearest = None
    if not matching:
        nearest = min(failing, key=lambda rule: _miss(failing[rule], row, summary), default=None)
    shown = matching or ((nearest,) if nearest else ())
    columns = dict.fromkeys(name for rule in shown for name in rule.tag.columns)
    values = {name: row[name].cell(0) for name in columns}
    return RowExplanation(label, group.number, matching, nearest, failing[nearest] if nearest else (), values)


def _miss(failing: Sequence[Condition], row: Table, summary: Summary) -> tuple[int, float]:
    return len(failing), sum(_distance_to(c, row[c.column], summary.facts(c.column)) for c in failing)


def _distance_to(condition: Condition, column: Column, facts: ColumnFacts) -> float:
    """Distance of a cell from meeting a condition, in typical differences of its column; 1 for anything unordered."""
    ends = condition.value if condition.op == "between" else (condition.value,)
    if condition.part is not None or condition.op not in ("<", "<=", ">", ">=", "between") or column.missing[0]:
        return 1.0
    return min(_distance(column.cell(0), end, facts) for end in ends)


def _distance(old: Any, new: Any, facts: ColumnFacts) -> float:
    """Difference of two values in typical differences of the column; 1 for anything unordered."""
    if old is None or new is None:
        return 1.0
    if facts.kind == "number":
        return abs(float(new) - float(old)) / facts.scale
    if facts.kind in ("datetime", "timedelta"):
        difference = pd.Timedelta(_stamp(new, facts) - _stamp(old, facts))
        return abs(float(difference.value)) / facts.scale
    return 1.0


def _stamp(value: Any, facts: ColumnFacts) -> Any:
    if facts.kind == "timedelta":
        return pd.Timedelta(value)
    stamp = pd.Timestamp(value)
    if facts.timezone is not None and stamp.tzinfo is None:
        return stamp.tz_localize(facts.timezone)
    return stamp


# --- counterfactual ---------------------------------------------------------------------------------------------------


def counterfactual(label: Hashable, group: GroupExplanation, row: Table, summary: Summary) -> Counterfactual:
    """Find the fewest cells to change, and of these the smallest change, so that no rule of the group matches.

    New values are such as occur in the table, next to the limits of the conditions (for categories the frequent ones
    of the normals); the hour or weekday of a time is changed by itself. Distances are measured in typical differences
    between normals. Where there are too many combinations, the nearest values of each column are tried.

    Parameters
    ----------
    label, group : the row and its group.
    row : a table of that one row, with the columns of the group's rules.
    summary : facts on the columns.
    """
    matching = [rule for rule in group.rules if rule.tag.covers(row)[0]]
    if not matching:
        return Counterfactual(label, group.number, ())
    columns = list(dict.fromkeys(name for rule in matching for name in rule.tag.columns))
    options = {name: _options(row[name], group, summary.facts(name)) for name in columns}
    for size in range(1, len(columns) + 1):
        best: tuple[float, tuple[Change, ...]] | None = None
        for names in itertools.combinations(columns, size):
            if not all(set(names) & set(rule.tag.columns) for rule in matching):
                continue  # a rule that speaks of none of these columns would still match
            found = _cheapest(names, options, row, group)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        if best is not None:
            return Counterfactual(label, group.number, best[1])
    return Counterfactual(label, group.number, None)


def _cheapest(
    names: Sequence[str], options: Mapping[str, list[tuple[float, Any]]], row: Table, group: GroupExplanation
) -> tuple[float, tuple[Change, ...]] | None:
    most = max(int(MOST_COMBINATIONS ** (1 / len(names))), 1)
    choices = [options[name][:most] for name in names]
    for combination in sorted(itertools.product(*choices), key=lambda chosen: sum(cost for cost, _ in chosen)):
        changed = dict(zip(names, (value for _, value in combination), strict=True))
        columns = {**row.columns, **{name: _with_value(row[name], value) for name, value in changed.items()}}
        if not any(rule.tag.covers(Table(columns, row.index))[0] for rule in group.rules):
            changes = tuple(Change(name, row[name].cell(0), value) for name, value in changed.items())
            return sum(cost for cost, _ in combination), changes
    return None


def _options(column: Column, group: GroupExplanation, facts: ColumnFacts) -> list[tuple[float, Any]]:
    """List other values for a cell with their cost, cheapest first; to leave it empty comes last."""
    old = column.cell(0)
    values = [*facts.candidates, *_other_times(old, column, group)]
    costed = [(_distance(old, value, facts), value) for value in values if value != old]
    gone = [(1e9, None)] if old is not None else []  # a missing value is a way out only where no value is
    return sorted(costed, key=lambda pair: pair[0]) + gone


def _other_times(old: Any, column: Column, group: GroupExplanation) -> list[Any]:
    """The same time in other hours, or the same hour on the days around, where a rule looks at these."""
    parts = {c.part for rule in group.rules for c in rule.tag.conditions if c.column == column.name}
    if old is None:
        return []
    hours = [old.replace(hour=hour) for hour in range(24)] if "hour" in parts else []
    days = [old + pd.Timedelta(days=days) for days in range(-3, 4)] if "weekday" in parts else []
    return hours + days


def _with_value(column: Column, value: Any) -> Column:
    """Give the column of one cell another value; the value is one of the column's own kind."""
    gone = np.array([value is None])
    if value is None:
        fill = column.values.copy()
        if column.kind in ("category", "boolean"):
            fill[:] = -1
        return replace(column, values=fill, missing=gone)
    if column.kind in ("category", "boolean"):
        return Column(column.name, column.kind, np.zeros(1, dtype=np.int32), gone, (value,))
    if column.kind == "datetime":
        plain = to_utc(pd.Timestamp(value))
        return replace(column, values=np.array([plain.to_datetime64()], dtype="datetime64[ns]"), missing=gone)
    if column.kind == "timedelta":
        return replace(column, values=np.array([pd.Timedelta(value).to_timedelta64()]), missing=gone)
    return replace(column, values=np.array([value]), missing=gone)

"""What would have to change in a row for its group's rules not to match it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.exceptions import visible
from pyod_explain.input import Column, Number, Table, plain_number, to_utc
from pyod_explain.result.group import GroupExplanation
from pyod_explain.result.match import distance
from pyod_explain.result.summary import ColumnFacts, Summary
from pyod_explain.result.text import cell_text
from pyod_explain.tags import Condition, DatePart, Relation, simplest

MAX_COMBINATIONS = 20_000  # of values tried for one counterfactual
EXTRA_CHANGE = 0.01  # of the change: so far beyond the limit of a relation a value may lie, to be short
SHIFTS = {"hour": range(-23, 24), "weekday": range(-72, 96, 24)}  # in hours: to other hours, or to the days around
NANOSECONDS_PER_HOUR = 3_600 * 10**9


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


def counterfactual(label: Hashable, group: GroupExplanation, row: Table, summary: Summary) -> Counterfactual:
    """Find the fewest cells to change, and of these the smallest change, so that no rule of the group matches.

    New values are such as occur in the table, next to the limits of the conditions (for categories the frequent ones
    of the normals); for an hour or a weekday the time is moved by hours or days; of a relation one column is changed,
    to just beyond the limit of the condition. Distances are measured in typical differences between
    normals. Where there are too many combinations, the nearest values of each column are tried.

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
    options = {name: _options(name, row, group, summary.facts(name)) for name in columns}
    for size in range(1, len(columns) + 1):
        best: tuple[float, tuple[Change, ...]] | None = None
        for names in itertools.combinations(columns, size):
            if not all(set(names) & set(rule.tag.columns) for rule in matching):
                continue  # a rule that uses none of these columns would still match
            found = _cheapest(names, options, row, group)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        if best is not None:
            return Counterfactual(label, group.number, best[1])
    return Counterfactual(label, group.number, None)


def _cheapest(
    names: Sequence[str], options: Mapping[str, list[tuple[float, Any]]], row: Table, group: GroupExplanation
) -> tuple[float, tuple[Change, ...]] | None:
    most = max(int(MAX_COMBINATIONS ** (1 / len(names))), 1)
    choices = [options[name][:most] for name in names]
    for combination in sorted(itertools.product(*choices), key=lambda chosen: sum(cost for cost, _ in chosen)):
        changed = dict(zip(names, (value for _, value in combination), strict=True))
        columns = {**row.columns, **{name: _with_value(row[name], value) for name, value in changed.items()}}
        if not any(rule.tag.covers(Table(columns, row.index))[0] for rule in group.rules):
            changes = tuple(Change(name, row[name].cell(0), value) for name, value in changed.items())
            return sum(cost for cost, _ in combination), changes
    return None


def _options(name: str, row: Table, group: GroupExplanation, facts: ColumnFacts) -> list[tuple[float, Any]]:
    """List other values for a cell with their cost, cheapest first; to leave it empty comes last."""
    column = row[name]
    old = column.cell(0)
    values = list(facts.candidates)
    if old is not None:
        for condition in dict.fromkeys(c for rule in group.rules for c in rule.tag.sorted if name in c.columns):
            if isinstance(condition.column, DatePart):
                moment = column.values.astype(np.int64)
                shifts = np.array(SHIFTS.get(condition.column.part, ()), dtype=np.int64) * NANOSECONDS_PER_HOUR
                values += [column.stamp(int(one)) for one in moment + shifts]
            elif isinstance(condition.column, Relation) and column.kind == "number":
                values += _beyond_limits(condition, condition.column, name, row)
    costed = [(distance(old, value, facts), value) for value in values if value != old]
    gone = [(math.inf, None)] if old is not None else []  # a missing value is a way out only where no value is
    return sorted(costed, key=lambda pair: pair[0]) + gone


def _beyond_limits(condition: Condition, relation: Relation, name: str, row: Table) -> Iterator[Number]:
    """Give values of one column with which a relation is just beyond a limit of its condition."""
    old, other = float(row[name].floats()[0]), row[next(one for one in relation.columns if one != name)]
    if other.kind != "number" or other.missing[0]:
        return
    left, known = name == relation.left, other.floats()[0]
    for limit in map(plain_number, condition.value if condition.op == "between" else (condition.value,)):
        if limit is None:
            continue
        with np.errstate(all="ignore"):
            at = np.float64(limit)
            solutions = {"-": at + known if left else known - at, "+": at - known, "*": at / known}
            solutions["/"] = at * known if left else known / at
        found = float(solutions[relation.op])
        for change in [found - old] if found != old else [abs(old) or 1.0, -abs(old) or -1.0]:
            end = found + change * EXTRA_CHANGE
            if not math.isfinite(end):
                continue
            if row[name].whole:
                yield math.floor(found) + 1 if change > 0 else math.ceil(found) - 1
            else:
                yield simplest(found, end) if change > 0 else -simplest(-found, -end)


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
        value = to_utc(pd.Timestamp(value)).to_datetime64()
    elif column.kind == "timedelta":
        value = pd.Timedelta(value).to_timedelta64()
    kept = column.values.dtype if column.values.dtype.kind in "fmM" else None  # 0.7 is another number among float32
    return replace(column, values=np.array([value], dtype=kept), missing=gone)

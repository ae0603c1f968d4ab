"""What would have to change in a row for its group's rules not to match it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.exceptions import visible
from pyod_explain.input import Column, Number, Table, as_decimal, plain_number, to_utc
from pyod_explain.result.group import GroupExplanation
from pyod_explain.result.match import distance
from pyod_explain.result.summary import ColumnFacts, Summary
from pyod_explain.result.text import cell_text
from pyod_explain.tags import Condition, DatePart, Relation, compute_relation, simplest, usable_cells

MAX_COMBINATIONS = 20_000  # of values tried for one counterfactual


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
    of the normals); the hour or weekday of a time is changed by itself; of a relation one column is changed, to where
    the relation breaks the condition with the other as it is. Distances are measured in typical differences between
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
    related = {c for rule in group.rules for c in rule.tag.sorted if isinstance(c.column, Relation)}
    solved = [value for c in sorted(related, key=lambda c: c.sort_key) for value in solved_values(c, name, row)]
    values = [*facts.candidates, *solved, *_other_times(old, column, group)]
    costed = [(distance(old, value, facts), value) for value in values if value != old]
    gone = [(math.inf, None)] if old is not None else []  # a missing value is a way out only where no value is
    return sorted(costed, key=lambda pair: pair[0]) + gone


def _other_times(old: Any, column: Column, group: GroupExplanation) -> list[Any]:
    """The same day in other hours, or the same hour on the days around, where a rule looks at these."""
    terms = {c.column for rule in group.rules for c in rule.tag.conditions}
    parts = {one.part for one in terms if isinstance(one, DatePart) and one.column == column.name}
    if old is None or not parts & {"hour", "weekday"}:
        return []
    clock = old.tz_localize(None)
    hours = [pd.Timedelta(hours=hour - clock.hour) for hour in range(24)] if "hour" in parts else []
    days = [pd.Timedelta(days=days) for days in range(-3, 4)] if "weekday" in parts else []
    times = [_moved(clock, by, column.timezone) for by in hours + days]
    return [time for time in times if time is not None]


def _moved(clock: pd.Timestamp, by: pd.Timedelta, zone: str | None) -> pd.Timestamp | None:
    """Move what a clock shows; None where the zone skips that hour, or where no time can be kept."""
    try:
        time = (clock + by).tz_localize(zone, nonexistent="NaT", ambiguous=True)
    except (pd.errors.OutOfBoundsDatetime, OverflowError):  # beyond 1677 or 2262
        return None
    return time if isinstance(time, pd.Timestamp) else None


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
    if column.values.dtype.kind == "f":  # as it would be kept there: 0.7 is another number among float32
        return replace(column, values=np.array([value], dtype=column.values.dtype), missing=gone)
    return replace(column, values=np.array([value]), missing=gone)


MAX_EXTRA_CHANGE = 0.01  # of the change: so much further a value may lie if that makes it shorter to write
MAX_FLOAT_STEPS = 4  # doubles beyond the solution that are tried: the relation is rounded, and so is the solution


def solved_values(condition: Condition, name: str, row: Table) -> Iterator[Any]:
    """Give values of one column that break a condition on its relation with another, by about as little as can be.

    They are numbers of the column's own type, each looked at: the condition fails for it.

    Parameters
    ----------
    condition : about a relation; one without limits has no solution.
    name : the column to change.
    row : a table of one row, with both columns.
    """
    relation = condition.column
    if not isinstance(relation, Relation) or name not in relation.columns:
        return
    column, other = row[name], row[next(one for one in relation.columns if one != name)]
    if column.kind != "number" or other.kind != "number" or column.missing[0] or other.missing[0]:
        return
    old, fixed = float(column.floats()[0]), float(other.floats()[0])
    for limit in _limits(condition):
        found = _solve(relation, name, limit, fixed)
        if found is None:
            continue
        for value in _beside(found, old, column):
            stored = _stored(value, column)
            if stored is None:
                continue
            cells = np.array([stored, float(value)])  # as it would be kept, and as it is printed: a reader may check
            pair = (cells, np.full(2, fixed)) if name == relation.left else (np.full(2, fixed), cells)
            numbers = compute_relation(relation.op, *map(usable_cells, pair))
            if not condition.holds(Column(str(relation), "number", numbers, np.isnan(numbers))).any():
                yield value
                break


def _stored(value: Number, column: Column) -> float | None:
    """Give a number as the double that it is once it stands in the column; None where it has no place there."""
    dtype = column.values.dtype
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            short = float(dtype.type(value))
        return short if math.isfinite(short) else None
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
        return None
    return float(value)


def _limits(condition: Condition) -> list[float]:
    """List the numbers at which the condition starts or stops to hold."""
    values = condition.value if condition.op == "between" else (condition.value,)
    if condition.op not in ("<", "<=", ">", ">=", "==", "between"):
        return []
    numbers = [plain_number(value) for value in values]
    return [float(one) for one in numbers if one is not None and math.isfinite(one)]


def _solve(relation: Relation, name: str, limit: float, fixed: float) -> float | None:
    """Give the cell with which the relation is at its limit; None if none is."""
    left = name == relation.left
    with np.errstate(all="ignore"):
        known, at = np.float64(fixed), np.float64(limit)
        if relation.op == "-":
            found = at + known if left else known - at
        elif relation.op == "+":
            found = at - known
        elif relation.op == "*":
            found = at / known
        else:
            found = at * known if left else known / at
    return float(found) if np.isfinite(found) else None


def _beside(found: float, old: float, column: Column) -> Iterator[Number]:
    """Give numbers of the column's type beside a solution: a short one just beyond it, then its neighbours."""
    room = max(abs(found - old) * MAX_EXTRA_CHANGE, math.ulp(found) * MAX_FLOAT_STEPS)
    whole, exact = column.whole, any(isinstance(cell, Decimal) for cell in column.values)

    def typed(value: float) -> Number:
        return math.floor(value) if whole else as_decimal(value) if exact else value

    away = 1.0 if found >= old else -1.0
    for side in (away, -away):
        if side > 0:
            low, high = typed(math.nextafter(found, -math.inf)), typed(found + room)
            yield simplest(low, max(high, low + 1) if whole else high)
        else:
            low, high = typed(-math.nextafter(found, math.inf)), typed(-found + room)
            yield -simplest(low, max(high, low + 1) if whole else high)
        step = found
        for _ in range(MAX_FLOAT_STEPS):
            yield math.ceil(step) if whole and side > 0 else typed(step)
            step = _next(step, side * math.inf, column)


def _next(value: float, towards: float, column: Column) -> float:
    """Give the next number that the column's type has, for those that are doubles or shorter."""
    short = column.values.dtype.type if column.values.dtype.kind == "f" else np.float64
    with np.errstate(over="ignore"):
        return float(np.nextafter(short(value), short(towards)))

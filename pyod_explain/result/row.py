"""Why one row is an outlier, as far as the rules tell."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyod_explain._printable import visible
from pyod_explain.input.relation import Relation
from pyod_explain.input.table import Column, Table
from pyod_explain.result.distance import distance
from pyod_explain.result.group import GroupExplanation, Rule
from pyod_explain.result.summary import ColumnFacts, Summary
from pyod_explain.result.words import cell_text
from pyod_explain.tags.condition import Condition

__all__ = ["RowExplanation", "explain_row"]


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
    values : the row's own values in the columns of those rules, and of their relations.
    """

    label: Hashable
    group: int
    matching: tuple[Rule, ...]
    nearest: Rule | None
    failing: tuple[Condition, ...]
    values: Mapping[str | Relation, Any]

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
            yield visible(f"{lead}{condition} (it is {self._value(condition)}{verdict})")

    def _value(self, condition: Condition) -> str:
        """Write the row's value; that of a relation with the two that give it."""
        value, column = self.values[condition.column], condition.column
        if not isinstance(column, Relation):
            return cell_text(value)
        parts = ", ".join(f"{name} {cell_text(self.values[name])}" for name in column.columns)
        return f"{'undefined' if value is None else cell_text(_rounded(value, condition))}: {parts}"


def _rounded(value: float, condition: Condition) -> float:
    """Drop the last digits of a result, which are those of rounded cells, unless they decide the condition."""
    short = float(f"{value:.12g}")
    pair = Column(str(condition.column), "number", np.array([value, short]), np.zeros(2, dtype=bool))
    return short if len(set(condition.holds(pair).tolist())) == 1 else value


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
    columns: dict[str | Relation, None] = dict.fromkeys(name for rule in shown for name in rule.tag.columns)
    columns.update(dict.fromkeys(c.column for rule in shown for c in rule.tag.sorted))
    values = {name: row[name].cell(0) for name in columns}
    return RowExplanation(label, group.number, matching, nearest, failing[nearest] if nearest else (), values)


def _miss(failing: Sequence[Condition], row: Table, summary: Summary) -> tuple[int, float]:
    return len(failing), sum(_distance_to(c, row[c.column], summary.facts(c.column)) for c in failing)


def _distance_to(condition: Condition, column: Column, facts: ColumnFacts) -> float:
    """Distance of a cell from meeting a condition, in typical differences of its column; 1 for anything unordered."""
    ends = condition.value if condition.op == "between" else (condition.value,)
    if condition.part is not None or condition.op not in ("<", "<=", ">", ">=", "between") or column.missing[0]:
        return 1.0
    return min(distance(column.cell(0), end, facts) for end in ends)

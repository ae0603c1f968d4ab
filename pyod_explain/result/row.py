"""What the rules say of one row: why it is an outlier, or which rule it comes nearest to."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pyod_explain._printable import visible
from pyod_explain.input import Table
from pyod_explain.result.group import GroupExplanation, Rule
from pyod_explain.result.match import best_rule
from pyod_explain.result.misses import failing, misses
from pyod_explain.result.row_table import row_table
from pyod_explain.result.seen import Values, seen_by
from pyod_explain.result.summary import Summary
from pyod_explain.tags import Condition, Term, statements

__all__ = ["RowExplanation", "columns_of", "explain_row"]


@dataclass(frozen=True)
class RowExplanation:
    """What the rules say of one row.

    Attributes
    ----------
    label : the row's label; None for a new row without one.
    group : number of its group; of a row that is not among the outliers that of the most precise rule that matches
        it, 0 if none does.
    matching : the rules of its group that cover it; of a row that is not among the outliers all rules that do.
    nearest : if none does, the rule that it misses by least: fewest failing conditions, then smallest distance.
    failing : the conditions of `nearest` that fail.
    values : the row's own values in the columns of those rules, and of their relations.
    outlier : True for an outlier, False for another row of the table that was explained, None for a new row.
    """

    label: Hashable
    group: int
    matching: tuple[Rule, ...]
    nearest: Rule | None
    failing: tuple[Condition, ...]
    values: Values
    outlier: bool | None = True

    @property
    def headline(self) -> str:
        """What the rules say of the row, in a sentence."""
        name = "The row" if self.label is None and self.outlier is None else f"Row {visible(repr(self.label))}"
        if self.outlier:
            return f"{name} is an outlier of group {self.group}{self._as_outlier()}"
        known = "" if self.outlier is None else " is not among the outliers"
        if self.matching:
            n, joint = len(self.matching), ", but" if known else ""
            if n == 1:
                return f"{name}{known}{joint} matches a rule of group {self.group}:"
            return f"{name}{known}{joint} matches {n} rules, the most precise of them of group {self.group}:"
        if self.nearest is None:
            return f"{name}{known}{', and' if known else ''} matches no rule: there is none."
        return f"{name}{known}{', and' if known else ''} matches no rule."

    def _as_outlier(self) -> str:
        if self.matching:
            return ", because"
        return ", which no rule describes." if self.nearest is None else ", and no rule of the group covers it."

    @property
    def shown(self) -> tuple[Rule, ...]:
        """The rules to show: those that match, or the nearest."""
        return self.matching or (() if self.nearest is None else (self.nearest,))

    def __str__(self) -> str:
        lines = [self.headline]
        if not self.matching and self.nearest is not None:
            lines.append("The nearest rule:" if self.outlier else f"The nearest rule, of group {self.nearest.group}:")
        return "\n".join([*lines, *(line for rule in self.shown for line in self._lines(rule))])

    def _lines(self, rule: Rule) -> Iterable[str]:
        group = f"group {rule.group}: " if not self.outlier and len(self.matching) > 1 else ""
        for i, statement in enumerate(statements(rule.tag.sorted)):
            lead = f"  {group}if " if i == 0 else "     and "
            verdict = ", which fails" if set(statement.conditions) & set(self.failing) else ""
            yield visible(f"{lead}{statement} (it is {seen_by(statement, self.values)}{verdict})")

    def _repr_html_(self) -> str:
        return row_table(self.headline, self.shown, self.failing, self.values, matches=bool(self.matching))


def explain_row(
    label: Hashable, group: GroupExplanation | None, row: Table, summary: Summary, *, outlier: bool | None = True
) -> RowExplanation:
    """Tell which rules cover a row, or which one it misses by least.

    Parameters
    ----------
    label : the row's label.
    group : the group whose rules are asked; None for a row that is not among the outliers: all rules.
    row : a table of that one row.
    summary : the rules, and facts on the columns, to weigh a distance in one against a distance in another.
    outlier : True for an outlier, False for another row of the table that was explained, None for a new row.
    """
    rules = summary.rules if group is None else group.rules
    number = group.number if group is not None else _predicted(summary, row)
    measured = misses(rules, row, summary)
    matching = tuple(rule for rule, n in zip(rules, measured.failing[0], strict=True) if not n)
    nearest = None
    if rules and not matching:
        nearest = rules[int(measured.nearest(np.ones((1, len(rules)), dtype=bool))[0])]
    fails = () if nearest is None else tuple(c for c in nearest.tag.sorted if failing(c, row)[0])
    shown = matching or (() if nearest is None else (nearest,))
    values = {name: row[name].cell(0) for name in columns_of(shown)}
    return RowExplanation(label, number, matching, nearest, fails, values, outlier)


def _predicted(summary: Summary, row: Table) -> int:
    best = int(best_rule(summary, row)[0])
    return 0 if best < 0 else summary.rules[best].group


def columns_of(rules: Sequence[Rule]) -> list[Term]:
    """Give the columns that rules speak of, and their relations, each once."""
    columns: dict[Term, None] = dict.fromkeys(name for rule in rules for name in rule.tag.columns)
    columns.update(dict.fromkeys(c.axis for rule in rules for c in rule.tag.sorted))
    return list(columns)

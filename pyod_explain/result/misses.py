"""By how much rows miss rules: failing conditions, then distance, so that the nearest rule of each can be named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.input import Column, Table
from pyod_explain.result.distance import place
from pyod_explain.result.group import Rule
from pyod_explain.result.summary import ColumnFacts, Summary
from pyod_explain.tags import Condition

__all__ = ["Misses", "failing", "misses"]

NOT_ASKED = np.iinfo(np.int64).max  # more than any rule has conditions


@dataclass(frozen=True, eq=False)
class Misses:
    """By how much rows miss rules.

    Attributes
    ----------
    failing : rows by rules: how many conditions of the rule fail.
    distance : rows by rules: how far the row is from meeting these, in typical differences of the columns between
        normals; 1 for each condition on what has no order.
    """

    failing: NDArray[np.int64]
    distance: NDArray[np.float64]

    def nearest(self, among: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Give each row the rule that it misses by least, fewest failing conditions first; -1 where none is asked.

        Parameters
        ----------
        among : rows by rules: True where the rule is asked of the row. Of equally near ones the first is taken.
        """
        if not among.shape[1]:
            return np.full(len(among), -1, dtype=np.intp)
        fails = np.where(among, self.failing, NOT_ASKED)
        fewest = fails == fails.min(axis=1, keepdims=True)
        nearest = np.where(fewest, self.distance, np.inf).argmin(axis=1)
        far = ~fewest[np.arange(len(fewest)), nearest]  # all of them infinitely far away: the first of the fewest
        nearest[far] = fewest[far].argmax(axis=1)
        return np.where(among.any(axis=1), nearest, -1)


def misses(rules: Sequence[Rule], table: Table, summary: Summary) -> Misses:
    """Measure by how much each row misses each rule.

    Parameters
    ----------
    rules : the rules.
    table : the rows, with the columns that the rules name.
    summary : facts on the columns, to weigh a distance in one against a distance in another.
    """
    count = np.zeros((table.n_rows, len(rules)), dtype=np.int64)
    far = np.zeros((table.n_rows, len(rules)))
    for j, rule in enumerate(rules):
        for condition in rule.tag.sorted:
            fails = failing(condition, table)
            count[:, j] += fails
            far[fails, j] += _distances(condition, table[condition.column], summary.facts(condition.axis), fails)
    return Misses(count, far)


def failing(condition: Condition, table: Table) -> NDArray[np.bool_]:
    """Tell for each row whether a condition fails."""
    return ~condition.holds(table[condition.column])


def _distances(
    condition: Condition, column: Column, facts: ColumnFacts, rows: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Distance of these cells from meeting a condition, in typical differences of the column; 1 if unordered."""
    ordered = condition.axis == condition.column and condition.op in ("<", "<=", ">", ">=", "between")
    if not ordered or not column.has_order or column.kind != facts.kind:
        return np.ones(int(rows.sum()))
    ends = condition.value if condition.op == "between" else (condition.value,)
    cells = column.floats()[rows]
    far = np.min([np.abs(cells - place(end, facts)) for end in ends], axis=0) / facts.scale
    return np.where(np.isnan(far), 1.0, far)

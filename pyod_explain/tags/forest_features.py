"""What a forest sees of a table: numbers, whose splits can be said as conditions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.groups import Groups
from pyod_explain.input import Column, Table
from pyod_explain.tags.categories import named_values
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.items import is_category
from pyod_explain.tags.value_counts import ValueCounts, comparable, count_values, value_of

__all__ = ["Feature", "Holds", "Ranks", "forest_features"]


@dataclass(frozen=True, eq=False)
class Ranks:
    """What a forest sees of an ordered column: the ranks of its values, -1 where missing."""

    column: Column
    seen: ValueCounts

    def values(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        ranks = np.searchsorted(self.seen.distinct, comparable(self.column)[rows]).astype(np.float32)
        ranks[self.column.missing[rows]] = -1
        return ranks


@dataclass(frozen=True, eq=False)
class Holds:
    """What a forest sees of a condition: 1 where it holds, else 0.

    `otherwise` says without a negation that it does not hold; None where nothing does.
    """

    column: Column
    condition: Condition
    otherwise: Condition | None = None

    def values(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        return self.condition.holds(self.column)[rows].astype(np.float32)


Feature = Ranks | Holds


def forest_features(table: Table, groups: Groups, categorical: Collection[str]) -> list[Feature]:
    """Give what a forest may split by: the ranks of ordered columns, a condition for each value that may be named."""
    result: list[Feature] = []
    for _, column in sorted(table.columns.items()):  # so that their order decides no tie
        if column.kind == "labels":
            continue
        seen = count_values(column, groups)
        if seen.missing.any() and seen.present.any():
            result.append(Holds(column, Condition(column.name, "missing")))
        if is_category(column, seen, categorical):
            values = [value_of(column, seen, i) for i in named_values(seen)]
            each = [Condition(column.name, "==", value) for value in values]
            if seen.n_distinct <= 2:  # one 0/1 column says both
                result += [Holds(column, is_it, each[0]) for is_it in each[1:]]
            else:
                result += [Holds(column, is_it) for is_it in each]
        elif seen.n_distinct > 1:
            result.append(Ranks(column, seen))
    return result

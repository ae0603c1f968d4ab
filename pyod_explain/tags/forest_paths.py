"""From the paths of a tree to conditions: one for each column, or none where they cannot all hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pyod_explain.tags.condition import Condition
from pyod_explain.tags.forest_features import Feature, Holds, Ranks
from pyod_explain.tags.ordered import between, threshold

__all__ = ["merged", "paths_of"]


def paths_of(tree: Any) -> Iterator[list[tuple[int, int, bool]]]:
    """Give the steps to every node but the root: feature, cut position, and whether to go right."""
    pending: list[tuple[int, list[tuple[int, int, bool]]]] = [(0, [])]
    while pending:
        node, path = pending.pop()
        if path:
            yield path
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left >= 0:
            feature, position = int(tree.feature[node]), int(np.floor(tree.threshold[node])) + 1
            pending.append((left, [*path, (feature, position, False)]))
            pending.append((right, [*path, (feature, position, True)]))


def merged(
    path: Sequence[tuple[int, int, bool]], features: Sequence[Feature], *, negations: bool = True
) -> tuple[Condition, ...]:
    """Say each column's steps in one condition; () if they cannot all hold.

    Without negations, a step to where a condition does not hold is left out, unless it can be said without one.
    """
    conditions: list[Condition] = []
    bounds: dict[int, tuple[int, int]] = {}
    for j, position, right in path:
        feature = features[j]
        if isinstance(feature, Holds):
            said = feature.condition if right else ~feature.condition if negations else feature.otherwise
            conditions += [] if said is None else [said]
        else:
            low, high = bounds.get(j, (0, feature.seen.n_distinct))
            bounds[j] = (max(low, position), high) if right else (low, min(high, position))
    for j, (low, high) in bounds.items():
        feature = features[j]
        if low >= high or isinstance(feature, Holds):
            return ()
        conditions += _range(feature, low, high)
    return tuple(sorted(_merge_categories(conditions), key=lambda condition: condition.sort_key))


def _range(feature: Ranks, low: int, high: int) -> list[Condition]:
    """Say that a value is among the distinct values low, ..., high - 1; nothing if that is all of them."""
    column, seen = feature.column, feature.seen
    if low > 0 and high < seen.n_distinct:
        return [between(column, seen, low, high)]
    if low > 0:
        return [threshold(column, seen, low)[1]]
    return [threshold(column, seen, high)[0]] if high < seen.n_distinct else []


def _merge_categories(conditions: Sequence[Condition]) -> list[Condition]:
    """Let `is` stand for the `is not`s of its column, and join several `is not` into `is none of`."""
    result: list[Condition] = []
    for column in dict.fromkeys(condition.column for condition in conditions):
        mine = list(dict.fromkeys(c for c in conditions if c.column == column))
        settled = [c for c in mine if c.op == "=="]
        others = [c for c in mine if c.op not in ("==", "!=", "present")]
        values = [c.value for c in mine if c.op == "!="]
        if settled:
            result += [*settled[:1], *others]
        elif len(values) > 1:
            result += [Condition(column, "not in", values), *others]
        elif values:
            result += [Condition(column, "!=", values[0]), *others]
        else:  # "not missing" goes without saying where something else is said of the value
            result += others or mine
    return result

"""Items of ordered columns: thresholds in the tails and where a group parts from the normals; intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.table import Column
from pyod_explain.tags import cuts
from pyod_explain.tags.profile import Item, Profile, entropy, gain
from pyod_explain.tags.tag import Condition

__all__ = ["order_items"]

# Percentages of the normals below a threshold. Outliers live in the tails, so most of them are there.
TAILS = (0.0, 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 98.0, 99.0, 100.0)
FEW = 16  # with so few distinct values every one of them is a threshold
DEPTH = 3  # of the tree of supervised cuts


def order_items(column: Column, seen: Profile) -> Iterator[Item]:
    """Give thresholds, and intervals that a group fills more densely than the normals."""
    if seen.n_distinct < 2:
        return
    if seen.n_distinct == 2 and seen.whole and column.kind == "number":
        yield from _two_values(column, seen)
        return
    tails = _tail_positions(seen)
    supervised: set[int] = set()
    intervals: set[tuple[int, int]] = set()
    for group in range(1, len(seen.counts)):
        positions, inside = _tree(seen, group)
        supervised |= positions
        intervals |= inside
    for position in sorted(tails | supervised):
        yield from _threshold(column, seen, position)
    for start, stop in sorted(intervals):
        yield _interval(column, seen, start, stop)


def _two_values(column: Column, seen: Profile) -> Iterator[Item]:
    feature = Condition(column.name, "==", _value(column, seen.distinct[1]))
    for i in (0, 1):
        yield Item(Condition(column.name, "==", _value(column, seen.distinct[i])), seen.counts[:, i], feature)


def _tail_positions(seen: Profile) -> set[int]:
    """Give the positions whose share of normals below comes nearest to each percentage of `TAILS`."""
    last = seen.n_distinct
    if last <= FEW:
        return set(range(1, last))
    below = seen.below[0]
    wanted = np.array(TAILS) / 100 * below[-1]
    right = np.clip(np.searchsorted(below, wanted), 1, last - 1)
    left = np.maximum(right - 1, 1)
    nearest = np.where(wanted - below[left] <= below[right] - wanted, left, right)
    return {int(position) for position in nearest}


def _tree(seen: Profile, group: int) -> tuple[set[int], set[tuple[int, int]]]:
    """Part the values where a group parts from the normals, by information gain, as long as MDLP would.

    Returns the positions of the cuts, and the parts bounded on both sides that are denser in the group.
    """
    cut: set[int] = set()
    inside: set[tuple[int, int]] = set()
    size, normals = seen.below[group][-1], max(int(seen.below[0][-1]), 1)
    pending = [(0, seen.n_distinct, DEPTH)]
    while pending:
        start, stop, depth = pending.pop()
        a = seen.below[group][stop] - seen.below[group][start]
        b = seen.below[0][stop] - seen.below[0][start]
        if 0 < start and stop < seen.n_distinct and a * normals > b * size:
            inside.add((start, stop))
        best = _best_cut(seen, group, start, stop) if depth else None
        if best is not None:
            cut.add(best)
            pending += [(start, best, depth - 1), (best, stop, depth - 1)]
    return cut, inside


def _best_cut(seen: Profile, group: int, start: int, stop: int) -> int | None:
    """Give the cut of greatest gain among the boundaries of the group, or None if it is not worth its bits."""
    members = start + np.flatnonzero(seen.counts[group, start:stop])
    positions = np.unique(np.concatenate([members, members + 1]))  # Fayyad and Irani: the best cut is one of these
    positions = positions[(positions > start) & (positions < stop)]
    if not len(positions):
        return None
    first, last = seen.below[:, start], seen.below[:, stop]
    a, b = float(last[group] - first[group]), float(last[0] - first[0])
    gains = gain(seen.below[group][positions] - first[group], seen.below[0][positions] - first[0], a, b)
    best = int(np.argmax(gains))
    # MDLP: the position among all of the part, and the classes left on both sides, have to be paid for.
    if gains[best] <= price(a, b, len(positions)):
        return None
    return int(positions[best])


def price(a: float, b: float, n: int) -> float:
    return float(np.log2(max(a + b - 1, 1)) + 2)


def _threshold(column: Column, seen: Profile, position: int) -> Iterator[Item]:
    """Give both sides of a cut between two neighbouring values, with the shorter of the two ways to write it."""
    low, high = seen.distinct[position - 1], seen.distinct[position]
    t = cuts.at_least(column, low, high)
    ops: tuple[Any, Any] = ("<", ">=")
    if column.kind == "number":
        other = cuts.at_most(column, low, high)
        if cuts.digits(other) < cuts.digits(t):
            t, ops = other, ("<=", ">")
    feature = Condition(column.name, ops[0], t)
    yield Item(feature, seen.below[:, position], feature.feature)
    yield Item(Condition(column.name, ops[1], t), seen.present - seen.below[:, position], feature.feature)


def _interval(column: Column, seen: Profile, start: int, stop: int) -> Item:
    counts = seen.below[:, stop] - seen.below[:, start]
    if stop - start == 1 and seen.whole and column.kind == "number":
        condition = Condition(column.name, "==", _value(column, seen.distinct[start]))
    else:
        low = cuts.at_least(column, seen.distinct[start - 1], seen.distinct[start])
        high = cuts.at_most(column, seen.distinct[stop - 1], seen.distinct[stop])
        condition = Condition(column.name, "between", (low, high))
    return Item(condition, counts, condition)


def _value(column: Column, value: Any) -> Any:
    plain = value.item()
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain

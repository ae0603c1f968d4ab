"""Items of ordered columns: thresholds in the tails and where a group parts from the normals; intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pyod_explain.input import Column, plain_value
from pyod_explain.tags import cuts
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.value_counts import Item, ValueCounts, gain, value_of

# Percentages of the normals below a threshold. Outliers live in the tails, so most of them are there; 0 and 100
# are the edges of what is normal.
TAIL_PERCENTS = (0.0, 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 98.0, 99.0, 100.0)
MAX_VALUES_ALL_CUT = 16  # with so few distinct values every step between two of them is a threshold
CUT_TREE_DEPTH = 3  # of the tree of supervised cuts
MASS_GAIN_SHARE = 0.95  # share of the best cut's gain that a cut beside a mass must have to be taken in its place
MAX_CUT_PAIRS = 1_000_000  # differences of cuts that are held at once
MIN_MEMBERS_APART = 0.25  # share of a group that must lie between a tail threshold and any other one of the column


def order_items(column: Column, seen: ValueCounts) -> Iterator[Item]:
    """Give thresholds, and intervals that a group fills more densely than the normals.

    A position p stands for the cut between distinct values p - 1 and p.
    """
    if seen.n_distinct < 2:
        return
    if _has_two_numbers(column, seen):
        first, second = sides(column, seen, 1)
        yield from (
            Item(one, counts, second) for one, counts in zip((first, second), seen.counts([0, 1]).T, strict=True)
        )
        return
    supervised: set[int] = set()
    intervals: set[tuple[int, int]] = set()
    for group in range(1, seen.n_groups + 1):
        positions, inside = _tree(seen, group)
        supervised |= positions
        intervals |= inside
    tails = _apart(seen, _tail_positions(seen) - supervised, supervised)
    cut = sorted(supervised | tails)
    for position, under in zip(cut, seen.below(cut).T, strict=True):
        below, above = threshold(column, seen, position)
        yield Item(below, under, below.feature)
        yield Item(above, seen.present - under, below.feature)
    ends = sorted(intervals)
    counts = seen.below([stop for _, stop in ends]) - seen.below([start for start, _ in ends])
    for (start, stop), within in zip(ends, counts.T, strict=True):
        condition = between(column, seen, start, stop)
        yield Item(condition, within, condition.feature)


def threshold(column: Column, seen: ValueCounts, position: int) -> tuple[Condition, Condition]:
    """Say both sides of a cut, in the shorter of the two ways: `< t` and `>= t`, or `<= t` and `> t`.

    Beside a value that very many rows have, t is that value: `fee > 0`, and not `fee >= 0.05`.
    """
    low = seen.distinct[position - 1]
    t = _at_least(column, seen, position)
    ops: tuple[Literal["<", "<="], Literal[">=", ">"]] = ("<", ">=")
    named = [_is_named(column, seen, i) for i in (position - 1, position)]
    if named[0] or (not named[1] and cuts.n_digits(low) < cuts.n_digits(t)):
        # Without a name: what lies above `low` was looked at, so no other cut than `low` itself can be shorter.
        other = _at_most(column, seen, position)
        if cuts.n_digits(other) < cuts.n_digits(t) or not named[1]:
            t, ops = other, ("<=", ">")
    return Condition(column.name, ops[0], t), Condition(column.name, ops[1], t)


def sides(column: Column, seen: ValueCounts, position: int) -> tuple[Condition, Condition]:
    """Say both sides of a cut, or which of two whole numbers a value is."""
    if _has_two_numbers(column, seen):
        first, second = (Condition(column.name, "==", value_of(column, seen, i)) for i in (0, 1))
        return first, second
    return threshold(column, seen, position)


def _has_two_numbers(column: Column, seen: ValueCounts) -> bool:
    return seen.n_distinct == 2 and seen.whole and column.kind == "number"


def between(column: Column, seen: ValueCounts, start: int, stop: int) -> Condition:
    """Say that a value is one of the distinct values start, ..., stop - 1; both positions must be cuts."""
    if stop - start == 1 and column.kind == "number" and (seen.whole or _is_named(column, seen, start)):
        return Condition(column.name, "==", value_of(column, seen, start))
    return Condition(column.name, "between", (_at_least(column, seen, start), _at_most(column, seen, stop)))


def _at_least(column: Column, seen: ValueCounts, position: int) -> Any:
    """Give t such that `>= t` holds from a position on: a value that stands out there, else the shortest number."""
    if _is_named(column, seen, position):
        return plain_value(seen.distinct[position])
    return cuts.at_least(column, seen.distinct[position - 1], seen.distinct[position])


def _at_most(column: Column, seen: ValueCounts, position: int) -> Any:
    """Give t such that `<= t` holds up to a position, likewise."""
    if _is_named(column, seen, position - 1):
        return plain_value(seen.distinct[position - 1])
    return cuts.at_most(column, seen.distinct[position - 1], seen.distinct[position])


def _is_named(column: Column, seen: ValueCounts, i: int) -> bool:
    """Tell whether a cut beside a distinct value is said by that value: it stands out, and a person would name it."""
    return bool(seen.masses[i]) and column.kind == "number" and cuts.nameable(seen.distinct[i])


def _tail_positions(seen: ValueCounts) -> set[int]:
    """Give the positions whose share of normals below comes nearest to each percentage of `TAIL_PERCENTS`."""
    last = seen.n_distinct
    if last <= MAX_VALUES_ALL_CUT:
        return set(range(1, last))
    below = seen.normals_below
    wanted = np.array(TAIL_PERCENTS) / 100 * below[-1]
    right = np.clip(np.searchsorted(below, wanted), 1, last - 1)
    left = np.maximum(right - 1, 1)
    nearest = np.where(wanted - below[left] <= below[right] - wanted, left, right)
    return {int(position) for position in nearest}


def _apart(seen: ValueCounts, tails: set[int], taken: set[int]) -> set[int]:
    """Thin the tails out, the most telling first: no two cuts that part nearly the same members of every group.

    Each threshold makes every tag longer to send, and one that moves few members tells little that is new.
    """
    sizes = seen.present[1:]
    order = np.array(sorted(tails), dtype=np.intp)
    new, old = seen.below(order), seen.below(sorted(taken))[1:]
    told = gain(new[1:], new[0], sizes[:, None], seen.present[0]).max(axis=0, initial=0.0)
    needed = np.maximum(MIN_MEMBERS_APART * sizes, 1)[:, None]
    far_from_old = np.asarray(_far(old, new[1:], needed).all(axis=1))
    far = [set(np.flatnonzero(one).tolist()) for one in _far(new[1:], new[1:], needed)]
    kept: list[int] = []
    for i in np.argsort(-told, kind="stable").tolist():
        if far_from_old[i] and far[i].issuperset(kept):
            kept.append(i)
    return {int(order[i]) for i in kept}


def _far(ones: NDArray[np.int64], others: NDArray[np.int64], needed: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell for each of the others (rows) and each of the ones (columns) whether enough members of a group lie between.

    All are counts of members below a cut, a row per group; some groups at a time, for all may not fit.
    """
    result = np.zeros((others.shape[1], ones.shape[1]), dtype=bool)
    step = max(1, MAX_CUT_PAIRS // max(result.size, 1))
    for start in range(0, len(needed), step):
        part = slice(start, start + step)
        between = np.abs(others[part, :, None] - ones[part, None, :])
        result |= (between >= needed[part, :, None]).any(axis=0)
    return result


def _tree(seen: ValueCounts, group: int) -> tuple[set[int], set[tuple[int, int]]]:
    """Split the values where a group differs from the normals, by information gain, while a cut saves its own bits.

    The best cut is beside the value of a member (Fayyad and Irani); cuts beside masses are tried too.

    Returns the positions of the cuts, and the parts with a cut on both sides that are denser in the group.
    """
    members, masses = seen.members(group), np.flatnonzero(seen.masses)
    positions = np.unique(np.concatenate([[0, seen.n_distinct], members, members + 1, masses, masses + 1]))
    beside = np.isin(positions, [masses, masses + 1])
    inside = seen.members_below(group)[np.searchsorted(members, positions)]
    normal = seen.normals_below[positions]
    size, normals = int(seen.present[group]), max(int(seen.present[0]), 1)
    cut: set[int] = set()
    intervals: set[tuple[int, int]] = set()
    pending = [(0, len(positions) - 1, CUT_TREE_DEPTH)]
    while pending:
        start, stop, depth = pending.pop()
        a, b = int(inside[stop] - inside[start]), int(normal[stop] - normal[start])
        if start > 0 and stop < len(positions) - 1 and a * normals > b * size:
            intervals.add((int(positions[start]), int(positions[stop])))
        here = slice(start + 1, stop)
        if not depth or start + 1 == stop:
            continue
        gains = gain(inside[here] - inside[start], normal[here] - normal[start], float(a), float(b))
        best = int(np.argmax(gains))
        # As MDLP: the place among all rows of the part, and the shares on both sides.
        if gains[best] <= np.log2(max(a + b - 1, 1)) + 2:
            continue
        # A cut beside a mass with nearly the same gain is easier to read: `fee > 0`.
        plainer = np.where(beside[here] & (gains >= MASS_GAIN_SHARE * gains[best]), gains, 0.0)
        best = start + 1 + (int(np.argmax(plainer)) if plainer.any() else best)
        cut.add(int(positions[best]))
        pending += [(start, best, depth - 1), (best, stop, depth - 1)]
    return cut, intervals

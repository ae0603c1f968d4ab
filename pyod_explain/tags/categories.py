"""Items of columns whose values have no order: is, is not, is one of, is rare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyod_explain.code_lengths import log2_binomial
from pyod_explain.input import Column
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.lists import RARE
from pyod_explain.tags.value_counts import Item, ValueCounts, gain, value_of

__all__ = ["category_items", "named_values"]

MAX_VALUES = 40  # values of a column that are named, for the normals and for each group
MOST_NAMED = 2_000  # in all, if groups are many: each value is counted in each group
MAX_NAMED = 5  # values that one condition lists
FEW_RARE = 6  # with fewer rare values than this they can be named instead


def category_items(column: Column, seen: ValueCounts, notes: list[str], *, negations: bool = True) -> Iterator[Item]:
    """Give `is` and `is not` for the frequent values, `is one of` for values of like lift, and `rare`.

    Without negations the common values are not named, so that "none of them" is said as `rare`.
    """
    if seen.n_distinct < 2:
        return
    named = named_values(seen)
    if len(named) < seen.n_distinct:
        notes.append(
            f"Column {column.name!r} has {seen.n_distinct:,} distinct values; only {len(named):,} of them, the most "
            "frequent among the normals and in each group, may be named."
        )
    two = seen.n_distinct == 2
    counts = seen.counts(named)
    for i, having in zip(named, counts.T, strict=True):
        is_it = Condition(column.name, "==", value_of(column, seen, i))
        feature = Condition(column.name, "==", value_of(column, seen, 1)) if two else is_it
        yield Item(is_it, having, feature)
        if not two:  # of two values, "is not the one" is "is the other"
            yield Item(~is_it, seen.present - having, is_it)
    if not two:
        for group in range(1, seen.n_groups + 1):
            yield from _one_of(column, seen, group, named, counts)
        yield from _rare(column, seen, by_name=negations)


def named_values(seen: ValueCounts) -> list[int]:
    """Give the values that are frequent among the normals or in a group; ties go to the first in order."""
    usual = np.flatnonzero(seen.normals)
    members = (seen.frequencies(group) for group in range(1, seen.n_groups + 1))
    place: dict[int, int] = {}  # of a value, in the list that has it first
    for values, counts in ((usual, seen.normals[usual]), *members):
        for i, value in enumerate(values[np.argsort(-counts, kind="stable")[:MAX_VALUES]].tolist()):
            place[value] = min(i, place.get(value, i))
    named = np.cumsum(np.bincount(np.array([*place.values()], dtype=np.intp), minlength=MAX_VALUES))
    share = max(int((named <= MOST_NAMED).sum()), 1)  # how many of each list there is room for
    return sorted(value for value, i in place.items() if i < share)


def _one_of(
    column: Column, seen: ValueCounts, group: int, named: list[int], counts: NDArray[np.int64]
) -> Iterator[Item]:
    """Join values of like lift: of the first 2 to 5 by lift, or from the other end, as many as tell most.

    Less what it takes to name them: else 5 of 500 names would always tell more than one.
    """
    inside, normal = counts[group], counts[0]
    size, normals = float(seen.present[group]), float(seen.present[0])
    lift = (inside + 0.5) / (size + 1) / ((normal + 0.5) / (normals + 1))  # 0.5: a value seen once is no pattern
    ends: tuple[tuple[Literal["in", "not in"], int], ...] = (("in", -1), ("not in", 1))
    for op, sign in ends:
        order = np.argsort(sign * lift, kind="stable")
        order = order[(lift[order] > 1) == (op == "in")][:MAX_NAMED]
        if len(order) < 2 or len(order) >= seen.n_distinct:
            continue
        gains = gain(np.cumsum(inside[order]), np.cumsum(normal[order]), size, normals)
        prices = log2_binomial(seen.n_distinct, np.arange(1, len(order) + 1))
        prices[0] = 0.0  # a single value is a feature of its own, not a list
        n_best = int(np.argmax(gains - prices)) + 1
        if n_best < 2:
            continue
        chosen = np.sort(order[:n_best])
        condition = Condition(column.name, op, [value_of(column, seen, named[i]) for i in chosen])
        having = counts[:, chosen].sum(axis=1)
        holds = having if op == "in" else seen.present - having
        yield Item(condition, holds, condition.feature, float(prices[n_best - 1]))


def _rare(column: Column, seen: ValueCounts, *, by_name: bool) -> Iterator[Item]:
    """Say that a value is none of the common ones, where rare ones are too many to name; by name if they are few."""
    common = seen.total >= RARE * seen.total.sum()
    if common.any() and int((~common).sum()) >= FEW_RARE:
        values = [value_of(column, seen, int(i)) for i in np.flatnonzero(common)]
        op: Literal["rare", "not in"] = "not in" if by_name and len(values) <= MAX_NAMED else "rare"
        condition = Condition(column.name, op, values)
        usual = seen.counts(np.flatnonzero(common)).sum(axis=1)
        yield Item(condition, seen.present - usual, condition.feature)

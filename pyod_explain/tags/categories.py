"""Items of columns whose values have no order: is, is not, is one of, is rare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.table import Column
from pyod_explain.tags.profile import Item, Profile, gain
from pyod_explain.tags.tag import Condition

__all__ = ["category_items"]

MAX_VALUES = 40  # values of a column that are named, for the normals and for each group
MAX_NAMED = 5  # values that one condition lists
RARE = 0.01  # a value is rare if its share of all rows is below this
FEW_RARE = 6  # with fewer rare values than this they can be named instead


def category_items(column: Column, seen: Profile, notes: list[str]) -> Iterator[Item]:
    """Give `is` and `is not` for the frequent values, `is one of` for values of like lift, and `rare`."""
    if seen.n_distinct < 2:
        return
    values = _values(column, seen)
    named = _named_values(seen)
    if len(named) < seen.n_distinct:
        notes.append(
            f"Column {column.name!r} has {seen.n_distinct:,} distinct values; the {len(named):,} most frequent ones "
            "among the normals and in each group were considered by name."
        )
    two = seen.n_distinct == 2
    for i in named:
        is_it = Condition(column.name, "==", values(i))
        feature = Condition(column.name, "==", values(1)) if two else is_it
        yield Item(is_it, seen.counts[:, i], feature)
        if not two:
            yield Item(~is_it, seen.present - seen.counts[:, i], is_it)
    if not two:
        for group in range(1, len(seen.counts)):
            yield from _one_of(column, seen, group, named, values)
        yield from _rare(column, seen, values)


def _values(column: Column, seen: Profile) -> Any:
    def value(i: int) -> Any:
        plain = seen.distinct[i].item()
        if column.kind in ("category", "boolean"):
            return column.categories[plain]
        return int(plain) if isinstance(plain, float) and plain.is_integer() else plain

    return value


def _named_values(seen: Profile) -> list[int]:
    """Give the values that are frequent among the normals or in a group; ties go to the first in order."""
    chosen: set[int] = set()
    for counts in seen.counts:
        most = np.argsort(-counts, kind="stable")[:MAX_VALUES]
        chosen.update(int(i) for i in most if counts[i])
    return sorted(chosen)


def _one_of(column: Column, seen: Profile, group: int, named: list[int], values: Any) -> Iterator[Item]:
    """Join values of like lift: of the first 2 to 5 by lift (or by the lack of it), those that tell most."""
    where = np.array(named)
    inside, normal = seen.counts[group, where], seen.counts[0, where]
    size, normals = float(seen.present[group]), float(seen.present[0])
    lift = (inside + 0.5) / (size + 1) / ((normal + 0.5) / (normals + 1))
    for op, order in (("in", np.argsort(-lift, kind="stable")), ("not in", np.argsort(lift, kind="stable"))):
        order = order[(lift[order] > 1) == (op == "in")][:MAX_NAMED]
        if len(order) < 2 or len(order) >= seen.n_distinct:
            continue
        gains = gain(np.cumsum(inside[order]), np.cumsum(normal[order]), size, normals)
        n_best = int(np.argmax(gains)) + 1
        if n_best < 2:
            continue
        chosen = where[order[:n_best]]
        condition = Condition(column.name, op, [values(int(i)) for i in chosen])  # type: ignore[arg-type]  # of the tuple
        counts = seen.counts[:, chosen].sum(axis=1)
        yield Item(condition, counts if op == "in" else seen.present - counts, condition.feature)


def _rare(column: Column, seen: Profile, values: Any) -> Iterator[Item]:
    total = seen.counts.sum(axis=0)
    common = total >= RARE * total.sum()
    if common.any() and int((~common).sum()) >= FEW_RARE:
        condition = Condition(column.name, "rare", [values(int(i)) for i in np.flatnonzero(common)])
        yield Item(condition, seen.counts[:, ~common].sum(axis=1), condition)

"""`Itemsets`: frequent combinations of items among a group's outliers, mined with mlxtend."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from pyod_explain._optional import optional
from pyod_explain._validate import check_choice, check_int, check_number
from pyod_explain.bits import Words, count, pack
from pyod_explain.groups import Groups
from pyod_explain.table import Table
from pyod_explain.tags.items import Items, find_items
from pyod_explain.tags.maker import TagSet
from pyod_explain.tags.profile import gain
from pyod_explain.tags.tag import Tag

__all__ = ["Itemsets"]

logger = logging.getLogger("pyod_explain")
ALGORITHMS = ("fpgrowth", "hmine", "apriori")


class Itemsets(BaseEstimator):
    """Tags that are frequent combinations of conditions among the outliers of a group.

    Parameters
    ----------
    max_length : most conditions of a tag.
    min_support : share of a group that a tag must reach, in (0, 1].
    min_lift : how many times more frequent than among the normals an item or tag must be in a group.
    max_tags : most tags kept for a group.
    max_items : most conditions that are combined for a group.
    categorical : names of columns whose numbers are codes.
    algorithm : mlxtend's `"fpgrowth"`, `"hmine"` or `"apriori"`; they find the same itemsets.
    """

    def __init__(
        self,
        max_length: int = 3,
        min_support: float = 0.05,
        min_lift: float = 1.5,
        max_tags: int = 2000,
        *,
        max_items: int = 40,
        categorical: Collection[str] = (),
        algorithm: str = "fpgrowth",
    ) -> None:
        self.max_length = max_length
        self.min_support = min_support
        self.min_lift = min_lift
        self.max_tags = max_tags
        self.max_items = max_items
        self.categorical = categorical
        self.algorithm = algorithm

    def make(self, table: Table, groups: Groups) -> TagSet:
        """Mine the tags of every group and put them together."""
        max_length = check_int("Itemsets", "max_length", self.max_length, low=1)
        min_support = check_number("Itemsets", "min_support", self.min_support, low=0, high=1, open_low=True)
        min_lift = check_number("Itemsets", "min_lift", self.min_lift, low=0)
        max_tags = check_int("Itemsets", "max_tags", self.max_tags, low=1)
        max_items = check_int("Itemsets", "max_items", self.max_items, low=1)
        check_choice("Itemsets", "algorithm", self.algorithm, among=ALGORITHMS)
        items = find_items(table, groups, categorical=self.categorical)
        notes = list(items.notes)
        tags: dict[Tag, None] = {}
        normal = groups.numbers == 0
        for group in range(1, groups.n_groups + 1):
            rows = np.flatnonzero(groups.numbers == group)
            kept = items.relevant(group, min_support=min_support, min_lift=min_lift)
            kept = _most_telling(items, kept, group, max_items)
            if not len(kept):
                continue
            conditions = [items.conditions[i] for i in kept]
            masks = np.array([c.holds(table[c.column]) for c in conditions])
            inside, outside = masks[:, rows], pack(masks[:, normal])
            sets = _mine(inside, conditions, min_support, max_length, self.algorithm)
            chosen = _select(sets, pack(inside), outside, len(rows), int(normal.sum()), min_lift, max_tags)
            if len(chosen) == max_tags:
                notes.append(f"Group {group}: kept the {max_tags:,} most telling of {len(sets):,} itemsets.")
                logger.info(notes[-1])
            tags.update((Tag(frozenset(conditions[i] for i in one)), None) for one in chosen)
        return TagSet(tuple(tags), len(items.features), tuple(notes), features=items.features)


def _most_telling(items: Items, kept: NDArray[np.intp], group: int, most: int) -> NDArray[np.intp]:
    bits = gain(items.counts[kept, group], items.counts[kept, 0], float(items.totals[group]), float(items.totals[0]))
    return np.sort(kept[np.argsort(-bits, kind="stable")[:most]])


def _mine(
    inside: NDArray[np.bool_], conditions: Sequence[Any], min_support: float, max_length: int, algorithm: str
) -> list[tuple[int, ...]]:
    patterns = optional("mlxtend.frequent_patterns", "to mine itemsets")
    frame = pd.DataFrame(inside.T)
    found = getattr(patterns, algorithm)(frame, min_support=min_support, max_len=max_length)
    place = [(c.column, c.part, c.direction) for c in conditions]
    sets = []
    for one in found["itemsets"]:
        members = tuple(sorted(one))
        if len({place[i] for i in members}) == len(members):
            sets.append(members)
    return sorted(sets, key=lambda one: (len(one), one))


def _select(
    sets: list[tuple[int, ...]], inside: Words, outside: Words, size: int, normals: int, min_lift: float, most: int
) -> list[tuple[int, ...]]:
    if not sets:
        return []
    width = max(map(len, sets))
    members = np.array([(*one, *[one[0]] * (width - len(one))) for one in sets])
    covers, a, b = [], [], []
    for one in members:
        cover = np.bitwise_and.reduce(inside[one], axis=0)
        covers.append(cover.tobytes())
        a.append(int(count(cover)))
        b.append(int(count(np.bitwise_and.reduce(outside[one], axis=0))))
    in_group, in_normal = np.array(a), np.array(b)
    lengths = np.array([len(one) for one in sets])
    good = np.flatnonzero(in_group * max(normals, 1) > min_lift * size * in_normal)
    order = good[np.lexsort((good, in_normal[good], lengths[good]))]
    best: dict[bytes, int] = {}
    for i in order:
        best.setdefault(covers[i], int(i))
    kept = np.array(sorted(best.values()), dtype=np.intp)
    bits = gain(in_group[kept], in_normal[kept], size, normals)
    kept = np.sort(kept[np.argsort(-bits, kind="stable")[:most]])
    return [sets[i] for i in kept]

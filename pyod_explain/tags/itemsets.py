"""`Itemsets`: combinations of conditions that are frequent among a group's outliers, mined with mlxtend."""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from pyod_explain._optional import optional
from pyod_explain._validate import check_choice, check_int, check_number
from pyod_explain.groups import Groups
from pyod_explain.table import Table
from pyod_explain.tags.choose import Evidence, choose
from pyod_explain.tags.items import Items, find_items
from pyod_explain.tags.maker import TagSet
from pyod_explain.tags.tag import Condition, Tag

__all__ = ["Itemsets"]

logger = logging.getLogger("pyod_explain")
ALGORITHMS = ("apriori", "hmine", "fpgrowth")
MINING_CELLS = 4_000_000  # candidates by rows that mlxtend may hold at once
Place = tuple[str, str | None, str]


class Itemsets(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Tags that are combinations of conditions, frequent in a group and more so than among the normals.

    Parameters
    ----------
    max_length : most conditions of a tag.
    min_support : share of a group that a tag must reach, in (0, 1].
    min_lift : a tag's share of the group must be more than this many times its share of the normals.
    max_tags : most tags kept for a group: the best few of every outlier, then those that save most bits.
    max_items : most conditions that are combined for a group.
    categorical : names of columns whose numbers are codes.
    algorithm : mlxtend's `"apriori"` (the fastest on the few rows of a group), `"hmine"` or `"fpgrowth"`. They find the
        same itemsets.

    Examples
    --------
    >>> from pyod_explain.table import as_table
    >>> X = pd.DataFrame({"age": [20, 31, 33, 47] * 50 + [90, 95], "sex": list("fm") * 101})
    >>> groups = Groups(np.array([0] * 200 + [1] * 2), ("1",), "given")
    >>> made = Itemsets().make(as_table(X), groups)
    >>> made.tags[0], made.n_items
    (Tag(age >= 50), 3)
    """

    def __init__(
        self,
        max_length: int = 3,
        min_support: float = 0.05,
        min_lift: float = 1.0,
        max_tags: int = 1000,
        *,
        max_items: int = 40,
        categorical: Collection[str] = (),
        algorithm: str = "apriori",
    ) -> None:
        self.max_length = max_length
        self.min_support = min_support
        self.min_lift = min_lift
        self.max_tags = max_tags
        self.max_items = max_items
        self.categorical = categorical
        self.algorithm = algorithm

    def make(self, table: Table, groups: Groups) -> TagSet:
        """Find the items, mine each group for combinations of them, and put the tags of all groups together."""
        self._check()
        items = find_items(table, groups, categorical=self.categorical)
        notes = list(items.notes)
        tags: dict[Tag, None] = {}
        for group in range(1, groups.n_groups + 1):
            tags.update(dict.fromkeys(self._mine_group(items, table, groups, group, notes)))
        for note in notes:
            logger.info(note)
        return TagSet(tuple(tags), len(items.features), tuple(notes), features=items.features)

    def _check(self) -> None:
        check_int("Itemsets", "max_length", self.max_length, low=1)
        check_number("Itemsets", "min_support", self.min_support, low=0, high=1, open_low=True)
        check_number("Itemsets", "min_lift", self.min_lift, low=0)
        check_int("Itemsets", "max_tags", self.max_tags, low=1)
        check_int("Itemsets", "max_items", self.max_items, low=1)
        check_choice("Itemsets", "algorithm", self.algorithm, among=ALGORITHMS)

    def _mine_group(self, items: Items, table: Table, groups: Groups, group: int, notes: list[str]) -> list[Tag]:
        relevant = items.relevant(group, min_support=self.min_support, min_lift=self.min_lift)
        relevant = _purest_of_equal(items, relevant, group)
        kept = _most_telling(items, relevant, group, self.max_items)
        if len(kept) < len(relevant):
            notes.append(
                f"Group {group}: combined the {len(kept):,} most telling of {len(relevant):,} conditions "
                f"(max_items={self.max_items:,})."
            )
        if not len(kept):
            notes.append(
                f"Group {group}: no condition holds for at least {self.min_support:.0%} of the group and more than "
                f"{self.min_lift:g} times as often as among the normals (min_support, min_lift)."
            )
            return []
        conditions = [items.conditions[i] for i in kept]
        evidence = Evidence.of(conditions, table, groups, group)
        sets, lengths = _frequent(evidence.inside, self.min_support, self.max_length, self.algorithm)
        apart = _in_different_places(sets, lengths, [_place(condition) for condition in conditions])
        sets, lengths = sets[apart], lengths[apart]
        chosen, n_found = choose(
            sets, lengths, evidence, n_items=len(items.features), min_lift=self.min_lift, most=self.max_tags
        )
        if n_found > len(chosen):
            notes.append(
                f"Group {group}: kept the {len(chosen):,} itemsets that save most bits of {n_found:,} "
                f"(max_tags={self.max_tags:,})."
            )
        return [Tag(frozenset(conditions[i] for i in sets[one])) for one in chosen]


def _place(condition: Condition) -> Place:
    """Tell where a condition speaks: a tag has at most one per column and direction."""
    return condition.column, condition.part, condition.direction


def _purest_of_equal(items: Items, kept: NDArray[np.intp], group: int) -> NDArray[np.intp]:
    """Of thresholds on one side of a column that have the same members of the group, keep the tightest.

    They are nested, so equal counts are equal members, and whatever the looser one says the tighter says better.
    """
    best: dict[tuple[Place, int], int] = {}
    others: list[int] = []
    for i in kept:
        condition = items.conditions[i]
        if condition.direction == "is":
            others.append(int(i))
            continue
        key = (_place(condition), int(items.counts[i, group]))
        if key not in best or items.counts[i, 0] < items.counts[best[key], 0]:
            best[key] = int(i)
    return np.array(sorted([*best.values(), *others]), dtype=np.intp)


def _most_telling(items: Items, kept: NDArray[np.intp], group: int, most: int) -> NDArray[np.intp]:
    """Keep the conditions that tell most; the second best of a column and direction counts half, the third a third.

    Without that, near copies of one threshold would fill the list and leave no room for other columns.
    """
    gains = items.gains(group)[kept]
    worth = np.empty(len(kept))
    seen: dict[Place, int] = {}
    for i in np.argsort(-gains, kind="stable"):
        place = _place(items.conditions[kept[i]])
        seen[place] = seen.get(place, 0) + 1
        worth[i] = gains[i] / seen[place]
    return np.sort(kept[np.argsort(-worth, kind="stable")[:most]])


def _frequent(
    inside: NDArray[np.bool_], min_support: float, max_length: int, algorithm: str
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Mine a table of conditions by outliers for the combinations that reach the support, in a fixed order.

    Returns a row of positions for each, padded to one width by repeating the first, and their lengths.
    """
    patterns = optional("mlxtend.frequent_patterns", "to mine itemsets")
    n_items, n_rows = inside.shape
    options: dict[str, Any] = {}
    if algorithm == "apriori":  # its fast way holds all candidates of a length by all rows, three bytes a cell
        options["low_memory"] = math.comb(n_items, min(max_length, n_items // 2)) * n_rows > MINING_CELLS
    least = max(min_support - 1e-9, 1 / n_rows)  # 0.15 * 20 must mean 3 rows, whatever 3 / 20 is in floats
    rows = pd.DataFrame(np.ascontiguousarray(inside.T))
    found = getattr(patterns, algorithm)(rows, min_support=least, max_len=max_length, **options)
    by_length: dict[int, list[frozenset[int]]] = {}
    for one in found["itemsets"]:
        by_length.setdefault(len(one), []).append(one)
    width = max(by_length, default=1)
    blocks = [np.empty((0, width), dtype=np.intp)]
    for length, sets in sorted(by_length.items()):
        flat = np.fromiter(itertools.chain.from_iterable(sets), dtype=np.intp, count=length * len(sets))
        block = np.sort(flat.reshape(-1, length), axis=1)
        block = block[np.lexsort(block.T[::-1])]
        blocks.append(np.hstack([block, np.repeat(block[:, :1], width - length, axis=1)]))
    lengths = np.repeat(sorted(by_length), [len(by_length[length]) for length in sorted(by_length)])
    return np.concatenate(blocks), lengths.astype(np.int64)


def _in_different_places(
    sets: NDArray[np.intp], lengths: NDArray[np.int64], places: Sequence[Place]
) -> NDArray[np.bool_]:
    """Tell which sets have no two members that speak of one column in one direction."""
    number = {place: i for i, place in enumerate(dict.fromkeys(places))}
    place = np.array([number[one] for one in places])[sets]
    apart = np.ones(len(sets), dtype=bool)
    for i in range(sets.shape[1]):
        for j in range(i + 1, sets.shape[1]):
            apart &= (place[:, i] != place[:, j]) | (j >= lengths)
    return apart

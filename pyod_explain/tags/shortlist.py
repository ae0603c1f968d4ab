"""`Shortlist`: the conditions that tell most of each group, found in one pass over the columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.input import Relation
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.items import Items
from pyod_explain.tags.value_counts import gain

__all__ = ["Place", "Shortlist", "place_of"]

Place = tuple[str | Relation, str | None, str]
Keys = tuple[NDArray[Any], ...]
PAIRS = 500_000  # of a condition and a group, held before the list is cut to length


class Shortlist:
    """The conditions of each group that tell most of it, so far.

    Of thresholds on one side of a column that have the same members of the group only the tightest counts: they are
    nested, so equal counts are equal members, and whatever the looser one says the tighter says better. The second
    best of a column and side is worth half, the third a third: without that, near copies of one threshold would
    fill the list and leave no room for other columns. A list of values is worth what it tells less what it takes to
    name them.

    Parameters
    ----------
    n_groups : number of groups.
    most : conditions kept for a group.
    min_support, min_lift : what makes a condition relevant to a group.
    """

    def __init__(self, n_groups: int, most: int, min_support: float, min_lift: float) -> None:
        self.most = most
        self.min_support = min_support
        self.min_lift = min_lift
        self.n_relevant = np.zeros(n_groups + 1, dtype=np.int64)
        self._conditions: list[Condition] = []
        self._group = np.empty(0, dtype=np.intp)
        self._number = np.empty(0, dtype=np.intp)
        self._worth = np.empty(0)
        self._short = True

    def add(self, items: Items) -> None:
        """Consider the conditions of some more columns: all of a column at once."""
        item, group = items.relevant(min_support=self.min_support, min_lift=self.min_lift)
        places: dict[Place, int] = {}
        place = np.array([places.setdefault(place_of(c), len(places)) for c in items.conditions], dtype=np.intp)
        ordered = np.array([c.side != "is" for c in items.conditions], dtype=bool)
        inside, normal = items.counts[item, group], items.counts[item, 0]
        tightest = _first_of_equal((item, normal), (np.where(ordered[item], -1, item), inside, place[item], group))
        item, group, inside, normal = (part[tightest] for part in (item, group, inside, normal))
        gains = gain(inside, normal, items.totals[group], items.totals[0])
        gains = np.maximum(gains - items.list_bits[item], 0.0)
        worth = gains / _rank((item, -gains), (place[item], group))
        self.n_relevant += np.bincount(group, minlength=len(self.n_relevant))
        self._group = np.concatenate([self._group, group])
        self._number = np.concatenate([self._number, item + len(self._conditions)])
        self._worth = np.concatenate([self._worth, worth])
        self._conditions += items.conditions
        self._short = False
        if len(self._group) > PAIRS:
            self._shorten()

    def best(self, group: int) -> tuple[list[Condition], NDArray[np.float64]]:
        """Give the conditions kept for a group (1..K), in the order in which they were found, and their worth."""
        if not self._short:
            self._shorten()
        start, stop = np.searchsorted(self._group, [group, group + 1])
        return [self._conditions[i] for i in self._number[start:stop]], self._worth[start:stop]

    def _shorten(self) -> None:
        """Keep the best of each group, sorted by group, then in the order in which they were found."""
        kept = np.flatnonzero(_rank((self._number, -self._worth), (self._group,)) <= self.most)
        kept = kept[np.lexsort((self._number[kept], self._group[kept]))]
        self._group, self._number, self._worth = self._group[kept], self._number[kept], self._worth[kept]
        self._short = True


def place_of(condition: Condition) -> Place:
    """Tell where a condition speaks: a tag has at most one per column and side."""
    return condition.column, condition.part, condition.side


def _first_of_equal(order: Keys, equal: Keys) -> NDArray[np.intp]:
    """Give the positions of the entries that come first, by `order` (last key first), among those of equal keys."""
    return np.flatnonzero(_rank(order, equal) == 1)


def _rank(order: Keys, equal: Keys) -> NDArray[np.intp]:
    """Count each entry's place, 1, 2, ..., by `order` (last key first) among the entries of equal keys.

    >>> _rank((np.array([3, 1, 2]),), (np.array([0, 0, 1]),)).tolist()
    [2, 1, 1]
    """
    by = np.lexsort((*order, *equal))
    new = np.ones(len(by), dtype=bool)
    if len(by):
        new[1:] = np.any([key[by][1:] != key[by][:-1] for key in equal], axis=0)
    starts = np.flatnonzero(new)
    ranks = np.empty(len(by), dtype=np.intp)
    ranks[by] = np.arange(len(by)) - np.repeat(starts, np.diff([*starts, len(by)])) + 1
    return ranks

"""`Grower`: tags that would lower what is minimised, given the current selection."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage
from pyod_explain.explainers import Explainer
from pyod_explain.groups import Groups
from pyod_explain.growth.description import Description
from pyod_explain.growth.grid import Line, lines, most_telling
from pyod_explain.growth.pool import Pool
from pyod_explain.input import Table, sample_rows
from pyod_explain.tags import Condition, Itemsets, Shortlist, Tag, TagSet

__all__ = ["Grower"]

NORMALS, OUTLIERS = 20_000, 5_000  # rows that rules are grown on, at most; selection counts all of them
FEWEST = 50  # of the outliers of a group
NEW_CONDITIONS = 80  # on columns without order, for a group
ROUNDS = 3  # of growing and choosing


class Grower:
    """Finds tags that would lower what is minimised, given what is chosen.

    Parameters
    ----------
    table, groups : the rows; of many a sample is taken, whose rows stand for all.
    maker : tells how long a rule may be, and finds conditions on columns without order.
    explainer : tells what is minimised; one that `grows`.
    random_state : seed of the sample.
    """

    def __init__(
        self,
        table: Table,
        groups: Groups,
        *,
        maker: Itemsets,
        explainer: Explainer,
        random_state: int,
    ) -> None:
        self._table, groups = _sample(table, groups, random_state)
        self._groups = replace(groups, copies=self._table.copies)
        scaled, self._rows = explainer.on_scale(Coverage.from_tags(self._table, [], self._groups))
        self._lines = lines(self._table, self._groups, self._rows, maker.categorical)
        self._maker = maker
        self._aim = scaled.aim
        self._min_lift = explainer.min_lift
        self._looked: set[tuple[str, int] | Condition] = set()
        self._seen: list[list[frozenset[Tag]]] = []
        self._rounds = 0

    def grow(self, tags: TagSet, rules: Sequence[Sequence[Tag]]) -> TagSet:
        """Give the tags with those added, at the end, that would lower what is minimised.

        Every condition that was looked at counts in `n_items`, also those that no tag has.

        Parameters
        ----------
        tags : what there is to choose from.
        rules : what is chosen of it, for each group.
        """
        said = [frozenset(one) for one in rules]
        if said in self._seen or self._rounds == ROUNDS:
            return tags
        self._rounds += 1
        self._seen.append(said)
        chosen = _numbered(rules)
        flat = [tag for one in rules for tag in one]
        coverage = self._rows.with_tags(self._table, flat, tags.n_items)
        marks = [coverage.outlier_mask(self._aim(coverage, chosen, k).own, k) for k in range(coverage.n_groups)]
        conditions = self._conditions(tags, coverage, marks)
        pool, cuts = Pool.of(conditions, self._table, coverage), self._cut(np.concatenate(marks))
        n_items = max(tags.n_items, len(self._looked | tags.features))
        description = Description(
            partial(pool.for_group, cuts=cuts, coverage=coverage),
            replace(coverage, n_items=n_items),
            chosen,
            self._aim,
            max_length=self._maker.max_length,
            min_lift=self._min_lift,
        )
        grown = description.grow()
        self._seen.append(description.rules(flat))  # growing ended with these: it finds nothing more to say
        return replace(tags, tags=tuple(dict.fromkeys((*tags.tags, *grown))), n_items=n_items)

    def _cut(self, open_outliers: NDArray[np.bool_]) -> list[tuple[Line, NDArray[np.int64]]]:
        """Choose cuts of the ordered columns; of many columns those that tell most of what is not covered."""
        cut = [(line, line.positions(open_outliers)) for line in self._lines]
        self._looked |= {(line.column.name, position) for line, found in cut for position in found.tolist()}
        return most_telling(cut, open_outliers)

    def _conditions(self, tags: TagSet, coverage: Coverage, marks: Sequence[NDArray[np.bool_]]) -> list[Condition]:
        """Give the conditions of the tags, and of columns without order those that tell most of what is not covered."""
        numbers = np.where(self._groups.numbers == 0, 0, -1)
        for k, mark in enumerate(marks):
            numbers[coverage.group_rows[k][mark]] = k + 1
        found = Shortlist(len(marks), NEW_CONDITIONS, 0.0, self._min_lift)
        for items in self._maker.items(self._table, replace(self._groups, numbers=numbers), ordered=False):
            found.add(items)
            self._looked |= items.features
        fresh = [condition for k in range(len(marks)) for condition in found.best(k + 1)[0]]
        return [*(condition for tag in tags.tags for condition in tag.sorted), *fresh]


def _numbered(rules: Sequence[Sequence[Tag]]) -> list[list[int]]:
    """Number the rules of all groups, one after the other."""
    ends = np.cumsum([0, *(len(one) for one in rules)]).tolist()
    return [list(range(start, stop)) for start, stop in itertools.pairwise(ends)]


def _sample(table: Table, groups: Groups, random_state: int) -> tuple[Table, Groups]:
    """Take a sample of many rows; each of those that are left stands for several."""
    kept, stand = [], []
    n_outliers = max(int((groups.numbers > 0).sum()), 1)
    for k in range(groups.n_groups + 1):
        rows = np.flatnonzero(groups.numbers == k)
        # A group has its share of the outliers; a small one a few more, so that it is not lost.
        most = NORMALS if k == 0 else max(OUTLIERS * len(rows) // n_outliers, FEWEST)
        drawn = sample_rows(table, rows, most, random_state)
        kept.append(drawn)
        stand.append(np.full(len(drawn), round(len(rows) / max(len(drawn), 1)), dtype=np.int64))
    rows, times = np.concatenate(kept), np.concatenate(stand)
    if (times == 1).all() and len(rows) == table.n_rows:
        return table, groups
    order = np.argsort(rows)
    rows, times = rows[order], times[order]
    small = table.take(rows)
    if (times > 1).any():
        small = replace(small, copies=times if small.copies is None else times * small.copies)
    return small, replace(groups, numbers=groups.numbers[rows])

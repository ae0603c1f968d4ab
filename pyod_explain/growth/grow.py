"""`Grower`: candidates from several starts, and rules that would lower the objective given the current selection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import named_bits
from pyod_explain.explainers import Explainer, MarginalObjective, PartObjective
from pyod_explain.growth.description import Conjunction, Description
from pyod_explain.growth.pool import Conditions, Pool, most_informative, rank_columns
from pyod_explain.growth.trees import tree_rules
from pyod_explain.input import Groups, Table, sample_rows
from pyod_explain.solvers import Chosen
from pyod_explain.tags import Condition, Itemsets, Prices, Relation, Shortlist, Tag, TagSet

MAX_GROWTH_NORMALS, MAX_GROWTH_OUTLIERS = 20_000, 5_000  # rows that rules are grown on; selection counts all
MIN_GROWTH_OUTLIERS = 50  # of the outliers of a group
MAX_NEW_CONDITIONS = 80  # on columns without order, for a group
MAX_PART_CONDITIONS = 20  # likewise, for a part of its outliers
MAX_GROWTH_ROUNDS = 3  # of growing and choosing
MAX_STARTED_GROUPS = 8  # with more groups than this there is one start for each
# What a matched normal costs in a start, in outliers missed: rules that match none come first, or wide ones.
MATCHED_COSTS = (1.0, 0.1)
PART_WIDTH = 1


class Grower:
    """Finds rules that describe the outliers, and better ones given what is chosen.

    Parameters
    ----------
    table, groups : the rows; of many a sample is taken, whose rows stand for all.
    parts : other splits of the outliers, whose parts are described, too.
    maker : tells how long a rule may be, and finds conditions on columns without order.
    explainer : tells what is minimised; one that `supports_growth`.
    relations : relations of two columns that rules may use.
    random_state : seed of the sample.
    """

    def __init__(
        self,
        table: Table,
        groups: Groups,
        *,
        parts: Iterable[Groups] = (),
        maker: Itemsets,
        explainer: Explainer,
        relations: Iterable[Relation] = (),
        random_state: int,
    ) -> None:
        self._prices = Prices(table)
        rows, self._table = _sample(table, groups, random_state)
        self._groups = replace(groups, numbers=groups.numbers[rows])
        self._parts = [replace(one, numbers=one.numbers[rows]) for one in parts]
        self._rows = Coverage.from_tags(self._table, [], self._groups, prices=self._prices)
        self._ranked = rank_columns(self._table, self._groups, self._rows, maker.categorical, relations)
        self._n_columns = sum(isinstance(line.term, str) for line in self._ranked)
        self._conditions = Conditions(self._table, self._rows, self._ranked, self._prices)
        self._maker = maker
        self._limits = {"max_length": maker.max_length, "min_lift": explainer.min_lift}
        self._objective = explainer.marginal_objective
        self._looked: set[tuple[str, int] | Condition] = set()
        self._seen: list[list[frozenset[Tag]]] = []
        self._others: dict[Condition, None] = {}  # conditions that are no cuts
        self._rounds = 0

    # --- candidates -----------------------------------------------------------------------------------------------

    def start(self, tags: TagSet) -> TagSet:
        """Give the tags with the rules that several starts find added at the end.

        The starts: rules that lower the objective; rules that match no normal first; wide rules first; rules for parts
        of the outliers; paths of trees. Each start describes the outliers of each group anew.

        Parameters
        ----------
        tags : what there is to choose from.
        """
        found: dict[Tag, None] = dict.fromkeys(tags.tags)
        missed = named_bits(self._rows) / max(self._rows.n_outliers, 1)
        self._find_others(self._groups, MAX_NEW_CONDITIONS)
        for split in self._parts:
            self._find_others(split, MAX_PART_CONDITIONS)
        for k in range(self._rows.n_groups):
            part = self._members(k)
            pool = self._pool(k, [part])
            self._run(k, pool, self._objective, found)
            if self._rows.n_groups > MAX_STARTED_GROUPS:
                continue
            plain = pool.take(np.flatnonzero(pool.line < self._n_columns))
            for cost in MATCHED_COSTS:
                objective = partial(PartObjective, part=part, missed=missed, matched=cost * missed)
                self._run(k, plain, objective, found)
            self._run_parts(k, missed, found)
            found.update(dict.fromkeys(self._trees(k, pool)))
        n_items = max(tags.n_items, len(self._looked | tags.features))
        return replace(tags, tags=tuple(found), n_items=n_items)

    def _run_parts(self, k: int, missed: float, found: dict[Tag, None]) -> None:
        for split in self._parts:
            for number in range(1, split.n_groups + 1):
                part = self._members(k, split.numbers == number)
                if self._rows.count_outliers(part):
                    objective = partial(PartObjective, part=part, missed=missed, matched=missed)
                    self._run(k, self._pool(k, [part]), objective, found, width=PART_WIDTH)

    def _run(
        self,
        k: int,
        pool: Pool,
        objective: Callable[[Coverage, Chosen, int], MarginalObjective],
        found: dict[Tag, None],
        **options: int,
    ) -> None:
        empty: list[list[Conjunction]] = [[] for _ in range(self._rows.n_groups)]
        description = Description(self._rows, empty, objective, **self._limits)
        description.add_rules(k, pool, **options)
        found.update(dict.fromkeys(one.tag for one in description.seen))

    def _trees(self, k: int, pool: Pool) -> list[Tag]:
        return tree_rules(self._ranked, pool, self._rows, k, self._limits["max_length"], negations=self._maker.negations)

    # --- improvements ---------------------------------------------------------------------------------------------

    def improve(self, tags: TagSet, rules: Sequence[Sequence[Tag]]) -> tuple[TagSet, list[list[Tag]]]:
        """Give the tags with those added, at the end, that would lower what is minimised, and the better rules.

        Every condition that was looked at counts in `n_items`, also those that no tag has.

        Parameters
        ----------
        tags : what there is to choose from.
        rules : what is chosen of it, for each group.
        """
        said = [frozenset(one) for one in rules]
        if said in self._seen or self._rounds == MAX_GROWTH_ROUNDS:
            return tags, [list(one) for one in rules]
        self._rounds += 1
        self._seen.append(said)
        conjunctions = [[self._conjunction(tag) for tag in one] for one in rules]
        left = np.where(self._groups.numbers == 0, 0, -1)
        for rows, own, covered in zip(self._rows.group_rows, range(self._rows.n_groups), conjunctions, strict=True):
            outliers = _union([one.rows[0] for one in covered], self._rows.all_outliers)
            left[rows[~self._rows.outlier_mask(outliers, own)]] = own + 1
        self._find_others(replace(self._groups, numbers=left), MAX_NEW_CONDITIONS)
        description = Description(self._rows, conjunctions, self._objective, **self._limits)
        for k in range(self._rows.n_groups):
            covered = [one.rows for one in conjunctions[k]]
            missed = self._members(k) & ~_union([outliers for outliers, _ in covered], self._rows.all_outliers)
            matched = _union([normals for _, normals in covered], self._rows.all_normals)
            pool = self._pool(k, [self._members(k), missed], matched)
            description.change_conditions(k, pool)
            description.add_rules(k, pool)
            if description.replace_rules(k, pool):
                description.change_conditions(k, pool)
        n_items = max(tags.n_items, len(self._looked | tags.features))
        better = [[one.tag for one in group] for group in description.rules]
        more = dict.fromkeys((*tags.tags, *(one.tag for one in description.seen)))
        return replace(tags, tags=tuple(more), n_items=n_items), better

    def _conjunction(self, tag: Tag) -> Conjunction:
        pool = self._conditions.pool(tag.sorted)
        return Conjunction.of(pool, range(len(pool)))

    # --- conditions -----------------------------------------------------------------------------------------------

    def _members(self, k: int, which: NDArray[np.bool_] | None = None) -> Words:
        """Mark the outliers of a group, or those of them that are among some rows."""
        words = np.zeros_like(self._rows.all_outliers)
        part = self._rows.slices[k]
        words[part] = self._rows.all_outliers[part]
        if which is not None:
            dense = np.concatenate([which[rows] for rows in self._rows.group_rows])
            words &= self._rows.mark_outliers(dense)
        return words

    def _pool(self, k: int, parts: Sequence[Words], matched: Words | None = None) -> Pool:
        """Give conditions that may help to tell these outliers of a group, the first part of them."""
        masks = [np.concatenate([self._rows.outlier_mask(part, i) for i in range(self._rows.n_groups)]) for part in parts]
        masks = [mask for mask in masks if mask.any()]
        near = None if matched is None else self._rows.normal_mask(matched)
        cuts = [line.positions(masks, near) for line in self._ranked]
        self._looked |= {(str(line.term), p) for line, found in zip(self._ranked, cuts) for p in found.tolist()}
        others = self._conditions.pool(self._others)
        return self._conditions.with_cuts(others, most_informative(self._ranked, cuts, masks[-1]), parts[0])

    def _find_others(self, groups: Groups, most: int) -> None:
        """Look for conditions on columns without order, those that tell most of each group."""
        items = self._maker.items(self._table, groups, ordered=False)
        self._looked |= items.features
        found = Shortlist(items, most, min_support=0.0, min_lift=self._limits["min_lift"])
        for number in range(1, groups.n_groups + 1):
            self._others.update(dict.fromkeys(found.best(number)[0]))


def _union(rows: Sequence[Words], like: Words) -> Words:
    return np.bitwise_or.reduce(np.stack(rows), axis=0) if rows else np.zeros_like(like)


def _sample(table: Table, groups: Groups, random_state: int) -> tuple[NDArray[np.intp], Table]:
    """Take a sample of many rows, and tell where they are; each of those that are left stands for several."""
    kept, stand = [], []
    n_outliers = max(int((groups.numbers > 0).sum()), 1)
    for k in range(groups.n_groups + 1):
        rows = np.flatnonzero(groups.numbers == k)
        # A group has its share of the outliers; a small one a few more, so that it is not lost.
        most = MAX_GROWTH_NORMALS if k == 0 else max(MAX_GROWTH_OUTLIERS * len(rows) // n_outliers, MIN_GROWTH_OUTLIERS)
        drawn = sample_rows(table, rows, most, random_state)
        kept.append(drawn)
        stand.append(np.full(len(drawn), round(len(rows) / max(len(drawn), 1)), dtype=np.int64))
    rows, times = np.concatenate(kept), np.concatenate(stand)
    if (times == 1).all() and len(rows) == table.n_rows:
        return np.arange(table.n_rows), table
    order = np.argsort(rows)
    rows, times = rows[order], times[order]
    small = table.take(rows)
    if (times > 1).any():
        small = replace(small, row_counts=times if small.row_counts is None else times * small.row_counts)
    return rows, small

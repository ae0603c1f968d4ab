"""`Grower`: candidate rules from several starts, and better rules given the current selection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pyod_explain._arrays import BoolArray, IndexArray
from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import named_bits
from pyod_explain.explainers import Explainer, PartObjective
from pyod_explain.growth.beam import BEAM_WIDTH
from pyod_explain.growth.description import Conjunction, Description, MakeObjective
from pyod_explain.growth.pool import Conditions, Pool, RankedColumn, rank_columns
from pyod_explain.growth.trees import tree_rules
from pyod_explain.input import Groups, Table, sample_rows
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.itemsets import Itemsets, Shortlist, relations_note
from pyod_explain.tags.price import Prices
from pyod_explain.tags.relations import RelationScreen
from pyod_explain.tags.tag import Tag, TagSet
from pyod_explain.tags.terms import Relation

MAX_GROWTH_NORMALS, MAX_GROWTH_OUTLIERS = 20_000, 5_000  # rows that rules are searched on; the selection counts all
MIN_GROWTH_OUTLIERS = 50  # that a sample has of each group, if there are so many
MAX_NEW_CONDITIONS = 80  # conditions other than cuts, for a group
MAX_PART_CONDITIONS = 20  # likewise, for a part of its outliers
MAX_GROWTH_ROUNDS = 2  # rounds of improving and selecting
MAX_STARTED_GROUPS = 8  # with more groups each has one start
PART_WIDTH = 1  # beam width for a part
MAX_USED_RELATIONS, MAX_RELATIONS_AT_ONCE = 24, 4  # in all, and added by one screening


class Grower:
    """Finds candidate rules for the outliers (`find_rules`), and better ones given a selection (`improve`).

    Parameters
    ----------
    table, groups : the rows; many rows are sampled, each of which then stands for several.
    parts : other splits of the outliers; each of their parts is a start.
    maker : has the longest length of a rule, and finds conditions on columns without order.
    explainer : has the objective; must have `supports_growth`.
    random_state : seed of the sample.

    Attributes
    ----------
    has_all_rows : True if the rules are searched on all rows, not on a sample.
    """

    def __init__(
        self,
        table: Table,
        groups: Groups,
        *,
        parts: Iterable[Groups] = (),
        maker: Itemsets,
        explainer: Explainer,
        random_state: int,
    ) -> None:
        self._prices = Prices(table)
        rows, self._table = _sample(table, groups, random_state)
        self._groups = replace(groups, numbers=groups.numbers[rows])
        self._parts = [replace(one, numbers=one.numbers[rows]) for one in parts]
        self.has_all_rows = len(rows) == table.n_rows and self._table is table
        self._covered = self._rows = Coverage.from_tags(self._table, [], self._groups, prices=self._prices)
        maker.check(table)
        self._maker, self._min_lift, self._objective = maker, explainer.min_lift, explainer.marginal_objective
        columns = rank_columns(self._table, self._groups, self._rows, maker.categorical)
        self._n_columns = len(columns)
        self._conditions = Conditions(self._table, self._rows, columns, self._prices)
        self._asked = maker.asked_relations(self._table)
        self._screen = None if maker.takes_all(self._asked) else RelationScreen(self._table, self._groups, self._asked)
        self._relations: dict[Relation, None] = {}
        self._relate(self._asked if self._screen is None else ())
        self._others: dict[Condition, None] = {}  # conditions that are no cuts
        self._in_intervals: set[bytes] = set()  # outliers for which intervals were looked for
        self._examined: set[Condition] = set()
        self._cuts = np.empty(0, dtype=np.int64)  # that were looked at
        self._seen: list[list[frozenset[Tag]]] = []
        self._limits: tuple[str, ...] = ()

    def cover(self, tags: TagSet) -> Coverage:
        """Tell which of the rows that are searched has which tag; later tags follow those of the last call."""
        new = tags.tags[self._covered.n_tags :]
        self._covered = self._covered.with_tags(self._table, new, tags.n_items, self._prices)
        return self._covered

    @property
    def notes(self) -> list[str]:
        """What a reader should know: the bounds that were reached, and which relations were looked at."""
        return [*self._limits, *relations_note(self._asked, list(self._relations))]

    # --- candidates -----------------------------------------------------------------------------------------------

    def find_rules(self, tags: TagSet) -> TagSet:
        """Return the tags, followed by the rules that several starts find.

        The starts: rules that lower the objective; precise rules; rules for parts of the outliers; paths of decision
        trees. Each start begins without a rule.

        Parameters
        ----------
        tags : what there is to choose from.
        """
        found: dict[Tag, None] = dict.fromkeys(tags.tags)
        self._limits = self._find_others(self._groups, MAX_NEW_CONDITIONS)
        for split in self._parts:
            self._find_others(split, MAX_PART_CONDITIONS)
        for k in range(self._rows.n_groups):
            part = self._members(k)
            self._screen_relations(self._groups.numbers == k + 1)
            first = self._run(k, self._pool([part]), self._objective, found)
            self._screen_relations(self._among(self._left_and_matched(k, first)[0]))
            if self._rows.n_groups <= MAX_STARTED_GROUPS:
                self._run_others(k, part, found)
        return self._tags(tags, found)

    def _run_others(self, k: int, part: Words, found: dict[Tag, None]) -> None:
        """Describe a group from all starts but the objective itself."""
        missed = named_bits(self._rows) / max(self._rows.n_outliers, 1)
        pool = self._pool([part])
        plain = pool.take(np.flatnonzero(pool.column < self._n_columns))
        objective = partial(PartObjective, part=part, missed=missed, matched=missed)
        self._run(k, plain, objective, found)
        for split in self._parts:
            for number in range(1, split.n_groups + 1):
                some = self._members(k, split.numbers == number)
                if self._rows.count_outliers(some):
                    objective = partial(PartObjective, part=some, missed=missed, matched=missed)
                    self._run(k, self._pool([some]), objective, found, width=PART_WIDTH)
        columns = self._conditions.ranked.columns
        trees = tree_rules(columns, pool, self._rows, k, self._maker.max_length, negations=self._maker.negations)
        found.update(dict.fromkeys(trees))

    def _run(
        self, k: int, pool: Pool, objective: MakeObjective, found: dict[Tag, None], width: int = BEAM_WIDTH
    ) -> list[Conjunction]:
        """Describe a group, beginning without a rule; put all rules that were tried into `found`."""
        empty: list[list[Conjunction]] = [[] for _ in range(self._rows.n_groups)]
        description = self._describe(empty, objective)
        description.add_rules(k, pool, width=width)
        found.update(dict.fromkeys(one.tag for one in description.seen))
        return description.rules[k]

    def _tags(self, tags: TagSet, found: Iterable[Tag]) -> TagSet:
        """Join tags; `n_items` counts every condition that was looked at."""
        together = tuple(dict.fromkeys((*tags.tags, *found)))
        n_examined = len(self._examined | tags.features) + len(self._cuts)
        return replace(tags, tags=together, n_items=max(tags.n_items, n_examined))

    # --- improvements ---------------------------------------------------------------------------------------------

    def improve(self, tags: TagSet, rules: Sequence[Sequence[Tag]]) -> tuple[TagSet, list[list[Tag]]]:
        """Return the tags, followed by new ones, and rules of each group that are better than the given ones.

        Parameters
        ----------
        tags : what there is to choose from.
        rules : the selected ones, for each group.
        """
        said = [frozenset(one) for one in rules]
        if said in self._seen or len(self._seen) == MAX_GROWTH_ROUNDS:
            return tags, [list(one) for one in rules]
        self._seen.append(said)
        conjunctions = [[Conjunction.of_tag(self._conditions, tag) for tag in one] for one in rules]
        missed, matched = zip(*(self._left_and_matched(k, one) for k, one in enumerate(conjunctions)), strict=True)
        left = self._among(np.bitwise_or.reduce(missed, axis=0))
        numbers = np.where((self._groups.numbers == 0) | left, self._groups.numbers, -1)
        self._find_others(replace(self._groups, numbers=numbers), MAX_NEW_CONDITIONS)
        self._screen_relations(left)
        description = self._describe(conjunctions, self._objective, tags.given)
        for k in range(self._rows.n_groups):
            pool = self._pool([self._members(k), missed[k]], matched[k])
            description.change_conditions(k, pool)
            description.add_rules(k, pool)
            if description.replace_rules(k, pool):
                description.change_conditions(k, pool)
        better = [[one.tag for one in group] for group in description.rules]
        return self._tags(tags, (one.tag for one in description.seen)), better

    def _describe(
        self, rules: list[list[Conjunction]], objective: MakeObjective, given: frozenset[Tag] = frozenset()
    ) -> Description:
        limits: Any = {"max_length": self._maker.max_length, "min_lift": self._min_lift}
        return Description(self._rows, rules, objective, given=given, **limits)

    def _left_and_matched(self, k: int, rules: Sequence[Conjunction]) -> tuple[Words, Words]:
        """Mark the outliers of a group that its rules miss, and the normals that they match."""
        outliers = [one.rows[0] for one in rules] or [np.zeros_like(self._rows.all_outliers)]
        normals = [one.rows[1] for one in rules] or [np.zeros_like(self._rows.all_normals)]
        return self._members(k) & ~np.bitwise_or.reduce(outliers, axis=0), np.bitwise_or.reduce(normals, axis=0)

    # --- conditions -----------------------------------------------------------------------------------------------

    def _members(self, k: int, which: BoolArray | None = None) -> Words:
        """Mark the outliers of a group; of these only the rows in `which`, if it is given."""
        words = np.zeros_like(self._rows.all_outliers)
        part = self._rows.slices[k]
        words[part] = self._rows.all_outliers[part]
        if which is not None:
            words &= self._rows.mark_outliers(np.concatenate([which[rows] for rows in self._rows.group_rows]))
        return words

    def _among(self, outliers: Words) -> BoolArray:
        """Convert packed outliers to a mask of the table's rows."""
        result = np.zeros(self._table.n_rows, dtype=bool)
        for k, rows in enumerate(self._rows.group_rows):
            result[rows[self._rows.outlier_mask(outliers, k)]] = True
        return result

    def _pool(self, parts: Sequence[Words], matched: Words | None = None) -> Pool:
        """Return conditions that may describe the first part; columns are cut at the quantiles of each part."""
        dense = [np.concatenate([self._rows.outlier_mask(one, i) for i in range(self._rows.n_groups)]) for one in parts]
        ranked, masks = self._conditions.ranked, [mask for mask in dense if mask.any()]
        ordered = [ranked.outliers(mask) for mask in masks]
        cuts = ranked.cuts(ordered, None if matched is None else self._rows.normal_mask(matched))
        self._cuts = np.union1d(self._cuts, cuts)
        best = ranked.most_informative(cuts, ordered[-1])
        key = masks[-1].tobytes()
        if self._rows.n_groups <= MAX_STARTED_GROUPS and key not in self._in_intervals:
            self._in_intervals.add(key)
            plain = best[: best.searchsorted(self._n_columns * ranked.step)]
            self._others.update(dict.fromkeys(ranked.intervals(plain, ordered[-1])))
        return self._conditions.with_cuts(self._conditions.pool(self._others), best, parts[0], ordered[0])

    def _find_others(self, groups: Groups, most: int) -> tuple[str, ...]:
        """Find the most informative conditions on columns without order, for each group; return notes on limits."""
        items = self._maker.items(self._table, groups, ordered=False)
        self._examined |= items.features
        found = Shortlist(items, most, min_support=0.0, min_lift=min(self._min_lift, 1.0))
        for number in range(1, groups.n_groups + 1):
            self._others.update(dict.fromkeys(found.best(number)[0]))
        return items.notes

    def _screen_relations(self, which: BoolArray) -> None:
        """Find relations that separate some outliers better than single columns do."""
        if self._screen is not None and self._asked and len(self._relations) < MAX_USED_RELATIONS and which.any():
            self._relate(self._screen.best(which, MAX_RELATIONS_AT_ONCE))

    def _relate(self, relations: Iterable[Relation]) -> None:
        new = [one for one in relations if one not in self._relations]
        self._relations.update(dict.fromkeys(new))
        self._conditions.ranked.add(RankedColumn.of(one, self._table, self._groups, self._rows) for one in new)


def _sample(table: Table, groups: Groups, random_state: int) -> tuple[IndexArray, Table]:
    """Return a sample of many rows, with their positions; each sampled row stands for several."""
    kept, stand = [], []
    n_outliers = max(int((groups.numbers > 0).sum()), 1)
    for k in range(groups.n_groups + 1):
        rows = np.flatnonzero(groups.numbers == k)
        # Each group gets its share of the sampled outliers, a small one at least MIN_GROWTH_OUTLIERS.
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

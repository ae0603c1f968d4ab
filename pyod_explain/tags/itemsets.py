"""`Itemsets`: combinations of conditions that are frequent among a group's outliers, mined with mlxtend."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from pyod_explain._arrays import FloatArray, IndexArray
from pyod_explain._validate import check_flag, check_int, check_number
from pyod_explain.bits import n_words
from pyod_explain.exceptions import Message
from pyod_explain.input import Groups, Table
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.items import Items, can_be_related, check_column_names, find_items
from pyod_explain.tags.mining import Evidence, PlainWriter, TermSide, choose, combine, on_different_sides, term_side
from pyod_explain.tags.relations import read_relations, screen_relations
from pyod_explain.tags.tag import Tag, TagSet
from pyod_explain.tags.terms import Relation
from pyod_explain.tags.value_counts import gain

logger = logging.getLogger("pyod_explain")
TAG_BYTES = 150_000_000  # for the bits of all tags
TAG_BYTES_PER_TABLE_BYTE = 2.5  # and so many more for a larger table
MAX_LISTED_RELATIONS = 8  # relations that a note lists


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
    negations : False for no condition that states what a value is not: "is not", "is none of", "is not missing".
    relations : conditions on two columns of numbers, such as `outlet - inlet < 4.5`. False for none; True for those
        that a person would say; or a list of pairs of columns (difference, ratio, product and sum), of triples
        (column, one of `-/*+`, column) or of `Relation` objects.
    grow : grow rules against the selection instead, where the explainer can tell what they are worth: see `growth`.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.input.read import as_table
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
        negations: bool = True,
        relations: Any = False,
        grow: bool = False,
    ) -> None:
        self.max_length, self.min_support, self.min_lift = max_length, min_support, min_lift
        self.max_tags, self.max_items = max_tags, max_items
        self.categorical, self.negations, self.relations, self.grow = categorical, negations, relations, grow

    def items(self, table: Table, groups: Groups, *, relations: Iterable[Relation] = (), ordered: bool = True) -> Items:
        """Find the conditions that tags are made of; without thresholds unless `ordered`."""
        options: Any = {"categorical": self.categorical, "negations": self.negations}
        return find_items(table, groups, relations=relations, ordered=ordered, **options)

    def make(self, table: Table, groups: Groups) -> TagSet:
        """Find the items, mine each group for combinations of them, and put the tags of all groups together."""
        self.check(table)
        notes: list[str] = []
        items = self.items(table, groups, relations=self._relations(table, groups, notes))
        max_tags = _tags_in_memory(table, groups, self.max_tags)
        notes += items.notes
        if max_tags < self.max_tags:
            few = f"at most {max_tags:,} were made for each (instead of max_tags={self.max_tags:,})"
            notes.append(f"The tags of {groups.n_groups:,} groups must fit in memory: {few}.")
        found = Shortlist(items, self.max_items, min_support=self.min_support, min_lift=self.min_lift)
        tags: dict[Tag, None] = {}
        for group in range(1, groups.n_groups + 1):
            tags.update(dict.fromkeys(self._mine_group(found, max_tags, table, groups, group, notes)))
        for note in notes:
            logger.info(note)
        return TagSet(tuple(tags), len(items.features), tuple(notes), features=items.features)

    def _relations(self, table: Table, groups: Groups, notes: list[str]) -> list[Relation]:
        """Give the relations that are worth making conditions of."""
        asked = self.asked_relations(table)
        kept = asked if self.takes_all(asked) else screen_relations(table, groups, asked)
        notes += relations_note(asked, kept)
        return kept

    def asked_relations(self, table: Table) -> list[Relation]:
        """Give the relations that may be looked at."""
        if self.relations is False or self.relations is None:
            return []
        return read_relations(self.relations, table, can_be_related(table, self.categorical), owner="Itemsets")

    def takes_all(self, asked: Sequence[Relation]) -> bool:
        """Tell whether all of these relations are used, since the user listed a few."""
        return not isinstance(self.relations, bool | np.bool_) and len(asked) <= MAX_LISTED_RELATIONS

    def check(self, table: Table) -> None:
        """Refuse parameters that make no sense for a table."""
        check_int("Itemsets", "max_length", self.max_length, low=1)
        check_number("Itemsets", "min_support", self.min_support, low=0, high=1, open_low=True)
        check_number("Itemsets", "min_lift", self.min_lift, low=0)
        check_int("Itemsets", "max_tags", self.max_tags, low=1)
        check_int("Itemsets", "max_items", self.max_items, low=1)
        check_flag("Itemsets", "negations", self.negations)
        check_column_names("Itemsets", "categorical", self.categorical, table)

    def _mine_group(
        self, found: Shortlist, max_tags: int, table: Table, groups: Groups, group: int, notes: list[str]
    ) -> list[Tag]:
        conditions, worth = found.best(group)
        of_group = f"Group {group}: " if groups.n_groups > 1 else "All {outliers}: "
        n_relevant = int(found.n_relevant[group])
        if len(conditions) < n_relevant and not self.grow:  # growing looks at the others
            best = f"the {len(conditions):,} most telling of {n_relevant:,} conditions"
            notes.append(Message(f"{of_group}combined {best} (max_items={self.max_items:,})."))
        if not conditions:
            often = "often than" if self.min_lift == 1 else f"than {self.min_lift:g} times as often as"
            rest = f"{self.min_support:.0%} of {{group}} and more {often} among {{normals}} (min_support, min_lift)."
            notes.append(Message(f"{of_group}no condition holds for at least {rest}"))
            return []
        evidence = Evidence.of(conditions, table, groups, group)
        sets, lengths = combine(evidence.inside, worth, self.min_support, self.max_length, evidence.row_counts)
        apart = on_different_sides(sets, lengths, [term_side(condition) for condition in conditions])
        sets, lengths = sets[apart], lengths[apart]
        chosen, n_found = choose(sets, lengths, evidence, min_lift=self.min_lift, most=max_tags)
        if n_found > len(chosen) and not self.grow:
            best = f"the {len(chosen):,} itemsets that save most bits of {n_found:,}"
            notes.append(Message(f"{of_group}kept {best} (max_tags={max_tags:,})."))
        return _write_tags(conditions, sets[chosen].tolist(), PlainWriter(table))


def _write_tags(conditions: Sequence[Condition], sets: Iterable[list[int]], writer: PlainWriter) -> list[Tag]:
    """Make tags of sets of conditions; `choose` has left out the conditions that change nothing."""
    named = [writer.name(condition) for condition in conditions]
    interval = [condition.op == "between" for condition in conditions]
    tags = []
    for one in sets:
        if any(interval[i] for i in one):
            tags.append(Tag(frozenset(map(writer.name, writer.needed_ends([conditions[i] for i in set(one)])))))
        else:
            tags.append(Tag(frozenset(named[i] for i in one)))
    return tags


def _tags_in_memory(table: Table, groups: Groups, max_tags: int) -> int:
    """Return how many tags a group may have, so that the tags of all groups fit in memory."""
    sizes = np.bincount(groups.numbers[groups.numbers >= 0], minlength=groups.n_groups + 1)
    held = sum(column.values.nbytes + column.missing.nbytes for column in table.columns.values())
    # A tag: its bits, and for each group its count and whether it is eligible.
    tag_bytes = 8 * sum(n_words(int(size)) for size in sizes) + 9 * groups.n_groups
    most = int((TAG_BYTES + TAG_BYTES_PER_TABLE_BYTE * held) / max(tag_bytes * groups.n_groups, 1))
    return min(max(most, 1), max_tags)


def relations_note(asked: Sequence[Relation], kept: Sequence[Relation]) -> list[str]:
    """Say how many of the relations that were looked at may be in rules."""
    if len(kept) == len(asked):
        return []
    more = ", ..." if len(kept) > MAX_LISTED_RELATIONS else ""
    named = f", and may be in rules: {', '.join(map(str, kept[:MAX_LISTED_RELATIONS]))}{more}" if kept else ""
    some = f"Of {len(asked):,} relations of two columns, {len(kept):,} separate{'s' * (len(kept) == 1)}"
    none = f"None of {len(asked):,} relations of two columns separates"
    none = none if len(asked) > 1 else "The only relation of two columns that was looked at does not separate"
    better = "{outliers} better than the columns alone"
    return [Message(f"{some if kept else none} {better}{{named}}.", {"named": named})]


Keys = tuple[NDArray[Any], ...]


class Shortlist:
    """The conditions of each group that are most informative about it.

    Of thresholds on one side of a column that have the same members of the group only the tightest counts: they are
    nested, so equal counts are equal members. The second best of a column and side is worth half, the third a third:
    without that, near copies of one threshold would fill the list and leave no room for other columns. A list of values
    is worth what it saves less what it takes to name them.

    Parameters
    ----------
    items : what to choose from.
    most : conditions kept for a group.
    min_support, min_lift : what makes a condition relevant to a group.
    """

    def __init__(self, items: Items, most: int, *, min_support: float, min_lift: float) -> None:
        item, group = items.relevant(min_support=min_support, min_lift=min_lift)
        numbers: dict[TermSide, int] = {}
        side = np.array([numbers.setdefault(term_side(c), len(numbers)) for c in items.conditions], dtype=np.intp)
        ordered = np.array([c.side != "is" for c in items.conditions], dtype=bool)
        inside, normal = items.counts[item, group], items.counts[item, 0]
        tightest = _rank((item, normal), (np.where(ordered[item], -1, item), inside, side[item], group)) == 1
        item, group, inside, normal = (part[tightest] for part in (item, group, inside, normal))
        gains = gain(inside, normal, items.totals[group], items.totals[0])
        gains = np.maximum(gains - items.list_bits[item], 0.0)
        worth = gains / _rank((item, -gains), (side[item], group))
        kept = np.flatnonzero(_rank((item, -worth), (group,)) <= most)
        kept = kept[np.lexsort((item[kept], group[kept]))]
        self.n_relevant = np.bincount(group, minlength=len(items.totals))
        self._conditions = items.conditions
        self._item, self._group, self._worth = item[kept], group[kept], worth[kept]

    def best(self, group: int) -> tuple[list[Condition], FloatArray]:
        """Give the conditions kept for a group (1..K), in the order in which they were found, and their worth."""
        start, stop = np.searchsorted(self._group, [group, group + 1])
        return [self._conditions[i] for i in self._item[start:stop]], self._worth[start:stop]


def _rank(order: Keys, equal: Keys) -> IndexArray:
    """Count each entry's rank, 1, 2, ..., by `order` (last key first) among the entries of equal keys.

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

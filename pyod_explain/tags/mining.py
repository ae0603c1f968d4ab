"""Combinations of conditions that are frequent among a group's outliers, mined with mlxtend, and which are kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain._validate import optional
from pyod_explain.bits import BitPlanes, Words, bit_planes, conjunctions, count_rows, pack, padded, unique_rows
from pyod_explain.input import Groups, Table, plain_value
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.cuts import nameable
from pyod_explain.tags.price import Prices
from pyod_explain.tags.terms import Term
from pyod_explain.tags.value_counts import MASS_SHARE, gain, lifted

TermSide = tuple[Term, str]
MINING_CELLS = 4_000_000  # candidates by rows that mlxtend may hold at once
COUNT_TOLERANCE = 1e-9  # 0.15 * 20 must mean 3 rows, whatever 3 / 20 is in floats
SHORT_LENGTH = 3  # conditions: combinations of so many are mined of all conditions of a group
MAX_LONG_CONDITIONS = 14  # that longer combinations are made of: all subsets of them are 16,384


def combine(
    inside: BoolArray, worth: FloatArray, min_support: float, max_length: int, row_counts: IntArray | None = None
) -> tuple[IndexArray, IntArray]:
    """Mine combinations: short ones of all conditions, longer ones of the conditions of most worth only.

    mlxtend counts the lines of the table. Where lines stand for many rows, it mines the sets of as many lines as
    may be enough, and those that are not are left out here.

    Returns the sets and lengths as `frequent` does.
    """
    share = min_support - COUNT_TOLERANCE
    of_lines = min_support if row_counts is None else _fewest_lines(share, row_counts) / len(row_counts)
    sets, lengths = frequent(inside, of_lines, min(max_length, SHORT_LENGTH))
    if max_length > SHORT_LENGTH:
        best = np.sort(np.argsort(-worth, kind="stable")[:MAX_LONG_CONDITIONS])
        longer, their_lengths = frequent(inside[best], of_lines, max_length)
        longer, their_lengths = best[longer[their_lengths > SHORT_LENGTH]], their_lengths[their_lengths > SHORT_LENGTH]
        if len(longer):
            padding = np.repeat(sets[:, :1], longer.shape[1] - sets.shape[1], axis=1)
            sets, lengths = np.vstack([np.hstack([sets, padding]), longer]), np.concatenate([lengths, their_lengths])
    if row_counts is not None:
        enough = count_rows(conjunctions(pack(inside), sets), bit_planes(row_counts)) >= share * row_counts.sum()
        sets, lengths = sets[enough], lengths[enough]
    return sets, lengths


def _fewest_lines(share: float, row_counts: IntArray) -> int:
    """Count the lines that it takes at least to stand for a share of the rows.

    >>> _fewest_lines(0.5, np.array([1, 6, 1, 4])), _fewest_lines(0.75, np.array([1, 1, 1, 1]))
    (1, 3)
    """
    return int(np.searchsorted(np.cumsum(np.sort(row_counts)[::-1]), share * row_counts.sum())) + 1


def frequent(inside: BoolArray, min_support: float, max_length: int) -> tuple[IndexArray, IntArray]:
    """Mine a table of conditions by outliers for the combinations that reach the support, in a fixed order.

    Parameters
    ----------
    inside : conditions by outliers.
    min_support : share of the outliers that a combination must reach.
    max_length : most conditions of one.

    Returns
    -------
    A row of positions for each, padded to one width by repeating the first, and their lengths.
    """
    patterns = optional("mlxtend.frequent_patterns", "to mine itemsets")
    n_items, n_rows = inside.shape
    # The fast way of apriori holds all candidates of a length by all rows, three bytes a cell.
    low_memory = math.comb(n_items, min(max_length, n_items // 2)) * n_rows > MINING_CELLS
    rows = pd.DataFrame(np.ascontiguousarray(inside.T))
    share = max(min_support - COUNT_TOLERANCE, 1 / n_rows)
    found = patterns.apriori(rows, share, max_len=max_length, low_memory=low_memory)
    ordered = sorted(map(sorted, found["itemsets"]), key=lambda one: (len(one), one))
    return padded(ordered), np.array([len(one) for one in ordered], dtype=np.int64)


def term_side(condition: Condition) -> TermSide:
    """Give what a condition is about, and its side: a tag has at most one condition of each."""
    return condition.column, condition.side


def on_different_sides(sets: IndexArray, lengths: IntArray, term_sides: Sequence[TermSide]) -> BoolArray:
    """Tell which sets have no two members about one side of one column."""
    number = {one: i for i, one in enumerate(dict.fromkeys(term_sides))}
    side = np.array([number[one] for one in term_sides])[sets]
    apart = np.ones(len(sets), dtype=bool)
    for i in range(sets.shape[1]):
        for j in range(i + 1, sets.shape[1]):
            apart &= (side[:, i] != side[:, j]) | (j >= lengths)
    return apart


SETS_AT_ONCE = 256  # conjunctions whose normals are counted at once: small enough for the cache


@dataclass(frozen=True, eq=False)
class Evidence:
    """Which rows satisfy which condition: the members of one group, and the normals, in packed bits.

    Attributes
    ----------
    inside : conditions by members of the group.
    normal : conditions by rows of the table, packed; only normals are marked.
    n_normals : how many these are.
    prices : bits of each condition.
    row_counts, row_planes : how many instances each member, and each row of the table, stands for; None: one.
    """

    inside: BoolArray
    normal: Words
    n_normals: int
    prices: FloatArray
    row_counts: IntArray | None = None
    row_planes: BitPlanes | None = None

    @classmethod
    def of(cls, conditions: Sequence[Condition], table: Table, groups: Groups, group: int) -> Evidence:
        """Evaluate conditions for a group (1..K), one at a time."""
        members, normals = np.flatnonzero(groups.numbers == group), pack(groups.numbers == 0)
        inside = np.empty((len(conditions), len(members)), dtype=bool)
        normal = np.empty((len(conditions), len(normals)), dtype=np.uint64)
        for i, condition in enumerate(conditions):
            holds = condition.holds(table[condition.column])
            inside[i] = holds[members]
            normal[i] = pack(holds) & normals
        prices = Prices(table)
        bits = np.array([prices.condition_bits(condition) for condition in conditions])
        each = None if table.row_counts is None else bit_planes(table.row_counts)
        return cls(inside, normal, int(count_rows(normals, each)), bits, table.counts_of(members), each)

    @property
    def size(self) -> int:
        return int(self.inside.shape[1] if self.row_counts is None else self.row_counts.sum())

    def bits(self, sets: IndexArray, lengths: IntArray) -> FloatArray:
        """Bits of each conjunction; see `choose` for the arguments."""
        return np.asarray((self.prices[sets] * (np.arange(sets.shape[1]) < lengths[:, None])).sum(axis=1))


def choose(
    sets: IndexArray, lengths: IntArray, evidence: Evidence, *, min_lift: float, most: int
) -> tuple[IndexArray, int]:
    """Give the positions of the conjunctions to keep, in their order, and how many there were to choose from.

    Of conjunctions that cover the same outliers, a longer one is kept only if it covers fewer normals than every
    shorter one; of equal length, one that takes more bits likewise. If more than `most` are
    left, those that save most bits stay, after every outlier has got a fair share of the tags that cover it.

    Parameters
    ----------
    sets : a row per conjunction: positions of its conditions, padded by repeating one.
    lengths : number of conditions of each.
    evidence : who satisfies the conditions.
    min_lift : how many times more frequent in the group than among the normals it must be.
    most : how many to keep at most.
    """
    covers = conjunctions(pack(evidence.inside), sets)
    in_group = count_rows(covers, None if evidence.row_counts is None else bit_planes(evidence.row_counts))
    blocks = (conjunctions(evidence.normal, sets[i : i + SETS_AT_ONCE]) for i in range(0, len(sets), SETS_AT_ONCE))
    in_normal = np.concatenate([count_rows(block, evidence.row_planes) for block in blocks] or [in_group])
    more = lifted(in_group, evidence.size, in_normal, evidence.n_normals, min_lift)
    bits = evidence.bits(sets, lengths)
    kept = _best_of_equal_cover(np.flatnonzero(more), covers, lengths, bits, in_normal)
    if len(kept) <= most:
        return kept, len(kept)
    saved = gain(in_group[kept], in_normal[kept], float(evidence.size), float(evidence.n_normals))
    return np.sort(_fair_share(kept[np.lexsort((kept, bits[kept] - saved))], sets, evidence, most)), len(kept)


def _best_of_equal_cover(
    kept: IndexArray, covers: Words, lengths: IntArray, bits: FloatArray, in_normal: IntArray
) -> IndexArray:
    if not len(kept):
        return kept
    cover = unique_rows(covers[kept])[1]
    order = np.lexsort((kept, in_normal[kept], bits[kept], lengths[kept], cover))
    # Within a cover the order is shortest first, then purest: keep what is purer than all before it. Each cover's
    # numbers lie below those of the covers before it, so that one running minimum serves all.
    normals = in_normal[kept][order] - cover[order] * (int(in_normal.max()) + 1)
    best = np.ones(len(order), dtype=bool)
    best[1:] = normals[1:] < np.minimum.accumulate(normals)[:-1]
    return np.sort(kept[order[best]])


def _fair_share(ranked: IndexArray, sets: IndexArray, evidence: Evidence, most: int) -> IndexArray:
    """Keep the best tags of every outlier before the best tags of all.

    The most informative tags often cover the same majority of a group; a description also needs tags for the rest.
    """
    inside = evidence.inside
    share = max(1, most // (4 * max(evidence.size, 1)))
    first = np.zeros(len(ranked), dtype=bool)
    for start in range(0, inside.shape[1], SETS_AT_ONCE):  # in blocks of outliers: all of them by all tags may not fit
        block = inside[:, start : start + SETS_AT_ONCE]
        covers = block[sets[ranked, 0]]
        for position in range(1, sets.shape[1]):
            covers &= block[sets[ranked, position]]
        first |= ((np.cumsum(covers, axis=0, dtype=np.int32) <= share) & covers).any(axis=1)
    ahead = np.flatnonzero(first)[:most]
    return np.asarray(ranked[np.concatenate([ahead, np.flatnonzero(~first)[: most - len(ahead)]])])


Conditions = tuple[Condition, ...]


class PlainWriter:
    """Writes rules about a table in the plainest way. It caches the rows of each condition, so release it after use.

    Parameters
    ----------
    table : the rows on which nothing may change.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.input.read import as_table
    >>> table = as_table(pd.DataFrame({"fee": [0, 0, 0, 2, 3, 4], "age": [31, 40, 52, 35, 33, 60]}))
    >>> print(*PlainWriter(table).rule([Condition("fee", "<", 1), Condition("age", "<", 60)]))
    fee is 0
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rows_of = cache(lambda condition: pack(condition.holds(table[condition.column])))
        self._names: dict[Condition, Condition] = {}

    def rule(self, conditions: Iterable[Condition]) -> Conditions:
        """Drop the conditions and the ends of intervals without which the same rows match, and name single values."""
        return _in_order({self.name(one) for one in self.needed_ends(self._needed(conditions))})

    def name(self, condition: Condition) -> Condition:
        """Write `is` where only one value meets a threshold, if a tenth of the rows have it or it is 0: `fee is 0`."""
        if condition not in self._names:
            value = self._only_value(condition) if condition.side != "is" else None
            self._names[condition] = condition if value is None else Condition(condition.column, "==", value)
        return self._names[condition]

    def needed_ends(self, rule: Iterable[Condition]) -> Conditions:
        """Keep of an interval only the end that the other conditions do not imply."""
        result = list(_in_order(rule))
        for i, one in enumerate(result):
            if one.op != "between" or len(result) == 1:
                continue
            low, high = one.value
            ends = (Condition(one.column, ">=", low), Condition(one.column, "<=", high))
            others = self._matching([*result[:i], *result[i + 1 :]])
            whole = others & self._rows_of(one)
            result[i] = next((end for end in ends if np.array_equal(others & self._rows_of(end), whole)), one)
        return tuple(result)

    def _needed(self, rule: Iterable[Condition]) -> Conditions:
        """Drop what changes nothing, the last conditions first; one is left in any case."""
        kept = _in_order(rule)
        rows = self._matching(kept)
        for one in reversed(kept):
            rest = [other for other in kept if other is not one]
            if rest and np.array_equal(self._matching(rest), rows):
                kept = tuple(rest)
        return kept

    def _matching(self, rule: Sequence[Condition]) -> Words:
        rows = self._rows_of(rule[0])
        for one in rule[1:]:
            rows = rows & self._rows_of(one)
        return rows

    def _only_value(self, condition: Condition) -> Any:
        """Give the value that all cells on this side of a threshold have, where it is worth a name; else None."""
        column = self._table[condition.column]
        holds = condition.holds(column)
        if column.kind != "number" or not holds.any():
            return None
        met = column.values[holds]
        value = plain_value(met[0])
        n_met, n_present = self._table.count(holds), self._table.count(~column.missing)
        if not (value == 0 or n_met >= MASS_SHARE * n_present) or not nameable(met[0]):
            return None
        return (int(value) if value == int(value) else value) if (met == met[0]).all() else None


def _in_order(conditions: Iterable[Condition]) -> Conditions:
    return tuple(sorted(conditions, key=lambda condition: condition.sort_key))

"""`Pool`: the conditions that rules are made of, and the rows that meet them.

An ordered column is cut at quantiles of the normals, most of them in the tails, of each group, and of its outliers that
no rule covers yet. Cuts are kept as packed bits; only those that become part of a rule are written as conditions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain.bits import Words, aligned, n_words, pack
from pyod_explain.coverage import Coverage
from pyod_explain.input import Column, Groups, Table
from pyod_explain.tags.condition import Condition, Op
from pyod_explain.tags.cuts import TAIL_PERCENTS, at_least, between, nameable, sides
from pyod_explain.tags.items import is_category, only_ordered
from pyod_explain.tags.mining import TermSide, term_side
from pyod_explain.tags.price import Prices
from pyod_explain.tags.tag import Tag, needed, pack_tags
from pyod_explain.tags.terms import Relation, Term
from pyod_explain.tags.value_counts import MASS_SHARE, ValueCounts, count_values, gain, lifted, value_of

MAX_CUT_COLUMNS = 64  # ordered columns that are cut
MAX_EXHAUSTIVE_VALUES = 32  # with so few distinct values every step between two of them is a cut
NORMAL_QUANTILES = np.array(TAIL_PERCENTS) / 100
N_OUTLIER_QUANTILES = 16  # quantiles of outliers, divided among the parts
MIN_PART_QUANTILES = 8  # for each part, at least
NEAR_QUANTILES = np.linspace(0, 1, 8)  # of the normals that the rules match
MIRRORED: dict[str, Op] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
MIN_INTERVAL_BITS = 12.0  # that an interval must save beyond any cut of its column
MAX_FINER_CUTS = 24  # near either end of an interval


@dataclass(frozen=True, eq=False)
class Cut:
    """One side of a cut of a column; written as a condition when it is used."""

    column: RankedColumn
    position: int
    high: bool

    @property
    def term_side(self) -> TermSide:
        return self.column.term, "high" if self.high else "low"

    def to_condition(self) -> Condition:
        """Write it with the shortest number that separates the same rows."""
        return self.column.conditions(self.position)[int(self.high)]


@dataclass(frozen=True, eq=False)
class RankedColumn:
    """The values of an ordered column or relation, by rank, for the rows of a coverage.

    Attributes
    ----------
    term : the name of the column, or the relation.
    column, groups, table_counts : its values and the row counts of its table.
    normals, outliers : rank of each normal and of each outlier, in the order of the coverage; -1 where it is missing.
    n_distinct : number of distinct values.
    """

    term: Term
    column: Column
    groups: Groups
    table_counts: IntArray | None
    normals: NDArray[np.int32]
    outliers: NDArray[np.int32]
    n_distinct: int

    @classmethod
    def of(cls, term: Term, table: Table, groups: Groups, coverage: Coverage) -> RankedColumn:
        """Rank the values that a column or another term has in the rows of a coverage of this table."""
        column, rows = table[term], np.concatenate([coverage.normal_rows, *coverage.group_rows])
        values = column.ranked[0] if column.values.dtype == object else column.numbers
        present = ~column.missing[rows]
        ranks = np.full(len(rows), -1, dtype=np.int32)
        distinct, found = np.unique(values[rows[present]], return_inverse=True)
        ranks[present] = found
        n = len(coverage.normal_rows)
        return cls(term, column, groups, table.row_counts, ranks[:n], ranks[n:], len(distinct))

    def conditions(self, position: int) -> tuple[Condition, Condition]:
        """Write both sides of a cut: below, above."""
        if position not in self._written:
            low, high = sides(self.column, self._seen, position)
            low = self._only_value(0, low) if position == 1 else low
            high = self._only_value(position, high) if position == self.n_distinct - 1 else high
            self._written[position] = _about(self.term, low), _about(self.term, high)
        return self._written[position]

    @cached_property
    def _written(self) -> dict[int, tuple[Condition, Condition]]:
        return {}

    def _only_value(self, i: int, condition: Condition) -> Condition:
        """Name the only value on a side of a cut, if it is 0 or a tenth of the rows have it: `fee is 0`."""
        seen, plain = self._seen, self._seen.distinct[i]
        if self.column.kind != "number" or not nameable(plain):
            return condition
        common = plain == 0 or seen.total[i] >= MASS_SHARE * seen.present.sum()
        return Condition(condition.column, "==", value_of(self.column, seen, i)) if common else condition

    def between(self, start: int, stop: int) -> Condition:
        """State that a value is one of the distinct values start, ..., stop - 1, which are not all."""
        if start == 0 or stop == self.n_distinct:
            return self.conditions(start or stop)[int(stop == self.n_distinct)]
        return replace(between(self.column, self._seen, start, stop), column=self.term)

    def shortest_cut(self, below: int, above: int) -> int:
        """Return the cut between two distinct values that is written with the fewest digits."""
        if above - below < 2 or self.column.kind not in ("number", "datetime", "timedelta"):
            return above
        value = at_least(self.column, self._seen.distinct[below], self._seen.distinct[above])
        return int(np.searchsorted(self._seen.distinct, getattr(value, "value", value)))

    @cached_property
    def _seen(self) -> ValueCounts:
        return count_values(self.column, self.groups, self.table_counts)


def rank_columns(table: Table, groups: Groups, coverage: Coverage, categorical: Collection[str]) -> list[RankedColumn]:
    """Rank the columns of a table whose values have an order and are no codes, and that have several."""
    found = []
    for name, column in sorted(table.columns.items()):
        ordered = only_ordered(column, categorical) or (
            column.has_order and not is_category(column, count_values(column, groups, table.row_counts), categorical)
        )
        if ordered and (ranked := RankedColumn.of(name, table, groups, coverage)).n_distinct > 1:
            found.append(ranked)
    return found


@dataclass(frozen=True, eq=False)
class SortedRanks:
    """The ranks that some rows have in each of several columns, sorted, one column after the other.

    Attributes
    ----------
    keys : column times `step` plus rank, of the values that are not missing.
    step : more than any rank.
    total : how many rows the first 0, 1, 2, ... keys stand for.
    starts : where each column starts in `keys`, and where the last one ends.
    """

    keys: IntArray
    step: int
    total: IntArray
    starts: IndexArray

    @classmethod
    def of(cls, ranks: NDArray[np.integer[Any]], row_counts: IntArray | None, step: int) -> SortedRanks:
        """Sort the ranks of each column (row); -1 is missing."""
        if row_counts is None:
            each, ordered = None, np.sort(ranks, axis=1)
        else:
            order = np.argsort(ranks, axis=1, kind="stable")
            each, ordered = row_counts[order], np.take_along_axis(ranks, order, axis=1)
        present = ordered >= 0
        keys = (ordered + step * np.arange(len(ranks))[:, None])[present]
        total = np.arange(len(keys) + 1) if each is None else np.concatenate([[0], np.cumsum(each[present])])
        return cls(keys, step, total, np.concatenate([[0], np.cumsum(present.sum(axis=1))]))

    @cached_property
    def sizes(self) -> IntArray:
        """How many rows have a value, for each column."""
        return np.diff(self.total[self.starts])

    def below(self, cuts: IntArray) -> IntArray:
        """Count the rows below each cut of a column."""
        return np.asarray(self.total[self.keys.searchsorted(cuts)] - self.total[self.starts[cuts // self.step]])

    def quantiles(self, shares: FloatArray) -> IntArray:
        """Give the keys below which these shares of the rows of each column lie; none where no row has a value."""
        some = np.flatnonzero(self.sizes)
        wanted = np.round(shares * (self.sizes[some, None] - 1)).astype(np.int64) + self.total[self.starts[some], None]
        return np.asarray(self.keys[self.total[1:].searchsorted(wanted.ravel(), side="right")])


class RankedColumns:
    """Several ranked columns side by side, so that the cuts of all of them are handled at once.

    A cut between the distinct values p - 1 and p of a column is a number: the column's number times `step`, plus p.

    Parameters
    ----------
    coverage : the rows.
    columns : the columns and relations.
    """

    def __init__(self, coverage: Coverage, columns: Iterable[RankedColumn] = ()) -> None:
        self.columns: list[RankedColumn] = []
        bits = aligned(coverage.group_table_rows)
        n_normals, n_outliers = len(coverage.normal_rows), len(bits)
        self.step = n_normals + n_outliers + 2
        self._bit_of, self._n_words = bits, coverage.outlier_bits.shape[1]
        self._row_counts: tuple[Any, Any] = (None, None)
        if coverage.normal_row_counts is not None and coverage.group_row_counts is not None:
            self._row_counts = coverage.normal_row_counts, np.concatenate(coverage.group_row_counts)
        small = np.int16 if self.step < np.iinfo(np.int16).max else np.int32
        self._normals = np.empty((0, n_normals), dtype=small)
        self._outliers = np.empty((0, n_outliers), dtype=small)
        self._packed = np.empty(0, dtype=np.int64), coverage.normal_bits[:0], coverage.outlier_bits[:0]
        self.add(columns)

    def add(self, columns: Iterable[RankedColumn]) -> None:
        """Add those columns that have several values."""
        new = [column for column in columns if column.n_distinct > 1]
        if not new:
            return
        self.columns += new
        small = self._normals.dtype
        self._normals = np.concatenate([self._normals, [column.normals for column in new]], dtype=small)
        self._outliers = np.concatenate([self._outliers, [column.outliers for column in new]], dtype=small)
        self._sizes = np.array([column.n_distinct for column in self.columns])
        self.normals = SortedRanks.of(self._normals, self._row_counts[0], self.step)
        few = self._sizes <= MAX_EXHAUSTIVE_VALUES
        every = [np.arange(1, self._sizes[i]) + i * self.step for i in np.flatnonzero(few).tolist()]
        self._usual = np.concatenate([*every, self._beside(self.normals.quantiles(NORMAL_QUANTILES))])

    def outliers(self, mask: BoolArray) -> SortedRanks:
        """Sort the ranks of some outliers."""
        row_counts = self._row_counts[1]
        return SortedRanks.of(self._outliers[:, mask], None if row_counts is None else row_counts[mask], self.step)

    def cuts(self, parts: Sequence[SortedRanks], near: BoolArray | None = None) -> IntArray:
        """Choose cuts, sorted: all of a column of few values, else at quantiles.

        Parameters
        ----------
        parts : outliers; each part is cut at its own quantiles.
        near : a mask of normals, such as those that the rules match, which add quantiles of their own.
        """
        if not self.columns:
            return np.empty(0, dtype=np.int64)
        shares = np.linspace(0, 1, max(N_OUTLIER_QUANTILES // max(len(parts), 1), MIN_PART_QUANTILES))
        found = [part.quantiles(shares) for part in parts]
        if near is not None and near.any():
            row_counts = None if self._row_counts[0] is None else self._row_counts[0][near]
            found.append(SortedRanks.of(self._normals[:, near], row_counts, self.step).quantiles(NEAR_QUANTILES))
        return np.unique(np.concatenate([self._usual, *map(self._beside, found)]))

    def _beside(self, keys: IntArray) -> IntArray:
        """Cut below a value and above it, for `>=` this value and for `<=` it, in columns of many values."""
        keys = keys[self._sizes[keys // self.step] > MAX_EXHAUSTIVE_VALUES]
        column = keys // self.step
        first, last = column * self.step + 1, column * self.step + self._sizes[column] - 1
        return np.concatenate([np.clip(keys, first, last), np.clip(keys + 1, first, last)])

    def most_informative(self, cuts: IntArray, outliers: SortedRanks) -> IntArray:
        """Return the cuts of the columns whose best cut tells most of some outliers, where columns are many."""
        if len(self.columns) <= MAX_CUT_COLUMNS:
            return cuts
        column, best_gain = cuts // self.step, np.zeros(len(self.columns))
        below = outliers.below(cuts), self.normals.below(cuts)
        np.maximum.at(best_gain, column, gain(*below, outliers.sizes[column], self.normals.sizes[column]))
        best = np.zeros(len(self.columns), dtype=bool)
        best[np.argsort(-best_gain, kind="stable")[:MAX_CUT_COLUMNS]] = True
        return cuts[best[column]]

    def intervals(self, cuts: IntArray, outliers: SortedRanks) -> list[Condition]:
        """Give for each column the interval that tells most of some outliers, if clearly more than any cut alone.

        The ends are two of the cuts, which are then looked for among the values of the outliers near the best of them.
        """
        finer = []
        for pair in self._best_pairs(cuts, outliers):
            column = pair[0] // self.step
            own = cuts[slice(*cuts.searchsorted([column * self.step, (column + 1) * self.step]))]
            keys = np.unique(outliers.keys[slice(*outliers.starts[column : column + 2])])
            finer.append(np.array(pair))
            for i, beyond in zip(own.searchsorted(pair), (0, 1), strict=True):
                first, last = own[max(i - 1, 0)], own[min(i + 1, len(own) - 1)]
                near = keys[(keys >= first) & (keys < last)] + beyond
                near = near[np.linspace(0, len(near) - 1, min(len(near), MAX_FINER_CUTS)).astype(int)]
                finer.append(np.clip(near, column * self.step + 1, column * self.step + self._sizes[column] - 1))
        pairs = self._best_pairs(np.unique(np.concatenate(finer)), outliers) if finer else []
        return [self.columns[low // self.step].between(low % self.step, high % self.step) for low, high in pairs]

    def _best_pairs(self, cuts: IntArray, outliers: SortedRanks) -> list[tuple[int, int]]:
        """Give for each column the two cuts between which lies what tells most, if clearly more than any cut alone.

        Of cuts with as many of the outliers below them the tightest is looked at: the last as a lower end, the first as
        an upper one.
        """
        if not len(cuts):
            return []
        ours, theirs, column = outliers.below(cuts), self.normals.below(cuts), cuts // self.step
        first = np.flatnonzero(np.append(True, (ours[1:] != ours[:-1]) | (column[1:] != column[:-1])))
        last = np.append(first[1:], len(cuts)) - 1
        columns, row, n_runs = np.unique(column[first], return_inverse=True, return_counts=True)
        run = np.arange(len(first)) - np.repeat(np.cumsum(n_runs) - n_runs, n_runs)
        own, low, high = (np.zeros((len(columns), n_runs.max()), dtype=np.int64) for _ in range(3))
        own[row, run], low[row, run], high[row, run] = ours[first], theirs[last], theirs[first]
        i, j = np.triu_indices(own.shape[1], 1)
        inside, normals = own[:, j] - own[:, i], high[:, j] - low[:, i]
        size, n_normals = outliers.sizes[columns], self.normals.sizes[columns]
        fits = (j < n_runs[:, None]) & lifted(inside, size[:, None], normals, n_normals[:, None])
        told = np.where(fits, gain(inside * fits, normals * fits, size[:, None], n_normals[:, None]), 0.0)
        best = told.argmax(axis=1) if len(i) else np.zeros(0, dtype=np.intp)
        cut, gains = np.zeros(len(columns)), gain(ours, theirs, outliers.sizes[column], self.normals.sizes[column])
        np.maximum.at(cut, row.repeat(last - first + 1), gains)
        found = []
        for k in np.flatnonzero(told[np.arange(len(best)), best] > cut[: len(best)] + MIN_INTERVAL_BITS).tolist():
            runs = np.flatnonzero(row == k)
            start, stop = runs[i[best[k]]], runs[j[best[k]]]
            same = first[start] + theirs[first[start] : last[start] + 1].searchsorted(theirs[last[start]])
            found.append((int(cuts[same]), int(cuts[first[stop]])))
        return found

    def telling(self, cuts: IntArray, members: SortedRanks, size: int, n_normals: int) -> tuple[IntArray, BoolArray]:
        """Give the cuts, with their sides, that are more frequent among some outliers than among the normals.

        Of cuts of one column and side with the same of these outliers, the one with the fewest normals is taken.

        Parameters
        ----------
        cuts : sorted.
        members : the outliers.
        size, n_normals : how many outliers and normals there are, with a value or not.
        """
        own, normals, column = members.below(cuts), self.normals.below(cuts), cuts // self.step
        changes = (own[1:] != own[:-1]) | (column[1:] != column[:-1])
        above, beyond = members.sizes[column] - own, self.normals.sizes[column] - normals
        high = np.flatnonzero(np.append(changes, True) & (above > 0) & lifted(above, size, beyond, n_normals))
        low = np.flatnonzero(np.append(True, changes) & (own > 0) & lifted(own, size, normals, n_normals))
        which, side = np.concatenate([high, low]), np.arange(len(high) + len(low)) < len(high)
        order = np.argsort(2 * column[which] + ~side, kind="stable")
        return cuts[which[order]], side[order]

    def bits(self, cuts: IntArray, high: BoolArray) -> tuple[Words, Words]:
        """Mark the normals and the outliers above each cut where `high`, below it elsewhere."""
        present = cuts - cuts % self.step  # at position 0: all that have a value
        self._pack(np.unique(np.concatenate([cuts, present])))
        known, *packed = self._packed
        at, everyone = known.searchsorted(cuts), known.searchsorted(present[~high])
        found = tuple(words[at] for words in packed)
        for words, all_words in zip(found, packed, strict=True):
            words[~high] ^= all_words[everyone]
        return found[0], found[1]

    def _pack(self, cuts: IntArray) -> None:
        """Pack the rows above these cuts; those that were packed before are kept."""
        new = np.setdiff1d(cuts, self._packed[0], assume_unique=True)
        normals = np.empty((len(new), n_words(self._normals.shape[1])), dtype=np.uint64)
        outliers = np.empty((len(new), self._n_words), dtype=np.uint64)
        ends = new.searchsorted(np.arange(len(self.columns) + 1) * self.step)
        for i in np.flatnonzero(np.diff(ends)).tolist():
            here = slice(*ends[i : i + 2])
            positions = (new[here, None] % self.step).astype(self._normals.dtype)
            normals[here] = pack(self._normals[i] >= positions)
            spaced = np.zeros((len(positions), self._n_words * 64), dtype=bool)
            spaced[:, self._bit_of] = self._outliers[i] >= positions
            outliers[here] = pack(spaced)
        if len(new):
            joined = [np.concatenate(pair) for pair in zip(self._packed, (new, normals, outliers), strict=True)]
            order = np.argsort(joined[0])
            self._packed = joined[0][order], joined[1][order], joined[2][order]


class Conditions:
    """All conditions of a rule search: cuts of ordered columns, and others, each of which is evaluated once.

    Parameters
    ----------
    table, coverage : the rows.
    columns : the columns and relations that are cut; more may be added to `ranked`.
    prices : bits of conditions.
    """

    def __init__(self, table: Table, coverage: Coverage, columns: Iterable[RankedColumn], prices: Prices) -> None:
        self.table, self._coverage, self.prices = table, coverage, prices
        self.ranked = RankedColumns(coverage, columns)
        self._term_sides: dict[TermSide, int] = {}
        self._others: dict[Condition, int] = {}
        # Of the others: bits of the normals and the outliers, numbers of the term sides, prices.
        self._known: tuple[NDArray[Any], ...] = coverage.normal_bits[:0], coverage.outlier_bits[:0]
        self._known += np.empty(0, dtype=np.intp), np.empty(0)
        self._of_columns: list[tuple[float, ...]] = []  # for each column the numbers of both sides, bits of a cut

    def side_number(self, condition: Condition | Cut) -> int:
        """Number the term and side that a condition is about: a rule has at most one of each."""
        side = term_side(condition) if isinstance(condition, Condition) else condition.term_side
        return self._term_sides.setdefault(side, len(self._term_sides))

    def pool(self, others: Iterable[Condition]) -> Pool:
        """Give some conditions other than cuts; each is evaluated once."""
        known = list(dict.fromkeys(others))
        new = [one for one in known if one not in self._others]
        if new:
            singles = [Tag.of(one) for one in new]
            met = pack_tags(self.table, singles, self._coverage.normal_rows, self._coverage.group_rows)
            term_sides = np.array([self.side_number(one) for one in new], dtype=np.intp)
            more = (*met, term_sides, self.prices.of(singles))
            self._known = tuple(np.concatenate(pair) for pair in zip(self._known, more, strict=True))
            self._others.update(zip(new, range(len(self._others), len(self._known[0])), strict=True))
        which = np.array([self._others[one] for one in known], dtype=np.intp)
        normals, outliers, term_sides, prices = (one[which] for one in self._known)
        none = np.full(len(which), -1)
        return Pool(self, tuple(known), none, np.arange(len(which)), none > 0, term_sides, outliers, normals, prices)

    def with_cuts(self, others: Pool, cuts: IntArray, members: Words, sorted_members: SortedRanks) -> Pool:
        """Return those of the given conditions and cuts that may describe some outliers.

        Left out are those that are no more frequent among them than among the normals, and thresholds that match the
        same of them as another of the same term and side, and more normals.

        Parameters
        ----------
        others : conditions other than cuts.
        cuts : cuts of the columns in `ranked`.
        members, sorted_members : which outliers, and their ranks in each column.
        """
        coverage, step = self._coverage, self.ranked.step
        size = int(coverage.count_outliers(members))
        own, normal = coverage.count_outliers(others.outliers & members), coverage.count_normals(others.normals)
        others = others.take(np.flatnonzero(lifted(own, size, normal, coverage.n_normals)))
        if not self.ranked.columns:
            return others
        cuts, high = self.ranked.telling(cuts, sorted_members, size, coverage.n_normals)
        normals, outliers = self.ranked.bits(cuts, high)
        column, position = np.divmod(cuts, step)
        for one in self.ranked.columns[len(self._of_columns) :]:
            both = (self.side_number(Cut(one, 0, side)) for side in (False, True))
            self._of_columns.append((*both, self.prices.cut_bits(one.term)))
        low, up, prices = np.array(self._of_columns)[column].T
        found = (column, position, high, np.where(high, up, low).astype(np.intp), outliers, normals, prices)
        joined = (np.concatenate([getattr(others, name), one]) for name, one in zip(PER_CONDITION, found, strict=True))
        return Pool(self, others.given, *joined)


PER_CONDITION = ("column", "position", "high", "term_sides", "outliers", "normals", "prices")  # arrays of a `Pool`


@dataclass(frozen=True, eq=False)
class Pool:
    """Conditions, and the rows that meet them.

    Attributes
    ----------
    source : what they are taken from.
    given : the conditions other than cuts.
    column : for each the number of its column in `source.ranked.columns`; -1 for a given one.
    position : where the column is cut; of a given condition its number in `given`.
    high : True for the upper side of a cut.
    term_sides : the number of the term and side that each is about.
    outliers, normals : the rows that meet each condition, packed as in the coverage.
    prices : bits of each.
    """

    source: Conditions
    given: tuple[Condition, ...]
    column: IndexArray
    position: IntArray
    high: BoolArray
    term_sides: IndexArray
    outliers: Words
    normals: Words
    prices: FloatArray

    def condition(self, i: int) -> Condition | Cut:
        """Return the i-th condition; a cut is not written out yet."""
        column, position = int(self.column[i]), int(self.position[i])
        if column < 0:
            return self.given[position]
        return Cut(self.source.ranked.columns[column], position, bool(self.high[i]))

    def take(self, which: IndexArray, normals: Words | None = None) -> Pool:
        """Return some of the conditions; their normals only among the given ones, if any are given."""
        parts = {name: getattr(self, name)[which] for name in PER_CONDITION}
        if normals is not None:
            parts["normals"] &= normals
        return replace(self, **parts)

    def __len__(self) -> int:
        return len(self.column)


def _about(term: Term, condition: Condition) -> Condition:
    """State the same of a term; of a difference below a negative number that the opposite one is above a positive."""
    if isinstance(term, Relation) and term.op == "-" and condition.side != "is" and condition.value < 0:
        return Condition(Relation(term.right, "-", term.left), MIRRORED[condition.op], -condition.value)
    return replace(condition, column=term)


def write_tag(conditions: Iterable[Condition | Cut]) -> Tag:
    """Write the tag of these conditions; two cuts of a column become an interval."""
    written = [one for one in conditions if isinstance(one, Condition)]
    by_column: dict[Term, list[Cut]] = {}
    for one in conditions:
        if isinstance(one, Cut):
            by_column.setdefault(one.column.term, []).append(one)
    for cuts in by_column.values():
        high, low = sorted(cuts, key=lambda one: not one.high) if len(cuts) == 2 else (None, None)
        if high and low and high.high and not low.high and high.position < low.position:
            written.append(high.column.between(high.position, low.position))
        else:
            written += [one.to_condition() for one in cuts]
    return Tag(needed(written))

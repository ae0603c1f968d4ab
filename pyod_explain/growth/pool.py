"""`Pool`: the conditions that rules are made of, and the rows that meet them.

An ordered column is cut at quantiles of the normals, most of them in the tails, of each group, and of its outliers that
no rule covers yet. Cuts are kept as packed bits; only those that become part of a rule are written as conditions.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, aligned, n_words, pack
from pyod_explain.coverage import Coverage
from pyod_explain.input import Column, Groups, Table
from pyod_explain.tags import (
    MASS_SHARE,
    TAIL_PERCENTS,
    Condition,
    Op,
    Place,
    Prices,
    Relation,
    Tag,
    Term,
    ValueCounts,
    between,
    comparable,
    count_values,
    gain,
    is_category,
    lifted,
    nameable,
    needed,
    only_ordered,
    pack_tags,
    place_of,
    sides,
    value_of,
)

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

    line: RankedColumn
    position: int
    high: bool

    @property
    def place(self) -> Place:
        return self.line.term, "high" if self.high else "low"

    def to_condition(self) -> Condition:
        """Write it with the shortest number that separates the same rows."""
        return self.line.conditions(self.position)[int(self.high)]


@dataclass(frozen=True, eq=False)
class RankedColumn:
    """The values of an ordered column or relation, by rank, for the rows of a coverage.

    Attributes
    ----------
    term : the name of the column, or the relation.
    column, groups, table_counts : its values and the row counts of its table.
    normals, outliers : rank of each normal and of each outlier, in the order of the coverage; -1 where it is missing.
    row_counts : how many rows each of the normals and each of the outliers stands for; None where each is one.
    starts : where each group starts in `outliers`, and where the last one ends.
    n_distinct : number of distinct values.
    """

    term: Term
    column: Column
    groups: Groups
    table_counts: NDArray[np.int64] | None
    normals: NDArray[np.int32]
    outliers: NDArray[np.int32]
    row_counts: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    starts: NDArray[np.intp]
    n_distinct: int

    @classmethod
    def of(
        cls,
        column: Column,
        groups: Groups,
        coverage: Coverage,
        table_counts: NDArray[np.int64] | None = None,
        term: Term | None = None,
    ) -> RankedColumn:
        """Rank the values of a column, or those that a term has."""
        rows = np.concatenate([coverage.normal_rows, *coverage.group_rows])
        values = column.ranked[0] if column.values.dtype == object else comparable(column)
        present = ~column.missing[rows]
        ranks = np.full(len(rows), -1, dtype=np.int32)
        distinct, found = np.unique(values[rows[present]], return_inverse=True)
        ranks[present] = found
        n_normals = len(coverage.normal_rows)
        starts = np.concatenate([[0], np.cumsum(coverage.group_table_rows)])
        row_counts = None
        if coverage.normal_row_counts is not None and coverage.group_row_counts is not None:
            row_counts = coverage.normal_row_counts, np.concatenate(coverage.group_row_counts)
        return cls(
            column.name if term is None else term,
            column,
            groups,
            table_counts,
            ranks[:n_normals],
            ranks[n_normals:],
            row_counts,
            starts,
            len(distinct),
        )

    def positions(self, parts: Sequence[NDArray[np.bool_]], near: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Choose cuts: between distinct values p - 1 and p, for each position p.

        Parameters
        ----------
        parts : masks of the outliers; each part is cut at its own quantiles.
        near : a mask of normals, such as those that the rules match, which add quantiles of their own.
        """
        if self.n_distinct <= MAX_EXHAUSTIVE_VALUES:
            return np.arange(1, self.n_distinct)
        normals, outliers = self.row_counts or (None, None)
        found = [self._normal_quantiles]
        shares = np.linspace(0, 1, max(N_OUTLIER_QUANTILES // max(len(parts), 1), MIN_PART_QUANTILES))
        for part in parts:
            counts = None if outliers is None else outliers[part]
            found.append(_quantiles(self.outliers[part], counts, shares))
        if near is not None and near.any():
            found.append(_quantiles(self.normals[near], None if normals is None else normals[near], NEAR_QUANTILES))
        ranks = np.concatenate(found)
        # Below a value and above it: for `>=` this value and for `<=` it.
        return np.unique(np.clip(np.concatenate([ranks, ranks + 1]), 1, self.n_distinct - 1))

    @cached_property
    def counted_normals(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The ranks of the normals, sorted, and how many rows the first 0, 1, 2, ... stand for."""
        return _counted(self.normals, None if self.row_counts is None else self.row_counts[0])

    @cached_property
    def _normal_quantiles(self) -> NDArray[np.int64]:
        return _quantiles(self.normals, None if self.row_counts is None else self.row_counts[0], NORMAL_QUANTILES)

    def sharpest(self, positions: NDArray[np.int64], members: NDArray[np.bool_], *, high: bool) -> NDArray[np.int64]:
        """Leave out cuts with the same of these outliers as another cut of that side, and more normals."""
        ranks = self.outliers[members]
        ranks = np.sort(ranks[ranks >= 0])
        below = np.searchsorted(ranks, positions)
        last = np.append(below[1:] != below[:-1], True) if high else np.append(True, below[1:] != below[:-1])
        return positions[last & ((below < len(ranks)) if high else (below > 0))]

    def bits(self, positions: NDArray[np.int64], *, high: bool) -> tuple[Words, Words]:
        """Mark the normals and the outliers above each cut, or below it."""
        bit_of, n_bits = self._layout
        spaced = np.zeros((len(positions), n_bits), dtype=bool)
        spaced[:, bit_of] = self._beside(self.outliers, positions, high)
        return pack(self._beside(self.normals, positions, high)), pack(spaced)

    @cached_property
    def _layout(self) -> tuple[NDArray[np.intp], int]:
        """The bit of each outlier, and how many bits there are: each group begins with a word of its own."""
        sizes = np.diff(self.starts).tolist()
        return aligned(sizes), sum(map(n_words, sizes)) * 64

    @staticmethod
    def _beside(ranks: NDArray[np.int32], positions: NDArray[np.int64], high: bool) -> NDArray[np.bool_]:
        places = positions[:, None].astype(ranks.dtype)
        return np.asarray(ranks >= places if high else (ranks < places) & (ranks >= 0))

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

    def interval(self, positions: NDArray[np.int64], open_outliers: NDArray[np.bool_]) -> Condition | None:
        """Give the interval between two cuts that tells most, if it tells clearly more than any cut alone.

        Parameters
        ----------
        positions : the cuts; the ends are then looked for among the values of the outliers near the best of these.
        open_outliers : a mask of the outliers to part from the normals.
        """
        pair = self._best_pair(positions, open_outliers)
        if pair is None:
            return None
        ranks = np.unique(self.outliers[open_outliers])
        finer = []
        for i, beyond in zip(np.searchsorted(positions, pair), (0, 1), strict=True):
            first, last = positions[max(i - 1, 0)], positions[min(i + 1, len(positions) - 1)]
            near = ranks[(ranks >= first) & (ranks < last)] + beyond
            finer.append(near[np.linspace(0, len(near) - 1, min(len(near), MAX_FINER_CUTS)).astype(int)])
        pair = self._best_pair(
            np.unique(np.clip(np.concatenate([pair, *finer]), 1, self.n_distinct - 1)), open_outliers
        )
        return None if pair is None else replace(between(self.column, self._seen, *pair), column=self.term)

    def _best_pair(self, positions: NDArray[np.int64], open_outliers: NDArray[np.bool_]) -> tuple[int, int] | None:
        ours, theirs = _counts_below(self, positions, open_outliers)
        low, high = np.triu_indices(len(positions), 1)
        own, normals = ours[high] - ours[low], theirs[high] - theirs[low]
        size, n_normals = float(ours[-1]), float(theirs[-1])
        told = gain(own, normals, size, n_normals) * lifted(own, size, normals, n_normals, 1.0)
        best = int(np.argmax(told)) if len(told) else 0
        cut = gain(ours[:-1], theirs[:-1], size, n_normals).max(initial=0.0)
        if not len(told) or told[best] <= cut + MIN_INTERVAL_BITS:
            return None
        return int(positions[low[best]]), int(positions[high[best]])

    def value(self, position: int) -> Any:
        """Give a distinct value if it is a whole number, which a condition may name; else None."""
        plain = value_of(self.column, self._seen, position) if self.column.kind == "number" else None
        return plain if isinstance(plain, int) else None

    @cached_property
    def _seen(self) -> ValueCounts:
        return count_values(self.column, self.groups, self.table_counts)


def rank_columns(table: Table, groups: Groups, coverage: Coverage, categorical: Collection[str]) -> list[RankedColumn]:
    """Rank the columns of a table whose values have an order and are no codes, and that have several."""
    found = []
    for _, column in sorted(table.columns.items()):
        ordered = only_ordered(column, categorical) or (
            column.has_order and not is_category(column, count_values(column, groups, table.row_counts), categorical)
        )
        if ordered and (line := RankedColumn.of(column, groups, coverage, table.row_counts)).n_distinct > 1:
            found.append(line)
    return found


def most_informative(
    lines: Sequence[RankedColumn], cuts: Sequence[NDArray[np.int64]], open_outliers: NDArray[np.bool_]
) -> list[tuple[int, NDArray[np.int64]]]:
    """Return the columns, by position, whose cuts best separate the open outliers from the normals; with the cuts."""
    best = np.arange(len(lines))
    if len(lines) > MAX_CUT_COLUMNS:
        told = [_told(line, positions, open_outliers) for line, positions in zip(lines, cuts, strict=True)]
        best = np.sort(np.argsort(-np.array(told), kind="stable")[:MAX_CUT_COLUMNS])
    return [(i, cuts[i]) for i in best.tolist()]


def _told(line: RankedColumn, positions: NDArray[np.int64], open_outliers: NDArray[np.bool_]) -> float:
    """Return the bits that the best cut of a column saves, of those that tell open outliers from normals."""
    ours, theirs = _counts_below(line, positions, open_outliers)
    return float(gain(ours[:-1], theirs[:-1], float(ours[-1]), float(theirs[-1])).max(initial=0.0))


def _counts_below(
    line: RankedColumn, positions: NDArray[np.int64], open_outliers: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the open outliers and the normals below each position; the last is the count of all that have a value."""
    outliers = None if line.row_counts is None else line.row_counts[1][open_outliers]
    ours, theirs = (
        total[np.append(np.searchsorted(present, positions), len(present))]
        for present, total in (_counted(line.outliers[open_outliers], outliers), line.counted_normals)
    )
    return ours, theirs


def _quantiles(
    ranks: NDArray[np.int32], row_counts: NDArray[np.int64] | None, shares: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Give the ranks below which these shares of the rows lie; none where no row has a value."""
    present, total = _counted(ranks, row_counts)
    if not len(present):
        return np.empty(0, dtype=np.int64)
    wanted = np.round(shares * (total[-1] - 1)).astype(np.int64)
    return np.asarray(present[np.searchsorted(total[1:], wanted, side="right")].astype(np.int64))


def _counted(
    ranks: NDArray[np.int32], row_counts: NDArray[np.int64] | None
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Sort ranks, those of missing values left out, and count the rows that the first 0, 1, 2, ... stand for."""
    present = np.flatnonzero(ranks >= 0)
    order = present[np.argsort(ranks[present], kind="stable")]
    each = np.ones(len(order), dtype=np.int64) if row_counts is None else row_counts[order]
    return ranks[order], np.concatenate([[0], np.cumsum(each)])


class Conditions:
    """All conditions of a rule search: cuts of ordered columns, and others, each of which is evaluated once.

    Parameters
    ----------
    table, coverage : the rows.
    lines : the columns and relations that are cut; more may be added to the list.
    prices : bits of conditions.
    """

    def __init__(self, table: Table, coverage: Coverage, lines: list[RankedColumn], prices: Prices) -> None:
        self._table, self._coverage, self._prices = table, coverage, prices
        self.lines = lines
        self._places: dict[Place, int] = {}
        self._others: dict[Condition, int] = {}
        self._bits = coverage.normal_bits[:0], coverage.outlier_bits[:0]
        self._of_others = np.empty(0, dtype=np.intp), np.empty(0)

    def place(self, condition: Condition | Cut) -> int:
        """Number the term and side that a condition is about: a rule has at most one of each."""
        place = place_of(condition) if isinstance(condition, Condition) else condition.place
        return self._places.setdefault(place, len(self._places))

    def pool(self, others: Iterable[Condition]) -> Pool:
        """Give some conditions other than cuts; each is evaluated once."""
        known = list(dict.fromkeys(others))
        new = [one for one in known if one not in self._others]
        if new:
            singles = [Tag.of(one) for one in new]
            met = pack_tags(self._table, singles, self._coverage.normal_rows, self._coverage.group_rows)
            self._bits = np.concatenate([self._bits[0], met[0]]), np.concatenate([self._bits[1], met[1]])
            places = np.array([self.place(one) for one in new], dtype=np.intp)
            self._of_others = (
                np.concatenate([self._of_others[0], places]),
                np.concatenate([self._of_others[1], self._prices.of(singles)]),
            )
            self._others.update(zip(new, range(len(self._others), len(self._bits[0])), strict=True))
        which = np.array([self._others[one] for one in known], dtype=np.intp)
        normals, outliers = (one[which] for one in self._bits)
        places, prices = self._of_others[0][which], self._of_others[1][which]
        none = np.full(len(which), -1)
        return Pool(self, tuple(known), none, np.arange(len(which)), none > 0, places, outliers, normals, prices)

    def with_cuts(self, others: Pool, cuts: Iterable[tuple[int, NDArray[np.int64]]], members: Words) -> Pool:
        """Return those of the given conditions and cuts that may describe some outliers.

        Left out are those that are no more frequent among them than among the normals, and thresholds that match the
        same of them as another of the same term and side, and more normals.

        Parameters
        ----------
        others : conditions other than cuts.
        cuts : columns, by their places in `lines`, and where they are cut.
        members : which outliers.
        """
        parts = [others]
        coverage = self._coverage
        mask = np.concatenate([coverage.outlier_mask(members, k) for k in range(coverage.n_groups)])
        for i, positions in cuts:
            price = self._prices.cut_bits(self.lines[i].term)
            for high in (True, False):
                sharp = self.lines[i].sharpest(positions, mask, high=high)
                normals, outliers = self.lines[i].bits(sharp, high=high)
                place = self.place(Cut(self.lines[i], 0, high))
                n = len(sharp)
                line, side, bits = np.full(n, i), np.full(n, high), np.full(n, price)
                parts.append(Pool(self, (), line, sharp, side, np.full(n, place), outliers, normals, bits))
        names = ("line", "position", "high", "places", "outliers", "normals", "prices")
        joined = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
        return Pool(self, others.given, *joined).frequent_among(members, coverage)


@dataclass(frozen=True, eq=False)
class Pool:
    """Conditions, and the rows that meet them.

    Attributes
    ----------
    source : what they are taken from.
    given : the conditions other than cuts.
    line : for each the place of its column in `source.lines`; -1 for a given one.
    position : where the column is cut; of a given condition its place in `given`.
    high : True for the upper side of a cut.
    places : the number of the term and side that each is about.
    outliers, normals : the rows that meet each condition, packed as in the coverage.
    prices : bits of each.
    """

    source: Conditions
    given: tuple[Condition, ...]
    line: NDArray[np.intp]
    position: NDArray[np.int64]
    high: NDArray[np.bool_]
    places: NDArray[np.intp]
    outliers: Words
    normals: Words
    prices: NDArray[np.float64]

    def condition(self, i: int) -> Condition | Cut:
        """Return the i-th condition; a cut is not written out yet."""
        line, position = int(self.line[i]), int(self.position[i])
        if line < 0:
            return self.given[position]
        return Cut(self.source.lines[line], position, bool(self.high[i]))

    def frequent_among(self, members: Words, coverage: Coverage) -> Pool:
        """Leave out redundant cuts, and conditions no more frequent among some outliers than the normals."""
        own, normals = coverage.count_outliers(self.outliers & members), coverage.count_normals(self.normals)
        size = int(coverage.count_outliers(members))
        more = np.flatnonzero(lifted(own, size, normals, coverage.n_normals))
        order = more[np.argsort(normals[more], kind="stable")]
        # Thresholds of one side are nested: as many members are the same members.
        alone = np.where(self.line[order] >= 0, -1, order)
        by = np.lexsort((normals[order], alone, own[order], self.places[order]))
        keys = np.stack([self.places[order][by], own[order][by], alone[by]])
        first = np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)) if len(by) else np.empty(0, dtype=bool)
        return self.take(np.sort(order[by[first]]))

    def take(self, which: NDArray[np.intp], normals: Words | None = None) -> Pool:
        """Return some of the conditions; their normals only among the given ones, if any are given."""
        met = self.normals[which]
        return Pool(
            self.source,
            self.given,
            self.line[which],
            self.position[which],
            self.high[which],
            self.places[which],
            self.outliers[which],
            met if normals is None else met & normals,
            self.prices[which],
        )

    def __len__(self) -> int:
        return len(self.line)


def _about(term: Term, condition: Condition) -> Condition:
    """State the same of a term; of a difference below a negative number that the opposite one is above a positive."""
    if isinstance(term, Relation) and term.op == "-" and condition.side != "is" and condition.value < 0:
        return Condition(Relation(term.right, "-", term.left), MIRRORED[condition.op], -condition.value)
    return replace(condition, column=term)


def write_tag(conditions: Iterable[Condition | Cut]) -> Tag:
    """Write the tag of these conditions; two cuts around a single value become `== value`."""
    written = [one.to_condition() if isinstance(one, Cut) else one for one in conditions]
    cuts = [one for one in conditions if isinstance(one, Cut)]
    for low, high in itertools.permutations(cuts, 2):
        if low.line is high.line and low.high and not high.high and high.position == low.position + 1:
            value = low.line.value(low.position)
            if value is not None:
                written = [one for one in written if one not in (low.to_condition(), high.to_condition())]
                written.append(Condition(low.line.term, "==", value))
    return Tag(needed(written))

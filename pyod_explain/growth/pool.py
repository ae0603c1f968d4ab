"""`Pool`: the conditions that rules are grown from, and the rows that meet them.

An ordered column is cut at quantiles of the normals, most of them in the tails, of each group, and of its outliers that
no rule covers yet. Cuts are kept as bits; those that become part of a rule are written as conditions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, aligned, n_words, pack
from pyod_explain.coverage import Coverage
from pyod_explain.input import Column, Groups, Table
from pyod_explain.tags import (
    TAIL_PERCENTS,
    Condition,
    Place,
    Tag,
    ValueCounts,
    comparable,
    count_values,
    extra_bits,
    gain,
    is_category,
    lifted,
    only_ordered,
    pack_tags,
    place_of,
    sides,
)

MAX_CUT_COLUMNS = 64  # columns that are cut
MAX_EXHAUSTIVE_VALUES = 32  # with so few distinct values every step between two of them is a cut
NORMAL_QUANTILES = np.array(TAIL_PERCENTS) / 100
N_OUTLIER_QUANTILES = 16  # quantiles of outliers in all, shared out to the groups
MIN_GROUP_QUANTILES = 4  # for each of them


@dataclass(frozen=True, eq=False)
class Cut:
    """One side of a cut of a column, to be written out when it is used."""

    line: RankedColumn
    position: int
    high: bool

    def to_condition(self) -> Condition:
        """Write it as a person would."""
        return self.line.conditions(self.position)[int(self.high)]


@dataclass(frozen=True, eq=False)
class RankedColumn:
    """The values of an ordered column, by rank, for the rows of a coverage.

    Attributes
    ----------
    column, groups, table_counts : what the ranks are of, and the row counts of its table.
    normals, outliers : rank of each normal and of each outlier, in the order of the coverage; -1 where it is missing.
    row_counts : how many rows each of the normals and each of the outliers stands for; None where each is one.
    starts : where each group starts in `outliers`, and where the last one ends.
    n_distinct : number of distinct values.
    """

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
        cls, column: Column, groups: Groups, coverage: Coverage, table_counts: NDArray[np.int64] | None = None
    ) -> RankedColumn:
        """Rank the values of a column."""
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
            column, groups, table_counts, ranks[:n_normals], ranks[n_normals:], row_counts, starts, len(distinct)
        )

    def positions(self, open_outliers: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Choose cuts: between distinct values p - 1 and p, for each position p."""
        if self.n_distinct <= MAX_EXHAUSTIVE_VALUES:
            return np.arange(1, self.n_distinct)
        normals, outliers = self.row_counts or (None, None)
        found = [_quantiles(self.normals, normals, NORMAL_QUANTILES)]
        n_groups = len(self.starts) - 1
        shares = np.linspace(0, 1, max(N_OUTLIER_QUANTILES // (2 * max(n_groups, 1)), MIN_GROUP_QUANTILES))
        for k in range(n_groups):
            part = slice(self.starts[k], self.starts[k + 1])
            members, row_counts = self.outliers[part], None if outliers is None else outliers[part]
            for which in (slice(None), open_outliers[part]):
                found.append(_quantiles(members[which], None if row_counts is None else row_counts[which], shares))  # noqa: PERF401 - a loop reads better
        ranks = np.concatenate(found)
        # Below the value and above it: what is `>=` a value and what is `<=` it.
        return np.unique(np.clip(np.concatenate([ranks, ranks + 1]), 1, self.n_distinct - 1))

    def sharpest(self, positions: NDArray[np.int64], group: int, *, high: bool) -> NDArray[np.int64]:
        """Leave out cuts whose side has the same outliers of a group (0-based) as that of another, and more normals."""
        members = self.outliers[self.starts[group] : self.starts[group + 1]]
        ranks = np.sort(members[members >= 0])
        below = np.searchsorted(ranks, positions)
        last = np.append(below[1:] != below[:-1], True) if high else np.append(True, below[1:] != below[:-1])
        return positions[last & ((below < len(ranks)) if high else (below > 0))]

    def bits(self, positions: NDArray[np.int64], *, high: bool) -> tuple[Words, Words]:
        """Mark the normals and the outliers that lie above each cut, or below."""
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
        return sides(self.column, self._seen, position)

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
    cut: Sequence[tuple[RankedColumn, NDArray[np.int64]]], open_outliers: NDArray[np.bool_]
) -> list[tuple[RankedColumn, NDArray[np.int64]]]:
    """Give the columns, with their cuts, that tell most of the open outliers from the normals, in their order."""
    if len(cut) <= MAX_CUT_COLUMNS:
        return list(cut)
    told = [_told(line, positions, open_outliers) for line, positions in cut]
    best = np.argsort(-np.array(told), kind="stable")[:MAX_CUT_COLUMNS]
    return [cut[i] for i in np.sort(best)]


def _told(line: RankedColumn, positions: NDArray[np.int64], open_outliers: NDArray[np.bool_]) -> float:
    """Bits that the best cut of a column saves, of those that it takes to tell open outliers from normals."""
    normals, outliers = line.row_counts or (None, None)
    ours = _below(line.outliers[open_outliers], None if outliers is None else outliers[open_outliers], positions)
    theirs = _below(line.normals, normals, positions)
    return float(gain(ours[:-1], theirs[:-1], float(ours[-1]), float(theirs[-1])).max(initial=0.0))


def _below(
    ranks: NDArray[np.int32], row_counts: NDArray[np.int64] | None, positions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the rows whose value lies below each position; the last is the count of all that have a value."""
    present, total = _counted(ranks, row_counts)
    return np.asarray(total[np.append(np.searchsorted(present, positions), len(present))])


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


@dataclass(frozen=True, eq=False)
class Pool:
    """Conditions, and who meets them.

    Attributes
    ----------
    conditions : conditions, or cuts that have not been written out as such yet.
    places : a number for the column and side that each is about: a tag has at most one of each.
    outliers, normals : packed, a row per condition, in the layout of the coverage.
    lengths : what each is priced by: 2 for a relation of two columns, 1 else.
    extra : bits of each beside those of its feature, such as those that name the values of a list.
    """

    conditions: tuple[Condition | Cut, ...]
    places: NDArray[np.intp]
    outliers: Words
    normals: Words
    lengths: NDArray[np.int64]
    extra: NDArray[np.float64]

    @classmethod
    def of(cls, conditions: Iterable[Condition], table: Table, coverage: Coverage) -> Pool:
        """Evaluate conditions on the rows of a coverage."""
        known = list(dict.fromkeys(conditions))
        singles = [Tag.of(c) for c in known]
        normals, outliers = pack_tags(table, singles, coverage.normal_rows, coverage.group_rows)
        return cls(
            tuple(known),
            _numbered([place_of(c) for c in known]),
            outliers,
            normals,
            np.array([tag.length for tag in singles], dtype=np.int64),
            extra_bits(singles, table),
        )

    def for_group(self, group: int, cuts: Iterable[tuple[RankedColumn, NDArray[np.int64]]], coverage: Coverage) -> Pool:
        """Give the conditions that may help to tell a group, with those of the columns' cuts that may.

        Left out are those that are no more frequent in the group than among the normals, and thresholds with the same
        members of the group as another of the same column and side, and more normals. What is left does not grow with
        the number of groups.

        Parameters
        ----------
        group : 0-based.
        cuts : columns, and where they are cut.
        coverage : of the same rows.
        """
        conditions: list[Condition | Cut] = [*self.conditions]
        places: list[Place] = [place_of(one) for one in self.conditions if isinstance(one, Condition)]
        outliers, normals = [self.outliers], [self.normals]
        for line, positions in cuts:
            for high in (True, False):
                sharp = line.sharpest(positions, group, high=high)
                met = line.bits(sharp, high=high)
                normals.append(met[0])
                outliers.append(met[1])
                conditions += [Cut(line, position, high) for position in sharp.tolist()]
                places += [(line.column.name, "high" if high else "low")] * len(sharp)
        n_cuts = len(conditions) - len(self)
        both = Pool(
            tuple(conditions),
            _numbered(places),
            np.concatenate(outliers),
            np.concatenate(normals),
            np.concatenate([self.lengths, np.ones(n_cuts, dtype=np.int64)]),
            np.concatenate([self.extra, np.zeros(n_cuts)]),
        )
        return both._telling(group, coverage, [place[1] != "is" for place in places])

    def _telling(self, group: int, coverage: Coverage, nested: Sequence[bool]) -> Pool:
        members = self.outliers[:, coverage.slices[group]]
        own, normals = coverage.count_group(members, group), coverage.count_normals(self.normals)
        more = np.flatnonzero(lifted(own, coverage.group_sizes[group], normals, coverage.n_normals))
        order = more[np.argsort(normals[more], kind="stable")]
        # Thresholds of one side are nested: as many members are the same members.
        alone = np.where(np.array(nested, dtype=bool)[order], -1, order)
        _, first = np.unique(np.column_stack([self.places[order], own[order], alone]), axis=0, return_index=True)
        return self.take(np.sort(order[first]))

    def take(self, which: NDArray[np.intp], normals: Words | None = None) -> Pool:
        """Return some of the conditions; with who meets them among these normals, if they are given."""
        met = self.normals[which]
        return Pool(
            tuple(self.conditions[i] for i in which.tolist()),
            self.places[which],
            self.outliers[which],
            met if normals is None else met & normals,
            self.lengths[which],
            self.extra[which],
        )

    def __len__(self) -> int:
        return len(self.conditions)

    def tag(self, members: Sequence[int]) -> Tag:
        """Make the tag of these conditions."""
        found = (self.conditions[i] for i in members)
        return Tag(_needed_ends(one.to_condition() if isinstance(one, Cut) else one for one in found))


def _needed_ends(conditions: Iterable[Condition]) -> frozenset[Condition]:
    """Say of an interval only the ends that no threshold on the same column says better, and of the two the better.

    >>> found = _needed_ends([Condition("x", "between", (2, 8)), Condition("x", ">=", 4), Condition("y", "<", 1)])
    >>> print(Tag(found))
    4 <= x <= 8 and y < 1
    >>> print(Tag(_needed_ends([Condition("x", "between", (2, 8)), Condition("x", ">", 1)])))
    2 <= x <= 8
    """
    said = set(conditions)
    for one in [one for one in said if one.op == "between"]:
        beside = [c for c in said if c.side != "is" and c.column == one.column]
        low, high = one.value
        ends = {"high": Condition(one.column, ">=", low), "low": Condition(one.column, "<=", high)}
        for c in beside:
            if c.value >= low if c.side == "high" else c.value <= high:
                del ends[c.side]
            else:
                said.discard(c)
        if len(ends) < 2:
            said.discard(one)
            said.update(ends.values())
    return frozenset(said)


def _numbered(places: Sequence[Place]) -> NDArray[np.intp]:
    number = {place: i for i, place in enumerate(dict.fromkeys(places))}
    return np.array([number[place] for place in places], dtype=np.intp)

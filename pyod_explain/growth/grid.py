"""Cut points of ordered columns for growing rules: many, as bits, and written out as conditions only if they are used.

A column is cut at quantiles of the normals, most of them in the tails, of each group, and of its outliers that nothing
covers yet. What a person would write for a cut is found out for the few that become part of a rule.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, aligned, n_words, pack
from pyod_explain.coverage import Coverage
from pyod_explain.groups import Groups
from pyod_explain.input import Column, Table
from pyod_explain.tags import (
    TAIL_PERCENTS,
    Condition,
    ValueCounts,
    comparable,
    count_values,
    gain,
    is_category,
    only_ordered,
    sides,
)

__all__ = ["Cut", "Line", "lines", "most_telling"]

MOST_LINES = 64  # columns that are cut
FEW = 32  # with so few distinct values every step between two of them is a cut
NORMALS = np.array(TAIL_PERCENTS) / 100
OUTLIERS = 16  # quantiles of outliers in all, shared out to the groups
FEWEST = 4  # for each of them


@dataclass(frozen=True, eq=False)
class Cut:
    """One side of a cut of a column, to be written out when it is used."""

    line: Line
    position: int
    high: bool

    def written(self) -> Condition:
        """Write it as a person would."""
        return self.line.conditions(self.position)[int(self.high)]


@dataclass(frozen=True, eq=False)
class Line:
    """The values of an ordered column, by rank, for the rows of a coverage.

    Attributes
    ----------
    column, groups : what the ranks are of.
    normals, outliers : rank of each normal and of each outlier, in the order of the coverage; -1 where it is missing.
    copies : how many rows each of the normals and each of the outliers stands for; None where each is one.
    starts : where each group starts in `outliers`, and where the last one ends.
    n_distinct : number of distinct values.
    """

    column: Column
    groups: Groups
    normals: NDArray[np.int32]
    outliers: NDArray[np.int32]
    copies: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    starts: NDArray[np.intp]
    n_distinct: int

    @classmethod
    def of(cls, column: Column, groups: Groups, coverage: Coverage) -> Line:
        """Rank the values of a column."""
        rows = np.concatenate([coverage.normal_rows, *coverage.group_rows])
        values = column.ranked[0] if column.values.dtype == object else comparable(column)
        present = ~column.missing[rows]
        ranks = np.full(len(rows), -1, dtype=np.int32)
        distinct, found = np.unique(values[rows[present]], return_inverse=True)
        ranks[present] = found
        n_normals = len(coverage.normal_rows)
        starts = np.concatenate([[0], np.cumsum(coverage.group_lines)])
        copies = None
        if coverage.normal_copies is not None and coverage.group_copies is not None:
            copies = coverage.normal_copies, np.concatenate(coverage.group_copies)
        return cls(column, groups, ranks[:n_normals], ranks[n_normals:], copies, starts, len(distinct))

    def positions(self, open_outliers: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Choose cuts: between distinct values p - 1 and p, for each position p."""
        if self.n_distinct <= FEW:
            return np.arange(1, self.n_distinct)
        normals, outliers = self.copies or (None, None)
        found = [_quantiles(self.normals, normals, NORMALS)]
        n_groups = len(self.starts) - 1
        shares = np.linspace(0, 1, max(OUTLIERS // (2 * max(n_groups, 1)), FEWEST))
        for k in range(n_groups):
            part = slice(self.starts[k], self.starts[k + 1])
            members, copies = self.outliers[part], None if outliers is None else outliers[part]
            for which in (slice(None), open_outliers[part]):
                found.append(_quantiles(members[which], None if copies is None else copies[which], shares))  # noqa: PERF401 - a loop reads better
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
        return count_values(self.column, self.groups)


def lines(table: Table, groups: Groups, coverage: Coverage, categorical: Collection[str]) -> list[Line]:
    """Rank the columns of a table whose values have an order and are no codes, and that have several."""
    found = []
    for _, column in sorted(table.columns.items()):
        ordered = only_ordered(column, categorical) or (
            column.has_order and not is_category(column, count_values(column, groups), categorical)
        )
        if ordered and (line := Line.of(column, groups, coverage)).n_distinct > 1:
            found.append(line)
    return found


def most_telling(
    cut: Sequence[tuple[Line, NDArray[np.int64]]], open_outliers: NDArray[np.bool_]
) -> list[tuple[Line, NDArray[np.int64]]]:
    """Give the columns, with their cuts, that tell most of the open outliers from the normals, in their order."""
    if len(cut) <= MOST_LINES:
        return list(cut)
    told = [_told(line, positions, open_outliers) for line, positions in cut]
    best = np.argsort(-np.array(told), kind="stable")[:MOST_LINES]
    return [cut[i] for i in np.sort(best)]


def _told(line: Line, positions: NDArray[np.int64], open_outliers: NDArray[np.bool_]) -> float:
    """Bits that the best cut of a column saves, of those that it takes to tell open outliers from normals."""
    normals, outliers = line.copies or (None, None)
    ours = _below(line.outliers[open_outliers], None if outliers is None else outliers[open_outliers], positions)
    theirs = _below(line.normals, normals, positions)
    return float(gain(ours[:-1], theirs[:-1], float(ours[-1]), float(theirs[-1])).max(initial=0.0))


def _below(
    ranks: NDArray[np.int32], copies: NDArray[np.int64] | None, positions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the rows whose value lies below each position; the last is the count of all that have a value."""
    present, total = _counted(ranks, copies)
    return np.asarray(total[np.append(np.searchsorted(present, positions), len(present))])


def _quantiles(
    ranks: NDArray[np.int32], copies: NDArray[np.int64] | None, shares: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Give the ranks below which these shares of the rows lie; none where no row has a value."""
    present, total = _counted(ranks, copies)
    if not len(present):
        return np.empty(0, dtype=np.int64)
    wanted = np.round(shares * (total[-1] - 1)).astype(np.int64)
    return np.asarray(present[np.searchsorted(total[1:], wanted, side="right")].astype(np.int64))


def _counted(ranks: NDArray[np.int32], copies: NDArray[np.int64] | None) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Sort ranks, those of missing values left out, and count the rows that the first 0, 1, 2, ... stand for."""
    present = np.flatnonzero(ranks >= 0)
    order = present[np.argsort(ranks[present], kind="stable")]
    each = np.ones(len(order), dtype=np.int64) if copies is None else copies[order]
    return ranks[order], np.concatenate([[0], np.cumsum(each)])

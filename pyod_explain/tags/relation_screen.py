"""Which relations of two columns are worth making conditions of, found without making any.

There are four for every two columns: thousands where there are fifty. Each is reckoned on a sample of the rows, and
judged by the bits that its best threshold tells of a group (`gain`), against what the same two columns tell on their
own: by one threshold on either, or by one on each. Only those that tell clearly more are kept, a few for each group.
What is kept is then treated as any other column.

The first look is at few rows and all relations, the second at more rows and those that did best. What the best relation
leaves of a group is looked at again, so that a second cause is found beside the first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.groups import Groups
from pyod_explain.input.relation import Relation, combine, taking_part
from pyod_explain.input.row_order import by_content
from pyod_explain.input.table import Table
from pyod_explain.tags.relations import in_order

__all__ = ["screen"]

KEPT = 8  # relations of a group
EACH = 3  # of these that are kept at once; then follow those that tell most of what the best of them leaves
TRIED = 24  # relations that are compared with their columns before the search is given up
FIRST_LOOK, SECOND_LOOK = (400, 150), (3_000, 1_000)  # normals and outliers
FEWEST = 25  # outliers of a group in a look
SECOND = 160  # relations that get a second look
GRID = np.linspace(0, 1, 17)  # shares of members, and of normals, below the cuts that columns are tried with
CELLS = 400_000  # reckoned at once: what fits in the cache is fast
SEED = 0  # of the samples: which rows are drawn is to depend on nothing but the table
SURE = 4.0  # bits beyond the price of naming one of the relations that were looked at


def screen(table: Table, groups: Groups, relations: Sequence[Relation]) -> list[Relation]:
    """Give the relations that tell clearly more of some group than their two columns do; all, if there are but a few.

    Parameters
    ----------
    table : the features.
    groups : which rows are normal and which belong to which group.
    relations : what to choose from.
    """
    if len(relations) <= KEPT:
        return list(relations)
    if not (groups.numbers == 0).any() or not (groups.numbers > 0).any():
        return []
    names = sorted({name for one in relations for name in one.columns})
    small = Table({name: table[name] for name in names}, table.index)
    order = _sampled(small, groups)
    coarse, fine = (Look.at(small, order, *size) for size in (FIRST_LOOK, SECOND_LOOK))
    first = coarse.stand(relations)
    alone = {name: i for i, name in enumerate(names)}
    kept: dict[Relation, None] = {}
    for group in range(1, groups.n_groups + 1):
        members = coarse.numbers == group
        if not members.any():
            continue
        single = coarse.columns.gains(members)
        columns = np.array([[alone[name] for name in one.columns] for one in relations])
        ahead = first.gains(members) - single[columns].max(axis=1)
        likely = np.argsort(-ahead, kind="stable")[:SECOND]
        kept.update(dict.fromkeys(_best(group, [relations[i] for i in np.sort(likely)], fine, len(relations))))
    return in_order(kept)


def _best(group: int, relations: Sequence[Relation], look: Look, n_looked_at: int) -> Iterator[Relation]:
    """Give the relations that tell most of a group, then most of what the best of these leaves of it, and so on."""
    price = float(np.log2(n_looked_at)) + SURE
    standing, left = look.stand(relations), look.numbers == group
    taken: set[int] = set()
    while left.any():
        gains = standing.gains(left)
        order = [int(i) for i in np.argsort(-gains, kind="stable") if i not in taken and gains[i] > price]
        found = [i for i in order[:TRIED] if gains[i] - look.by_two_cuts(relations[i], left) > price]
        for i in found[: min(EACH, KEPT - len(taken))]:
            taken.add(i)
            yield relations[i]
        if not found or len(taken) >= KEPT:
            return
        left = left & ~standing.named(found[0], left)


def _sampled(table: Table, groups: Groups) -> tuple[NDArray[np.intp], list[tuple[int, NDArray[np.intp]]]]:
    """Give the normals, and the members of each group, in a random order that depends on what the rows say alone."""
    random = np.random.default_rng(SEED)

    def shuffled(number: int) -> NDArray[np.intp]:
        rows = np.flatnonzero(groups.numbers == number)
        if len(rows) <= (FIRST_LOOK[0] if number == 0 else FEWEST):
            return rows  # all of them are looked at each time, so that their order does not matter
        return np.asarray(random.permutation(by_content(table, rows)))

    return shuffled(0), [(k, shuffled(k)) for k in range(1, groups.n_groups + 1)]


@dataclass(frozen=True, eq=False)
class Standing:
    """Where the outliers stand among the normals, in each of several columns or relations.

    Attributes
    ----------
    below, up_to : for each column (row) and outlier, how many normals have less, and how many at most as much; -1 where
        the outlier has no value.
    present : how many normals have a value, in each column.
    n_normals : how many there are.
    """

    below: NDArray[np.int32]
    up_to: NDArray[np.int32]
    present: NDArray[np.int32]
    n_normals: int

    def gains(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Bits that the best threshold of each column tells of these outliers; 0 where none is frequent among them."""
        low, high = self._sides(members)
        return np.asarray(np.maximum(low.max(axis=1, initial=0.0), high.max(axis=1, initial=0.0)))

    def named(self, i: int, members: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell which outliers are on the outer side of the best threshold of a column."""
        low, high = (side[0] for side in self.take([i])._sides(members))  # noqa: SLF001 - our own
        up_to, below = self.up_to[i], self.below[i]
        if low.max(initial=0.0) >= high.max(initial=0.0):
            return np.asarray((up_to >= 0) & (up_to <= np.sort(_or_last(up_to[members]))[np.argmax(low)]))
        return np.asarray(below >= np.sort(below[members])[::-1][np.argmax(high)])

    def put(self, rows: NDArray[np.intp], part: Standing) -> None:
        """Write the standing in some of the columns into their places, while it is being put together."""
        self.below[rows], self.up_to[rows], self.present[rows] = part.below, part.up_to, part.present

    def take(self, columns: Sequence[int]) -> Standing:
        """Return the same of some of the columns."""
        some = list(columns)
        return Standing(self.below[some], self.up_to[some], self.present[some], self.n_normals)

    def _sides(self, members: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bits of the thresholds beside the first, second, ... member from below, and from above."""
        up_to = np.sort(_or_last(self.up_to[:, members]), axis=1)
        below = np.sort(self.below[:, members], axis=1)[:, ::-1]
        size = up_to.shape[1]
        inside = np.arange(1, size + 1)
        low = _gains(inside, np.minimum(up_to, self.n_normals), size, self.n_normals)
        high = _gains(inside, np.clip(self.present[:, None] - below, 0, self.n_normals), size, self.n_normals)
        return np.where(up_to < LAST, low, 0.0), np.where(below >= 0, high, 0.0)


LAST = np.iinfo(np.int32).max


def _or_last(up_to: NDArray[np.int32]) -> NDArray[np.int32]:
    """Put those without a value behind all others."""
    return np.where(up_to < 0, LAST, up_to).astype(np.int32)


def _gains(inside: Any, normal: Any, size: int, normals: int) -> NDArray[np.float64]:
    """Bits as `gain` gives, from a table of logarithms; 0 where the share of the members is not the greater one."""
    log = np.arange(size + normals + 1, dtype=np.float64)
    log[1:] *= np.log2(log[1:])
    told = log[size + normals] - log[size] - log[normals]
    told = told - (log[inside + normal] - log[inside] - log[normal])
    out, beyond = size - inside, normals - normal
    told = told - (log[out + beyond] - log[out] - log[beyond])
    return np.where(inside * normals > normal * size, told, 0.0)


@dataclass(frozen=True, eq=False)
class Look:
    """A sample of the rows: their cells in every column, NaN where one takes no part in relations.

    Attributes
    ----------
    place : the row of each column in the arrays.
    normals, outliers : a row per column.
    numbers : the group of each outlier.
    """

    place: Mapping[str, int]
    normals: NDArray[np.float64]
    outliers: NDArray[np.float64]
    numbers: NDArray[np.int64]

    @classmethod
    def at(cls, table: Table, order: Any, n_normals: int, n_outliers: int) -> Look:
        """Take so many normals and outliers, the same share of every group but at least some of each."""
        normals, groups = order
        share = n_outliers / max(sum(len(rows) for _, rows in groups), 1)
        taken = [(k, rows[: max(FEWEST, round(share * len(rows)))]) for k, rows in groups]
        rows = np.concatenate([rows for _, rows in taken])
        numbers = np.concatenate([np.full(len(rows), k) for k, rows in taken])
        columns = [(table[name].take(normals[:n_normals]), table[name].take(rows)) for name in table.columns]
        cells = [np.stack([taking_part(pair[i].floats()) for pair in columns]) for i in (0, 1)]
        return cls({name: i for i, name in enumerate(table.columns)}, cells[0], cells[1], numbers)

    @cached_property
    def columns(self) -> Standing:
        """Where the outliers stand in the columns themselves."""
        return _stand(self.normals, self.outliers)

    def stand(self, relations: Sequence[Relation]) -> Standing:
        """Find where the outliers stand in each relation, some at a time."""
        places = np.array([[self.place[name] for name in one.columns] for one in relations]).reshape(-1, 2)
        ops = np.array([one.op for one in relations])
        step = max(1, CELLS // max(self.normals.shape[1], 1))
        shape = len(relations), self.outliers.shape[1]
        found = Standing(
            np.empty(shape, dtype=np.int32),
            np.empty(shape, dtype=np.int32),
            np.empty(shape[0], dtype=np.int32),
            self.normals.shape[1],
        )
        for op in np.unique(ops):
            same = np.flatnonzero(ops == op)
            for start in range(0, len(same), step):
                rows = same[start : start + step]
                left, right = places[rows].T
                found.put(
                    rows,
                    _stand(
                        combine(op, self.normals[left], self.normals[right]),
                        combine(op, self.outliers[left], self.outliers[right]),
                    ),
                )
        return found

    def by_two_cuts(self, relation: Relation, members: NDArray[np.bool_]) -> float:
        """Bits that the best pair of thresholds tells of some outliers, one on each column; or one on either."""
        alone = self.columns.take([self.place[name] for name in relation.columns]).gains(members)
        codes, n_cuts = [], []
        for name in relation.columns:
            own, normal = self.outliers[self.place[name], members], self.normals[self.place[name]]
            known = [cells[~np.isnan(cells)] for cells in (own, normal)]
            cuts = np.unique(np.concatenate([np.quantile(c, GRID) for c in known if len(c)] or [np.zeros(0)]))
            codes.append([_coded(cells, cuts) for cells in (own, normal)])
            n_cuts.append(2 * len(cuts) + 2)
        counts = []
        for i in (0, 1):  # the members, then the normals
            flat = codes[0][i] * n_cuts[1] + codes[1][i]
            counts.append(np.bincount(flat, minlength=n_cuts[0] * n_cuts[1]).reshape(n_cuts))
        size, normals = (int(one.sum()) for one in counts)
        inner = [one[:-1, :-1] for one in counts]  # the last row and column have no value, and meet no threshold
        inner = [np.pad(one.cumsum(0).cumsum(1), ((1, 0), (1, 0))) for one in inner]
        a, b = inner
        best = float(alone.max())
        # Of a table of sums all four corners are read: below both cuts, below one and above the other, above both.
        for x, y in itertools.product((False, True), repeat=2):
            inside, outside = (_corner(one, above_x=x, above_y=y) for one in (a, b))
            best = max(best, float(_gains(inside, outside, size, normals).max(initial=0.0)))
        return best


def _corner(sums: NDArray[np.int64], *, above_x: bool, above_y: bool) -> NDArray[np.int64]:
    """Count what lies on one side of each cut of two columns, from sums of what lies below both."""
    if above_x:
        sums = sums[-1:, :] - sums
    return np.asarray(sums[:, -1:] - sums if above_y else sums)


def _coded(cells: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int64]:
    """Number the places beside and at the cuts: 0 below the first, 1 at it, 2 above it, ...; the last for no value."""
    place = np.searchsorted(cuts, cells) + np.searchsorted(cuts, cells, side="right")
    return np.where(np.isnan(cells), 2 * len(cuts) + 1, place)


def _stand(normals: NDArray[np.float64], outliers: NDArray[np.float64]) -> Standing:
    ordered, gone = np.sort(normals, axis=1), np.isnan(outliers)  # those without a value last
    below, up_to = (np.empty(outliers.shape, dtype=np.int32) for _ in range(2))
    for i, (line, own) in enumerate(zip(ordered, outliers, strict=True)):
        below[i], up_to[i] = line.searchsorted(own), line.searchsorted(own, "right")
    below[gone] = up_to[gone] = -1
    n_normals = normals.shape[1]
    return Standing(below, up_to, n_normals - np.isnan(normals).sum(axis=1).astype(np.int32), n_normals)

"""Which relations of two columns are looked at: what the user's `relations=` argument asks for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import ParameterError
from pyod_explain.input import Groups, Table, by_content, list_values, name_list
from pyod_explain.tags.terms import OPERATIONS, Relation, compute_relation, usable_cells
from pyod_explain.tags.value_counts import lifted


def read_relations(relations: Any, table: Table, names: Iterable[str], *, owner: str = "explain()") -> list[Relation]:
    """Read what the user asks for: the relations to look at, each once, in a fixed order.

    Parameters
    ----------
    relations : True for all of them; or a list of pairs of columns (all four operations), of triples (column,
        operation, column) and of `Relation`s.
    table : the features.
    names : columns of numbers that may be related unasked.
    owner : whose parameter it is, for error messages.

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> table = as_table([[1.0, 2.0, 3.0]])
    >>> [str(one) for one in read_relations([("x1", "x0"), ("x0", "/", "x2")], table, [])]
    ['x0 + x1', 'x0 / x2', 'x0 x x1', 'x1 - x0', 'x1 / x0']
    """
    if isinstance(relations, bool | np.bool_):
        return sort_relations(_all_pairs(table, sorted(names))) if relations else []
    if isinstance(relations, str | bytes) or not isinstance(relations, Iterable):
        raise _bad_relations(owner, relations)
    found = sort_relations(itertools.chain.from_iterable(_read_relation(one, owner) for one in relations))
    wrong = partial(ParameterError, "relations", owner=owner)
    used = {name for one in found for name in one.columns}
    absent = sorted(used - set(table.columns))
    if absent:
        got = f"{list_values(absent)}; it has {name_list(list(table.columns))}"
        raise wrong("of columns of `X`", got_text=got, hint="give names as text, spelled as in `X`.")
    other = sorted(name for name in used if table[name].kind != "number")
    if other:
        hint = "leave it out, or make it a number, such as days since a date."
        raise wrong("of columns of numbers", got_text=f"{list_values(other)}, {table[other[0]].kind!r}", hint=hint)
    return found


def _read_relation(one: Any, owner: str) -> list[Relation]:
    if isinstance(one, Relation):
        return [one]
    parts = list(one) if isinstance(one, Sequence) and not isinstance(one, str | bytes) else []
    if all(isinstance(part, str) for part in parts):
        if len(parts) == 2:
            return [Relation(parts[0], op, parts[1]) for op in OPERATIONS]
        if len(parts) == 3:
            return [Relation(*parts)]
    raise _bad_relations(owner, one)


def _bad_relations(owner: str, got: Any) -> ParameterError:
    auto = '"auto", ' if owner == "explain()" else ""
    requirement = f"{auto}True, False or a list of pairs of columns, of (column, operation, column) or of Relations"
    hint = "relations=[('outlet', '-', 'inlet')]."
    return ParameterError("relations", requirement, got=got, hint=hint, owner=owner)


def sort_relations(relations: Iterable[Relation]) -> list[Relation]:
    """Give relations each once, in an order that depends on nothing but their names."""
    return sorted(dict.fromkeys(relations), key=lambda one: (str(one), one.columns))


def _all_pairs(table: Table, names: Sequence[str]) -> Iterator[Relation]:
    """Give the four relations of every two columns, differences and ratios in the order that reads better.

    The other way round is equivalent for a difference, and nearly so for a ratio. So the column that is 0 less
    often is what is divided by; else the larger one is divided, and subtracted from: most numbers are then above 1.
    """
    zeros, size = {}, {}
    for name in names:
        there = ~table[name].missing
        known = table[name].floats()[there]
        each = np.ones(len(known), dtype=np.int64) if table.row_counts is None else table.row_counts[there]
        zeros[name] = int(each[known == 0].sum())
        size[name] = _median(np.abs(known), each)
    for a, b in itertools.combinations(names, 2):
        large, small = (a, b) if size[a] >= size[b] else (b, a)
        over, under = (large, small) if zeros[a] == zeros[b] else (a, b) if zeros[b] < zeros[a] else (b, a)
        yield from (Relation(large, "-", small), Relation(over, "/", under), Relation(a, "*", b), Relation(a, "+", b))


def _median(values: NDArray[np.float64], row_counts: NDArray[np.int64]) -> float:
    """Give the median of values each of which has a row count; 0 of none."""
    order = np.argsort(values)
    ends = np.cumsum(row_counts[order])
    if not len(ends) or not ends[-1]:
        return 0.0
    middle = np.searchsorted(ends, [(ends[-1] - 1) // 2, ends[-1] // 2], side="right")
    return float(values[order][middle].mean())


MAX_RELATIONS_PER_GROUP, MAX_RELATIONS = 8, 24  # of all groups: unless that is fewer than 3 for each
RELATIONS_PER_STEP = 3  # kept at once; the next ones are chosen for the outliers that the best of them leaves
MAX_COMPARED = 24  # relations that are compared with their columns before the search is given up
FIRST_SAMPLE, SECOND_SAMPLE = (400, 120), (2_500, 800)  # normals and outliers
MIN_SAMPLED_OUTLIERS = 25  # outliers of a group in a sample
MAX_RESAMPLED, MIN_RESAMPLED = 120, 40  # relations that get a second sample, shared by the groups; fewest of a group
# Shares of the normals, and of the outliers, below the cuts that pairs of columns are tried with.
CUT_SHARES = np.array([0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]), np.linspace(0, 1, 23)
N_CUTS = sum(map(len, CUT_SHARES))
MAX_SCREEN_CELLS = 400_000  # computed at once: what fits in the cache is fast
# Shares of the normals beyond the thresholds of the first sample.
TAIL_SHARES = np.array([0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5])
Order = tuple[NDArray[np.intp], dict[int, NDArray[np.intp]]]  # rows: of the normals, and of each group
MIN_ADVANTAGE_BITS = 4.0  # beyond the bits that name one of the relations that were tried


def screen_relations(table: Table, groups: Groups, relations: Sequence[Relation]) -> list[Relation]:
    """Keep the relations that separate some group clearly better than their two columns do; a few are kept as they are.

    Parameters
    ----------
    table : the features.
    groups : which rows are normal and which belong to which group.
    relations : what to choose from.
    """
    if len(relations) <= MAX_RELATIONS_PER_GROUP:
        return list(relations)
    if not (groups.numbers == 0).any() or not (groups.numbers > 0).any():
        return []
    names = sorted({name for one in relations for name in one.columns})
    small = Table({name: table[name] for name in names}, table.index)
    order = _shuffled_rows(small, groups)
    coarse, fine = (Sample.at(small, order, *size) for size in (FIRST_SAMPLE, SECOND_SAMPLE))
    advantage = coarse.advantage(relations)
    kept: dict[Relation, None] = {}
    present = np.unique(coarse.numbers)  # the groups that have members
    n_likely = max(MAX_RESAMPLED // len(present), MIN_RESAMPLED)
    most = min(MAX_RELATIONS_PER_GROUP, max(MAX_RELATIONS // len(present), RELATIONS_PER_STEP))
    for group, of_group in zip(present.tolist(), advantage.T, strict=True):
        likely = np.sort(np.argsort(-of_group, kind="stable")[:n_likely])
        clear = _clear_relations(group, [relations[i] for i in likely], fine, len(relations))
        kept.update(dict.fromkeys(itertools.islice(clear, most)))
    return sort_relations(kept)


def _clear_relations(group: int, relations: Sequence[Relation], sample: Sample, n_looked_at: int) -> Iterator[Relation]:
    """Give the relations that tell most of a group, then most of what the best of these leaves of it, and so on."""
    price = float(np.log2(n_looked_at)) + MIN_ADVANTAGE_BITS
    ranks, left = sample.rank(relations), sample.numbers == group
    taken: set[int] = set()
    while left.any():
        gains = ranks.gains(left)
        order = [int(i) for i in np.argsort(-gains, kind="stable")[: MAX_COMPARED + len(taken)] if i not in taken]
        clear = (i for i in order if gains[i] - sample.by_two_cuts(relations[i], left) > price)
        found = list(itertools.islice(clear, min(RELATIONS_PER_STEP, MAX_RELATIONS_PER_GROUP - len(taken))))
        taken.update(found)
        yield from (relations[i] for i in found)
        if not found or len(taken) >= MAX_RELATIONS_PER_GROUP:
            return
        left = left & ~ranks.named(found[0], left)


def _shuffled_rows(table: Table, groups: Groups) -> Order:
    """Give the normals, and the members of each group, in a random order that depends on what the rows say alone."""
    random = np.random.default_rng(0)

    def shuffled(number: int) -> NDArray[np.intp]:
        rows = np.flatnonzero(groups.numbers == number)
        if len(rows) <= (FIRST_SAMPLE[0] if number == 0 else MIN_SAMPLED_OUTLIERS):
            return rows  # all of them are looked at each time, so that their order does not matter
        return np.asarray(random.permutation(by_content(table, rows, few=0)))

    there = [k for k in range(1, groups.n_groups + 1) if (groups.numbers == k).any()]
    return shuffled(0), {k: shuffled(k) for k in there}


@dataclass(frozen=True, eq=False)
class OutlierRanks:
    """Where the outliers rank among the normals, in each of several columns or relations.

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

    def gains(self, members: NDArray[np.bool_], columns: Any = slice(None)) -> NDArray[np.float64]:
        """Bits that the best threshold of each column saves for these outliers; 0 where none is frequent among them."""
        low, high = self._sides(members, columns)
        return np.asarray(np.maximum(low.max(axis=1, initial=0.0), high.max(axis=1, initial=0.0)))

    def named(self, i: int, members: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell which outliers are on the outer side of the best threshold of a column."""
        low, high = (side[0] for side in self._sides(members, [i]))
        up_to, below = self.up_to[i], self.below[i]
        if low.max(initial=0.0) >= high.max(initial=0.0):
            return np.asarray((up_to >= 0) & (up_to <= np.sort(_missing_last(up_to[members]))[np.argmax(low)]))
        return np.asarray(below >= np.sort(below[members])[::-1][np.argmax(high)])

    def _sides(self, members: NDArray[np.bool_], columns: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bits of the thresholds beside the first, second, ... member from below, and from above."""
        up_to = np.sort(_missing_last(self.up_to[columns][:, members]), axis=1)
        below = np.sort(self.below[columns][:, members], axis=1)[:, ::-1]
        size = up_to.shape[1]
        inside = np.arange(1, size + 1)
        low = _threshold_gains(inside, np.minimum(up_to, self.n_normals), size, self.n_normals)
        high = _threshold_gains(
            inside, np.clip(self.present[columns][:, None] - below, 0, self.n_normals), size, self.n_normals
        )
        return np.where(up_to < NO_RANK, low, 0.0), np.where(below >= 0, high, 0.0)


NO_RANK = np.iinfo(np.int32).max


def _missing_last(up_to: NDArray[np.int32]) -> NDArray[np.int32]:
    """Put those without a value behind all others."""
    return np.where(up_to < 0, NO_RANK, up_to).astype(np.int32)


def _threshold_gains(inside: Any, normal: Any, size: int, normals: int) -> NDArray[np.float64]:
    """Bits as `gain` gives, from a table of logarithms; 0 where the share of the members is not the greater one."""
    log = np.arange(size + normals + 1, dtype=np.float64)
    log[1:] *= np.log2(log[1:])
    saved = log[size + normals] - log[size] - log[normals]
    saved = saved - (log[inside + normal] - log[inside] - log[normal])
    out, beyond = size - inside, normals - normal
    saved = saved - (log[out + beyond] - log[out] - log[beyond])
    return np.where(lifted(inside, size, normal, normals), saved, 0.0)


@dataclass(frozen=True, eq=False)
class Sample:
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
    def at(cls, table: Table, order: Order, n_normals: int, n_outliers: int) -> Sample:
        """Take so many normals and outliers, the same share of every group but at least some of each."""
        normals, groups = order
        share = n_outliers / sum(map(len, groups.values()))
        taken = {k: rows[: max(MIN_SAMPLED_OUTLIERS, round(share * len(rows)))] for k, rows in groups.items()}
        rows = np.concatenate(list(taken.values()))
        cells = [
            np.stack([usable_cells(column.take(some).floats()) for column in table.columns.values()])
            for some in (normals[:n_normals], rows)
        ]
        numbers = np.repeat(list(taken), [len(rows) for rows in taken.values()])
        return cls({name: i for i, name in enumerate(table.columns)}, cells[0], cells[1], numbers)

    @cached_property
    def columns(self) -> OutlierRanks:
        """Where the outliers rank in the columns themselves."""
        return _rank_outliers(self.normals, self.outliers)

    def rank(self, relations: Sequence[Relation]) -> OutlierRanks:
        """Find where the outliers rank in each relation."""
        both = (
            np.stack(
                [compute_relation(one.op, *(cells[self.place[name]] for name in one.columns)) for one in relations]
            )
            for cells in (self.normals, self.outliers)
        )
        return _rank_outliers(*both)

    def advantage(self, relations: Sequence[Relation]) -> NDArray[np.float64]:
        """Bits that relations (rows) tell of each group (columns) beyond the better of their two columns, roughly."""
        starts = np.flatnonzero(np.diff(self.numbers, prepend=-1))
        sizes = np.diff([*starts, len(self.numbers)])
        single = _approximate_gains(self.normals, self.outliers, starts, sizes)
        ops = np.array([OPERATIONS.index(one.op) for one in relations])
        left, right = np.array([(self.place[one.left], self.place[one.right]) for one in relations]).T
        found = np.empty((len(relations), len(starts)))
        step = max(1, MAX_SCREEN_CELLS // (self.normals.shape[1] + self.outliers.shape[1]))
        for number, op in enumerate(OPERATIONS):
            same = np.flatnonzero(ops == number)
            for rows in np.split(same, range(step, len(same), step)):
                a, b = left[rows], right[rows]
                cells = [compute_relation(op, side[a], side[b]) for side in (self.normals, self.outliers)]
                found[rows] = _approximate_gains(cells[0], cells[1], starts, sizes)
        return np.asarray(found - np.maximum(single[left], single[right]))

    def by_two_cuts(self, relation: Relation, members: NDArray[np.bool_]) -> float:
        """Bits that the best pair of thresholds tells of some outliers, one on each column; or one on either."""
        one, two = (self.place[name] for name in relation.columns)
        best = float(self.columns.gains(members, [one, two]).max())
        n_codes = N_CUTS + 2
        counts = []
        for codes, rows in ((self._codes[1], members), (self._codes[0], slice(None))):
            flat = codes[one][rows] * n_codes + codes[two][rows]
            table = np.bincount(flat, minlength=n_codes**2).reshape(n_codes, n_codes)
            counts.append(table[:-1, :-1].cumsum(0).cumsum(1))  # those in the last have no value, and meet no threshold
        # Of a table of sums all four corners are read: below both cuts, below one and above the other, above both.
        for flip_x, flip_y in itertools.product((False, True), repeat=2):
            corners = [table[-1:, :] - table if flip_x else table for table in counts]
            inside, normal = (table[:, -1:] - table if flip_y else table for table in corners)
            saved = _threshold_gains(inside, normal, int(members.sum()), self.normals.shape[1])
            best = max(best, float(saved.max()))
        return best

    @cached_property
    def _codes(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """For normals and outliers, a row per column: between which of a column's cuts a cell lies; last: no value."""
        both = self.normals, self.outliers
        lines = np.array([_cut_values(normal, own) for normal, own in zip(*both, strict=True)])
        coded = []
        for cells in both:
            place = np.array([line.searchsorted(own) for line, own in zip(lines, cells, strict=True)])
            coded.append(np.where(np.isnan(cells), N_CUTS + 1, place))
        return coded[0], coded[1]


def _cut_values(normals: NDArray[np.float64], outliers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the cuts of a column, in order; NaN for those of cells of which none has a value."""
    found = []
    for cells, grid in zip((normals, outliers), CUT_SHARES, strict=True):
        known = cells[~np.isnan(cells)]
        found.append(np.quantile(known, grid) if len(known) else np.full(len(grid), np.nan))
    return np.sort(np.concatenate(found))


def _approximate_gains(
    normals: NDArray[np.float64], outliers: NDArray[np.float64], starts: NDArray[np.intp], sizes: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Bits that the best of a few thresholds tells of each group, for each line of cells.

    The thresholds are the same quantiles of the normals in every line, so that nothing has to be looked for.
    """
    if not len(normals):
        return np.empty((0, len(starts)))
    ordered = np.sort(normals, axis=1)  # those without a value last
    present = normals.shape[1] - np.isnan(normals).sum(axis=1)
    last = np.maximum(present - 1, 0)[:, None]
    rank = np.round(TAIL_SHARES * last).astype(np.intp)
    best = np.zeros((len(normals), len(starts)))
    for compare, at in ((np.less, rank), (np.greater, last - rank)):
        cuts = np.take_along_axis(ordered, at, axis=1)
        beyond = compare(outliers[:, None, :], cuts[:, :, None])  # which nothing without a value is
        inside = np.add.reduceat(beyond, starts, axis=2, dtype=np.int32)
        for k, size in enumerate(sizes):
            saved = _threshold_gains(inside[:, :, k], rank, int(size), normals.shape[1])
            best[:, k] = np.maximum(best[:, k], saved.max(axis=1))
    return best


def _rank_outliers(normals: NDArray[np.float64], outliers: NDArray[np.float64]) -> OutlierRanks:
    ordered, gone = np.sort(normals, axis=1), np.isnan(outliers)  # those without a value last
    below, up_to = (np.empty(outliers.shape, dtype=np.int32) for _ in range(2))
    for i, (line, own) in enumerate(zip(ordered, outliers, strict=True)):
        below[i], up_to[i] = line.searchsorted(own), line.searchsorted(own, "right")
    below[gone] = up_to[gone] = -1
    n_normals = normals.shape[1]
    return OutlierRanks(below, up_to, n_normals - np.isnan(normals).sum(axis=1).astype(np.int32), n_normals)

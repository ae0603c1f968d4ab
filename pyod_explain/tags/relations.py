"""Which relations of two columns are looked at, and which of these separate outliers better than the columns do."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain.bits import count_bits, pack
from pyod_explain.exceptions import ParameterError
from pyod_explain.input import Groups, Table, by_content, name_list, sample_rows
from pyod_explain.input.values import list_values
from pyod_explain.tags.terms import OPERATIONS, Relation, compute_relation, usable_cells
from pyod_explain.tags.value_counts import gain, lifted

MAX_SPREAD_RATIO = 5.0  # of the usual ranges of columns of one unit
MAX_DIFFERENCE_SPREAD = 0.5  # of columns that move together, beside their own spread
MAX_ROWS_READ = 2_000  # to see which relations may mean something
FAR_TIMES_SPREAD = 4.0  # spreads between 0 and the usual range from which on no multiple of a value means anything
# Words that tell neither what a column measures nor its unit.
GENERIC_WORDS = (
    " attr attribute average avg col column error feat feature field max maximum mean median min minimum num number sd "
    "std val value var variable "
)


def read_relations(relations: Any, table: Table, names: Iterable[str], *, owner: str = "explain()") -> list[Relation]:
    """Read what the user asks for: the relations to look at, each once, in a fixed order.

    Parameters
    ----------
    relations : True for those that a person would say (`open_relations`); or a list of pairs of columns (all four
        operations), of triples (column, operation, column) and of `Relation`s.
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
        return sort_relations(open_relations(table, sorted(names))) if relations else []
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
    return ParameterError("relations", requirement, got=got, hint="relations=[('outlet', '-', 'inlet')].", owner=owner)


def sort_relations(relations: Iterable[Relation]) -> list[Relation]:
    """Give relations each once, in an order that depends on nothing but their names."""
    return sorted(dict.fromkeys(relations), key=lambda one: (str(one), one.columns))


def open_relations(table: Table, names: Sequence[str]) -> Iterator[Relation]:
    """Give the relations of two columns that a person would say, whichever rows are outliers.

    A difference is of columns that share a unit: the last words of their names are the same, or most of their values
    lie in similar ranges. Columns that are named differently must also move together (age and hours per week have
    similar ranges, too). A sum is of columns with similar ranges. A range far from 0 (years, coordinates, temperatures
    in kelvin) has differences only: its multiples mean nothing. A divisor is hardly ever 0 and has one sign, and one
    factor of a product has one sign. The larger column is subtracted from, and divided where both can be: the other
    way round says the same.

    Parameters
    ----------
    table : the features.
    names : columns of quantities, in the order of their names.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.input.read import as_table
    >>> X = {"air temperature": [20, 21, 25], "oven temperature": [520, 680, 900], "power": [0, 1, 3]}
    >>> [str(one) for one in open_relations(as_table(pd.DataFrame(X)), sorted(X))]
    ['oven temperature - air temperature', 'air temperature x oven temperature', ...]
    """
    rows = sample_rows(table, np.arange(table.n_rows), MAX_ROWS_READ, 0)
    row_counts = np.ones(len(rows), dtype=np.int64) if table.row_counts is None else table.row_counts[rows]
    cells = {name: usable_cells(table[name].take(rows).floats()) for name in names}
    usual = {name: UsualRange.of(cells[name], row_counts) for name in names}
    units = {name: _last_word(name) for name in names}
    for a, b in itertools.combinations(names, 2):
        large, small = sorted((a, b), key=lambda name: -abs(usual[name].low + usual[name].high))
        alike, same = usual[a].on_scale_of(usual[b]), units[a] == units[b]
        if alike and not same:
            together = UsualRange.of(cells[a] - cells[b], row_counts)
            alike = together.spread <= MAX_DIFFERENCE_SPREAD * min(usual[a].spread, usual[b].spread)
        if alike or (same and units[a]):
            yield Relation(large, "-", small)
        if usual[a].far_from_zero or usual[b].far_from_zero:
            continue
        if alike:
            yield Relation(a, "+", b)
        if not (usual[a].changes_sign and usual[b].changes_sign):
            yield Relation(a, "*", b)
        if usual[small].one_sign or usual[large].one_sign:
            yield Relation(large, "/", small) if usual[small].one_sign else Relation(small, "/", large)


def _last_word(name: str) -> str:
    """Give the last word of a column's name that tells what it measures, in lower case; "" if none does.

    >>> [_last_word(name) for name in ("Air temperature [K]", "src_bytes", "maxSpeed", "priceMax", "x12", "col 3")]
    ['temperature', 'bytes', 'speed', 'price', '', '']
    """
    words = re.findall(r"[^\W\d_]{2,}", re.sub(r"([a-z])([A-Z])", r"\1 \2", name))
    return next((word.lower() for word in reversed(words) if f" {word.lower()} " not in GENERIC_WORDS), "")


@dataclass(frozen=True)
class UsualRange:
    """Where most values of a column lie: all but the lowest and the highest 5 percent.

    Where all of these are equal, such as 0, the range goes on to most of the other values.
    """

    low: float
    high: float

    @classmethod
    def of(cls, cells: FloatArray, row_counts: IntArray) -> UsualRange:
        """Read it off cells, each of which stands for so many rows; NaN where there is no value."""
        known = np.flatnonzero(~np.isnan(cells) & (row_counts > 0))
        if not len(known):
            return cls(0.0, 0.0)
        known = known[np.argsort(cells[known])]
        ends = np.cumsum(row_counts[known])
        beyond = (ends[-1] - 1) // 20
        low, high = cells[known[np.searchsorted(ends, [beyond, ends[-1] - 1 - beyond], side="right")]].tolist()
        others = known[cells[known] != low]
        if low < high or not len(others):
            return cls(low, high)
        rest = cls.of(cells[others], row_counts[others])
        return cls(min(low, rest.low), max(high, rest.high))

    @property
    def spread(self) -> float:
        return self.high - self.low

    @property
    def one_sign(self) -> bool:
        """True if hardly any value is 0 or has another sign than the rest."""
        return self.low > 0 or self.high < 0

    @property
    def changes_sign(self) -> bool:
        return self.low < 0 < self.high

    @property
    def far_from_zero(self) -> bool:
        """True if 0 is far away beside how much the values differ."""
        return max(self.low, -self.high) > FAR_TIMES_SPREAD * self.spread

    def on_scale_of(self, other: UsualRange) -> bool:
        """Tell whether two ranges are about as wide, and no further apart than the narrower one is wide."""
        narrow, wide = sorted((self.spread, other.spread))
        apart = abs(self.low + self.high - other.low - other.high) / 2  # from the middle of one to that of the other
        return apart <= narrow and 0 < wide <= MAX_SPREAD_RATIO * narrow


MAX_RELATIONS_PER_GROUP, MAX_RELATIONS = 8, 24  # of all groups: unless that is fewer than 3 for each
RELATIONS_PER_STEP = 3  # kept at once; the next ones are chosen for the outliers that the best of them leaves
MAX_LIKELY, MAX_COMPARED = 40, 8  # relations that get the second sample at each step; that are compared with columns
FIRST_SAMPLE, SECOND_SAMPLE = (400, 120), (2_500, 800)  # normals and outliers
MAX_SCREEN_CELLS = 400_000  # computed at once: what fits in the cache is fast
# Shares of the normals beyond the thresholds of the first sample.
TAIL_SHARES = np.array([0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5])
# Shares of the normals, and of the outliers, below the cuts that pairs of columns are tried with.
NORMAL_CUTS, OUTLIER_CUTS = np.array([0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]), np.linspace(0, 1, 16)
MIN_ADVANTAGE_BITS = 4.0  # beyond the bits that name one of the relations that were tried


def screen_relations(table: Table, groups: Groups, relations: Sequence[Relation]) -> list[Relation]:
    """Keep the relations that separate outliers of some group clearly better than their two columns do.

    Parameters
    ----------
    table : the features.
    groups : which rows are normal and which belong to which group.
    relations : what to choose from.
    """
    screen, numbers = RelationScreen(table, groups, relations), groups.numbers
    present = np.unique(numbers[numbers > 0])
    most = min(MAX_RELATIONS_PER_GROUP, max(MAX_RELATIONS // max(len(present), 1), RELATIONS_PER_STEP))
    return sort_relations(one for k in present for one in screen.best(numbers == k, most))


class RelationScreen:
    """Relations to choose from, for one set of outliers after another: what depends on the normals is computed once.

    Parameters
    ----------
    table : the features.
    groups : which rows are normal and which are outliers; which group an outlier belongs to does not matter.
    relations : what to choose from.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.input.read import as_table
    >>> rng = np.random.default_rng(0)
    >>> table = as_table(pd.DataFrame(rng.normal(size=(2_000, 5)), columns=list("abcde")))
    >>> gap = table["a"].values - table["b"].values
    >>> groups = Groups((gap > 3).astype(int), ("1",), "given")
    >>> screen = RelationScreen(table, groups, read_relations(True, table, list("abcde")))
    >>> screen.best(), screen.best(table["c"].values > 2)
    ([Relation(left='a', op='-', right='b')], [])
    """

    def __init__(self, table: Table, groups: Groups, relations: Sequence[Relation]) -> None:
        self._relations = list(relations) if (groups.numbers == 0).any() else []
        names = sorted({name for one in self._relations for name in one.columns})
        self._table = Table({name: table[name] for name in names}, table.index)
        self._outliers, normals = (
            # The order of a hash of the cells: random, and the same in whichever order the rows come.
            by_content(self._table, np.flatnonzero(which), few=0)
            for which in (groups.numbers > 0, groups.numbers == 0)
        )
        self._normals = self._cells(normals[: SECOND_SAMPLE[0]])
        place = {name: i for i, name in enumerate(names)}
        self._columns = np.array([[place[name] for name in one.columns] for one in self._relations])
        ops = np.array([one.op for one in self._relations])
        step = max(1, MAX_SCREEN_CELLS // (sum(FIRST_SAMPLE) + 1))
        same = [np.flatnonzero(ops == op) for op in OPERATIONS]
        self._parts = [part for one in same for part in np.split(one, range(step, len(one), step)) if len(part)]
        first = self._normals[:, : FIRST_SAMPLE[0]]
        self._column_tails = Tails.of(first)
        self._tails = [Tails.of(self._compute(part, first)) for part in self._parts]
        self._sorted: dict[int, FloatArray] = {}

    def best(self, open_outliers: BoolArray | None = None, most: int = MAX_RELATIONS_PER_GROUP) -> list[Relation]:
        """Give the relations that tell most of these outliers, then most of what the best of these leaves, and so on.

        A relation is given if its best threshold saves log2(number of relations) + 4 bits more than the best two cuts
        of its columns, one on each: by all of these outliers, or by those that the two cuts leave.

        Parameters
        ----------
        open_outliers : True for the rows whose outliers count, others do not matter; None for all outliers.
        most : how many relations to give.
        """
        rows = self._outliers if open_outliers is None else self._outliers[open_outliers[self._outliers]]
        outliers = self._cells(rows[: SECOND_SAMPLE[1]])
        price = float(np.log2(max(len(self._relations), 1))) + MIN_ADVANTAGE_BITS
        found: list[int] = []
        while self._relations and outliers.shape[1] and len(found) < most:
            advantage = self._advantage(outliers[:, : FIRST_SAMPLE[1]])
            advantage[found] = -np.inf
            likely = np.sort(np.argsort(-advantage, kind="stable")[:MAX_LIKELY])
            thresholds = {i: self._threshold(i, outliers) for i in likely.tolist() if i not in found}
            by_gain = sorted((i for i in thresholds if thresholds[i][0] > price), key=lambda i: -thresholds[i][0])
            clear = (i for i in by_gain[:MAX_COMPARED] if self._is_clear(i, outliers, price, thresholds[i][0]))
            new = list(itertools.islice(clear, min(RELATIONS_PER_STEP, most - len(found))))
            if not new:
                break
            found += new
            outliers = outliers[:, ~thresholds[new[0]][1]]
        return [self._relations[i] for i in found]

    def _cells(self, rows: IndexArray) -> FloatArray:
        """Give a row per column; NaN where a cell takes no part in relations."""
        cells = [usable_cells(column.take(rows).floats()) for column in self._table.columns.values()]
        return np.array(cells, dtype=np.float64).reshape(len(cells), len(rows))

    def _compute(self, relations: IndexArray, cells: FloatArray) -> FloatArray:
        """Compute relations of one operation, a row for each."""
        left, right = self._columns[relations].T
        return compute_relation(self._relations[relations[0]].op, cells[left], cells[right])

    def _advantage(self, outliers: FloatArray) -> FloatArray:
        """Bits that the best of a few thresholds of each relation saves beyond the best one of either column, roughly.

        Of the columns only the outliers beyond that threshold count: what they tell of others is no rival.
        """
        n = outliers.shape[1]
        beyond = pack(self._column_tails.beyond(outliers))
        found = np.empty(len(self._relations))
        for part, tails in zip(self._parts, self._tails, strict=True):
            outer = tails.beyond(self._compute(part, outliers))
            gains = tails.gains(outer.sum(axis=2), n)
            named = pack(outer[np.arange(len(part)), gains.argmax(axis=1)])[:, None, :]
            rivals = (
                self._column_tails.gains(count_bits(beyond[columns] & named), n, columns).max(axis=1)
                for columns in self._columns[part].T
            )
            found[part] = gains.max(axis=1) - np.maximum(*rivals)
        return found

    def _threshold(self, relation: int, outliers: FloatArray) -> tuple[float, BoolArray]:
        """Bits that the best of all thresholds of a relation saves, and which outliers are on its outer side."""
        one = np.array([relation])
        if relation not in self._sorted:
            known = self._compute(one, self._normals)[0]
            self._sorted[relation] = np.sort(known[~np.isnan(known)])
        [values], normals = self._compute(one, outliers), self._sorted[relation]
        cuts = np.sort(values[~np.isnan(values)])
        if not len(cuts):
            return 0.0, np.zeros(len(values), dtype=bool)
        inside = cuts.searchsorted(cuts, "right"), len(cuts) - cuts.searchsorted(cuts)
        normal = normals.searchsorted(cuts, "right"), len(normals) - normals.searchsorted(cuts)
        low, high = (threshold_gains(a, b, len(values), self._n_normals) for a, b in zip(inside, normal, strict=True))
        if low.max() >= high.max():
            return float(low.max()), values <= cuts[low.argmax()]
        return float(high.max()), values >= cuts[high.argmax()]

    def _is_clear(self, relation: int, outliers: FloatArray, price: float, best: float) -> bool:
        """Tell whether a relation saves so much more than two cuts, by all outliers or by those that the cuts leave."""
        saved, covered = self._by_two_cuts(relation, outliers)
        if best - saved > price:
            return True
        outliers = outliers[:, ~covered]
        best = self._threshold(relation, outliers)[0]
        return best > price and best - self._by_two_cuts(relation, outliers)[0] > price

    def _by_two_cuts(self, relation: int, outliers: FloatArray) -> tuple[float, BoolArray]:
        """Bits that the best pair of cuts saves, one on each column of a relation, and the outliers that it covers."""
        cells = [(self._normals[i], outliers[i]) for i in self._columns[relation]]
        (normal_x, own_x), (normal_y, own_y) = (_between_cuts(*one) for one in cells)
        n_codes = len(NORMAL_CUTS) + 2 * len(OUTLIER_CUTS) + 2
        counts = []
        for x, y in ((normal_x, normal_y), (own_x, own_y)):
            table = np.bincount(x * n_codes + y, minlength=n_codes**2).reshape(n_codes, n_codes)
            counts.append(table[:-1, :-1].cumsum(0).cumsum(1))  # those in the last have no value, and meet no threshold
        # Of a table of sums all four corners are read: below both cuts, below one and above the other, above both.
        halves = (np.stack([table, table[-1:, :] - table]) for table in counts)
        normal, inside = (np.stack([half, half[:, :, -1:] - half], axis=1) for half in halves)
        saved = threshold_gains(inside, normal, len(own_x), self._n_normals)
        flip_x, flip_y, i, j = np.unravel_index(saved.argmax(), saved.shape)
        known = (own_x < n_codes - 1) & (own_y < n_codes - 1) & bool(saved.max() > 0)
        return float(saved.max()), known & ((own_x > i) == flip_x) & ((own_y > j) == flip_y)

    @property
    def _n_normals(self) -> int:
        return int(self._normals.shape[1])


def _between_cuts(normals: FloatArray, outliers: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Tell between which cuts of a column each cell lies, of the normals and of the outliers; last: no value.

    The cuts are quantiles of the normals, and the places just below and just above quantiles of the outliers.
    """
    ordered = [np.sort(cells)[: len(cells) - int(np.isnan(cells).sum())] for cells in (normals, outliers)]
    normal, own = (
        cells[np.round(shares * (len(cells) - 1)).astype(np.intp)] if len(cells) else np.full(len(shares), np.nan)
        for cells, shares in zip(ordered, (NORMAL_CUTS, OUTLIER_CUTS), strict=True)
    )
    cuts = np.sort(np.concatenate([normal, own, np.nextafter(own, -np.inf)]))
    codes = [np.where(np.isnan(cells), len(cuts) + 1, cuts.searchsorted(cells)) for cells in (normals, outliers)]
    return codes[0], codes[1]


@dataclass(frozen=True, eq=False)
class Tails:
    """For several columns or relations (rows) the same shares of the normals: below some cuts, and above others.

    Attributes
    ----------
    cuts : of each row those from below, then those from above; NaN if no normal has a value.
    normals : how many normals are beyond each cut.
    n_normals : how many there are.
    """

    cuts: FloatArray
    normals: IndexArray
    n_normals: int

    @classmethod
    def of(cls, normals: FloatArray) -> Tails:
        """Read the cuts off the normals."""
        n = normals.shape[1]
        ordered = np.sort(normals, axis=1)  # those without a value last
        last = np.maximum(n - 1 - np.isnan(normals).sum(axis=1), 0)[:, None]
        rank = np.round(TAIL_SHARES * last).astype(np.intp)
        cuts = np.take_along_axis(ordered, np.concatenate([rank, last - rank], axis=1), axis=1)
        return cls(cuts, np.concatenate([rank, rank], axis=1), n)

    def beyond(self, outliers: FloatArray) -> BoolArray:
        """Tell for each row, cut and outlier whether it lies beyond, which nothing without a value does."""
        low, high = np.split(self.cuts[:, :, None], 2, axis=1)
        return np.concatenate([outliers[:, None, :] < low, outliers[:, None, :] > high], axis=1)

    def gains(self, inside: NDArray[Any], n_outliers: int, rows: Any = slice(None)) -> FloatArray:
        """Bits that each cut saves which has so many of the outliers beyond it."""
        return threshold_gains(inside, self.normals[rows], n_outliers, self.n_normals)


def threshold_gains(inside: Any, normal: Any, size: int, normals: int) -> FloatArray:
    """Bits as `gain` gives; 0 where the share of the outliers is not the greater one.

    Parameters
    ----------
    inside, normal : how many outliers and normals are beyond a threshold.
    size, normals : how many there are.
    """
    return np.where(lifted(inside, size, normal, normals), gain(inside, normal, size, normals), 0.0)

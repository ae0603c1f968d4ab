"""What is extreme in an outlier: in which columns few rows go so far, or have its value."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain.exceptions import visible
from pyod_explain.input import Column, Table
from pyod_explain.result.text import alike, cell_text
from pyod_explain.tags import Relation, Tag, Term
from pyod_explain.tags.terms import name_in_sentence

MAX_EXTREMES = 3  # that are told of a row
MAX_SHARE = 0.05  # of the normals that go as far as something extreme does
FALSE_EXTREMES = 0.05  # columns in which a normal row would be that far out on one side, if they were independent
FAR = 3.5  # robust standard deviations from the median: so far out, a value is extreme wherever it is among the few
POINTS = (0.05, 0.25, 0.5, 0.75, 0.95)
QUARTILES_APART, ENDS_APART = 1.349, 3.29  # of these in a normal distribution, in standard deviations


@dataclass(frozen=True)
class Extreme:
    """One cell of an outlier that few rows go beyond, or that few rows have.

    Attributes
    ----------
    column : the column, or a relation of two.
    value : the cell; of a category as it is written; None if it is missing.
    side : which end of all values it is at; "rare" for a category and for a missing cell.
    n : rows that go as far, the row itself included; of a rare value those that have it.
    n_rows, rows : of how many rows, and which these are in words.
    share : a bound on the chance that a normal row goes as far, or has a value as rare: (n + 1) / (N + 1) where n of
        the N normals do.
    distance : from the median of the normals in robust standard deviations; for a rare value what a normal
        distribution would have.
    low, high : the 5 and 95 percent points of the normals; None for a rare value.

    Examples
    --------
    >>> print(Extreme("alcohol", 10.04, "highest", 1, 51, "rows", 0.02, 6.5, 3.5, 6.2))
    alcohol 10.04: the highest of 51 rows; normally 3.5 to 6.2
    >>> print(Extreme("country", "'XX'", "rare", 1, 4000, "rows", 0.0003, 4.0))
    country 'XX': 1 of 4,000 rows
    """

    column: Term
    value: Any
    side: Literal["lowest", "highest", "rare"]
    n: int
    n_rows: int
    rows: str
    share: float
    distance: float
    low: Any = None
    high: Any = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The column, or the two of a relation."""
        return (self.column,) if isinstance(self.column, str) else self.column.columns

    def __str__(self) -> str:
        name = name_in_sentence(self.column)
        if self.side == "rare":
            return visible(f"{name} {self.value or 'missing'}: {self.n:,} of {self.n_rows:,} {self.rows}")
        write = alike([self.value, self.low, self.high])
        outside = self.low is not None and not self.low <= self.value <= self.high
        if outside and not _looks_outside(*map(write, (self.low, self.value, self.high))):
            write = cell_text  # with all digits, as few make it look normal
        ends = list(dict.fromkeys([write(self.low), write(self.high)]))
        times, spans = isinstance(self.value, dt.date), isinstance(self.value, dt.timedelta)
        words = ("earliest", "latest") if times else ("shortest", "longest") if spans else ("lowest", "highest")
        end = words[self.side == "highest"]
        rank = f"the {end}" if self.n == 1 else f"one of the {self.n:,} {end}"
        place = f"{write(self.value)}: {rank} of {self.n_rows:,} {self.rows}"
        return visible(f"{name} {place}; normally {' to '.join(ends)}")


@dataclass(frozen=True)
class UnexplainedRow:
    """An outlier that no rule of its group covers, and what is extreme in it.

    Attributes
    ----------
    row : its place in the `rows` of its group; 0 is the first.
    extremes : what is extreme in it, the least likely first; empty if nothing is.
    """

    row: int
    extremes: tuple[Extreme, ...]

    @property
    def texts(self) -> list[str]:
        """What is extreme in it, a text each."""
        return extreme_texts(self.extremes)


def extreme_texts(extremes: Sequence[Extreme]) -> list[str]:
    """Write what is extreme in a row, a text each; or that nothing is.

    >>> extreme_texts([])
    ['nothing is extreme in the columns that rules may use']
    """
    return list(map(str, extremes)) or ["nothing is extreme in the columns that rules may use"]


def _looks_outside(low: str, value: str, high: str) -> bool:
    """Tell whether a value is outside as it is written; of what is no number whether it differs from both ends."""
    try:
        return not float(low) <= float(value) <= float(high)
    except ValueError:
        return value not in (low, high)


def relations_of(tags: Iterable[Tag]) -> list[Relation]:
    """Give the relations that rules or candidates are about, rules first, of two opposite differences the first."""
    found: dict[Relation, None] = {}
    for one in (c.column for tag in tags for c in tag.sorted):
        if isinstance(one, Relation) and (one.op != "-" or Relation(one.right, "-", one.left) not in found):
            found[one] = None
    return sorted(found, key=str)


def find_extremes(
    table: Table, normals: IndexArray, rows: IndexArray, relations: Sequence[Relation] = ()
) -> list[tuple[Extreme, ...]]:
    """Give what is extreme in each of these rows, the least likely first, at most three of it.

    A number, time or duration is extreme if few normals lie as far out on its side, a category or missing cell if few
    normals have one as rare. A relation counts if it is less likely than either of its columns; where it is told,
    these are not.

    Parameters
    ----------
    table : all rows.
    normals, rows : positions of the normals, and of the rows that are asked about.
    relations : what to look at beside the columns.
    """
    names = sorted(table.columns)
    most = min(MAX_SHARE, FALSE_EXTREMES / max(len(names), 1))
    is_normal = np.zeros(table.n_rows, dtype=bool)
    is_normal[normals] = True
    terms: list[Term] = [*names, *relations]
    # Of the times of some rows a few are always the last: only one beyond all normal rows tells something.
    found = {
        name: _of_column(table, name, rows, is_normal, 0.0 if table[name].kind == "datetime" else most)
        for name in terms
    }
    for name in relations:
        found[name] = {
            i: one
            for i, one in found[name].items()
            if one.side != "rare" and all(one.share < found[c][i].share for c in one.columns if i in found[c])
        }
    return [_choose([one[i] for one in found.values() if i in one]) for i in range(len(rows))]


def _choose(extremes: list[Extreme]) -> tuple[Extreme, ...]:
    """Give the least likely ones, of which no two are about the same column."""
    told: list[Extreme] = []
    for one in sorted(extremes, key=lambda one: (one.share, -one.distance)):
        if len(told) < MAX_EXTREMES and not {name for other in told for name in other.columns} & {*one.columns}:
            told.append(one)
    return tuple(told)


def _of_column(table: Table, name: Term, rows: IndexArray, is_normal: BoolArray, most: float) -> dict[int, Extreme]:
    """Give what is extreme in a column or relation, by the place of the row in `rows`.

    Parameters
    ----------
    table : all rows.
    name : the column or relation.
    rows : positions of the asked rows.
    is_normal : which rows are normal.
    most : share of the normals up to which it is extreme; what no normal has always is.
    """
    column, kept = table[name], "rows of the sample" if table.sampled else "rows"
    counts = np.ones(table.n_rows, np.int64) if table.row_counts is None or table.sampled else table.row_counts
    present, gone = ~column.missing, column.missing[rows]
    values = column.ranked[0] if column.has_order and column.values.dtype == object else column.values
    parts = [(values[which], counts[which]) for which in (present & is_normal, present & ~is_normal)]
    (n_normals, n_others), n_missing = (int(part[1].sum()) for part in parts), int(counts[column.missing].sum())
    if column.has_order:
        ordered = [_Ordered(*part) for part in parts]
        (below, above), (others_below, others_above) = (one.as_far(values[rows]) for one in ordered)
        low, reached = below < above, np.minimum(below, above)
        n = np.where(low, below + others_below, above + others_above)
    else:
        sizes = [np.bincount(codes, weights, len(column.categories) + 1).astype(np.int64) for codes, weights in parts]
        own = sizes[0][values[rows]]  # code -1, of a missing cell, is the last size
        by_size = np.sort(sizes[0])
        # A normal row is one of those that have its value: one that has a value of as many others is as rare.
        reached = np.append(0, np.cumsum(by_size))[np.searchsorted(by_size, own + 1, side="right")]
        n = own + sizes[1][values[rows]]
    without = int(counts[column.missing & is_normal].sum())
    possible = n_normals + np.where(gone, without, 0)
    share = (np.where(gone, without, reached) + 1) / (possible + 1)
    far = share <= np.maximum(most, 1 / (possible + 1))
    if column.has_order and n_normals:
        at = [int(np.argmax(present & (values == ordered[0].point(q)))) for q in POINTS]
        distance, first, last = _distances(column, rows, at), column.cell(at[0]), column.cell(at[-1])
        far |= (share <= MAX_SHARE) & (distance >= FAR) & ~gone
    far &= possible > 0
    found = {}
    for i in np.flatnonzero(far).tolist():
        value, p, n_having = column.cell(rows[i]), float(share[i]), n_missing if gone[i] else int(n[i])
        if gone[i] or not column.has_order:
            text, of = None if gone[i] else cell_text(value), n_normals + n_others + n_missing
            found[i] = Extreme(name, text, "rare", n_having, of, kept, p, math.sqrt(-2 * math.log(p)))
        else:
            side: Literal["lowest", "highest"] = "lowest" if low[i] else "highest"
            known, of = f"{kept} with a value" if n_missing else kept, n_normals + n_others
            found[i] = Extreme(name, value, side, n_having, of, known, p, float(distance[i]), first, last)
    return found


class _Ordered:
    """Values in order, each with the number of rows that it is of."""

    def __init__(self, values: NDArray[Any], counts: IntArray) -> None:
        same = bool((counts == 1).all())
        order = slice(None) if same else np.argsort(values, kind="stable")
        self._values = np.sort(values) if same else values[order]
        self._ends = np.append(0, np.cumsum(counts[order]))

    def as_far(self, values: NDArray[Any]) -> tuple[IntArray, IntArray]:
        """Count the rows with at most, and with at least, each of these values."""
        below, at_most = (self._ends[np.searchsorted(self._values, values, side)] for side in ("left", "right"))
        return at_most, self._ends[-1] - below

    def point(self, share: float) -> Any:
        """Give the value below which this share of the rows lies."""
        place = round(share * (int(self._ends[-1]) - 1))
        return self._values[np.searchsorted(self._ends, place, side="right") - 1]


def _distances(column: Column, rows: IndexArray, points: Sequence[int]) -> FloatArray:
    """Give how far rows are from the median, by the rows at the percent points: infinite if all of these are equal."""
    numbers = column.floats()
    low, lower, middle, upper, high = numbers[points]
    with np.errstate(all="ignore"):
        scale = (upper - lower) / QUARTILES_APART or (high - low) / ENDS_APART
        return np.asarray(np.nan_to_num(np.abs(numbers[rows] - middle) / scale, nan=0.0, posinf=np.inf))

"""`Table` and `Column`: values in a form that compares fast, rows in the order of their content."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain.bits import n_words, pack, unpack
from pyod_explain.input.values import HASH_MULTIPLIER, from_utc, missing_columns, nan_safe_key, plain_value

MIN_CACHED_CONDITIONS = 64  # answers: they take as much memory as the column itself, if its values are 64-bit numbers
CONDITION_CACHE_BYTES = 2**18  # bytes that a short column's answers may take, however many they are
MAX_SORTED_ROWS = 5_000  # rows, up to which sorting takes no time that matters
MAX_DERIVED_COLUMNS = 8  # of one column: each is as large as a column of doubles


class Cache:
    """Keeps what was made last, for several threads; pickles and copies of it are empty.

    Parameters
    ----------
    most : how many are kept.

    Examples
    --------
    >>> kept = Cache(8)
    >>> kept.ask("a - b", lambda: "made"), kept.ask("a - b", lambda: 1 / 0)
    ('made', 'made')
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()  # of the dictionary: two threads may make the same

    def ask(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what was made before, or make it now."""
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        made = make()
        with self._lock:
            self._made[key] = made
            if len(self._made) > self._most:
                self._made.popitem(last=False)
        return made

    def __reduce__(self) -> tuple[type[Cache], tuple[int]]:
        return Cache, (self._most,)


Kind = Literal["number", "category", "boolean", "datetime", "timedelta"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its kind, its values in a form that compares fast, and which cells are missing.

    Attributes
    ----------
    name : name of the column, always a string.
    kind : what the values are; decides which conditions make sense.
    values : numbers (int64, uint64, a float of up to 64 bits; or objects where none of these is exact: all int or all
        Decimal), datetime64[ns], timedelta64[ns], or codes into `categories` (-1 where missing) for categories and
        booleans.
    missing : True where the cell is missing (None, NaN, NaT, NA).
    categories : the distinct values that the codes stand for, in a fixed order.
    timezone : of datetimes that have one; `values` are then in UTC.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    missing: BoolArray
    categories: tuple[Hashable, ...] = ()
    timezone: str | None = None

    @property
    def has_order(self) -> bool:
        """True if "less than" means something for the values."""
        return self.kind in ("number", "datetime", "timedelta")

    @cached_property
    def whole(self) -> bool:
        """True if the numbers are of a type that has whole ones only."""
        if self.kind != "number":
            return False
        objects = self.values.dtype == object and all(isinstance(cell, int) for cell in self.values[~self.missing])
        return objects or self.values.dtype.kind in "iu"

    @cached_property
    def ranked(self) -> tuple[IndexArray, NDArray[Any]]:
        """For numbers that are objects: the rank of each cell, and the distinct numbers in order.

        Ranks compare fast, objects slowly.
        """
        codes, distinct = pd.factorize(self.values, sort=True)
        return codes, np.asarray(distinct, dtype=object)

    @cached_property
    def code_of(self) -> Mapping[Hashable, int]:
        """Code of each category, by the form of it that equals itself."""
        return {nan_safe_key(value): code for code, value in enumerate(self.categories)}

    @cached_property
    def _answers(self) -> Cache:
        return Cache(max(MIN_CACHED_CONDITIONS, CONDITION_CACHE_BYTES // (8 * max(n_words(len(self.missing)), 1))))

    def ask(self, condition: Hashable, evaluate: Callable[[], BoolArray]) -> BoolArray:
        """Tell for each row whether it meets a condition: evaluated once, and kept in packed bits.

        It is kept by the column and not by the table: dropping, adding or ordering columns makes another table of the
        same columns, where everything that was answered still holds.
        """
        return unpack(self._answers.ask(condition, lambda: pack(evaluate())), len(self.missing))

    @cached_property
    def derived(self) -> Cache:
        """Columns that terms computed from this one, and from others, beside these others."""
        return Cache(MAX_DERIVED_COLUMNS)

    @property
    def numbers(self) -> NDArray[Any]:
        """The values as numbers: moments and durations in nanoseconds, categories by their code."""
        return self.values.view(np.int64) if self.values.dtype.kind in "mM" else self.values

    def floats(self) -> FloatArray:
        """Give each cell as a float: moments and durations in nanoseconds, categories by their code; NaN if missing."""
        floats = self.numbers.astype(np.float64)
        floats[self.missing] = np.nan
        return floats

    def filled_floats(self) -> FloatArray:
        """Give each cell as a float, the median where it is missing; 0 where all are."""
        floats = self.floats()
        known = floats[~self.missing]
        floats[self.missing] = np.median(known) if len(known) else 0.0
        return floats

    def stamp(self, nanoseconds: int) -> pd.Timestamp:
        """Give a moment as the user knows it: on the column's own clock."""
        return from_utc(pd.Timestamp(nanoseconds, unit="ns"), self.timezone)

    def cell(self, row: int) -> Any:
        """Give the value of one cell as the user knows it; None if it is missing."""
        if self.missing[row]:
            return None
        value = self.values[row]
        if self.kind in ("category", "boolean"):
            return self.categories[value]
        if self.kind == "datetime":
            return from_utc(pd.Timestamp(value), self.timezone)
        return pd.Timedelta(value) if self.kind == "timedelta" else plain_value(value)

    def like(self, other: Column) -> bool:
        """Tell whether values of another column compare with these: of one kind, and both with a time zone or none."""
        return self.kind == other.kind and (self.timezone is None) == (other.timezone is None)

    def same_cells(self, other: Column) -> bool:
        """Tell whether another column has the same cells."""
        same = (self.kind, self.timezone) == (other.kind, other.timezone)
        same = same and nan_safe_key(self.categories) == nan_safe_key(other.categories)
        if not same or not np.array_equal(self.missing, other.missing):
            return False
        return np.array_equal(self.values[~self.missing], other.values[~other.missing])

    def take(self, rows: IndexArray | slice) -> Column:
        """Return the column restricted to these row positions."""
        return Column(self.name, self.kind, self.values[rows], self.missing[rows], self.categories, self.timezone)


class Derivable(Hashable, Protocol):
    """A term whose values are computed from columns."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    def evaluate(self, *columns: Column) -> Column: ...


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns over the same rows, and the labels of those rows.

    Attributes
    ----------
    columns : the columns by name.
    index : the row labels; 0, 1, 2, ... where the user's table has none.
    labelled : True if the labels are the user's own, so that a Series can be aligned with them.
    row_counts : for each row how many it stands for, in a table that was aggregated; None where each is one.
    sampled : True if the rows stand for others as well, which have values of their own.
    """

    columns: Mapping[str, Column]
    index: pd.Index[Any]
    labelled: bool = True
    row_counts: IntArray | None = None
    sampled: bool = False

    @property
    def labels(self) -> pd.Index[Any] | None:
        """The user's own row labels, or None if the rows have none."""
        return self.index if self.labelled else None

    @property
    def n_rows(self) -> int:
        return len(self.index)

    def counts_of(self, rows: IndexArray) -> IntArray | None:
        """Give the row counts at these positions; None where each row is one."""
        return None if self.row_counts is None else self.row_counts[rows]

    def count(self, which: BoolArray) -> int:
        """Count the rows that these lines stand for."""
        return int(which.sum() if self.row_counts is None else self.row_counts[which].sum())

    @cached_property
    def total_rows(self) -> int:
        """Number of rows that the table stands for: its own, unless it was aggregated."""
        return self.n_rows if self.row_counts is None else int(self.row_counts.sum())

    def __getitem__(self, name: str | Derivable) -> Column:
        self.require([name] if isinstance(name, str) else name.columns)
        if isinstance(name, str):
            return self.columns[name]
        first, *others = (self.columns[one] for one in name.columns)
        # The other columns are kept too, so that no new one gets their ids.
        key = (name, *map(id, others))
        derived: Column = first.derived.ask(key, lambda: (name.evaluate(first, *others), others))[0]
        return derived

    def require(self, names: Iterable[str]) -> None:
        """Raise one error that lists every column of `names` that the table lacks."""
        absent = [name for name in names if name not in self.columns]
        if absent:
            raise missing_columns(absent, self.columns)

    def by_name(self) -> Table:
        """Return the table with its columns in the order of their names, so that their own order decides no tie."""
        return replace(self, columns=dict(sorted(self.columns.items())))

    def take(self, rows: IndexArray) -> Table:
        """Return the table restricted to these row positions."""
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        return Table(columns, self.index[rows], self.labelled, self.counts_of(rows), self.sampled)

    def drop(self, names: Iterable[str]) -> Table:
        """Return the table without these columns."""
        gone = set(names)
        return replace(self, columns={n: c for n, c in self.columns.items() if n not in gone})


# Rows in the order of their cells: clustering, sampling and sums of floats depend on the order in which rows come, so
# whatever does such a thing takes them in this order. Equal rows are interchangeable.


def by_content(table: Table, rows: IndexArray, *, few: int = MAX_SORTED_ROWS) -> IndexArray:
    """Give row positions in an order that depends on the cells of these rows alone.

    Few rows are sorted by their cells, the first column by name first. For many that takes long: theirs is the order of
    a hash of the cells. Should two different rows have one hash, they are sorted by the cells too, so that nothing
    depends on luck.

    Parameters
    ----------
    table : the features; the order of its columns does not matter.
    rows : positions to put in order.
    few : rows up to which they are sorted by their cells.

    Examples
    --------
    >>> from pyod_explain.input import as_table
    >>> table, shuffled = as_table([[1], [2], [3]]), as_table([[3], [1], [2]])
    >>> order, other = by_content(table, np.arange(3)), by_content(shuffled, np.arange(3))
    >>> table["x0"].values[order].tolist() == shuffled["x0"].values[other].tolist()
    True
    """
    n_rows = len(rows) if table.row_counts is None else table.row_counts[rows].sum()
    if n_rows <= few:  # the same order as repeated rows have
        return np.asarray(rows[_sorted(table, rows)])
    hashed = np.zeros(len(rows), dtype=np.uint64)
    for key in _keys(table, rows):
        hashed *= HASH_MULTIPLIER  # wraps around, as hashes do
        hashed += np.asarray(pd.util.hash_array(key))
    order = np.argsort(hashed, kind="stable")
    if _collide(hashed, order, table, rows):
        order = _sorted(table, rows)
    return np.asarray(rows[order])


def number_distinct(table: Table, rows: IndexArray) -> IndexArray:
    """Number rows that are in the order of their content, from 0; equal ones have one number."""
    new = np.zeros(len(rows), dtype=bool)
    for key in _keys(table, rows):
        new[1:] |= key[1:] != key[:-1]
    return np.cumsum(new)


def _sorted(table: Table, rows: IndexArray) -> IndexArray:
    keys = list(_keys(table, rows))
    return np.lexsort(keys[::-1]) if keys else np.arange(len(rows))


def _collide(hashed: NDArray[np.uint64], order: IndexArray, table: Table, rows: IndexArray) -> bool:
    """Tell whether two rows that have the same hash differ; if any do, so do two that are neighbours in the order."""
    same = np.flatnonzero(hashed[order[1:]] == hashed[order[:-1]])
    one, other = order[same], order[same + 1]
    return len(same) > 0 and any((key[one] != key[other]).any() for key in _keys(table, rows))


def _keys(table: Table, rows: IndexArray) -> Iterator[NDArray[np.generic]]:
    """Give arrays of numbers that together tell rows apart, one at a time: all at once would be a copy of the table."""
    for name in sorted(table.columns):
        column = table.columns[name].take(rows)
        yield _numbers(column)
        if column.missing.any():
            yield column.missing


def _numbers(column: Column) -> NDArray[np.generic]:
    """Give a number for each cell, the same for equal cells, and 0 where the cell is missing."""
    if column.values.dtype == object:  # numbers beyond all types: their ranks among these rows
        return column.ranked[0]
    values = column.numbers
    return np.where(column.missing, values.dtype.type(0), values) if column.missing.any() else values


def sample_rows(table: Table, rows: IndexArray, most: int, random_state: int) -> IndexArray:
    """Draw at most so many of these rows, without replacement; all of them, as they stand, if there are no more.

    >>> from pyod_explain.input import as_table
    >>> sample_rows(as_table([[1], [2], [3]]), np.array([0, 2]), 5, random_state=0).tolist()
    [0, 2]
    """
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(random_state).choice(by_content(table, rows), most, replace=False))

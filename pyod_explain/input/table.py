"""`Evaluated`: which rows of a column meet which condition, as far as somebody has asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.bits import Words, n_words, pack, unpack
from pyod_explain.input.errors import missing_columns
from pyod_explain.input.values import from_utc, nan_safe_key, plain_value

MIN_CACHED_CONDITIONS = 64  # answers: they take as much memory as the column itself, if its values are 64-bit numbers
CONDITION_CACHE_BYTES = 2**18  # bytes that a short column's answers may take, however many they are
MAX_DERIVED_COLUMNS = 8  # of one column: each is as large as a column of doubles


class Evaluated:
    """Answers for the rows of one column, packed in bits; of too many, those that were asked for last are kept.

    It hangs on the column and not on the table: dropping, adding or ordering columns makes another table of the same
    columns, where everything that was answered still holds. Other rows make other columns, which start anew.

    Parameters
    ----------
    n_rows : rows of the column.

    Examples
    --------
    >>> answers = Evaluated(3)
    >>> answers.ask("x > 1", lambda: np.array([False, True, True])).tolist()
    [False, True, True]
    >>> answers.ask("x > 1", lambda: 1 / 0).tolist()  # it is not evaluated again
    [False, True, True]
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._most = max(MIN_CACHED_CONDITIONS, CONDITION_CACHE_BYTES // (8 * max(n_words(n_rows), 1)))
        self._answers: OrderedDict[Hashable, Words] = OrderedDict()
        self._lock = Lock()  # of the dictionary: two threads may evaluate the same, and get the same

    def ask(self, question: Hashable, evaluate: Callable[[], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Tell for each row whether it meets the condition: as answered before, or by evaluating it now."""
        with self._lock:
            words = self._answers.get(question)
            if words is not None:
                self._answers.move_to_end(question)
        if words is not None:
            return unpack(words, self._n_rows)
        answer = evaluate()
        with self._lock:
            self._answers[question] = pack(answer)
            if len(self._answers) > self._most:
                self._answers.popitem(last=False)
        return answer

    def __reduce__(self) -> tuple[type[Evaluated], tuple[int]]:
        """Leave the answers out of pickles and copies."""
        return Evaluated, (self._n_rows,)


Kind = Literal["number", "category", "boolean", "datetime", "timedelta"]


class DerivedColumns:
    """Columns that terms computed from one column and others; of too many, those that were used last are kept.

    It hangs on the first column, so that every table with the same columns has it.

    Examples
    --------
    >>> kept = DerivedColumns()
    >>> kept.ask("a - b", ["b"], lambda: "made"), kept.ask("a - b", ["b"], lambda: 1 / 0)
    ('made', 'made')
    """

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[Any, ...], tuple[Sequence[Any], Any]] = OrderedDict()
        self._lock = Lock()

    def ask(self, term: Hashable, others: Sequence[Any], make: Callable[[], Any]) -> Any:
        """Return the column of a term: as it was made before, or made now."""
        key = (term, *map(id, others))
        with self._lock:
            known = self._made.get(key)
            if known is not None:
                self._made.move_to_end(key)
                return known[1]
        made = make()
        with self._lock:
            self._made[key] = others, made  # with the other columns, so that no new one gets their ids
            if len(self._made) > MAX_DERIVED_COLUMNS:
                self._made.popitem(last=False)
        return made

    def __reduce__(self) -> tuple[type[DerivedColumns], tuple[()]]:
        """Leave the columns out of pickles and copies."""
        return DerivedColumns, ()


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
    missing: NDArray[np.bool_]
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
    def ranked(self) -> tuple[NDArray[np.intp], NDArray[Any]]:
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
    def evaluated(self) -> Evaluated:
        """Which rows meet which condition: each is evaluated once, and answered from here after that."""
        return Evaluated(len(self.missing))

    @cached_property
    def derived(self) -> DerivedColumns:
        """Columns that terms computed from this one, and from others."""
        return DerivedColumns()

    def floats(self) -> NDArray[np.float64]:
        """Give each cell as a float: moments and durations in nanoseconds, categories by their code; NaN if missing."""
        numbers = self.values if self.kind == "number" else self.values.astype(np.int64)
        floats = numbers.astype(np.float64)
        floats[self.missing] = np.nan
        return floats

    def filled_floats(self) -> NDArray[np.float64]:
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

    def same_cells(self, other: Column) -> bool:
        """Tell whether another column has the same cells."""
        if (self.kind, self.timezone) != (other.kind, other.timezone):
            return False
        if not np.array_equal(self.missing, other.missing):
            return False
        if nan_safe_key(self.categories) != nan_safe_key(other.categories):
            return False
        return np.array_equal(self.values[~self.missing], other.values[~other.missing])

    def take(self, rows: NDArray[np.intp] | slice) -> Column:
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
    """

    columns: Mapping[str, Column]
    index: pd.Index[Any]
    labelled: bool = True
    row_counts: NDArray[np.int64] | None = None

    @property
    def labels(self) -> pd.Index[Any] | None:
        """The user's own row labels, or None if the rows have none."""
        return self.index if self.labelled else None

    @property
    def n_rows(self) -> int:
        return len(self.index)

    def counts_of(self, rows: NDArray[np.intp]) -> NDArray[np.int64] | None:
        """Give the row counts at these positions; None where each row is one."""
        return None if self.row_counts is None else self.row_counts[rows]

    def count(self, which: NDArray[np.bool_]) -> int:
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
        derived: Column = first.derived.ask(name, others, lambda: name.evaluate(first, *others))
        return derived

    def require(self, names: Iterable[str]) -> None:
        """Raise one error that lists every column of `names` that the table lacks."""
        absent = [name for name in names if name not in self.columns]
        if absent:
            raise missing_columns(absent, self.columns)

    def by_name(self) -> Table:
        """Return the table with its columns in the order of their names, so that their own order decides no tie."""
        return replace(self, columns=dict(sorted(self.columns.items())))

    def take(self, rows: NDArray[np.intp]) -> Table:
        """Return the table restricted to these row positions."""
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        return Table(
            columns, self.index[rows], self.labelled, None if self.row_counts is None else self.row_counts[rows]
        )

    def drop(self, names: Iterable[str]) -> Table:
        """Return the table without these columns."""
        gone = set(names)
        return replace(self, columns={n: c for n, c in self.columns.items() if n not in gone})

"""Terms: what a condition is about. A column is its name; any other term is a class here, computed from columns.

A new kind of term is one subclass of `DerivedTerm`, listed in `Term`: a frozen dataclass whose fields are what JSON
writes and reads.
"""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal, Protocol, get_args

import numpy as np
import pandas as pd

from pyod_explain._arrays import FloatArray
from pyod_explain.exceptions import ParameterError
from pyod_explain.input import Column
from pyod_explain.input.values import from_utc

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
Part = Literal["hour", "weekday"]
Operation = Literal["-", "/", "*", "+"]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)
LARGEST_CELL, SMALLEST_CELL = 1e150, 1e-150  # sizes of cells that relations use, 0 aside
_COMPUTE: dict[str, Callable[[Any, Any], Any]] = {"-": np.subtract, "/": np.divide, "*": np.multiply, "+": np.add}


class Unquoted(str):
    """A string that is printed without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class SqlDialect(Protocol):
    """What terms ask of an SQL dialect; `facts` are what is known of a column: its kind, time zone and so on."""

    def as_double(self, subject: str, facts: Any) -> str: ...
    def is_number(self, subject: str) -> str | None: ...
    def part(self, subject: str, part: str, facts: Any) -> str: ...


class DerivedTerm(ABC):
    """Numbers that are computed from one or more columns, row by row."""

    __slots__ = ()
    whole: ClassVar[bool] = False  # True if all values are whole numbers

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that it is computed from."""

    @abstractmethod
    def evaluate(self, *columns: Column) -> Column:
        """Compute the values from the columns, missing where undefined; `table[term]` does this once a table."""

    @abstractmethod
    def describe(self, *names: str) -> str:
        """Write the term for columns that are called so."""

    @abstractmethod
    def to_sql(self, dialect: SqlDialect, cells: Sequence[str], facts: Sequence[Any]) -> str | None:
        """Write the value, NULL where undefined; None if no row has a value.

        Parameters
        ----------
        dialect : the dialect.
        cells : the columns as the dialect writes them.
        facts : what is known of the columns.
        """

    @property
    def axis(self) -> str | DerivedTerm:
        """The column or term whose values are profiled and drawn: itself, unless a column shows more."""
        return self

    @property
    def sort_key(self) -> tuple[str, str, str]:
        """A fixed order of terms: those of one column together."""
        return str(self), "", ""

    def check(self, value: Any) -> None:  # noqa: B027 - most terms take any number
        """Refuse values that the term cannot be compared with."""

    def display(self, value: Any) -> Any:
        """Give what is printed for a value."""
        return value

    def __str__(self) -> str:
        return self.describe(*self.columns)

    @property
    def in_sentence(self) -> str:
        """The term as a sentence names it."""
        return self.describe(*map(name_in_sentence, self.columns))


@dataclass(frozen=True, slots=True)
class DatePart(DerivedTerm):
    """The hour (0 to 23) or the weekday (0 is Monday) of a column of dates, on the clock of its own time zone.

    Parameters
    ----------
    column : name of the column.
    part : `"hour"` or `"weekday"`.

    Examples
    --------
    >>> print(DatePart("paid_at", "hour"))
    hour of paid_at
    """

    column: str
    part: Part

    whole: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.part not in get_args(Part):
            raise ParameterError("part", "'hour' or 'weekday'", got=self.part, owner="a DatePart")

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def evaluate(self, *columns: Column) -> Column:
        [column] = columns
        if column.kind != "datetime":
            values = np.full(len(column.missing), np.nan)
            return Column(str(self), "number", values, np.ones_like(column.missing))
        stamps = from_utc(pd.DatetimeIndex(column.values), column.timezone)
        values = np.asarray(stamps.hour if self.part == "hour" else stamps.day_of_week, dtype=np.float64)
        return Column(str(self), "number", values, column.missing)

    def describe(self, *names: str) -> str:
        return f"{self.part} of {names[0]}"

    def to_sql(self, dialect: SqlDialect, cells: Sequence[str], facts: Sequence[Any]) -> str | None:
        return dialect.part(cells[0], self.part, facts[0]) if facts[0].kind == "datetime" else None

    @property
    def axis(self) -> str:
        return self.column

    @property
    def sort_key(self) -> tuple[str, str, str]:
        return self.column, self.part, ""

    def check(self, value: Any) -> None:
        days = value if isinstance(value, tuple) else (value,)
        if self.part == "weekday" and not all(type(day) is int and 0 <= day <= 6 for day in days):
            raise ParameterError("value", "a whole number from 0 (Monday) to 6 (Sunday)", got=value, owner="a weekday")

    def display(self, value: Any) -> Any:
        if self.part == "hour" or value is None:
            return value
        days = [Unquoted(WEEKDAYS[int(day)]) for day in (value if isinstance(value, tuple) else (value,))]
        return tuple(days) if isinstance(value, tuple) else days[0]


@dataclass(frozen=True, slots=True)
class Relation(DerivedTerm):
    """The difference, ratio, product or sum of two columns of numbers.

    It is computed in doubles, whatever types the columns have, so that a database gets the same number. Databases
    disagree on overflow, so cells above 1e150, and those nearer to 0 than 1e-150, are not used: nothing that is left
    can overflow or vanish. A row has no value where a cell is missing or not used, or where the divisor is 0.

    Parameters
    ----------
    left, right : names of two different columns; of sums and products in the order of their names.
    op : `"-"`, `"/"`, `"*"` or `"+"`.

    Examples
    --------
    >>> print(Relation("outlet", "-", "inlet")), print(Relation("load", "*", "hours"))
    outlet - inlet
    hours x load
    (None, None)
    >>> Relation("load", "*", "hours") == Relation("hours", "*", "load")
    True
    """

    left: str
    op: Operation
    right: str

    def __post_init__(self) -> None:
        if not isinstance(self.op, str) or self.op not in OPERATIONS:
            raise ParameterError("op", "one of - / * +", got=self.op, owner="a Relation")
        if not isinstance(self.left, str) or not isinstance(self.right, str) or self.left == self.right:
            got = (self.left, self.right)
            raise ParameterError("left", "the name of another column than `right`", got=got, owner="a Relation")
        if self.op in "+*" and self.right < self.left:
            left, right = self.left, self.right
            object.__setattr__(self, "left", right)
            object.__setattr__(self, "right", left)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.left, self.right

    def evaluate(self, *columns: Column) -> Column:
        if any(column.kind != "number" for column in columns):
            values = np.full(len(columns[0].missing), np.nan)
        else:
            values = compute_relation(self.op, *(usable_cells(column.floats()) for column in columns))
        return Column(str(self), "number", values, np.isnan(values))

    def describe(self, *names: str) -> str:
        return f" {'x' if self.op == '*' else self.op} ".join(names)

    def to_sql(self, dialect: SqlDialect, cells: Sequence[str], facts: Sequence[Any]) -> str | None:
        if any(one.kind != "number" for one in facts):
            return None
        numbers = [dialect.as_double(cell, one) for cell, one in zip(cells, facts, strict=True)]
        tests = [test for test in map(dialect.is_number, cells) if test]
        for i, number in enumerate(numbers):
            usable = f"ABS({number}) BETWEEN {SMALLEST_CELL!r} AND {LARGEST_CELL!r}"
            tests.append(usable if self.op == "/" and i else f"({number} = 0 OR {usable})")
        return f"CASE WHEN {' AND '.join(tests)} THEN {f' {self.op} '.join(numbers)} END"

    @property
    def sort_key(self) -> tuple[str, str, str]:
        return str(self), "", self.op  # a column may have the name of a relation


Term = str | DatePart | Relation


def usable_cells(cells: FloatArray) -> FloatArray:
    """Give the cells that relations are computed from, NaN for the others."""
    size = np.abs(cells)
    return np.where((size == 0) | ((size >= SMALLEST_CELL) & (size <= LARGEST_CELL)), cells, np.nan)


def compute_relation(op: str, left: FloatArray, right: FloatArray) -> FloatArray:
    """Relate usable cells, which may be arrays of any shape; NaN where they have no value.

    >>> compute_relation("/", np.array([1.0, 1.0, 0.0, np.nan]), np.array([4.0, 0.0, 2.0, 1.0])).tolist()
    [0.25, nan, 0.0, nan]
    """
    if op == "/":
        right = np.where(right == 0, np.nan, right)
    return np.asarray(_COMPUTE[op](left, right) + 0.0)  # -0.0 becomes 0.0, as in the columns of a table


def name_in_sentence(name: Term) -> str:
    """Name a column or term in a sentence, so that it is not taken for a value.

    >>> name_in_sentence("age"), name_in_sentence("0"), name_in_sentence(" ")
    ('age', "column '0'", "column ' '")
    """
    if not isinstance(name, str):
        return name.in_sentence
    return name if any(c.isalpha() for c in name) else f"column {name!r}"


def value_text(value: Any) -> str:
    """Write a value as a person would: no needless decimals or times of day, strings in quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, dt.datetime):
        text = value.isoformat(sep=" ")
        return text.removesuffix(" 00:00:00") if value.tzinfo is None else text
    if isinstance(value, Decimal):
        return format(value, "f") if -20 <= value.adjusted() < 20 else str(value)
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        return str(value)
    if type(value) is frozenset:  # in one order, whatever that of its hashes
        return f"frozenset({{{', '.join(sorted(value_text(one) for one in value))}}})"
    return repr(value)


def value_texts(values: Iterable[Any]) -> list[str]:
    """Write values that stand beside each other alike: of moments all or none with the time of day.

    >>> value_texts([dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 2, 7, 30)])
    ['2024-05-01 00:00:00', '2024-05-02 07:30:00']
    """
    listed = list(values)
    texts = [value_text(value) for value in listed]
    moments = [isinstance(value, dt.datetime) for value in listed]
    if any(moment and ":" in text for moment, text in zip(moments, texts, strict=True)):
        rows = zip(listed, moments, texts, strict=True)
        return [value.isoformat(sep=" ") if moment else text for value, moment, text in rows]
    return texts

"""How each database writes names, values and times, so that it compares them as `Condition.holds` does.

Nothing is written as it comes: names and texts are quoted, and what stands unquoted was made here from a number.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Number
from pyod_explain.input.values import as_decimal
from pyod_explain.result import ColumnFacts

SHORT_WHOLE = 2**24  # up to it all whole numbers are floats of 32 bits
MAX_DECIMAL_DIGITS = 38
UNWRITABLE = re.compile("[\0\ud800-\udfff]")  # NUL, and half of a character, which no database keeps
SQLITE_TIME = "0000-00-00 00:00:00.000000000"
SQLITE_DATE = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*"


def unwritable(value: Any, facts: ColumnFacts, reason: str = "", hint: str = "") -> PyodExplainError:
    """Build the error for a value that would be another one in the database."""
    problem = f"The value {value!r} of column {facts.name!r} cannot be written in SQL{reason}."
    return PyodExplainError(problem, hint=hint)


def _quote(text: str, mark: str, *, backslash: bool) -> str:
    """Set a text in quotation marks, which are doubled within, or escaped where the dialect reads escapes.

    >>> _quote("it's", "'", backslash=False)
    "'it''s'"
    """
    if UNWRITABLE.search(text):
        raise PyodExplainError(f"The text {text!r} cannot be written in SQL: it has NUL or half of a character.")
    if backslash:
        text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace(mark, f"\\{mark}")
    else:
        text = text.replace(mark, mark + mark)
    return f"{mark}{text}{mark}"


def _in_microseconds(time: Any) -> Any:
    """Give a time or duration, or refuse one that is finer than databases count."""
    if getattr(time, "nanosecond", 0) or getattr(time, "nanoseconds", 0):
        hint = "round the column to microseconds before it is explained."
        raise PyodExplainError(f"The time {time} cannot be written in SQL: databases count microseconds.", hint=hint)
    return time


@dataclass(frozen=True)
class Dialect:
    """How a database writes names, values and times; the defaults are those of the standard.

    Attributes
    ----------
    name_mark, name_escapes : quotation mark of names, and whether backslashes are escapes in them.
    text_escapes : whether backslashes are escapes in texts.
    booleans : False and True.
    double_type : name of the type.
    exponent : what makes a literal a double where it would be a decimal. DuckDB rounds a decimal to 32 bits beside a
        short float, so that 0.7 is another number.
    decimal, timestamp, zoned_timestamp : literals of the digits or the clock's text.
    duration : literal of `seconds` or `micro`seconds.
    nan_test : that a cell is NaN; None where there is no such cell: the standard has no NaN.
    number_test : that a cell is a number, where a column of numbers may hold texts.
    at_zone : a time as the clock of a zone shows it.
    parts : the hour and the weekday (Monday is 0) of a time.
    """

    name_mark: str = '"'
    name_escapes: bool = False
    text_escapes: bool = False
    booleans: tuple[str, str] = ("FALSE", "TRUE")
    double_type: str = "DOUBLE PRECISION"
    exponent: str = "e0"
    decimal: str = "{}"
    timestamp: str = "TIMESTAMP '{}'"
    zoned_timestamp: str = "TIMESTAMP '{}+00:00'"
    duration: str = "INTERVAL '{seconds:f}' SECOND"
    nan_test: str | None = None
    number_test: str | None = None
    at_zone: str = "({} AT TIME ZONE {})"
    parts: Mapping[str, str] = field(default_factory=lambda: {"hour": "EXTRACT(HOUR FROM {})"})

    def name(self, name: str) -> str:
        """Write the name of a table or column."""
        return _quote(name, self.name_mark, backslash=self.name_escapes)

    # --- what is compared ---------------------------------------------------------------------------------------------

    def is_nan(self, subject: str) -> str | None:
        """Write that a cell is NaN; None where there is no such cell."""
        return self.nan_test and self.nan_test.format(subject)

    def is_number(self, subject: str) -> str | None:
        """Write that a cell is a number, where a column of numbers may hold texts, which have an order; else None."""
        return self.number_test and self.number_test.format(subject)

    def as_double(self, subject: str, facts: ColumnFacts) -> str:
        """Write a number as the double nearest to it."""
        return f"CAST({subject} AS {self.double_type})"

    def time(self, subject: str, facts: ColumnFacts) -> str:
        """Write a cell with a time so that it compares with the literals."""
        return subject

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        """Write the hour or weekday (Monday is 0) of a time, by the column's own clock."""
        if part not in self.parts:
            problem = f"The weekday of {facts.name!r} cannot be written in standard SQL, which has no word for it."
            hint = "name your database: dialect='duckdb', 'postgres', 'sqlite', 'bigquery' or 'spark'."
            raise PyodExplainError(problem, hint=hint)
        clock = self.time(subject, facts)
        if facts.timezone is not None:
            clock = self.at_zone.format(clock, self.text(facts.timezone))
        return self.parts[part].format(clock)

    # --- what it is compared with -------------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        """Write a text."""
        return _quote(text, "'", backslash=self.text_escapes)

    def number(self, value: Any, facts: ColumnFacts) -> str:
        """Write a number so that the database reads the same one."""
        if isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                raise unwritable(value, facts, ": it has more than 64 bits", hint="rescale the column.")
            return str(int(value))
        if isinstance(value, Decimal):
            return self.write_decimal(value, facts)
        if not isinstance(value, float) or not math.isfinite(value):
            raise unwritable(value, facts)
        if value.is_integer() and abs(value) <= SHORT_WHOLE:  # no database can round it
            return str(int(value))
        text = repr(float(value))
        return text if "e" in text else text + self.exponent

    def write_decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        """Write a decimal that the database keeps as such; a longer one would become a double unnoticed."""
        text = format(as_decimal(value), "f")
        if sum(one.isdigit() for one in text) > MAX_DECIMAL_DIGITS:
            raise unwritable(value, facts, f": it has more than {MAX_DECIMAL_DIGITS} digits", hint="round the column.")
        return self.decimal.format(text)

    def write_timestamp(self, stamp: pd.Timestamp, *, zoned: bool) -> str:
        """Write a time in UTC; `zoned` tells whether its column has a time zone."""
        text = _in_microseconds(stamp).tz_localize(None).isoformat(sep=" ")
        return (self.zoned_timestamp if zoned else self.timestamp).format(text)

    def write_duration(self, value: pd.Timedelta) -> str:
        """Write a duration."""
        micro = int(_in_microseconds(value).value // 1000)
        return self.duration.format(micro=micro, seconds=Decimal(micro).scaleb(-6))

    def category(self, value: Any, facts: ColumnFacts) -> list[str]:
        """Write a value of a column without order, in each form that the database may have it in."""
        other: Any = str if isinstance(value, Number) else Number
        if isinstance(value, Number | str) and any(isinstance(one, other) for one in facts.candidates):
            reason = ": the column has texts and numbers, and a database's column has one type"
            raise unwritable(value, facts, reason, hint="make it text.")
        if isinstance(value, bool):
            return [self.booleans[value]]
        if isinstance(value, str):
            return [self.text(value)]
        if isinstance(value, Number):
            return [self.number(value, facts)]
        if isinstance(value, dt.date):
            return [self.write_timestamp(pd.Timestamp(value), zoned=getattr(value, "tzinfo", None) is not None)]
        raise unwritable(value, facts)


class DuckDB(Dialect):
    """DuckDB rounds long whole numbers and decimals twice on the way to a double, but texts once."""

    def as_double(self, subject: str, facts: ColumnFacts) -> str:
        exact = facts.whole or any(isinstance(one, Decimal) for one in facts.candidates)
        return super().as_double(f"CAST({subject} AS VARCHAR)" if exact else subject, facts)


class SQLite(Dialect):
    """SQLite, whose columns hold cells of any type and which has neither times nor decimals."""

    def time(self, subject: str, facts: ColumnFacts) -> str:
        """Bring text to the form of the literals: SQLite has no times; what is left out is 0, and "T" a space."""
        if facts.timezone is not None:
            problem = f"Column {facts.name!r} has a time zone, and SQLite has no type for that."
            raise PyodExplainError(problem, hint="explain with times in UTC without a zone, or use another dialect.")
        text = f"replace({subject} || substr('{SQLITE_TIME}', length({subject}) + 1), 'T', ' ')"
        return f"CASE WHEN {subject} GLOB '{SQLITE_DATE}' THEN {text} END"  # not a number or another text

    def write_decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        near = float(value)
        if Decimal(repr(near)) != value:
            raise unwritable(value, facts, " of SQLite, which has no decimals but doubles", hint="use another dialect.")
        return self.number(near, facts)

    def write_timestamp(self, stamp: pd.Timestamp, *, zoned: bool) -> str:
        return f"'{stamp.isoformat(sep=' ', timespec='nanoseconds')}'"  # zones are refused with the column

    def write_duration(self, value: pd.Timedelta) -> str:
        return str(value.value)  # whole nanoseconds: it has no type for durations

    def category(self, value: Any, facts: ColumnFacts) -> list[str]:
        """Write a value in each form that it has in a column of text, which is what pandas makes of categories.

        SQLite compares the text of a number there: 1 and 1.0 differ, and a float has 15 digits.
        """
        forms = super().category(value, facts)
        if not isinstance(value, int | float | dt.date) or isinstance(value, bool):
            return forms
        if isinstance(value, dt.date) or value != int(value) or abs(value) >= 10**15:
            reason = " of SQLite where it is a category"
            raise unwritable(value, facts, reason, hint="make the column one of numbers or times.")
        return [str(int(value)), f"{int(value)}.0"]


POSTGRES: dict[str, Any] = {
    "zoned_timestamp": "TIMESTAMPTZ '{}+00:00'",
    "duration": "INTERVAL '{micro} microseconds'",
    "parts": {"hour": "EXTRACT(HOUR FROM {})", "weekday": "(EXTRACT(ISODOW FROM {}) - 1)"},
}
DIALECTS: dict[str, Dialect] = {
    "ansi": Dialect(),
    "duckdb": DuckDB(**POSTGRES, double_type="DOUBLE", nan_test="isnan(CAST({} AS DOUBLE))"),
    "postgres": Dialect(
        **POSTGRES, exponent="", nan_test="CAST({} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)"
    ),
    "sqlite": SQLite(
        booleans=("0", "1"),  # NaN is NULL in it, so there is no test for it
        double_type="REAL",
        exponent="",
        number_test="typeof({}) IN ('integer', 'real')",
        parts={
            "hour": "CAST(strftime('%H', {}) AS INTEGER)",
            "weekday": "((CAST(strftime('%w', {}) AS INTEGER) + 6) % 7)",  # its Sunday is 0
        },
    ),
    "bigquery": Dialect(
        name_mark="`",
        name_escapes=True,
        text_escapes=True,
        double_type="FLOAT64",
        exponent="",
        decimal="BIGNUMERIC '{}'",
        timestamp="DATETIME '{}'",
        duration="INTERVAL {micro} MICROSECOND",
        nan_test="IS_NAN(CAST({} AS FLOAT64))",
        at_zone="{} AT TIME ZONE {}",
        parts={
            "hour": "EXTRACT(HOUR FROM {})",
            "weekday": "MOD(EXTRACT(DAYOFWEEK FROM {}) + 5, 7)",  # its Sunday is 1
        },
    ),
    "spark": Dialect(
        name_mark="`",
        text_escapes=True,
        double_type="DOUBLE",
        decimal="{}BD",
        nan_test="isnan(CAST({} AS DOUBLE))",
        # The session's zone tells how Spark shows an instant; to UTC first, then to the column's own clock.
        at_zone="from_utc_timestamp(to_utc_timestamp({}, current_timezone()), {})",
        parts={"hour": "hour({})", "weekday": "weekday({})"},
    ),
}

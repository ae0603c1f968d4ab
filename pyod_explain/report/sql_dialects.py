"""How each database writes names, values and times, so that it compares them as `Condition.holds` does.

Nothing is written as it comes: names and texts are quoted, and what stands unquoted was made here from a number.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Number, as_decimal
from pyod_explain.result import ColumnFacts

EXACT_WHOLE = 2**53  # below it all whole numbers are doubles
SHORT_WHOLE = 2**24  # up to it all whole numbers are floats of 32 bits
SQLITE_TIME = "0000-00-00 00:00:00.000000000"
SQLITE_DATE = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*"
OTHER_DIALECT = "use another dialect."


def unwritable(value: Any, facts: ColumnFacts, reason: str = "", hint: str = "") -> PyodExplainError:
    """Build the error for a value that would be another one in the database."""
    problem = f"The value {value!r} of column {facts.name!r} cannot be written in SQL{reason}."
    return PyodExplainError(problem, hint=hint)


# --- texts ------------------------------------------------------------------------------------------------------------


def check_text(text: Any, what: str) -> str:
    """Give the text as it is; anything else is refused."""
    if not isinstance(text, str):
        raise PyodExplainError(f"The {what} {text!r} cannot be written in SQL: it must be a text.")
    return text


def _refuse_unwritable(text: str, what: str) -> None:
    """Refuse a text with characters that no database keeps."""
    if "\0" in check_text(text, what):
        raise PyodExplainError(f"The {what} {text!r} cannot be written in SQL: it has a NUL character.")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise PyodExplainError(f"The {what} {text!r} cannot be written in SQL: it has half of a character (UTF-16).")


def _quote(text: str, what: str, mark: str) -> str:
    """Set a text in quotation marks, which are doubled within.

    >>> _quote("it's", "text", "'")
    "'it''s'"
    """
    _refuse_unwritable(text, what)
    return mark + text.replace(mark, mark + mark) + mark


def _backslash(text: str, what: str, mark: str) -> str:
    """Set a text in quotation marks, for dialects that read escapes."""
    _refuse_unwritable(text, what)
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace(mark, f"\\{mark}")
    return f"{mark}{escaped}{mark}"


# --- numbers ----------------------------------------------------------------------------------------------------------


def write_digits(number: int) -> str:
    """Write a whole number, not what a subclass makes of it."""
    return int.__repr__(number)


def write_double(value: float) -> str:
    """Write a double; an exponent makes it one, not a decimal."""
    text = float.__repr__(value)
    return text if "e" in text else text + "e0"


def _plain_double(value: float) -> str:
    """Write a double as people write numbers; the digits are those that give just this double back.

    >>> _plain_double(-0.0), _plain_double(250.0), _plain_double(0.7), _plain_double(1e300)
    ('0', '250', '0.7', '1e+300')
    """
    return write_digits(int(value)) if value.is_integer() and abs(value) < EXACT_WHOLE else float.__repr__(value)


def _is_short_whole(value: float) -> bool:
    """Tell whether a double is whole and as exact in the shortest float: no database can round it.

    >>> _is_short_whole(-0.0), _is_short_whole(250.0), _is_short_whole(16777217.0), _is_short_whole(0.5)
    (True, True, False, False)
    """
    return value.is_integer() and abs(value) <= SHORT_WHOLE


def _fits_64_bits(number: int) -> bool:
    return -(2**63) <= number < 2**63


def _short_decimal(value: Decimal, facts: ColumnFacts) -> str:
    """Write a decimal that the database keeps as such; a longer one would become a double unnoticed."""
    text = format(as_decimal(value), "f")
    if sum(one.isdigit() for one in text) > 38:
        raise unwritable(value, facts, ": the database has decimals of 38 digits", hint="round the column.")
    return text


# --- times ------------------------------------------------------------------------------------------------------------


def _clock_text(stamp: pd.Timestamp) -> str:
    """Write a time in whole microseconds, without its zone."""
    if stamp.nanosecond:
        raise PyodExplainError(
            f"The time {stamp} cannot be written in SQL: databases count microseconds.",
            hint="round the column to microseconds before it is explained.",
        )
    return stamp.tz_localize(None).isoformat(sep=" ")


def _microseconds(duration: pd.Timedelta) -> int:
    """Give a duration in microseconds, or refuse one that is finer."""
    if duration.value % 1000:
        raise PyodExplainError(
            f"The duration {duration} cannot be written in SQL: databases count microseconds.",
            hint="round the column to microseconds, or make it a number of seconds.",
        )
    return int(duration.value // 1000)


# --- dialects ---------------------------------------------------------------------------------------------------------


class Dialect:
    """The standard's own dialect, and what the others have in common with it."""

    booleans: ClassVar[Mapping[bool, str]] = {True: "TRUE", False: "FALSE"}
    double_type: ClassVar[str] = "DOUBLE PRECISION"

    def name(self, name: str) -> str:
        """Write the name of a table or column."""
        return _quote(name, "name", '"')

    # --- what is compared ---------------------------------------------------------------------------------------------

    def is_nan(self, subject: str) -> str | None:
        """Write that a cell is NaN; None where there is no such cell: the standard has no NaN."""
        return None

    def is_number(self, subject: str) -> str | None:
        """Write that a cell is a number, where a column of numbers may hold texts, which have an order; else None."""
        return None

    def as_double(self, subject: str, facts: ColumnFacts) -> str:
        """Write a number as the double nearest to it."""
        return f"CAST({subject} AS {self.double_type})"

    def time(self, subject: str, facts: ColumnFacts) -> str:
        """Write a cell with a time so that it compares with the literals."""
        return subject

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        """Write the hour or weekday (Monday is 0) of a time, by the column's own clock."""
        if part == "weekday":
            raise PyodExplainError(
                f"The weekday of {facts.name!r} cannot be written in standard SQL, which has no word for it.",
                hint="name your database: dialect='duckdb', 'postgres', 'sqlite', 'bigquery' or 'spark'.",
            )
        return f"EXTRACT(HOUR FROM {self._at_its_zone(subject, facts)})"

    def _at_its_zone(self, subject: str, facts: ColumnFacts) -> str:
        """Write a time as the clock of the column's zone shows it."""
        return subject if facts.timezone is None else f"({subject} AT TIME ZONE {self.text(facts.timezone)})"

    # --- what it is compared with -------------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        """Write a text."""
        return _quote(text, "text", "'")

    def number(self, value: Any, facts: ColumnFacts) -> str:
        """Write a number so that the database reads the same one."""
        if isinstance(value, int):
            return self.whole(int(value), facts)
        if isinstance(value, Decimal):
            return self.decimal(value, facts)
        if not isinstance(value, float) or not math.isfinite(value):
            raise unwritable(value, facts)
        return self.double(value)

    def double(self, value: float) -> str:
        """Write a double, with an exponent unless it is a small whole number: a decimal could be compared otherwise.

        DuckDB rounds a decimal to 32 bits beside a short float, so that 0.7 is another number, and casts whole numbers
        to decimals beside one, of which the largest are none.
        """
        return _plain_double(value) if _is_short_whole(value) else write_double(value)

    def whole(self, value: int, facts: ColumnFacts) -> str:
        """Write a whole number."""
        return write_digits(value)

    def decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        """Write a decimal."""
        return format(as_decimal(value), "f")

    def timestamp(self, stamp: pd.Timestamp, *, zoned: bool) -> str:
        """Write a time; `zoned` tells whether its column has a time zone."""
        return f"TIMESTAMP '{_clock_text(stamp)}{'+00:00' if zoned else ''}'"

    def duration(self, value: pd.Timedelta) -> str:
        """Write a duration."""
        sign, micro = "-" if value.value < 0 else "", abs(_microseconds(value))
        return f"INTERVAL '{sign}{micro // 1_000_000}.{micro % 1_000_000:06d}' SECOND"

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
            return [self.timestamp(pd.Timestamp(value), zoned=getattr(value, "tzinfo", None) is not None)]
        raise unwritable(value, facts)


class Postgres(Dialect):
    """PostgreSQL."""

    def double(self, value: float) -> str:
        """Write a double; an exponent would not make it one: it is compared as such beside any float."""
        return _plain_double(value)

    def is_nan(self, subject: str) -> str | None:
        return f"CAST({subject} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)"

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        subject = self._at_its_zone(subject, facts)
        return f"EXTRACT(HOUR FROM {subject})" if part == "hour" else f"(EXTRACT(ISODOW FROM {subject}) - 1)"

    def timestamp(self, stamp: pd.Timestamp, *, zoned: bool) -> str:
        return f"TIMESTAMPTZ '{_clock_text(stamp)}+00'" if zoned else f"TIMESTAMP '{_clock_text(stamp)}'"

    def duration(self, value: pd.Timedelta) -> str:
        return f"INTERVAL '{_microseconds(value)} microseconds'"


class DuckDB(Postgres):
    """DuckDB: PostgreSQL's dialect with types of its own for long numbers."""

    double_type = "DOUBLE"

    def double(self, value: float) -> str:
        return Dialect.double(self, value)  # here an exponent does make it one

    def is_nan(self, subject: str) -> str | None:
        return f"isnan(CAST({subject} AS DOUBLE))"

    def as_double(self, subject: str, facts: ColumnFacts) -> str:
        """Write a number as the nearest double; DuckDB rounds long whole numbers and decimals twice, but texts once."""
        exact = facts.whole or any(isinstance(one, Decimal) for one in facts.candidates)
        return super().as_double(f"CAST({subject} AS VARCHAR)" if exact else subject, facts)

    def whole(self, value: int, facts: ColumnFacts) -> str:
        if not -(2**127) < value < 2**128:
            raise unwritable(value, facts, " of DuckDB, whose whole numbers have 128 bits", hint="rescale the column.")
        return write_digits(value)

    def decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        return _short_decimal(value, facts)


class BigQuery(Dialect):
    """BigQuery."""

    double_type = "FLOAT64"

    def name(self, name: str) -> str:
        return _backslash(name, "name", "`")

    def text(self, text: str) -> str:
        return _backslash(text, "text", "'")

    def double(self, value: float) -> str:
        return _plain_double(value)  # which it takes for a double wherever the column is one

    def is_nan(self, subject: str) -> str | None:
        return f"IS_NAN(CAST({subject} AS FLOAT64))"

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        zone = "" if facts.timezone is None else f" AT TIME ZONE {self.text(facts.timezone)}"
        if part == "hour":
            return f"EXTRACT(HOUR FROM {subject}{zone})"
        return f"MOD(EXTRACT(DAYOFWEEK FROM {subject}{zone}) + 5, 7)"  # its Sunday is 1, our Monday is 0

    def whole(self, value: int, facts: ColumnFacts) -> str:
        return write_digits(value) if _fits_64_bits(value) else self.decimal(Decimal(value), facts)

    def decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        return f"BIGNUMERIC '{_short_decimal(value, facts)}'"

    def timestamp(self, stamp: pd.Timestamp, *, zoned: bool) -> str:
        return super().timestamp(stamp, zoned=zoned) if zoned else f"DATETIME '{_clock_text(stamp)}'"

    def duration(self, value: pd.Timedelta) -> str:
        return f"INTERVAL {_microseconds(value)} MICROSECOND"


class Spark(Dialect):
    """Spark SQL."""

    double_type = "DOUBLE"

    def name(self, name: str) -> str:
        return _quote(name, "name", "`")

    def text(self, text: str) -> str:
        return _backslash(text, "text", "'")

    def double(self, value: float) -> str:
        return _plain_double(value) if _is_short_whole(value) else f"{float.__repr__(value)}D"

    def is_nan(self, subject: str) -> str | None:
        return f"isnan(CAST({subject} AS DOUBLE))"

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        if facts.timezone is not None:
            # The session's zone tells how Spark shows an instant; to UTC first, then to the column's own clock.
            zone = self.text(facts.timezone)
            subject = f"from_utc_timestamp(to_utc_timestamp({subject}, current_timezone()), {zone})"
        return f"{part}({subject})"

    def whole(self, value: int, facts: ColumnFacts) -> str:
        return write_digits(value) if _fits_64_bits(value) else self.decimal(Decimal(value), facts)

    def decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        return f"{_short_decimal(value, facts)}BD"


class SQLite(Dialect):
    """SQLite, whose columns hold cells of any type and which has neither times nor decimals."""

    booleans: ClassVar[Mapping[bool, str]] = {True: "1", False: "0"}  # NaN is NULL in it, so `is_nan` stays None
    double_type = "REAL"

    def text(self, text: str) -> str:
        if "\0" not in text:
            return super().text(text)
        _refuse_unwritable(text.replace("\0", ""), "text")
        return f"CAST(X'{text.encode().hex()}' AS TEXT)"

    def is_number(self, subject: str) -> str | None:
        return f"typeof({subject}) IN ('integer', 'real')"

    def time(self, subject: str, facts: ColumnFacts) -> str:
        """Bring text to the form of the literals: SQLite has no times; what is left out is 0, and "T" a space."""
        if facts.timezone is not None:
            raise _no_time_zone(facts)
        text = f"replace({subject} || substr('{SQLITE_TIME}', length({subject}) + 1), 'T', ' ')"
        return f"CASE WHEN {subject} GLOB '{SQLITE_DATE}' THEN {text} END"  # not a number or another text

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        subject = self.time(subject, facts)
        if part == "hour":
            return f"CAST(strftime('%H', {subject}) AS INTEGER)"
        return f"((CAST(strftime('%w', {subject}) AS INTEGER) + 6) % 7)"  # its Sunday is 0, our Monday is 0

    def whole(self, value: int, facts: ColumnFacts) -> str:
        """Write a whole number; SQLite compares its own, which have 64 bits, exactly with any double."""
        if _fits_64_bits(value):
            return write_digits(value)
        near = float(value) if abs(value) <= sys.float_info.max else math.inf
        beyond_all = math.isfinite(near) and (near >= 2**63 or near < -(2**63))
        if not beyond_all or any(isinstance(one, int) and not _fits_64_bits(one) for one in facts.candidates):
            raise unwritable(value, facts, " of SQLite, whose whole numbers have 64 bits", hint=OTHER_DIALECT)
        return _plain_double(near)

    def double(self, value: float) -> str:
        return _plain_double(value)  # it compares whole numbers with doubles exactly

    def decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        near = float(value)
        if Decimal(repr(near)) != value:
            raise unwritable(value, facts, " of SQLite, which has no decimals but doubles", hint=OTHER_DIALECT)
        return _plain_double(near)

    def timestamp(self, stamp: pd.Timestamp, *, zoned: bool) -> str:
        return f"'{stamp.isoformat(sep=' ', timespec='nanoseconds')}'"  # zones are refused with the column

    def duration(self, value: pd.Timedelta) -> str:
        return str(value.value)  # whole nanoseconds: it has no type for durations

    def category(self, value: Any, facts: ColumnFacts) -> list[str]:
        """Write a value in each form that it has in a column of text, which is what pandas makes of categories.

        SQLite compares the text of a number there: 1 and 1.0 differ, and a float has 15 digits.
        """
        if isinstance(value, dt.date):
            if getattr(value, "tzinfo", None) is not None:
                raise _no_time_zone(facts)
            return [self.text(_clock_text(pd.Timestamp(value)))]
        others = (float(f"{value:.15g}"), *facts.candidates) if isinstance(value, float) else ()
        if any(isinstance(one, float) and one != value and f"{one:.15g}" == f"{value:.15g}" for one in others):
            reason = " of SQLite, which tells such numbers apart by 15 digits where they are categories"
            raise unwritable(value, facts, reason, hint="make the column one of numbers.")
        forms = super().category(value, facts)
        # As a double, a longer whole number could be its neighbour.
        limit = 2**63 if isinstance(value, float) else 10**15
        if isinstance(value, int | float) and abs(value) < limit and value == int(value):
            return [write_digits(int(value)), write_double(float(value))]
        return forms


def _no_time_zone(facts: ColumnFacts) -> PyodExplainError:
    return PyodExplainError(
        f"Column {facts.name!r} has a time zone, and SQLite has no type for that.",
        hint="explain with times in UTC without a zone, or use another dialect.",
    )


DIALECTS: dict[str, Dialect] = {
    "ansi": Dialect(),
    "duckdb": DuckDB(),
    "postgres": Postgres(),
    "sqlite": SQLite(),
    "bigquery": BigQuery(),
    "spark": Spark(),
}

"""DuckDB, PostgreSQL, BigQuery and Spark: what they write in other ways than the standard."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd

from pyod_explain.report.sql.dialect import Dialect
from pyod_explain.report.sql.literals import (
    backslashed,
    clock_text,
    digits,
    escaped,
    fits_64_bits,
    is_short_whole,
    microseconds,
    plain_double,
    quoted,
    refuse_nanoseconds,
    refuse_unwritable,
    short_decimal,
)
from pyod_explain.result import ColumnFacts

__all__ = ["BigQuery", "DuckDB", "Postgres", "Spark"]


class Postgres(Dialect):
    """PostgreSQL."""

    def double(self, value: float) -> str:
        """Write a double; an exponent would not make it one: it is compared as such beside any float."""
        return plain_double(value)

    def is_nan(self, subject: str) -> str | None:
        return f"CAST({subject} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)"

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        subject = self.at_its_zone(subject, facts)
        return f"EXTRACT(HOUR FROM {subject})" if part == "hour" else f"(EXTRACT(ISODOW FROM {subject}) - 1)"

    def moment(self, stamp: pd.Timestamp, *, zoned: bool, fine: bool = False) -> str:
        refuse_nanoseconds(stamp)
        return f"TIMESTAMPTZ '{clock_text(stamp)}+00'" if zoned else f"TIMESTAMP '{clock_text(stamp)}'"

    def duration(self, value: pd.Timedelta) -> str:
        return f"INTERVAL '{microseconds(value)} microseconds'"


class DuckDB(Postgres):
    """DuckDB: PostgreSQL's dialect with types of its own for long numbers and fine times."""

    BIGNUM = " AS BIGNUM)"  # of more than 128 bits

    def double(self, value: float) -> str:
        return Dialect.double(self, value)  # here an exponent does make it one

    def is_nan(self, subject: str) -> str | None:
        return f"isnan(CAST({subject} AS DOUBLE))"

    def as_double(self, subject: str, facts: ColumnFacts) -> str:
        """Write a number as the nearest double; DuckDB rounds long whole numbers and decimals twice, but texts once."""
        exact = facts.whole or any(isinstance(one, Decimal) for one in facts.candidates)
        return f"CAST({f'CAST({subject} AS VARCHAR)' if exact else subject} AS DOUBLE)"

    def beside(self, subject: str, literal: str) -> str:
        """Bring the column to the type of numbers of more than 128 bits; by its text, as DuckDB drops a direct cast.

        It compares other types with that one falsely: 5 < 2**130 is false to it.
        """
        return f"CAST(CAST({subject} AS VARCHAR){self.BIGNUM}" if literal.endswith(f"'{self.BIGNUM}") else subject

    def whole(self, value: int, facts: ColumnFacts) -> str:
        return digits(value) if -(2**127) < value < 2**128 else f"CAST('{digits(value)}'{self.BIGNUM}"

    def decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        return short_decimal(value, facts)

    def moment(self, stamp: pd.Timestamp, *, zoned: bool, fine: bool = False) -> str:
        """Write a time; with a zone, DuckDB does not compare a column in nanoseconds with a time in microseconds."""
        if zoned and (fine or stamp.nanosecond):
            return f"TIMESTAMPTZ_NS '{clock_text(stamp)}+00'"
        return f"TIMESTAMP_NS '{clock_text(stamp)}'" if stamp.nanosecond else super().moment(stamp, zoned=zoned)


class BigQuery(Dialect):
    """BigQuery."""

    def name(self, name: str) -> str:
        refuse_unwritable(name, "name")
        return "`" + escaped(name).replace("`", "\\`") + "`"

    def text(self, text: str) -> str:
        return backslashed(text)

    def double(self, value: float) -> str:
        return plain_double(value)  # which it takes for a double wherever the column is one

    def is_nan(self, subject: str) -> str | None:
        return f"IS_NAN(CAST({subject} AS FLOAT64))"

    def as_double(self, subject: str, facts: ColumnFacts) -> str:
        return f"CAST({subject} AS FLOAT64)"

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        zone = "" if facts.timezone is None else f" AT TIME ZONE {backslashed(facts.timezone)}"
        if part == "hour":
            return f"EXTRACT(HOUR FROM {subject}{zone})"
        return f"MOD(EXTRACT(DAYOFWEEK FROM {subject}{zone}) + 5, 7)"  # its Sunday is 1, our Monday is 0

    def whole(self, value: int, facts: ColumnFacts) -> str:
        return digits(value) if fits_64_bits(value) else self.decimal(Decimal(value), facts)

    def decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        return f"BIGNUMERIC '{short_decimal(value, facts)}'"

    def moment(self, stamp: pd.Timestamp, *, zoned: bool, fine: bool = False) -> str:
        refuse_nanoseconds(stamp)
        return f"TIMESTAMP '{clock_text(stamp)}+00:00'" if zoned else f"DATETIME '{clock_text(stamp)}'"

    def duration(self, value: pd.Timedelta) -> str:
        return f"INTERVAL {microseconds(value)} MICROSECOND"


class Spark(Dialect):
    """Spark SQL."""

    def name(self, name: str) -> str:
        return quoted(name, "name", "`")

    def text(self, text: str) -> str:
        return backslashed(text)

    def double(self, value: float) -> str:
        return plain_double(value) if is_short_whole(value) else f"{float.__repr__(value)}D"

    def is_nan(self, subject: str) -> str | None:
        return f"isnan(CAST({subject} AS DOUBLE))"

    def as_double(self, subject: str, facts: ColumnFacts) -> str:
        return f"CAST({subject} AS DOUBLE)"

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        if facts.timezone is not None:
            # The session's zone tells how Spark shows an instant; to UTC first, then to the column's own clock.
            zone = backslashed(facts.timezone)
            subject = f"from_utc_timestamp(to_utc_timestamp({subject}, current_timezone()), {zone})"
        return f"hour({subject})" if part == "hour" else f"weekday({subject})"

    def whole(self, value: int, facts: ColumnFacts) -> str:
        return digits(value) if fits_64_bits(value) else self.decimal(Decimal(value), facts)

    def decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        return f"{short_decimal(value, facts)}BD"

    def moment(self, stamp: pd.Timestamp, *, zoned: bool, fine: bool = False) -> str:
        refuse_nanoseconds(stamp)
        return super().moment(stamp, zoned=zoned, fine=fine)

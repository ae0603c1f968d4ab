"""How standard SQL writes what a condition speaks of; a database that does it in another way overrides that."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Number, as_decimal
from pyod_explain.report.sql.literals import (
    clock_text,
    digits,
    double,
    is_short_whole,
    plain_double,
    quoted,
    seconds,
    unwritable,
)
from pyod_explain.result import ColumnFacts

__all__ = ["Dialect"]


class Dialect:
    """The standard's own dialect, and what the others have in common with it."""

    truth: ClassVar[Mapping[bool, str]] = {True: "TRUE", False: "FALSE"}

    def name(self, name: str) -> str:
        """Write the name of a table or column."""
        return quoted(name, "name", '"')

    # --- what is compared ---------------------------------------------------------------------------------------------

    def is_nan(self, subject: str) -> str | None:
        """Write that a cell is NaN; None where there is no such cell: the standard has no NaN."""
        return None

    def is_number(self, subject: str) -> str | None:
        """Write that a cell is a number, where a column of numbers may hold texts, which have an order; else None."""
        return None

    def beside(self, subject: str, literal: str) -> str:
        """Write a whole cell so that it compares rightly with this literal."""
        return subject

    def as_double(self, subject: str, facts: ColumnFacts) -> str:
        """Write a number as the double nearest to it."""
        return f"CAST({subject} AS DOUBLE PRECISION)"

    def time(self, subject: str, facts: ColumnFacts) -> str:
        """Write a cell with a time so that it compares with the literals."""
        return subject

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        """Write the hour or weekday (Monday is 0) of a time, by the column's own clock."""
        if part == "weekday":
            raise PyodExplainError(
                f"The weekday of {facts.name!r} cannot be written in standard SQL, which has no word for it.\n"
                "Hint: name your database: dialect='duckdb', 'postgres', 'sqlite', 'bigquery' or 'spark'."
            )
        return f"EXTRACT(HOUR FROM {self.at_its_zone(subject, facts)})"

    def at_its_zone(self, subject: str, facts: ColumnFacts) -> str:
        """Write a time as the clock of the column's zone shows it."""
        return subject if facts.timezone is None else f"({subject} AT TIME ZONE {self.text(facts.timezone)})"

    # --- what it is compared with -------------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        """Write a text."""
        return quoted(text, "text", "'")

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
        return plain_double(value) if is_short_whole(value) else double(value)

    def whole(self, value: int, facts: ColumnFacts) -> str:
        """Write a whole number."""
        return digits(value)

    def decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        """Write a decimal."""
        return format(as_decimal(value), "f")

    def moment(self, stamp: pd.Timestamp, *, zoned: bool, fine: bool = False) -> str:
        """Write a time; has its column a zone, and nanoseconds?"""
        return f"TIMESTAMP '{clock_text(stamp)}+00:00'" if zoned else f"TIMESTAMP '{clock_text(stamp)}'"

    def duration(self, value: pd.Timedelta) -> str:
        """Write a duration."""
        return f"INTERVAL '{seconds(value)}' SECOND"

    def category(self, value: Any, facts: ColumnFacts) -> list[str]:
        """Write a value of a column without order, in each form that the database may have it in."""
        _refuse_mixture(value, facts)
        if isinstance(value, bool):
            return [self.truth[value]]
        if isinstance(value, str):
            return [self.text(value)]
        if isinstance(value, Number):
            return [self.number(value, facts)]
        if isinstance(value, dt.date):
            return [self.moment(pd.Timestamp(value), zoned=getattr(value, "tzinfo", None) is not None)]
        raise unwritable(value, facts)


def _refuse_mixture(value: Any, facts: ColumnFacts) -> None:
    """Refuse a value that could be taken for one of another type: a database's column has one type for all cells."""
    other: Any = str if isinstance(value, Number) else Number
    if isinstance(value, Number | str) and any(isinstance(one, other) for one in facts.candidates):
        reason = ": the column has texts and numbers, and a database's column has one type.\nHint: make it text"
        raise unwritable(value, facts, reason)

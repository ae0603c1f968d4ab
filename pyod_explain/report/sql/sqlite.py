"""SQLite, whose columns hold cells of any type and which has neither times nor decimals."""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.sql.dialect import Dialect
from pyod_explain.report.sql.literals import (
    clock_text,
    digits,
    double,
    fits_64_bits,
    plain_double,
    refuse_unwritable,
    unwritable,
)
from pyod_explain.result import ColumnFacts

__all__ = ["SQLite"]

TIME = "0000-00-00 00:00:00.000000000"
DATE = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*"


class SQLite(Dialect):
    """SQLite."""

    truth: ClassVar[Mapping[bool, str]] = {True: "1", False: "0"}  # NaN is NULL in it, so `is_nan` stays None

    def text(self, text: str) -> str:
        if "\0" not in text:
            return super().text(text)
        refuse_unwritable(text.replace("\0", ""), "text")
        return f"CAST(X'{text.encode().hex()}' AS TEXT)"

    def is_number(self, subject: str) -> str | None:
        return f"typeof({subject}) IN ('integer', 'real')"

    def as_double(self, subject: str, facts: ColumnFacts) -> str:
        return f"CAST({subject} AS REAL)"

    def time(self, subject: str, facts: ColumnFacts) -> str:
        """Bring text to the form of the literals: SQLite has no times; what is left out is 0, and "T" a space."""
        if facts.timezone is not None:
            raise _no_zone(facts)
        text = f"replace({subject} || substr('{TIME}', length({subject}) + 1), 'T', ' ')"
        return f"CASE WHEN {subject} GLOB '{DATE}' THEN {text} END"  # not a number or another text

    def part(self, subject: str, part: str, facts: ColumnFacts) -> str:
        subject = self.time(subject, facts)
        if part == "hour":
            return f"CAST(strftime('%H', {subject}) AS INTEGER)"
        return f"((CAST(strftime('%w', {subject}) AS INTEGER) + 6) % 7)"  # its Sunday is 0, our Monday is 0

    def whole(self, value: int, facts: ColumnFacts) -> str:
        """Write a whole number; SQLite compares its own, which have 64 bits, exactly with any double."""
        if fits_64_bits(value):
            return digits(value)
        near = float(value) if abs(value) <= sys.float_info.max else math.inf
        beyond_all = math.isfinite(near) and (near >= 2**63 or near < -(2**63))
        if not beyond_all or any(isinstance(one, int) and not fits_64_bits(one) for one in facts.candidates):
            reason = " of SQLite, whose whole numbers have 64 bits.\nHint: use another dialect, or rescale the column"
            raise unwritable(value, facts, reason)
        return plain_double(near)

    def double(self, value: float) -> str:
        return plain_double(value)  # it compares whole numbers with doubles exactly

    def decimal(self, value: Decimal, facts: ColumnFacts) -> str:
        near = float(value)
        if Decimal(repr(near)) != value:
            raise unwritable(value, facts, " of SQLite, which has no decimals but doubles.\nHint: use another dialect")
        return plain_double(near)

    def moment(self, stamp: pd.Timestamp, *, zoned: bool, fine: bool = False) -> str:
        return f"'{stamp.isoformat(sep=' ', timespec='nanoseconds')}'"  # zones are refused with the column

    def duration(self, value: pd.Timedelta) -> str:
        return str(value.value)  # whole nanoseconds: it has no type for durations

    def category(self, value: Any, facts: ColumnFacts) -> list[str]:
        """Write a value in each form that it has in a column of text, which is what pandas makes of categories.

        SQLite compares the text of a number there: 1 and 1.0 differ, and a float has 15 digits.
        """
        if isinstance(value, dt.date):
            if getattr(value, "tzinfo", None) is not None:
                raise _no_zone(facts)
            return [self.text(clock_text(pd.Timestamp(value)))]
        _refuse_indistinct(value, facts)
        forms = super().category(value, facts)
        most = (
            2**63 if isinstance(value, float) else 10**15
        )  # as a double, a longer whole number could be its neighbour
        if isinstance(value, int | float) and abs(value) < most and value == int(value):
            return [digits(int(value)), double(float(value))]
        return forms


def _refuse_indistinct(value: Any, facts: ColumnFacts) -> None:
    """Refuse a float that has the same text as another one."""
    if isinstance(value, float) and any(_same_text(value, one) for one in (float(f"{value:.15g}"), *facts.candidates)):
        raise unwritable(
            value,
            facts,
            " of SQLite, which tells such numbers apart by 15 digits where they are categories.\n"
            "Hint: make the column one of numbers",
        )


def _same_text(value: float, other: Any) -> bool:
    return isinstance(other, float) and other != value and f"{other:.15g}" == f"{value:.15g}"


def _no_zone(facts: ColumnFacts) -> PyodExplainError:
    return PyodExplainError(
        f"Column {facts.name!r} has a time zone, and SQLite has no type for that.\n"
        "Hint: explain with times in UTC without a zone, or use another dialect."
    )

"""The rules as SQL, in six dialects: a SELECT of the rows that the rules match, with the group of each.

What a condition means is fixed by `Condition.holds`; each dialect is brought to say the same. Two differences matter
most. A missing cell meets no condition but "missing", and SQL's three-valued logic agrees, as a CASE and a WHERE take
"unknown" for no. NaN is missing to us, while DuckDB, PostgreSQL and Spark hold it for a number greater than all
others, so where it could matter it is ruled out by name.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pyod_explain._validate import check_choice, check_int
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.summary import ColumnFacts, Summary
from pyod_explain.tags.tag import Condition, Tag

__all__ = ["DIALECTS", "to_sql"]


def to_sql(
    s: Summary, table: str | Sequence[str], *, dialect: str = "ansi", column: str = "outlier_group", where: bool = True
) -> str:
    """Write a SELECT of all columns and the group that the rules give each row.

    Rules stand in the order of their precision, so the first that matches is the one that `predict` follows.

    Parameters
    ----------
    s : the summary.
    table : name of the table, or the parts of a qualified name.
    dialect : name of the dialect.
    column : name of the column with the group.
    where : leave out the rows that match nothing.
    """
    speak = DIALECTS[check_choice("to_sql()", "dialect", dialect, among=DIALECTS)]
    parts = [table] if isinstance(table, str) else list(table)
    source = ".".join(speak.name(part) for part in parts)
    taken = {facts.name.casefold() for facts in s.columns}
    while column.casefold() in taken:
        column += "_"  # the rules speak of a column of that name: ours must not hide it
    rules = sorted(s.rules, key=lambda rule: -rule.precision)  # stable: equally precise ones keep their order
    if not rules:
        none = f"SELECT *, 0 AS {speak.name(column)}\nFROM {source}"
        return f"{none}\nWHERE 1 = 0;\n" if where else f"{none};\n"
    tests = [_tag(rule.tag, s, speak) for rule in rules]
    numbers = [check_int("a rule", "group", rule.group, low=0) for rule in rules]  # it stands in the query unquoted
    cases = "\n".join(f"    WHEN {test} THEN {number}" for test, number in zip(tests, numbers, strict=True))
    select = f"SELECT *,\n  CASE\n{cases}\n    ELSE 0\n  END AS {speak.name(column)}\nFROM {source}"
    if not where:
        return f"{select};\n"
    return f"{select}\nWHERE " + "\n   OR ".join(tests) + ";\n"


def _tag(tag: Tag, s: Summary, speak: Dialect) -> str:
    tests = [_condition(condition, s.facts(condition.column), speak) for condition in tag.sorted]
    return f"({' AND '.join(tests)})"


def _condition(c: Condition, facts: ColumnFacts, speak: Dialect) -> str:
    """Write one condition; what is compared is a number, a text, a truth value, a time or a duration."""
    if c.op == "contains" or facts.kind == "labels":
        raise PyodExplainError(
            f"The condition {c} cannot be written in SQL: databases store collections of labels in many ways.\n"
            "Hint: give each label a column of its own, True or False, and explain with these."
        )
    subject = speak.name(c.column)
    is_nan = speak.is_nan(subject) if facts.kind == "number" and not facts.whole and speak.is_nan else None
    if c.op == "missing":
        return f"({subject} IS NULL OR {is_nan})" if is_nan else f"{subject} IS NULL"
    if c.op == "present":
        return f"({subject} IS NOT NULL AND NOT {is_nan})" if is_nan else f"{subject} IS NOT NULL"
    test = _comparison(c, subject, facts, speak)
    nan_passes = c.op in (">", ">=", "!=", "not in", "rare")
    return f"({test} AND NOT {is_nan})" if is_nan and nan_passes else test


def _comparison(c: Condition, subject: str, facts: ColumnFacts, speak: Dialect) -> str:
    if c.part is not None:
        if facts.kind != "datetime":
            return NEVER  # a part of something else is missing
        subject, facts = speak.part(subject, c.part, facts), ColumnFacts(facts.name, "number", whole=True)
    elif facts.kind == "datetime":
        subject = speak.time(subject, facts)
    if c.op in ("<", "<=", ">", ">=", "between"):
        ends = c.value if c.op == "between" else (c.value,)
        texts = [_ordered(end, facts, speak) for end in ends]
        if None in texts:
            return NEVER  # the value does not compare with the column
        if any(isinstance(end, float) for end in ends) and facts.whole:
            subject = speak.as_float(subject)  # as numpy compares whole numbers with others
        if c.op == "between":
            return f"({subject} >= {texts[0]} AND {subject} <= {texts[1]})"
        return f"{subject} {c.op} {texts[0]}"
    values = (c.value,) if c.op in ("==", "!=") else c.value
    listed = list(dict.fromkeys(text for text in (_equal(one, facts, speak) for one in values) if text is not None))
    if any(isinstance(one, float) for one in values) and facts.whole:
        subject = speak.as_float(subject)
    if c.op in ("==", "in"):
        return _is_in(subject, listed) if listed else NEVER
    return f"NOT {_is_in(subject, listed)}" if listed else f"{subject} IS NOT NULL"


NEVER = "1 = 0"


def _is_in(subject: str, listed: Sequence[str]) -> str:
    return f"({subject} = {listed[0]})" if len(listed) == 1 else f"({subject} IN ({', '.join(listed)}))"


def _ordered(value: Any, facts: ColumnFacts, speak: Dialect) -> str | None:
    """Write a value that has an order, in the type of the column; None if the two do not compare."""
    if facts.kind == "number" and isinstance(value, int | float | decimal.Decimal):
        return _number(value)
    if facts.kind == "datetime" and isinstance(value, dt.date):
        return speak.moment(_moment(value, facts), facts.timezone is not None)
    if facts.kind == "timedelta" and isinstance(value, dt.timedelta):
        return speak.duration(pd.Timedelta(value))
    return None


def _equal(value: Any, facts: ColumnFacts, speak: Dialect) -> str | None:
    """Write a value to be equal to; None if no cell of the column can be."""
    if facts.kind == "boolean":
        return speak.truth[bool(value)] if value in (0, 1) else None
    if facts.kind != "category":
        return _ordered(value, facts, speak)
    if isinstance(value, bool):
        return speak.truth[value]
    if isinstance(value, str):
        return speak.text(value)
    if isinstance(value, int | float | decimal.Decimal):
        return _number(value)
    if isinstance(value, dt.datetime | dt.date):
        return speak.moment(pd.Timestamp(value), getattr(value, "tzinfo", None) is not None)
    raise PyodExplainError(f"The value {value!r} of column {facts.name!r} cannot be written in SQL.")


def _number(value: float | decimal.Decimal) -> str:
    """Write a number so that a database reads the same one; an exponent makes it a double, not a decimal."""
    if isinstance(value, int):
        return str(int(value))  # of the number, not of a subclass that writes itself in another way
    exact = float(value)
    if not math.isfinite(exact):
        raise PyodExplainError(f"The value {value!r} cannot be written in SQL.")
    text = repr(exact)
    return text if "e" in text else text + "e0"


def _moment(value: dt.date, facts: ColumnFacts) -> pd.Timestamp:
    stamp = pd.Timestamp(value)
    if facts.timezone is not None:
        stamp = stamp.tz_localize(facts.timezone) if stamp.tzinfo is None else stamp
        return stamp.tz_convert("UTC")
    return stamp.tz_convert("UTC").tz_localize(None) if stamp.tzinfo is not None else stamp


# --- dialects ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dialect:
    """How a database writes what the standard leaves open."""

    name: Callable[[str], str]
    text: Callable[[str], str]
    truth: dict[bool, str]
    is_nan: Callable[[str], str] | None
    as_float: Callable[[str], str]
    moment: Callable[[pd.Timestamp, bool], str]
    duration: Callable[[pd.Timedelta], str]
    part: Callable[[str, str, ColumnFacts], str]
    time: Callable[[str, ColumnFacts], str] = lambda subject, _: subject


def _refuse_nul(text: str, what: str) -> None:
    if "\0" in text:
        raise PyodExplainError(f"The {what} {text!r} cannot be written in SQL: it has a NUL character.")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise PyodExplainError(f"The {what} {text!r} cannot be written in SQL: it has half of a character (UTF-16).")


def _double_quoted(name: str) -> str:
    _refuse_nul(name, "name")
    return '"' + name.replace('"', '""') + '"'


def _backticked(name: str) -> str:
    _refuse_nul(name, "name")
    return "`" + name.replace("`", "``") + "`"


def _bigquery_name(name: str) -> str:
    _refuse_nul(name, "name")
    return "`" + _escaped(name).replace("`", "\\`") + "`"


def _quoted(text: str) -> str:
    _refuse_nul(text, "text")
    return "'" + text.replace("'", "''") + "'"


def _sqlite_text(text: str) -> str:
    if "\0" not in text:
        return _quoted(text)
    _refuse_nul(text.replace("\0", ""), "text")
    return f"CAST(X'{text.encode().hex()}' AS TEXT)"


def _escaped(text: str) -> str:
    """Write backslashes and line breaks as escapes, for dialects that read these."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def _backslashed(text: str) -> str:
    _refuse_nul(text, "text")
    return "'" + _escaped(text).replace("'", "\\'") + "'"


def _iso(stamp: pd.Timestamp) -> str:
    """Write a time without its zone, with as many decimals as it needs."""
    return stamp.tz_localize(None).isoformat(sep=" ") if stamp.tzinfo is not None else stamp.isoformat(sep=" ")


def _standard_moment(stamp: pd.Timestamp, zoned: bool) -> str:
    return f"TIMESTAMP '{_iso(stamp)}+00:00'" if zoned else f"TIMESTAMP '{_iso(stamp)}'"


def _postgres_moment(stamp: pd.Timestamp, zoned: bool) -> str:
    return f"TIMESTAMPTZ '{_iso(stamp)}+00'" if zoned else f"TIMESTAMP '{_iso(stamp)}'"


def _duckdb_moment(stamp: pd.Timestamp, zoned: bool) -> str:
    if stamp.nanosecond and not zoned:
        return f"TIMESTAMP_NS '{_iso(stamp)}'"
    return _postgres_moment(stamp, zoned)


def _bigquery_moment(stamp: pd.Timestamp, zoned: bool) -> str:
    return f"TIMESTAMP '{_iso(stamp)}+00:00'" if zoned else f"DATETIME '{_iso(stamp)}'"


def _sqlite_moment(stamp: pd.Timestamp, zoned: bool) -> str:  # noqa: ARG001 - zones are refused with the column
    return f"'{_iso(stamp)}'"


def _sqlite_time(subject: str, facts: ColumnFacts) -> str:
    """Bring text to the form of the literals: SQLite has no times; dates get their midnight, and "T" a space."""
    if facts.timezone is not None:
        raise PyodExplainError(
            f"Column {facts.name!r} has a time zone, and SQLite has no type for that.\n"
            "Hint: explain with times in UTC without a zone, or use another dialect."
        )
    return f"replace(substr({subject} || ' 00:00:00', 1, max(length({subject}), 19)), 'T', ' ')"


def _microseconds(duration: pd.Timedelta) -> int:
    if duration.value % 1000:
        raise PyodExplainError(
            f"The duration {duration} cannot be written in SQL: databases count microseconds.\n"
            "Hint: round the column to microseconds, or make it a number of seconds."
        )
    return int(duration.value // 1000)


def _seconds(duration: pd.Timedelta) -> str:
    micro = _microseconds(duration)
    return f"{'-' if micro < 0 else ''}{abs(micro) // 1_000_000}.{abs(micro) % 1_000_000:06d}"


def _extract(subject: str, part: str, facts: ColumnFacts) -> str:
    if facts.timezone is not None:
        subject = f"({subject} AT TIME ZONE {_quoted(facts.timezone)})"
    return f"EXTRACT(HOUR FROM {subject})" if part == "hour" else f"(EXTRACT(ISODOW FROM {subject}) - 1)"


def _ansi_part(subject: str, part: str, facts: ColumnFacts) -> str:
    if part == "weekday":
        raise PyodExplainError(
            f"The weekday of {facts.name!r} cannot be written in standard SQL, which has no word for it.\n"
            "Hint: name your database: dialect='duckdb', 'postgres', 'sqlite', 'bigquery' or 'spark'."
        )
    return _extract(subject, part, facts)


def _bigquery_part(subject: str, part: str, facts: ColumnFacts) -> str:
    zone = "" if facts.timezone is None else f" AT TIME ZONE {_backslashed(facts.timezone)}"
    if part == "hour":
        return f"EXTRACT(HOUR FROM {subject}{zone})"
    return f"MOD(EXTRACT(DAYOFWEEK FROM {subject}{zone}) + 5, 7)"  # its Sunday is 1, our Monday is 0


def _spark_part(subject: str, part: str, facts: ColumnFacts) -> str:
    if facts.timezone is not None:
        # The session's zone tells how Spark shows an instant; to UTC first, then to the column's own clock.
        zone = _backslashed(facts.timezone)
        subject = f"from_utc_timestamp(to_utc_timestamp({subject}, current_timezone()), {zone})"
    return f"hour({subject})" if part == "hour" else f"weekday({subject})"


def _sqlite_part(subject: str, part: str, facts: ColumnFacts) -> str:
    subject = _sqlite_time(subject, facts)
    if part == "hour":
        return f"CAST(strftime('%H', {subject}) AS INTEGER)"
    return f"((CAST(strftime('%w', {subject}) AS INTEGER) + 6) % 7)"  # its Sunday is 0, our Monday is 0


_WORDS = {True: "TRUE", False: "FALSE"}

DIALECTS: dict[str, Dialect] = {
    "ansi": Dialect(
        name=_double_quoted,
        text=_quoted,
        truth=_WORDS,
        is_nan=None,  # the standard has no NaN
        as_float=lambda subject: f"CAST({subject} AS DOUBLE PRECISION)",
        moment=_standard_moment,
        duration=lambda value: f"INTERVAL '{_seconds(value)}' SECOND",
        part=_ansi_part,
    ),
    "duckdb": Dialect(
        name=_double_quoted,
        text=_quoted,
        truth=_WORDS,
        is_nan=lambda subject: f"isnan(CAST({subject} AS DOUBLE))",
        as_float=lambda subject: f"CAST({subject} AS DOUBLE)",
        moment=_duckdb_moment,
        duration=lambda value: f"INTERVAL '{_microseconds(value)} microseconds'",
        part=_extract,
    ),
    "postgres": Dialect(
        name=_double_quoted,
        text=_quoted,
        truth=_WORDS,
        is_nan=lambda subject: f"CAST({subject} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)",
        as_float=lambda subject: f"CAST({subject} AS DOUBLE PRECISION)",
        moment=_postgres_moment,
        duration=lambda value: f"INTERVAL '{_microseconds(value)} microseconds'",
        part=_extract,
    ),
    "sqlite": Dialect(
        name=_double_quoted,
        text=_sqlite_text,
        truth={True: "1", False: "0"},
        is_nan=None,  # it stores NaN as NULL
        as_float=lambda subject: f"CAST({subject} AS REAL)",
        moment=_sqlite_moment,
        duration=lambda value: str(value.value),  # whole nanoseconds: it has no type for durations
        part=_sqlite_part,
        time=_sqlite_time,
    ),
    "bigquery": Dialect(
        name=_bigquery_name,
        text=_backslashed,
        truth=_WORDS,
        is_nan=lambda subject: f"IS_NAN(CAST({subject} AS FLOAT64))",
        as_float=lambda subject: f"CAST({subject} AS FLOAT64)",
        moment=_bigquery_moment,
        duration=lambda value: f"INTERVAL {_microseconds(value)} MICROSECOND",
        part=_bigquery_part,
    ),
    "spark": Dialect(
        name=_backticked,
        text=_backslashed,
        truth=_WORDS,
        is_nan=lambda subject: f"isnan(CAST({subject} AS DOUBLE))",
        as_float=lambda subject: f"CAST({subject} AS DOUBLE)",
        moment=_standard_moment,
        duration=lambda value: f"INTERVAL '{_seconds(value)}' SECOND",
        part=_spark_part,
    ),
}

"""The rules as SQL, in six dialects: a SELECT of the rows that the rules match, with the group of each.

What a condition means is fixed by `Condition.holds`; each dialect is brought to say the same. Three differences matter
most. A missing cell meets no condition but "missing", and SQL's three-valued logic agrees, as a CASE and a WHERE take
"unknown" for no. NaN is missing to us, while DuckDB, PostgreSQL and Spark hold it for a number greater than all
others, so where it could matter it is ruled out by name. And a database rounds one of two numbers whose types differ,
so whole columns get whole bounds, decimals decimal ones, and floats bounds that are doubles.

Columns are named with their table (`t."amount"`): SQLite takes the bare name of a column that is gone for a text.
Nothing is written as it comes: names and texts are quoted, and what stands unquoted was made here from a number.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pandas as pd

from pyod_explain._validate import check_choice
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.clock import to_utc
from pyod_explain.input.exact import Bound, Number, as_decimal, decimal_bound, double_bound, plain_number, whole_bound
from pyod_explain.result.summary import ColumnFacts, Summary
from pyod_explain.tags.tag import Condition, Tag, on_the_clock

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
    taken = {_text(facts.name, "name").casefold() for facts in s.columns}
    while _text(column, "name").casefold() in taken:
        column += "_"  # the rules speak of a column of that name: ours must not hide it
    rules = sorted(s.rules, key=lambda rule: -rule.precision)  # stable: equally precise ones keep their order
    if not rules:
        none = f"SELECT *, 0 AS {speak.name(column)}\nFROM {source}"
        return f"{none}\nWHERE 1 = 0;\n" if where else f"{none};\n"
    alias = "t"
    while alias in taken:
        alias += "_"  # where a column is a structure, `t.amount` could be a part of the column t
    tests = [_tag(rule.tag, s, speak, alias) for rule in rules]
    cases = "\n".join(
        f"    WHEN {test} THEN {_group_number(rule.group)}" for test, rule in zip(tests, rules, strict=True)
    )
    select = f"SELECT *,\n  CASE\n{cases}\n    ELSE 0\n  END AS {speak.name(column)}\nFROM {source} AS {alias}"
    if not where:
        return f"{select};\n"
    return f"{select}\nWHERE " + "\n   OR ".join(tests) + ";\n"


def _group_number(number: Any) -> str:
    if not isinstance(number, int) or isinstance(number, bool):
        raise PyodExplainError(f"The number of a group must be whole to be written in SQL, got {number!r}.")
    return _digits(number)


def _digits(number: int) -> str:
    return int.__repr__(number)  # not what a subclass makes of it


def _tag(tag: Tag, s: Summary, speak: Dialect, alias: str) -> str:
    tests = [_condition(condition, s.facts(condition.column), speak, alias) for condition in tag.sorted]
    return f"({' AND '.join(tests)})"


def _condition(c: Condition, facts: ColumnFacts, speak: Dialect, alias: str) -> str:
    """Write one condition; what is compared is a number, a text, a truth value, a time or a duration."""
    if c.op == "contains" or facts.kind == "labels":
        raise PyodExplainError(
            f"The condition {c} cannot be written in SQL: databases store collections of labels in many ways.\n"
            "Hint: give each label a column of its own, True or False, and explain with these."
        )
    subject = f"{alias}.{speak.name(c.column)}"
    is_nan = speak.is_nan(subject) if speak.is_nan and _has_floats(c, facts) else None
    if c.op == "missing":
        return f"({subject} IS NULL OR {is_nan})" if is_nan else f"{subject} IS NULL"
    if c.op == "present":
        return f"({subject} IS NOT NULL AND NOT {is_nan})" if is_nan else f"{subject} IS NOT NULL"
    test = _comparison(c, subject, facts, speak)
    nan_passes = c.op in (">", ">=", "!=", "not in", "rare") or " IS NOT NULL" in test
    return f"({test} AND NOT {is_nan})" if is_nan and nan_passes else test


def _has_floats(c: Condition, facts: ColumnFacts) -> bool:
    """Tell whether the column may hold NaN: numbers that are not whole, or categories that are floats."""
    if facts.kind != "category":
        return facts.kind == "number" and not facts.whole
    values = c.value if isinstance(c.value, tuple) else () if c.value is None else (c.value,)
    known = [*facts.candidates, *values]
    return any(isinstance(one, float) for one in known) and all(isinstance(one, int | float) for one in known)


def _comparison(c: Condition, subject: str, facts: ColumnFacts, speak: Dialect) -> str:
    if c.part is not None:
        if facts.kind != "datetime":
            return NEVER  # a part of something else is missing
        subject, facts = speak.part(subject, c.part, facts), ColumnFacts(facts.name, "number", whole=True)
    elif facts.kind == "datetime":
        subject = speak.time(subject, facts)
    if c.op in ("<", "<=", ">", ">=", "between"):
        ends = zip((">=", "<="), c.value, strict=True) if c.op == "between" else [(c.op, c.value)]
        tests = [_compared(subject, op, end, facts, speak) for op, end in ends]
        if NEVER in tests:
            return NEVER
        if speak.is_number and c.part is None and facts.kind in ("number", "timedelta"):
            tests.append(speak.is_number(subject))
        return tests[0] if len(tests) == 1 else f"({' AND '.join(tests)})"
    values = (c.value,) if c.op in ("==", "!=") else c.value
    listed = list(dict.fromkeys(text for one in values for text in _equal(one, facts, speak)))
    if not listed:
        return NEVER if c.op in ("==", "in") else f"{subject} IS NOT NULL"
    test = _is_in(subject, listed, speak if facts.whole else None)
    return test if c.op in ("==", "in") else f"NOT {test}"


NEVER = "1 = 0"


def _is_in(subject: str, listed: Sequence[str], speak: Dialect | None) -> str:
    """Write that a cell is one of some values; those that need a whole column in another type stand apart."""
    subjects: dict[str, list[str]] = {}
    for literal in listed:
        subjects.setdefault(speak.subject(subject, literal) if speak else subject, []).append(literal)
    tests = [
        f"({one} = {some[0]})" if len(some) == 1 else f"({one} IN ({', '.join(some)}))"
        for one, some in subjects.items()
    ]
    return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"


def _compared(subject: str, op: str, value: Any, facts: ColumnFacts, speak: Dialect) -> str:
    """Write that a cell is on one side of a bound, in the type of the column."""
    if facts.kind == "number":
        number = plain_number(value)
        bound = False if number is None else _bound(op, number, facts)
        if isinstance(bound, bool):
            return f"{subject} IS NOT NULL" if bound else NEVER
        literal = _number(bound[1], facts, speak)
        return f"{speak.subject(subject, literal) if facts.whole else subject} {bound[0]} {literal}"
    if any(isinstance(value, kind) and isinstance(one, kind) for kind in _WITH_ORDER for one in facts.candidates):
        reason = " as a bound of categories, which a database may hold as texts.\nHint: make them numbers or times"
        if facts.kind in ("category", "boolean"):
            raise _unwritable(value, facts, reason)
    text = _time(value, facts, speak)
    return NEVER if text is None else f"{subject} {op} {text}"


_WITH_ORDER: tuple[Any, ...] = (int | float | Decimal, dt.date, dt.timedelta)


def _bound(op: str, number: Number, facts: ColumnFacts) -> Bound:
    """Bring a bound into the type of the column, as `Condition.holds` does."""
    if facts.whole:
        return whole_bound(op, number)
    known = [one for one in facts.candidates if isinstance(one, float | Decimal)] or [number]
    if isinstance(known[0], Decimal):
        return decimal_bound(op, number)
    bound = double_bound(op, number)
    if isinstance(bound, bool) or math.isfinite(bound[1]):
        return bound
    return whole_bound(*bound)  # beyond all numbers: the answer is the same for every cell


def _equal(value: Any, facts: ColumnFacts, speak: Dialect) -> list[str]:
    """Write a value to be equal to, in each form that the database may have it in; none if no cell can be."""
    if facts.kind == "boolean":
        return [speak.truth[bool(value)]] if value in (0, 1) else []
    if facts.kind == "number":
        number = plain_number(value)
        bound = False if number is None else _bound("==", number, facts)
        return [] if isinstance(bound, bool) else [_number(bound[1], facts, speak)]
    if facts.kind in ("datetime", "timedelta"):
        text = _time(value, facts, speak)
        return [] if text is None else [text]
    return speak.category(value, facts, speak)


def _category(value: Any, facts: ColumnFacts, speak: Dialect) -> list[str]:
    """Write a value of a column without order."""
    _refuse_mixture(value, facts)
    if isinstance(value, bool):
        return [speak.truth[value]]
    if isinstance(value, str):
        return [speak.text(value)]
    if isinstance(value, int | float | Decimal):
        return [_number(value, facts, speak)]
    if isinstance(value, dt.datetime | dt.date):
        return [speak.moment(pd.Timestamp(value), getattr(value, "tzinfo", None) is not None, False)]
    raise _unwritable(value, facts)


def _refuse_mixture(value: Any, facts: ColumnFacts) -> None:
    """Refuse a value that could be taken for one of another type: a database's column has one type for all cells."""
    other: Any = str if isinstance(value, int | float | Decimal) else int | float | Decimal
    if isinstance(value, int | float | Decimal | str) and any(isinstance(one, other) for one in facts.candidates):
        reason = ": the column has texts and numbers, and a database's column has one type.\nHint: make it text"
        raise _unwritable(value, facts, reason)


def _unwritable(value: Any, facts: ColumnFacts, reason: str = "") -> PyodExplainError:
    return PyodExplainError(f"The value {value!r} of column {facts.name!r} cannot be written in SQL{reason}.")


def _number(value: Any, facts: ColumnFacts, speak: Dialect) -> str:
    """Write a number so that a database reads the same one; an exponent makes it a double, not a decimal."""
    if isinstance(value, int):
        return speak.whole(int(value), facts)
    if isinstance(value, Decimal):
        return speak.decimal(value, facts)
    if not isinstance(value, float) or not math.isfinite(value):
        raise _unwritable(value, facts)
    return _double(value)


def _double(value: float) -> str:
    text = float.__repr__(value)
    return text if "e" in text else text + "e0"


def _time(value: Any, facts: ColumnFacts, speak: Dialect) -> str | None:
    """Write a time or duration in the type of the column; None if the two do not compare."""
    if facts.kind == "datetime" and isinstance(value, dt.date):
        known = [one for one in facts.candidates if isinstance(one, pd.Timestamp)]
        fine = any(one.nanosecond for one in known)
        return speak.moment(_moment(value, facts), facts.timezone is not None, fine)
    if facts.kind == "timedelta" and isinstance(value, dt.timedelta):
        return speak.duration(pd.Timedelta(value))
    return None


def _moment(value: dt.date, facts: ColumnFacts) -> pd.Timestamp:
    stamp = pd.Timestamp(value)
    if facts.timezone is not None:
        return on_the_clock(stamp, facts.timezone).tz_convert("UTC")
    return to_utc(stamp)


# --- dialects ---------------------------------------------------------------------------------------------------------


def _text(text: Any, what: str) -> str:
    if not isinstance(text, str):
        raise PyodExplainError(f"The {what} {text!r} cannot be written in SQL: it must be a text.")
    return text


def _refuse_nul(text: str, what: str) -> None:
    if "\0" in _text(text, what):
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


def _standard_moment(stamp: pd.Timestamp, zoned: bool, _fine: bool) -> str:
    return f"TIMESTAMP '{_iso(stamp)}+00:00'" if zoned else f"TIMESTAMP '{_iso(stamp)}'"


def _spark_moment(stamp: pd.Timestamp, zoned: bool, fine: bool) -> str:
    _refuse_nanoseconds(stamp)
    return _standard_moment(stamp, zoned, fine)


def _postgres_moment(stamp: pd.Timestamp, zoned: bool, _fine: bool) -> str:
    _refuse_nanoseconds(stamp)
    return f"TIMESTAMPTZ '{_iso(stamp)}+00'" if zoned else f"TIMESTAMP '{_iso(stamp)}'"


def _duckdb_moment(stamp: pd.Timestamp, zoned: bool, fine: bool) -> str:
    """Write a time; with a zone, DuckDB does not compare a column in nanoseconds with a time in microseconds."""
    if zoned and (fine or stamp.nanosecond):
        return f"TIMESTAMPTZ_NS '{_iso(stamp)}+00'"
    return f"TIMESTAMP_NS '{_iso(stamp)}'" if stamp.nanosecond else _postgres_moment(stamp, zoned, fine)


def _bigquery_moment(stamp: pd.Timestamp, zoned: bool, _fine: bool) -> str:
    _refuse_nanoseconds(stamp)
    return f"TIMESTAMP '{_iso(stamp)}+00:00'" if zoned else f"DATETIME '{_iso(stamp)}'"


def _refuse_nanoseconds(stamp: pd.Timestamp) -> None:
    if stamp.nanosecond:
        raise PyodExplainError(
            f"The time {stamp} cannot be written in this SQL: the database counts microseconds.\n"
            "Hint: round the column to microseconds before it is explained."
        )


_SQLITE_TIME = "0000-00-00 00:00:00.000000000"
_SQLITE_DATE = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*"


def _sqlite_moment(stamp: pd.Timestamp, _zoned: bool, _fine: bool) -> str:  # zones are refused with the column
    return f"'{stamp.isoformat(sep=' ', timespec='nanoseconds')}'"


def _sqlite_time(subject: str, facts: ColumnFacts) -> str:
    """Bring text to the form of the literals: SQLite has no times; what is left out is 0, and "T" a space."""
    if facts.timezone is not None:
        raise _no_zone(facts)
    text = f"replace({subject} || substr('{_SQLITE_TIME}', length({subject}) + 1), 'T', ' ')"
    return f"CASE WHEN {subject} GLOB '{_SQLITE_DATE}' THEN {text} END"  # not a number or another text


def _no_zone(facts: ColumnFacts) -> PyodExplainError:
    return PyodExplainError(
        f"Column {facts.name!r} has a time zone, and SQLite has no type for that.\n"
        "Hint: explain with times in UTC without a zone, or use another dialect."
    )


def _sqlite_category(value: Any, facts: ColumnFacts, speak: Dialect) -> list[str]:
    """Write a value in each form that it has in a column of text, which is what pandas makes of categories.

    SQLite compares the text of a number there: 1 and 1.0 differ, and a float has 15 digits.
    """
    if isinstance(value, dt.date):
        if getattr(value, "tzinfo", None) is not None:
            raise _no_zone(facts)
        return [_quoted(_iso(pd.Timestamp(value)))]
    if isinstance(value, float) and any(_same_text(value, one) for one in (float(f"{value:.15g}"), *facts.candidates)):
        raise _unwritable(
            value,
            facts,
            " of SQLite, which tells such numbers apart by 15 digits where they are categories.\n"
            "Hint: make the column one of numbers",
        )
    _refuse_mixture(value, facts)
    most = 2**63 if isinstance(value, float) else 10**15  # as a double, a longer whole number could be its neighbour
    if isinstance(value, int | float) and abs(value) < most and value == int(value):
        return [_digits(int(value)), _double(float(value))]
    return _category(value, facts, speak)


def _same_text(value: float, other: Any) -> bool:
    return isinstance(other, float) and other != value and f"{other:.15g}" == f"{value:.15g}"


def _digits_only(value: int, _facts: ColumnFacts) -> str:
    return _digits(value)


def _duckdb_whole(value: int, _facts: ColumnFacts) -> str:
    return _digits(value) if -(2**127) < value < 2**128 else f"CAST('{_digits(value)}'{_BIGNUM}"


_BIGNUM = " AS BIGNUM)"


def _duckdb_subject(subject: str, literal: str) -> str:
    """Bring the column to the type of numbers of more than 128 bits; by its text, as DuckDB drops a direct cast.

    It compares other types with that one falsely: 5 < 2**130 is false to it.
    """
    return f"CAST(CAST({subject} AS VARCHAR){_BIGNUM}" if literal.endswith(f"'{_BIGNUM}") else subject


def _sqlite_whole(value: int, facts: ColumnFacts) -> str:
    """Write a whole number; SQLite compares its own, which have 64 bits, exactly with any double."""
    if -(2**63) <= value < 2**63:
        return _digits(value)
    near = float(value) if abs(value) <= sys.float_info.max else math.inf
    beyond_all = math.isfinite(near) and (near >= 2**63 or near < -(2**63))
    if not beyond_all or any(isinstance(one, int) and not -(2**63) <= one < 2**63 for one in facts.candidates):
        reason = " of SQLite, whose whole numbers have 64 bits.\nHint: use another dialect, or rescale the column"
        raise _unwritable(value, facts, reason)
    return _double(near)


def _bigquery_whole(value: int, facts: ColumnFacts) -> str:
    return _digits(value) if -(2**63) <= value < 2**63 else _bigquery_decimal(Decimal(value), facts)


def _spark_whole(value: int, facts: ColumnFacts) -> str:
    return _digits(value) if -(2**63) <= value < 2**63 else _spark_decimal(Decimal(value), facts)


def _plain_decimal(value: Decimal, _facts: ColumnFacts) -> str:
    return format(as_decimal(value), "f")


def _short_decimal(value: Decimal, facts: ColumnFacts) -> str:
    """Write a decimal that the database keeps as such; a longer one would become a double without a word."""
    text = format(as_decimal(value), "f")
    if sum(one.isdigit() for one in text) > 38:
        raise _unwritable(value, facts, ": the database has decimals of 38 digits.\nHint: round the column")
    return text


def _bigquery_decimal(value: Decimal, facts: ColumnFacts) -> str:
    return f"BIGNUMERIC '{_short_decimal(value, facts)}'"


def _spark_decimal(value: Decimal, facts: ColumnFacts) -> str:
    return f"{_short_decimal(value, facts)}BD"


def _sqlite_decimal(value: Decimal, facts: ColumnFacts) -> str:
    near = float(value)
    if Decimal(repr(near)) != value:
        raise _unwritable(value, facts, " of SQLite, which has no decimals but doubles.\nHint: use another dialect")
    return _double(near)


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


@dataclass(frozen=True)
class Dialect:
    """How a database writes what the standard leaves open."""

    name: Callable[[str], str]
    text: Callable[[str], str]
    truth: dict[bool, str]
    is_nan: Callable[[str], str] | None
    moment: Callable[[pd.Timestamp, bool, bool], str]  # has the column a zone, and nanoseconds?
    duration: Callable[[pd.Timedelta], str]
    part: Callable[[str, str, ColumnFacts], str]
    whole: Callable[[int, ColumnFacts], str] = _digits_only
    decimal: Callable[[Decimal, ColumnFacts], str] = _plain_decimal
    category: Callable[[Any, ColumnFacts, Dialect], list[str]] = _category
    time: Callable[[str, ColumnFacts], str] = lambda subject, _: subject
    subject: Callable[[str, str], str] = lambda subject, _: subject  # what to compare with a literal
    is_number: Callable[[str], str] | None = None  # where a column of numbers may hold texts, and these have an order


_WORDS = {True: "TRUE", False: "FALSE"}

DIALECTS: dict[str, Dialect] = {
    "ansi": Dialect(
        name=_double_quoted,
        text=_quoted,
        truth=_WORDS,
        is_nan=None,  # the standard has no NaN
        moment=_standard_moment,
        duration=lambda value: f"INTERVAL '{_seconds(value)}' SECOND",
        part=_ansi_part,
    ),
    "duckdb": Dialect(
        name=_double_quoted,
        text=_quoted,
        truth=_WORDS,
        is_nan=lambda subject: f"isnan(CAST({subject} AS DOUBLE))",
        moment=_duckdb_moment,
        duration=lambda value: f"INTERVAL '{_microseconds(value)} microseconds'",
        part=_extract,
        whole=_duckdb_whole,
        decimal=_short_decimal,
        subject=_duckdb_subject,
    ),
    "postgres": Dialect(
        name=_double_quoted,
        text=_quoted,
        truth=_WORDS,
        is_nan=lambda subject: f"CAST({subject} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)",
        moment=_postgres_moment,
        duration=lambda value: f"INTERVAL '{_microseconds(value)} microseconds'",
        part=_extract,
    ),
    "sqlite": Dialect(
        name=_double_quoted,
        text=_sqlite_text,
        truth={True: "1", False: "0"},
        is_nan=None,  # it stores NaN as NULL
        moment=_sqlite_moment,
        duration=lambda value: str(value.value),  # whole nanoseconds: it has no type for durations
        part=_sqlite_part,
        whole=_sqlite_whole,
        decimal=_sqlite_decimal,
        category=_sqlite_category,
        time=_sqlite_time,
        is_number=lambda subject: f"typeof({subject}) IN ('integer', 'real')",
    ),
    "bigquery": Dialect(
        name=_bigquery_name,
        text=_backslashed,
        truth=_WORDS,
        is_nan=lambda subject: f"IS_NAN(CAST({subject} AS FLOAT64))",
        moment=_bigquery_moment,
        duration=lambda value: f"INTERVAL {_microseconds(value)} MICROSECOND",
        part=_bigquery_part,
        whole=_bigquery_whole,
        decimal=_bigquery_decimal,
    ),
    "spark": Dialect(
        name=_backticked,
        text=_backslashed,
        truth=_WORDS,
        is_nan=lambda subject: f"isnan(CAST({subject} AS DOUBLE))",
        moment=_spark_moment,
        duration=lambda value: f"INTERVAL '{_seconds(value)}' SECOND",
        part=_spark_part,
        whole=_spark_whole,
        decimal=_spark_decimal,
    ),
}

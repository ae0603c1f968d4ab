"""The rules as SQL, in six dialects: a SELECT of the rows that the rules match, with the group of each.

What a condition means is fixed by `Condition.holds`; each dialect is brought to the same result. Three differences
matter most. A missing cell meets no condition but "missing", and SQL's three-valued logic agrees, as a CASE and a WHERE
take "unknown" for no. NaN is missing to us, while DuckDB, PostgreSQL and Spark take it for a number greater than all
others, so where it could matter it is excluded. And a database rounds one of two numbers whose types differ, so whole
columns get whole bounds, decimals decimal ones, and floats bounds that are doubles.

Columns are named with their table (`t."amount"`): SQLite takes the bare name of a column that is gone for a text.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pandas as pd

from pyod_explain._validate import check_choice
from pyod_explain.exceptions import ParameterError
from pyod_explain.input import Number, plain_number, to_utc
from pyod_explain.input.values import Bound, decimal_bound, double_bound, whole_bound
from pyod_explain.report.sql_dialects import DIALECTS, Dialect, unwritable
from pyod_explain.result import ColumnFacts, Rule, Summary
from pyod_explain.tags import Condition, DerivedTerm, on_the_clock

ALWAYS_FALSE, ALWAYS_TRUE = "1 = 0", "1 = 1"
NAN_MATCHES = (">", ">=")  # what a number greater than all others meets


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
    written = DIALECTS[check_choice("to_sql()", "dialect", dialect, among=DIALECTS)]
    parts = [table] if isinstance(table, str) else list(table)
    if not parts or not all(isinstance(part, str) and part for part in parts):
        hint = "to_sql('payments'), or to_sql(('schema', 'payments'))."
        raise ParameterError("table", "the name of a table or its parts", got=table, hint=hint, owner="to_sql()")
    if not isinstance(column, str) or not column:
        raise ParameterError("column", "a name", got=column, owner="to_sql()")
    source = ".".join(written.name(part) for part in parts)
    taken = {facts.name.casefold() for facts in s.columns if isinstance(facts.name, str)}
    while column.casefold() in taken:
        column += "_"  # the rules use a column of that name: ours must not hide it
    rules = sorted(s.rules, key=lambda rule: -rule.precision)  # stable: equally precise ones keep their order
    if not rules:
        none = f"SELECT *, 0 AS {written.name(column)}\nFROM {source}"
        return f"{none}\nWHERE {ALWAYS_FALSE};\n" if where else f"{none};\n"
    alias = "t"
    while alias in taken:
        alias += "_"  # where a column is a structure, `t.amount` could be a part of the column t
    tests = [write_rule(rule, s, written, f"{alias}.") for rule in rules]
    cases = "\n".join(f"    WHEN {test} THEN {rule.group}" for test, rule in zip(tests, rules, strict=True))
    select = f"SELECT *,\n  CASE\n{cases}\n    ELSE 0\n  END AS {written.name(column)}\nFROM {source} AS {alias}"
    return f"{select}\nWHERE " + "\n   OR ".join(tests) + ";\n" if where else f"{select};\n"


def write_rule(rule: Rule, s: Summary, dialect: Dialect, prefix: str = "") -> str:
    """Write that a row matches a rule, in parentheses; NULL, which a WHERE takes for no, where a cell is missing.

    Parameters
    ----------
    rule : the rule.
    s : has the facts on its columns.
    dialect : the dialect.
    prefix : what stands before the name of a column: the name of its table and a dot.
    """
    return f"({' AND '.join(_write_condition(one, s, dialect, prefix) for one in rule.tag.sorted)})"


# --- conditions -------------------------------------------------------------------------------------------------------


def _write_condition(c: Condition, s: Summary, dialect: Dialect, prefix: str) -> str:
    """Write one condition; what is compared is a number, a text, a truth value, a time or a duration."""
    facts = s.facts(c.axis)
    if not isinstance(c.column, str):
        return _write_on_term(c, c.column, [s.facts(name) for name in c.columns], dialect, prefix)
    subject = prefix + dialect.name(c.column)
    is_nan = dialect.is_nan(subject) if _has_floats(c, facts) else None
    if c.op == "missing":
        return f"({subject} IS NULL OR {is_nan})" if is_nan else f"{subject} IS NULL"
    test, nan_matches = (f"{subject} IS NOT NULL", True) if c.op == "present" else _compare(c, subject, facts, dialect)
    return f"({test} AND NOT {is_nan})" if is_nan and nan_matches else test


def _write_on_term(c: Condition, term: DerivedTerm, facts: Sequence[ColumnFacts], dialect: Dialect, prefix: str) -> str:
    """Write a condition on a derived term: NULL, which only "missing" takes for true, where there is no value."""
    value = term.to_sql(dialect, [prefix + dialect.name(name) for name in term.columns], facts)
    if value is None:
        return ALWAYS_TRUE if c.op == "missing" else ALWAYS_FALSE
    if c.op in ("missing", "present"):
        return f"{value} IS {'NOT ' if c.op == 'present' else ''}NULL"
    numbers = ColumnFacts(c.column, "number", whole=term.whole, candidates=() if term.whole else (0.0,))
    return _compare(c, value, numbers, dialect)[0]


def _has_floats(c: Condition, facts: ColumnFacts) -> bool:
    """Tell whether the column may hold NaN: numbers that are not whole, or categories that are floats."""
    if facts.kind != "category":
        return facts.kind == "number" and not facts.whole
    known = [*facts.candidates, *(c.value if isinstance(c.value, tuple) else () if c.value is None else (c.value,))]
    return any(isinstance(one, float) for one in known) and all(isinstance(one, int | float) for one in known)


def _compare(c: Condition, subject: str, facts: ColumnFacts, dialect: Dialect) -> tuple[str, bool]:
    """Write a comparison, and tell whether NaN meets it where the database takes that for the greatest number."""
    if facts.kind == "datetime":
        subject = dialect.time(subject, facts)
    if c.op in ("<", "<=", ">", ">=", "between"):
        return _compare_with_bounds(c, subject, facts, dialect)
    values = (c.value,) if c.op in ("==", "!=") else c.value
    listed = list(dict.fromkeys(text for one in values for text in _equal(one, facts, dialect)))
    negated = c.op not in ("==", "in")
    if not listed:
        return (f"{subject} IS NOT NULL", True) if negated else (ALWAYS_FALSE, False)
    test = f"({subject} = {listed[0]})" if len(listed) == 1 else f"({subject} IN ({', '.join(listed)}))"
    return (f"NOT {test}", True) if negated else (test, False)


def _compare_with_bounds(c: Condition, subject: str, facts: ColumnFacts, dialect: Dialect) -> tuple[str, bool]:
    """Write that a cell is on one side of a bound, or between two."""
    ends = zip((">=", "<="), c.value, strict=True) if c.op == "between" else [(c.op, c.value)]
    bounds = [_write_bound(op, end, facts, dialect) for op, end in ends]
    if False in bounds:
        return ALWAYS_FALSE, False
    limits = [bound for bound in bounds if not isinstance(bound, bool)]
    tests = [f"{subject} {op} {text}" for op, text in limits] or [f"{subject} IS NOT NULL"]
    is_number = dialect.is_number(subject) if isinstance(c.column, str) else None
    if is_number and facts.kind in ("number", "timedelta"):
        tests.append(is_number)
    return tests[0] if len(tests) == 1 else f"({' AND '.join(tests)})", all(op in NAN_MATCHES for op, _ in limits)


def _write_bound(op: str, value: Any, facts: ColumnFacts, dialect: Dialect) -> tuple[str, str] | bool:
    """Write the operator and the bound in the type of the column; True or False where every cell has one answer."""
    if facts.kind == "number":
        number = plain_number(value)
        bound = False if number is None else _typed_bound(op, number, facts)
        return bound if isinstance(bound, bool) else (bound[0], dialect.number(bound[1], facts))
    if facts.kind in ("category", "boolean"):
        reason = " as a bound of categories, which a database may hold as texts"
        raise unwritable(value, facts, reason, hint="make them numbers or times.")
    text = _write_time(value, facts, dialect)
    return False if text is None else (op, text)


def _typed_bound(op: str, number: Number, facts: ColumnFacts) -> Bound:
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


def _equal(value: Any, facts: ColumnFacts, dialect: Dialect) -> list[str]:
    """Write a value to be equal to, in each form that the database may have it in; none if no cell can be."""
    if facts.kind == "boolean":
        return [dialect.booleans[bool(value)]] if value in (0, 1) else []
    if facts.kind == "number":
        number = plain_number(value)
        bound = False if number is None else _typed_bound("==", number, facts)
        return [] if isinstance(bound, bool) else [dialect.number(bound[1], facts)]
    if facts.kind in ("datetime", "timedelta"):
        text = _write_time(value, facts, dialect)
        return [] if text is None else [text]
    return dialect.category(value, facts)


def _write_time(value: Any, facts: ColumnFacts, dialect: Dialect) -> str | None:
    """Write a time or duration in the type of the column; None if the two do not compare."""
    if facts.kind == "datetime" and isinstance(value, dt.date):
        stamp = pd.Timestamp(value)
        if facts.timezone is None:
            return dialect.write_timestamp(to_utc(stamp), zoned=False)
        return dialect.write_timestamp(on_the_clock(stamp, facts.timezone).tz_convert("UTC"), zoned=True)
    if facts.kind == "timedelta" and isinstance(value, dt.timedelta):
        return dialect.write_duration(pd.Timedelta(value))
    return None

"""The SELECT: all columns, and the group that the first matching rule gives each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyod_explain._validate import check_choice, shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.sql.conditions import write_condition
from pyod_explain.report.sql.databases import BigQuery, DuckDB, Postgres, Spark
from pyod_explain.report.sql.dialect import Dialect
from pyod_explain.report.sql.literals import check_text, digits
from pyod_explain.report.sql.sqlite import SQLite
from pyod_explain.result import Rule, Summary

__all__ = ["DIALECTS", "to_sql", "write_rule"]

DIALECTS: dict[str, Dialect] = {
    "ansi": Dialect(),
    "duckdb": DuckDB(),
    "postgres": Postgres(),
    "sqlite": SQLite(),
    "bigquery": BigQuery(),
    "spark": Spark(),
}


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
    if not parts or "" in parts:
        raise PyodExplainError(
            f"`table` of to_sql() must be the name of a table, or the parts of one, none empty, got {shown(table)}.\n"
            "Hint: to_sql('payments'), or to_sql(('schema', 'payments'))."
        )
    if column == "":
        raise PyodExplainError("`column` of to_sql() must be a name, got ''.\nHint: leave it out: 'outlier_group'.")
    source = ".".join(speak.name(part) for part in parts)
    taken = {check_text(facts.name, "name").casefold() for facts in s.columns if isinstance(facts.name, str)}
    while check_text(column, "name").casefold() in taken:
        column += "_"  # the rules speak of a column of that name: ours must not hide it
    rules = sorted(s.rules, key=lambda rule: -rule.precision)  # stable: equally precise ones keep their order
    if not rules:
        none = f"SELECT *, 0 AS {speak.name(column)}\nFROM {source}"
        return f"{none}\nWHERE 1 = 0;\n" if where else f"{none};\n"
    alias = "t"
    while alias in taken:
        alias += "_"  # where a column is a structure, `t.amount` could be a part of the column t
    tests = [write_rule(rule, s, speak, f"{alias}.") for rule in rules]
    cases = "\n".join(f"    WHEN {test} THEN {_group(rule.group)}" for test, rule in zip(tests, rules, strict=True))
    select = f"SELECT *,\n  CASE\n{cases}\n    ELSE 0\n  END AS {speak.name(column)}\nFROM {source} AS {alias}"
    if not where:
        return f"{select};\n"
    return f"{select}\nWHERE " + "\n   OR ".join(tests) + ";\n"


def write_rule(rule: Rule, s: Summary, speak: Dialect, owner: str = "") -> str:
    """Write that a row matches a rule, in parentheses; NULL, which a WHERE takes for no, where a cell is missing.

    Parameters
    ----------
    rule : the rule.
    s : has the facts on its columns.
    speak : the dialect.
    owner : what stands before the name of a column: the name of its table and a dot.
    """
    tests = [write_condition(one, [s.facts(name) for name in one.columns], speak, owner) for one in rule.tag.sorted]
    return f"({' AND '.join(tests)})"


def _group(number: Any) -> str:
    if not isinstance(number, int) or isinstance(number, bool):
        raise PyodExplainError(f"The number of a group must be whole to be written in SQL, got {number!r}.")
    return digits(number)

r"""The rules as an expectation suite of Great Expectations: no row is to match any of them.

The query of an expectation is a template to it: braces are doubled, so that they stay braces. It goes on to SQLAlchemy,
which takes a colon before a word for a parameter, unless a backslash stands before it; Spark gets it as it is.
"""

from __future__ import annotations

import json
import re

from pyod_explain._advice import advice
from pyod_explain._printable import visible
from pyod_explain._validate import check_choice
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.sql import DIALECTS, write_rule
from pyod_explain.result import Summary

__all__ = ["to_expectations"]

PARAMETER = re.compile(r"(?<![:\w\\]):(?=\w)")
LONE = re.compile(r"(?<!:):(?!:)")
# What it takes for a parameter, and which backslashes it removes: version 2.0, and 2.1.
SQLALCHEMY = (
    (re.compile(r"(?<![:\w\\]):\w+(?!:)"), re.compile(r"\\(:[\w$]*)(?![:\w$])")),
    (re.compile(r"(?<![:\w\\]):\w+(?![:\w])"), re.compile(r"\\(:\w*)(?![:\w])")),
)


def to_expectations(s: Summary, name: str, *, dialect: str = "ansi") -> str:
    """Write an `unexpected_rows_expectation` for each rule, whose query finds just the rows that match it.

    Parameters
    ----------
    s : the summary.
    name : name of the suite.
    dialect : name of the dialect.
    """
    speak = DIALECTS[check_choice("to_expectations()", "dialect", dialect, among=DIALECTS)]
    if not isinstance(name, str) or not name:
        given = advice("`name` of to_expectations()", "--sql-table")
        raise PyodExplainError(f"{given} must be the name of a suite, got {name!r}.")
    expectations = []
    for rule in s.rules:
        condition = write_rule(rule, s, speak)
        query = "SELECT * FROM {batch} WHERE " + _as_template(condition, spark=dialect == "spark")  # noqa: S608 - quoted
        found = {
            "group": rule.group,
            "rule": rule.text,
            "outliers": rule.n_outliers,
            "normals": rule.n_normals,
            "others": rule.n_others,
            "precision": s.precision_of(rule),
        }
        kwargs = {"unexpected_rows_query": query}
        expectations.append({"type": "unexpected_rows_expectation", "kwargs": kwargs, "meta": {"pyod_explain": found}})
    return json.dumps({"name": name, "expectations": expectations, "meta": {}}, indent=2) + "\n"


def _as_template(condition: str, *, spark: bool) -> str:
    r"""Write SQL so that it reaches the database as it is.

    >>> print(_as_template("(c = 'a :b {x}')", spark=False))
    (c = 'a \:b {{x}}')
    """
    if not spark:
        # Where few backslashes do, no more: times have colons, too.
        ways = (PARAMETER.sub(r"\\:", condition), LONE.sub(r"\\:", condition))
        arriving = next((way for way in ways if all(_arrives(way, condition, *one) for one in SQLALCHEMY)), None)
        if arriving is None:
            others = advice("to_sql() and to_dbt()", "-o rules.sql and -o rules.yaml")
            raise PyodExplainError(
                "Colons of this rule cannot be written for Great Expectations, which takes them for parameters: "
                f"{visible(condition)}\nHint: {others} write it."
            )
        condition = arriving
    return condition.replace("{", "{{").replace("}", "}}")


def _arrives(sent: str, wanted: str, parameter: re.Pattern[str], escaped: re.Pattern[str]) -> bool:
    """Tell whether SQLAlchemy finds no parameter in a text, and makes what is wanted of it."""
    return parameter.search(sent) is None and escaped.sub(r"\1", sent) == wanted

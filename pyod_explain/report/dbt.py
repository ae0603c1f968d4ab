"""The rules as data tests of dbt: each warns of the rows that match it."""

from __future__ import annotations

import re

from pyod_explain._printable import visible
from pyod_explain._validate import check_choice
from pyod_explain.exceptions import ParameterError
from pyod_explain.report.sql import DIALECTS, write_rule
from pyod_explain.result import Rule, Summary, count

__all__ = ["to_dbt"]

BRACE = re.compile("[{}]")
TEMPLATE = re.compile(r"\{[{%#]|[}%#]\}")  # what dbt reads as a command

HEAD = """\
# Data tests of dbt, one for each rule: it warns if rows match the rule.
# Needs dbt 1.10.8 or later, and its package dbt_utils: https://hub.getdbt.com/dbt-labs/dbt_utils.
version: 2

models:
"""


def to_dbt(s: Summary, model: str, *, dialect: str = "ansi") -> str:
    """Write a test `dbt_utils.expression_is_true` for each rule, which fails for just the rows that match it.

    All texts are in double quotes. What is NULL, as a comparison with a missing cell is, fails no test and matches no
    rule.

    Parameters
    ----------
    s : the summary.
    model : name of the model.
    dialect : name of the dialect.
    """
    speak = DIALECTS[check_choice("to_dbt()", "dialect", dialect, among=DIALECTS)]
    lines = [f"  - name: {_quoted(_model_name(model))}", "    data_tests:"]
    if not s.rules:
        lines[1] += " []"
    numbers: dict[int, int] = {}
    for rule in s.rules:
        numbers[rule.group] = number = numbers.get(rule.group, 0) + 1
        what = f"outliers_group_{rule.group}" if s.tables is None else "new_rows"
        name = re.sub(r"\W+", "_", f"{model}_{what}_rule_{number}")
        lines += [
            f"      # {visible(f'{rule.text} ({_matched(rule, s)} when it was found)')}",
            "      - dbt_utils.expression_is_true:",
            f"          name: {_quoted(name)}",
            "          arguments:",
            f"            expression: {_quoted(_unrun(f'not {write_rule(rule, s, speak)}'))}",
            "          config:",
            "            severity: warn",
        ]
    return HEAD + "\n".join(lines) + "\n"


def _matched(rule: Rule, s: Summary) -> str:
    """Say which rows matched a rule: all of them, as the test warns of all."""
    if s.tables is not None:
        now, before = s.tables
        return f"{count(rule.n_outliers, 'row')} of {now}, {rule.n_normals:,} of {before}"
    others = [count(rule.n_others, "outlier of other groups", "outliers of other groups")] if rule.n_others else []
    return ", ".join([count(rule.n_outliers, "outlier"), count(rule.n_normals, "normal row"), *others])


def _model_name(name: object) -> str:
    """Give the name of a model, which dbt would run as a template if it looked like one."""
    if not isinstance(name, str) or not name or TEMPLATE.search(name):
        raise ParameterError("model", "the name of a model of dbt", got=name, owner="to_dbt()")
    return name


def _unrun(text: str) -> str:
    """Write a text so that dbt, which fills in templates, gets it back as it is.

    >>> _unrun("c = '{x}'"), _unrun("c = '{{'")
    ("c = '{x}'", "c = '{{ '{' }}{{ '{' }}'")
    """
    return BRACE.sub(r"{{ '\g<0>' }}", text) if TEMPLATE.search(text) else text


def _quoted(text: str) -> str:
    """Write a text in double quotes."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(c: str) -> str:
    if c in '"\\':
        return f"\\{c}"
    return c if c.isprintable() else f"\\U{ord(c):08x}"

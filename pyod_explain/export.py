"""The explanation for other tools: data tests of dbt, and findings in the shape of PyOD's `ADEngine`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pyod_explain._validate import check_choice
from pyod_explain.exceptions import ParameterError, visible
from pyod_explain.explanation import Explanation, need_cells, outlier_origin
from pyod_explain.input import Table, plain_value
from pyod_explain.report import DIALECTS, write_rule, written
from pyod_explain.report.sentences import other_outliers
from pyod_explain.result import GroupExplanation, OutlierOrigin, Rule, Summary, match_rules

__all__ = ["to_dbt", "to_findings"]

BRACE = re.compile("[{}]")
DBT_TEMPLATE = re.compile(r"\{[{%#]|[}%#]\}")  # what dbt reads as a command

DBT_HEAD = """\
# Data tests of dbt, one for each rule: it warns if rows match the rule.
# Needs dbt 1.10.8 or later, and its package dbt_utils: https://hub.getdbt.com/dbt-labs/dbt_utils.
version: 2

models:
"""


def to_dbt(explanation: Explanation, model: str, path: str | Path | None = None, *, dialect: str = "ansi") -> str:
    """Return the rules as data tests of dbt, as YAML: each warns of the rows that match it.

    They are tests `dbt_utils.expression_is_true`, so the project needs the package dbt_utils.

    Parameters
    ----------
    explanation : has the rules.
    model : name of the model that the tests are of.
    path : file to write.
    dialect : of the conditions, as for `Explanation.to_sql`.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain import explain
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
    >>> e = explain([0] * 50 + [1] * 3, X)
    >>> "dbt_utils.expression_is_true" in to_dbt(e, "payments", dialect="duckdb")
    True
    """
    return written(_write_tests(explanation.summary, model, dialect), path)


def _write_tests(s: Summary, model: str, dialect: str) -> str:
    """Write a test `dbt_utils.expression_is_true` for each rule, which fails for just the rows that match it.

    All texts are in double quotes. What is NULL, as a comparison with a missing cell is, fails no test and matches no
    rule.
    """
    if not isinstance(model, str) or not model or DBT_TEMPLATE.search(model):  # which dbt would run
        raise ParameterError("model", "the name of a model of dbt", got=model, owner="to_dbt()")
    written = DIALECTS[check_choice("to_dbt()", "dialect", dialect, among=DIALECTS)]
    lines = [f"  - name: {_quote(model)}", "    data_tests:"]
    if not s.rules:
        lines[1] += " []"
    numbers: dict[int, int] = {}
    for rule in s.rules:
        numbers[rule.group] = number = numbers.get(rule.group, 0) + 1
        what = f"outliers_group_{rule.group}" if s.tables is None else "new_rows"
        name = re.sub(r"\W+", "_", f"{model}_{what}_rule_{number}")
        others = f", {other_outliers(rule.n_others, s)}" if rule.n_others else ""
        matched = f"{s.count_outliers(rule.n_outliers)}, {s.count_normals(rule.n_normals)}{others}"
        lines += [
            f"      # {visible(f'{rule.text} ({matched} when it was found)')}",
            "      - dbt_utils.expression_is_true:",
            f"          name: {_quote(name)}",
            "          arguments:",
            f"            expression: {_quote(_escape_template(f'not {write_rule(rule, s, written)}'))}",
            "          config:",
            "            severity: warn",
        ]
    return DBT_HEAD + "\n".join(lines) + "\n"


def _escape_template(text: str) -> str:
    """Write a text so that dbt, which fills in templates, gets it back as it is.

    >>> _escape_template("c = '{x}'"), _escape_template("c = '{{'")
    ("c = '{x}'", "c = '{{ '{' }}{{ '{' }}'")
    """
    return BRACE.sub(r"{{ '\g<0>' }}", text) if DBT_TEMPLATE.search(text) else text


def _quote(text: str) -> str:
    """Write a text in double quotes."""
    escaped = (f"\\{c}" if c in '"\\' else c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(escaped)}"'


def to_findings(explanation: Explanation) -> list[dict[str, Any]]:
    """Give a dict per outlier, the strangest first, in the shape of PyOD's `ADEngine.explain_findings`.

    Each has `index` (its position), `score`, `percentile`, `label` (`"anomaly"`), `narrative` and
    `contributing_features`: for each condition of a rule that covers the row a dict with `feature`, `name`, `value`,
    `direction` and the `condition` as text. Beyond PyOD's keys: `row`, `group` and `rules`. Score and percentile are
    None where the detector gives none; there is no z-score, since the reasons are rules.

    Parameters
    ----------
    explanation : has the rules; not one that was read from a file.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain import explain
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
    >>> e = explain([0] * 50 + [1] * 3, X)
    >>> to_findings(e)[0]["rules"]
    ['amount >= 500']
    """
    if not explanation.groups:
        return []
    origin, cells = outlier_origin(explanation, "to_findings()"), need_cells(explanation, "to_findings()")
    s = explanation.summary
    matches = match_rules(s, cells)
    members = [group for group in s.groups for _ in group.rows]
    findings = []
    for i, group in enumerate(members):
        rules = [rule for rule, hit in zip(s.rules, matches[i], strict=True) if hit and rule.group == group.number]
        findings.append(_finding(i, group, rules, cells, origin))
    return sorted(findings, key=lambda one: (-(one["score"] or 0.0), one["index"]))


def _finding(i: int, group: GroupExplanation, rules: list[Rule], cells: Table, origin: OutlierOrigin) -> dict[str, Any]:
    label = plain_value(cells.index[i])
    score = None if origin.scores is None else float(origin.scores[i])
    percentile = None if origin.percentiles is None else float(origin.percentiles[i])
    standing = "" if score is None else f" has anomaly score {score:.4g} (percentile: {percentile:.1f}%) and"
    reasons = " or ".join(str(rule.tag) for rule in rules)
    why = f": {reasons}." if rules else f", and no rule {'' if group.rest else 'of the group '}explains it."
    narrative = f"Row {label}{standing} belongs to group {group.number}{why}"
    features = []
    for condition in (one for rule in rules for one in rule.tag.sorted):
        name, value = str(condition.axis), cells[condition.axis].cell(i)
        about = {"direction": condition.side, "condition": str(condition)}
        features.append({"feature": name, "name": name, "value": value, **about})
    scored = {"index": int(origin.positions[i]), "score": score, "percentile": percentile}
    told = {"label": "anomaly", "narrative": narrative, "row": label, "group": group.number}
    return {**scored, **told, "rules": [str(rule.tag) for rule in rules], "contributing_features": features}

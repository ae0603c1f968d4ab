"""The rules for other tools: data tests of dbt, findings of PyOD's ADEngine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyod_explain import report
from pyod_explain._atomic import write_file
from pyod_explain.explanation import Explanation, outlier_origin
from pyod_explain.result import match_rules

__all__ = ["to_dbt", "to_findings"]


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
    text = report.to_dbt(explanation.summary, model, dialect=dialect)
    if path is not None:
        write_file(path, text)
    return text


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
    origin, cells = outlier_origin(explanation, "to_findings()")
    summary = explanation.summary
    return report.to_findings(summary, cells, match_rules(summary, cells), origin)

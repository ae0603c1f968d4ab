"""The explanation as a list of findings, in the shape of PyOD's `ADEngine.explain_findings`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.input import Table, plain_value
from pyod_explain.result import GroupExplanation, Origin, Rule, Summary

__all__ = ["to_findings"]


def to_findings(summary: Summary, outliers: Table, matches: NDArray[np.bool_], origin: Origin) -> list[dict[str, Any]]:
    """Write a dict per outlier, the strangest first; without scores in the order of the table.

    Parameters
    ----------
    summary : what the explanation says.
    outliers : the outliers' cells, group after group.
    matches : outliers by rules: True where the rule covers the outlier.
    origin : where in the table they were, and their scores.
    """
    members = [group for group in summary.groups for _ in group.rows]
    findings = []
    for i, group in enumerate(members):
        covering = [
            rule for rule, hit in zip(summary.rules, matches[i], strict=True) if hit and rule.group == group.number
        ]
        findings.append(_finding(i, group, covering, outliers, origin))
    return sorted(findings, key=lambda one: (-(one["score"] or 0.0), one["index"]))


def _finding(i: int, group: GroupExplanation, rules: list[Rule], outliers: Table, origin: Origin) -> dict[str, Any]:
    label = plain_value(outliers.index[i])
    score = None if origin.scores is None else float(origin.scores[i])
    percentile = None if origin.percentiles is None else float(origin.percentiles[i])
    standing = "" if score is None else f" has anomaly score {score:.4g} (percentile: {percentile:.1f}%) and"
    reasons = " or ".join(str(rule.tag) for rule in rules)
    why = f": {reasons}." if rules else ", and no rule of the group explains it."
    return {
        "index": int(origin.positions[i]),
        "score": score,
        "percentile": percentile,
        "label": "anomaly",
        "narrative": f"Row {label}{standing} belongs to group {group.number}{why}",
        "row": label,
        "group": group.number,
        "rules": [str(rule.tag) for rule in rules],
        "contributing_features": [
            {
                "feature": str(condition.axis),
                "name": str(condition.axis),
                "value": outliers[condition.axis].cell(i),
                "direction": condition.side,
                "condition": str(condition),
            }
            for rule in rules
            for condition in rule.tag.sorted
        ],
    }

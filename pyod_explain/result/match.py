"""Which rows match which rules: of new tables, and of the outliers themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.input import Table, as_table
from pyod_explain.result.summary import Summary

__all__ = ["best_rule", "group_of", "match_frame", "match_rules", "read_rows"]


def read_rows(summary: Summary, X: Any) -> Table:
    """Read the columns that the rules name, whatever else is in the table; refuse one that lacks some."""
    table = as_table(X, only=summary.rule_columns)
    table.require(summary.rule_columns)
    return table


def match_rules(summary: Summary, table: Table) -> NDArray[np.bool_]:
    """Tell for each row (of the result) and each rule (columns) whether the rule covers it."""
    columns = [rule.tag.covers(table) for rule in summary.rules]
    return np.array(columns, dtype=bool).reshape(len(columns), table.n_rows).T


def group_of(summary: Summary, table: Table) -> NDArray[np.int64]:
    """Give each row 0, or the group of the most precise rule that covers it; of equally precise ones the first."""
    groups = np.array([*(rule.group for rule in summary.rules), 0], dtype=np.int64)
    return groups[best_rule(summary, table)]


def best_rule(summary: Summary, table: Table) -> NDArray[np.intp]:
    """Give each row the position of the most precise rule that covers it, -1 if none does; of equals the first."""
    result = np.full(table.n_rows, -1, dtype=np.intp)
    best = np.full(table.n_rows, -1.0)
    for i, (column, rule) in enumerate(zip(match_rules(summary, table).T, summary.rules, strict=True)):
        better = column & (rule.precision > best)
        result[better] = i
        best[better] = rule.precision
    return result


def match_frame(summary: Summary, table: Table) -> pd.DataFrame:
    """Give a column of True and False per rule, named by group and rule."""
    names = [rule.name for rule in summary.rules]
    return pd.DataFrame(match_rules(summary, table), columns=names, index=table.index)

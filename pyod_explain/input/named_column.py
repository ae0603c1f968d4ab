"""`named_column`: the column that a text means, among the features or in what was detected on."""

from __future__ import annotations

from typing import Any

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.errors import some
from pyod_explain.input.read import as_table, column_names, has_names
from pyod_explain.input.table import Column, Table

__all__ = ["named_column"]


def named_column(name: str, X: Any, table: Table, argument: str) -> Column:
    """Find the column: in the features, or else in what was detected on.

    Parameters
    ----------
    name : of the column.
    X : what was detected on.
    table : the features.
    argument : as what the name was passed, for an error message.
    """
    if name in table.columns:
        return table[name]
    names = column_names(X) if has_names(X) else list(table.columns)
    if name not in names:
        what = "a fitted detector, labels" if argument == "detector" else "numbers, one per row"
        raise PyodExplainError(
            f"`{argument}` must be {what} or the name of a column of `X`, got {name!r}, "
            f"which is none of the columns {some(names, most=12)}."
        )
    return as_table(X, only=[name])[name]  # only: the others may hold anything

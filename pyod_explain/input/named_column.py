"""`named_column`: the column that a text means, among the features or in what was detected on."""

from __future__ import annotations

from typing import Any

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.errors import some
from pyod_explain.input.read import as_table
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
    where = table if name in table.columns or not hasattr(X, "columns") else as_table(X)
    if name not in where.columns:
        what = "a fitted detector, labels" if argument == "detector" else "numbers, one per row"
        raise PyodExplainError(
            f"`{argument}` must be {what} or the name of a column of `X`, got {name!r}, "
            f"which is none of the columns {some(where.columns, most=12)}."
        )
    return where[name]

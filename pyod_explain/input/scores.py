"""Scores of rows that the user passes: how strange each of them is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.alignment import one_per_row
from pyod_explain.input.errors import some
from pyod_explain.input.named_column import named_column
from pyod_explain.input.table import Table

__all__ = ["read_scores"]


def read_scores(scores: Any, X: Any, table: Table) -> tuple[NDArray[np.float64] | None, tuple[str, ...]]:
    """Read one number for each row, or the name of a column; give them, and the columns that they come from."""
    if scores is None:
        return None, ()
    columns: tuple[str, ...] = ()
    if isinstance(scores, str):
        column = named_column(scores, X, table, argument="scores")
        if column.kind != "number":
            raise PyodExplainError(
                f"`scores` must be numbers, got column {scores!r}, which holds {column.kind} values."
            )
        columns, values = (scores,), column.floats()
    else:
        values = one_per_row(scores, table.n_rows, table.labels, "scores")
    return _as_scores(values), columns


def _as_scores(values: NDArray[Any]) -> NDArray[np.float64]:
    if values.dtype.kind not in "iuf":
        raise PyodExplainError(f"`scores` must be numbers, higher is stranger, got {some(values.tolist())}.")
    numbers = values.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise PyodExplainError(
            f"`scores` must be finite, got {int((~np.isfinite(numbers)).sum()):,} that are not.\n"
            "Hint: leave out rows that have no score."
        )
    return numbers

"""What a coverage is given row by row, checked: which row has which tag, its group, its weight."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError

__all__ = ["boolean_matrix", "check_copies", "row_groups", "rows_of"]


def boolean_matrix(T: Any) -> NDArray[np.bool_]:
    """Check a table of rows by tags, of True and False or 1 and 0."""
    dense = np.asarray(T)
    if dense.ndim != 2:
        raise PyodExplainError(f"`T` must be a table of rows by tags, got an array of shape {dense.shape}.")
    if dense.dtype != bool:
        if dense.size and not np.isin(dense, (0, 1)).all():
            raise PyodExplainError("`T` must hold True/False (or 1/0) only, got other values.")
        dense = dense.astype(bool)
    return dense


def row_groups(y: Any, n_rows: int, argument: str = "y") -> NDArray[np.int64]:
    """Check that each row has a whole number: 0 normal, 1..K a group, negative neither."""
    groups = np.asarray(y)
    if groups.shape != (n_rows,):
        raise PyodExplainError(
            f"`{argument}` must have one entry for each of the {n_rows:,} rows, got shape {groups.shape}."
        )
    if groups.dtype.kind not in "iub":
        raise PyodExplainError(
            f"`{argument}` must be whole numbers: 0 for a normal row, 1..K for the group of an outlier, "
            f"got {groups.dtype}."
        )
    return groups.astype(np.int64)


def check_copies(copies: Any, n_rows: int) -> NDArray[np.int64] | None:
    """Check that each row stands for a whole number of instances, of at least 1; None where each is one."""
    if copies is None:
        return None
    counts = np.asarray(copies)
    rule = f"`copies` must give a whole number of at least 1 for each of the {n_rows:,} rows"
    if counts.shape != (n_rows,) or counts.dtype.kind not in "iu":
        raise PyodExplainError(f"{rule}, got {counts.dtype} of shape {counts.shape}.")
    if len(bad := counts[counts < 1]):
        raise PyodExplainError(f"{rule}, got {bad[0]}.", hint="leave out rows with a count of 0.")
    return counts.astype(np.int64)


def rows_of(argument: str, rows: Iterable[int], n_rows: int) -> NDArray[np.intp]:
    """Check that a set names rows of the table."""
    found = np.array(sorted(rows), dtype=np.intp)
    if len(found) and not 0 <= found[0] <= found[-1] < n_rows:
        wrong = found[0] if found[0] < 0 else found[-1]
        raise PyodExplainError(f"`{argument}` must hold rows from 0 to {n_rows - 1:,}, got {wrong}.")
    return found

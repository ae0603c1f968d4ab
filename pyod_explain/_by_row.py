"""What a coverage is given row by row, checked: which row has which tag, its group, its weight."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError

__all__ = ["boolean_matrix", "check_copies", "check_weights", "row_groups", "rows_of"]

LEAST_WEIGHT = 1e-300  # of a row that counts: below it floats have ever fewer digits


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


def check_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Check that each row has a weight that floats can add up; None where all count the same."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    rule = f"`sample_weight` must give a finite weight of 0 or more for each of the {n_rows:,} rows"
    if weights.shape != (n_rows,):
        raise PyodExplainError(f"{rule}, got shape {weights.shape}.")
    if len(bad := weights[~(np.isfinite(weights) & (weights >= 0))]):
        raise PyodExplainError(f"{rule}, got {bad[0]:g}.\nHint: leave out rows that have no weight.")
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not np.isfinite(total):
        raise PyodExplainError(
            f"`sample_weight` must have a finite sum, got weights of up to {weights.max():g} that add up to more "
            "than a float can hold.\nHint: divide all weights by the same number."
        )
    if len(tiny := weights[(weights > 0) & (weights < LEAST_WEIGHT)]):
        raise PyodExplainError(
            f"`sample_weight` must be 0 or at least {LEAST_WEIGHT:g}, got {tiny[0]:g}: floats that small have few "
            "digits, and shares of them none.\nHint: multiply all weights by the same number, or set those to 0."
        )
    return weights


def check_copies(copies: Any, n_rows: int) -> NDArray[np.int64] | None:
    """Check that each row stands for a whole number of instances, of at least 1; None where each is one."""
    if copies is None:
        return None
    counts = np.asarray(copies)
    rule = f"`copies` must give a whole number of at least 1 for each of the {n_rows:,} rows"
    if counts.shape != (n_rows,) or counts.dtype.kind not in "iu":
        raise PyodExplainError(f"{rule}, got {counts.dtype} of shape {counts.shape}.")
    if len(bad := counts[counts < 1]):
        raise PyodExplainError(f"{rule}, got {bad[0]}.\nHint: leave out rows that stand for nothing.")
    return counts.astype(np.int64)


def rows_of(argument: str, rows: Iterable[int], n_rows: int) -> NDArray[np.intp]:
    """Check that a set names rows of the table."""
    found = np.array(sorted(rows), dtype=np.intp)
    if len(found) and not 0 <= found[0] <= found[-1] < n_rows:
        wrong = found[0] if found[0] < 0 else found[-1]
        raise PyodExplainError(f"`{argument}` must hold rows from 0 to {n_rows - 1:,}, got {wrong}.")
    return found

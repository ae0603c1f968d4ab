"""Labels of rows: 0 and 1, 0 and group numbers, scikit-learn's 1 and -1; one for each row, or in a column."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.alignment import one_per_row
from pyod_explain.input.errors import distinct, some, subject
from pyod_explain.input.named_column import named_column
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.table import Table

__all__ = ["labels_in_column", "read_labels"]

REJECTED = -2  # PyOD's predict_with_rejection: neither normal nor outlier
LARGEST = 2**53  # group numbers beyond it are not exact as floats


def read_labels(
    labels: Any,
    n_rows: int,
    *,
    index: pd.Index[Any] | None = None,
    source: str = "The labelling",
    argument: str = "detector",
) -> Outliers:
    """Read labels of rows.

    Parameters
    ----------
    labels : 0 normal, 1 outlier; or 0 and group numbers; or scikit-learn's 1 normal, -1 outlier; -2 is neither
        (rejected by PyOD).
    n_rows : how many there must be.
    index : the row labels that a Series is aligned with, or None.
    source : who says so, for the report.
    argument : what to call the labels in an error message.

    Examples
    --------
    >>> read_labels([1, -1, 1], 3).labels.tolist()
    [0, 1, 0]
    """
    values = _whole_numbers(one_per_row(labels, n_rows, index, argument), argument)
    distinct = set(np.unique(values).tolist())
    if distinct <= {-1, 1} and -1 in distinct:
        values = (values == -1).astype(np.int64)
    elif min(distinct - {REJECTED}, default=0) < 0:
        raise PyodExplainError(
            f"{subject(argument)} must be 0 (normal) and 1 (outlier), or 0 and group numbers, "
            f"got {some(sorted(distinct))}.\n"
            "Hint: scikit-learn's -1 and 1 and PyOD's -2 (rejected) are understood too; mark the noise of a clusterer "
            "with `labels == -1`."
        )
    numbers = np.maximum(values, 0) if max(distinct) > 1 else None
    return Outliers(np.where(values == REJECTED, -1, np.minimum(values, 1)), source, numbers)


def labels_in_column(name: str, X: Any, table: Table) -> Outliers:
    """Read labels off a column, which then must not explain itself."""
    column = named_column(name, X, table, argument="detector")
    if column.missing.any():
        raise PyodExplainError(
            f"The labels in column {name!r} (`detector`) must not be missing, got {column.missing.sum():,} gaps.\n"
            "Hint: leave out rows that have no label."
        )
    if column.kind not in ("number", "boolean"):
        raise PyodExplainError(
            f"The labels in column {name!r} (`detector`) must be 0 and 1, or 0 and group numbers, got {column.kind} "
            f"values.\nHint: compare the column with the value that marks outliers, and pass the result as `detector`."
        )
    values = column.values if column.values.dtype != object else column.floats()  # wide or decimal
    found = read_labels(
        values, table.n_rows, source=f"Column {name!r}", argument=f"labels in column {name!r} (`detector`)"
    )
    return replace(found, columns=(name,))


def _whole_numbers(values: NDArray[Any], argument: str) -> NDArray[np.int64]:
    kind = values.dtype.kind
    fits = kind in "iubf" and (kind == "b" or bool((np.abs(values.astype(np.float64)) <= LARGEST).all()))
    if not fits or (kind == "f" and not bool((values == np.floor(values)).all())):  # NaN fails the first comparison
        raise PyodExplainError(
            f"{subject(argument)} must be whole numbers (0 normal, 1 outlier, or group numbers), "
            f"got {some(distinct(values))}.\n"
            "Hint: scores go into `scores=` with `threshold=`; compare text with the word for outliers."
        )
    return values.astype(np.int64)

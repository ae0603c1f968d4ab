"""Which rows are outliers, and who says so: a fitted detector, or labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.table import Table

__all__ = ["Outliers", "find_outliers", "read_labels"]

REJECTED = -2  # PyOD's predict_with_rejection: neither normal nor outlier


@dataclass(frozen=True, eq=False)
class Outliers:
    """Which rows are outliers, and who says so.

    Attributes
    ----------
    labels : for each row 1 (outlier), 0 (normal) or -1 (neither: rejected by the detector).
    source : who says so, for the report.
    numbers : for each row its group as given with the labels (0 where it is no outlier), or None.
    label_column : the column of the table that the labels came from; it must not explain itself.
    """

    labels: NDArray[np.int64]
    source: str
    numbers: NDArray[np.int64] | None = None
    label_column: str | None = None

    @property
    def rows(self) -> NDArray[np.intp]:
        """Positions of the outliers."""
        return np.flatnonzero(self.labels == 1)

    @property
    def n_outliers(self) -> int:
        return int((self.labels == 1).sum())

    @property
    def n_normals(self) -> int:
        return int((self.labels == 0).sum())


def find_outliers(detector: Any, X: Any, table: Table) -> Outliers:
    """Read which rows of `X` are outliers off a fitted detector, labels, or the name of a column.

    Parameters
    ----------
    detector : fitted PyOD detector; labels (array, Series, list); or the name of a column of the table.
    X : what the detector takes; its training rows (recognised by their number) have the detector's own
        `labels_`, other rows are predicted.
    table : the same rows as a `Table`.
    """
    if isinstance(detector, str):
        return _from_column(detector, table)
    if not hasattr(detector, "fit"):
        outliers = read_labels(detector, table.n_rows, index=table.index)
    else:
        outliers = _from_detector(detector, X, table.n_rows)
    return outliers


def _from_detector(detector: Any, X: Any, n_rows: int) -> Outliers:
    name = type(detector).__name__
    labels = getattr(detector, "labels_", None)
    if labels is None:
        raise PyodExplainError(
            f"`detector` must be fitted before it can be explained, got a {name} without `labels_`.\n"
            f"Hint: call {name}.fit(X) first, or pass labels (0 normal, 1 outlier)."
        )
    if len(labels) != n_rows:
        labels = _predict(detector, X, name, n_train=len(labels))
    return read_labels(labels, n_rows, source=name, argument=f"labels of {name}")


def _predict(detector: Any, X: Any, name: str, n_train: int) -> Any:
    """Label rows the detector was not fitted on; PyOD wants arrays (some detectors fail on DataFrames)."""
    try:
        return detector.predict(np.asarray(X))
    except Exception as error:
        raise PyodExplainError(
            f"`X` must be the {n_train:,} rows that the {name} was fitted on, or rows that it can predict; "
            f"got {len(X):,} rows, and its predict() failed: {error}\n"
            "Hint: pass as `X` what the detector takes, and the readable columns as `features=`."
        ) from error


def _from_column(name: str, table: Table) -> Outliers:
    if name not in table.columns:
        raise PyodExplainError(
            f"`detector` must be a fitted detector, labels or the name of a column of `X`, got {name!r}, "
            f"which is none of the columns {', '.join(map(repr, list(table.columns)[:12]))}."
        )
    column = table[name]
    if column.missing.any():
        raise PyodExplainError(f"The labels in column {name!r} must not be missing, got {column.missing.sum():,} gaps.")
    values = column.values
    if column.kind not in ("number", "boolean"):
        raise PyodExplainError(f"The labels in column {name!r} must be 0 and 1 (or group numbers), got text or dates.")
    found = read_labels(values, table.n_rows, source=f"column {name!r}", argument=f"column {name!r}")
    return Outliers(found.labels, found.source, found.numbers, label_column=name)


def read_labels(
    labels: Any,
    n_rows: int,
    *,
    index: pd.Index[Any] | None = None,
    source: str = "labels",
    argument: str = "labels",
) -> Outliers:
    """Read labels: 0 normal, 1 outlier, or 0 and group numbers 1..K; -2 (rejected by PyOD) is neither.

    Labels that are all -1 or 1 are read as scikit-learn's: -1 is an outlier.

    Examples
    --------
    >>> read_labels([0, 1, 0, 1], 4).rows.tolist()
    [1, 3]
    >>> read_labels([0, 2, 0, 1], 4).numbers.tolist()
    [0, 2, 0, 1]
    """
    values = _label_array(labels, n_rows, index, argument)
    distinct = set(np.unique(values).tolist())
    if distinct <= {-1, 1} and -1 in distinct:
        values = (values == -1).astype(np.int64)
    elif min(distinct) < 0 and not distinct <= {REJECTED, 0, 1}:
        raise PyodExplainError(
            f"{_subject(argument)} must be 0 (normal) and 1 (outlier), or 0 and group numbers; "
            f"got {_some(sorted(distinct))}.\nHint: scikit-learn's -1 and 1 and PyOD's -2 (rejected) are understood too."
        )
    numbers = values if max(distinct) > 1 else None
    return Outliers(np.where(values == REJECTED, -1, np.minimum(values, 1)), source, numbers)


def _label_array(labels: Any, n_rows: int, index: pd.Index[Any] | None, argument: str) -> NDArray[np.int64]:
    if isinstance(labels, pd.Series) and index is not None and not labels.index.equals(index):
        if len(labels) == n_rows and not isinstance(labels.index, pd.RangeIndex):
            raise PyodExplainError(
                f"{_subject(argument)} must have the index of `X`, got a Series with another index.\n"
                "Hint: align it with labels.loc[X.index], or pass labels.to_numpy() if the order is the same."
            )
    if isinstance(labels, Mapping) or np.ndim(labels) == 0:
        raise TypeError(
            f"`detector` must be a fitted detector, labels or the name of a column of `X`, got {type(labels).__name__}."
        )
    values = np.asarray(labels)
    if values.ndim == 2 and 1 in values.shape:
        values = values.ravel()
    if values.shape != (n_rows,):
        raise PyodExplainError(
            f"{_subject(argument)} must have one entry for each of the {n_rows:,} rows of `X`, "
            f"got shape {values.shape}."
        )
    if values.dtype == object:
        values = pd.Series(values).infer_objects().to_numpy()
    if values.dtype.kind not in "iub":
        whole = values.dtype.kind == "f" and bool(np.isfinite(values).all()) and bool((values == np.floor(values)).all())
        if not whole:
            raise PyodExplainError(
                f"{_subject(argument)} must be whole numbers (0 normal, 1 outlier, or group numbers), "
                f"got {_some(list(dict.fromkeys(values.tolist())))}.\n"
                "Hint: scores are not labels; compare them with a threshold first."
            )
    return values.astype(np.int64)


def _subject(argument: str) -> str:
    return f"The {argument}" if " " in argument else f"`{argument}`"


def _some(values: list[Any], most: int = 6) -> str:
    return ", ".join(repr(value) for value in values[:most]) + (", ..." if len(values) > most else "")

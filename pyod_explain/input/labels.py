"""Labels and scores of rows, and `Outliers`: which rows are outliers, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import ParameterError
from pyod_explain.input.alignment import named_column, one_per_row
from pyod_explain.input.errors import distinct, list_values
from pyod_explain.input.table import Table
from pyod_explain.input.values import EXACT_UP_TO

REJECTED = -2  # PyOD's predict_with_rejection: neither normal nor outlier


@dataclass(frozen=True, eq=False)
class Outliers:
    """Which rows are outliers, and how that is known.

    Attributes
    ----------
    labels : for each row 1 (outlier), 0 (normal) or -1 (neither: rejected by the detector).
    source : what marked the outliers (a detector, a column, labels), for the report.
    numbers : for each row its group as given with the labels (0 where it is no outlier), or None.
    columns : columns of the table that hold the labels or the scores; they must not explain themselves.
    scores : for each row how strange it is, higher is stranger, or None.
    fingerprint : of the detector's labels of its training rows, by which a refit is noticed; None if it keeps none.
    notes : sentences for the report on what could not be made sure.
    outlier_counts : in an aggregated table, how many of the row counts of each row are outliers; None: all or none.
    source_rows : position of each row in the user's table; None: the same positions.
    n_lines : number of rows of the user's table where it is aggregated; else None.
    """

    labels: NDArray[np.int64]
    source: str
    numbers: NDArray[np.int64] | None = None
    columns: tuple[str, ...] = ()
    scores: NDArray[np.float64] | None = None
    fingerprint: str | None = None
    notes: tuple[str, ...] = ()
    outlier_counts: NDArray[np.int64] | None = None
    source_rows: NDArray[np.intp] | None = None
    n_lines: int | None = None

    @property
    def rows(self) -> NDArray[np.intp]:
        """Positions of the outliers."""
        return np.flatnonzero(self.labels == 1)

    def n_outliers(self, table: Table) -> int:
        """Count the outliers of the table, each line as often as it counts."""
        return table.count(self.labels == 1)

    def n_normals(self, table: Table) -> int:
        """Count the normal rows of the table, each line as often as it counts."""
        return table.count(self.labels == 0)


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
    source : what marked the outliers (a detector, a column, labels), for the report.
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
        raise ParameterError(
            argument,
            "0 (normal) and 1 (outlier), or 0 and group numbers",
            got_text=list_values(sorted(distinct)),
            hint="scikit-learn's -1 and 1 and PyOD's -2 (rejected) are understood too; mark the noise of a clusterer "
            "with `labels == -1`.",
        )
    numbers = np.maximum(values, 0) if max(distinct) > 1 else None
    return Outliers(np.where(values == REJECTED, -1, np.minimum(values, 1)), source, numbers)


def labels_in_column(name: str, X: Any, table: Table) -> Outliers:
    """Read labels off a column, which then must not explain itself."""
    column = named_column(name, X, table, argument="detector")
    if column.missing.any():
        raise ParameterError(
            "detector",
            "labels without gaps",
            got_text=f"column {name!r}, which has rows without one",
            hint="leave out rows that have no label.",
        )
    if column.kind not in ("number", "boolean"):
        raise ParameterError(
            "detector",
            "labels 0 and 1, or 0 and group numbers",
            got_text=f"column {name!r}, which holds {column.kind} values",
            hint="compare the column with the value that marks outliers, and pass the result as `detector`.",
        )
    values = column.values if column.values.dtype != object else column.floats()  # wide or decimal
    found = read_labels(values, table.n_rows, source=f"Column {name!r}")
    return replace(found, columns=(name,))


def _whole_numbers(values: NDArray[Any], argument: str) -> NDArray[np.int64]:
    kind = values.dtype.kind
    fits = kind in "iubf" and (kind == "b" or bool((np.abs(values.astype(np.float64)) <= EXACT_UP_TO).all()))
    if not fits or (kind == "f" and not bool((values == np.floor(values)).all())):  # NaN fails the first comparison
        raise ParameterError(
            argument,
            "whole numbers (0 normal, 1 outlier, or group numbers)",
            got_text=list_values(distinct(values)),
            hint="scores go into `scores=` with `threshold=`; compare text with the word for outliers.",
        )
    return values.astype(np.int64)


def read_scores(scores: Any, X: Any, table: Table) -> NDArray[np.float64] | None:
    """Read one finite number for each row, from an array or a column of that name; None where there are none."""
    if scores is None:
        return None
    if isinstance(scores, str):
        column = named_column(scores, X, table, argument="scores")
        if column.kind != "number":
            got = f"column {scores!r}, which holds {column.kind} values"
            raise ParameterError("scores", "numbers, higher is stranger", got_text=got)
        values = column.floats()
    else:
        values = one_per_row(scores, table.n_rows, table.labels, "scores")
    if values.dtype.kind not in "iuf":
        raise ParameterError("scores", "numbers, higher is stranger", got_text=list_values(values.tolist()))
    numbers = values.astype(np.float64)
    infinite = int((~np.isfinite(numbers)).sum())
    if infinite:
        hint = "leave out rows that have no score."
        raise ParameterError("scores", "finite numbers", got_text=f"{infinite:,} that are not", hint=hint)
    return numbers

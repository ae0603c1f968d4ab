"""Weights of rows: how much each of them counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._by_row import check_weights
from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.alignment import one_per_row
from pyod_explain.input.errors import distinct, some
from pyod_explain.input.labels import Outliers
from pyod_explain.input.table import Table

__all__ = ["row_weights"]


def row_weights(sample_weight: Any, outliers: Outliers, table: Table) -> NDArray[np.float64] | None:
    """Read the weight of each row.

    Parameters
    ----------
    sample_weight : one number of 0 or more per row; None: 1 each; `"scores"`: the outliers weigh in proportion to how
        far their score lies above the lowest score of the table, 1 on average, and the other rows 1 each, so that the
        worst outliers matter most and the group as a whole as much as without weights.
    outliers : which rows are outliers, with their scores.
    table : the rows.

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> found = Outliers(np.array([0, 1, 1]), "Scores", scores=np.array([1.0, 2.0, 4.0]))
    >>> row_weights("scores", found, as_table([[0], [0], [0]])).tolist()
    [1.0, 0.5, 1.5]
    """
    if sample_weight is None:
        return None
    if isinstance(sample_weight, str):
        weights = _weights_by_name(sample_weight, outliers)
    else:
        weights = one_per_row(sample_weight, table.n_rows, table.labels, "sample_weight")
    if weights.dtype.kind not in "iufb":
        raise PyodExplainError(
            f"`sample_weight` must be numbers of 0 or more, got {some(distinct(weights))}.\n"
            "Hint: turn them into numbers, and leave out rows that have no weight."
        )
    numbers = check_weights(weights, table.n_rows)  # as a coverage does, but before the search for tags
    if numbers is not None and not (numbers[outliers.labels >= 0] > 0).any():
        raise PyodExplainError("`sample_weight` must be above 0 for some row, got only zeros.")
    return numbers


def _weights_by_name(name: str, outliers: Outliers) -> NDArray[np.float64]:
    if name != "scores":
        raise PyodExplainError(
            "`sample_weight` of explain() must be 'scores' or one number for each row, got "
            f"{shown(name)}.\nHint: pass a column of weights as X[{shown(name, 40)}]."
        )
    if outliers.scores is None:
        raise PyodExplainError(
            f"`sample_weight` can be 'scores' only where there are scores, and {outliers.source} has none.\n"
            "Hint: pass them as `scores=`, one number per row."
        )
    if outliers.marked is not None:
        raise PyodExplainError(
            "`sample_weight` can be 'scores' where a row is an outlier or not; with `outlier_counts` it may be both.\n"
            "Hint: pass the weights as numbers, one per row."
        )
    return _score_weights(outliers, outliers.scores)


def _score_weights(outliers: Outliers, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.ones(len(scores))
    rows = outliers.rows
    height = scores / (np.abs(scores).max() or 1.0)  # first, so that no difference overflows
    height = height[rows] - height.min()
    if len(rows) and height.max() > 0:
        each = np.ones(len(rows)) if outliers.copies is None else outliers.copies[rows]
        weights[rows] = height / (math.fsum(height * each) / each.sum())  # a sum that depends on no order
    return weights

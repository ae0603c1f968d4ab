"""A table as numbers, as a detector needs it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyod_explain.input.table import Column, Table

__all__ = ["encode"]


def encode(table: Table) -> NDArray[np.float64]:
    """Turn a table into numbers for a detector: standardised, categories as codes, gaps filled.

    Numbers, dates and durations are centred and scaled to a standard deviation of 1, with the median in the gaps;
    categories become codes in the order of their names, a missing one a code of its own, scaled likewise. The
    explanation is about the table itself, not about this.

    Parameters
    ----------
    table : the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.input.read import as_table
    >>> encode(as_table(pd.DataFrame({"x": [1.0, None, 3.0], "kind": ["a", "b", "a"]}))).round(2).tolist()
    [[-1.22, -0.71], [0.0, 1.41], [1.22, -0.71]]
    """
    columns = [_standardised(_numbers(column)) for column in table.columns.values()]
    return np.column_stack(columns)


def _numbers(column: Column) -> NDArray[np.float64]:
    return column.filled_floats() if column.has_order else np.where(column.missing, -1.0, column.floats())


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((values - values.mean()) / (values.std() or 1.0))

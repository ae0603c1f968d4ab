"""A sample of rows that depends on their content and the seed, not on where they stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyod_explain.input.content_order import by_content
from pyod_explain.input.table import Table

__all__ = ["sample_rows"]


def sample_rows(table: Table, rows: NDArray[np.intp], most: int, random_state: int) -> NDArray[np.intp]:
    """Draw at most so many of these rows, without replacement; all of them, as they stand, if there are no more.

    >>> from pyod_explain.input.read import as_table
    >>> sample_rows(as_table([[1], [2], [3]]), np.array([0, 2]), 5, random_state=0).tolist()
    [0, 2]
    """
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(random_state).choice(by_content(table, rows), most, replace=False))

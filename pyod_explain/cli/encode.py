"""A table as numbers, as a detector needs it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.input import Column, Table, as_table


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
    return Encoder(table).numbers(table)


@dataclass(frozen=True, eq=False)
class _Scale:
    """What makes numbers of a column: what stands in its gaps, its categories, its mean and standard deviation."""

    gap: float
    codes: Mapping[Hashable, int]
    mean: float
    deviation: float


class Encoder:
    """Turns other rows into numbers as it did those of a table: a step of a Pipeline that ends in a detector.

    A category that the table does not have gets the code after all others.

    Parameters
    ----------
    table : the rows that tell how.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.input.read import as_table
    >>> encoder = Encoder(as_table(pd.DataFrame({"x": [1.0, None, 3.0], "kind": ["a", "b", "a"]})))
    >>> encoder.transform(pd.DataFrame({"kind": ["a", "c"], "x": [None, 3.0]})).round(2).tolist()
    [[0.0, -0.71], [1.22, 3.54]]
    """

    def __init__(self, table: Table) -> None:
        self.feature_names_in_ = np.array(list(table.columns), dtype=object)
        self._scales = {name: _scale(column) for name, column in table.columns.items()}

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Give the numbers of these rows, which have at least the columns of the table."""
        return self.numbers(as_table(X, only=list(self._scales)))

    def numbers(self, table: Table) -> NDArray[np.float64]:
        """Give the numbers of a table."""
        columns = []
        for name, scale in self._scales.items():
            values = _numbers(table[name], scale.gap, scale.codes)
            columns.append(np.asarray((values - scale.mean) / (scale.deviation or 1.0)))
        return np.column_stack(columns)


def _scale(column: Column) -> _Scale:
    gap = -1.0
    if column.has_order:
        known = column.floats()[~column.missing]
        gap = float(np.median(known)) if len(known) else 0.0
    values = _numbers(column, gap, column.code_of)
    return _Scale(gap, column.code_of, float(values.mean()), float(values.std()))


def _numbers(column: Column, gap: float, codes: Mapping[Hashable, int]) -> NDArray[np.float64]:
    if column.has_order:
        return np.where(column.missing, gap, column.floats())
    there = np.array([*(codes.get(value, len(codes)) for value in column.code_of), gap], dtype=np.float64)
    return np.asarray(there[column.values])  # the last answers for code -1, missing

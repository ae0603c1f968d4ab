"""Programs for HiGHS: rows under construction, as sparse blocks."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["Rows", "narrow"]

Floats = NDArray[np.float64]
Index = NDArray[np.intp]


class Rows:
    """Rows `coefficients @ variables <= limit`, added block by block.

    Examples
    --------
    Two rows, x0 - x1 <= 0 and x1 <= 1:

    >>> rows = Rows(n_columns=2)
    >>> rows.add(1, 0.0, (np.array([0, 0]), np.array([0, 1]), np.array([1.0, -1.0])))
    >>> rows.add(1, 1.0, (np.array([0]), np.array([1]), 1.0))
    >>> matrix, limit = rows.matrix()
    >>> matrix.toarray().tolist(), limit.tolist()
    ([[1.0, -1.0], [0.0, 1.0]], [0.0, 1.0])
    """

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns
        self.n_rows = 0
        self._row: list[Index] = [np.zeros(0, dtype=np.intp)]
        self._column: list[Index] = [np.zeros(0, dtype=np.intp)]
        self._value: list[Floats] = [np.zeros(0)]
        self._limit: list[Floats] = [np.zeros(0)]

    def add(self, n_rows: int, limit: float | Floats, *parts: tuple[Index, Index, float | Floats]) -> None:
        """Add rows; each part gives row numbers (from 0 in each call), columns and the coefficients there."""
        for row, column, value in parts:
            self._row.append(row + self.n_rows)
            self._column.append(column)
            self._value.append(np.broadcast_to(np.asarray(value, dtype=np.float64), len(row)))
        self._limit.append(np.broadcast_to(np.asarray(limit, dtype=np.float64), n_rows))
        self.n_rows += n_rows

    def matrix(self) -> tuple[sp.csr_array, Floats]:
        """Return all rows as a sparse matrix, and their limits."""
        entries = (np.concatenate(self._value), (np.concatenate(self._row), np.concatenate(self._column)))
        return narrow(sp.csr_array(entries, shape=(self.n_rows, self.n_columns))), np.concatenate(self._limit)


def narrow(matrix: sp.csr_array) -> sp.csr_array:
    """Number its entries in 32 bits, the only way that HiGHS takes them in scipy before 1.15."""
    return sp.csr_array(
        (matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)), shape=matrix.shape
    )

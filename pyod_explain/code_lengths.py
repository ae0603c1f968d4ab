"""Lengths of codes in bits: of a whole number, and of a choice of k things among n."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

__all__ = ["CodeTable", "code_table", "log2_binomial", "log_star"]

LARGEST_TABLE = 2**18  # numbers whose code lengths are computed in a few milliseconds
SMALL = 2**12  # numbers that are looked up where there are more; larger ones need one term of Stirling's series
_LOG_STAR_CONSTANT = float(np.log2(2.865064))  # makes Rissanen's universal code for integers sum to 1


def log_star(n: ArrayLike) -> NDArray[np.float64]:
    """Rissanen's universal code length of integers of at least 1, in bits; 0 bits for 0.

    >>> log_star([0, 1, 16]).round(3).tolist()
    [0.0, 1.519, 8.519]
    """
    rest = np.asarray(n, dtype=np.float64)
    total = np.where(rest >= 1, _LOG_STAR_CONSTANT, 0.0)
    while (rest > 1).any():
        rest = np.log2(rest, out=np.zeros_like(rest), where=rest > 1)
        total = total + np.maximum(rest, 0.0)
    return np.asarray(total)


def log2_binomial(n: ArrayLike, k: ArrayLike) -> NDArray[np.float64]:
    """Bits that it takes to name k of n; 0 where k is outside 0..n.

    >>> log2_binomial([4, 4, 4], [0, 2, 5]).round(3).tolist()
    [0.0, 2.585, 0.0]
    """
    top, part = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(k, dtype=np.float64))
    inside = (part > 0) & (part < top)
    safe_top, safe_part = np.where(inside, top, 2.0), np.where(inside, part, 1.0)
    nats = gammaln(safe_top + 1) - gammaln(safe_part + 1) - gammaln(safe_top - safe_part + 1)
    return np.where(inside, nats / np.log(2), 0.0)


@lru_cache(maxsize=2)
def code_table(n_rows: int) -> CodeTable:
    """Give the code lengths of all numbers up to `n_rows`; those asked for last are kept."""
    return CodeTable(n_rows)


class CodeTable:
    """Code lengths of all numbers up to `n_rows`, looked up instead of computed, unless these are too many.

    A few lines of a table may stand for millions of rows: a search among them asks for fewer numbers than those. Then
    only the small ones are looked up, and the logarithms of large factorials follow from Stirling's series, which is
    exact there to the last digit.

    >>> table = CodeTable(100)
    >>> bool(abs(table.log2_binomial(np.int64(50), np.int64(3)) - log2_binomial(50, 3)) < 1e-9)
    True
    """

    def __init__(self, n_rows: int) -> None:
        self._whole = n_rows <= LARGEST_TABLE
        numbers = np.arange(n_rows + 1 if self._whole else SMALL)
        self._star = log_star(numbers)
        self._factorial = gammaln(numbers + 1.0) / np.log(2)

    def log_star(self, n: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give the universal code length."""
        return np.asarray(self._star[n] if self._whole else self._beyond(n, self._star, log_star))

    def log2_binomial(self, n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give the bits that it takes to name k of n; all k are within 0..n here."""
        return np.asarray(self._log2_factorial(n) - self._log2_factorial(k) - self._log2_factorial(n - k))

    def _log2_factorial(self, n: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(self._factorial[n] if self._whole else self._beyond(n, self._factorial, _stirling))

    @staticmethod
    def _beyond(
        n: NDArray[np.int64], table: NDArray[np.float64], formula: Callable[[Any], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Look small numbers up, and compute the others."""
        result = table[np.minimum(n, SMALL - 1)]
        large = n >= SMALL
        return np.where(large, formula(np.maximum(n, SMALL)), result) if np.any(large) else result


def _stirling(n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Logarithm of the factorial of large numbers, to the base 2."""
    x = n.astype(np.float64)
    nats = (x + 0.5) * np.log(x) - x + 0.5 * np.log(2 * np.pi) + 1 / (12 * x)
    return np.asarray(nats / np.log(2))

"""Lengths of codes in bits: of a whole number, and of a choice of k things among n."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

__all__ = ["log2_binomial", "log_star"]

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

"""Description length: the bits of the paper's MDL formula, from counts alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from pyod_explain.coverage import Coverage

__all__ = ["CodeTable", "group_bits", "log2_binomial", "log_star", "mdl_empty", "mdl_of_group", "tag_bits"]

_LOG_STAR_CONSTANT = float(np.log2(2.865064))  # makes Rissanen's universal code for integers sum to 1


def mdl_of_group(cov: Coverage, group: int, tags: Sequence[int]) -> float:
    """Bits that tell a group's outliers to somebody who has the table, by way of these tags."""
    covered = cov.outliers_with(tags)
    own = int(np.bitwise_count(covered[cov.slices[group]]).sum())
    size = int(cov.group_sizes[group])
    bits = group_bits(
        missed=size - own,
        normals=int(np.bitwise_count(cov.normals_with(tags)).sum()),
        foreign=int(np.bitwise_count(covered).sum()) - own,
        size=size,
        n_rows=cov.n_normals + cov.n_outliers,
    )
    return float(tag_bits(cov, tags).sum() + bits)


def mdl_empty(cov: Coverage) -> float:
    """Bits of the empty description: every outlier is named one by one."""
    return sum(mdl_of_group(cov, k, ()) for k in range(cov.n_groups))


def tag_bits(cov: Coverage, tags: Sequence[int] | None = None) -> NDArray[np.float64]:
    """Bits that it takes to send each tag (of these): its length, which features, and one bit for each one's value."""
    lengths = cov.lengths if tags is None else cov.lengths[list(tags)]
    return np.asarray(log_star(lengths) + log2_binomial(cov.n_items, lengths) + lengths)


def group_bits(
    *,
    missed: ArrayLike,
    normals: ArrayLike,
    foreign: ArrayLike,
    size: ArrayLike,
    n_rows: ArrayLike,
    table: CodeTable | None = None,
) -> NDArray[np.float64]:
    """Bits for the exceptions to a description: outliers missed (v), normals (u) and other outliers (z) covered.

    Parameters
    ----------
    missed, normals, foreign : v, u and z.
    size, n_rows : outliers of the group, and rows in all.
    table : looked up instead of computing each term; worth its making for thousands of calls.
    """
    star, binomial = (log_star, log2_binomial) if table is None else (table.log_star, table.log2_binomial)
    v, u, z = (np.asarray(part, dtype=np.int64) for part in (missed, normals, foreign))
    covered = np.asarray(size) - v + u + z
    outside = np.asarray(n_rows) - covered
    return np.asarray(star(v) + binomial(outside, v) + star(u) + binomial(covered, u) + star(z) + binomial(covered, z))


class CodeTable:
    """Code lengths of all numbers up to `n_rows`, looked up instead of computed.

    >>> table = CodeTable(100)
    >>> bool(abs(table.log2_binomial(np.int64(50), np.int64(3)) - log2_binomial(50, 3)) < 1e-9)
    True
    """

    def __init__(self, n_rows: int) -> None:
        numbers = np.arange(n_rows + 1)
        self._star = log_star(numbers)
        self._factorial = gammaln(numbers + 1.0) / np.log(2)

    def log_star(self, n: NDArray[np.int64]) -> NDArray[np.float64]:
        """Look up the universal code length."""
        return np.asarray(self._star[n])

    def log2_binomial(self, n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
        """Look up the bits that it takes to name k of n; all k are within 0..n here."""
        return np.asarray(self._factorial[n] - self._factorial[k] - self._factorial[n - k])


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

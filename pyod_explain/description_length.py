"""Description length: the bits of the paper's MDL formula for each group, and of all outliers as one set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from pyod_explain._arrays import FloatArray, IntArray
from pyod_explain.coverage import Coverage
from pyod_explain.tags import log2_binomial, log_star

LARGEST_TABLE = 2**18  # numbers whose code lengths are computed in a few milliseconds
SMALL = 2**12  # numbers that are looked up where there are more; larger ones need one term of Stirling's series


def mdl_of_group(cov: Coverage, group: int, tags: Sequence[int]) -> float:
    """Bits that tell a group's outliers to somebody who has the table, by way of these tags."""
    covered, size, n_rows = cov.outliers_with(tags), int(cov.group_sizes[group]), cov.n_normals + cov.n_outliers
    own = int(cov.count_group(covered[cov.slices[group]], group))
    normals, foreign = int(cov.count_normals(cov.normals_with(tags))), int(cov.count_outliers(covered)) - own
    exceptions = group_bits(missed=size - own, normals=normals, foreign=foreign, size=size, n_rows=n_rows)
    return float(tag_bits(cov, tags).sum()) + float(exceptions)


def mdl_empty(cov: Coverage) -> float:
    """Bits of the empty description: every outlier is named one by one."""
    return sum(mdl_of_group(cov, k, ()) for k in range(cov.n_groups))


def named_bits(cov: Coverage) -> float:
    """Bits that name the outliers one by one, as one set, whatever their groups."""
    return set_bits(cov, ())


def set_bits(cov: Coverage, chosen: Sequence[Sequence[int]]) -> float:
    """Bits that tell *which rows are outliers* to somebody who has the table: all rules, and what they get wrong.

    Unlike the paper's MDL, which adds up the groups, this does not count a split of the outliers as something to
    tell, so descriptions of different splits compare, and none is credited with describing its own split.

    Parameters
    ----------
    cov : which row has which tag.
    chosen : for each group the positions of its tags.
    """
    used = sorted({j for one in chosen for j in one})
    missed = cov.n_outliers - int(cov.count_outliers(cov.outliers_with(used)))
    normals, n_rows = int(cov.count_normals(cov.normals_with(used))), cov.n_normals + cov.n_outliers
    wrong = group_bits(missed=missed, normals=normals, foreign=0, size=cov.n_outliers, n_rows=n_rows)
    return float(tag_bits(cov, used).sum() + wrong)


def grouped_bits(cov: Coverage, chosen: Sequence[Sequence[int]]) -> float:
    """Bits that tell *which rows are of which group*, added up over the groups.

    Parameters
    ----------
    cov, chosen : as for `set_bits`.
    """
    return sum(mdl_of_group(cov, k, one) for k, one in enumerate(chosen))


def tag_bits(cov: Coverage, tags: Sequence[int] | None = None) -> FloatArray:
    """Bits that it takes to send each tag (of these): its price, or what the paper's formula says where it has none.

    That is its length, which features, and one bit for each one's value.
    """
    which = slice(None) if tags is None else list(tags)
    if cov.prices is not None:
        return cov.prices[which]
    lengths = cov.lengths[which]
    return np.asarray(log_star(lengths) + log2_binomial(cov.n_items, lengths) + lengths)


def group_bits(
    *,
    missed: ArrayLike,
    normals: ArrayLike,
    foreign: ArrayLike,
    size: ArrayLike,
    n_rows: ArrayLike,
    table: CodeTable | None = None,
) -> FloatArray:
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
    bits = np.asarray(star(v) + binomial(outside, v) + star(u) + binomial(covered, u))
    return bits + star(z) + binomial(covered, z) if z.any() else bits


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

    def log_star(self, n: IntArray) -> FloatArray:
        """Give the universal code length."""
        return np.asarray(self._star[n] if self._whole else self._beyond(n, self._star, log_star))

    def log2_binomial(self, n: IntArray, k: IntArray) -> FloatArray:
        """Give the bits that it takes to name k of n; all k are within 0..n here."""
        return np.asarray(self._log2_factorial(n) - self._log2_factorial(k) - self._log2_factorial(n - k))

    def _log2_factorial(self, n: IntArray) -> FloatArray:
        return np.asarray(self._factorial[n] if self._whole else self._beyond(n, self._factorial, _stirling))

    @staticmethod
    def _beyond(n: IntArray, table: FloatArray, formula: Callable[[Any], FloatArray]) -> FloatArray:
        """Look small numbers up, and compute the others."""
        result = table[np.minimum(n, SMALL - 1)]
        large = n >= SMALL
        return np.where(large, formula(np.maximum(n, SMALL)), result) if np.any(large) else result


def _stirling(n: IntArray) -> FloatArray:
    """Logarithm of the factorial of large numbers, to the base 2."""
    x = n.astype(np.float64)
    nats = (x + 0.5) * np.log(x) - x + 0.5 * np.log(2 * np.pi) + 1 / (12 * x)
    return np.asarray(nats / np.log(2))

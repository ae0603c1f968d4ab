"""`robust_scale`: the middle of some numbers and a typical difference between them, whatever their extremes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["robust_scale"]

QUARTILES = (0.25, 0.5, 0.75)
REPEATED = 100_000  # numbers, up to which copies are written out: the result is the same to the last digit
QUARTILES_APART = 1.349  # of a normal distribution, in standard deviations


def robust_scale(numbers: NDArray[np.float64], copies: NDArray[np.int64] | None = None) -> tuple[float, float]:
    """Give the median, and by the quartiles what would be the standard deviation of normally distributed numbers.

    Where the quartiles are equal it is the standard deviation itself, and 1 where all numbers are.

    Parameters
    ----------
    numbers : at least one, none missing, and no two so far apart that their difference is infinite.
    copies : how often each of them counts; once if None.

    Examples
    --------
    >>> robust_scale(np.array([0.0, 0.0, 0.0, 0.0, 1000.0])), robust_scale(np.array([7.0, 7.0]))
    ((0.0, 400.0), (7.0, 1.0))
    """
    if copies is not None and copies.sum() <= REPEATED:
        numbers, copies = np.repeat(numbers, copies), None
    if copies is None:
        low, middle, high = np.quantile(numbers, QUARTILES)
        # Sorted, for a sum of floats depends on their order.
        scale = float(high - low) / QUARTILES_APART or _deviation(np.sort(numbers)) or 1.0
        return float(middle), scale
    order = np.argsort(numbers, kind="stable")
    ordered, ends = numbers[order], np.cumsum(copies[order])
    low, middle, high = (_quantile(ordered, ends, q) for q in QUARTILES)
    scale = (high - low) / QUARTILES_APART or _deviation(ordered, copies[order]) or 1.0
    return middle, scale


def _quantile(ordered: NDArray[np.float64], ends: NDArray[np.int64], q: float) -> float:
    """Give what `np.quantile` gives for numbers that are repeated, up to so many in all after each."""
    place = q * (int(ends[-1]) - 1)
    below = int(place)
    at = np.searchsorted(ends, [below, min(below + 1, int(ends[-1]) - 1)], side="right")
    return float(np.quantile(ordered[at], place - below))


def _deviation(ordered: NDArray[np.float64], copies: NDArray[np.int64] | None = None) -> float:
    """Give the standard deviation; 0 where all are equal, though their mean may be another number by its last digit."""
    if ordered[0] == ordered[-1]:
        return 0.0
    if copies is None:
        return float(np.std(ordered))
    middle = np.average(ordered, weights=copies)
    return float(np.sqrt(np.average((ordered - middle) ** 2, weights=copies)))

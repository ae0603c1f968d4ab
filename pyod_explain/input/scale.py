"""`robust_scale`: the middle of some numbers and a typical difference between them, whatever their extremes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["robust_scale"]

QUARTILES_APART = 1.349  # of a normal distribution, in standard deviations


def robust_scale(numbers: NDArray[np.float64]) -> tuple[float, float]:
    """Give the median, and by the quartiles what would be the standard deviation of normally distributed numbers.

    Where the quartiles are equal it is the standard deviation itself, and 1 where all numbers are.

    Parameters
    ----------
    numbers : at least one, none missing, and no two so far apart that their difference is infinite.

    Examples
    --------
    >>> robust_scale(np.array([0.0, 0.0, 0.0, 0.0, 1000.0])), robust_scale(np.array([7.0, 7.0]))
    ((0.0, 400.0), (7.0, 1.0))
    """
    low, middle, high = np.quantile(numbers, [0.25, 0.5, 0.75])
    # Sorted, for a sum of floats depends on their order.
    scale = float(high - low) / QUARTILES_APART or float(np.std(np.sort(numbers))) or 1.0
    return float(middle), scale

"""What a bound proves: the values that an objective can take, and how near a bound must come to one of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyod_explain.solvers.scale import common_step

__all__ = ["LP_ERROR", "ROUNDING", "cheapest_row", "settle", "step_of"]

Floats = NDArray[np.float64]

LP_ERROR = 1e-6  # of a bound: what HiGHS proves may be off by so much
PROVED = 2e-8  # of a value: a bound that is nearer proves it, to the precision of the solvers, ...
ONE_ROW = 0.1  # ... where that is less than this part of the cheapest row, for a cheaper selection differs in rows
ROUNDING = 2.0**-51  # of a value: a smaller difference is none, since sums of scaled weights are exact


def step_of(costs: Floats) -> float:
    """Return the largest number of which every sum of these costs is a multiple; 0 if there is none to speak of.

    >>> step_of(np.array([3.0, 7.5, 0.0])), step_of(np.array([1.0, np.pi]))
    (1.5, 0.0)
    """
    return common_step(costs[costs > 0])


def settle(bound: float, objective: float, step: float, row: float = np.inf) -> float:
    """Round a bound up to the next value that the objective can take, but not above one that is attained.

    A bound counts only as far as the error of what proved it cannot explain it: 50,000.005 proves 50,000, not 50,001.
    Where the objective has no step, a bound proves it that is equal to the precision of the solvers; but not if that
    leaves room for another row: next to losses of 10**12, selections that cover a few normals more are not equal.

    Parameters
    ----------
    step : the objective is a multiple of it; 0 if unknown.
    row : cost of the cheapest row.

    Examples
    --------
    >>> settle(12.2, 20.0, 1.0), settle(19.4, 20.0, 1.0), settle(12.2, 20.0, 0.0), settle(50000.005, 50001.0, 1.0)
    (13.0, 20.0, 12.2, 50000.0)
    >>> settle(1e12, 1e12 + 20.0, 0.0) == 1e12 + 20.0, settle(1e12, 1e12 + 20.0, 0.0, row=1.0) == 1e12
    (True, True)
    """
    if not np.isfinite(objective):
        return bound
    gap = objective - bound
    if gap <= ROUNDING * abs(objective):
        return objective
    if step > 0:
        return min(float(np.ceil((bound - LP_ERROR * abs(bound)) / step - LP_ERROR)) * step + 0.0, objective)  # no -0.0
    return objective if gap <= min(PROVED * abs(objective), ONE_ROW * row) else bound


def cheapest_row(costs: Floats) -> float:
    """Return the least cost above 0; infinite if there is none."""
    return float(costs[costs > 0].min(initial=np.inf))

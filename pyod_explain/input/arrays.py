"""`plain_array`: a numpy array of anything array-like."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["plain_array"]


def plain_array(values: Any) -> NDArray[Any]:
    """Give a numpy array of anything array-like; tensors are taken off their graph and device first."""
    for step in ("detach", "cpu"):
        values = getattr(values, step)() if hasattr(values, step) else values
    return np.asarray(values)

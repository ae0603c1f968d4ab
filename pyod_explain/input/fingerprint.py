"""The mark of a detector's labels, by which a later fit is noticed."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from pyod_explain.input.arrays import plain_array

__all__ = ["fingerprint"]


def fingerprint(labels: Any) -> str:
    """Give a short text that changes when any label changes: how a refit is noticed.

    >>> fingerprint([0, 1, 0]) == fingerprint(np.array([0, 1, 0], dtype=np.uint8)) != fingerprint([0, 0, 1])
    True
    """
    values = np.ascontiguousarray(plain_array(labels)).astype(np.int8)
    return hashlib.sha256(values.tobytes()).hexdigest()[:16]

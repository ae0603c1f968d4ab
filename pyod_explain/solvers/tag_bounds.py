"""What a sharing of costs proves about single tags: the least cost of selections without one, or with it."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from pyod_explain.solvers.cost_sharing import CostSharing, Proof

__all__ = ["with_each", "without_each"]

Floats = NDArray[np.float64]


def without_each(sharing: CostSharing, proof: Proof) -> Floats:
    """Bound the selections without each tag: those for whom it is the cheapest pick take their second best."""
    cheapest, payers = proof.prices.argmin(axis=0), np.arange(len(sharing.payers))
    others = proof.prices.copy()
    others[cheapest, payers] = np.inf
    rise = np.minimum(others.min(axis=0), proof.own) - proof.least
    took = proof.prices[cheapest, payers] < proof.own
    more = np.bincount(cheapest[took], weights=rise[took], minlength=len(sharing.tags))
    return np.asarray(proof.bound + more * (1 - 2 * sharing.safety))


def with_each(sharing: CostSharing, proof: Proof, end: float) -> Floats:
    """Bound the selections that use each tag for each group: groups by tags, infinite where that is not allowed.

    All resources of the tag are paid. Each outlier that it does not cover pays at least its least price, minus its
    shares in these resources, minus its part of what they are tolled for. Past the end, on the clock of
    `time.perf_counter`, what is proved of all selections stands for the rest.
    """
    base = sharing.base
    if sharing.price is not None and sharing.left is not None and proof.shares.price is not None:
        base -= float(proof.shares.price @ sharing.left)
    result = np.where(sharing.allowed, proof.bound, np.inf)
    less, more = np.float32(1 - sharing.safety), np.float32(1 + sharing.safety)
    tolls, split = proof.shares.tolls, proof.shares.split
    for k in np.flatnonzero(sharing.allowed.any(axis=1)):
        if time.perf_counter() > end:
            break
        at = np.flatnonzero(sharing.allowed[k])
        used_by = sharing.used_by[at] * sharing.costs_group[k]
        freed = used_by @ proof.shares.of_payers
        if tolls is not None and split is not None:
            freed += ((used_by @ tolls)[:, :, None] * split).max(axis=1)
        rest = np.maximum(proof.least * less - freed * more, 0) * ~sharing.covers[at]
        total = (used_by @ proof.cost).astype(np.float64) + rest.sum(axis=1)
        result[k, at] = base + total * (1 - sharing.safety)
    return result

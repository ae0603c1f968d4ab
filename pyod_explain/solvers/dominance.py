"""Dominance: which tags are of no use to a group because another one does at least as much for at most as much."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, count_bits
from pyod_explain.solvers.deadline import NEVER, Deadline
from pyod_explain.solvers.limits import LIMITS, Limits

__all__ = ["undominated"]

Index = NDArray[np.intp]

FIRST_WORDS = 4  # of two tags, which mostly differ there already


def undominated(
    own: Words,
    foreign: Words,
    normals: Words,
    *,
    n_normals: NDArray[np.int64] | None = None,
    deadline: Deadline = NEVER,
    limits: Limits = LIMITS,
) -> NDArray[np.bool_]:
    """Tell which tags (rows of bits) no other one dominates; of equal tags the first stays.

    Tag i dominates j for a group if it covers at least j's outliers of it, at most j's normals and at most j's
    outliers of other groups. Why j is then dispensable: if i describes no group, put it in j's place; if it describes
    this one, drop j; if it describes another, all of i's outliers of the group are lost, j's among them: drop j. No
    step covers another normal, loses another outlier or lengthens a description.

    Note that "its normals cost more than its outliers are worth" is *not* a reason to drop a tag here: normals count
    once over the union, and another tag may have paid for them already.

    Parameters
    ----------
    own, foreign, normals : packed bits by tags: outliers of the group, those of other groups, and normal rows.
    n_normals : how many normal rows each tag has, where that is known.
    deadline : past it, tags that were not looked at yet are kept.

    Examples
    --------
    Tag 1 covers less of the group than tag 0 and one normal more:

    >>> bits = [np.array([[one], [other]], dtype=np.uint64) for one, other in ((0b11, 0b10), (0, 0), (0b0, 0b1))]
    >>> undominated(*bits).tolist()
    [True, False]
    """
    n_own, n_foreign = count_bits(own), count_bits(foreign)
    n_normals = count_bits(normals) if n_normals is None else n_normals
    # In this order a tag comes after all that dominate it; what dominates a tag dominates all that this one does.
    order = np.lexsort((np.arange(len(own)), n_foreign, n_normals, -n_own))
    keep = np.ones(len(own), dtype=bool)
    kept, place = order[:0], 0
    while place < len(order) and not deadline.passed:
        # As many as make so many pairs with those that were kept and with one another.
        size = (np.sqrt(len(kept) ** 2 + 4 * limits.compared) - len(kept)) / 2
        block = order[place : place + max(int(size), 1)]
        place += len(block)
        rivals = np.r_[kept, block]
        earlier = np.arange(len(rivals)) < len(kept) + np.arange(len(block))[:, None]
        cheaper = (n_normals[rivals] <= n_normals[block, None]) & (n_foreign[rivals] <= n_foreign[block, None])
        at, rival = np.nonzero(earlier & cheaper)
        tag, rival = block[at], rivals[rival]
        tag, rival = _contained(own, tag, rival, limits)
        rival, tag = _contained(foreign, rival, tag, limits)
        rival, tag = _contained(normals, rival, tag, limits)
        keep[tag] = False
        kept = np.r_[kept, block[keep[block]]]
    return keep


def _contained(bits: Words, inner: Index, outer: Index, limits: Limits) -> tuple[Index, Index]:
    """Keep the pairs of tags in which all bits of the first are bits of the second."""
    for words in (bits[:, :FIRST_WORDS], bits[:, FIRST_WORDS:]):
        size = max(limits.compared_words // max(words.shape[1], 1), 1)
        parts = [slice(start, start + size) for start in range(0, len(inner), size)]
        within = [~(words[inner[part]] & ~words[outer[part]]).any(axis=1) for part in parts]
        which = np.concatenate([np.zeros(0, dtype=bool), *within])
        inner, outer = inner[which], outer[which]
    return inner, outer

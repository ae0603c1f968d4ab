"""The order in which the rules of a group are told: the next is the one that adds most to those above it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyod_explain.coverage import Coverage
from pyod_explain.tags import Tag

__all__ = ["by_what_they_add"]


def by_what_they_add(
    coverage: Coverage, group: int, chosen: Sequence[int], tags: Sequence[Tag]
) -> list[tuple[int, int]]:
    """Order the tags of a group: each with the number of outliers of the group that no tag above it has.

    Of tags that add as many, the one that adds fewer normals comes first, then the shorter one, then by text. The order
    is the same whichever solver chose them, and in whatever order.

    Parameters
    ----------
    coverage : which row has which tag.
    group : 0-based.
    chosen : the tags that describe the group.
    tags : all tags.

    Examples
    --------
    The second tag has two outliers of the group, one of which the first has:

    >>> from pyod_explain import Condition
    >>> coverage = Coverage.from_sets([{1, 2}, {2, 3, 4}], groups=[{1, 2, 3, 4}], n_rows=9)
    >>> by_what_they_add(coverage, 0, [0, 1], [Tag.of(Condition("x", "==", v)) for v in "ab"])
    [(1, 3), (0, 1)]
    """
    left = list(chosen)
    plainness = {j: (len(tags[j]), str(tags[j])) for j in chosen}
    own = coverage.outlier_bits[:, coverage.slices[group]]
    covered = np.zeros(own.shape[1], dtype=np.uint64)
    result: list[tuple[int, int]] = []
    while left:
        added = coverage.count_group(own[left] & ~covered, group)
        best = [left[i] for i in np.flatnonzero(added == added.max())]
        if len(best) > 1:
            told = coverage.normals_with(j for j, _ in result)
            new = dict(zip(best, coverage.count_normals(coverage.normal_bits[best] & ~told).tolist(), strict=True))
            best.sort(key=lambda j: (new[j], *plainness[j]))
        result.append((best[0], int(added.max())))
        covered |= own[best[0]]
        left.remove(best[0])
    return result

"""DTDM: the shortest descriptions that cover every group and share no tag; what else they cover plays no part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage
from pyod_explain.explainers.fewest import FewestTags

__all__ = ["DTDM"]


class DTDM(FewestTags):
    """Cover each group with its own tags, as few as possible in all; purity is ignored (the paper's baseline).

    Parameters
    ----------
    solver : `"exact"` proves the number of tags minimal, unless stopped by the time limit; `"greedy"` takes the tag
        that covers most of a group, again and again, and may miss that there is a choice.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it; 0 switches the rule off (the paper).
    time_limit : seconds for the exact solver; 60 by default.

    Examples
    --------
    Tag 0 would do for either group, but can describe only one:

    >>> cov = Coverage.from_dense([[1, 1], [1, 0], [1, 0]], [1, 2, 2])
    >>> DTDM().select(cov).tags
    ((1,), (0,))
    """

    def _usable(self, coverage: Coverage) -> NDArray[np.bool_]:
        return np.ones((coverage.n_groups, coverage.n_tags), dtype=bool)

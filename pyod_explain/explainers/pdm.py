"""PDM: the fewest tags that cover every outlier and nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage
from pyod_explain.explainers.fewest import FewestTags

__all__ = ["PDM"]


class PDM(FewestTags):
    """Cover every outlier by its own group's description, with as few tags as possible and no other row covered.

    Purity leaves each group its own tags (those that cover no normal and no outlier of another group), so groups are
    described one by one. If an outlier has no such tag, there is no description: `InfeasibleError`, whose `rows` are
    the outliers in question.

    Parameters
    ----------
    solver : `"exact"` proves the number of tags minimal, unless stopped by the time limit; `"greedy"` takes the tag
        that covers most, again and again.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it; 0 switches the rule off (the paper).
    time_limit : seconds for the exact solver; 60 by default.

    Examples
    --------
    Two tags cover nothing but outliers; the third covers all of them, but a normal row as well:

    >>> cov = Coverage.from_dense([[1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]], [1, 1, 1, 0, 0])
    >>> PDM().select(cov).tags
    ((0, 1),)
    """

    lacking = "pure tag (of this group's outliers alone)"

    def _usable(self, coverage: Coverage) -> NDArray[np.bool_]:
        counts = coverage.group_counts
        return np.asarray((coverage.normal_counts == 0) & (counts.sum(axis=0) == counts))

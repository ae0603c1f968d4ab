"""PDM: the fewest tags that cover every outlier and nothing else."""

from __future__ import annotations

import numpy as np

from pyod_explain._validate import check_choice
from pyod_explain.coverage import Coverage
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.infeasible import uncoverable
from pyod_explain.explainers.program import check_time_limit
from pyod_explain.explainers.selection import Selection
from pyod_explain.explainers.set_cover import fewest_tags, greedy_cover, uncovered_rows

__all__ = ["PDM"]


class PDM(Explainer):
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

    def __init__(self, *, solver: str = "exact", min_lift: float = 0.0, time_limit: float | None = None) -> None:
        self.solver = solver
        self.min_lift = min_lift
        self.time_limit = time_limit

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        eligible = self._eligible(coverage)
        check_choice("PDM", "solver", self.solver, among=("greedy", "exact"))
        seconds = check_time_limit("PDM", self.time_limit)
        counts = coverage.group_counts
        pure = (coverage.normal_counts == 0) & (counts.sum(axis=0) == counts)
        pairs = eligible & pure & (counts > 0)
        for k in range(coverage.n_groups):
            if len(rows := uncovered_rows(coverage, pairs, k)):
                raise uncoverable(
                    k, rows.tolist(), int(coverage.group_sizes[k]), "pure tag (of this group's outliers alone)"
                )
        # A pure tag is of use to one group only, so it is there when it is needed: greedy finds a cover.
        tags, bound = greedy_cover(coverage, pairs) or [], None
        if self.solver == "exact":
            solved = fewest_tags(coverage, pairs, tags, seconds)
            tags, bound = solved.tags or tags, solved.bound
        number = float(sum(map(len, tags)))
        return Selection(
            tuple(tuple(chosen) for chosen in tags),
            number,
            "optimal" if bound is not None and bound >= number else "feasible",
            bound if bound is None else float(np.minimum(bound, number)),
            method="PDM",
            solver=self.solver,
        )

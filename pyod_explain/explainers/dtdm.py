"""DTDM: the shortest descriptions that cover every group and share no tag; what else they cover plays no part."""

from __future__ import annotations

import numpy as np

from pyod_explain._validate import check_choice
from pyod_explain.coverage import Coverage
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.infeasible import UncoverableError, uncoverable
from pyod_explain.explainers.program import check_time_limit
from pyod_explain.explainers.selection import Selection
from pyod_explain.explainers.set_cover import fewest_tags, greedy_cover, uncovered_rows

__all__ = ["DTDM"]


class DTDM(Explainer):
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

    def __init__(self, *, solver: str = "exact", min_lift: float = 0.0, time_limit: float | None = None) -> None:
        self.solver = solver
        self.min_lift = min_lift
        self.time_limit = time_limit

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        eligible = self._eligible(coverage)
        check_choice("DTDM", "solver", self.solver, among=("greedy", "exact"))
        seconds = check_time_limit("DTDM", self.time_limit)
        pairs = eligible & (coverage.group_counts > 0)
        for k in range(coverage.n_groups):
            if len(rows := uncovered_rows(coverage, pairs, k)):
                raise uncoverable(k, rows.tolist(), int(coverage.group_sizes[k]), "tag")
        tags, bound = greedy_cover(coverage, pairs), None
        if self.solver == "exact":
            solved = fewest_tags(coverage, pairs, tags, seconds)
            tags, bound = solved.tags, solved.bound
        if tags is None:
            raise _no_disjoint_choice(proved=bound == np.inf)
        number = float(sum(map(len, tags)))
        return Selection(
            tuple(tuple(chosen) for chosen in tags),
            number,
            "optimal" if bound is not None and bound >= number else "feasible",
            bound if bound is None else float(np.minimum(bound, number)),
            method="DTDM",
            solver=self.solver,
        )


def _no_disjoint_choice(*, proved: bool) -> UncoverableError:
    verdict = "there are no descriptions that cover" if proved else "no descriptions were found that cover"
    way_out = "" if proved else ", raise `time_limit`, or use `solver='exact'`"
    return UncoverableError(
        f"Groups need the same tags: {verdict} each group without sharing a tag, though each alone can be covered.\n"
        f"Hint: add tags, or use WCCM, which may leave outliers uncovered{way_out}.",
        proved=proved,
    )

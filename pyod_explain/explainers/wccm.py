"""WCCM: weighted cross coverage minimisation, and its form for several groups, D-WCCM."""

from __future__ import annotations

from collections.abc import Sequence

from pyod_explain._validate import check_choice, per_group
from pyod_explain.coverage import Coverage
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.greedy import greedy_weighted
from pyod_explain.explainers.problem import WeightedCover
from pyod_explain.explainers.selection import Selection

__all__ = ["WCCM"]


class WCCM(Explainer):
    """Cover each group with tags; a lost outlier costs `weight` (λ), a covered normal row costs 1.

    An outlier is lost if no tag of its own group covers it, or a tag of another group does. With several groups this
    is the paper's D-WCCM.

    Parameters
    ----------
    weight : cost of a lost outlier, above 0: a number, or one per group.
    solver : `"greedy"` is the paper's Algorithm 1.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it; 0 switches the rule off (the paper).

    Examples
    --------
    >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> WCCM(weight=2.0).select(cov).tags
    ((0,),)
    """

    def __init__(self, *, weight: float | Sequence[float] = 10.0, solver: str = "greedy", min_lift: float = 0.0) -> None:
        self.weight = weight
        self.solver = solver
        self.min_lift = min_lift

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        eligible = self._eligible(coverage)
        check_choice("WCCM", "solver", self.solver, among=("greedy",))
        weight = per_group("WCCM", "weight", self.weight, coverage.n_groups, low=0.0, open_low=True)
        problem = WeightedCover(coverage, eligible, weight)
        tags = tuple(tuple(chosen) for chosen in greedy_weighted(problem))
        return Selection(tags, problem.objective(tags), "feasible", method="WCCM", solver=self.solver)

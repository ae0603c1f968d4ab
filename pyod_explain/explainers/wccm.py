"""WCCM: weighted cross coverage minimisation, and its form for several groups, D-WCCM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from sklearn.base import clone

from pyod_explain._validate import check_choice, per_group
from pyod_explain.coverage import Coverage
from pyod_explain.explainers.base import Explainer, Selection, checked_selection
from pyod_explain.explainers.objective import MarginalObjective, WeightedObjective
from pyod_explain.solvers import (
    EXACT_SECONDS,
    NEVER,
    Chosen,
    Deadline,
    WeightedCover,
    greedy_weighted,
    refine_weighted,
    solve_weighted,
)

__all__ = ["WCCM"]


class WCCM(Explainer):
    """Cover each group with tags; a lost outlier costs `weight` (λ), a covered normal row costs 1.

    An outlier is lost if no tag of its own group covers it, or a tag of another group does. With several groups this
    is the paper's D-WCCM.

    Parameters
    ----------
    weight : cost of a lost outlier, above 0: a number, or one per group.
    solver : `"greedy"` is the paper's Algorithm 1; `"refined"` improves its result by local search; `"exact"` solves a
        mixed-integer program (HiGHS): the optimum, or the best selection found with a lower bound.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it; 0 switches the rule off (the paper).
    time_limit : seconds that `select` may take (the greedy search takes milliseconds and ignores it). By default 60
        for the exact solver, and no limit for the others.

    Examples
    --------
    >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> WCCM(weight=2.0).select(cov).tags
    ((0,),)
    >>> best = WCCM(weight=2.0, solver="exact").select(cov)
    >>> best.status, best.objective, best.gap
    ('optimal', 0.0, 0.0)
    """

    supports_growth: ClassVar[bool] = True

    def __init__(
        self,
        *,
        weight: float | Sequence[float] = 10.0,
        solver: str = "refined",
        min_lift: float = 0.0,
        time_limit: float | None = None,
    ) -> None:
        self.weight = weight
        self.solver = solver
        self.min_lift = min_lift
        self.time_limit = time_limit

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        check_choice("WCCM", "solver", self.solver, among=("greedy", "refined", "exact"))
        exact = self.solver == "exact"
        deadline = Deadline.of("WCCM", self.time_limit, EXACT_SECONDS if exact else np.inf)
        problem = self._problem(coverage)
        search = NEVER if self.solver == "greedy" else deadline.part(0.5) if exact else deadline
        start = greedy_weighted(problem, search)
        tags: Chosen = start if self.solver == "greedy" else refine_weighted(problem, start, search)
        bound = None
        if exact:
            solved = solve_weighted(problem, tags, deadline)
            tags, bound = solved.tags or tags, solved.bound
        broken = problem.broken_rules(tags)
        return checked_selection(tags, problem.objective(tags), bound, broken=broken, method="WCCM", solver=self.solver)

    def heuristic(self) -> WCCM:
        """Return it with the local search, which proves nothing."""
        return self if self.solver == "refined" else clone(self).set_params(solver="refined")

    def marginal_objective(self, coverage: Coverage, chosen: Chosen, group: int) -> MarginalObjective:
        """Tell what one more tag would make of the covered normals and the lost outliers."""
        return WeightedObjective(self._problem(coverage), chosen, group)

    def _problem(self, coverage: Coverage) -> WeightedCover:
        eligible = self._eligible(coverage)
        weight = per_group("WCCM", "weight", self.weight, coverage.n_groups, low=0.0, open_low=True)
        return WeightedCover(coverage, eligible, weight)

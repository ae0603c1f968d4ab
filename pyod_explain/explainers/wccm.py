"""WCCM: weighted cross coverage minimisation, and its form for several groups, D-WCCM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sklearn.base import clone

from pyod_explain._validate import check_choice, per_group
from pyod_explain.coverage import Coverage
from pyod_explain.explainers.aim import Aim, WeightAim
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.gate import let_out
from pyod_explain.explainers.selection import Selection
from pyod_explain.solvers import (
    Chosen,
    Clock,
    WeightedCover,
    greedy_weighted,
    reduced_in_time,
    refine_weighted,
    scale_weighted,
    solve_weighted,
    weighted_bound,
)

__all__ = ["WCCM"]


class WCCM(Explainer):
    """Cover each group with tags; a lost outlier costs `weight` (λ), a covered normal row costs 1.

    An outlier is lost if no tag of its own group covers it, or a tag of another group does. With several groups this
    is the paper's D-WCCM.

    Parameters
    ----------
    weight : cost of a lost outlier, above 0: a number, or one per group.
    solver : `"greedy"` is the paper's Algorithm 1; `"refined"` improves its result by local search; `"exact"` proves
        the optimum, or says how near to it the best selection found is.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it; 0 switches the rule off (the paper).
    time_limit : seconds that `select` may take, whatever it does (but for the paper's greedy search, which takes
        milliseconds). By default 60 for the exact solver, 10 for `bound`, and no limit else.
    bound : also prove a lower bound for a greedy or refined selection, so that its `gap` says how much better any
        selection can be; the exact solver always does.

    Examples
    --------
    >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> WCCM(weight=2.0).select(cov).tags
    ((0,),)
    >>> best = WCCM(weight=2.0, solver="exact").select(cov)
    >>> best.status, best.objective, best.gap
    ('optimal', 0.0, 0.0)
    """

    weighs: ClassVar[bool | None] = True
    grows: ClassVar[bool] = True

    def __init__(
        self,
        *,
        weight: float | Sequence[float] = 10.0,
        solver: str = "refined",
        min_lift: float = 0.0,
        time_limit: float | None = None,
        bound: bool = False,
    ) -> None:
        self.weight = weight
        self.solver = solver
        self.min_lift = min_lift
        self.time_limit = time_limit
        self.bound = bound

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        clock = Clock.of("WCCM", self.time_limit, exact=self.solver == "exact")
        check_choice("WCCM", "solver", self.solver, among=("greedy", "refined", "exact"))
        scaled = scale_weighted(self._problem(coverage))
        tags, proved = self._solve(scaled.solved, clock)
        asked = scaled.asked
        return let_out(
            tags,
            asked.objective(tags),
            None if proved is None else scaled.bound(proved, tags),
            broken=asked.broken(tags),
            method="WCCM",
            solver=self.solver,
        )

    def without_proof(self) -> WCCM:
        """Return it with the local search, which proves nothing."""
        return (
            self
            if self.solver == "refined" and not self.bound
            else clone(self).set_params(solver="refined", bound=False)
        )

    def on_scale(self, coverage: Coverage) -> tuple[WCCM, Coverage]:
        """Scale the weights of rows to whole multiples, and `weight` by what that makes of a lost outlier."""
        solved = scale_weighted(self._problem(coverage)).solved
        return clone(self).set_params(weight=solved.weight.tolist()), solved.coverage

    def aim(self, coverage: Coverage, chosen: Chosen, group: int) -> Aim:
        """Tell what one more tag would make of the covered normals and the lost outliers."""
        return WeightAim(self._problem(coverage), chosen, group)

    def _problem(self, coverage: Coverage) -> WeightedCover:
        eligible = self._eligible(coverage)
        weight = per_group("WCCM", "weight", self.weight, coverage.n_groups, low=0.0, open_low=True)
        return WeightedCover(coverage, eligible, weight)

    def _solve(self, problem: WeightedCover, clock: Clock) -> tuple[Chosen, float | None]:
        """Choose the tags, and prove a lower bound of the objective if asked for."""
        if self.solver == "greedy":
            tags = greedy_weighted(problem)
        else:
            tags = refine_weighted(problem, greedy_weighted(problem, clock.search), clock.search)
        if self.solver != "exact" and not self.bound:
            return tags, None
        deadline = clock.proof()
        small = reduced_in_time(problem.coverage, problem.eligible, deadline, self.limits)
        if self.solver == "exact":
            solved = solve_weighted(problem, small, tags, deadline, self.limits)
            return solved.tags or tags, solved.bound
        return tags, weighted_bound(problem, small, tags, deadline, self.limits)

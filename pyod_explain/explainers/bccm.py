"""BCCM: budgeted cross coverage minimisation, and its form for several groups, D-BCCM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyod_explain._validate import check_choice, per_group
from pyod_explain.coverage import Coverage
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.bounds import budgeted_bound
from pyod_explain.explainers.exact import Solved, solve_budgeted
from pyod_explain.explainers.greedy import Stuck, greedy_budgeted
from pyod_explain.explainers.infeasible import Nearest, budget_error, nearest, relaxed
from pyod_explain.explainers.problem import BudgetedCover, Chosen
from pyod_explain.explainers.program import check_time_limit
from pyod_explain.explainers.refine import refine_budgeted
from pyod_explain.explainers.selection import Selection

__all__ = ["BCCM"]

BOUND_SECONDS = 10.0  # for `bound=True`, where no time limit is given
DIAGNOSIS_SECONDS = 1.0  # to find out which budgets would do


class BCCM(Explainer):
    """Cover all but a share of each group with at most so many tags and few normals.

    With several groups this is the paper's D-BCCM. If no selection meets the budgets, or none was found,
    `InfeasibleError` says for which group, what is reachable, which budgets would do, and whether that is proved.

    Parameters
    ----------
    max_tags : most tags a group may have (theta in the paper), at least 1: a number, or one per group.
    max_uncovered : largest share of a group that may be lost (rho in the paper), in [0, 1): a number, or one per group.
    solver : `"greedy"` is the paper's Algorithm 2; `"refined"` improves its result by local search, and repairs it
        where Algorithm 2 gives up or breaks a budget; `"exact"` proves the optimum, or says how near to it the
        best selection found is.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it; 0 switches the rule off (the paper).
    time_limit : seconds for the exact solver (60 by default) or for `bound` (10 by default).
    bound : also prove a lower bound for a greedy or refined selection, so that its `gap` says how much better any
        selection can be; the exact solver always does.
    relax : instead of raising `InfeasibleError`, raise `max_uncovered` by as little as was found to be needed, and say
        so in the selection's `notes`.

    Examples
    --------
    >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> BCCM(max_tags=1, max_uncovered=0.0).select(cov).tags
    ((0,),)

    No tag covers the second outlier:

    >>> cov = Coverage.from_dense([[1], [0], [0]], [1, 1, 0])
    >>> selection = BCCM(max_uncovered=0.1, relax=True).select(cov)
    >>> print(*selection.notes)
    `max_uncovered` of group 1 was raised from 0.10 to 0.50: no choice of tags meets the given budgets.
    """

    def __init__(
        self,
        *,
        max_tags: int | Sequence[int] = 5,
        max_uncovered: float | Sequence[float] = 0.2,
        solver: str = "refined",
        min_lift: float = 0.0,
        time_limit: float | None = None,
        bound: bool = False,
        relax: bool = False,
    ) -> None:
        self.max_tags = max_tags
        self.max_uncovered = max_uncovered
        self.solver = solver
        self.min_lift = min_lift
        self.time_limit = time_limit
        self.bound = bound
        self.relax = relax

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        problem, seconds = self._problem(coverage)
        found, stuck = self._search(problem)
        found, solved = self._solve(problem, found, seconds)
        if found is not None:
            return self._selection(problem, found, self._bound(problem, found, seconds, solved))
        near = nearest(problem, DIAGNOSIS_SECONDS, impossible=solved is not None and solved.infeasible)
        if near.feasible and self.solver != "greedy":
            found = refine_budgeted(problem, near.tags) or near.tags
            return self._selection(problem, found, self._bound(problem, found, seconds, solved))
        if self.relax:
            return self._relaxed(problem, near, seconds)
        raise budget_error(problem, near, DIAGNOSIS_SECONDS, stuck)

    def attempt(self, coverage: Coverage) -> Selection | None:
        """Choose the tags, or return None at once where the search finds none: nothing is proved by that."""
        problem, seconds = self._problem(coverage)
        found, _ = self._search(problem)
        if found is None:
            return None
        better, solved = self._solve(problem, found, seconds)
        return self._selection(problem, better, self._bound(problem, better, seconds, solved))

    def _problem(self, coverage: Coverage) -> tuple[BudgetedCover, float]:
        eligible = self._eligible(coverage)
        check_choice("BCCM", "solver", self.solver, among=("greedy", "refined", "exact"))
        n_groups = coverage.n_groups
        theta = per_group("BCCM", "max_tags", self.max_tags, n_groups, low=1, whole=True)
        rho = per_group("BCCM", "max_uncovered", self.max_uncovered, n_groups, low=0.0, high=1.0, open_high=True)
        default = 60.0 if self.solver == "exact" else BOUND_SECONDS
        seconds = check_time_limit("BCCM", self.time_limit, default=default)
        return BudgetedCover(coverage, eligible, theta, rho), seconds

    def _search(self, problem: BudgetedCover) -> tuple[Chosen | None, Stuck | None]:
        """Run Algorithm 2, and unless it alone was asked for improve or repair what it returns.

        Returns
        -------
        The selection, or None, and where Algorithm 2 gave up, if that is the reason.
        """
        found = greedy_budgeted(problem)
        start = None if isinstance(found, Stuck) else found
        if self.solver != "greedy":
            return refine_budgeted(problem, start), None
        return start, found if isinstance(found, Stuck) else None

    def _solve(self, problem: BudgetedCover, found: Chosen | None, seconds: float) -> tuple[Any, Solved | None]:
        """Solve further if asked for; the selection is None only if it was and none is found."""
        if self.solver != "exact":
            return found, None
        solved = solve_budgeted(problem, found, seconds)
        return found if solved.tags is None else solved.tags, solved

    def _bound(self, problem: BudgetedCover, tags: Chosen, seconds: float, solved: Solved | None) -> float | None:
        """Lower bound of the objective: what the exact solver proved, or one made for this selection if asked for."""
        if solved is not None:
            return solved.bound
        return budgeted_bound(problem, tags, seconds) if self.bound else None

    def _selection(
        self, problem: BudgetedCover, tags: Chosen, bound: float | None, notes: tuple[str, ...] = ()
    ) -> Selection:
        """Put it together, and say so where a budget is broken (Algorithm 2 only)."""
        excess = problem.excess(tags)
        lost = problem.coverage.weigh_lost(tags)
        broken = tuple(
            f"Group {k + 1} loses {lost[k]:g} outliers where `max_uncovered` allows {problem.allowed[k]:g}: "
            "other groups' tags cover some of those that its own tags cover."
            for k in range(len(tags))
            if excess[k]
        )
        objective = problem.objective(tags)
        best = bound is not None and bound >= objective and not broken
        return Selection(
            tuple(tuple(chosen) for chosen in tags),
            objective,
            "violated" if broken else "optimal" if best else "feasible",
            bound,
            method="BCCM",
            solver=self.solver,
            notes=notes + broken,
        )

    def _relaxed(self, problem: BudgetedCover, near: Nearest, seconds: float) -> Selection:
        """Answer with budgets that can be met: those that the nearest selection needs."""
        wider, notes = relaxed(problem, near)
        if not notes:
            notes = ("The paper's greedy search found nothing within the budgets; this selection was found otherwise.",)
        found, solved = self._solve(wider, refine_budgeted(wider, near.tags) or near.tags, seconds)
        return self._selection(wider, found, self._bound(wider, found, seconds, solved), notes)

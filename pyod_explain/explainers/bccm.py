"""BCCM: budgeted cross coverage minimisation, and its form for several groups, D-BCCM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from sklearn.base import clone

from pyod_explain._validate import check_choice, per_group
from pyod_explain.coverage import Coverage
from pyod_explain.explainers.aim import Aim, BudgetAim
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.gate import let_out
from pyod_explain.explainers.selection import Selection
from pyod_explain.solvers import (
    BudgetedCover,
    Chosen,
    Clock,
    Deadline,
    Nearest,
    Reduced,
    Scaled,
    Stuck,
    budget_error,
    budgeted_bound,
    greedy_budgeted,
    nearest,
    reduced_in_time,
    refine_budgeted,
    relaxed,
    scale_budgeted,
    solve_budgeted,
)

__all__ = ["BCCM"]


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
    time_limit : seconds that `select` may take, whatever it does (but for the paper's greedy search, which takes
        milliseconds). By default 60 for the exact solver, 10 for `bound`, and no limit else.
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
    `max_uncovered` of group 1 was raised from 0.1 to 0.5: no choice of tags meets the given budgets.
    """

    weighs: ClassVar[bool | None] = True
    grows: ClassVar[bool] = True

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
        scaled, clock = self._problem(coverage)
        tried = self._search(scaled.solved, clock)
        if tried.tags is not None:
            return self._selection(scaled, tried.tags, self._bound(scaled, tried, clock))
        near = nearest(scaled.solved, clock.diagnosis(), impossible=tried.bound == np.inf, limits=self.limits)
        if near.feasible and self.solver != "greedy":
            found = refine_budgeted(scaled.solved, near.tags, clock.diagnosis()) or near.tags
            tried = replace(tried, tags=found)
            return self._selection(scaled, found, self._bound(scaled, tried, clock))
        if self.relax:
            return self._relaxed(scaled, near, tried.small, clock)
        raise budget_error(scaled, near, clock.diagnosis(), tried.stuck, self.limits)

    def attempt(self, coverage: Coverage) -> Selection | None:
        """Choose the tags, or return None at once where the search finds none: nothing is proved by that."""
        scaled, clock = self._problem(coverage)
        tried = self._search(scaled.solved, clock, prove_none=False)
        return None if tried.tags is None else self._selection(scaled, tried.tags, self._bound(scaled, tried, clock))

    def _problem(self, coverage: Coverage) -> tuple[Scaled[BudgetedCover], Clock]:
        clock = Clock.of("BCCM", self.time_limit, exact=self.solver == "exact")
        check_choice("BCCM", "solver", self.solver, among=("greedy", "refined", "exact"))
        return scale_budgeted(self._asked(coverage)), clock

    def without_proof(self) -> BCCM:
        """Return it with the local search, which proves nothing."""
        return (
            self
            if self.solver == "refined" and not self.bound
            else clone(self).set_params(solver="refined", bound=False)
        )

    def on_scale(self, coverage: Coverage) -> tuple[BCCM, Coverage]:
        """Scale the weights of rows to whole multiples."""
        return self, scale_budgeted(self._asked(coverage)).solved.coverage

    def aim(self, coverage: Coverage, chosen: Chosen, group: int) -> Aim:
        """Tell what one more tag would make of the covered normals, the budgets first."""
        return BudgetAim(self._asked(coverage), chosen, group)

    def _asked(self, coverage: Coverage) -> BudgetedCover:
        eligible = self._eligible(coverage)
        n_groups = coverage.n_groups
        theta = per_group("BCCM", "max_tags", self.max_tags, n_groups, low=1, whole=True)
        rho = per_group("BCCM", "max_uncovered", self.max_uncovered, n_groups, low=0.0, high=1.0, open_high=True)
        return BudgetedCover(coverage, eligible, theta, rho)

    def _search(self, problem: BudgetedCover, clock: Clock, *, prove_none: bool = True) -> _Tried:
        """Run Algorithm 2; unless it alone was asked for improve or repair what it returns, and solve if asked for.

        With `prove_none`, the exact solver goes on where nothing was found: there may be nothing.
        """
        if self.solver == "greedy":
            found = greedy_budgeted(problem)
            return _Tried(None, stuck=found) if isinstance(found, Stuck) else _Tried(found)
        found = greedy_budgeted(problem, clock.search)
        best = refine_budgeted(problem, None if isinstance(found, Stuck) else found, clock.search)
        if self.solver != "exact" or (best is None and not prove_none):
            return _Tried(best)
        # Where nothing was found, some time is left for finding out why.
        deadline = clock.proof() if best is not None else clock.proof().part(0.7)
        small = reduced_in_time(problem.coverage, problem.eligible, deadline, self.limits)
        return self._solved(problem, small, best, deadline)

    def _solved(
        self, problem: BudgetedCover, small: Reduced | None, start: Chosen | None, deadline: Deadline
    ) -> _Tried:
        solved = solve_budgeted(problem, small, start, deadline, self.limits)
        return _Tried(start if solved.tags is None else solved.tags, bound=solved.bound, small=small)

    def _bound(self, scaled: Scaled[BudgetedCover], tried: _Tried, clock: Clock) -> float | None:
        """Lower bound of the objective: what the exact solver proved, or one made for this selection if asked for."""
        tags, bound = tried.tags, tried.bound
        if tags is None:
            return None
        if bound is None and self.bound:
            deadline = clock.proof()
            small = reduced_in_time(scaled.solved.coverage, scaled.solved.eligible, deadline, self.limits)
            bound = budgeted_bound(scaled.solved, small, tags, deadline, self.limits)
        # A proof that there is no selection is none once there is one.
        return None if bound is None or bound == np.inf else scaled.bound(bound, tags)

    def _selection(
        self, scaled: Scaled[BudgetedCover], tags: Chosen, bound: float | None, notes: tuple[str, ...] = ()
    ) -> Selection:
        """Put it together, and say so where a budget is broken: Algorithm 2 may, no other solver."""
        asked = scaled.asked
        lost = asked.broken_losses(tags)
        violated = lost if self.solver == "greedy" else []
        return let_out(
            tags,
            asked.objective(tags),
            None if violated and bound is not None and bound > asked.objective(tags) else bound,
            broken=asked.broken_but_for_losses(tags) or ([] if violated else lost),
            violated=violated,
            method="BCCM",
            solver=self.solver,
            notes=notes,
        )

    def _relaxed(self, scaled: Scaled[BudgetedCover], near: Nearest, small: Reduced | None, clock: Clock) -> Selection:
        """Answer with budgets that can be met: those that the nearest selection needs. Its rows are the same."""
        asked, notes = relaxed(scaled.asked, near)
        if not notes:
            notes = ("The paper's greedy search found nothing within the budgets; this selection was found otherwise.",)
        wider = scale_budgeted(asked)
        found = refine_budgeted(wider.solved, near.tags, clock.search) or near.tags
        tried = self._solved(wider.solved, small, found, clock.proof()) if self.solver == "exact" else _Tried(found)
        tags = found if tried.tags is None else tried.tags
        return self._selection(wider, tags, self._bound(wider, replace(tried, tags=tags), clock), notes)


@dataclass(frozen=True)
class _Tried:
    """What came of the search.

    Attributes
    ----------
    tags : the selection, or None.
    stuck : where Algorithm 2 gave up, if it alone was asked for and that is why there is none.
    bound : what the exact solver proved, if it was asked for: infinite if it is that there is no selection.
    small : the problem that it solved.
    """

    tags: Chosen | None
    stuck: Stuck | None = None
    bound: float | None = None
    small: Reduced | None = None

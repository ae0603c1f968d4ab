"""The `exact` solver: WCCM and BCCM by branch and bound or as mixed-integer programs, with a proof or an honest bound.

The order of work: reductions that change no best value; where tags are few, a search of all selections that can be
better (`branch`). Elsewhere a bound by cost sharing (`bounds`), which often proves the start optimal already; a linear
relaxation with the rows that the sharing found to matter, whose reduced costs exclude most tags; a small program over
the tags that the relaxation uses, for a better solution; then the whole program on what is left. Whatever happens, the
best selection found is returned with the highest bound proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.solvers.branch import branch_and_bound, within_reach, worth_looking_for
from pyod_explain.solvers.choice import Sharing, choice, parties_of, share_costs, time_to_share
from pyod_explain.solvers.cost_sharing import first_prices
from pyod_explain.solvers.cover_program import MIP_ERROR, Asked, CoverProgram, highs_cutoff
from pyod_explain.solvers.deadline import Deadline
from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.local_search import refine_budgeted, refine_weighted
from pyod_explain.solvers.milp import Relaxed
from pyod_explain.solvers.problem import BudgetedCover, Chosen, WeightedCover
from pyod_explain.solvers.proof import ROUNDING, cheapest_row, settle, step_of
from pyod_explain.solvers.reduce import Reduced

__all__ = ["Solved", "solve_budgeted", "solve_weighted"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Solved:
    """The best selection found (None: no feasible one is known) and what is proved about it.

    Attributes
    ----------
    tags : for each group its tags.
    bound : proved lower bound; infinite if it is proved that no selection is feasible.
    """

    tags: list[list[int]] | None
    bound: float

    @property
    def infeasible(self) -> bool:
        return self.bound == np.inf


def solve_weighted(
    problem: WeightedCover, small: Reduced | None, start: Chosen, deadline: Deadline, limits: Limits = LIMITS
) -> Solved:
    """Solve WCCM: the best selection found by the deadline, and a proved lower bound of the objective.

    Parameters
    ----------
    small : the problem reduced; None if there was no time for it.
    start : a selection to improve on.
    """
    if small is None:
        return Solved(_lists(start), 0.0)
    asked = choice(small, problem.weight, deadline, limits)
    search = _ExactSearch(
        asked=Asked(asked, asked.picks),
        problem=problem,
        improve=lambda tags: refine_weighted(problem, tags, deadline),
        deadline=deadline,
        best=_lists(start),
        step=step_of(np.r_[small.normal_mass, asked.loss, asked.fixed]),
        row=cheapest_row(np.r_[small.normal_mass, asked.loss]),
        limits=limits,
    )
    return search.run()


def solve_budgeted(
    problem: BudgetedCover, small: Reduced | None, start: Chosen | None, deadline: Deadline, limits: Limits = LIMITS
) -> Solved:
    """Solve BCCM: the best selection found by the deadline, if any, and a proved lower bound of the objective.

    Parameters
    ----------
    small : the problem reduced; None if there was no time for it.
    start : a selection to improve on, if one is known; one that breaks a budget is not.
    """
    feasible = None if start is None or problem.broken(start) else _lists(start)
    if small is None:
        return Solved(feasible, 0.0)
    room = problem.limit - small.hopeless
    if (room < 0).any():
        return Solved(None, np.inf)  # some group has too many outliers that no tag covers
    value = np.inf if feasible is None else problem.objective(feasible)
    asked = choice(small, first_prices(small, value), deadline, limits)
    search = _ExactSearch(
        # Not only the picks with the fewest resources: a tag that many can share saves tags, which are limited here.
        asked=Asked(asked, small.picks.T, problem.max_tags, room),
        problem=problem,
        improve=lambda tags: refine_budgeted(problem, tags, deadline),
        deadline=deadline,
        best=feasible,
        step=step_of(small.normal_mass),
        row=cheapest_row(small.normal_mass),
        limits=limits,
        allowed=problem.limit,
    )
    return search.run()


def _lists(tags: Chosen) -> list[list[int]]:
    return [[int(j) for j in chosen] for chosen in tags]


@dataclass
class _ExactSearch:
    """The best selection so far, what is proved, and the ways to more of both."""

    asked: Asked
    problem: WeightedCover | BudgetedCover
    improve: Callable[[list[list[int]]], list[list[int]] | None]
    deadline: Deadline
    best: list[list[int]] | None
    step: float  # the objective is a multiple of it; 0: unknown
    row: float  # cost of the cheapest row
    limits: Limits
    allowed: Floats | None = None  # BCCM only: weight that each group may lose
    bound: float = -np.inf

    @property
    def value(self) -> float:
        return np.inf if self.best is None else self.problem.objective(self.best)

    @property
    def fixed(self) -> float:
        return 0.0 if self.asked.room is not None else self.asked.choice.fixed

    @property
    def cutoff(self) -> float:
        """An objective above this is no improvement."""
        return self.fixed + worth_looking_for(self.value - self.fixed, self.step)

    @property
    def done(self) -> bool:
        # Infinite: proved that there is none.
        return self.bound == np.inf or settle(self.bound, self.value, self.step, self.row) >= self.value

    def run(self) -> Solved:
        small = self.asked.small
        self.prove(self.fixed)  # every cost is at least 0, and these outliers are lost in any case
        if len(small.outliers) == 0:
            nothing: list[list[int]] = [[] for _ in range(small.n_groups)]
            return Solved(nothing, self.problem.objective(nothing))
        if within_reach(small, self.limits):
            self.branch()
        else:
            self.search()
        bound = self.bound if self.best is None else settle(self.bound, self.value, self.step, self.row)
        return Solved(self.best, bound)

    def search(self) -> None:
        if not time_to_share(self.asked.small, self.deadline, self.limits):
            return
        sharing = share_costs(
            self.asked.choice,
            target=self.cutoff,
            value=self.value,
            deadline=self.deadline.part(0.2),
            parties=parties_of(self.asked.small, self.best or [], self.limits),
            allowed=self.allowed,
            limits=self.limits,
        )
        self.prove(sharing.bound)
        self.offer(_joint(sharing, self.asked.small))
        if self.done or self.deadline.passed:
            return
        model = CoverProgram.of(self.asked, sharing, self.deadline, self.limits)
        if model is None:
            return
        if not model.by_rows and (relaxed := model.relax(self.deadline, 0.5)) is not None:
            self.prove(relaxed.value + self.fixed)
            if self.done:
                return
            self.restricted(model, relaxed)
            model.exclude(relaxed, self.cutoff - self.fixed)
        self.whole(model)

    def branch(self) -> None:
        """Search all selections that are better than the best so far."""
        small = self.asked.small
        found = branch_and_bound(
            small,
            self.asked.choice.loss if self.asked.room is None else np.zeros(len(small.outliers)),
            cutoff=self.cutoff - self.fixed,
            step=self.step,
            seconds=self.deadline.left,
            max_tags=self.asked.max_tags,
            room=self.asked.room,
            limits=self.limits,
        )
        before = self.value
        if found.tags is not None:
            self.offer([[int(small.tags[t]) for t in chosen] for chosen in found.tags])
        if found.complete:
            self.prove(before if found.tags is None else found.value + self.fixed)
        else:
            self.prove(min(found.bound + self.fixed, before))

    def restricted(self, model: CoverProgram, relaxed: Relaxed) -> None:
        """Solve for the tags that the relaxation uses: few, and often enough for the best solution."""
        zero = np.zeros(model.program.n_columns, dtype=bool)
        zero[model.y] = relaxed.x[model.y] < 1e-6
        known = self.value - self.fixed
        answer = model.solve(self.deadline, 0.4, known=known, step=self.step, zero=zero, better=True)
        if answer.x is not None:
            self.offer(model.tags(answer.x))

    def whole(self, model: CoverProgram) -> None:
        if not model.by_rows and np.isfinite(self.value):
            known = self.value - self.fixed
            answer = model.solve(self.deadline, 0.5, known=known, step=self.step, better=True)
            if answer.infeasible:
                # No selection is below the cut-off, and between it and the known value there is none within a step.
                exact = 0.5 * self.step >= MIP_ERROR * known
                self.prove(self.value if exact else self.fixed + highs_cutoff(known, self.step))
                return
            if answer.x is not None:
                self.offer(model.tags(answer.x))
        self.answered(model)

    def answered(self, model: CoverProgram) -> None:
        """Solve the program, take its selection if it is better, and what it proves."""
        before = self.value
        answer = model.solve(self.deadline, known=before - self.fixed, step=self.step)
        if answer.x is not None:
            self.offer(model.tags(answer.x))
        if answer.infeasible:
            if not np.isfinite(before):
                self.bound = np.inf
            # With a known selection the program has a solution: "infeasible" is an error of HiGHS and proves nothing.
        elif answer.bound is not None:
            # Tags were excluded because they do not improve on what was known: nothing is proved beyond that.
            self.prove(min(answer.bound + self.fixed, before))

    def prove(self, bound: float) -> None:
        self.bound = max(self.bound, bound)

    def offer(self, tags: list[list[int]] | None) -> None:
        """Take a selection, improved by local search, if it is feasible and better than the best so far.

        Feasible by all rules of the problem: HiGHS and the sharing know some of them, and those up to a tolerance.
        """
        if tags is None:
            return
        for one in (self.improve(tags), tags):
            if one is None or self.problem.broken(one):
                continue
            if self.best is None or self.problem.objective(one) < self.value * (1 - ROUNDING):
                self.best = _lists(one)


def _joint(sharing: Sharing, small: Reduced) -> list[list[int]]:
    """The tags that outliers pick if everyone takes its cheapest; a tag goes to the group where most pick it."""
    votes = np.zeros((small.n_groups, len(small.tags)))
    took = sharing.cheapest >= 0
    np.add.at(votes, (small.outlier_group[took], sharing.cheapest[took]), small.outlier_mass[took])
    winner = votes.argmax(axis=0)
    return [[int(small.tags[t]) for t in np.flatnonzero((votes[k] > 0) & (winner == k))] for k in range(small.n_groups)]

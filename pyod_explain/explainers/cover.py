"""WCCM and BCCM: weighted and budgeted cross coverage minimisation, with their forms for several groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from pyod_explain import solvers
from pyod_explain._validate import check_choice, check_int, check_number, per_group
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers.base import Explainer, Selection, checked_selection
from pyod_explain.explainers.marginal import BudgetedObjective, MarginalObjective, WeightedObjective
from pyod_explain.solvers import BudgetedCover, Chosen, Deadline, Solved, Stuck, WeightedCover


class _Cover(Explainer):
    """What WCCM and BCCM share."""

    supports_growth: ClassVar[bool] = True
    solver: str

    def heuristic(self) -> Explainer:
        """Return it with the local search, which proves nothing."""
        return self if self.solver == "refined" else clone(self).set_params(solver="refined")


MAX_WEIGHT = 1e30  # larger ones overflow in sums


class WCCM(_Cover):
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

    def __init__(
        self,
        *,
        weight: float | Sequence[float] = 10.0,
        solver: str = "refined",
        min_lift: float = 0.0,
        time_limit: float | None = None,
    ) -> None:
        self.weight, self.solver, self.min_lift, self.time_limit = weight, solver, min_lift, time_limit

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        check_choice("WCCM", "solver", self.solver, among=("greedy", "refined", "exact"))
        exact = self.solver == "exact"
        deadline = Deadline.of("WCCM", self.time_limit, solvers.EXACT_SECONDS if exact else np.inf)
        problem = self._problem(coverage)
        search = solvers.NEVER if self.solver == "greedy" else deadline.part(0.5) if exact else deadline
        start = solvers.greedy_weighted(problem, search)
        tags: Chosen = start if self.solver == "greedy" else solvers.refine_weighted(problem, start, search)
        bound = None
        if exact:
            solved = solvers.solve_weighted(problem, tags, deadline)
            tags, bound = solved.tags or tags, solved.bound
        broken = problem.broken_rules(tags)
        return checked_selection(tags, problem.objective(tags), bound, broken=broken, method="WCCM", solver=self.solver)

    def marginal_objective(self, coverage: Coverage, chosen: Chosen, group: int) -> MarginalObjective:
        """Tell what one more tag would make of the covered normals and the lost outliers."""
        return WeightedObjective(self._problem(coverage), chosen, group)

    def _problem(self, coverage: Coverage) -> WeightedCover:
        eligible = self._eligible(coverage)
        check = partial(check_number, low=0.0, high=MAX_WEIGHT, open_low=True)
        return WeightedCover(coverage, eligible, per_group("WCCM", "weight", self.weight, coverage.n_groups, check))


RESCUE_SECONDS = 5.0  # for HiGHS, where local search finds no selection and no time limit is given


class BCCM(_Cover):
    """Cover all but a share of each group with at most so many tags and few normals.

    With several groups this is the paper's D-BCCM. If no selection meets the budgets, or none was found,
    `InfeasibleError` says for which group, what share of it is reachable, and whether that is proved.

    Parameters
    ----------
    max_tags : most tags a group may have (theta in the paper), at least 1: a number, or one per group.
    max_uncovered : largest share of a group that may be lost (rho in the paper), in [0, 1): a number, or one per group.
    solver : `"greedy"` is the paper's Algorithm 2; `"refined"` improves its result by local search, and repairs it
        where Algorithm 2 gives up or breaks a budget; `"exact"` solves a mixed-integer program (HiGHS): the optimum, or
        the best selection found with a lower bound.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it; 0 switches the rule off (the paper).
    time_limit : seconds that `select` may take (the greedy search takes milliseconds and ignores it). By default 60
        for the exact solver, and no limit for the others.

    Examples
    --------
    >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> BCCM(max_tags=1, max_uncovered=0.0).select(cov).tags
    ((0,),)

    No tag covers the second outlier:

    >>> cov = Coverage.from_dense([[1], [0], [0]], [1, 1, 0])
    >>> BCCM(max_uncovered=0.1).select(cov)
    Traceback (most recent call last):
    pyod_explain.exceptions.InfeasibleError: Group 1: no selection has at most 5 tags and ...
    """

    def __init__(
        self,
        *,
        max_tags: int | Sequence[int] = 5,
        max_uncovered: float | Sequence[float] = 0.2,
        solver: str = "refined",
        min_lift: float = 0.0,
        time_limit: float | None = None,
    ) -> None:
        self.max_tags, self.max_uncovered = max_tags, max_uncovered
        self.solver, self.min_lift, self.time_limit = solver, min_lift, time_limit

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        check_choice("BCCM", "solver", self.solver, among=("greedy", "refined", "exact"))
        deadline = Deadline.of("BCCM", self.time_limit, solvers.EXACT_SECONDS if self.solver == "exact" else np.inf)
        problem = self._problem(coverage)
        if self.solver == "greedy":
            found = solvers.greedy_budgeted(problem)
            if isinstance(found, Stuck):
                raise _infeasible(problem, proved=_is_hopeless(problem), stuck=found)
            solved = Solved(found, None)
        else:
            solved = self._search(problem, deadline)
        if solved.tags is None:
            raise _infeasible(problem, proved=solved.bound == np.inf)
        tags, value = solved.tags, problem.objective(solved.tags)
        # Algorithm 2 may end with a budget that does not hold; no other solver does.
        violated = problem.broken_budgets(tags) if self.solver == "greedy" else []
        broken = [] if violated else problem.broken_rules(tags)
        proved = tags, value, solved.bound
        return checked_selection(*proved, broken=broken, violated=violated, method="BCCM", solver=self.solver)

    def marginal_objective(self, coverage: Coverage, chosen: Chosen, group: int) -> MarginalObjective:
        """Tell what one more tag would make of the covered normals, the budgets first."""
        return BudgetedObjective(self._problem(coverage), chosen, group)

    def _problem(self, coverage: Coverage) -> BudgetedCover:
        eligible = self._eligible(coverage)
        n_groups = coverage.n_groups
        theta = per_group("BCCM", "max_tags", self.max_tags, n_groups, _check_count)
        share = partial(check_number, low=0.0, high=1.0, open_high=True)
        rho = per_group("BCCM", "max_uncovered", self.max_uncovered, n_groups, share)
        return BudgetedCover(coverage, eligible, theta, rho)

    def _search(self, problem: BudgetedCover, deadline: Deadline) -> Solved:
        """Improve or repair what Algorithm 2 returns; HiGHS solves it if asked for, or if nothing was found."""
        if _is_hopeless(problem):
            return Solved(None, np.inf)
        exact = self.solver == "exact"
        search = deadline.part(0.5) if exact else deadline
        start = solvers.greedy_budgeted(problem, search)
        tags = solvers.refine_budgeted(problem, None if isinstance(start, Stuck) else start, search)
        if exact:
            return solvers.solve_budgeted(problem, tags, deadline)
        if tags is not None:
            return Solved(tags, None)
        rescued = solvers.solve_budgeted(problem, None, Deadline(min(deadline.end, Deadline.after(RESCUE_SECONDS).end)))
        return rescued if rescued.tags is None else Solved(rescued.tags, None)


def _check_count(owner: str, name: str, value: Any) -> float:
    return float(min(check_int(owner, name, value, low=1), 2**40))  # sums of larger ones are not exact in floats


def _is_hopeless(problem: BudgetedCover) -> bool:
    """Tell whether all tags together leave too much of some group uncovered: then no selection meets the budgets."""
    cov = problem.coverage
    for k, words in enumerate(cov.slices):
        covered = cov.outliers_with(np.flatnonzero(problem.eligible[k]).tolist())[words]
        if cov.group_sizes[k] - cov.count_group(covered, k) > problem.limit[k]:
            return True
    return False


def _infeasible(problem: BudgetedCover, *, proved: bool, stuck: Stuck | None = None) -> InfeasibleError:
    """Say which group fails, what share of it is reachable, and whether that is proved."""
    uncovered = np.array([_least_uncovered(problem, k) for k in range(problem.coverage.n_groups)])
    k = int(np.argmax(uncovered - problem.max_uncovered)) if stuck is None else stuck.group
    most, lost = int(problem.max_tags[k]), problem.max_uncovered[k]
    budgets = f"at most {most} tag{'s' if most != 1 else ''} and at most {100 * lost:g}% of the group lost"
    verdict = "no selection has" if proved else "no selection was found that has"
    if len(uncovered) > 1:
        budgets += ", within the budgets of the other groups"
    reachable = f"with that many tags of its own, {uncovered[k]:.1%} of it stays uncovered (best found)"
    if stuck is not None and not proved:
        fact = f"the paper's greedy search stopped in round {stuck.round} of {most}"
        hint = f"{reachable}. `solver='refined'` may find a selection."
    else:
        fact = f"{verdict} {budgets}"
        hint = f"{reachable}. Raise `max_uncovered` or `max_tags`, or add tags that cover more of the group."
    about: Any = {"group": k + 1, "round": None if stuck is None else stuck.round, "proved": proved}
    return InfeasibleError(f"Group {k + 1}: {fact}.", hint, **about, best_uncovered=float(uncovered[k]))


def _least_uncovered(problem: BudgetedCover, group: int) -> float:
    """Share of the group that its own tags, within their number, leave uncovered; as found by the greedy cover."""
    cov = problem.coverage
    only = np.zeros_like(problem.eligible)
    only[group] = problem.eligible[group]
    tags = solvers.greedy_cover(cov, only, int(problem.max_tags[group]))[group]
    covered = cov.count_group(cov.outliers_with(tags)[cov.slices[group]], group)
    return 1 - float(covered) / max(int(cov.group_sizes[group]), 1) if cov.group_sizes[group] else 0.0

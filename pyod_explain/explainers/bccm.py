"""BCCM: budgeted cross coverage minimisation, and its form for several groups, D-BCCM."""

from __future__ import annotations

from collections.abc import Sequence

from pyod_explain._validate import check_choice, per_group
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.greedy import Stuck, greedy_budgeted
from pyod_explain.explainers.problem import BudgetedCover
from pyod_explain.explainers.selection import Selection, Tags

__all__ = ["BCCM"]


class BCCM(Explainer):
    """Cover all but a share `max_uncovered` (ρ) of each group with at most `max_tags` (θ) tags and few normals.

    With several groups this is the paper's D-BCCM.

    Parameters
    ----------
    max_tags : most tags a group may have, at least 1: a number, or one per group.
    max_uncovered : largest share of a group that may be lost, in [0, 1): a number, or one per group.
    solver : `"greedy"` is the paper's Algorithm 2.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it; 0 switches the rule off (the paper).

    Examples
    --------
    >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> BCCM(max_tags=1, max_uncovered=0.0).select(cov).tags
    ((0,),)
    """

    def __init__(
        self,
        *,
        max_tags: int | Sequence[int] = 5,
        max_uncovered: float | Sequence[float] = 0.2,
        solver: str = "greedy",
        min_lift: float = 0.0,
    ) -> None:
        self.max_tags = max_tags
        self.max_uncovered = max_uncovered
        self.solver = solver
        self.min_lift = min_lift

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        eligible = self._eligible(coverage)
        check_choice("BCCM", "solver", self.solver, among=("greedy",))
        n_groups = coverage.n_groups
        theta = per_group("BCCM", "max_tags", self.max_tags, n_groups, low=1, whole=True)
        rho = per_group("BCCM", "max_uncovered", self.max_uncovered, n_groups, low=0.0, high=1.0, open_high=True)
        problem = BudgetedCover(coverage, eligible, theta, rho)
        found = greedy_budgeted(problem)
        if isinstance(found, Stuck):
            raise _stuck(problem, found)
        return _selection(problem, tuple(tuple(chosen) for chosen in found), self.solver)


def _selection(problem: BudgetedCover, tags: Tags, solver: str) -> Selection:
    excess = problem.excess(tags)
    lost = problem.coverage.weigh_lost(tags)
    notes = tuple(
        f"Group {k + 1} loses {lost[k]:g} outliers where `max_uncovered` allows {problem.allowed[k]:g}: "
        "other groups' tags cover some of those that its own tags cover."
        for k in range(len(tags))
        if excess[k]
    )
    status = "violated" if notes else "feasible"
    return Selection(tags, problem.objective(tags), status, method="BCCM", solver=solver, notes=notes)


def _stuck(problem: BudgetedCover, stuck: Stuck) -> InfeasibleError:
    k = stuck.group
    return InfeasibleError(
        f"Group {k + 1}: in round {stuck.round} of {problem.max_tags[k]:g} no tag covers enough of the group and spares "
        f"enough of the others; `max_uncovered` allows to lose {problem.allowed[k]:g} outliers. This is the paper's "
        "greedy search giving up, not a proof that there is no such description.\n"
        "Hint: raise `max_tags` or `max_uncovered`.",
        group=k + 1,
        round=stuck.round,
        proved=False,
    )

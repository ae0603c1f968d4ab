"""What every explainer is: `select(coverage) -> Selection`, with a check of each selection that it returns."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from sklearn.base import BaseEstimator

from pyod_explain._arrays import BoolArray
from pyod_explain._validate import check_number
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.explainers.marginal import MarginalObjective
from pyod_explain.solvers import Chosen

Status = Literal["optimal", "feasible", "violated"]
Tags = tuple[tuple[int, ...], ...]
BOUND_ROUNDING = 1e-6  # a bound that exceeds the objective by a larger share of it is wrong, not rounded


@dataclass(frozen=True)
class Selection:
    """Which tags describe which group, what that costs, and how much of it is proved.

    Attributes
    ----------
    tags : for each group the indices of its tags (greedy: in order of choice).
    objective : value of what was minimised.
    status : `"optimal"` (proved, but for what is less than 2e-8 of the objective and a tenth of the cheapest row),
        `"feasible"` (meets the constraints, not proved best) or `"violated"` (greedy BCCM only: Algorithm 2 ended, but
        a coverage constraint does not hold; `notes` has the figures).
    bound : proved lower bound of the objective, or None if none was computed.
    method, solver : what was asked and how it was answered.
    notes : sentences for the report: what was relaxed, what was left out.

    Examples
    --------
    >>> from pyod_explain import Coverage, WCCM
    >>> coverage = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> answer = WCCM(solver="exact").select(coverage)
    >>> answer.tags, answer.objective, answer.status, answer.gap
    (((0,),), 0.0, 'optimal', 0.0)
    """

    tags: Tags
    objective: float
    status: Status
    bound: float | None = None
    method: str = ""
    solver: str = ""
    notes: tuple[str, ...] = ()

    @property
    def gap(self) -> float | None:
        """Share of the objective that is not proved necessary: 0 is optimal; None without a bound."""
        if self.bound is None:
            return None
        return max(self.objective - self.bound, 0.0) / abs(self.objective) if self.objective else 0.0


class Explainer(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn ships no types
    """Chooses tags for the groups of a `Coverage`.

    Examples
    --------
    The best tag of each group, and nothing else; `docs/extending.md` writes one that does more:

    >>> class BestTag(Explainer):
    ...     def __init__(self, *, min_lift=0.0):
    ...         self.min_lift = min_lift
    ...
    ...     def select(self, coverage):
    ...         mistakes = coverage.group_sizes[:, None] - coverage.group_counts + coverage.normal_counts
    ...         tags = tuple((int(j),) for j in mistakes.argmin(axis=1))
    ...         return Selection(tags, float(mistakes.min(axis=1).sum()), "feasible", method="BestTag")
    >>> coverage = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> BestTag().select(coverage).tags
    ((0,),)
    """

    min_lift: float
    supports_growth: ClassVar[bool] = False  # whether it has a `marginal_objective`

    @abstractmethod
    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""

    def marginal_objective(self, coverage: Coverage, chosen: Chosen, group: int) -> MarginalObjective:  # noqa: ARG002 - for those who know
        """Tell what one more tag of a group (0-based) would make of what is minimised; only if `supports_growth`.

        Parameters
        ----------
        coverage : which row has which tag.
        chosen : for each group the tags that it has.
        group : which group the tag would be for.
        """
        raise TypeError(f"{type(self).__name__} does not tell what a further tag of group {group + 1} would be worth.")

    def improve(self, coverage: Coverage, start: Chosen) -> Selection:  # noqa: ARG002 - for those who can use it
        """Choose again where there are more tags than when `start` was chosen."""
        return self.select(coverage)

    def heuristic(self) -> Explainer:
        """Return the fast variant of this explainer, for the selections during the rule search."""
        return self

    def _eligible(self, coverage: Coverage) -> BoolArray:
        if not isinstance(coverage, Coverage):
            hint = "Coverage.from_dense(T, y) or Coverage.from_tags(table, tags, groups)."
            raise ParameterError("coverage", "a Coverage", got_text=type(coverage).__name__, hint=hint)
        if coverage.n_groups == 0:
            raise PyodExplainError("`coverage` must have at least one group of outliers, got none.")
        return coverage.eligible(check_number(type(self).__name__, "min_lift", self.min_lift, low=0.0))


class SolverError(RuntimeError):
    """A solver returned a selection that breaks a rule of the problem: an error in this package, not in its input."""


def checked_selection(
    tags: Chosen,
    objective: float,
    bound: float | None,
    *,
    broken: Sequence[str],
    violated: Sequence[str] = (),
    method: str,
    solver: str,
    notes: tuple[str, ...] = (),
) -> Selection:
    """Make the selection that the user gets, after a check of all rules, and with no more claimed than holds.

    Solvers search in problems that were reduced and relaxed; here the problem itself decides. A selection that breaks a
    rule is an error in this package, and a bound above the objective proves nothing.

    Parameters
    ----------
    objective : computed from its definition, of the problem as it was asked.
    bound : lower bound of the objective that the solver proved, if any.
    broken : the rules that the selection breaks; must be empty.
    violated : the rules that this solver is known to break at times; they are reported as notes, and nothing is
        proved then.
    """
    if broken or not math.isfinite(objective):
        facts = " ".join(broken) or f"Its objective is {objective}."
        what = f"{method} with solver={solver!r} returned a selection that breaks a rule: {facts}"
        hint = "this is an error in pyod_explain; please report it, and use another `solver` until it is mended."
        raise SolverError(f"{what}\nHint: {hint}")
    if bound is not None and not bound <= objective + BOUND_ROUNDING * abs(objective):
        wrong = f"A bound of {bound:g} was claimed for an objective of {objective:g}; it is wrong and was dropped."
        bound, notes = None, (*notes, wrong)
    bound = bound if bound is None else min(bound, objective)
    status: Status = "violated" if violated else "optimal" if bound is not None and bound >= objective else "feasible"
    described = tuple(tuple(int(j) for j in chosen) for chosen in tags)
    return Selection(described, objective, status, bound, method, solver, (*notes, *violated))

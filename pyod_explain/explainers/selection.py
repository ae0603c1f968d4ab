"""`Selection`: which tags describe which group, what that costs, and how much of it is proved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Selection", "Status", "Tags"]

Status = Literal["optimal", "feasible", "violated"]
Tags = tuple[tuple[int, ...], ...]


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

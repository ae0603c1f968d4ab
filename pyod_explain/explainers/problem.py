"""What is asked, as data: the weighted and the budgeted cover problem on one `Coverage`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage

__all__ = ["TOLERANCE", "BudgetedCover", "WeightedCover"]

TOLERANCE = 1e-9  # so that a share of (1 - 0.7) of 10 outliers is 3 of them, not 3.0000000000000004

Chosen = Sequence[Sequence[int]]


@dataclass(frozen=True, eq=False)
class WeightedCover:
    """WCCM, for several groups D-WCCM: covered normals plus `weight` (λ) for each lost outlier."""

    coverage: Coverage
    eligible: NDArray[np.bool_]  # groups by tags
    weight: NDArray[np.float64]  # one per group

    def objective(self, tags: Chosen) -> float:
        """Compute the objective from its definition, each covered normal counted once."""
        cov = self.coverage
        normals = cov.weigh_normals(cov.normals_with(j for chosen in tags for j in chosen))
        lost = cov.weigh_lost(tags)
        return float(normals + sum(w * v for w, v in zip(self.weight.tolist(), lost, strict=True)))


@dataclass(frozen=True, eq=False)
class BudgetedCover:
    """BCCM, for several groups D-BCCM: covered normals; at most `max_tags` (θ) tags and `max_uncovered` (ρ) lost."""

    coverage: Coverage
    eligible: NDArray[np.bool_]  # groups by tags
    max_tags: NDArray[np.float64]  # one per group
    max_uncovered: NDArray[np.float64]  # one per group, a share

    def objective(self, tags: Chosen) -> float:
        """Compute the objective from its definition, each covered normal counted once."""
        cov = self.coverage
        return float(cov.weigh_normals(cov.normals_with(j for chosen in tags for j in chosen)))

    @property
    def allowed(self) -> NDArray[np.float64]:
        """Weight (or number) of the outliers that each group may lose."""
        return np.asarray(self.max_uncovered * self.coverage.group_totals, dtype=np.float64)

    def excess(self, tags: Chosen) -> NDArray[np.float64]:
        """For each group, by how much it loses more than allowed; 0 where the constraint holds."""
        over = np.asarray(self.coverage.weigh_lost(tags), dtype=np.float64) - self.allowed
        return np.where(over > TOLERANCE, over, 0.0)

"""What is asked, as data: the weighted and the budgeted cover problem on one `Coverage`, and what breaks its rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage

__all__ = ["TOLERANCE", "BudgetedCover", "Chosen", "WeightedCover", "misused_tags", "too_many_tags"]

# Of the weight of a group, so that a share of (1 - 0.7) of 10 outliers is 3 of them, not 3.0000000000000004. A share
# and no weight, for the unit in which weights are given must not matter.
TOLERANCE = 1e-9

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

    def broken(self, tags: Chosen) -> list[str]:
        """Say which rules a selection breaks; none if it is feasible."""
        return misused_tags(tags, self.eligible)


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
    def totals(self) -> NDArray[np.float64]:
        """Weight (or number) of the outliers of each group."""
        return np.asarray(self.coverage.group_totals, dtype=np.float64)

    @property
    def allowed(self) -> NDArray[np.float64]:
        """Weight (or number) of the outliers that each group may lose."""
        return np.asarray(self.max_uncovered * self.totals, dtype=np.float64)

    @property
    def limit(self) -> NDArray[np.float64]:
        """What is allowed, with room for the rounding of shares: a loss above it breaks the budget."""
        return np.asarray(self.allowed + TOLERANCE * self.totals)

    def excess(self, tags: Chosen) -> NDArray[np.float64]:
        """For each group, by how much it loses more than allowed; 0 where the constraint holds."""
        lost = np.asarray(self.coverage.weigh_lost(tags), dtype=np.float64)
        return np.where(lost > self.limit, lost - self.allowed, 0.0)

    def broken(self, tags: Chosen) -> list[str]:
        """Say which rules a selection breaks; none if it is feasible."""
        return self.broken_but_for_losses(tags) or self.broken_losses(tags)

    def broken_but_for_losses(self, tags: Chosen) -> list[str]:
        """Say which rules about the tags alone a selection breaks."""
        return [*misused_tags(tags, self.eligible), *too_many_tags(tags, self.max_tags)]

    def broken_losses(self, tags: Chosen) -> list[str]:
        """Say which groups lose more than they may."""
        lost, allowed = self.coverage.weigh_lost(tags), self.allowed
        return [
            f"Group {k + 1} loses {lost[k]:g} outliers where `max_uncovered` allows {allowed[k]:g}: "
            "other groups' tags cover some of those that its own tags cover."
            for k in np.flatnonzero(self.excess(tags))
        ]


def misused_tags(tags: Chosen, eligible: NDArray[np.bool_]) -> list[str]:
    """Say which tags of a selection do not exist, may not describe their group, or are used twice.

    >>> misused_tags([[0, 0], [2]], np.array([[True, True], [True, False]]))
    ['Tag 2 of group 2 does not exist.', 'Tag 0 is used 2 times.']
    """
    n_groups, n_tags = eligible.shape
    if len(tags) != n_groups:
        return [f"There are {len(tags)} descriptions for {n_groups} groups."]
    pairs = [(k, int(j)) for k, chosen in enumerate(tags) for j in chosen]
    unknown = [f"Tag {j} of group {k + 1} does not exist." for k, j in pairs if not 0 <= j < n_tags]
    unfit = [f"Tag {j} may not describe group {k + 1}." for k, j in pairs if 0 <= j < n_tags and not eligible[k, j]]
    times = Counter(j for _, j in pairs)
    return [*unknown, *unfit, *(f"Tag {j} is used {n} times." for j, n in sorted(times.items()) if n > 1)]


def too_many_tags(tags: Chosen, max_tags: NDArray[np.float64]) -> list[str]:
    """Say which groups have more tags than they may."""
    return [
        f"Group {k + 1} has {len(chosen)} tags where `max_tags` allows {most:g}."
        for k, (chosen, most) in enumerate(zip(tags, max_tags, strict=True))
        if len(chosen) > most
    ]

"""The cover problems as data (WCCM, BCCM), the rules that a selection must keep, and the time limit of a search."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pyod_explain._arrays import BoolArray, FloatArray
from pyod_explain._validate import check_number
from pyod_explain.coverage import Coverage

TOLERANCE = 1e-9  # share of a group, so that (1 - 0.7) of 10 outliers is 3 of them, not 3.0000000000000004

Chosen = Sequence[Sequence[int]]


class Deadline:
    """A moment by which to end.

    >>> Deadline.after(60.0).passed, Deadline.after(0.0).left, NEVER.left
    (False, 0.0, inf)
    """

    def __init__(self, end: float) -> None:
        self.end = end  # on the clock of time.perf_counter

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """End after so many seconds from now."""
        return cls(time.perf_counter() + seconds)

    @classmethod
    def of(cls, owner: str, time_limit: float | None, default: float = np.inf) -> Deadline:
        """Read a parameter `time_limit`: seconds, above 0, or None for the default."""
        if time_limit is None:
            return cls.after(default)
        return cls.after(check_number(owner, "time_limit", time_limit, low=0.0, open_low=True))

    @property
    def left(self) -> float:
        """Seconds that are left; 0 once it has passed."""
        return max(self.end - time.perf_counter(), 0.0)

    @property
    def passed(self) -> bool:
        return time.perf_counter() >= self.end

    def part(self, share: float) -> Deadline:
        """End after this share of the time that is left."""
        return Deadline.after(share * self.left)


NEVER = Deadline(np.inf)
EXACT_SECONDS = 60.0  # for the exact solver, where no time limit is given


@dataclass(frozen=True, eq=False)
class WeightedCover:
    """WCCM, for several groups D-WCCM: covered normals plus `weight` (λ) for each lost outlier."""

    coverage: Coverage
    eligible: BoolArray  # groups by tags
    weight: FloatArray  # one per group

    def objective(self, tags: Chosen) -> float:
        """Compute the objective from its definition, each covered normal counted once."""
        return float(_covered_normals(self.coverage, tags) + self.weight @ self.coverage.count_lost(tags))

    def broken_rules(self, tags: Chosen) -> list[str]:
        """Say which rules a selection breaks; none if it is feasible."""
        return misused_tags(tags, self.eligible)


@dataclass(frozen=True, eq=False)
class BudgetedCover:
    """BCCM, for several groups D-BCCM: covered normals; at most `max_tags` (θ) tags and `max_uncovered` (ρ) lost."""

    coverage: Coverage
    eligible: BoolArray  # groups by tags
    max_tags: FloatArray  # one per group
    max_uncovered: FloatArray  # one per group, a share

    def objective(self, tags: Chosen) -> float:
        """Compute the objective from its definition, each covered normal counted once."""
        return float(_covered_normals(self.coverage, tags))

    @property
    def allowed(self) -> FloatArray:
        """Number of the outliers that each group may lose; maybe a fraction."""
        return np.asarray(self.max_uncovered * self.coverage.group_sizes)

    @property
    def limit(self) -> FloatArray:
        """What is allowed, with room for the rounding of shares: a loss above it breaks the budget."""
        return np.asarray(self.allowed + TOLERANCE * self.coverage.group_sizes)

    def broken_rules(self, tags: Chosen) -> list[str]:
        """Say which rules a selection breaks; none if it is feasible."""
        return [*misused_tags(tags, self.eligible), *too_many_tags(tags, self.max_tags)] or self.broken_budgets(tags)

    def broken_budgets(self, tags: Chosen) -> list[str]:
        """Say which groups lose more outliers than they may."""
        lost, allowed = self.coverage.count_lost(tags), self.allowed
        return [
            f"Group {k + 1} loses {lost[k]:g} outliers where `max_uncovered` allows {allowed[k]:g}: "
            "other groups' tags cover some of those that its own tags cover."
            for k in np.flatnonzero(lost > self.limit)
        ]


def _covered_normals(coverage: Coverage, tags: Chosen) -> int:
    return int(coverage.count_normals(coverage.normals_with(j for chosen in tags for j in chosen)))


def misused_tags(tags: Chosen, eligible: BoolArray) -> list[str]:
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


def too_many_tags(tags: Chosen, max_tags: FloatArray) -> list[str]:
    """Say which groups have more tags than they may."""
    pairs = enumerate(zip(map(len, tags), max_tags, strict=True), start=1)
    return [f"Group {k} has {n} tags where `max_tags` allows {most:g}." for k, (n, most) in pairs if n > most]

"""What `PDM` and `DTDM` share: the fewest tags that cover every outlier, among the tags that each allows."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pyod_explain._validate import check_choice
from pyod_explain.coverage import Coverage
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.gate import let_out
from pyod_explain.explainers.selection import Selection
from pyod_explain.solvers.deadline import Clock
from pyod_explain.solvers.infeasible import UncoverableError, uncoverable
from pyod_explain.solvers.problem import Chosen, misused_tags
from pyod_explain.solvers.set_cover import fewest_tags, greedy_cover, uncovered_rows

__all__ = ["FewestTags"]


class FewestTags(Explainer):
    """Covers every outlier by its own group's description, with as few tags as possible in all."""

    lacking: ClassVar[str] = "tag"  # what an outlier that cannot be covered lacks

    def __init__(self, *, solver: str = "exact", min_lift: float = 0.0, time_limit: float | None = None) -> None:
        self.solver = solver
        self.min_lift = min_lift
        self.time_limit = time_limit

    @abstractmethod
    def _usable(self, coverage: Coverage) -> NDArray[np.bool_]:
        """Tell which tag (column) may describe which group (row)."""

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        name = type(self).__name__
        clock = Clock.of(name, self.time_limit, exact=True)
        pairs = self._eligible(coverage) & self._usable(coverage) & (coverage.group_counts > 0)
        check_choice(name, "solver", self.solver, among=("greedy", "exact"))
        for k in range(coverage.n_groups):
            if len(rows := uncovered_rows(coverage, pairs, k)):
                raise uncoverable(k, rows.tolist(), int(coverage.group_sizes[k]), self.lacking)
        tags, bound = greedy_cover(coverage, pairs), None
        if self.solver == "exact":
            solved = fewest_tags(coverage, pairs, tags, clock.proof())
            tags, bound = solved.tags or tags, solved.bound
        if tags is None:
            raise _no_disjoint_choice(proved=bound == np.inf)
        broken = misused_tags(tags, pairs) or _uncovered_groups(coverage, tags)
        return let_out(tags, float(sum(map(len, tags))), bound, broken=broken, method=name, solver=self.solver)


def _uncovered_groups(coverage: Coverage, tags: Chosen) -> list[str]:
    """Say which groups are not covered by their own tags."""
    return [
        f"Group {k + 1} is not covered."
        for k, chosen in enumerate(tags)
        if not coverage.outlier_mask(coverage.outliers_with(chosen), k).all()
    ]


def _no_disjoint_choice(*, proved: bool) -> UncoverableError:
    verdict = "there are no descriptions that cover" if proved else "no descriptions were found that cover"
    way_out = "" if proved else ", raise `time_limit`, or use `solver='exact'`"
    return UncoverableError(
        f"Groups need the same tags: {verdict} each group without sharing a tag, though each alone can be covered.\n"
        f"Hint: add tags, or use WCCM, which may leave outliers uncovered{way_out}.",
        proved=proved,
    )

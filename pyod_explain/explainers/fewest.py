"""The fewest tags that cover every outlier: of those that cover nothing else (PDM), or of all (DTDM)."""

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
from pyod_explain.solvers import (
    NEVER,
    Chosen,
    Clock,
    UncoverableError,
    fewest_tags,
    greedy_cover,
    misused_tags,
    uncoverable,
    uncovered_rows,
)

__all__ = ["DTDM", "PDM"]


class FewestTags(Explainer):
    """Covers every outlier by its own group's description, with as few tags as possible in all."""

    weighs: ClassVar[bool | None] = False
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
                copies = coverage.group_copies
                left = np.isin(coverage.group_rows[k], rows)
                number = len(rows) if copies is None else int(copies[k][left].sum())
                raise uncoverable(k, rows.tolist(), number, int(coverage.group_sizes[k]), self.lacking)
        exact = self.solver == "exact"
        tags, bound = greedy_cover(coverage, pairs, clock.search if exact else NEVER), None
        if exact:
            solved = fewest_tags(coverage, pairs, tags, clock.proof())
            tags, bound = solved.tags or tags, solved.bound
        if tags is None:
            raise _no_disjoint_choice(proved=bound == np.inf)
        broken = misused_tags(tags, pairs) or _uncovered_groups(coverage, tags)
        return let_out(tags, float(sum(map(len, tags))), bound, broken=broken, method=name, solver=self.solver)


class PDM(FewestTags):
    """Cover every outlier by its own group's description, with as few tags as possible and no other row covered.

    Purity leaves each group its own tags (those that cover no normal and no outlier of another group), so groups are
    described one by one. If an outlier has no such tag, there is no description: `InfeasibleError`, whose `rows` are
    the outliers in question.

    Parameters
    ----------
    solver : `"exact"` proves the number of tags minimal, unless stopped by the time limit; `"greedy"` takes the tag
        that covers most, again and again.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it; 0 switches the rule off (the paper).
    time_limit : seconds for the exact solver; 60 by default.

    Examples
    --------
    Two tags cover nothing but outliers; the third covers all of them, but a normal row as well:

    >>> cov = Coverage.from_dense([[1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]], [1, 1, 1, 0, 0])
    >>> PDM().select(cov).tags
    ((0, 1),)
    """

    lacking = "pure tag (of this group's outliers alone)"

    def _usable(self, coverage: Coverage) -> NDArray[np.bool_]:
        counts = coverage.group_counts
        return np.asarray((coverage.normal_counts == 0) & (counts.sum(axis=0) == counts))


class DTDM(FewestTags):
    """Cover each group with its own tags, as few as possible in all; purity is ignored (the paper's baseline).

    Parameters
    ----------
    solver : `"exact"` proves the number of tags minimal, unless stopped by the time limit; `"greedy"` takes the tag
        that covers most of a group, again and again, and may miss that there is a choice.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it; 0 switches the rule off (the paper).
    time_limit : seconds for the exact solver; 60 by default.

    Examples
    --------
    Tag 0 would do for either group, but can describe only one:

    >>> cov = Coverage.from_dense([[1, 1], [1, 0], [1, 0]], [1, 2, 2])
    >>> DTDM().select(cov).tags
    ((1,), (0,))
    """

    def _usable(self, coverage: Coverage) -> NDArray[np.bool_]:
        return np.ones((coverage.n_groups, coverage.n_tags), dtype=bool)


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

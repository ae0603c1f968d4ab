"""The fewest tags that cover every outlier: of those that cover nothing else (PDM), or of all (DTDM)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from pyod_explain._arrays import BoolArray
from pyod_explain._validate import check_choice
from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.explainers.base import Explainer, Selection, checked_selection
from pyod_explain.solvers import EXACT_SECONDS, Chosen, Deadline, greedy_cover, solve_fewest
from pyod_explain.solvers.problem import misused_tags


class FewestTags(Explainer):
    """Covers every outlier by its own group's description, with as few tags as possible in all."""

    lacking: ClassVar[str] = "tag"  # what an outlier that cannot be covered lacks

    def __init__(self, *, solver: str = "exact", min_lift: float = 0.0, time_limit: float | None = None) -> None:
        self.solver, self.min_lift, self.time_limit = solver, min_lift, time_limit

    @abstractmethod
    def _usable(self, coverage: Coverage) -> BoolArray:
        """Tell which tag (column) may describe which group (row)."""

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        name = type(self).__name__
        check_choice(name, "solver", self.solver, among=("greedy", "exact"))
        deadline = Deadline.of(name, self.time_limit, EXACT_SECONDS)
        pairs = self._eligible(coverage) & self._usable(coverage) & (coverage.group_counts > 0)
        for k in range(coverage.n_groups):
            self._check_coverable(coverage, pairs, k)
        found = greedy_cover(coverage, pairs)
        tags: Chosen | None = None if _uncovered_groups(coverage, found) else found
        bound = None
        if self.solver == "exact":
            solved = solve_fewest(coverage, pairs, tags, deadline)
            tags, bound = solved.tags, solved.bound
        if tags is None:
            raise _no_disjoint_choice(proved=bound == np.inf)
        broken = misused_tags(tags, pairs) or _uncovered_groups(coverage, tags)
        n_tags = float(sum(map(len, tags)))
        return checked_selection(tags, n_tags, bound, broken=broken, method=name, solver=self.solver)

    def _check_coverable(self, coverage: Coverage, pairs: BoolArray, group: int) -> None:
        """Raise if an outlier of the group has no tag: a fact about the tags, so it is proved."""
        covered = coverage.outliers_with(np.flatnonzero(pairs[group]).tolist())
        left = ~coverage.outlier_mask(covered, group)
        if not left.any():
            return
        rows = np.sort(coverage.group_rows[group][left])
        number = int(coverage.group_sizes[group] - coverage.count_group(covered[coverage.slices[group]], group))
        size = int(coverage.group_sizes[group])
        hint = "add tags that do, leave out those rows, or use WCCM or BCCM, which may leave outliers uncovered."
        problem = f"Group {group + 1}: no {self.lacking} covers {number} of its {size} outliers."
        about: Any = {"group": group + 1, "proved": True, "rows": rows.tolist(), "best_uncovered": number / size}
        raise InfeasibleError(problem, hint, **about)


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

    def _usable(self, coverage: Coverage) -> BoolArray:
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

    def _usable(self, coverage: Coverage) -> BoolArray:
        return np.ones((coverage.n_groups, coverage.n_tags), dtype=bool)


def _uncovered_groups(coverage: Coverage, tags: Chosen) -> list[str]:
    """Say which groups are not covered by their own tags."""
    covered = [coverage.outlier_mask(coverage.outliers_with(chosen), k).all() for k, chosen in enumerate(tags)]
    return [f"Group {k + 1} is not covered." for k, whole in enumerate(covered) if not whole]


def _no_disjoint_choice(*, proved: bool) -> InfeasibleError:
    verdict = "there are no descriptions" if proved else "no descriptions were found"
    problem = f"Groups need the same tags: {verdict} that cover each group without sharing a tag"
    more = "" if proved else "; or raise `time_limit`, or use `solver='exact'`"
    hint = f"add tags, or use WCCM, which may leave outliers uncovered{more}."
    return InfeasibleError(f"{problem}, though each group alone can be covered.", hint, proved=proved)

"""`MarginalObjective`: the objective of an explainer with one more tag of a group, all other tags being given.

Rules are searched given the current selection. `growth/` knows nothing of bits, weights or budgets: it reports what
tags would newly cover, and the objective turns that into a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from pyod_explain._arrays import FloatArray, IndexArray, IntArray
from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import code_table, group_bits, tag_bits
from pyod_explain.solvers import BudgetedCover, Chosen, WeightedCover


@dataclass(frozen=True, eq=False)
class NewlyCovered:
    """What each of many tags would newly cover.

    Attributes
    ----------
    own : outliers of the group that nobody covers yet, as the objective counts them.
    others : outliers of other groups that it would spoil: a row per group, or one row where the objective counts them
        together; None if there is one group.
    normals : normals that nobody covers yet.
    """

    own: IntArray
    others: IntArray | None
    normals: IntArray

    def take(self, which: IndexArray | slice) -> NewlyCovered:
        """Return those of some tags."""
        others = None if self.others is None else self.others[:, which]
        return NewlyCovered(self.own[which], others, self.normals[which])


class MarginalObjective(ABC):
    """What is minimised, as a function of what one more tag of a group covers.

    Attributes
    ----------
    coverage, group : the problem, and which group (0-based) the tag is for.
    current : what is minimised, without it.
    own, others, normals : the outliers of the group that are worth covering, the outliers of other groups that are
        not, and the normals that are not covered yet; each a row of words.
    totals : how many outliers there are in the group and how many normals, as the objective counts them.
    n_uncovered : how many of each nobody covers yet.
    at_max_tags : True if the group may have no further tag.
    """

    coverage: Coverage
    group: int
    current: float
    own: Words
    others: Words
    normals: Words
    totals: tuple[float, float]
    n_uncovered: tuple[float, float]
    at_max_tags: bool

    @abstractmethod
    def count(self, outliers: Words, normals: Words) -> NewlyCovered:
        """Count what each of many tags would newly cover.

        Parameters
        ----------
        outliers : a row of words per tag.
        normals : the same, of `self.normals` alone: they are many, and marked once for all that is asked of them.
        """

    @abstractmethod
    def value(self, new: NewlyCovered, price: FloatArray) -> FloatArray:
        """Give what is minimised with each of many tags added.

        Parameters
        ----------
        new : what they newly cover.
        price : bits that it takes to send them, for those who count bits.
        """


class DescriptionObjective(MarginalObjective):
    """Bits of the group's description (MDL)."""

    def __init__(self, coverage: Coverage, chosen: Chosen, group: int, most: float) -> None:
        self.coverage, self.group = coverage, group
        self._table = code_table(coverage.n_normals + coverage.n_outliers)
        tags = list(chosen[group])
        covered = coverage.outliers_with(tags)
        part = coverage.slices[group]
        free = coverage.all_outliers & ~covered
        self.own, self.others = np.zeros_like(free), free.copy()
        self.own[part], self.others[part] = free[part], 0
        self.normals = coverage.all_normals & ~coverage.normals_with(tags)
        self._own = int(coverage.count_group(covered[part], group))
        self._foreign = int(coverage.count_outliers(covered)) - self._own
        self._normals = coverage.n_normals - int(coverage.count_normals(self.normals))
        self._cost = float(tag_bits(coverage, tags).sum())
        self.at_max_tags = len(tags) >= most
        self.totals = float(coverage.group_sizes[group]), float(coverage.n_normals)
        self.n_uncovered = self.totals[0] - self._own, self.totals[1] - self._normals
        none = np.zeros(1, dtype=np.int64)
        self.current = float(self.value(NewlyCovered(none, None, none), np.zeros(1))[0])

    def count(self, outliers: Words, normals: Words) -> NewlyCovered:
        """Count rows."""
        free = self.coverage.count_normals(normals)
        part = self.coverage.slices[self.group]
        own = self.coverage.count_group(outliers[:, part] & self.own[part], self.group)
        if self.coverage.n_groups == 1:
            return NewlyCovered(own, None, free)
        # Not group by group: that would take as long as there are groups, for each of them.
        return NewlyCovered(own, self.coverage.count_outliers(outliers & self.others)[None, :], free)

    def value(self, new: NewlyCovered, price: FloatArray) -> FloatArray:
        """Add the bits of the tags to those of the exceptions."""
        size, n_rows = int(self.coverage.group_sizes[self.group]), self.coverage.n_normals + self.coverage.n_outliers
        v, u = size - self._own - new.own, self._normals + new.normals
        z = self._foreign + (0 if new.others is None else new.others.sum(axis=0))
        exceptions = group_bits(missed=v, normals=u, foreign=z, size=size, n_rows=n_rows, table=self._table)
        return np.asarray(self._cost + price + exceptions)


class PartObjective(MarginalObjective):
    """Missed outliers of a part, covered normals at a fixed cost, and the bits of the rules; other outliers are free.

    Rules that cover no normal are found first where covered normals cost much, wide rules where they cost little.

    Parameters
    ----------
    coverage, chosen, group : as for the others.
    part : the outliers to cover.
    missed, matched : cost of an outlier of the part that no rule covers, and of a normal that one does.
    """

    at_max_tags = False

    def __init__(
        self, coverage: Coverage, chosen: Chosen, group: int, *, part: Words, missed: float, matched: float
    ) -> None:
        self.coverage, self.group = coverage, group
        self._missed, self._matched = missed, matched
        tags = list(chosen[group])
        self.own = part & ~coverage.outliers_with(tags)
        self.others = np.zeros_like(self.own)
        self.normals = coverage.all_normals & ~coverage.normals_with(tags)
        left, free = int(coverage.count_outliers(self.own)), int(coverage.count_normals(self.normals))
        self.totals = float(coverage.count_outliers(part)), float(coverage.n_normals)
        self.n_uncovered = float(left), float(free)
        self.current = float(tag_bits(coverage, tags).sum()) + missed * left + matched * (coverage.n_normals - free)

    def count(self, outliers: Words, normals: Words) -> NewlyCovered:
        """Count the outliers of the part, and normals."""
        own = self.coverage.count_outliers(outliers & self.own)
        return NewlyCovered(own, None, self.coverage.count_normals(normals))

    def value(self, new: NewlyCovered, price: FloatArray) -> FloatArray:
        """Add up the costs."""
        return np.asarray(self.current + price + self._matched * new.normals - self._missed * new.own)


class _CoverObjective(MarginalObjective):
    """What WCCM and BCCM share: an outlier that another group's tag has is lost."""

    def __init__(self, problem: WeightedCover | BudgetedCover, chosen: Chosen, group: int) -> None:
        coverage = self.coverage = problem.coverage
        self.group = group
        lost = coverage.lost(chosen)
        foreign = [hit for _, hit in coverage.own_and_foreign(chosen)]
        part = coverage.slices[group]
        self.others = np.concatenate([np.empty(0, np.uint64), *lost]) ^ coverage.all_outliers  # not lost yet
        self.others[part] = 0
        self.own = np.zeros_like(self.others)
        self.own[part] = lost[group] & ~foreign[group]  # a tag does not win back what another group's has
        self.normals = coverage.all_normals & ~coverage.normals_with(j for one in chosen for j in one)
        self._lost = coverage.count_lost(chosen)
        free = int(coverage.count_normals(self.normals))
        self._covered = coverage.n_normals - free
        self.totals = float(coverage.group_sizes[group]), float(coverage.n_normals)
        self.n_uncovered = float(coverage.count_group(self.own[part], group)), float(free)
        none = np.zeros(1, dtype=np.int64)
        nothing = NewlyCovered(none, np.zeros((coverage.n_groups, 1), dtype=np.int64), none)
        self.current = float(self.value(nothing, np.zeros(1))[0])

    def count(self, outliers: Words, normals: Words) -> NewlyCovered:
        """Count rows, by group."""
        groups = self.coverage.count_groups(outliers & (self.own | self.others))
        return NewlyCovered(groups[self.group], groups, self.coverage.count_normals(normals))

    def _losses(self, new: NewlyCovered) -> IntArray:
        """Give what each group (row) loses with each of many tags."""
        assert new.others is not None  # noqa: S101 - always counted by group
        lost = self._lost[:, None] + new.others
        lost[self.group] = self._lost[self.group] - new.own
        return np.asarray(lost)


class WeightedObjective(_CoverObjective):
    """Covered normals, and the weight of the lost outliers (WCCM)."""

    def __init__(self, problem: WeightedCover, chosen: Chosen, group: int) -> None:
        self._weight, self.at_max_tags = problem.weight, False
        super().__init__(problem, chosen, group)

    def value(self, new: NewlyCovered, price: FloatArray) -> FloatArray:
        """Add up the covered normals and the lost outliers; a tag costs nothing by itself."""
        return np.asarray(self._covered + new.normals + self._weight @ self._losses(new) + 0 * price)


class BudgetedObjective(_CoverObjective):
    """Covered normals; first of all, no group may lose more than its budget (BCCM)."""

    def __init__(self, problem: BudgetedCover, chosen: Chosen, group: int) -> None:
        self._limit, self._allowed = problem.limit, problem.allowed
        self.at_max_tags = len(chosen[group]) >= problem.max_tags[group]
        super().__init__(problem, chosen, group)

    def value(self, new: NewlyCovered, price: FloatArray) -> FloatArray:
        """Add up the covered normals; an outlier over the budget weighs more than all normals."""
        lost = self._losses(new)
        excess = np.where(lost > self._limit[:, None], lost - self._allowed[:, None], 0.0).sum(axis=0)
        return np.asarray(self._covered + new.normals + excess * (self.coverage.n_normals + 1) + 0 * price)

"""The `refined` solver: local search on the paper's own objectives (union of normals, lost outliers).

A move adds a tag to a group, drops one, or swaps one for another; the search ends where no move helps. Moves are
judged by the outliers first, which are few; the normals of a tag are counted only if that leaves a chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, count, pack, weigh
from pyod_explain.coverage import Coverage
from pyod_explain.explainers.problem import TOLERANCE, BudgetedCover, WeightedCover

__all__ = ["refine_budgeted", "refine_weighted"]

Chosen = list[list[int]]
BLOCK = 128  # tags whose normals are counted at once
PRECISION = 1e-9  # a smaller improvement is rounding
PRICES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)  # of a lost outlier: weighted searches that a budgeted one starts from


def refine_weighted(problem: WeightedCover, start: Chosen) -> Chosen:
    """Improve a selection for WCCM; the result is never worse than `start`, and has no redundant tag.

    The search runs from `start` and from nothing, and the better end is taken.
    """
    goal = _Weighted(problem.weight)
    limit = np.full(problem.coverage.n_groups, problem.coverage.n_tags, dtype=np.float64)
    search = _LocalSearch(problem.coverage, problem.eligible, goal, limit)
    empty: Chosen = [[] for _ in start]
    return min((search.climb(one) for one in (start, empty)), key=search.score)


def refine_budgeted(problem: BudgetedCover, start: Chosen | None) -> Chosen | None:
    """Improve a selection for BCCM, or find one; None if no selection was found that meets the constraints.

    The search runs from `start`, from nothing, and from weighted searches at several prices of a lost outlier.
    """
    cov = problem.coverage
    search = _LocalSearch(cov, problem.eligible, _Budgeted.of(problem), problem.max_tags)
    empty: Chosen = [[] for _ in range(cov.n_groups)]
    starts = [empty] if start is None else [start, empty]
    for price in PRICES:
        weight = np.full(cov.n_groups, price)
        starts.append(_LocalSearch(cov, problem.eligible, _Weighted(weight), problem.max_tags).climb(empty))
    ends = [search.climb(one) for one in starts]
    feasible = [end for end in ends if not problem.excess(end).any()]
    return min(feasible, key=lambda end: (problem.objective(end), sum(map(len, end))), default=None)


class _Goal(Protocol):
    """What to minimise, of the weight of covered normals and of the lost outliers of each group."""

    def of_lost(self, lost: NDArray[np.float64]) -> NDArray[np.float64]:
        """Cost of what each group loses, elementwise; groups are rows. The normals' weight is added to the sum."""
        ...


@dataclass(frozen=True)
class _Weighted:
    weight: NDArray[np.float64]

    def of_lost(self, lost: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.weight.reshape(-1, *[1] * (lost.ndim - 1)) * lost)


@dataclass(frozen=True)
class _Budgeted:
    """Losing more than allowed costs more than covering all normals; within the budget only normals count."""

    allowed: NDArray[np.float64]
    penalty: float
    whole: bool  # outliers are counted, so an excess is a whole number of them

    @classmethod
    def of(cls, problem: BudgetedCover) -> _Budgeted:
        cov = problem.coverage
        normals = cov.n_normals if cov.normal_weights is None else float(cov.normal_weights.sum())
        # With weights an excess may be any fraction; a thousandth of an outlier still outweighs all normals.
        return cls(problem.allowed, (normals + 1) * (1e3 if cov.weighted else 1.0), not cov.weighted)

    def of_lost(self, lost: NDArray[np.float64]) -> NDArray[np.float64]:
        over = lost - self.allowed.reshape(-1, *[1] * (lost.ndim - 1)) - TOLERANCE
        return np.asarray(self.penalty * np.maximum(np.ceil(over) if self.whole else over, 0.0))


@dataclass(frozen=True)
class _State:
    """What a selection covers and loses."""

    normals: Words
    mass: float  # of those normals
    free: Words  # outliers that no tag of any group covers
    safe: Words  # outliers that their own group covers and no other
    lost: NDArray[np.float64]  # one per group


@dataclass(frozen=True, eq=False)
class _LocalSearch:
    """Add, drop and swap tags while that lowers the score."""

    coverage: Coverage
    eligible: NDArray[np.bool_]
    goal: _Goal
    limit: NDArray[np.float64]  # most tags of each group

    def score(self, chosen: Sequence[Sequence[int]]) -> float:
        """Compute the score of a selection from scratch."""
        return self._score(self._state(chosen))

    def _score(self, state: _State) -> float:
        return float(state.mass + self.goal.of_lost(state.lost).sum())

    def climb(self, start: Chosen) -> Chosen:
        """Move to better selections until there is none: adding first, then each tag dropped or swapped in turn."""
        chosen = [list(tags) for tags in start]
        score = self.score(chosen)
        improved = True
        while improved:
            improved = False
            while (found := self._best_addition(chosen, below=score - PRECISION)) is not None:
                score, group, tag = found
                chosen[group].append(tag)
                improved = True
            for group, tag in [(k, j) for k, tags in enumerate(chosen) for j in tags]:
                rest = [[j for j in tags if (k, j) != (group, tag)] for k, tags in enumerate(chosen)]
                without = self.score(rest)
                found = self._best_addition(rest, below=min(score, without) - PRECISION)
                if found is not None:
                    score, other, new = found
                    rest[other].append(new)
                elif without <= score + PRECISION:  # no loss: the tag is redundant
                    score = min(score, without)
                else:
                    continue
                chosen, improved = rest, True
        return chosen

    def _best_addition(self, chosen: Chosen, *, below: float) -> tuple[float, int, int] | None:
        """Find the tag and group whose addition scores lowest: (score, group, tag), or None if none is below."""
        cov = self.coverage
        state = self._state(chosen)
        outlier_part = self._outlier_part(state, chosen)
        group = np.argmin(outlier_part, axis=0)
        bound = state.mass + outlier_part[group, np.arange(cov.n_tags)]  # no normal added: the least it can score
        order = np.flatnonzero(bound < below)
        order = order[np.argsort(bound[order], kind="stable")]
        best: tuple[float, int, int] | None = None
        for start in range(0, len(order), BLOCK):
            block = order[start : start + BLOCK]
            block = block[bound[block] < below]
            if not len(block):
                break
            new = cov.normal_bits[block] & ~state.normals
            added = count(new) if cov.normal_weights is None else weigh(new, cov.normal_weights)
            scores = bound[block] + added
            i = int(np.lexsort((block, scores))[0])
            if scores[i] < below:
                below = float(scores[i])
                best = (below, int(group[block[i]]), int(block[i]))
        return best

    def _outlier_part(self, state: _State, chosen: Chosen) -> NDArray[np.float64]:
        """Cost of the lost outliers after adding a tag (column) to a group (row); infinite where not allowed."""
        cov = self.coverage
        gain = cov.weigh_groups(cov.outlier_bits & state.free)  # by group and tag: outliers that it would explain
        harm = cov.weigh_groups(
            cov.outlier_bits & state.safe
        )  # by group and tag: outliers that it would spoil, given to another group
        lost = state.lost[:, None]
        spoiled = self.goal.of_lost(lost + harm)
        part = spoiled.sum(axis=0)[None, :] - spoiled + self.goal.of_lost(lost - gain)
        allowed = self.eligible & (gain > 0)
        for k, tags in enumerate(chosen):
            allowed[:, tags] = False  # a tag describes one group
            if len(tags) >= self.limit[k]:
                allowed[k] = False
        return np.where(allowed, part, np.inf)

    def _state(self, chosen: Sequence[Sequence[int]]) -> _State:
        cov = self.coverage
        normals = cov.normals_with(j for tags in chosen for j in tags)
        covered = cov.own_and_foreign(chosen)
        own = np.concatenate([one for one, _ in covered])
        foreign = np.concatenate([other for _, other in covered])
        everyone = np.concatenate([pack(np.ones(int(size), dtype=bool)) for size in cov.group_sizes])
        safe = own & ~foreign
        lost = cov.weigh_groups((everyone & ~safe)[None, :])[:, 0]
        free = everyone & ~own & ~foreign
        return _State(normals, cov.weigh_normals(normals), free, safe, lost.astype(np.float64))

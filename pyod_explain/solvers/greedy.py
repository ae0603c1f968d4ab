"""The paper's greedy algorithms: Algorithm 1 (D-WCCM) and Algorithm 2 (D-BCCM), ties included.

The printed algorithms leave a few things open; docs/paper.md ("Deviations from the paper") lists how they are read.
Both need the normals only as one count per tag; each round recounts the outliers that are still uncovered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pyod_explain._arrays import BoolArray, FloatArray, IntArray
from pyod_explain.coverage import Coverage
from pyod_explain.solvers.problem import NEVER, TOLERANCE, BudgetedCover, Deadline, WeightedCover

EPSILON = 1e-9  # in prices and in tau
TAU_ROUNDING = 1e-12  # relative: a price above tau by less is equal, as that of a single outlier may be
TAGS_REFRESHED = 64  # tags whose prices are brought up to date at once


def greedy_weighted(problem: WeightedCover, deadline: Deadline = NEVER) -> list[list[int]]:
    """Choose tags by Algorithm 1: the cheapest (tag, group) next, until ignoring what is left is cheaper.

    Past the deadline it ends with what it has chosen by then: a start for other searches, no longer Algorithm 1.
    """
    cov, weight = problem.coverage, problem.weight
    chosen: list[list[int]] = [[] for _ in range(cov.n_groups)]
    cost = np.stack([_cost(cov, weight, k) for k in range(cov.n_groups)])
    active = np.ones(cov.n_groups, dtype=bool)  # groups that were not given up
    left = cov.group_counts  # uncovered outliers
    uncovered = cov.all_outliers.copy()
    for group in np.argsort(weight, kind="stable").tolist():
        tau = weight[group] / (1 + EPSILON)  # price of ignoring an outlier of the group
        while not deadline.passed:
            price = np.full(left.shape, np.inf)
            candidate = problem.eligible & active[:, None] & (left > 0)
            np.divide(cost, left[active].sum(axis=0) + EPSILON, out=price, where=candidate)
            best = price.min(initial=np.inf)
            if best > tau * (1 + TAU_ROUNDING):
                active[group] = False  # its uncovered outliers leave the universe with it
                break
            tag, k = _first_of_the_cheapest(price == best, left)
            chosen[k].append(tag)
            uncovered &= ~cov.outlier_bits[tag]
            left = cov.count_groups(cov.outlier_bits & uncovered)
    return chosen


def _cost(cov: Coverage, weight: FloatArray, group: int) -> FloatArray:
    """w(S, k): weighted outliers of the other groups plus normals; the weight is that of the outlier's own group."""
    cost = np.zeros(cov.n_tags)
    for other in range(cov.n_groups):
        if other != group:
            cost += weight[other] * cov.group_counts[other]
    return np.asarray(cost + cov.normal_counts)


def _first_of_the_cheapest(cheapest: BoolArray, left: IntArray) -> tuple[int, int]:
    """Break ties: most newly covered outliers of the own group, then lowest tag, then lowest group."""
    tags, groups = np.nonzero(cheapest.T)  # sorted by tag, then by group
    first = int(np.argmax(left[groups, tags]))
    return int(tags[first]), int(groups[first])


@dataclass(frozen=True)
class Stuck:
    """Where Algorithm 2 gave up: no candidate tag for a group (0-based) in a round (1-based)."""

    group: int
    round: int


def greedy_budgeted(problem: BudgetedCover, deadline: Deadline = NEVER) -> list[list[int]] | Stuck:
    """Choose tags by Algorithm 2: group by group, the cheapest tag that covers and spares enough.

    Past the deadline it gives up.
    """
    cov = problem.coverage
    n_groups = cov.n_groups
    chosen: list[list[int]] = [[] for _ in range(n_groups)]
    need = (1 - problem.max_uncovered) * cov.group_sizes  # r: outliers still to cover
    spare = cov.group_sizes - need  # r-bar: outliers that descriptions of other groups may still cover
    rounding = TOLERANCE * cov.group_sizes
    rounds_left = problem.max_tags.copy()
    uncovered = cov.all_outliers.copy()
    left = cov.group_counts
    for k in range(n_groups):
        others = [m for m in range(n_groups) if m != k]
        budget = int(problem.max_tags[k])
        for rest in range(budget, 0, -1):
            if need[k] <= rounding[k]:
                break
            candidate = problem.eligible[k] & (left[k] > 0) & (left[k] >= need[k] / rest - rounding[k])
            for m in others:
                candidate &= left[m] <= spare[m] / (rounds_left.sum() - rounds_left[m]) + rounding[m]
            if not candidate.any() or deadline.passed:
                return Stuck(k, budget - rest + 1)
            price = np.full(cov.n_tags, np.inf)
            np.divide(cov.normal_counts, left[k] + EPSILON, out=price, where=candidate)
            tag, _ = _first_of_the_cheapest((price == price.min())[None, :], left[[k]])
            chosen[k].append(tag)
            need[k] -= left[k, tag]
            spare[others] -= left[others, tag]
            uncovered &= ~cov.outlier_bits[tag]
            left = cov.count_groups(cov.outlier_bits & uncovered)
            rounds_left[k] -= 1
        if need[k] > rounding[k]:
            return Stuck(k, budget)
        rounds_left[k] = 0
    return chosen


def greedy_cover(coverage: Coverage, pairs: BoolArray, max_tags: int | None = None) -> list[list[int]]:
    """Take the tag that covers most uncovered outliers of a group, again and again (PDM, DTDM).

    Ties go to the lowest tag, then to the lowest group. It ends where no tag covers more, or after `max_tags` tags. A
    tag describes one group, so a tag that two groups need may be gone when its turn comes: outliers that are left
    uncovered do not prove that there is no cover.

    Examples
    --------
    >>> cov = Coverage.from_dense([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 0]], [1, 1, 1, 0])
    >>> greedy_cover(cov, cov.eligible(0.0))
    [[0, 1]]
    """
    chosen: list[list[int]] = [[] for _ in range(coverage.n_groups)]
    left = coverage.all_outliers.copy()
    gain = np.where(pairs, coverage.group_counts, 0).T.copy()  # tags by groups
    stale = np.zeros(gain.shape, dtype=bool)  # counted before the last tag of the group: an upper bound
    while gain.size and gain.max() > 0 and (max_tags is None or sum(map(len, chosen)) < max_tags):
        tag, group = divmod(int(gain.argmax()), coverage.n_groups)
        words = coverage.slices[group]
        if stale[tag, group]:
            old = np.flatnonzero(stale[:, group])
            old = old[np.argsort(-gain[old, group], kind="stable")[:TAGS_REFRESHED]]
            gain[old, group] = coverage.count_group(coverage.outlier_bits[old, words] & left[words], group)
            stale[old, group] = False
            continue
        chosen[group].append(tag)
        left[words] &= ~coverage.outlier_bits[tag, words]
        gain[tag], stale[tag] = 0, False
        stale[:, group] = gain[:, group] > 0
    return chosen

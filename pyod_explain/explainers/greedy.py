"""The paper's greedy algorithms: Algorithm 1 (D-WCCM) and Algorithm 2 (D-BCCM), ties included.

The printed algorithms leave a few things open; docs/paper.md ("Deviations from the paper") lists how they are read.
Both need the normals only as one count per tag; each round recounts the outliers that are still uncovered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage
from pyod_explain.coverage.bits import Words, count, pack, weigh
from pyod_explain.explainers.problem import TOLERANCE, BudgetedCover, WeightedCover

__all__ = ["EPSILON", "Stuck", "greedy_budgeted", "greedy_weighted"]

EPSILON = 1e-9  # in prices and in tau


def greedy_weighted(problem: WeightedCover) -> list[list[int]]:
    """Choose tags by Algorithm 1: the cheapest (tag, group) next, until ignoring what is left is cheaper."""
    cov, weight = problem.coverage, problem.weight
    chosen: list[list[int]] = [[] for _ in range(cov.n_groups)]
    cost = np.stack([_cost(cov, weight, k) for k in range(cov.n_groups)]) if cov.n_groups else np.empty((0, 0))
    uncovered = _all_outliers(cov)
    left = np.array(cov.group_mass, dtype=np.float64)  # uncovered weight by group and tag
    active = np.ones(cov.n_groups, dtype=bool)
    for group in np.argsort(weight, kind="stable"):
        tau = weight[group] / (1 + EPSILON)  # price of ignoring an outlier of the group
        while _any_left(cov, uncovered, active):
            candidate = problem.eligible & active[:, None] & (left > 0)
            price = np.full(left.shape, np.inf)
            np.divide(cost, left[active].sum(axis=0) + EPSILON, out=price, where=candidate)
            best = price.min(initial=np.inf)
            if best > tau:
                active[group] = False  # its uncovered outliers leave the universe with it
                break
            tag, k = _first_of_the_cheapest(price == best, left)
            chosen[k].append(tag)
            uncovered &= ~cov.outlier_bits[tag]
            left = _recount(cov, uncovered)
    return chosen


def _cost(cov: Coverage, weight: NDArray[np.float64], group: int) -> NDArray[np.float64]:
    """w(S, k): weighted outliers of the other groups plus normals; the weight is that of the outlier's own group."""
    cost = np.zeros(cov.n_tags)
    for other in range(cov.n_groups):
        if other != group:
            cost += weight[other] * cov.group_mass[other]
    return np.asarray(cost + cov.normal_mass)


def _first_of_the_cheapest(cheapest: NDArray[np.bool_], left: NDArray[np.float64]) -> tuple[int, int]:
    """Break ties: most newly covered outliers of the own group, then lowest tag, then lowest group."""
    tags, groups = np.nonzero(cheapest.T)  # sorted by tag, then by group
    first = int(np.argmax(left[groups, tags]))
    return int(tags[first]), int(groups[first])


@dataclass(frozen=True)
class Stuck:
    """Where Algorithm 2 gave up: no candidate tag for a group (0-based) in a round (1-based)."""

    group: int
    round: int


def greedy_budgeted(problem: BudgetedCover) -> list[list[int]] | Stuck:
    """Choose tags by Algorithm 2: group by group, the cheapest tag that covers and spares enough."""
    cov = problem.coverage
    n_groups = cov.n_groups
    chosen: list[list[int]] = [[] for _ in range(n_groups)]
    totals = np.asarray(cov.group_totals, dtype=np.float64)
    need = (1 - problem.max_uncovered) * totals  # r: weight still to cover
    spare = totals - need  # r-bar: weight that descriptions of other groups may still cover
    rounds_left = problem.max_tags.copy()
    uncovered = _all_outliers(cov)
    left = np.array(cov.group_mass, dtype=np.float64)
    for k in range(n_groups):
        others = [m for m in range(n_groups) if m != k]
        budget = int(problem.max_tags[k])
        for rest in range(budget, 0, -1):
            if need[k] <= TOLERANCE:
                break
            candidate = problem.eligible[k] & (left[k] > 0) & (left[k] >= need[k] / rest - TOLERANCE)
            for m in others:
                alpha = spare[m] / (rounds_left.sum() - rounds_left[m])
                candidate &= left[m] <= alpha + TOLERANCE
            if not candidate.any():
                return Stuck(k, budget - rest + 1)
            price = np.full(cov.n_tags, np.inf)
            np.divide(cov.normal_mass, left[k] + EPSILON, out=price, where=candidate)
            tag, _ = _first_of_the_cheapest((price == price.min())[None, :], left[[k]])
            chosen[k].append(tag)
            need[k] -= left[k, tag]
            spare[others] -= left[others, tag]
            uncovered &= ~cov.outlier_bits[tag]
            left = _recount(cov, uncovered)
            rounds_left[k] -= 1
        if need[k] > TOLERANCE:
            return Stuck(k, budget)
        rounds_left[k] = 0
    return chosen


def _all_outliers(cov: Coverage) -> Words:
    ones = [pack(np.ones(int(size), dtype=bool)) for size in cov.group_sizes]
    return np.concatenate([np.empty(0, dtype=np.uint64), *ones])


def _any_left(cov: Coverage, uncovered: Words, active: NDArray[np.bool_]) -> bool:
    return any(uncovered[words].any() for words, on in zip(cov.slices, active, strict=True) if on)


def _recount(cov: Coverage, uncovered: Words) -> NDArray[np.float64]:
    """Weigh, by group and tag, the outliers that are still uncovered."""
    left = np.empty((cov.n_groups, cov.n_tags))
    remaining = cov.outlier_bits & uncovered
    for k, words in enumerate(cov.slices):
        part = remaining[:, words]
        left[k] = count(part) if cov.group_weights is None else weigh(part, cov.group_weights[k])
    return left

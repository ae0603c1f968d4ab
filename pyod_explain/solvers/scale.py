"""The unit in which weights are given must not matter: each problem is brought to one and the same scale on entry.

Weights of rows become small whole numbers where they are multiples of one step, as counts are, or 1, 2, 5 and 0.1, 0.2,
0.5; rows that all weigh the same are counted. Other weights are rounded to multiples of 2**-48 of their sum. Either
way sums of weights are exact, in whichever order they are added: equal sets weigh the same, ties are ties, and
weights that were multiplied by 10**-12 lead to the same problem as before, to the last bit. What the rounding can
change in an objective is added up (`Scaled.slack`) and taken off what is proved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.solvers.problem import BudgetedCover, Chosen, WeightedCover

__all__ = ["Scaled", "common_step", "scale_budgeted", "scale_weighted"]

Floats = NDArray[np.float64]
Problem = TypeVar("Problem", WeightedCover, BudgetedCover)

SAME = 1e-14  # weights that differ by a smaller share of them were meant to be equal: a multiplication rounds
GRID = 2.0**-48  # of the sum of weights that have no common step
DIGITS = 40  # binary, that are kept of a weight (λ) that is no simple fraction
MOST_PARTS = 10_000  # of the smallest weight, into which a common step may divide it
MOST_VALUES = 10_000  # distinct weights, beyond which no common step is looked for
LARGEST = 2**31  # times the step
WIDEST = 1e30  # a lost outlier may cost this many times as much as a normal row, or as little
PROVED = 1e-8  # a slack up to this share of the objective is within the precision of all proofs


@dataclass(frozen=True, eq=False)
class Scaled(Generic[Problem]):
    """A problem as it was asked and the one that is solved instead.

    Attributes
    ----------
    asked, solved : the two problems; a selection of one is a selection of the other.
    factor : the objective of `asked` is `factor` times that of `solved`, ...
    slack : ... but for a difference of at most this.
    """

    asked: Problem
    solved: Problem
    factor: float
    slack: float

    def bound(self, bound: float, tags: Chosen) -> float:
        """Translate a proved bound; the objective of `tags` itself where they are proved optimal."""
        objective = self.asked.objective(tags)
        if bound >= self.solved.objective(tags) and self.slack <= PROVED * objective:
            return objective
        return min(max(self.factor * bound - self.slack, 0.0), objective)


def scale_weighted(problem: WeightedCover) -> Scaled[WeightedCover]:
    """Scale normals and outliers, each by their own unit, and the weight (λ) by the ratio of the two."""
    cov = problem.coverage
    normals, normal_unit = _rescale(cov.normal_weights)
    together, unit = _rescale(None if cov.group_weights is None else np.concatenate([np.zeros(0), *cov.group_weights]))
    groups = None if together is None else tuple(np.split(together, np.cumsum(cov.group_lines)[:-1]))
    weight = np.array([_snap(float(one) * unit / normal_unit) for one in problem.weight])
    _check_weight(problem, weight)
    slack = _error(cov.normal_weights, 1.0, normals, normal_unit, len(cov.normal_rows))
    for k, size in enumerate(cov.group_lines.tolist()):
        before, after = _group(cov.group_weights, k), _group(groups, k)
        slack += _error(before, float(problem.weight[k]), after, normal_unit * float(weight[k]), size)
    solved = replace(problem, coverage=_reweigh(cov, normals, groups), weight=weight)
    return Scaled(problem, solved, normal_unit, slack)


def scale_budgeted(problem: BudgetedCover) -> Scaled[BudgetedCover]:
    """Scale the normals, and each group's outliers by a unit of their own: only shares of a group count."""
    cov = problem.coverage
    normals, unit = _rescale(cov.normal_weights)
    groups: tuple[Floats, ...] | None = None
    if cov.group_weights is not None:
        scaled = [_rescale(weights)[0] for weights in cov.group_weights]
        if any(one is not None for one in scaled):
            groups = tuple(_filled(one, int(n)) for one, n in zip(scaled, cov.group_lines, strict=True))
    solved = replace(problem, coverage=_reweigh(cov, normals, groups))
    return Scaled(problem, solved, unit, _error(cov.normal_weights, 1.0, normals, unit, len(cov.normal_rows)))


def _reweigh(cov: Coverage, normals: Floats | None, groups: tuple[Floats, ...] | None) -> Coverage:
    """Give the rows other weights; the same coverage, with all that it has counted, where nothing changes."""
    if cov.normal_weights is not None and cov.normal_copies is not None:
        # Lines of the same weight in all, whose copies would count if nothing were said.
        normals = _filled(normals, len(cov.normal_rows))
        groups = tuple(_filled(_group(groups, k), int(n)) for k, n in enumerate(cov.group_lines))
    same_normals = normals is cov.normal_weights
    return (
        cov
        if same_normals and groups is cov.group_weights
        else replace(cov, normal_weights=normals, group_weights=groups)
    )


def _check_weight(problem: WeightedCover, scaled: Floats) -> None:
    """Refuse a weight (λ) against which nothing else counts in floating point, or the other way round."""
    given, totals = problem.weight, np.asarray(problem.coverage.group_totals, dtype=np.float64)
    with np.errstate(over="ignore"):
        finite = np.isfinite(given * totals + problem.coverage.normal_total)
    wrong = np.flatnonzero(~((scaled >= 1 / WIDEST) & (scaled <= WIDEST) & finite))
    if len(wrong):
        raise PyodExplainError(
            f"`weight` of WCCM must be such that losing an outlier costs from {1 / WIDEST:g} to {WIDEST:g} times as "
            f"much as covering a normal row, with the rows' own weights taken into account; got {given[wrong[0]]:g}.\n"
            "Hint: beyond that range a larger or smaller `weight` makes no difference."
        )


def _rescale(weights: Floats | None) -> tuple[Floats | None, float]:
    """Return weights on the common scale, None if all count the same, and the unit that they were divided by.

    >>> _rescale(np.array([3e-9, 1.5e-9, 6e-9]))[0].tolist(), _rescale(np.array([7.0, 7.0]))
    ([2.0, 1.0, 4.0], (None, 7.0))
    """
    if weights is None:
        return None, 1.0
    positive = weights[weights > 0]
    if not len(positive):
        return weights, 1.0
    low, high = float(positive.min()), float(positive.max())
    if len(positive) == len(weights) and high - low <= SAME * high:
        return None, high
    step = common_step(positive)
    if step:
        whole, unit = np.rint(weights / step), step
    else:
        unit = float(weights.sum()) * GRID
        whole = np.where(weights > 0, np.maximum(np.rint(weights / unit), 1.0), 0.0)
    # By a power of two, which is exact, so that the largest are near 1,000: HiGHS has absolute tolerances.
    places = max(math.frexp(float(whole.max()))[1] - 10, 0)
    return np.asarray(whole * 2.0**-places), unit * 2.0**places


def common_step(values: Floats) -> float:
    """Return the largest number of which all values, above 0, are multiples; 0 if there is none to speak of.

    >>> common_step(np.array([3.0, 7.5])), common_step(np.array([1.0, np.pi]))
    (1.5, 0.0)
    """
    distinct = np.unique(values)
    if not 0 < len(distinct) <= MOST_VALUES:
        return 0.0
    low = float(distinct[0])
    if low < float(distinct[-1]) / LARGEST:
        return 0.0  # asked this way round, for the quotient may be beyond all floats
    parts = 1
    for ratio in (distinct / low).tolist():
        near = Fraction(ratio * parts).limit_denominator(MOST_PARTS)
        parts *= near.denominator
        times = ratio * parts
        if parts > MOST_PARTS or times > LARGEST or abs(times - round(times)) > SAME * times:
            return 0.0
    whole = np.rint(distinct / low * parts).astype(np.int64)
    # From the largest value, which is known the best.
    return float(distinct[-1] / (whole[-1] // np.gcd.reduce(whole)))


def _snap(value: float) -> float:
    """Round to a simple fraction, or to 40 binary digits, so that values meant to be equal are.

    >>> _snap(2.5 * (1 + 2e-16)), _snap(1e9 / 3) == 1e9 / 3
    (2.5, True)
    """
    if not 0 < value < np.inf:
        return value
    if value < 1:
        return 1 / _snap(1 / value) if 1 / value < np.inf else 0.0
    near = Fraction(value).limit_denominator(1000)
    if abs(near - Fraction(value)) <= Fraction(SAME) * near:
        return float(near)
    digits, exponent = math.frexp(value)
    return math.ldexp(round(math.ldexp(digits, DIGITS)), exponent - DIGITS)


def _error(before: Floats | None, price: float, after: Floats | None, unit: float, size: int) -> float:
    """Add up by how much the costs of rows have changed."""
    return float(np.abs(price * _filled(before, size) - unit * _filled(after, size)).sum())


def _filled(weights: Floats | None, size: int) -> Floats:
    return np.ones(size) if weights is None else weights


def _group(weights: tuple[Floats, ...] | None, k: int) -> Floats | None:
    return None if weights is None else weights[k]

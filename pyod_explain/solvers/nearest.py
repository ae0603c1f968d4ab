"""Which budgets would do, where those of BCCM cannot be met: the nearest selection, and what it takes to meet them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pyod_explain.solvers.deadline import Deadline
from pyod_explain.solvers.gains import Gains
from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.local_search import closest_budgeted
from pyod_explain.solvers.milp import Program, Untimed
from pyod_explain.solvers.problem import BudgetedCover
from pyod_explain.solvers.reduce import Reduced, merged, reduced_in_time, without_normals
from pyod_explain.solvers.scale import Scaled

__all__ = ["Nearest", "least_uncovered", "nearest", "tags_needed"]

Floats = NDArray[np.float64]

MOST_SECONDS = 1.0  # for each program
UNTIMED = Untimed(each=8e-5, most=np.inf)  # up to 3e-5 measured with scipy 1.17, 8e-5 with 1.13
PRECISION = 1e-5  # a bound of the excess (a sum of shares of groups) up to this may be a rounding of HiGHS


@dataclass(frozen=True)
class Nearest:
    """The selection whose groups lose the least more than allowed, as a sum of shares.

    Attributes
    ----------
    tags : the selection; it keeps to `max_tags`.
    excess : for each group, the share of it that it loses beyond what is allowed; all 0 if the budgets are met. A
        share, for it is found in the scaled problem and read in the problem as it was asked.
    impossible : whether it is proved that no selection meets the budgets.
    small : the problem reduced, without its normals, which play no part here; None where there was no time for it.
    """

    tags: list[list[int]]
    excess: Floats
    impossible: bool
    small: Reduced | None

    @property
    def feasible(self) -> bool:
        return not self.excess.any()


def nearest(
    problem: BudgetedCover, deadline: Deadline, *, impossible: bool = False, limits: Limits = LIMITS
) -> Nearest:
    """Find the selection that comes nearest to the budgets of BCCM; the normals play no part in it.

    Parameters
    ----------
    impossible : it is proved already that no selection meets the budgets.
    """
    price = 1 / np.where(problem.totals > 0, problem.totals, 1.0)
    # HiGHS comes to nothing on thousands of tags within the time; local search always has an answer.
    found = [closest_budgeted(problem, deadline.part(0.5))]
    small = reduced_in_time(without_normals(problem.coverage), problem.eligible, deadline, limits)
    answer = _NOTHING
    if small is not None:
        room = problem.limit - small.hopeless
        impossible = impossible or bool((room < 0).any())  # some group has too many outliers that no tag covers
        answer = _cover(small, problem.max_tags, room, deadline.part(0.5), limits, excess_price=price)
    if answer.tags is not None and not problem.broken_but_for_losses(answer.tags):
        found = [answer.tags, *found]
    tags = min(found, key=lambda one: float(problem.excess(one) @ price))
    excess = problem.excess(tags) * price
    impossible = bool(excess.any()) and (impossible or answer.bound > PRECISION)
    return Nearest(tags, excess, impossible, small)


def least_uncovered(
    scaled: Scaled[BudgetedCover], small: Reduced | None, k: int, deadline: Deadline, limits: Limits
) -> float:
    """Lowest share of the group that its own tags, within their number, leave uncovered; as found."""
    problem = scaled.asked
    cov = problem.coverage
    total = float(cov.group_totals[k])
    # In the scaled problem, whose tags are weighed already; the order of the tags is the same.
    found = [_most_covering(scaled.solved, k, deadline)]
    if small is not None and not deadline.passed:
        mine = np.arange(cov.n_groups) == k
        price = mine / (float(scaled.solved.totals[k]) or 1.0)
        only = np.zeros_like(problem.eligible)
        only[k, small.tags] = small.pairs[k]
        own = merged(without_normals(scaled.solved.coverage), only)
        answer = _cover(own, problem.max_tags, np.where(mine, 0.0, np.inf), deadline, limits, excess_price=price)
        if answer.tags is not None and len(answer.tags[k]) <= problem.max_tags[k]:
            found.append(answer.tags[k])
    most = max(cov.weigh_group(cov.outliers_with(tags), k) for tags in found)
    return (total - most) / total if total else 0.0


def _most_covering(problem: BudgetedCover, k: int, deadline: Deadline) -> list[int]:
    """Take the tag that covers most of what is uncovered, as many times as the group may have tags."""
    mine = np.arange(problem.coverage.n_groups)[:, None] == k
    gains = Gains(problem.coverage, problem.eligible & mine, weighted=True)
    chosen: list[int] = []
    while len(chosen) < problem.max_tags[k] and (best := gains.best(deadline)) is not None:
        gains.take(*best)
        chosen.append(best[0])
    return chosen


def tags_needed(
    scaled: Scaled[BudgetedCover], small: Reduced | None, k: int, deadline: Deadline, limits: Limits
) -> int | None:
    """Fewest tags found for the group with which all budgets can be met, those of the other groups unchanged."""
    if small is None:
        return None
    problem = scaled.asked
    one = np.arange(small.n_groups) == k
    most = np.where(one, float(len(small.tags)), problem.max_tags)
    answer = _cover(small, most, scaled.solved.limit - small.hopeless, deadline, limits, tag_price=one * 1.0)
    if answer.tags is None or replace(problem, max_tags=most).broken(answer.tags):
        return None
    return len(answer.tags[k]) if len(answer.tags[k]) > problem.max_tags[k] else None


@dataclass(frozen=True)
class _Cover:
    tags: list[list[int]] | None  # None: no selection was found
    bound: float  # of the price, as far as it is proved


_NOTHING = _Cover(None, bound=-np.inf)


def _cover(
    small: Reduced,
    max_tags: Floats,
    room: Floats,
    deadline: Deadline,
    limits: Limits,
    *,
    excess_price: Floats | None = None,
    tag_price: Floats | None = None,
) -> _Cover:
    """Meet the budgets at the lowest price of excess losses and of tags.

    Columns: y (tag describes group), v (outlier is lost), e (what a group loses beyond its room, as a share of it; 0
    without a price), z (tag describes some group). With z, there is one row for an outlier and a tag that covers it,
    however many groups there are: if the tag describes another group than the outlier's own, the outlier is lost.
    """
    group, n_groups = small.outlier_group, small.n_groups
    outlier, tag = np.nonzero(small.outliers)
    pair_group, pair_tag = np.nonzero(small.pairs)
    n_y, n_v, n_z = len(pair_tag), len(small.outliers), len(small.tags)
    nonzeros = 4 * (len(tag) + n_y)
    if nonzeros > limits.nearest_program or not UNTIMED.leaves_time(nonzeros, deadline):
        return _NOTHING
    program = Program(UNTIMED)
    total = small.group_mass
    total = np.where(total > 0, total, 1.0)
    per_tag = np.zeros(n_groups) if tag_price is None else tag_price
    y = program.columns("tag describes group", n_y, cost=per_tag[pair_group], whole=True)
    v = program.columns("outlier is lost", n_v)
    price, most = (0.0, 0.0) if excess_price is None else (excess_price * total, np.inf)
    e = program.columns("excess of group", n_groups, cost=price, upper=most)
    z = program.columns("tag describes some group", n_z)
    column = np.full(small.pairs.shape, -1, dtype=np.intp)
    column[pair_group, pair_tag] = y
    own = column[group[outlier], tag]
    able = np.flatnonzero(own >= 0)
    # Covered by its own group, or lost.
    program.add(n_v, -1.0, (outlier[able], own[able], -1.0), (np.arange(n_v), v, -1.0))
    # Covered by another group: lost.
    here = np.arange(len(tag))
    program.add(len(tag), 0.0, (here, z[tag], 1.0), (able, own[able], -1.0), (here, v[outlier], -1.0))
    program.add(n_z, 0.0, (pair_tag, y, 1.0), (np.arange(n_z), z, -1.0))  # and z is at most 1: one group for each tag
    program.add(n_groups, max_tags, (pair_group, y, 1.0))
    # In shares of the group: HiGHS has absolute tolerances.
    mass = small.outlier_mass / total[group]
    program.add(n_groups, room / total, (group, v, mass), (np.arange(n_groups), e, -1.0))
    answer = program.solve(deadline, most=MOST_SECONDS)
    bound = answer.bound if answer.value is None else answer.value
    bound = -np.inf if bound is None else bound
    if answer.x is None:
        return _Cover(None, bound)
    return _Cover(small.selection(answer.x[y] > 0.5), bound)

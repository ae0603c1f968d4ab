"""Why there is no description: errors that name the group and the way out, and the search for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from pyod_explain.bits import count, weigh
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.solvers.deadline import Deadline
from pyod_explain.solvers.greedy import Stuck
from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.local_search import closest_budgeted
from pyod_explain.solvers.milp import Rows
from pyod_explain.solvers.problem import TOLERANCE, BudgetedCover
from pyod_explain.solvers.reduce import Reduced, merged, reduced_in_time, without_normals
from pyod_explain.solvers.scale import Scaled

__all__ = ["BudgetError", "Nearest", "UncoverableError", "budget_error", "nearest", "relaxed", "uncoverable"]

Floats = NDArray[np.float64]

MOST_SECONDS = 1.0  # for each program
# Seconds a nonzero in which HiGHS may not look at its clock: up to 3e-5 measured with scipy 1.17, 8e-5 with 1.13.
UNTIMED = 8e-5
PRECISION = 1e-5  # a bound of the excess (a sum of shares of groups) up to this may be a rounding of HiGHS


class UncoverableError(InfeasibleError):
    """Some outliers are covered by no tag that may describe them.

    Attributes
    ----------
    rows : positions of those outliers in the table.
    """

    def __init__(self, message: str, *, rows: Sequence[int] = (), **facts: Any) -> None:
        super().__init__(message, **facts)
        self.rows = tuple(int(row) for row in rows)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the keyword arguments, which the default of exceptions would lose."""
        facts = {"rows": self.rows, "group": self.group, "round": self.round, "proved": self.proved}
        return _rebuild, (type(self), str(self), facts)


class BudgetError(InfeasibleError):
    """The budgets of BCCM were not met; `proved` tells a theorem from a search that gave up.

    Attributes
    ----------
    best_uncovered : lowest share of the group that its own `max_tags` tags were found to leave uncovered.
    needed_max_tags : fewest tags found with which the group's budgets could be met, or None.
    needed_max_uncovered : lowest share found with which they could be met, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        best_uncovered: float | None = None,
        needed_max_tags: int | None = None,
        needed_max_uncovered: float | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(message, **facts)
        self.best_uncovered = best_uncovered
        self.needed_max_tags = needed_max_tags
        self.needed_max_uncovered = needed_max_uncovered

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the keyword arguments, which the default of exceptions would lose."""
        names = ("best_uncovered", "needed_max_tags", "needed_max_uncovered", "group", "round", "proved")
        return _rebuild, (type(self), str(self), {name: getattr(self, name) for name in names})


def _rebuild(kind: type[InfeasibleError], message: str, facts: dict[str, Any]) -> InfeasibleError:
    return kind(message, **facts)


def uncoverable(group: int, rows: Sequence[int], size: int, kind: str) -> UncoverableError:
    """Say which outliers of a group (0-based) no tag of this kind covers: a fact about the tags, so it is proved."""
    shown = ", ".join(str(int(row)) for row in rows[:10]) + (", ..." if len(rows) > 10 else "")
    return UncoverableError(
        f"Group {group + 1}: no {kind} covers {len(rows)} of its {size} outliers (rows {shown}), whatever is chosen.\n"
        "Hint: add tags that do, leave those rows out, or use WCCM or BCCM, which may leave outliers uncovered.",
        rows=rows,
        group=group + 1,
        proved=True,
    )


# --- the nearest budgets that can be met ------------------------------------------------------------------------


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
    small = reduced_in_time(without_normals(problem.coverage), problem.eligible, deadline)
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


def relaxed(problem: BudgetedCover, near: Nearest) -> tuple[BudgetedCover, tuple[str, ...]]:
    """Raise `max_uncovered` of the groups that exceed it to what the nearest selection needs, and say so."""
    lost = np.asarray(problem.coverage.weigh_lost(near.tags), dtype=np.float64)
    over = near.excess > 0
    share = np.where(over, lost / np.where(problem.totals > 0, problem.totals, 1.0), problem.max_uncovered)
    notes = tuple(
        f"`max_uncovered` of group {k + 1} was raised from {problem.max_uncovered[k]:.2f} to {share[k]:.2f}: "
        + ("no choice of tags" if near.impossible else "no choice of tags that was found")
        + " meets the given budgets."
        for k in np.flatnonzero(over)
    )
    return replace(problem, max_uncovered=share), notes


def budget_error(
    scaled: Scaled[BudgetedCover],
    near: Nearest,
    deadline: Deadline,
    stuck: Stuck | None = None,
    limits: Limits = LIMITS,
) -> BudgetError:
    """Say which group fails, what is reachable, and which budgets would do.

    Parameters
    ----------
    scaled : the problem as it was asked, and the one in which the nearest selection was found.
    stuck : where Algorithm 2 gave up, if that is why there is no selection.
    """
    problem = scaled.asked
    totals = problem.totals
    lost = np.asarray(problem.coverage.weigh_lost(near.tags), dtype=np.float64)
    share = np.divide(lost, totals, out=np.zeros_like(lost), where=totals > 0)
    k = int(np.argmax(near.excess)) if stuck is None else stuck.group
    alone = _alone(scaled, near.small, k, deadline.part(0.5), limits)
    tags_needed = _tags_needed(scaled, near.small, k, deadline, limits)
    # To be lost altogether is no budget: max_uncovered is below 1.
    share_needed = float(share[k]) if share[k] < 1 - TOLERANCE else None
    return BudgetError(
        _message(problem, near, k, alone, tags_needed, share, stuck),
        group=k + 1,
        round=None if stuck is None else stuck.round,
        proved=near.impossible,
        best_uncovered=alone,
        needed_max_tags=tags_needed,
        needed_max_uncovered=share_needed,
    )


def _message(
    problem: BudgetedCover,
    near: Nearest,
    k: int,
    alone: float,
    tags_needed: int | None,
    share: Floats,
    stuck: Stuck | None,
) -> str:
    limit, allowed = int(problem.max_tags[k]), problem.max_uncovered[k]
    what = f"at most {limit} tag{'s' if limit != 1 else ''} and at most {allowed:.0%} of the group lost"
    if near.feasible and stuck is not None:
        return (
            f"Group {k + 1}: the paper's greedy search gave up in round {stuck.round} of {limit}, though there is a "
            f"description with {what}.\nHint: use `solver='refined'`, which finds it."
        )
    verdict = "no choice of tags has (this is proved)" if near.impossible else "no choice of tags was found that has"
    facts = f"Group {k + 1}: {verdict} {what}. With that many tags of its own, {alone:.1%} stay uncovered at best"
    if alone <= allowed + TOLERANCE:
        facts += ", but tags that other groups need cover its outliers, or its tags theirs"
    over = np.flatnonzero(near.excess > 0)
    raise_to = ", ".join(f"{_ceil(share[m]):g} for group {m + 1}" for m in over)
    ways = [f"`max_uncovered` of {raise_to}"] if (share[over] < 1 - TOLERANCE).all() else []
    if tags_needed is not None:
        ways.append(f"`max_tags` of {tags_needed} for group {k + 1}")
    hint = f"{' or '.join(ways)} would do; " if ways else "add tags that cover more of the group; "
    return f"{facts}.\nHint: {hint}`relax=True` returns the nearest explanation."


def _ceil(share: float) -> float:
    return float(np.ceil(share * 1000 - 1e-6) / 1000)


def _alone(scaled: Scaled[BudgetedCover], small: Reduced | None, k: int, deadline: Deadline, limits: Limits) -> float:
    """Lowest share of the group that its own tags, within their number, leave uncovered; as found."""
    problem = scaled.asked
    cov = problem.coverage
    total = float(cov.group_totals[k])
    found = [_most_covering(problem, k)]
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


def _most_covering(problem: BudgetedCover, k: int) -> list[int]:
    """Take the tag that covers most of what is uncovered, as many times as the group may have tags."""
    cov = problem.coverage
    left = cov.outlier_bits[:, cov.slices[k]].copy()
    chosen: list[int] = []
    while len(chosen) < problem.max_tags[k]:
        gain = count(left) if cov.group_weights is None else weigh(left, cov.group_weights[k])
        gain = np.where(problem.eligible[k], gain, 0)
        if not gain.max(initial=0) > 0:
            break
        chosen.append(int(gain.argmax()))
        left &= ~left[chosen[-1]]
    return chosen


def _tags_needed(
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
    if nonzeros > limits.nearest_program or deadline.left <= UNTIMED * nonzeros:
        return _NOTHING
    y, v, e = np.arange(n_y), n_y + np.arange(n_v), n_y + n_v + np.arange(n_groups)
    z = n_y + n_v + n_groups + np.arange(n_z)
    rows = Rows(n_y + n_v + n_groups + n_z)
    column = np.full(small.pairs.shape, -1, dtype=np.intp)
    column[pair_group, pair_tag] = y
    own = column[group[outlier], tag]
    able = np.flatnonzero(own >= 0)
    # Covered by its own group, or lost.
    rows.add(n_v, -1.0, (outlier[able], own[able], -1.0), (np.arange(n_v), v, -1.0))
    # Covered by another group: lost.
    here = np.arange(len(tag))
    rows.add(len(tag), 0.0, (here, z[tag], 1.0), (able, own[able], -1.0), (here, v[outlier], -1.0))
    rows.add(n_z, 0.0, (pair_tag, y, 1.0), (np.arange(n_z), z, -1.0))  # and z is at most 1: one group for each tag
    rows.add(n_groups, max_tags, (pair_group, y, 1.0))
    # In shares of the group: HiGHS has absolute tolerances.
    total = np.bincount(group, weights=small.outlier_mass, minlength=n_groups)
    total = np.where(total > 0, total, 1.0)
    mass = small.outlier_mass / total[group]
    rows.add(n_groups, room / total, (group, v, mass), (np.arange(n_groups), e, -1.0))
    matrix, limit = rows.matrix()
    per_tag = np.zeros(n_groups) if tag_price is None else tag_price
    per_excess = np.zeros(n_groups) if excess_price is None else excess_price * total
    cost = np.concatenate([per_tag[pair_group], np.zeros(n_v), per_excess, np.zeros(n_z)])
    upper = np.ones(rows.n_columns)
    upper[e] = 0.0 if excess_price is None else np.inf
    whole = np.zeros(rows.n_columns, dtype=np.int64)
    whole[y] = 1
    answer = milp(
        cost,
        constraints=LinearConstraint(matrix, -np.inf, limit),
        bounds=Bounds(0.0, upper),
        integrality=whole,
        options={"time_limit": max(min(deadline.left, MOST_SECONDS), 0.05), "mip_rel_gap": 0.0},
    )
    bound = answer.mip_dual_bound
    bound = -np.inf if bound is None or not np.isfinite(bound) else float(bound)
    if answer.status == 0:  # solved to the end; a program without whole numbers has no other bound
        bound = float(answer.fun)
    if answer.x is None:
        return _Cover(None, bound)
    taken = answer.x[:n_y] > 0.5
    tags = [[int(small.tags[t]) for t in pair_tag[taken & (pair_group == k)]] for k in range(n_groups)]
    return _Cover(tags, bound)

"""Proved lower bounds for greedy and refined selections: branch and bound cut short, or a sharing of the costs."""

from __future__ import annotations

import numpy as np

from pyod_explain.solvers.branch import branch_and_bound, within_reach
from pyod_explain.solvers.choice import choice, parties_of, share_costs, time_to_share
from pyod_explain.solvers.cost_sharing import first_prices
from pyod_explain.solvers.deadline import Deadline
from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.problem import BudgetedCover, Chosen, WeightedCover
from pyod_explain.solvers.proof import cheapest_row, settle, step_of
from pyod_explain.solvers.reduce import Reduced

__all__ = ["budgeted_bound", "weighted_bound"]


def weighted_bound(
    problem: WeightedCover, small: Reduced | None, tags: Chosen, deadline: Deadline, limits: Limits = LIMITS
) -> float:
    """Prove a lower bound of WCCM's objective by the deadline.

    Parameters
    ----------
    small : the problem reduced; None if there was no time for it.
    tags : a good selection to compare with.
    """
    value = problem.objective(tags)
    if small is None or value == 0:  # no cost is below 0
        return 0.0
    asked = choice(small, problem.weight, deadline, limits)
    costs = np.r_[small.normal_mass, asked.loss]
    step, row = step_of(np.r_[costs, asked.fixed]), cheapest_row(costs)
    if within_reach(small, limits):
        found = branch_and_bound(
            small,
            asked.loss,
            cutoff=value - asked.fixed,
            step=step,
            seconds=deadline.left,
            max_parts=limits.few_parts,
            limits=limits,
        )
        return settle(found.bound + asked.fixed, value, step, row)
    if not time_to_share(small, deadline, limits):
        return settle(asked.fixed, value, step, row)
    sharing = share_costs(
        asked,
        value=value,
        target=value - 0.9 * step,
        deadline=deadline,
        parties=parties_of(small, tags, limits),
        limits=limits,
    )
    return settle(max(sharing.bound, asked.fixed), value, step, row)


def budgeted_bound(
    problem: BudgetedCover, small: Reduced | None, tags: Chosen, deadline: Deadline, limits: Limits = LIMITS
) -> float:
    """Prove a lower bound of BCCM's objective by the deadline; arguments as for `weighted_bound`."""
    value = problem.objective(tags)
    if small is None or value == 0:  # no cost is below 0
        return 0.0
    step, row = step_of(small.normal_mass), cheapest_row(small.normal_mass)
    if within_reach(small, limits):
        found = branch_and_bound(
            small,
            np.zeros(len(small.outliers)),
            cutoff=value,
            step=step,
            seconds=deadline.left,
            max_parts=limits.few_parts,
            max_tags=problem.max_tags,
            room=np.maximum(problem.limit - small.hopeless, 0.0),
            limits=limits,
        )
        return settle(found.bound, value, step, row)
    asked = choice(small, first_prices(small, value), deadline, limits)
    if not time_to_share(small, deadline, limits):
        return settle(0.0, value, step, row)
    sharing = share_costs(
        asked,
        value=value,
        target=value - 0.9 * step,
        deadline=deadline,
        parties=parties_of(small, tags, limits),
        allowed=problem.limit,
        limits=limits,
    )
    return settle(max(sharing.bound, 0.0), value, step, row)

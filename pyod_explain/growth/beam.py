"""`best_conjunctions`: the conjunctions of conditions that lower an objective most, found by a beam search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words
from pyod_explain.explainers import MarginalObjective, NewlyCovered
from pyod_explain.growth.pool import Pool
from pyod_explain.tags import gain, lifted

BEAM_WIDTH = 3  # partial rules kept at each length by the objective, and as many by information gain


@dataclass(frozen=True)
class Grown:
    """A conjunction: the positions of its conditions in the pool, and the objective once it is added."""

    value: float
    members: tuple[int, ...]


def best_conjunctions(
    pool: Pool, objective: MarginalObjective, *, max_length: int = 3, min_lift: float = 1.0, width: int = BEAM_WIDTH
) -> list[Grown]:
    """Return conjunctions that lower the objective, best first.

    All single conditions are looked at. Of each length the best few are extended: some by the objective, and some by
    information gain, since the first condition of a good pair need not lower the objective alone.

    Parameters
    ----------
    pool : the conditions to combine.
    objective : what is minimised, given the rules that there are.
    max_length : most conditions.
    min_lift : as for the explainer; here it concerns newly covered rows only.
    width : how many of each length are kept by either score.
    """
    found: dict[tuple[int, ...], float] = {}
    # Outliers are few: conditions that no uncovered outlier meets are dropped before the normals are counted.
    which = np.flatnonzero((pool.outliers & objective.own).any(axis=1))
    pool = pool.take(which, objective.normals)
    beam = [Partial((), objective.own | objective.others, objective.normals, np.inf)] if len(pool) else []
    for longer in reversed(range(max_length)):
        steps = [join(pool, objective, one, min_lift) for one in beam]
        for step in steps:
            for i in step.best(step.values, width):
                if step.values[i] < objective.current:
                    members = step.members(i)
                    found[members] = min(float(step.values[i]), found.get(members, np.inf))
        beam = _follow(pool, steps, width) if longer else []
    grown = (Grown(value, tuple(which[list(members)].tolist())) for members, value in found.items())
    return sorted(grown, key=lambda one: (one.value, len(one.members), one.members))  # of equal ones the shortest


@dataclass(frozen=True, eq=False)
class Partial:
    """A conjunction that may become longer: its rows, its bits, and the terms and sides that it has conditions on."""

    members: tuple[int, ...]
    outliers: Words
    normals: Words  # that no rule covers yet
    n_normals: float
    price: float = 0.0
    places: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Step:
    """One conjunction, extended by each condition of the pool that fits."""

    partial: Partial
    joined: NDArray[np.intp]
    new: NewlyCovered
    values: NDArray[np.float64]
    free: tuple[float, float]

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """Information gain of each, computed when it is asked for."""
        return gain(self.new.own, self.new.normals, *self.free)

    def members(self, i: int) -> tuple[int, ...]:
        """Return the conjunction with the i-th of these conditions added, sorted."""
        return tuple(sorted((*self.partial.members, int(self.joined[i]))))

    @staticmethod
    def best(scores: NDArray[np.float64], most: int) -> list[int]:
        """Return the positions of the lowest scores; ties by the order of the pool."""
        if len(scores) <= most:
            return [int(i) for i in np.argsort(scores, kind="stable")]
        few = np.flatnonzero(scores <= np.partition(scores, most - 1)[most - 1])
        return [int(i) for i in few[np.argsort(scores[few], kind="stable")[:most]]]


def join(pool: Pool, objective: MarginalObjective, partial: Partial, min_lift: float) -> Step:
    """Extend a conjunction by each condition of a pool, and compute the objective with each result."""
    joined = np.arange(len(pool))
    if partial.places:
        free = (pool.outliers & (partial.outliers & objective.own)).any(axis=1)
        taken = np.zeros(max(int(pool.places.max(initial=0)), *partial.places) + 1, dtype=bool)
        taken[list(partial.places)] = True
        joined = np.flatnonzero(free & ~taken[pool.places])
        new = objective.count(pool.outliers[joined] & partial.outliers, pool.normals[joined] & partial.normals)
    else:
        new = objective.count(pool.outliers, pool.normals)
    n_outliers, n_normals = objective.totals
    fits = (new.own > 0) & lifted(new.own, n_outliers, new.normals, n_normals, min_lift)
    fits &= new.normals < partial.n_normals  # a condition that excludes no normal row only makes the rule longer
    new, joined = new.take(np.flatnonzero(fits)), joined[fits]
    values = objective.value(new, partial.price + pool.prices[joined])
    return Step(partial, joined, new, values, objective.n_uncovered)


def _follow(pool: Pool, steps: list[Step], width: int) -> list[Partial]:
    """Keep the best conjunctions of all steps by either score; of those with equal counts, one."""
    taken: dict[tuple[float, float], Partial] = {}
    for scores in ([step.values for step in steps], [-step.gains for step in steps]):
        ranked = sorted(
            (float(score[i]), step.members(i), number, i)
            for number, (step, score) in enumerate(zip(steps, scores, strict=True))
            for i in step.best(score, 3 * width)
        )
        most = len(taken) + width
        for _, members, number, i in ranked:
            step = steps[number]
            key = float(step.new.own[i]), float(step.new.normals[i])
            if key not in taken and len(taken) < most:
                last, so_far = step.joined[i], step.partial
                outliers, normals = so_far.outliers & pool.outliers[last], so_far.normals & pool.normals[last]
                price = so_far.price + float(pool.prices[last])
                places = (*so_far.places, int(pool.places[last]))
                taken[key] = Partial(members, outliers, normals, key[1], price, places)
    return list(taken.values())

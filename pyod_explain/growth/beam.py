"""The conjunctions that would lower what is minimised most, found by a beam search over the conditions of a pool."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words
from pyod_explain.explainers import MarginalObjective, NewlyCovered
from pyod_explain.growth.pool import Pool
from pyod_explain.tags import gain

__all__ = ["Grown", "best_conjunctions"]

BEAM_WIDTH = 3  # conjunctions that are followed by their objective, and as many by information gain


@dataclass(frozen=True)
class Grown:
    """A conjunction: the positions of its conditions in the pool, and what is minimised if it is added."""

    value: float
    members: tuple[int, ...]


def best_conjunctions(
    pool: Pool, objective: MarginalObjective, prices: NDArray[np.float64], *, max_length: int = 3, min_lift: float = 1.0
) -> list[Grown]:
    """Give the conjunctions that make what is minimised smallest, best first; none that do not lower it.

    Those of one condition are looked at all; of each length the best few are followed, some by what they make of what
    is minimised and some by information gain, since the first condition of a good pair need not be good alone.

    Parameters
    ----------
    pool : the conditions.
    objective : what is minimised.
    prices : bits of tags of length 0, 1, 2, ...: as many as may be had.
    max_length : most conditions.
    min_lift : as for the explainer; here of the rows that are newly covered.
    """
    found: dict[tuple[int, ...], float] = {}
    # Outliers are few and quickly compared: who has none of those that are open is not counted on all normals.
    which = np.flatnonzero((pool.outliers & objective.own).any(axis=1))
    pool = pool.take(which, objective.normals)
    beam = [_Partial((), objective.own | objective.others, objective.normals, np.inf)] if len(pool) else []
    for longer in reversed(range(max_length)):
        steps = [_join(pool, objective, one, prices, min_lift) for one in beam]
        for step in steps:
            for i in step.best(step.values, BEAM_WIDTH):
                if step.values[i] < objective.current:
                    members = step.members(i)
                    found[members] = min(float(step.values[i]), found.get(members, np.inf))
        beam = _follow(pool, steps) if longer else []
    grown = (Grown(value, tuple(which[list(members)].tolist())) for members, value in found.items())
    return sorted(grown, key=lambda one: (one.value, one.members))


@dataclass(frozen=True, eq=False)
class _Partial:
    """A conjunction that may become longer, and who has it."""

    members: tuple[int, ...]
    outliers: Words
    normals: Words  # that nobody covers yet
    n_normals: float
    length: int = 0  # what it is priced by
    extra: float = 0.0  # bits beside those of its features


@dataclass(frozen=True, eq=False)
class _Step:
    """One conjunction with each condition of the pool that may join it."""

    partial: _Partial
    joined: NDArray[np.intp]
    new: NewlyCovered
    values: NDArray[np.float64]
    free: tuple[float, float]

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """Information gain of each: wanted of those only that are followed."""
        return gain(self.new.own, self.new.normals, *self.free)

    def members(self, i: int) -> tuple[int, ...]:
        """Give the conjunction with the i-th condition that may join, in one order."""
        return tuple(sorted((*self.partial.members, int(self.joined[i]))))

    @staticmethod
    def best(scores: NDArray[np.float64], most: int) -> list[int]:
        """Give the positions of the lowest scores, ties by the order of the pool."""
        if len(scores) <= most:
            return [int(i) for i in np.argsort(scores, kind="stable")]
        few = np.flatnonzero(scores <= np.partition(scores, most - 1)[most - 1])
        return [int(i) for i in few[np.argsort(scores[few], kind="stable")[:most]]]


def _join(
    pool: Pool, objective: MarginalObjective, partial: _Partial, prices: NDArray[np.float64], min_lift: float
) -> _Step:
    joined = np.arange(len(pool))
    if partial.members:
        free = (pool.outliers & (partial.outliers & objective.own)).any(axis=1)
        taken = np.zeros(pool.places.max() + 1, dtype=bool)
        taken[pool.places[list(partial.members)]] = True
        free &= ~taken[pool.places]
        joined = np.flatnonzero(free)
        new = objective.count(pool.outliers[joined] & partial.outliers, pool.normals[joined] & partial.normals)
    else:
        new = objective.count(pool.outliers, pool.normals)
    n_outliers, n_normals = objective.totals
    fits = (new.own > 0) & (new.own * n_normals > min_lift * (new.normals * n_outliers))
    fits &= new.normals < partial.n_normals  # what keeps no normal out makes it longer and no better
    new, joined = new.take(np.flatnonzero(fits)), joined[fits]
    price = prices[partial.length + pool.lengths[joined]] + partial.extra + pool.extra[joined]
    values = objective.value(new, price)
    return _Step(partial, joined, new, values, objective.n_uncovered)


def _follow(pool: Pool, steps: list[_Step]) -> list[_Partial]:
    """Take the best conjunctions of all steps; of those that cover as many of each kind, one."""
    taken: dict[tuple[float, float], _Partial] = {}
    for scores in ([step.values for step in steps], [-step.gains for step in steps]):
        ranked = sorted(
            (float(score[i]), step.members(i), number, i)
            for number, (step, score) in enumerate(zip(steps, scores, strict=True))
            for i in step.best(score, 3 * BEAM_WIDTH)
        )
        most = len(taken) + BEAM_WIDTH
        for _, members, number, i in ranked:
            step = steps[number]
            key = float(step.new.own[i]), float(step.new.normals[i])
            if key not in taken and len(taken) < most:
                last = step.joined[i]
                so_far = step.partial
                taken[key] = _Partial(
                    members,
                    so_far.outliers & pool.outliers[last],
                    so_far.normals & pool.normals[last],
                    key[1],
                    so_far.length + int(pool.lengths[last]),
                    so_far.extra + float(pool.extra[last]),
                )
    return list(taken.values())

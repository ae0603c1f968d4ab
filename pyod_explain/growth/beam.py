"""`best_conjunctions`: the conjunctions of conditions that lower an objective most, found by a beam search."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pyod_explain._arrays import FloatArray, IndexArray, IntArray
from pyod_explain.bits import Words
from pyod_explain.explainers import MarginalObjective, NewlyCovered
from pyod_explain.growth.pool import Pool
from pyod_explain.tags import gain, lifted

MAX_FOUND = 5  # conjunctions that one search returns
MAX_JOINED_WORDS = 2**17  # of the normals of conjunctions that are extended at once
BEAM_WIDTH = 3  # partial rules kept at each length by the objective, and as many by information gain


@dataclass(frozen=True)
class Grown:
    """A conjunction: the positions of its conditions in the pool, and the objective once it is added."""

    value: float
    members: tuple[int, ...]


def best_conjunctions(
    pool: Pool,
    objective: MarginalObjective,
    *,
    max_length: int = 3,
    min_lift: float = 1.0,
    width: int = BEAM_WIDTH,
    most: int = MAX_FOUND,
) -> list[Grown]:
    """Return the best conjunctions that lower the objective, best first.

    All single conditions are looked at. Of each length the best few are extended: some by the objective, and some by
    information gain, since the first condition of a good pair need not lower the objective alone.

    Parameters
    ----------
    pool : the conditions to combine.
    objective : what is minimised, given the rules that there are.
    max_length : most conditions.
    min_lift : as for the explainer; here it concerns newly covered rows only.
    width : how many of each length are kept by either score.
    most : how many conjunctions to return.
    """
    found: dict[tuple[int, ...], float] = {}
    # Outliers are few: conditions that no uncovered outlier meets are dropped before the normals are counted.
    which = np.flatnonzero(objective.coverage.count_outliers(pool.outliers & objective.own))
    pool = pool.take(which, objective.normals)
    beam = [Partial((), objective.own | objective.others, objective.normals, np.inf)] if len(pool) else []
    for longer in reversed(range(max_length)):
        # What is not extended further is of use only if it is among the best.
        below = np.inf if longer else sorted([*found.values(), *[objective.current] * most])[most - 1]
        steps = _join_all(pool, objective, beam, min_lift, below)
        for step in steps:
            for i in step.best(step.values, width):
                if step.values[i] < objective.current:
                    members = step.members(i)
                    found[members] = min(float(step.values[i]), found.get(members, np.inf))
        beam = _follow(pool, objective, steps, width) if longer and steps else []
    grown = (Grown(value, tuple(which[list(members)].tolist())) for members, value in found.items())
    # Of those that are equally good the shortest come first.
    return sorted(grown, key=lambda one: (one.value, len(one.members), one.members))[:most]


@dataclass(frozen=True, eq=False)
class Partial:
    """A conjunction that may become longer: its rows, its bits, and the terms and sides that it has conditions on."""

    members: tuple[int, ...]
    outliers: Words
    normals: Words  # that no rule covers yet
    n_normals: float
    price: float = 0.0
    term_sides: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Step:
    """One conjunction, extended by each condition of the pool that fits."""

    partial: Partial
    joined: IndexArray
    new: NewlyCovered
    values: FloatArray

    def members(self, i: int) -> tuple[int, ...]:
        """Return the conjunction with the i-th of these conditions added, sorted."""
        return tuple(sorted((*self.partial.members, int(self.joined[i]))))

    @staticmethod
    def best(scores: FloatArray, most: int) -> list[int]:
        """Return the positions of the lowest scores; ties by the order of the pool."""
        if len(scores) <= most:
            return [int(i) for i in np.argsort(scores, kind="stable")]
        few = np.flatnonzero(scores <= np.partition(scores, most - 1)[most - 1])
        return [int(i) for i in few[np.argsort(scores[few], kind="stable")[:most]]]


def join(pool: Pool, objective: MarginalObjective, partial: Partial, min_lift: float) -> Step:
    """Extend a conjunction by each condition of a pool, and compute the objective with each result."""
    return _join_all(pool, objective, [partial], min_lift)[0]


def _join_all(
    pool: Pool, objective: MarginalObjective, partials: Sequence[Partial], min_lift: float, below: float = np.inf
) -> list[Step]:
    """Extend several conjunctions, as many at once as fit into the cache: a step for each.

    Parameters
    ----------
    below : where the objective would be above this in any case, results are left out.
    """
    at_once = max(MAX_JOINED_WORDS // max(pool.normals.size, 1), 1)
    blocks = (partials[start : start + at_once] for start in range(0, len(partials), at_once))
    return [step for block in blocks for step in _join_block(pool, objective, block, min_lift, below)]


def _join_block(
    pool: Pool, objective: MarginalObjective, partials: Sequence[Partial], min_lift: float, below: float
) -> list[Step]:
    outliers = np.stack([one.outliers for one in partials])
    prices = np.array([one.price for one in partials])
    term_sides = [side for one in partials for side in one.term_sides]
    if term_sides:
        taken = np.zeros((len(partials), max(int(pool.term_sides.max(initial=0)), *term_sides) + 1), dtype=bool)
        for i, one in enumerate(partials):
            taken[i, list(one.term_sides)] = True
        own = objective.coverage.count_outliers(pool.outliers & (outliers & objective.own)[:, None])
        useful = (own > 0) & ~taken[:, pool.term_sides]
        if below < np.inf:
            useful &= _least_values(own, objective, float(prices.min() + pool.prices.min(initial=0.0))) <= below
        base, joined = np.nonzero(useful)
        normals = pool.normals[joined]
        normals &= np.stack([one.normals for one in partials])[base] if len(partials) > 1 else partials[0].normals
        new = objective.count(pool.outliers[joined] & outliers[base], normals)
    else:  # the conjunction of nothing
        base, joined = np.zeros(len(pool), dtype=np.intp), np.arange(len(pool))
        new = objective.count(pool.outliers, pool.normals)
    n_outliers, n_normals = objective.totals
    fits = (new.own > 0) & lifted(new.own, n_outliers, new.normals, n_normals, min_lift)
    # A condition that excludes no normal row only makes the rule longer.
    fits &= new.normals < np.array([one.n_normals for one in partials])[base]
    new, base, joined = new.take(np.flatnonzero(fits)), base[fits], joined[fits]
    values = objective.value(new, prices[base] + pool.prices[joined])
    parts = [slice(*pair) for pair in itertools.pairwise(base.searchsorted(np.arange(len(partials) + 1)).tolist())]
    return [Step(one, joined[part], new.take(part), values[part]) for one, part in zip(partials, parts, strict=True)]


def _least_values(n_own: IntArray, objective: MarginalObjective, price: float) -> FloatArray:
    """Bound the objective from below, knowing how many outliers are newly covered: as if no normal were."""
    short = n_own.max(initial=0) < n_own.size  # else each is computed, as rows may stand for many
    numbers = np.arange(n_own.max(initial=0) + 1) if short else n_own.ravel()
    nothing = objective.count(np.zeros_like(objective.own)[None, :], np.zeros_like(objective.normals)[None, :])
    others = None if nothing.others is None else nothing.others.repeat(len(numbers), axis=1)
    values = objective.value(NewlyCovered(numbers, others, np.zeros_like(numbers)), np.full(len(numbers), price))
    return np.asarray(values[n_own] if short else values.reshape(n_own.shape))


def _follow(pool: Pool, objective: MarginalObjective, steps: list[Step], width: int) -> list[Partial]:
    """Keep the best conjunctions of all steps by either score; of those with equal counts, one."""
    taken: dict[tuple[float, float], Partial] = {}
    own, normals = (np.concatenate([getattr(step.new, name) for step in steps]) for name in ("own", "normals"))
    ends = np.cumsum([len(step.values) for step in steps])[:-1]
    gains = np.split(gain(own, normals, *objective.n_uncovered), ends)
    for scores in ([step.values for step in steps], [-one for one in gains]):
        each = [(number, i) for number, score in enumerate(scores) for i in Step.best(score, 3 * width)]
        ranked = sorted((float(scores[number][i]), steps[number].members(i), number, i) for number, i in each)
        most = len(taken) + width
        for _, members, number, i in ranked:
            step = steps[number]
            key = float(step.new.own[i]), float(step.new.normals[i])
            if key not in taken and len(taken) < most:
                last, so_far = step.joined[i], step.partial
                outliers, normals = so_far.outliers & pool.outliers[last], so_far.normals & pool.normals[last]
                price = so_far.price + float(pool.prices[last])
                term_sides = (*so_far.term_sides, int(pool.term_sides[last]))
                taken[key] = Partial(members, outliers, normals, key[1], price, term_sides)
    return list(taken.values())

"""The `exact` solver: each cover problem is one mixed-integer program for HiGHS, after its exact reductions.

HiGHS reports the best selection it found and a lower bound of the objective. The better of that selection and of the
one from local search is returned. Through scipy HiGHS takes no start: a column "keep the known selection", at its
objective, takes that place, so that HiGHS looks for better ones only, and has a bound whenever it is stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray
from pyod_explain.coverage import Coverage
from pyod_explain.solvers.local_search import refine_weighted
from pyod_explain.solvers.problem import BudgetedCover, Chosen, Deadline, WeightedCover
from pyod_explain.solvers.reduce import Reduced, merge_rows, reduce_problem, without_normals

Entries = tuple[IndexArray, IndexArray, float | FloatArray]  # rows, columns, coefficients

STRONG_NONZEROS = 300_000  # up to which the strong form of a program is solved fast
MAX_NONZEROS = 1_000_000  # HiGHS proves nothing in larger programs
SECONDS_PER_NONZERO = 2e-5  # that HiGHS may take before it looks at its clock
SOLVER_ERROR = 1e-6  # relative, of what HiGHS proves


@dataclass(frozen=True)
class Solved:
    """The best selection known and what is proved about it.

    Attributes
    ----------
    tags : for each group its tags; None if no feasible selection is known.
    bound : proved lower bound of the objective, if any; infinite if it is proved that no selection is feasible.
    """

    tags: Chosen | None
    bound: float | None


def solve_weighted(problem: WeightedCover, start: Chosen, deadline: Deadline) -> Solved:
    """Solve WCCM: the best selection found by the deadline, no worse than `start`, and a lower bound."""
    small = reduce_problem(problem.coverage, problem.eligible, deadline)
    if small is None:
        return Solved(start, 0.0)
    fixed = float(problem.weight @ small.uncoverable)
    known = problem.objective(start)
    step = _common_step([1.0, *problem.weight.tolist()])
    program = _Program(small, loss=problem.weight[small.outlier_group] * small.outlier_counts)
    answer = program.solve(deadline, known - fixed, step)
    tags = start
    if answer.tags is not None and not problem.broken_rules(answer.tags) and problem.objective(answer.tags) < known:
        tags = refine_weighted(problem, [list(one) for one in answer.tags], deadline)  # drops tags that are not needed
    cheapest = min(1.0, float(problem.weight.min()))
    floor = np.minimum(program.loss, _fewest_normals(small)).max(initial=0.0)  # one outlier is covered, or lost
    return Solved(tags, _round_up(max(answer.bound, floor) + fixed, problem.objective(tags), step, cheapest))


def solve_budgeted(problem: BudgetedCover, start: Chosen | None, deadline: Deadline) -> Solved:
    """Solve BCCM: the best selection found by the deadline, if any, no worse than `start`, and a lower bound."""
    small = reduce_problem(problem.coverage, problem.eligible, deadline)
    if small is None:
        return Solved(start, 0.0)
    room = problem.limit - small.uncoverable
    if (room < 0).any():
        return Solved(None, np.inf)  # too many outliers of some group have no tag
    known = np.inf if start is None else problem.objective(start)
    answer = _Program(small, max_tags=problem.max_tags, room=room).solve(deadline, known, 1.0)
    usable = None if answer.tags is None or problem.broken_rules(answer.tags) else answer.tags
    return _better(start, usable, answer, problem.objective, 0.0)


def solve_fewest(coverage: Coverage, pairs: BoolArray, start: Chosen | None, deadline: Deadline) -> Solved:
    """Cover every outlier by a tag of its own group with as few tags as possible (PDM, DTDM), each for one group."""
    floor = float((coverage.group_sizes > 0).sum())  # a tag for each group that is not empty
    small = merge_rows(without_normals(coverage), pairs, deadline)
    if small is None:
        return Solved(start, floor)
    if small.uncoverable.any():
        return Solved(None, np.inf)
    known = np.inf if start is None else float(sum(map(len, start)))
    answer = _Program(small, tag_cost=1.0, may_lose=False).solve(deadline, known, 1.0)
    return _better(start, answer.tags, answer, lambda tags: float(sum(map(len, tags))), floor)


def _better(
    start: Chosen | None, found: Chosen | None, answer: _Answer, objective: Callable[[Chosen], float], floor: float
) -> Solved:
    """Give the better of two selections, of which `start` wins ties, where objectives are whole numbers."""
    if answer.infeasible:
        return Solved(None, np.inf)
    tags = min((one for one in (start, found) if one is not None), key=objective, default=None)
    return Solved(tags, max(_round_up(answer.bound, np.inf if tags is None else objective(tags), 1.0, 1.0), floor))


def _fewest_normals(small: Reduced) -> FloatArray:
    """Give for each distinct outlier the fewest normals that a tag of its own group covers."""
    n_normals = small.normal_counts @ small.normals
    usable = small.pairs[small.outlier_group]
    return np.array([n_normals[row & own].min() for row, own in zip(small.outliers, usable, strict=True)])


@dataclass(frozen=True, eq=False)
class _Answer:
    tags: list[list[int]] | None
    bound: float  # minus infinity where nothing is proved
    infeasible: bool = False


class _Program:
    """A cover problem as a mixed-integer program.

    Columns: x (outlier picks tag), y (tag describes group), u (normal is covered), v (outlier is lost), and whether
    the known selection is kept.

    Two forms. The strong one has x, and a row for each outlier and each row of the table that its picks cover: of the
    tags that an outlier picks, the parts that cover a normal add up to at most the u of that normal. Its relaxation is
    tight, but it is large, and tags cannot be counted. The compact form has y, and one row for each normal: as many
    tags as cover it, at most, if u is 1.

    Parameters
    ----------
    small : the rows and tags.
    tag_cost : of each tag that is used.
    loss : cost of each distinct outlier that is lost; by default none.
    may_lose : whether outliers may be lost at all, and are lost where another group's tag covers them.
    max_tags : most tags of each group.
    room : number of outliers that each group may lose.
    """

    def __init__(
        self,
        small: Reduced,
        *,
        tag_cost: float = 0.0,
        loss: FloatArray | None = None,
        may_lose: bool = True,
        max_tags: FloatArray | None = None,
        room: FloatArray | None = None,
    ) -> None:
        self.small = small
        self.loss = np.zeros(len(small.outliers)) if loss is None else loss
        self.tag_cost, self.may_lose, self.max_tags, self.room = tag_cost, may_lose, max_tags, room
        per_tag = small.normals.sum(axis=0) + small.outliers.sum(axis=0)
        self.n_nonzeros = int(per_tag @ small.pairs.sum(axis=0))  # of the compact form
        picks = np.zeros((0, len(small.tags)), dtype=bool)
        if self.n_nonzeros <= MAX_NONZEROS:  # else it is not solved
            picks = small.outliers & small.pairs[small.outlier_group]
        self.pick_outlier, self.pick_tag = np.nonzero(picks)
        strong_nonzeros = int((1 + per_tag[self.pick_tag]).sum())
        self.strong = may_lose and max_tags is None and strong_nonzeros <= STRONG_NONZEROS
        if self.strong and len(picks):
            self.n_nonzeros = strong_nonzeros
        self.group, self.tag = np.nonzero(small.pairs)
        n_picks, n_pairs = (len(self.pick_tag), 0) if self.strong else (0, len(self.tag))
        sizes = [n_picks, n_pairs, len(small.normals), len(small.outliers), 1]
        self.x, self.y, self.u, self.v, kept = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
        self.kept, self.n_columns = int(kept[0]), sum(sizes)

    def solve(self, deadline: Deadline, known: float, step: float) -> _Answer:
        """Hand the program to HiGHS, if there is time for it.

        Parameters
        ----------
        known : objective of the known selection; infinite if there is none.
        step : the objective is a multiple of it; 0 if unknown.
        """
        if not len(self.small.outliers):
            return _Answer([[] for _ in range(self.small.n_groups)], 0.0)
        untimed = SECONDS_PER_NONZERO * self.n_nonzeros
        if known <= 0 or self.n_nonzeros > MAX_NONZEROS or deadline.left < untimed:
            return _Answer(None, -np.inf)
        cost = np.zeros(self.n_columns)
        cost[self.y], cost[self.u], cost[self.v] = self.tag_cost, self.small.normal_counts, self.loss
        constraints = [LinearConstraint(rows, -np.inf, limit) for rows, limit in self._rows()]
        upper, whole = np.ones(self.n_columns), np.ones(self.n_columns, dtype=np.int64)
        upper[self.v], whole[self.x] = float(self.may_lose), 0
        # HiGHS has absolute tolerances, which fit values near 1,000.
        unit = 2.0 ** (np.frexp(known if np.isfinite(known) else cost.sum() or 1.0)[1] - 10)
        cutoff = known - max(0.5 * step, SOLVER_ERROR * known)
        if np.isfinite(known):
            # Only better selections, unless the known one is kept.
            better = cost.copy()
            better[self.kept], cost[self.kept] = cutoff, known
            constraints.append(LinearConstraint(_narrow(sp.csr_array(better[None, :] / unit)), -np.inf, cutoff / unit))
        else:
            upper[self.kept] = 0.0

        def solve() -> OptimizeResult:
            options: Any = {"time_limit": max(deadline.left - untimed, 0.05), "mip_rel_gap": 0.9 * step / known}
            bounds = Bounds(0.0, upper)
            return milp(cost / unit, constraints=constraints, bounds=bounds, integrality=whole, options=options)

        answer = solve()
        if answer.status == 2 and np.isfinite(known) and deadline.left > untimed:
            # An error of HiGHS, since the known selection can be kept: solve without the cutoff.
            del constraints[-1]
            upper[self.kept], cutoff = 0.0, known
            answer = solve()
        bound = -np.inf if answer.mip_dual_bound is None else float(answer.mip_dual_bound) * unit
        if 0.5 * step < SOLVER_ERROR * known:
            bound = min(bound, cutoff)  # a selection just below the known one may have been cut off
        tags = None if answer.x is None or answer.x[self.kept] > 0.5 else self._selection(answer.x)
        # With a known selection "infeasible" is an error of HiGHS, and proves nothing.
        return _Answer(tags, bound, infeasible=answer.status == 2 and not np.isfinite(known))

    def _selection(self, x: FloatArray) -> list[list[int]]:
        """Read the tags from a solution: all that are picked, whose rows are paid for."""
        if not self.strong:
            return self.small.selection(x[self.y] > 0.5)
        used = np.zeros_like(self.small.pairs)
        picked = x[self.x] > 1e-3
        used[self.small.outlier_group[self.pick_outlier[picked]], self.pick_tag[picked]] = True
        return self.small.selection(used[self.small.pairs])

    def _rows(self) -> Iterator[tuple[sp.csr_array, float | FloatArray]]:
        """All rows `coefficients @ columns <= limit`."""
        small, group, tag = self.small, self.group, self.tag
        foreign = small.outlier_group[:, None] != group
        column = np.full(small.pairs.shape, -1, dtype=np.intp)
        if not self.strong:
            column[group, tag] = self.y
        outlier = np.arange(len(small.outliers))
        picked = self.x if self.strong else column[small.outlier_group[self.pick_outlier], self.pick_tag]
        lost, kept = (outlier, self.v, -1.0), (outlier, np.full(len(outlier), self.kept), -1.0)
        # Each outlier is covered by its own group, or lost.
        yield self._matrix(len(outlier), (self.pick_outlier, picked, -1.0), lost, kept), -1.0
        if self.strong:
            # What a pick covers is paid for. That no tag describes two groups then follows: all its outliers are lost.
            yield self._paid(small.normals, self.u), 0.0
            yield self._paid(small.outliers, self.v, small.outlier_group), 0.0
        else:
            yield self._matrix(len(small.tags), (tag, self.y, 1.0)), 1.0  # a tag describes one group
            yield self._covered(small.normals[:, tag], self.u), 0.0
            if self.may_lose and small.n_groups > 1:
                yield self._covered(small.outliers[:, tag] & foreign, self.v), 0.0
        if self.max_tags is not None:
            yield self._matrix(small.n_groups, (group, self.y, 1.0)), self.max_tags
        if self.room is not None:
            # In shares of the group: HiGHS has absolute tolerances.
            total = np.maximum(np.bincount(small.outlier_group, small.outlier_counts, small.n_groups), 1.0)
            share = small.outlier_counts / total[small.outlier_group]
            yield self._matrix(small.n_groups, (small.outlier_group, self.v, share)), self.room / total

    def _covered(self, covers: BoolArray, paid: IndexArray) -> sp.csr_array:
        """A row for each table row: the pairs that cover it, at most as many as there are if it is paid for."""
        row, pair = np.nonzero(covers)
        here = np.arange(len(covers))
        return self._matrix(len(here), (row, self.y[pair], 1.0), (here, paid, -np.maximum(covers.sum(axis=1), 1.0)))

    def _paid(self, covers: BoolArray, paid: IndexArray, group: IndexArray | None = None) -> sp.csr_array:
        """A row for each outlier and each table row (of another group): picks that cover it, at most if paid for."""
        key, column = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
        first = np.searchsorted(self.pick_outlier, np.arange(len(self.small.outliers) + 1))
        for g in range(len(self.small.outliers)):
            picks = self.x[first[g] : first[g + 1]]
            covered = covers[:, self.pick_tag[picks]]
            row, pick = np.nonzero(covered if group is None else covered & (group != group[g])[:, None])
            key.append(g * len(covers) + row)
            column.append(picks[pick])
        keys, number = np.unique(np.concatenate(key), return_inverse=True)
        here = np.arange(len(keys))
        resource = paid[keys % max(len(covers), 1)]
        return self._matrix(len(keys), (number, np.concatenate(column), 1.0), (here, resource, -1.0))

    def _matrix(self, n_rows: int, *entries: Entries) -> sp.csr_array:
        row, column = (np.concatenate([one[i] for one in entries]) for i in (0, 1))
        value = np.concatenate([np.broadcast_to(np.asarray(one[2], dtype=np.float64), len(one[0])) for one in entries])
        return _narrow(sp.csr_array((value, (row, column)), shape=(n_rows, self.n_columns)))


def _narrow(matrix: sp.csr_array) -> sp.csr_array:
    """Number the entries in 32 bits, the only way that HiGHS takes them in scipy before 1.15."""
    indices, pointers = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return sp.csr_array((matrix.data, indices, pointers), shape=matrix.shape)


def _common_step(costs: list[float]) -> float:
    """Return the largest number of which all costs are multiples; 0 where they are no simple fractions.

    >>> _common_step([1.0, 2.5]), _common_step([3.0, 1 / 3]), _common_step([1.0, 3.14159265])
    (0.5, 0.3333333333333333, 0.0)
    """
    simple = [Fraction(cost).limit_denominator(1000) for cost in costs]
    if any(abs(float(near) - cost) > 1e-14 * cost for near, cost in zip(simple, costs, strict=True)):
        return 0.0
    return gcd(*(near.numerator for near in simple)) / lcm(*(near.denominator for near in simple))


def _round_up(bound: float, objective: float, step: float, cheapest: float) -> float:
    """Round a bound up to the next value that the objective can take, but not above one that is attained.

    A bound counts only as far as the error of HiGHS cannot explain it: 50,000.005 proves 50,000, not 50,001.

    Parameters
    ----------
    step : the objective is a multiple of it; 0 if unknown.
    cheapest : cost of the cheapest row; next to losses of 10**12, selections that differ by a few rows are not equal.

    Examples
    --------
    >>> _round_up(12.2, 20.0, 1.0, 1.0), _round_up(19.4, 20.0, 1.0, 1.0), _round_up(50000.005, 50001.0, 1.0, 1.0)
    (13.0, 20.0, 50000.0)
    """
    if not np.isfinite(bound):
        return 0.0
    if step > 0:
        bound = float(np.ceil((bound - SOLVER_ERROR * abs(bound)) / step - SOLVER_ERROR)) * step + 0.0  # no -0.0
        return objective if bound > objective - 0.5 * step else bound
    if objective - bound <= min(SOLVER_ERROR * abs(objective), 0.1 * cheapest):
        return objective
    return min(bound, objective)

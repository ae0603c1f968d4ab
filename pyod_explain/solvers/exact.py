"""The `exact` solver: WCCM and BCCM by branch and bound or as mixed-integer programs, with a proof or an honest bound.

The order of work: reductions that change no best value; where tags are few, a search of all selections that can be
better (`branch`). Elsewhere a bound by cost sharing (`bounds`), which often proves the start optimal already; a linear
relaxation with the rows that the sharing found to matter, whose reduced costs exclude most tags; a small program over
the tags that the relaxation uses, for a better solution; then the whole program on what is left. Whatever happens, the
best selection found is returned with the highest bound proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from pyod_explain.solvers.branch import branch_and_bound, within_reach, worth_looking_for
from pyod_explain.solvers.choice import Choice, Sharing, choice, parties_of, share_costs
from pyod_explain.solvers.cost_sharing import first_prices
from pyod_explain.solvers.deadline import Deadline
from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.local_search import refine_budgeted, refine_weighted
from pyod_explain.solvers.milp import Rows, narrow
from pyod_explain.solvers.problem import BudgetedCover, Chosen, WeightedCover
from pyod_explain.solvers.proof import LP_ERROR, cheapest_row, settle, step_of
from pyod_explain.solvers.reduce import Reduced

__all__ = ["Solved", "solve_budgeted", "solve_weighted"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

PRECISION = 2.0**-51  # of a value; a smaller improvement is rounding
MIP_ERROR = 1e-8  # of a value: by so much HiGHS may take what costs too much for what does not
BUILT = 2_000_000  # nonzeros of a program that HiGHS reads in and looks over within a second


@dataclass(frozen=True)
class Solved:
    """The best selection found (None: no feasible one is known) and what is proved about it.

    Attributes
    ----------
    tags : for each group its tags.
    bound : proved lower bound; infinite if it is proved that no selection is feasible.
    """

    tags: list[list[int]] | None
    bound: float

    @property
    def infeasible(self) -> bool:
        return self.bound == np.inf


def solve_weighted(
    problem: WeightedCover, small: Reduced | None, start: Chosen, deadline: Deadline, limits: Limits = LIMITS
) -> Solved:
    """Solve WCCM: the best selection found by the deadline, and a proved lower bound of the objective.

    Parameters
    ----------
    small : the problem reduced; None if there was no time for it.
    start : a selection to improve on.
    """
    if small is None:
        return Solved(_lists(start), 0.0)
    asked = choice(small, problem.weight, deadline, limits)
    search = _Search(
        asked=asked,
        picks=asked.picks,
        problem=problem,
        improve=lambda tags: refine_weighted(problem, tags, deadline),
        deadline=deadline,
        best=_lists(start),
        step=step_of(np.r_[small.normal_mass, asked.loss, asked.fixed]),
        row=cheapest_row(np.r_[small.normal_mass, asked.loss]),
        limits=limits,
    )
    return search.run()


def solve_budgeted(
    problem: BudgetedCover, small: Reduced | None, start: Chosen | None, deadline: Deadline, limits: Limits = LIMITS
) -> Solved:
    """Solve BCCM: the best selection found by the deadline, if any, and a proved lower bound of the objective.

    Parameters
    ----------
    small : the problem reduced; None if there was no time for it.
    start : a selection to improve on, if one is known; one that breaks a budget is not.
    """
    feasible = None if start is None or problem.broken(start) else _lists(start)
    if small is None:
        return Solved(feasible, 0.0)
    room = problem.limit - small.hopeless
    if (room < 0).any():
        return Solved(None, np.inf)  # some group has too many outliers that no tag covers
    value = np.inf if feasible is None else problem.objective(feasible)
    asked = choice(small, first_prices(small, value), deadline, limits)
    search = _Search(
        asked=asked,
        # Not only the picks with the fewest resources: a tag that many can share saves tags, which are limited here.
        picks=small.outliers.T & small.pairs[small.outlier_group].T,
        problem=problem,
        improve=lambda tags: refine_budgeted(problem, tags, deadline),
        deadline=deadline,
        best=feasible,
        step=step_of(small.normal_mass),
        row=cheapest_row(small.normal_mass),
        limits=limits,
        max_tags=problem.max_tags,
        room=room,
        allowed=problem.limit,
    )
    return search.run()


def _lists(tags: Chosen) -> list[list[int]]:
    return [[int(j) for j in chosen] for chosen in tags]


@dataclass
class _Search:
    asked: Choice
    picks: Flags  # tags by outliers
    problem: WeightedCover | BudgetedCover
    improve: Callable[[list[list[int]]], list[list[int]] | None]
    deadline: Deadline
    best: list[list[int]] | None
    step: float  # the objective is a multiple of it; 0: unknown
    row: float  # cost of the cheapest row
    limits: Limits
    max_tags: Floats | None = None  # the next three: BCCM only
    room: Floats | None = None
    allowed: Floats | None = None
    bound: float = -np.inf
    untimed: float = 0.0  # seconds of HiGHS, roughly, in which it does not look at the clock

    def seconds(self, share: float) -> float | None:
        """Time that HiGHS may take, of what is left; None if that is too little to come to anything and end in time."""
        seconds = share * self.deadline.left - self.untimed
        return seconds if seconds > self.untimed else None

    @property
    def value(self) -> float:
        return np.inf if self.best is None else self.problem.objective(self.best)

    @property
    def fixed(self) -> float:
        return 0.0 if self.room is not None else self.asked.fixed

    @property
    def cutoff(self) -> float:
        """An objective above this is no improvement."""
        return self.fixed + worth_looking_for(self.value - self.fixed, self.step)

    @property
    def done(self) -> bool:
        # Infinite: proved that there is none.
        return self.bound == np.inf or settle(self.bound, self.value, self.step, self.row) >= self.value

    def run(self) -> Solved:
        small = self.asked.small
        self.prove(self.fixed)  # every cost is at least 0, and these outliers are lost in any case
        if len(small.outliers) == 0:
            nothing: list[list[int]] = [[] for _ in range(small.n_groups)]
            return Solved(nothing, self.problem.objective(nothing))
        if within_reach(small, self.limits):
            self.branch()
        else:
            self.search()
        bound = self.bound if self.best is None else settle(self.bound, self.value, self.step, self.row)
        return Solved(self.best, bound)

    def search(self) -> None:
        sharing = share_costs(
            self.asked,
            target=self.cutoff,
            value=self.value,
            deadline=self.deadline.part(0.2),
            parties=parties_of(self.asked.small, self.best or [], self.limits),
            allowed=self.allowed,
            limits=self.limits,
        )
        self.prove(sharing.bound)
        self.offer(_joint(sharing, self.asked.small))
        if self.done or self.deadline.passed:
            return
        model = _Model.of(self, sharing)
        if model is None:
            return
        self.untimed = model.A.nnz / BUILT
        if not model.by_rows and (seconds := self.seconds(0.5)) is not None:
            left = self.deadline.left
            relaxed = model.relax(seconds)
            self.untimed = max(self.untimed, left - self.deadline.left)
            if relaxed is not None:
                self.prove(relaxed.value + self.fixed)
                if self.done:
                    return
                self.restricted(model, relaxed)
                model.exclude(relaxed, self.cutoff - self.fixed)
        self.whole(model)

    def branch(self) -> None:
        """Search all selections that are better than the best so far."""
        small = self.asked.small
        found = branch_and_bound(
            small,
            self.asked.loss if self.room is None else np.zeros(len(small.outliers)),
            cutoff=self.cutoff - self.fixed,
            step=self.step,
            seconds=self.deadline.left,
            max_tags=self.max_tags,
            room=self.room,
            limits=self.limits,
        )
        before = self.value
        if found.tags is not None:
            self.offer([[int(small.tags[t]) for t in chosen] for chosen in found.tags])
        if found.complete:
            self.prove(before if found.tags is None else found.value + self.fixed)
        else:
            self.prove(min(found.bound + self.fixed, before))

    def restricted(self, model: _Model, relaxed: _Relaxed) -> None:
        """Solve for the tags that the relaxation uses: few, and often enough for the best solution."""
        zero = np.zeros(model.n_columns, dtype=bool)
        zero[model.tag_columns] = relaxed.x[model.tag_columns] < 1e-6
        known = self.value - self.fixed
        seconds = self.seconds(0.4)
        if seconds is None:
            return
        answer = model.solve(seconds, known=known, step=self.step, zero=zero, better=True)
        if answer.x is not None:
            self.offer(model.tags(answer.x))

    def whole(self, model: _Model) -> None:
        seconds = self.seconds(0.5)
        if not model.by_rows and np.isfinite(self.value) and seconds is not None:
            known = self.value - self.fixed
            answer = model.solve(seconds, known=known, step=self.step, better=True)
            if answer.infeasible:
                # No selection is below the cut-off, and between it and the known value there is none within a step.
                exact = 0.5 * self.step >= MIP_ERROR * known
                self.prove(self.value if exact else self.fixed + _cutoff(known, self.step))
                return
            if answer.x is not None:
                self.offer(model.tags(answer.x))
        if (seconds := self.seconds(1.0)) is not None:
            self.answered(model, seconds)

    def answered(self, model: _Model, seconds: float) -> None:
        """Solve the program, take its selection if it is better, and what it proves."""
        before = self.value
        answer = model.solve(seconds, known=before - self.fixed, step=self.step)
        if answer.x is not None:
            self.offer(model.tags(answer.x))
        if answer.infeasible:
            if not np.isfinite(before):
                self.bound = np.inf
            # With a known selection the program has a solution: "infeasible" is an error of HiGHS and proves nothing.
        elif answer.bound is not None:
            # Tags were excluded because they do not improve on what was known: nothing is proved beyond that.
            self.prove(min(answer.bound + self.fixed, before))

    def prove(self, bound: float) -> None:
        self.bound = max(self.bound, bound)

    def offer(self, tags: list[list[int]] | None) -> None:
        """Take a selection, improved by local search, if it is feasible and better than the best so far.

        Feasible by all rules of the problem: HiGHS and the sharing know some of them, and those up to a tolerance.
        """
        if tags is None:
            return
        for one in (self.improve(tags), tags):
            if one is None or self.problem.broken(one):
                continue
            if self.best is None or self.problem.objective(one) < self.value * (1 - PRECISION):
                self.best = _lists(one)


def _joint(sharing: Sharing, small: Reduced) -> list[list[int]]:
    """The tags that outliers pick if everyone takes its cheapest; a tag goes to the group where most pick it."""
    votes = np.zeros((small.n_groups, len(small.tags)))
    took = sharing.cheapest >= 0
    np.add.at(votes, (small.outlier_group[took], sharing.cheapest[took]), small.outlier_mass[took])
    winner = votes.argmax(axis=0)
    return [[int(small.tags[t]) for t in np.flatnonzero((votes[k] > 0) & (winner == k))] for k in range(small.n_groups)]


# --- the program ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Relaxed:
    value: float
    x: Floats
    at_zero: Floats  # reduced costs: what the value grows by if a variable at 0 goes to 1 ...
    at_one: Floats  # ... or one at 1 goes to 0


@dataclass(frozen=True, eq=False)
class _Answer:
    x: Floats | None
    bound: float | None
    infeasible: bool


class _Model:
    """The mixed-integer program. Columns: x (outlier picks tag), y (tag describes group), u (normals), v (outliers).

    A last column stands for the best selection known: at its price it covers everybody. So HiGHS has a solution to
    start from, needs to look only for cheaper ones, and can tell its bound when it is stopped. (Through scipy, a start
    cannot be given, and a program in which nothing was found yet has no bound.)

    Two forms. With `by_rows`, u and v are the whole numbers: there is a row for each outlier and resource ("the parts
    of the tags that use the resource in an outlier's pick add up to at most the resource"), x follows from u and v, and
    y is not needed. Otherwise y are the whole numbers, each resource of a tag is bounded below by the tag's y, and
    those rows are there as far as the sharing found them to matter: they make the relaxation strong.
    """

    def __init__(
        self,
        search: _Search,
        by_rows: bool,
        use_x: bool,
        normal_rows: Flags,
        outlier_rows: Flags,
    ) -> None:
        self.search, self.by_rows, self.use_x = search, by_rows, use_x
        self.small = small = search.asked.small
        group = small.outlier_group
        self.pick_tag, self.pick_outlier = np.nonzero(search.picks)
        usable = np.zeros(small.pairs.shape, dtype=bool)
        usable[group[self.pick_outlier], self.pick_tag] = True
        self.pair_group, self.pair_tag = np.nonzero(usable)
        n_x, n_y = (len(self.pick_tag) if use_x else 0), (0 if by_rows else len(self.pair_tag))
        n_u, n_v = len(small.normals), len(small.outliers)
        self.first_y, self.first_u, self.first_v = n_x, n_x + n_y, n_x + n_y + n_u
        self.n_columns = n_x + n_y + n_u + n_v + 1
        self.resign = self.n_columns - 1
        self.pair_column = np.full(small.pairs.shape, -1, dtype=np.intp)
        self.pair_column[self.pair_group, self.pair_tag] = self.first_y + np.arange(len(self.pair_tag))
        self.tag_columns = np.arange(self.first_y, self.first_u)
        rows = Rows(self.n_columns)
        self._cover(rows)
        if not by_rows:
            self._link(rows)
        if use_x:
            self._strong(rows, small.normals, normal_rows, self.first_u)
            self._strong(rows, small.outliers, outlier_rows, self.first_v)
        if search.room is not None and search.max_tags is not None:
            self._budgets(rows, search.max_tags, search.room)
        self.A, self.limit = rows.matrix()
        loss = np.zeros(n_v) if search.room is not None else search.asked.loss
        self.c = np.concatenate([np.zeros(n_x + n_y), small.normal_mass, loss, [0.0]])
        self.upper, self.lower = np.ones(self.n_columns), np.zeros(self.n_columns)

    @classmethod
    def of(cls, search: _Search, sharing: Sharing) -> _Model | None:
        """Build it, or return None if it would be too large for HiGHS to make anything of."""
        small = search.asked.small
        # The fewer whole numbers the better: tags, or (only without a limit on tags) normals and outliers.
        by_rows = search.room is None and search.picks.any(axis=1).sum() > len(small.normals) + len(small.outliers)
        foreign = small.outlier_group[:, None] != small.outlier_group[None, :]
        able = search.picks.astype(np.float32)
        use_x = search.room is None or int(search.picks.sum()) <= search.limits.picks
        if by_rows:
            if _size(search.picks, small) > search.limits.program:
                return None
            normal_rows = (small.normals.astype(np.float32) @ able) > 0
            outlier_rows = ((small.outliers.astype(np.float32) @ able) > 0) & foreign
        else:
            if 3 * (small.normals.sum() + small.outliers.sum()) + 4 * search.picks.sum() > search.limits.program:
                return None
            n_outliers = len(small.outliers)
            normal_rows, outlier_rows = (
                np.zeros((len(small.normals), n_outliers), bool),
                np.zeros((n_outliers,) * 2, bool),
            )
            if sharing.normal is not None and sharing.outlier is not None and len(sharing.normal) == len(small.normals):
                normal_rows, outlier_rows = _heavy(sharing.normal), _heavy(sharing.outlier)
        return cls(search, by_rows, use_x, normal_rows, outlier_rows)

    # --- rows

    def _cover(self, rows: Rows) -> None:
        """Each outlier picks a tag or is lost: Σ x + v >= 1; x only where the tag describes the group: x <= y."""
        n = len(self.small.outliers)
        lost = (np.arange(n), self.first_v + np.arange(n), -1.0)
        resign = (np.arange(n), np.full(n, self.resign), -1.0)
        group = self.small.outlier_group[self.pick_outlier]
        pairs = self.pair_column[group, self.pick_tag]
        picks = np.arange(len(self.pick_tag))
        if not self.use_x:
            rows.add(n, -1.0, (self.pick_outlier, pairs, -1.0), lost, resign)
            return
        rows.add(n, -1.0, (self.pick_outlier, picks, -1.0), lost, resign)
        if not self.by_rows:
            rows.add(len(picks), 0.0, (picks, picks, 1.0), (picks, pairs, -1.0))

    def _link(self, rows: Rows) -> None:
        """A tag describes at most one group; its normals are covered; the outliers of other groups are lost."""
        small, tag, group = self.small, self.pair_tag, self.pair_group
        columns = self.first_y + np.arange(len(tag))
        rows.add(len(small.tags), 1.0, (tag, columns, 1.0))
        normal, pair = np.nonzero(small.normals[:, tag])
        # One row for each normal and tag: the groups that the tag may describe are added up, at most one counts.
        self._resource_rows(rows, normal, tag[pair], columns[pair], self.first_u)
        outlier, pair = np.nonzero(small.outliers[:, tag] & (small.outlier_group[:, None] != group[None, :]))
        self._resource_rows(rows, outlier, tag[pair], columns[pair], self.first_v)

    def _resource_rows(
        self, rows: Rows, resource: NDArray[np.intp], tag: NDArray[np.intp], column: NDArray[np.intp], first: int
    ) -> None:
        keys, row = np.unique(resource * len(self.small.tags) + tag, return_inverse=True)
        here = np.arange(len(keys))
        rows.add(len(keys), 0.0, (row, column, 1.0), (here, first + keys // len(self.small.tags), -1.0))

    def _strong(self, rows: Rows, covers: Flags, wanted: Flags, first: int) -> None:
        """Σ x_gt over the tags t that use resource r is at most u_r: an outlier g picks one tag only."""
        resource, outlier = np.nonzero(wanted)
        number = np.full(wanted.shape, -1, dtype=np.intp)
        number[resource, outlier] = np.arange(len(resource))
        row, column = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
        by_outlier = np.argsort(self.pick_outlier, kind="stable")
        ends = np.searchsorted(self.pick_outlier[by_outlier], np.arange(wanted.shape[1] + 1))
        for g in range(wanted.shape[1]):
            picks = by_outlier[ends[g] : ends[g + 1]]
            mine = np.flatnonzero(wanted[:, g])
            r, p = np.nonzero(covers[np.ix_(mine, self.pick_tag[picks])])
            row.append(number[mine[r], g])
            column.append(picks[p])
        here = np.arange(len(resource))
        rows.add(len(resource), 0.0, (np.concatenate(row), np.concatenate(column), 1.0), (here, first + resource, -1.0))

    def _budgets(self, rows: Rows, max_tags: Floats, room: Floats) -> None:
        n, small = self.small.n_groups, self.small
        rows.add(n, max_tags, (self.pair_group, self.first_y + np.arange(len(self.pair_tag)), 1.0))
        lost = self.first_v + np.arange(len(small.outliers))
        # In shares of the group: HiGHS has absolute tolerances.
        total = np.bincount(small.outlier_group, weights=small.outlier_mass, minlength=n)
        total = np.where(total > 0, total, 1.0)
        mass = small.outlier_mass / total[small.outlier_group]
        rows.add(n, room / total, (small.outlier_group, lost, mass))

    # --- solving

    def relax(self, seconds: float) -> _Relaxed | None:
        """Solve the linear relaxation; None if that did not end in time.

        HiGHS ends at a value that is right up to its tolerances. What counts here is what its prices of the rows prove:
        whatever they are, every solution costs at least what it costs with each row paid at its price.
        """
        upper = self.upper.copy()
        upper[self.resign] = 0.0
        answer: Any = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
            self.c,
            A_ub=self.A,
            b_ub=self.limit,
            bounds=np.column_stack([self.lower, upper]),
            method="highs-ipm",
            options={"time_limit": max(seconds, 0.05)},
        )
        if answer.status != 0:
            return None
        price = np.minimum(np.asarray(answer.ineqlin.marginals, dtype=np.float64), 0.0)
        reduced = self.c - self.A.T @ price
        value = float(price @ self.limit + np.where(reduced > 0, self.lower, upper) @ reduced)
        return _Relaxed(value, answer.x, np.maximum(reduced, 0.0), np.maximum(-reduced, 0.0))

    def exclude(self, relaxed: _Relaxed, cutoff: float) -> None:
        """Fix each variable whose other value would lift the relaxation above the cut-off (reduced costs)."""
        margin = LP_ERROR * abs(relaxed.value)
        out, need = relaxed.value + relaxed.at_zero > cutoff + margin, relaxed.value + relaxed.at_one > cutoff + margin
        out[self.resign] = need[self.resign] = False
        self.upper[out] = 0.0
        # Not `lower = 1`: the last column must remain a solution, in which everything else is 0.
        self.A = sp.vstack([self.A, self._at_least(np.flatnonzero(need))], format="csr")
        self.limit = np.r_[self.limit, -np.ones(need.sum())]

    def _at_least(self, columns: NDArray[np.intp]) -> sp.csr_array:
        """Rows `x + resign >= 1`."""
        here = np.arange(len(columns))
        entries = np.r_[here, here], np.r_[columns, np.full(len(columns), self.resign)]
        return narrow(sp.csr_array((-np.ones(2 * len(columns)), entries), shape=(len(columns), self.n_columns)))

    def solve(
        self, seconds: float, *, known: float, step: float, zero: Flags | None = None, better: bool = False
    ) -> _Answer:
        """Hand the program to HiGHS; `known` is the value of the best selection so far, infinite if there is none.

        With `better`, only a better selection is an answer, and "infeasible" means that there is none: often proved
        soon, but without a bound if it is not.
        """
        whole = np.zeros(self.n_columns, dtype=np.int64)
        whole[self.first_u if self.by_rows else self.first_y : None if self.by_rows else self.first_u] = 1
        whole[self.resign] = 1
        upper = self.upper if zero is None else np.where(zero, 0.0, self.upper)
        upper, cost = upper.copy(), self.c.copy()
        scale = (known if np.isfinite(known) else float(self.c.sum())) or 1.0
        # HiGHS stops at an absolute gap of 1e-6, too: with values near 1,000 that is no more than rounding.
        unit = 2.0 ** (np.frexp(scale)[1] - 10)
        constraints = [LinearConstraint(self.A, -np.inf, self.limit)]
        if np.isfinite(known):
            cost[self.resign] = known
            # Cost at most `cutoff`, unless the last column is taken: a relaxation above it proves the known value.
            cutoff = _cutoff(known, step)
            row = self.c.copy()
            row[self.resign] = cutoff
            constraints.append(LinearConstraint(narrow(sp.csr_array(row[None, :] / unit)), -np.inf, cutoff / unit))
        if better or not np.isfinite(known):
            upper[self.resign] = 0.0
        answer = milp(
            cost / unit,
            constraints=constraints,
            bounds=Bounds(self.lower, upper),
            integrality=whole,
            # A bound less than a step below the value proves it; HiGHS need not go on from there.
            options={"time_limit": max(seconds, 0.05), "mip_rel_gap": 0.9 * step / scale},
        )
        x = answer.x if answer.x is not None and answer.x[self.resign] < 0.5 else None
        bound = answer.mip_dual_bound
        return _Answer(x, None if bound is None or not np.isfinite(bound) else float(bound) * unit, answer.status == 2)

    def tags(self, x: Floats) -> list[list[int]]:
        """Read a selection from a solution."""
        small = self.small
        if not self.by_rows:
            taken = x[self.first_y : self.first_u] > 0.5
            return [
                [int(small.tags[t]) for t in self.pair_tag[taken & (self.pair_group == k)]]
                for k in range(small.n_groups)
            ]
        paid = x[self.first_u : self.first_v] > 0.5
        lost = x[self.first_v : self.resign] > 0.5
        return [self._within(k, paid, lost) for k in range(small.n_groups)]

    def _within(self, group: int, paid: Flags, lost: Flags) -> list[int]:
        """Cover a group's outliers that are not lost with few tags that use paid resources only."""
        small = self.small
        mine = small.outlier_group == group
        free = small.pairs[group] & ~small.normals[~paid].any(axis=0) & ~small.outliers[~lost & ~mine].any(axis=0)
        left = mine & ~lost
        chosen: list[int] = []
        while True:
            gain = np.where(free, small.outlier_mass[left] @ small.outliers[left], 0.0)
            if not len(gain) or gain.max() <= 0:
                return chosen
            best = int(gain.argmax())
            chosen.append(int(small.tags[best]))
            left &= ~small.outliers[:, best]


def _cutoff(known: float, step: float) -> float:
    """What a selection must cost for HiGHS to tell it from one that costs as much as is known."""
    return known - max(0.5 * step, MIP_ERROR * known)


def _size(picks: Flags, small: Reduced) -> int:
    """Count the nonzeros of the rows "an outlier's pick uses a resource"."""
    return int(picks.sum(axis=1) @ (1 + small.normals.sum(axis=0) + small.outliers.sum(axis=0)))


def _heavy(shares: Floats, part: float = 0.95) -> Flags:
    """The largest shares that make up this part of all."""
    if shares.size == 0 or shares.sum() <= 0:
        return np.zeros(shares.shape, dtype=bool)
    ordered = np.sort(shares, axis=None)[::-1]
    last = int(np.searchsorted(np.cumsum(ordered), part * ordered.sum()))
    return np.asarray(shares >= max(ordered[min(last, len(ordered) - 1)], 1e-12))

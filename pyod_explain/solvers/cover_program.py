"""The mixed-integer programs of WCCM and BCCM, for HiGHS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.solvers.choice import Choice, Sharing
from pyod_explain.solvers.deadline import NEVER, Deadline
from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.milp import Answer, Program, Relaxed, Untimed
from pyod_explain.solvers.proof import LP_ERROR
from pyod_explain.solvers.reduce import Reduced

__all__ = ["Asked", "CoverProgram", "highs_cutoff"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]
Rows = tuple[Index, ...]  # a resource, and an outlier that may use it: a program has a row for each, in this order

UNTIMED = Untimed(each=5e-5)  # a guess on the safe side: mostly it is far less
BUILT = 5e-7  # seconds to build a program, for each nonzero
MIP_ERROR = 1e-8  # of a value: by so much HiGHS may take what costs too much for what does not


@dataclass(frozen=True, eq=False)
class Asked:
    """What a program is about.

    Attributes
    ----------
    choice : the problem, as a choice of each outlier.
    picks : tags by outliers; which tag an outlier may pick.
    max_tags, room : for BCCM the most tags of each group, and the most weight of outliers that it may lose.
    """

    choice: Choice
    picks: Flags
    max_tags: Floats | None = None
    room: Floats | None = None

    @property
    def small(self) -> Reduced:
        return self.choice.small


class CoverProgram:
    """WCCM or BCCM as a mixed-integer program.

    Columns: x (outlier picks tag), y (tag describes group), u (normal is covered), v (outlier is lost).

    A last column stands for the best selection known: at its price it covers everybody. So HiGHS has a solution to
    start from, needs to look only for cheaper ones, and can tell its bound when it is stopped. (Through scipy, a start
    cannot be given, and a program in which nothing was found yet has no bound.)

    Two forms. With `by_rows`, u and v are the whole numbers: there is a row for each outlier and resource ("the parts
    of the tags that use the resource in an outlier's pick add up to at most the resource"), x follows from u and v, and
    y is not needed. Otherwise y are the whole numbers, each resource of a tag is bounded below by the tag's y, and
    those rows are there as far as the sharing found them to matter: they make the relaxation strong.
    """

    def __init__(self, asked: Asked, *, by_rows: bool, use_x: bool, normal_rows: Rows, outlier_rows: Rows) -> None:
        self.by_rows, self.use_x = by_rows, use_x
        self.small = small = asked.small
        group = small.outlier_group
        self.pick_tag, self.pick_outlier = np.nonzero(asked.picks)
        usable = np.zeros(small.pairs.shape, dtype=bool)
        usable[group[self.pick_outlier], self.pick_tag] = True
        self.pair_group, self.pair_tag = np.nonzero(usable)
        self.program = program = Program(UNTIMED)
        self.x = program.columns("outlier picks tag", len(self.pick_tag) if use_x else 0)
        self.y = program.columns("tag describes group", 0 if by_rows else len(self.pair_tag), whole=not by_rows)
        self.u = program.columns("normal is covered", len(small.normals), cost=small.normal_mass, whole=by_rows)
        loss = 0.0 if asked.room is not None else asked.choice.loss
        self.v = program.columns("outlier is lost", len(small.outliers), cost=loss, whole=by_rows)
        self.resign = int(program.columns("the best selection known", 1, whole=True)[0])
        self._cover()
        if not by_rows:
            self._link()
        if use_x:
            self._strong(small.normals, normal_rows, self.u)
            self._strong(small.outliers, outlier_rows, self.v)
        if asked.room is not None and asked.max_tags is not None:
            self._budgets(asked.max_tags, asked.room)

    @classmethod
    def of(
        cls, asked: Asked, sharing: Sharing, deadline: Deadline = NEVER, limits: Limits = LIMITS
    ) -> CoverProgram | None:
        """Build it, or return None if it would be too large to be built in time or for HiGHS to make anything of."""
        small, picks = asked.small, asked.picks
        # The fewer whole numbers the better: tags, or (only without a limit on tags) normals and outliers.
        by_rows = asked.room is None and picks.any(axis=1).sum() > len(small.normals) + len(small.outliers)
        use_x = asked.room is None or int(picks.sum()) <= limits.picks
        if by_rows:
            n_nonzeros = _size(picks, small)
        else:
            n_nonzeros = int(3 * (small.normals.sum() + small.outliers.sum()) + 4 * picks.sum())
        if n_nonzeros > limits.program or deadline.left <= BUILT * n_nonzeros:
            return None
        normal_rows, outlier_rows = _all_rows(picks, small) if by_rows else _heavy_rows(sharing, small)
        return cls(asked, by_rows=by_rows, use_x=use_x, normal_rows=normal_rows, outlier_rows=outlier_rows)

    def _cover(self) -> None:
        """Each outlier picks a tag or is lost: Σ x + v >= 1; x only where the tag describes the group: x <= y."""
        n = len(self.small.outliers)
        lost = (np.arange(n), self.v, -1.0)
        resign = (np.arange(n), np.full(n, self.resign), -1.0)
        group = self.small.outlier_group[self.pick_outlier]
        pairs = self._pair_columns()[group, self.pick_tag]
        picks = np.arange(len(self.pick_tag))
        if not self.use_x:
            self.program.add(n, -1.0, (self.pick_outlier, pairs, -1.0), lost, resign)
            return
        self.program.add(n, -1.0, (self.pick_outlier, picks, -1.0), lost, resign)
        if not self.by_rows:
            self.program.add(len(picks), 0.0, (picks, picks, 1.0), (picks, pairs, -1.0))

    def _pair_columns(self) -> NDArray[np.intp]:
        """Return the column of each pair of a group and a tag; -1 without one."""
        columns = np.full(self.small.pairs.shape, -1, dtype=np.intp)
        if len(self.y):
            columns[self.pair_group, self.pair_tag] = self.y
        return columns

    def _link(self) -> None:
        """A tag describes at most one group; its normals are covered; the outliers of other groups are lost."""
        small, tag, group = self.small, self.pair_tag, self.pair_group
        columns = self.y
        self.program.add(len(small.tags), 1.0, (tag, columns, 1.0))
        normal, pair = np.nonzero(small.normals[:, tag])
        # One row for each normal and tag: the groups that the tag may describe are added up, at most one counts.
        self._resource_rows(normal, tag[pair], columns[pair], self.u)
        outlier, pair = np.nonzero(small.outliers[:, tag] & (small.outlier_group[:, None] != group[None, :]))
        self._resource_rows(outlier, tag[pair], columns[pair], self.v)

    def _resource_rows(
        self, resource: NDArray[np.intp], tag: NDArray[np.intp], column: NDArray[np.intp], resources: NDArray[np.intp]
    ) -> None:
        keys, row = np.unique(resource * len(self.small.tags) + tag, return_inverse=True)
        here = np.arange(len(keys))
        self.program.add(len(keys), 0.0, (row, column, 1.0), (here, resources[keys // len(self.small.tags)], -1.0))

    def _strong(self, covers: Flags, wanted: Rows, resources: Index) -> None:
        """Σ x_gt over the tags t that use resource r is at most u_r: an outlier g picks one tag only."""
        resource, outlier = wanted
        if not len(resource):
            return
        row, column = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
        everybody = np.arange(len(self.small.outliers) + 1)
        by_payer, by_picker = np.argsort(outlier, kind="stable"), np.argsort(self.pick_outlier, kind="stable")
        first_row = np.searchsorted(outlier[by_payer], everybody)
        first_pick = np.searchsorted(self.pick_outlier[by_picker], everybody)
        for g in np.unique(outlier):
            rows = by_payer[first_row[g] : first_row[g + 1]]
            picks = by_picker[first_pick[g] : first_pick[g + 1]]
            r, p = np.nonzero(covers[np.ix_(resource[rows], self.pick_tag[picks])])
            row.append(rows[r])
            column.append(picks[p])
        here = np.arange(len(resource))
        self.program.add(
            len(resource), 0.0, (np.concatenate(row), np.concatenate(column), 1.0), (here, resources[resource], -1.0)
        )

    def _budgets(self, max_tags: Floats, room: Floats) -> None:
        n, small = self.small.n_groups, self.small
        self.program.add(n, max_tags, (self.pair_group, self.y, 1.0))
        lost = self.v
        # In shares of the group: HiGHS has absolute tolerances.
        total = small.group_mass
        total = np.where(total > 0, total, 1.0)
        mass = small.outlier_mass / total[small.outlier_group]
        self.program.add(n, room / total, (small.outlier_group, lost, mass))

    def relax(self, deadline: Deadline, share: float) -> Relaxed | None:
        """Solve the linear relaxation, in which the selection known plays no part; None if that did not end in time."""
        upper = self.program.upper
        upper[self.resign] = 0.0
        return self.program.relax(deadline, upper, share=share)

    def exclude(self, relaxed: Relaxed, cutoff: float) -> None:
        """Fix each variable whose other value would lift the relaxation above the cut-off (reduced costs)."""
        margin = LP_ERROR * abs(relaxed.value)
        out, need = relaxed.value + relaxed.at_zero > cutoff + margin, relaxed.value + relaxed.at_one > cutoff + margin
        out[self.resign] = need[self.resign] = False
        self.program.forbid(out)
        # Not `x >= 1`: the last column must remain a solution, in which everything else is 0.
        columns = np.flatnonzero(need)
        here = np.arange(len(columns))
        self.program.add(len(columns), -1.0, (here, columns, -1.0), (here, np.full(len(columns), self.resign), -1.0))

    def solve(
        self,
        deadline: Deadline,
        share: float = 1.0,
        *,
        known: float,
        step: float,
        zero: Flags | None = None,
        better: bool = False,
    ) -> Answer:
        """Hand the program to HiGHS, for a share of the time that is left, if there is time for it.

        `known` is the value of the best selection so far, infinite if there is none.

        With `better`, only a better selection is an answer, and "infeasible" means that there is none: often proved
        soon, but without a bound if it is not. Columns in `zero` are not used.
        """
        upper, cost = self.program.upper, self.program.cost
        if zero is not None:
            upper[zero] = 0.0
        scale = (known if np.isfinite(known) else float(cost.sum())) or 1.0
        row = None
        if np.isfinite(known):
            # Cost at most `cutoff`, unless the last column is taken: a relaxation above it proves the known value.
            cutoff = highs_cutoff(known, step)
            row = (cost.copy(), cutoff)
            row[0][self.resign], cost[self.resign] = cutoff, known
        if better or not np.isfinite(known):
            upper[self.resign] = 0.0
        # HiGHS stops at an absolute gap of 1e-6, too: with values near 1,000 that is no more than rounding.
        unit = 2.0 ** (np.frexp(scale)[1] - 10)
        # A bound less than a step below the value proves it; HiGHS need not go on from there.
        gap = 0.9 * step / scale
        answer = self.program.solve(deadline, share=share, gap=gap, cost=cost, upper=upper, row=row, unit=unit)
        resigned = answer.x is not None and answer.x[self.resign] >= 0.5
        return Answer(None if resigned else answer.x, answer.bound, answer.infeasible)

    def tags(self, x: Floats) -> list[list[int]]:
        """Read a selection from a solution."""
        small = self.small
        if not self.by_rows:
            return small.selection(x[self.y] > 0.5)
        paid = x[self.u] > 0.5
        lost = x[self.v] > 0.5
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


def highs_cutoff(known: float, step: float) -> float:
    """What a selection must cost for HiGHS to tell it from one that costs as much as is known."""
    return known - max(0.5 * step, MIP_ERROR * known)


def _size(picks: Flags, small: Reduced) -> int:
    """Count the nonzeros of the rows "an outlier's pick uses a resource"."""
    return int(picks.sum(axis=1) @ (1 + small.normals.sum(axis=0) + small.outliers.sum(axis=0)))


def _all_rows(picks: Flags, small: Reduced) -> tuple[Rows, Rows]:
    """Tell which outlier (column) can use which normal, and which outlier of another group (row)."""
    able = picks.astype(np.float32)
    foreign = small.outlier_group[:, None] != small.outlier_group[None, :]
    normals, outliers = small.normals.astype(np.float32) @ able, small.outliers.astype(np.float32) @ able
    return np.nonzero(normals > 0), np.nonzero((outliers > 0) & foreign)


_NO_ROWS: Rows = (np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))


def _heavy_rows(sharing: Sharing, small: Reduced) -> tuple[Rows, Rows]:
    """Tell which of these matter, by the shares; none where they are not known one by one, or not all of them."""
    if sharing.normal is None or sharing.outlier is None or len(sharing.normal) < len(small.normals):
        return _NO_ROWS, _NO_ROWS
    return _heavy(sharing.normal), _heavy(sharing.outlier)


def _heavy(shares: Floats, part: float = 0.95) -> Rows:
    """The largest shares that make up this part of all."""
    if shares.size == 0 or shares.sum() <= 0:
        return _NO_ROWS
    ordered = np.sort(shares, axis=None)[::-1]
    last = int(np.searchsorted(np.cumsum(ordered), part * ordered.sum()))
    return np.nonzero(shares >= max(ordered[min(last, len(ordered) - 1)], 1e-12))

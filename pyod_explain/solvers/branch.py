"""Branch and bound for WCCM and BCCM where tags are few: all selections that can still beat the best one known.

The selections are divided by one tag at a time: left out, or used for one of the groups. Each part is a smaller
problem: fewer tags, fewer outliers to cover, fewer normals to pay for. A sharing of the costs that are left
(`cost_sharing`), which starts from that of the larger problem, proves most parts not worth a look after a few rounds.
The others are divided by the tag for which both sides cost much.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import pack
from pyod_explain.solvers.cost_sharing import CostSharing, Schedule
from pyod_explain.solvers.dominance import undominated
from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.parts import Instance, Part, everything
from pyod_explain.solvers.proof import ROUNDING
from pyod_explain.solvers.reduce import Reduced
from pyod_explain.solvers.tag_bounds import with_each, without_each

__all__ = ["Found", "branch_and_bound", "within_reach", "worth_looking_for"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Found:
    """What the search found and proved.

    Attributes
    ----------
    tags : for each group its tags, numbered as in the reduced problem, if a selection beats the cut-off.
    value : its objective; infinite without one.
    bound : every selection that beats the first cut-off costs at least this: `value` if the search came to its end.
    complete : the search came to its end.
    n_parts : how many parts were looked at.
    """

    tags: list[list[int]] | None
    value: float
    bound: float
    complete: bool
    n_parts: int


def within_reach(small: Reduced, limits: Limits = LIMITS) -> bool:
    """Tell whether there are so few tags, and shares of costs, that branch and bound gets far."""
    n_shares = (len(small.normals) + len(small.outliers)) * len(small.outliers)
    return len(small.tags) <= limits.few_tags and n_shares * len(small.tags) <= limits.few_shares


def worth_looking_for(value: float, step: float) -> float:
    """Return the cut-off of a search that knows a value: what costs more is no improvement.

    >>> worth_looking_for(10.0, 1.0), worth_looking_for(0.0, 1.0), worth_looking_for(np.inf, 1.0)
    (9.5, -inf, inf)
    """
    if value <= 0:
        return -np.inf  # no cost is below 0
    return value - max(0.5 * step, ROUNDING * value) if np.isfinite(value) else value


def branch_and_bound(
    small: Reduced,
    loss: Floats,
    *,
    cutoff: float,
    step: float,
    seconds: float,
    max_parts: float = np.inf,
    max_tags: Floats | None = None,
    room: Floats | None = None,
    limits: Limits = LIMITS,
) -> Found:
    """Search all selections that cost at most `cutoff`; the cost of outliers that no tag covers is left out.

    Parameters
    ----------
    loss : cost of losing each outlier; without meaning for BCCM.
    cutoff : only selections that cost no more are looked for; infinite where none is known.
    step : the objective is a multiple of it; 0 if unknown. A better selection lowers the cut-off by this at least.
    seconds, max_parts : stop after that long, or so many parts, with what is found and proved by then.
    max_tags, room : for BCCM the most tags of each group, and the most weight of outliers that it may lose: with the
        tolerance for its rounding, for there is none beyond it.
    limits : rounds of sharing, and memory.

    Examples
    --------
    Two tags that cover the same three normals for one outlier each; a lost outlier costs 2:

    >>> from pyod_explain.coverage import Coverage
    >>> from pyod_explain.solvers.reduce import reduced
    >>> cov = Coverage.from_dense([[1, 0], [0, 1], [1, 1], [1, 1], [1, 1]], [1, 1, 0, 0, 0])
    >>> small = reduced(cov, cov.eligible(0.0))
    >>> found = branch_and_bound(small, np.array([2.0, 2.0]), cutoff=3.5, step=1.0, seconds=1.0)
    >>> found.tags, found.value, found.complete
    ([[0, 1]], 3.0, True)
    """
    search = _BranchSearch(Instance(small, loss, room), max_tags, cutoff, step, limits)
    return search.run(time.perf_counter() + seconds, max_parts)


class _Open:
    """The parts that are still to be looked at: the one with the lowest bound is next."""

    def __init__(self, held_bytes: int) -> None:
        self.held_bytes = held_bytes
        self._heap: list[tuple[float, int, Part]] = []
        self._number = 0  # of equal bounds the older is first
        self._held = 0

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, part: Part) -> None:
        self._number += 1
        self._held += _bytes(part)
        heapq.heappush(self._heap, (part.bound, self._number, part))

    def pop(self) -> Part:
        if self._held <= self.held_bytes:
            part = heapq.heappop(self._heap)[2]
        else:
            deepest = max(range(len(self._heap)), key=lambda i: self._heap[i][2].depth)
            self._heap[deepest], self._heap[-1] = self._heap[-1], self._heap[deepest]
            part = self._heap.pop()[2]
            heapq.heapify(self._heap)
        self._held -= _bytes(part)
        return part

    @property
    def bound(self) -> float:
        return min((bound for bound, _, _ in self._heap), default=np.inf)


def _bytes(part: Part) -> int:
    return 0 if part.shares is None else part.shares.nbytes


class _BranchSearch:
    """The best selection so far, and what is done with a part that may hold a better one."""

    def __init__(self, whole: Instance, max_tags: Floats | None, cutoff: float, step: float, limits: Limits) -> None:
        self.whole, self.max_tags, self.step, self.limits = whole, max_tags, step, limits
        self.first_cutoff = self.cutoff = cutoff
        self.end = np.inf
        self.best: list[list[int]] | None = None
        self.value = np.inf
        self.n_parts = 0

    def run(self, end: float, max_parts: float) -> Found:
        self.end = end
        waiting = _Open(self.limits.held_bytes)
        waiting.push(everything(self.whole.small))
        while len(waiting):
            part: Part | None = waiting.pop()
            while part is not None and part.bound <= self.cutoff:
                if time.perf_counter() > self.end or self.n_parts >= max_parts:
                    # Nothing is proved about what is open beyond its bounds.
                    bound = min(part.bound, waiting.bound, self.value)
                    return Found(self.best, self.value, bound, complete=False, n_parts=self.n_parts)
                parts = sorted(self._divide(part), key=lambda one: one.bound)
                # On with the most promising one, while its shares are at hand.
                part = parts[0] if parts else None
                for one in parts[1:]:
                    waiting.push(one)
        bound = self.first_cutoff if self.best is None else self.value
        return Found(self.best, self.value, bound, complete=True, n_parts=self.n_parts)

    def _divide(self, part: Part) -> list[Part]:
        """Look at a part: nothing if no selection in it can be better, else what it is divided into."""
        self.n_parts += 1
        whole, small = self.whole, self.whole.small
        if self._settled(part):
            return []
        closed = self._close(part)
        if closed is None or not len(closed[0]):
            return []
        tags, left = closed
        base = float(small.normal_mass[part.paid].sum())
        if whole.room is None:
            base += float(whole.loss[part.lost].sum())
        if base > self.cutoff:
            return []
        self._drop_dominated(part)
        tags = tags[part.pairs[:, tags].any(axis=0)]
        sharing = CostSharing(whole, part, tags, base=base, left=left, cutoff=self.cutoff)
        with np.errstate(invalid="ignore"):  # some processors set this flag for products in which nothing is wrong
            return self._split(part, sharing)

    def _drop_dominated(self, part: Part) -> None:
        """Forbid the pairs that are of no use; only outliers not covered yet count as a group's own."""
        whole, unpaid = self.whole, ~pack(part.paid)
        for k, mine in enumerate(whole.of_group):
            tags = np.flatnonzero(part.pairs[k])
            normals, outliers = whole.normal_bits[tags] & unpaid, whole.outlier_bits[tags]
            own, foreign = mine & ~part.lost & ~part.covered, ~mine & ~part.lost
            part.pairs[k, tags] = undominated(
                outliers & pack(own), outliers & pack(foreign), normals, limits=self.limits
            )

    def _settled(self, part: Part) -> bool:
        """Take the tags used so far as a selection. Under BCCM, one that meets the budgets needs no further tag."""
        whole, small = self.whole, self.whole.small
        missing = part.lost | ~part.covered
        value = float(small.normal_mass[part.paid].sum())
        if whole.room is None:
            value += float(whole.loss[missing].sum())
        elif (self._mass(missing) > whole.room).any():
            return False
        if value <= self.cutoff:
            self.value = value
            self.cutoff = worth_looking_for(value, self.step)
            self.best = [[int(t) for t in np.flatnonzero(part.owner == k)] for k in range(whole.n_groups)]
        return whole.room is not None

    def _mass(self, which: Flags) -> Floats:
        """Weight of some outliers, by group."""
        small = self.whole.small
        mass = np.bincount(small.outlier_group[which], weights=small.outlier_mass[which], minlength=small.n_groups)
        return np.asarray(mass, dtype=np.float64)

    def _close(self, part: Part) -> tuple[Index, Floats | None] | None:
        """Lose the outliers that no tag can cover any more, and forbid the tags that nobody needs, until that is all.

        Returns the tags that are left, and what each group may still lose; None if some budget cannot be met.
        """
        whole, small = self.whole, self.whole.small
        left = None
        n_tags_left = self._n_tags_left(part)
        part.pairs[n_tags_left <= 0] = False
        while True:
            tags = np.flatnonzero(part.pairs.any(axis=0))
            pairs = part.pairs[:, tags]
            covers = small.outliers[:, tags] & pairs[whole.group]
            uncovered = ~part.lost & ~part.covered
            part.lost |= uncovered & ~covers.any(axis=1)
            uncovered &= ~part.lost
            keep = pairs & np.array([covers[uncovered & mine].any(axis=0) for mine in whole.of_group])
            if whole.room is not None:
                left = whole.room - self._mass(part.lost)
                if (left < 0).any():
                    return None
                keep &= ~self._too_harmful(part, tags, left)
                if not self._enough(n_tags_left, tags, keep, uncovered, left):
                    return None
            if (keep == pairs).all():
                return tags, left
            part.pairs[:, tags] = keep

    def _n_tags_left(self, part: Part) -> Floats:
        """How many tags each group may still use; infinitely many under WCCM."""
        used = np.bincount(part.owner[part.owner >= 0], minlength=self.whole.n_groups)
        return np.full(self.whole.n_groups, np.inf) if self.max_tags is None else self.max_tags - used

    def _too_harmful(self, part: Part, tags: Index, left: Floats) -> Flags:
        """Tell which tags, used for a group, cost another group more outliers than it may lose."""
        covered = self._mass_covered(~part.lost, tags)
        harmful = covered > left[:, None]
        return np.asarray(harmful.sum(axis=0) - harmful > 0)

    def _mass_covered(self, which: Flags, tags: Index) -> Floats:
        """Weight of those of some outliers that each tag covers, groups by tags."""
        whole, small = self.whole, self.whole.small
        return np.asarray((small.outlier_mass * (whole.of_group & which)) @ small.outliers[:, tags])

    def _enough(self, n_tags_left: Floats, tags: Index, pairs: Flags, uncovered: Flags, left: Floats) -> bool:
        """Tell whether the largest tags, as many as each group may still use, could cover what it must cover."""
        wanted = self._mass(uncovered) - left
        gain = -np.sort(-self._mass_covered(uncovered, tags) * pairs, axis=1)
        for k, most in enumerate(np.maximum(n_tags_left, 0)):
            if gain[k, : int(min(most, len(tags)))].sum() < wanted[k]:
                return False
        return True

    def _split(self, part: Part, sharing: CostSharing) -> list[Part]:
        """Prove the part not worth a look, or divide it by the tag for which both sides cost much."""
        schedule = Schedule.first(self.limits) if part.shares is None else Schedule.next(self.limits)
        proof = sharing.ascend(self.cutoff, self.end, schedule)
        part.bound = max(part.bound, proof.bound)
        if part.bound > self.cutoff:
            return []
        without, using = without_each(sharing, proof), with_each(sharing, proof, self.end)
        allowed = ~(using > self.cutoff)  # what is not a number proves nothing
        tags, alive = sharing.tags, allowed.any(axis=0)
        if not alive.any() or (~alive & (without > self.cutoff)).any():
            return []
        part.pairs[:, tags] = allowed
        # Beyond the cut-off it does not matter how much; and none is better than the product of two small rises.
        gap = self.cutoff - part.bound if np.isfinite(self.cutoff) else abs(part.bound) + 1.0
        rise = np.clip(np.array([using.min(axis=0), without]) - part.bound, 1e-3 * gap, gap + self.step)
        at = int(np.where(alive, rise.prod(axis=0), -1.0).argmax())
        tag = int(tags[at])
        parts = [
            part.use(tag, int(k), self.whole.small, float(using[k, at]), proof.shares)
            for k in np.flatnonzero(allowed[:, at])
        ]
        if without[at] <= self.cutoff:
            parts.append(part.leave_out(tag, float(without[at]), proof.shares))
        return parts

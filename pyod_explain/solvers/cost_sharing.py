"""Cost sharing: proved lower bounds, by sharing the cost of each covered row among the outliers that cause it.

Read WCCM as a choice: each outlier picks one tag of its own group, or is lost. A pick uses *resources*: the normals
that the tag covers, the outliers of other groups that it covers (they are lost), or the outlier itself if it is lost.
Each used resource is paid once, however many outliers use it: a normal costs 1, a lost outlier λ.

Now share each resource's cost among the outliers in any way. If everyone pays its own shares for its own cheapest
pick, the sum is at most the cost of any joint choice, for there each used resource is paid in full by all its shares
together, used or not. So every sharing proves a bound, and the best sharing proves that of the linear relaxation

    min  Σ cost_r u_r   s.t.  Σ_t x_gt ≥ 1 for each outlier g,   Σ_{t uses r} x_gt ≤ u_r for each g and resource r,

which is far stronger than the relaxation of the paper's program: there each tag of an outlier may be chosen by 1/m
if m tags cover it, and the normals are covered by 1/m too; here the m tags' parts of a common normal add up.

Two options. *Tolls*: part of a resource's cost is a toll on the tags that use it. Whichever group uses the tag pays all
of it, and the outliers of that group divide it among themselves. A tag is used for one group only, so the bound stays
valid; and where several groups want the same tag it proves more, for then each of them pays the toll in full.
*Parties*: where there are too many shares to keep apart, outliers of a group have one share in common and divide what
it costs in proportion to their weight; that is faster and proves less.

The search for a good sharing is an ascent: each round, every outlier takes its cheapest picks (softly, ever less so),
and the shares grow of those who use the resource. Matrices are dense, for their products are fast.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.parts import Instance, Part, Shares
from pyod_explain.solvers.reduce import Reduced

__all__ = ["CostSharing", "Manner", "Proof", "Schedule", "first_prices"]

Floats = NDArray[np.float64]
Reals = NDArray[np.floating[Any]]  # single precision, or double where that is asked for
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]

MIX = 0.01  # of every cost is spread evenly before a start, for a share of 0 would stay 0
SMALL = 4_000_000  # entries of a matrix up to which a second copy, in another order, saves more time than it takes
BLOCK = 1_024  # rows of a larger one that are added up at once: the fewer terms, the less rounding


@dataclass(frozen=True)
class Schedule:
    """How an ascent goes.

    Attributes
    ----------
    rounds : at most.
    epoch : every so many rounds, what was gained must have been worth it: ...
    growth : ... this part of the bound, ...
    closed : ... or, if more, of the gap that is left.
    pace : how far shares move in the first round.
    warmth, cooling, rate : how softly outliers choose at first, and by which factor less in so many rounds.
    toll_pace : times the pace, that of the parts of a toll, which settle last.
    """

    rounds: int
    epoch: int
    growth: float
    closed: float
    pace: float
    warmth: float
    cooling: float
    rate: int
    toll_pace: float = 1.0

    @classmethod
    def first(cls, limits: Limits = LIMITS) -> Schedule:
        """Start from nothing."""
        return cls(limits.first_rounds, 50, 1e-3, 0.0, 2.0, 0.05, 0.99, 4)

    @classmethod
    def next(cls, limits: Limits = LIMITS) -> Schedule:
        """Start from the sharing of a slightly larger problem, as long as that goes on to help."""
        return cls(limits.rounds, 6, 0.0, 0.08, 0.5, 0.03, 0.97, 2, toll_pace=0.5)


@dataclass(frozen=True, eq=False)
class Manner:
    """How costs are shared.

    Attributes
    ----------
    tolls : whether tags are tolled, where there are several groups.
    parties : the party of each outlier of the whole problem; each one for itself if None. A party has one group.
    picks : tags by outliers; who may pick what, if not every tag of its group that covers it. Only without tolls: there
        what is left out must not be cheaper than what is not.
    double : whether to compute in double precision.
    """

    tolls: bool = True
    parties: Index | None = None
    picks: Flags | None = None
    double: bool = False


def first_prices(small: Reduced, value: float) -> Floats:
    """Price a loss under BCCM so that losing a whole group costs twice the value of a selection; a start to move from.

    An infinite value stands for none known: then the cost of all normals takes its place.
    """
    mass = small.group_mass
    top = value if 0 < value < np.inf else float(small.normal_mass.sum()) or 1.0
    return np.asarray(2 * top / np.where(mass > 0, mass, 1.0))


@dataclass(frozen=True, eq=False)
class Proof:
    """What a sharing proves, and from which prices."""

    bound: float
    shares: Shares
    cost: Reals  # of each resource
    prices: Reals  # tags by payers, of each pick; infinite where there is none
    own: Reals  # what it costs a payer to be lost
    least: Reals


class CostSharing:
    """The resources, payers and picks that are left in a part of the problem.

    Parameters
    ----------
    tags : the undecided tags.
    base : what the decided tags cost.
    left : weight that each group may still lose (BCCM).
    cutoff : nothing above it is of interest.
    """

    def __init__(
        self,
        whole: Instance,
        part: Part,
        tags: Index,
        *,
        base: float,
        left: Floats | None,
        cutoff: float,
        manner: Manner | None = None,
    ) -> None:
        manner = Manner() if manner is None else manner
        self.whole, self.part, self.tags, self.base, self.left, self.cutoff = whole, part, tags, base, left, cutoff
        self.real: type[np.floating[Any]] = np.float64 if manner.double else np.float32
        self.payers = np.flatnonzero(~part.lost & ~part.covered)
        self.payer_group = whole.group[self.payers]
        self.allowed = part.pairs[:, tags]
        self.covers = whole.small.outliers[self.payers][:, tags].T
        self.picks = self.covers & self.allowed[self.payer_group].T
        if manner.picks is not None:
            self.picks &= manner.picks[tags][:, self.payers]
        self.no_pick: Reals = np.where(self.picks, 0.0, np.inf).astype(self.real)
        self._form_parties(manner.parties)
        self._find_resources()
        self._find_own()
        groups = np.arange(whole.n_groups)[:, None]
        self.member: Reals = (groups == self.payer_group).astype(self.real)
        # A row costs the tags of every group but its own.
        self.costs_group: Reals = (groups != self.row_group).astype(self.real)
        self.uses_and_1, self.costs_and_1 = _with_1(self.uses), _with_1(self.costs_group.T)
        # Sums of n terms that are not negative are off by n roundings at most.
        n_rows = len(self.rows) if self.uses.size <= SMALL else min(len(self.rows), BLOCK)
        n_terms = n_rows + len(self.tags) + len(self.party_group) + 16
        self.safety = float(n_terms * np.finfo(self.real).eps)
        self.price = self._first_price()
        self._set_costs()
        tolls = manner.tolls and whole.n_groups > 1
        self.of_payers, self.own_part, self.tolls, self.split = self._start(tolls=tolls)

    def _form_parties(self, parties: Index | None) -> None:
        self.party: Index | None = None
        self.party_group = self.payer_group
        if parties is None:
            return
        _, first, self.party = np.unique(parties[self.payers], return_index=True, return_inverse=True)
        self.party_group = self.payer_group[first]
        mass = self.whole.small.outlier_mass[self.payers]
        self.portion: Reals = (mass / np.bincount(self.party, weights=mass)[self.party]).astype(self.real)
        self.by_party = np.argsort(self.party, kind="stable")
        self.party_starts = np.searchsorted(self.party[self.by_party], np.arange(len(first)))

    def _gather(self, by_payer: Reals) -> Reals:
        """Add up the columns of the payers of each party."""
        if self.party is None:
            return by_payer
        if not by_payer.size:
            return np.zeros((len(by_payer), len(self.party_group)), dtype=self.real)
        return np.asarray(np.add.reduceat(by_payer[:, self.by_party], self.party_starts, axis=1))

    def _find_resources(self) -> None:
        whole, part = self.whole, self.part
        rows = np.flatnonzero(np.r_[~part.paid, ~part.lost])
        if whole.n_groups == 1:
            rows = rows[rows < whole.n_normals]
        uses = _block(whole.uses, rows, self.tags).astype(self.real)
        able = self._gather(self.picks.astype(self.real))
        usable = (uses @ able > 0) & (whole.row_group[rows][:, None] != self.party_group)
        some = usable.any(axis=1)
        self.rows, self.usable = rows[some], usable[some]
        self.uses: Reals = uses if some.all() else uses[some]
        self.used_by: Reals = np.ascontiguousarray(self.uses.T) if self.uses.size <= SMALL else self.uses.T
        self.row_group = whole.row_group[self.rows]

    def _find_own(self) -> None:
        """Find the resources that are payers themselves."""
        place = _positions(self.payers, len(self.whole.group))
        outlier = self.rows - self.whole.n_normals
        self.pays_itself = np.flatnonzero((outlier >= 0) & (place[np.maximum(outlier, 0)] >= 0))
        self.itself = place[outlier[self.pays_itself]]

    def _first_price(self) -> Floats | None:
        if self.whole.room is None:
            return None
        before = self.part.shares
        known = None if before is None else before.price
        return first_prices(self.whole.small, self.cutoff) if known is None else known.copy()

    def _set_costs(self) -> None:
        """Set what resources cost, and what it costs the payers to be lost."""
        whole, loss = self.whole, self.whole.loss
        if self.price is not None:
            loss = self.price[whole.group] * whole.small.outlier_mass
        self.cost: Reals = np.concatenate([whole.small.normal_mass, loss])[self.rows].astype(self.real)
        self.loss: Reals = loss[self.payers].astype(self.real)

    def _start(self, *, tolls: bool) -> tuple[Reals, Reals, Reals | None, Reals | None]:
        """Start from even shares, or from those of the part that this one was cut from."""
        before, cost = self.part.shares, self.cost
        own = np.zeros(len(self.rows), dtype=self.real)
        if before is None:
            own[self.pays_itself] = np.e  # most of a loss is best left with the outlier itself
            shares = self.usable.astype(self.real)
            if not tolls:
                return shares, own, None, None
            return shares, own, self.uses.copy(), self.picks.astype(self.real)
        row = _positions(before.rows, len(self.whole.row_group))[self.rows]
        payer = _positions(before.payers, len(self.whole.group))[self.payers]
        own[self.pays_itself] = np.maximum(before.own[row[self.pays_itself]], 1e-3 * cost[self.pays_itself])
        shares = _refill(_block(before.of_payers, row, payer), self.usable, cost)
        if before.tolls is None or before.split is None:
            return shares, own, None, None
        tag = _positions(before.tags, len(self.whole.small.tags))[self.tags]
        refilled = _refill(_block(before.tolls, row, tag), self.uses, cost)
        return shares, own, refilled, (_block(before.split, tag, payer) + self.real(MIX)) * self.picks

    def ascend(self, stop: float, end: float, schedule: Schedule) -> Proof:
        """Move the shares towards those who use the resources, until that proves `stop` or the rounds, or time, end."""
        best = proof = self._prove()
        before = -np.inf
        for number in range(schedule.rounds - 1):
            if best.bound > stop or time.perf_counter() > end:
                break
            if number % schedule.epoch == schedule.epoch - 1:
                worth = schedule.growth * abs(best.bound)
                if schedule.closed:
                    worth = max(worth, schedule.closed * (stop - best.bound))
                if best.bound - before < worth:
                    break  # what is left to gain is not worth the time
                before = best.bound
            warmth = schedule.warmth * schedule.cooling ** (number / schedule.rate) + 1e-3
            self._move(proof, warmth, schedule.pace / (1 + number / 50), schedule.toll_pace)
            proof = self._prove()
            if proof.bound > best.bound:
                best = proof
        return best

    def _prove(self) -> Proof:
        """Scale the shares so that they add up to the costs, and see what that proves."""
        total = self.of_payers @ np.ones(self.of_payers.shape[1], dtype=self.real) + self.own_part
        if self.tolls is not None:
            total += self.tolls @ np.ones(len(self.tags), dtype=self.real)
        scale = self.cost / np.maximum(total, self.real(1e-30))
        # In place: each move makes new arrays, so that no proof shares these.
        self.of_payers *= scale[:, None]
        self.own_part *= scale
        prices = self._price_all()
        if self.party is not None:
            prices = prices[:, self.party] * self.portion
        if self.tolls is not None and self.split is not None:
            self.tolls *= scale[:, None]
            self.split /= np.maximum((self.split @ self.member.T)[:, self.payer_group], self.real(1e-30))
            prices += (self.costs_group @ self.tolls)[self.payer_group].T * self.split
        prices += self.no_pick
        own = self.loss.copy()
        own[self.itself] = self.own_part[self.pays_itself]
        least = np.minimum(prices.min(axis=0, initial=np.inf), own)
        bound = self.base + float(least.sum(dtype=np.float64)) * (1 - self.safety)
        if self.price is not None and self.left is not None:
            # BCCM: whatever the prices, objective >= cost with losses at these prices - price x allowed losses.
            bound -= float(self.price @ self.left)
        bound = bound if np.isfinite(bound) else -np.inf
        kept = Shares(
            self.rows, self.payers, self.tags, self.of_payers, self.own_part, self.tolls, self.split, self.price
        )
        return Proof(bound, kept, self.cost, prices, own, least)

    def _price_all(self) -> Reals:
        """Add up the shares in all that each tag uses, tags by payers or parties."""
        if self.uses.size <= SMALL:
            return np.asarray(self.used_by @ self.of_payers)
        prices = np.zeros((len(self.tags), self.of_payers.shape[1]))
        for start in range(0, len(self.rows), BLOCK):
            prices += self.uses[start : start + BLOCK].T @ self.of_payers[start : start + BLOCK]
        return prices.astype(self.real)

    def _move(self, proof: Proof, warmth: float, speed: float, toll_pace: float) -> None:
        """Let every payer take its cheapest picks, softly, and raise its shares in what these use."""
        scale = self.real(1 / warmth) / np.maximum(self.loss, self.real(1e-12))
        soft = np.exp((proof.least - proof.prices) * scale)
        lost = np.exp((proof.least - proof.own) * scale)
        total = soft.sum(axis=0) + lost
        soft, lost = soft / total, lost / total
        taken = soft if self.party is None else self._gather(soft * self.portion)
        growth = self.real(math.expm1(speed))
        if self.price is not None and self.left is not None:
            self.price = self._reprice(proof, speed, taken, lost, self.price, self.left)
            self._set_costs()
        self.of_payers = self.of_payers * _grown(self.uses_and_1, growth * taken)
        self.own_part = self.own_part.copy()
        self.own_part[self.pays_itself] *= 1 + growth * lost[self.itself]
        if self.tolls is not None and self.split is not None:
            described = self.member @ (self.split * soft).T  # groups by tags
            self.tolls = self.tolls * _grown(self.costs_and_1, growth * described)
            self.split = self.split * (1 + self.real(math.expm1(toll_pace * speed)) * soft)

    def _reprice(self, proof: Proof, speed: float, taken: Reals, lost: Reals, price: Floats, left: Floats) -> Floats:
        """Raise the price of a loss in a group that loses more than allowed at these prices, lower that of others."""
        whole, mass = self.whole, self.whole.small.outlier_mass
        share = np.zeros(len(whole.group))  # of each outlier, how far it is lost
        share[self.payers] = lost
        outlier = self.rows - whole.n_normals
        cost = np.maximum(proof.cost, self.real(1e-30))
        share[outlier[self.pays_itself]] *= proof.shares.own[self.pays_itself] / cost[self.pays_itself]
        foreign = np.flatnonzero(outlier >= 0)
        use = self.uses[foreign] @ taken
        by_others = (proof.shares.of_payers[foreign] * use).sum(axis=1) / cost[foreign]
        share[outlier[foreign]] += by_others
        lost_mass = np.bincount(whole.group, weights=share * mass, minlength=whole.n_groups)
        total = np.bincount(whole.group, weights=mass, minlength=whole.n_groups)
        over = (lost_mass - left) / np.maximum(total, 1e-300)
        return np.asarray(price * np.exp(speed * np.clip(over, -0.5, 0.5)))


def _positions(of: Index, n: int) -> Index:
    """Tell for each of n things where it is in a list; -1 if it is not."""
    result = np.full(n, -1)
    result[of] = np.arange(len(of))
    return result


def _block(matrix: NDArray[Any], rows: Index, columns: Index) -> NDArray[Any]:
    """Cut rows and columns out of a matrix; one after the other is faster than both at once."""
    return np.ascontiguousarray(matrix[rows][:, columns])


def _with_1(matrix: Reals) -> Reals:
    """Append a column of ones; a large matrix stays as it is."""
    if matrix.size > SMALL:
        return matrix
    return np.concatenate([matrix, np.ones((len(matrix), 1), dtype=matrix.dtype)], axis=1)


def _grown(left: Reals, right: Reals) -> Reals:
    """Compute 1 + left @ right, in one product if left has a column of ones: each further operation costs as much."""
    if left.shape[1] == len(right):
        return np.asarray(1 + left @ right)
    return np.asarray(left @ np.concatenate([right, np.ones((1, right.shape[1]), dtype=right.dtype)]))


def _refill(shares: Reals, where: NDArray[np.generic], cost: Reals) -> Reals:
    """Keep the shares that still make sense, and spread a little of each cost evenly."""
    number = np.maximum(where.sum(axis=1, dtype=cost.dtype), 1)
    return np.asarray((shares + (MIX * cost / number)[:, None]) * where, dtype=cost.dtype)

"""What is left of a cover problem once some tags are decided, and a sharing of its costs that proves a bound.

As in `bounds`, each outlier picks a tag of its own group or is lost, a pick uses *resources* (normals, and outliers of
other groups), and the cost of a resource is shared. A part of it goes to the outliers, as there. The other part is a
*toll* on the tags that use the resource: whichever group uses the tag pays all of it, and the outliers of that group
divide it among themselves. A tag is used for one group only, so the bound stays valid; and where several groups want
the same tag it proves more, for then each of them pays the toll in full.

Shares are kept as a dense matrix of resources by outliers: such problems have few tags, and matrix products are fast.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import pack
from pyod_explain.solvers.reduce import Reduced

__all__ = ["OUT", "UNDECIDED", "Instance", "Part", "Residual", "first_prices"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]

UNDECIDED, OUT = -2, -1  # instead of the group that a tag is used for

FIRST_ROUNDS = 600  # of the search for a sharing where nothing is known to start from ...
ROUNDS = 60  # ... and where it starts from that of a slightly larger problem, if that goes on to help:
EPOCH = 6  # every so many rounds, from the second time on, ...
HELPS = 0.08  # ... they must have closed this part of the gap that is left
PACE, FIRST_PACE = 0.5, 2.0  # how far shares move in the first round
MIX = np.float32(0.01)  # of every cost is spread evenly before a start, for a share of 0 would stay 0


class Instance:
    """The whole problem: resources (normals, then outliers) by tags, and what they cost.

    Attributes
    ----------
    small : the reduced problem.
    loss : cost of losing each outlier under WCCM.
    room : weight of outliers that each group may lose under BCCM; None for WCCM.
    """

    def __init__(self, small: Reduced, loss: Floats, room: Floats | None) -> None:
        self.small, self.room = small, room
        self.loss = np.asarray(loss, dtype=np.float64)
        self.group, self.n_groups = small.outlier_group, small.n_groups
        self.n_normals = len(small.normals)
        self.uses = np.concatenate([small.normals, small.outliers]).astype(np.float32)
        self.normal_bits, self.outlier_bits = pack(small.normals.T), pack(small.outliers.T)
        self.row_group = np.r_[np.full(self.n_normals, -1), self.group]
        self.of_group = self.group == np.arange(self.n_groups)[:, None]


def first_prices(small: Reduced, value: float) -> Floats:
    """Price a loss under BCCM so that losing a whole group costs twice the value of a selection; a start to move from.

    An infinite value stands for none known: then the cost of all normals takes its place.
    """
    mass = np.bincount(small.outlier_group, weights=small.outlier_mass, minlength=small.n_groups)
    top = value if 0 < value < np.inf else float(small.normal_mass.sum()) or 1.0
    return np.asarray(2 * top / np.where(mass > 0, mass, 1.0))


@dataclass(eq=False)
class Part:
    """Some tags are decided: a part of all selections.

    Attributes
    ----------
    owner : the group that each tag is used for, OUT or UNDECIDED.
    pairs : groups by tags; which tag may still be used for which group.
    paid : normals that a used tag covers.
    covered : outliers that a used tag of their own group covers.
    lost : outliers that a tag of another group covers, or that no tag can cover any more.
    bound : proved lower bound of every selection in it.
    depth : number of decisions.
    shares : sharing made for the part that it was cut from, to start from.
    """

    owner: NDArray[np.int8]
    pairs: Flags
    paid: Flags
    covered: Flags
    lost: Flags
    bound: float
    depth: int
    shares: Shares | None

    def leave_out(self, tag: int, bound: float, shares: Shares) -> Part:
        """Cut out the selections without a tag."""
        owner, pairs = self.owner.copy(), self.pairs.copy()
        owner[tag], pairs[:, tag] = OUT, False
        rest = self.paid.copy(), self.covered.copy(), self.lost.copy()
        return Part(owner, pairs, *rest, max(self.bound, bound), self.depth + 1, shares)

    def use(self, tag: int, group: int, small: Reduced, bound: float, shares: Shares) -> Part:
        """Cut out the selections in which a tag describes a group."""
        owner, pairs = self.owner.copy(), self.pairs.copy()
        owner[tag], pairs[:, tag] = group, False
        hit, mine = small.outliers[:, tag], small.outlier_group == group
        paid, covered, lost = self.paid | small.normals[:, tag], self.covered | (hit & mine), self.lost | (hit & ~mine)
        return Part(owner, pairs, paid, covered, lost, max(self.bound, bound), self.depth + 1, shares)


@dataclass(frozen=True, eq=False)
class Shares:
    """A sharing of costs, in terms of the whole problem.

    Attributes
    ----------
    rows, payers, tags : which resources, outliers and tags the matrices are about.
    of_payers : resources by payers. own : what a resource that pays itself keeps of its own loss.
    tolls : resources by tags. split : tags by payers, the parts of a toll. None with one group.
    price : of a loss, by group; BCCM only.
    """

    rows: Index
    payers: Index
    tags: Index
    of_payers: Singles
    own: Singles
    tolls: Singles | None
    split: Singles | None
    price: Floats | None

    @property
    def nbytes(self) -> int:
        return self.of_payers.nbytes + (0 if self.tolls is None else self.tolls.nbytes)


@dataclass(frozen=True, eq=False)
class _Proof:
    """What a sharing proves, and from which prices."""

    bound: float
    shares: Shares
    cost: Singles  # of each resource
    prices: Singles  # tags by payers, of each pick; infinite where there is none
    own: Singles  # what it costs a payer to be lost
    least: Singles


class Residual:
    """The resources, payers and picks that are left in a part of the problem.

    Parameters
    ----------
    tags : the undecided tags.
    base : what the decided tags cost.
    left : weight that each group may still lose (BCCM).
    cutoff : nothing above it is of interest.
    """

    def __init__(
        self, whole: Instance, part: Part, tags: Index, *, base: float, left: Floats | None, cutoff: float
    ) -> None:
        self.whole, self.part, self.tags, self.base, self.left, self.cutoff = whole, part, tags, base, left, cutoff
        self.payers = np.flatnonzero(~part.lost & ~part.covered)
        self.payer_group = whole.group[self.payers]
        self.allowed = part.pairs[:, tags]
        self.covers = whole.small.outliers[self.payers][:, tags].T
        self.picks = self.covers & self.allowed[self.payer_group].T
        self.no_pick = np.where(self.picks, np.float32(0), np.float32(np.inf))
        self._find_resources()
        place = np.full(len(whole.group), -1)
        place[self.payers] = np.arange(len(self.payers))
        outlier = self.rows - whole.n_normals
        self.pays_itself = np.flatnonzero((outlier >= 0) & (place[np.maximum(outlier, 0)] >= 0))
        self.itself = place[outlier[self.pays_itself]]
        self.member = (np.arange(whole.n_groups)[:, None] == self.payer_group).astype(np.float32)
        # A row costs the tags of every group but its own.
        self.costs_group = (np.arange(whole.n_groups)[:, None] != self.row_group).astype(np.float32)
        self.uses_and_1, self.costs_and_1 = _with_1(self.uses), _with_1(self.costs_group.T)
        # Sums of n single-precision terms that are not negative are off by n roundings at most.
        self.safety = float((sum(self.uses.shape) + len(self.payers) + 16) * 2.0**-23)
        self.price = self._first_price()
        self._set_costs()
        self.of_payers, self.own_part, self.tolls, self.split = self._start()

    def _find_resources(self) -> None:
        whole, part = self.whole, self.part
        rows = np.flatnonzero(np.r_[~part.paid, ~part.lost])
        if whole.n_groups == 1:
            rows = rows[rows < whole.n_normals]
        uses = _block(whole.uses, rows, self.tags)
        usable = (uses @ self.picks.astype(np.float32) > 0) & (whole.row_group[rows][:, None] != self.payer_group)
        some = usable.any(axis=1)
        self.rows, self.uses, self.usable = rows[some], uses[some], usable[some]
        self.used_by = np.ascontiguousarray(self.uses.T)
        self.row_group = whole.row_group[self.rows]

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
        self.cost: Singles = np.concatenate([whole.small.normal_mass, loss])[self.rows].astype(np.float32)
        self.loss: Singles = loss[self.payers].astype(np.float32)

    def _start(self) -> tuple[Singles, Singles, Singles | None, Singles | None]:
        """Start from even shares, or from those of the part that this one was cut from."""
        before, cost = self.part.shares, self.cost
        own = np.zeros(len(self.rows), dtype=np.float32)
        if before is None:
            own[self.pays_itself] = np.e  # most of a loss is best left with the outlier itself
            shares = self.usable.astype(np.float32)
            if self.whole.n_groups == 1:
                return shares, own, None, None
            return shares, own, self.uses.copy(), self.picks.astype(np.float32)
        row = _positions(before.rows, len(self.whole.row_group))[self.rows]
        payer = _positions(before.payers, len(self.whole.group))[self.payers]
        own[self.pays_itself] = np.maximum(before.own[row[self.pays_itself]], 1e-3 * cost[self.pays_itself])
        shares = _refill(_block(before.of_payers, row, payer), self.usable, cost)
        if before.tolls is None or before.split is None:
            return shares, own, None, None
        tag = _positions(before.tags, len(self.whole.small.tags))[self.tags]
        tolls = _refill(_block(before.tolls, row, tag), self.uses, cost)
        return shares, own, tolls, (_block(before.split, tag, payer) + MIX) * self.picks

    def ascend(self, stop: float, end: float) -> _Proof:
        """Move the shares towards those who use the resources, until that proves `stop` or the rounds, or time, end."""
        first = self.part.shares is None
        rounds, epoch = (FIRST_ROUNDS, 50) if first else (ROUNDS, EPOCH)
        best = proof = self._prove()
        before = -np.inf
        for number in range(rounds - 1):
            if best.bound > stop or time.perf_counter() > end:
                break
            if number % epoch == epoch - 1:
                worth = 1e-3 * abs(best.bound) if first else HELPS * (stop - best.bound)
                if best.bound - before < worth:
                    break  # what is left to gain is not worth the time
                before = best.bound
            warmth = 0.05 * 0.99 ** (number / 4) if first else 0.03 * 0.97 ** (number / 2)
            self._move(proof, warmth + 1e-3, (FIRST_PACE if first else PACE) / (1 + number / 50), first=first)
            proof = self._prove()
            if proof.bound > best.bound:
                best = proof
        return best

    def _prove(self) -> _Proof:
        """Scale the shares so that they add up to the costs, and see what that proves."""
        total = self.of_payers @ np.ones(len(self.payers), dtype=np.float32) + self.own_part
        if self.tolls is not None:
            total += self.tolls @ np.ones(len(self.tags), dtype=np.float32)
        scale = self.cost / np.maximum(total, np.float32(1e-30))
        # In place: each move makes new arrays, so that no proof shares these.
        self.of_payers *= scale[:, None]
        self.own_part *= scale
        prices = self.used_by @ self.of_payers
        if self.tolls is not None and self.split is not None:
            self.tolls *= scale[:, None]
            self.split /= np.maximum((self.split @ self.member.T)[:, self.payer_group], np.float32(1e-30))
            prices += (self.costs_group @ self.tolls)[self.payer_group].T * self.split
        prices += self.no_pick
        own = self.loss.copy()
        own[self.itself] = self.own_part[self.pays_itself]
        least = np.minimum(prices.min(axis=0), own)
        bound = self.base + float(least.sum(dtype=np.float64)) * (1 - self.safety)
        if self.price is not None and self.left is not None:
            # BCCM: whatever the prices, objective >= cost with losses at these prices - price x allowed losses.
            bound -= float(self.price @ self.left)
        bound = bound if np.isfinite(bound) else -np.inf
        kept = Shares(
            self.rows, self.payers, self.tags, self.of_payers, self.own_part, self.tolls, self.split, self.price
        )
        return _Proof(bound, kept, self.cost, prices, own, least)

    def _move(self, proof: _Proof, warmth: float, speed: float, *, first: bool) -> None:
        """Let every payer take its cheapest picks, softly, and raise its shares in what these use."""
        scale = np.float32(1 / warmth) / np.maximum(self.loss, np.float32(1e-12))
        soft = np.exp((proof.least - proof.prices) * scale)
        lost = np.exp((proof.least - proof.own) * scale)
        total = soft.sum(axis=0) + lost
        soft, lost = soft / total, lost / total
        growth = np.float32(math.expm1(speed))
        if self.price is not None and self.left is not None:
            self.price = self._reprice(proof, speed, soft, lost, self.price, self.left)
            self._set_costs()
        self.of_payers = self.of_payers * _grown(self.uses_and_1, growth * soft)
        self.own_part = self.own_part.copy()
        self.own_part[self.pays_itself] *= 1 + growth * lost[self.itself]
        if self.tolls is not None and self.split is not None:
            described = self.member @ (self.split * soft).T  # groups by tags
            self.tolls = self.tolls * _grown(self.costs_and_1, growth * described)
            # Half the pace once the start is good: the parts of a toll settle last.
            self.split = self.split * (1 + np.float32(math.expm1(speed if first else speed / 2)) * soft)

    def _reprice(
        self, proof: _Proof, speed: float, soft: Singles, lost: Singles, price: Floats, left: Floats
    ) -> Floats:
        """Raise the price of a loss in a group that loses more than allowed at these prices, lower that of others."""
        whole, mass = self.whole, self.whole.small.outlier_mass
        share = np.zeros(len(whole.group))  # of each outlier, how far it is lost
        share[self.payers] = lost
        outlier = self.rows - whole.n_normals
        cost = np.maximum(proof.cost, np.float32(1e-30))
        share[outlier[self.pays_itself]] *= proof.shares.own[self.pays_itself] / cost[self.pays_itself]
        foreign = np.flatnonzero(outlier >= 0)
        use = self.uses[foreign] @ soft
        by_others = (proof.shares.of_payers[foreign] * use).sum(axis=1) / cost[foreign]
        share[outlier[foreign]] += by_others
        lost_mass = np.bincount(whole.group, weights=share * mass, minlength=whole.n_groups)
        total = np.bincount(whole.group, weights=mass, minlength=whole.n_groups)
        over = (lost_mass - left) / np.maximum(total, 1e-300)
        return np.asarray(price * np.exp(speed * np.clip(over, -0.5, 0.5)))

    def without_each(self, proof: _Proof) -> Floats:
        """Bound the selections without each tag: those for whom it is the cheapest pick take their second best."""
        cheapest, payers = proof.prices.argmin(axis=0), np.arange(len(self.payers))
        others = proof.prices.copy()
        others[cheapest, payers] = np.inf
        rise = np.minimum(others.min(axis=0), proof.own) - proof.least
        took = proof.prices[cheapest, payers] < proof.own
        more = np.bincount(cheapest[took], weights=rise[took], minlength=len(self.tags))
        return np.asarray(proof.bound + more * (1 - 2 * self.safety))

    def with_each(self, proof: _Proof) -> Floats:
        """Bound the selections that use each tag for each group: groups by tags, infinite where that is not allowed.

        All resources of the tag are paid. Each outlier that it does not cover pays at least its least price, minus its
        shares in these resources, minus its part of what they are tolled for.
        """
        base = self.base
        if self.price is not None and self.left is not None and proof.shares.price is not None:
            base -= float(proof.shares.price @ self.left)
        result = np.full(self.allowed.shape, np.inf)
        less, more = np.float32(1 - self.safety), np.float32(1 + self.safety)
        tolls, split = proof.shares.tolls, proof.shares.split
        for k in np.flatnonzero(self.allowed.any(axis=1)):
            used_by = self.used_by * self.costs_group[k]
            freed = used_by @ proof.shares.of_payers
            if tolls is not None and split is not None:
                freed += ((used_by @ tolls)[:, :, None] * split).max(axis=1)
            rest = np.maximum(proof.least * less - freed * more, 0) * ~self.covers
            total = (used_by @ proof.cost).astype(np.float64) + rest.sum(axis=1)
            result[k] = np.where(self.allowed[k], base + total * (1 - self.safety), np.inf)
        return result


def _positions(of: Index, n: int) -> Index:
    """Tell for each of n things where it is in a list; -1 if it is not."""
    result = np.full(n, -1)
    result[of] = np.arange(len(of))
    return result


def _block(matrix: Singles, rows: Index, columns: Index) -> Singles:
    """Cut rows and columns out of a matrix; one after the other is faster than both at once."""
    return np.ascontiguousarray(matrix[rows][:, columns])


def _with_1(matrix: Singles) -> Singles:
    """Append a column of ones."""
    return np.concatenate([matrix, np.ones((len(matrix), 1), dtype=np.float32)], axis=1)


def _grown(left_and_1: Singles, right: Singles) -> Singles:
    """Compute 1 + left @ right in one product: such matrices are small, and each further operation costs as much."""
    return np.asarray(left_and_1 @ np.concatenate([right, np.ones((1, right.shape[1]), dtype=np.float32)]))


def _refill(shares: Singles, where: NDArray[np.generic], cost: Singles) -> Singles:
    """Keep the shares that still make sense, and spread a little of each cost evenly."""
    number = np.maximum(where.sum(axis=1, dtype=np.float32), 1)
    return np.asarray((shares + (MIX * cost / number)[:, None]) * where, dtype=np.float32)

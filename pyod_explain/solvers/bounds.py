"""Proved lower bounds for WCCM and BCCM, by sharing the cost of each covered row among the outliers that cause it.

Read WCCM as a choice: each outlier picks one tag of its own group, or is lost. A pick uses *resources*: the normals
that the tag covers, the outliers of other groups that it covers (they are lost), or the outlier itself if it is lost.
Each used resource is paid once, however many outliers use it: a normal costs 1, a lost outlier λ.

Now share each resource's cost among the outliers in any way. If everyone pays its own shares for its own cheapest
pick, the sum is at most the cost of any joint choice, for there each used resource is paid in full by all its shares
together, used or not. So every sharing proves a bound, and the best sharing proves that of the linear relaxation

    min  Σ cost_r u_r   s.t.  Σ_t x_gt ≥ 1 for each outlier g,   Σ_{t uses r} x_gt ≤ u_r for each g and resource r,

which is far stronger than the relaxation of the paper's program: there each tag of an outlier may be chosen by 1/m
if m tags cover it, and the normals are covered by 1/m too; here the m tags' parts of a common normal add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.solvers.branch import branch_and_bound, within_reach
from pyod_explain.solvers.deadline import NEVER, Deadline
from pyod_explain.solvers.problem import BudgetedCover, Chosen, WeightedCover
from pyod_explain.solvers.reduce import Reduced, inclusion_minimal
from pyod_explain.solvers.residual import first_prices
from pyod_explain.solvers.scale import common_step

__all__ = [
    "Choice",
    "Sharing",
    "budgeted_bound",
    "choice",
    "parties_of",
    "settle",
    "share_costs",
    "step_of",
    "weighted_bound",
]

Floats = NDArray[np.float64]

DENSE_LIMIT = 60_000_000  # entries of the matrix of normals by tags; beyond it part of the normals is left unpaid
SHARES_LIMIT = 3_000_000  # shares (resource by payer) that are kept apart; beyond it outliers pay in parties
WORK_LIMIT = 1_000_000_000  # multiplications in one round
FEW_PARTS = 100  # into which all selections are divided for a bound, where that is possible at all
LP_ERROR = 1e-6  # of a bound: what HiGHS proves may be off by so much
PROVED = 2e-8  # of a value: a bound that is nearer proves it, to the precision of the solvers, ...
ONE_ROW = 0.1  # ... where that is less than this part of the cheapest row, for a cheaper selection differs in rows
ROUNDING = 2.0**-51  # of a value: a smaller difference is none
MINIMAL_LIMIT = 3_000_000_000  # outliers x normals x tags up to which needless picks are looked for


@dataclass(frozen=True, eq=False)
class Choice:
    """WCCM as a choice: each (merged) outlier picks a tag or is lost, and all resources used are paid once.

    Attributes
    ----------
    small : the reduced problem; its distinct outliers are those who pick.
    picks : tags by outliers; which tag an outlier may pick. Of the tags that cover it, only those whose resources
        include no other such tag's (what else a tag covers does not matter to the one who picks it), unless the
        problem is too large to find out.
    loss : cost of losing each outlier.
    fixed : cost of the outliers that no tag of their group covers.
    """

    small: Reduced
    picks: NDArray[np.bool_]
    loss: Floats
    fixed: float


def choice(small: Reduced, weight: Floats, deadline: Deadline = NEVER) -> Choice:
    """Read the reduced problem as a choice of each outlier; past the deadline needless picks are left in."""
    picks = small.outliers.T & small.pairs[small.outlier_group].T
    if len(small.outliers) * len(small.normals) * len(small.tags) < MINIMAL_LIMIT:
        for k in range(small.n_groups):
            mine = small.outlier_group == k
            uses = np.concatenate([small.normals, small.outliers[~mine]]).T  # tags by resources
            for g in np.flatnonzero(mine):
                if deadline.passed:
                    break
                tags = np.flatnonzero(picks[:, g])
                picks[tags, g] = False
                picks[tags[inclusion_minimal(uses[tags])], g] = True
    loss = weight[small.outlier_group] * small.outlier_mass
    return Choice(small, picks, loss, float(weight @ small.hopeless))


@dataclass(frozen=True, eq=False)
class Sharing:
    """A way to share the costs, and what it proves.

    Attributes
    ----------
    bound : proved lower bound of the objective.
    cheapest : for each outlier the tag of its cheapest pick, or -1 if that is to be lost.
    normal, outlier : the share of each payer (column) in each normal and in each outlier of another group (row).
    """

    bound: float
    cheapest: NDArray[np.intp]
    normal: Floats
    outlier: Floats


def share_costs(
    problem: Choice,
    *,
    target: float = np.inf,
    rounds: int = 400,
    deadline: Deadline = NEVER,
    parties: NDArray[np.intp] | None = None,
    allowed: Floats | None = None,
) -> Sharing:
    """Search for a sharing of the costs that proves a high bound.

    Each round, every outlier takes its cheapest picks (softly, at a falling temperature) and the shares move towards
    the outliers that use the resource: exponentiated gradient ascent on a concave function.

    Parameters
    ----------
    target : stop once this is proved.
    rounds, deadline : stop after that many rounds or then, with whatever is proved.
    parties : number of the party of each outlier; outliers of a party have one share in common and split it in
        proportion to `loss`. One party each by default. Fewer are faster and prove less.
    allowed : for BCCM the weight that each group may lose: the cost of a loss then is a multiplier that moves, too.
    """
    return _Ascent(problem, parties, allowed).run(target, rounds, deadline)


class _Ascent:
    def __init__(self, problem: Choice, parties: NDArray[np.intp] | None, allowed: Floats | None) -> None:
        small = problem.small
        self.problem, self.allowed = problem, allowed
        self.group = small.outlier_group
        n = len(small.outliers)
        self.party = np.arange(n) if parties is None else parties
        n_parties = int(self.party.max(initial=-1)) + 1
        self.loss = problem.loss.copy()
        total = np.bincount(self.party, weights=problem.loss, minlength=n_parties)
        self.part = problem.loss / np.where(total[self.party] > 0, total[self.party], 1.0)
        self.apart = parties is None
        rows = _payable(small)
        exact = rows.size * problem.picks.shape[0] < DENSE_LIMIT // 4
        real: type[np.floating[Any]] = np.float64 if exact else np.float32
        self.safety = 1e-9 if exact else 1e-4  # relative; what rounding in the sums below can amount to
        self.cost = small.normal_mass[rows]
        self.tags = np.flatnonzero(problem.picks.any(axis=1))
        self.normals: NDArray[Any] = small.normals[np.ix_(rows, self.tags)].astype(real)
        self.outliers: NDArray[Any] = small.outliers[:, self.tags].astype(real)
        self.picks = problem.picks[self.tags]
        of_party = np.zeros((n_parties, len(small.pairs)), dtype=bool)
        of_party[self.party, self.group] = True
        able = self._gather(self.picks.astype(real)) > 0
        foreign = ~of_party[:, self.group].T  # outliers by parties; a party never mixes groups
        self.may_normal = (self.normals @ able.astype(real)) > 0
        self.may_outlier = ((self.outliers @ able.astype(real)) > 0) & foreign
        self.log_normal = np.where(self.may_normal, 0.0, -np.inf)
        self.log_outlier = np.where(self.may_outlier, 0.0, -np.inf)
        self.log_own = np.full(n, 1.0)  # most of a loss is best left with the outlier itself

    def _gather(self, by_outlier: NDArray[Any]) -> NDArray[Any]:
        """Sum the columns of the outliers of each party."""
        if self.apart:
            return by_outlier
        n_parties = int(self.party.max(initial=-1)) + 1
        result = np.zeros((len(by_outlier), n_parties), dtype=by_outlier.dtype)
        for one in range(n_parties):
            result[:, one] = by_outlier[:, self.party == one].sum(axis=1)
        return result

    def run(self, target: float, rounds: int, deadline: Deadline) -> Sharing:
        before = -np.inf  # what was proved when progress was last looked at
        nobody = np.full(len(self.loss), -1, dtype=np.intp)
        best = Sharing(-np.inf, nobody, np.zeros((0, 0)), np.zeros((0, 0)))
        for number in range(rounds):
            shares = self._shares()
            prices, own, least = self._prices(*shares)
            bound = self._bound(least)
            if bound > best.bound:
                best = self._sharing(shares, prices, own, bound)
            if best.bound >= target or deadline.passed:
                break
            if number % 50 == 49:
                if best.bound - before < 1e-4 * abs(best.bound):
                    break  # what is left to gain is not worth the time
                before = best.bound
            self._move(number, shares, prices, own, least)
        return best

    def _shares(self) -> tuple[Floats, Floats, Floats]:
        top = self.log_normal.max(axis=1, initial=-1e9)[:, None]
        normal = np.exp(self.log_normal - top)
        normal *= (self.cost / np.maximum(normal.sum(axis=1), 1e-300))[:, None]
        top = np.maximum(self.log_outlier.max(axis=1, initial=-1e9), self.log_own)
        outlier, own = np.exp(self.log_outlier - top[:, None]), np.exp(self.log_own - top)
        scale = self.loss / (outlier.sum(axis=1) + own)
        return normal, outlier * scale[:, None], own * scale

    def _prices(self, normal: Floats, outlier: Floats, own: Floats) -> tuple[Floats, Floats, Floats]:
        """What each pick costs each outlier; what being lost does; and the least of these."""
        real = self.normals.dtype
        total = self.normals.T @ normal.astype(real) + self.outliers.T @ outlier.astype(real)
        prices = np.asarray(total, dtype=np.float64)
        if not self.apart:
            prices = prices[:, self.party] * self.part
        prices = np.where(self.picks, prices, np.inf)
        return prices, own, np.minimum(prices.min(axis=0, initial=np.inf), own)

    def _bound(self, least: Floats) -> float:
        total = float(least.sum())
        total -= self.safety * total
        if self.allowed is None:
            return total + self.problem.fixed
        # BCCM: whatever the multipliers, objective >= cost with losses at these prices - price x allowed losses.
        return total - float(self._multipliers() @ (self.allowed - self.problem.small.hopeless))

    def _multipliers(self) -> Floats:
        mass, k = self.problem.small.outlier_mass, self.problem.small.n_groups
        price = np.zeros(k)
        price[self.group] = self.loss / mass
        return price

    def _sharing(self, shares: tuple[Floats, Floats, Floats], prices: Floats, own: Floats, bound: float) -> Sharing:
        cheapest = np.full(len(own), -1, dtype=np.intp)
        if len(prices):
            cheapest = np.where(prices.min(axis=0) < own, self.tags[prices.argmin(axis=0)], -1)
        return Sharing(bound, cheapest, shares[0], shares[1])

    def _move(
        self, number: int, shares: tuple[Floats, Floats, Floats], prices: Floats, own: Floats, least: Floats
    ) -> None:
        warmth = (0.05 * 0.97 ** (number / 4) + 1e-3) * np.maximum(self.loss, 1e-12)
        soft = np.exp(-(prices - least) / warmth)
        soft_own = np.exp(-(own - least) / warmth)
        total = soft.sum(axis=0) + soft_own
        soft, soft_own = soft / total, soft_own / total
        weighted = self._gather((soft if self.apart else soft * self.part).astype(self.normals.dtype))
        use_normal, use_outlier = self.normals @ weighted, self.outliers @ weighted
        pace = 2.0 / (1 + number / 50)
        self.log_normal += pace * use_normal
        self.log_outlier += pace * use_outlier
        self.log_own += pace * soft_own
        if self.allowed is not None:
            used = (shares[1] * np.where(self.may_outlier, use_outlier, 0.0)).sum(axis=1) + shares[2] * soft_own
            self._reprice(pace, used / np.maximum(self.loss, 1e-300), self.allowed)

    def _reprice(self, pace: float, lost: Floats, allowed: Floats) -> None:
        """Raise the multiplier of a group that loses more than allowed at these prices, lower that of others."""
        small = self.problem.small
        mass = np.bincount(self.group, weights=small.outlier_mass, minlength=small.n_groups)
        lost_mass = np.bincount(self.group, weights=lost * small.outlier_mass, minlength=small.n_groups)
        over = (lost_mass - (allowed - small.hopeless)) / np.maximum(mass, 1e-300)
        self.loss *= np.exp(pace * np.clip(over, -0.5, 0.5))[self.group]


def _payable(small: Reduced) -> NDArray[np.intp]:
    """Choose the normals that take part: all, or the heaviest where the matrix would be too large to hold."""
    room = max(DENSE_LIMIT // max(len(small.tags), 1), 1)
    if len(small.normals) <= room:
        return np.arange(len(small.normals))
    return np.sort(np.argsort(-small.normal_mass, kind="stable")[:room])


def step_of(costs: Floats) -> float:
    """Return the largest number of which every sum of these costs is a multiple; 0 if there is none to speak of.

    >>> step_of(np.array([3.0, 7.5, 0.0])), step_of(np.array([1.0, np.pi]))
    (1.5, 0.0)
    """
    return common_step(costs[costs > 0])


def settle(bound: float, objective: float, step: float, row: float = np.inf) -> float:
    """Round a bound up to the next value that the objective can take, but not above one that is attained.

    A bound counts only as far as the error of what proved it cannot explain it: 50,000.005 proves 50,000, not 50,001.
    Where the objective has no step, a bound proves it that is equal to the precision of the solvers; but not if that
    leaves room for another row: next to losses of 10**12, selections that cover a few normals more are not equal.

    Parameters
    ----------
    step : the objective is a multiple of it; 0 if unknown.
    row : cost of the cheapest row.

    Examples
    --------
    >>> settle(12.2, 20.0, 1.0), settle(19.4, 20.0, 1.0), settle(12.2, 20.0, 0.0), settle(50000.005, 50001.0, 1.0)
    (13.0, 20.0, 12.2, 50000.0)
    >>> settle(1e12, 1e12 + 20.0, 0.0) == 1e12 + 20.0, settle(1e12, 1e12 + 20.0, 0.0, row=1.0) == 1e12
    (True, True)
    """
    if not np.isfinite(objective):
        return bound
    gap = objective - bound
    if gap <= ROUNDING * abs(objective):
        return objective
    if step > 0:
        return min(float(np.ceil((bound - LP_ERROR * abs(bound)) / step - LP_ERROR)) * step + 0.0, objective)  # no -0.0
    return objective if gap <= min(PROVED * abs(objective), ONE_ROW * row) else bound


def cheapest_row(costs: Floats) -> float:
    """Return the least cost above 0; infinite if there is none."""
    return float(costs[costs > 0].min(initial=np.inf))


def weighted_bound(problem: WeightedCover, small: Reduced | None, tags: Chosen, deadline: Deadline) -> float:
    """Prove a lower bound of WCCM's objective by the deadline.

    Parameters
    ----------
    small : the problem reduced; None if there was no time for it.
    tags : a good selection to compare with.
    """
    if small is None:
        return 0.0
    asked = choice(small, problem.weight, deadline)
    costs = np.r_[small.normal_mass, asked.loss]
    step, row = step_of(np.r_[costs, asked.fixed]), cheapest_row(costs)
    value = problem.objective(tags)
    if within_reach(small):
        found = branch_and_bound(
            small, asked.loss, cutoff=value - asked.fixed, step=step, seconds=deadline.left, max_parts=FEW_PARTS
        )
        return settle(found.bound + asked.fixed, value, step, row)
    sharing = share_costs(asked, target=value - 0.9 * step, deadline=deadline, parties=parties_of(small, tags))
    return settle(max(sharing.bound, asked.fixed), value, step, row)


def budgeted_bound(problem: BudgetedCover, small: Reduced | None, tags: Chosen, deadline: Deadline) -> float:
    """Prove a lower bound of BCCM's objective by the deadline; arguments as for `weighted_bound`."""
    if small is None:
        return 0.0
    step, row = step_of(small.normal_mass), cheapest_row(small.normal_mass)
    value = problem.objective(tags)
    if within_reach(small):
        found = branch_and_bound(
            small,
            np.zeros(len(small.outliers)),
            cutoff=value,
            step=step,
            seconds=deadline.left,
            max_parts=FEW_PARTS,
            max_tags=problem.max_tags,
            room=np.maximum(problem.limit - small.hopeless, 0.0),
        )
        return settle(found.bound, value, step, row)
    asked = choice(small, first_prices(small, value), deadline)
    sharing = share_costs(
        asked,
        target=value - 0.9 * step,
        deadline=deadline,
        parties=parties_of(small, tags),
        allowed=problem.limit,
    )
    return settle(max(sharing.bound, 0.0), value, step, row)


def parties_of(small: Reduced, tags: Chosen) -> NDArray[np.intp] | None:
    """Who pays together where there are too many shares: those that the same tag of the selection covers."""
    n_rows = min(len(small.normals), DENSE_LIMIT // max(len(small.tags), 1)) + len(small.outliers)
    n_shares = n_rows * len(small.outliers)
    if n_shares <= SHARES_LIMIT and n_shares * len(small.tags) <= WORK_LIMIT:
        return None
    position = {int(tag): t for t, tag in enumerate(small.tags)}
    label = small.outlier_group.copy()  # the lost ones of a group are a party, too
    number = small.n_groups
    for k, chosen in enumerate(tags):
        for tag in chosen:
            if int(tag) in position:
                label[(small.outlier_group == k) & small.outliers[:, position[int(tag)]] & (label == k)] = number
                number += 1
    return np.unique(label, return_inverse=True)[1].astype(np.intp)

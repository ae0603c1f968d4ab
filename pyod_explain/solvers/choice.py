"""WCCM and BCCM as a choice that each outlier makes, and a sharing of the costs of a whole problem of any size."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import count_bits, pack
from pyod_explain.solvers.cost_sharing import CostSharing, Manner, Proof, Schedule
from pyod_explain.solvers.deadline import NEVER, Deadline
from pyod_explain.solvers.dominance import undominated
from pyod_explain.solvers.limits import LIMITS, Limits
from pyod_explain.solvers.parts import Instance, everything
from pyod_explain.solvers.problem import Chosen
from pyod_explain.solvers.reduce import Reduced

__all__ = ["Choice", "Sharing", "choice", "parties_of", "share_costs", "time_to_share"]

Floats = NDArray[np.float64]

# Those who pay for themselves settle slowly, and prove more for it; parties have less to settle.
APART = Schedule(rounds=600, epoch=50, growth=1e-4, closed=0.0, pace=1.5, warmth=0.05, cooling=0.98, rate=4)
TOGETHER = Schedule(rounds=500, epoch=50, growth=1e-4, closed=0.0, pace=2.0, warmth=0.05, cooling=0.95, rate=4)
FIRST_ROUND = 2e-8  # seconds to set up a sharing and for its first round, for each entry of that matrix
DOUBLE = 15_000_000  # entries of the matrix of resources by tags up to which double precision costs little time


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


def choice(small: Reduced, weight: Floats, deadline: Deadline = NEVER, limits: Limits = LIMITS) -> Choice:
    """Read the reduced problem as a choice of each outlier; where time is short needless picks are left in."""
    deadline = deadline.part(0.7)  # the rest is for what is made of it
    picks = small.picks.T
    if len(small.outliers) * len(small.normals) * len(small.tags) < limits.minimal:
        for k in range(small.n_groups):
            if deadline.passed:
                break
            mine = small.outlier_group == k
            uses = pack(np.concatenate([small.normals, small.outliers[~mine]]).T)  # tags by resources
            nothing, n_uses = uses[:, :0], count_bits(uses)
            for g in np.flatnonzero(mine):
                if deadline.passed:
                    break
                tags = np.flatnonzero(picks[:, g])
                none = nothing[tags]  # what else a tag covers does not matter
                picks[tags, g] = undominated(
                    none, none, uses[tags], n_normals=n_uses[tags], deadline=deadline, limits=limits
                )
    loss = weight[small.outlier_group] * small.outlier_mass
    return Choice(small, picks, loss, float(weight @ small.hopeless))


@dataclass(frozen=True, eq=False)
class Sharing:
    """A way to share the costs, and what it proves.

    Attributes
    ----------
    bound : proved lower bound of the objective.
    cheapest : for each outlier the tag of its cheapest pick, or -1 if that is to be lost.
    normal, outlier : the share of each payer (column) in each normal and in each outlier of another group (row); None
        if they pay in parties.
    """

    bound: float
    cheapest: NDArray[np.intp]
    normal: Floats | None
    outlier: Floats | None


def share_costs(
    problem: Choice,
    *,
    target: float = np.inf,
    value: float = np.inf,
    deadline: Deadline = NEVER,
    parties: NDArray[np.intp] | None = None,
    allowed: Floats | None = None,
    limits: Limits = LIMITS,
) -> Sharing:
    """Search for a sharing of the costs that proves a high bound.

    Parameters
    ----------
    target : stop once this is proved.
    value : of a selection that is known, if any.
    deadline : stop then, with whatever is proved.
    parties : number of the party of each outlier; one each by default. Fewer are faster and prove less.
    allowed : for BCCM the weight that each group may lose: the cost of a loss then is a price that moves, too.
    """
    small = _payable(problem.small, limits)
    left = None if allowed is None else allowed - small.hopeless
    whole = Instance(small, problem.loss, left)
    tags = np.flatnonzero(problem.picks.any(axis=1))
    engine = CostSharing(
        whole,
        everything(small),
        tags,
        base=problem.fixed if allowed is None else 0.0,
        left=left,
        cutoff=value,
        manner=Manner(tolls=False, parties=parties, picks=problem.picks, double=whole.uses.size < DOUBLE),
    )
    with np.errstate(invalid="ignore"):  # some processors set this flag for products in which nothing is wrong
        proof = engine.ascend(target, deadline.end, APART if parties is None else TOGETHER)
    return _sharing(proof, small, whole, apart=parties is None)


def time_to_share(small: Reduced, deadline: Deadline, limits: Limits = LIMITS) -> bool:
    """Tell whether there is time for a sharing, which looks at the clock after its first round only."""
    n_entries = (len(small.normals) + len(small.outliers)) * len(small.tags)
    return deadline.left > FIRST_ROUND * min(n_entries, limits.dense)


def _sharing(proof: Proof, small: Reduced, whole: Instance, *, apart: bool) -> Sharing:
    """Read it in terms of the reduced problem."""
    cheapest = np.full(len(small.outliers), -1, dtype=np.intp)
    if len(proof.prices):
        took = proof.prices.min(axis=0) < proof.own
        cheapest[proof.shares.payers[took]] = proof.shares.tags[proof.prices.argmin(axis=0)[took]]
    if not apart:
        return Sharing(proof.bound, cheapest, None, None)
    shares = np.zeros((len(whole.row_group), len(small.outliers)))
    shares[np.ix_(proof.shares.rows, proof.shares.payers)] = proof.shares.of_payers
    return Sharing(proof.bound, cheapest, shares[: whole.n_normals], shares[whole.n_normals :])


def _payable(small: Reduced, limits: Limits) -> Reduced:
    """Keep the normals that take part: all, or the heaviest where the matrix would be too large to hold.

    A normal that is left out costs nothing, which proves no more than holds.
    """
    room = max(limits.dense // max(len(small.tags), 1), 1)
    if len(small.normals) <= room:
        return small
    rows = np.sort(np.argsort(-small.normal_mass, kind="stable")[:room])
    return replace(small, normals=small.normals[rows], normal_mass=small.normal_mass[rows])


def parties_of(small: Reduced, tags: Chosen, limits: Limits = LIMITS) -> NDArray[np.intp] | None:
    """Who pays together where there are too many shares: those that the same tag of the selection covers."""
    n_rows = min(len(small.normals), limits.dense // max(len(small.tags), 1)) + len(small.outliers)
    n_shares = n_rows * len(small.outliers)
    if n_shares <= limits.shares and n_shares * len(small.tags) <= limits.work:
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

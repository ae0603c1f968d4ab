"""Parts of a cover problem: some tags are decided, used for a group or left out, and the rest of it is smaller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import pack
from pyod_explain.solvers.reduce import Reduced

__all__ = ["Instance", "Part", "Shares", "everything"]

Floats = NDArray[np.float64]
Reals = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]

NOBODY = -1  # instead of the group that a tag is used for


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
        self.uses = np.concatenate([small.normals, small.outliers])
        self.normal_bits, self.outlier_bits = pack(small.normals.T), pack(small.outliers.T)
        self.row_group = np.r_[np.full(self.n_normals, -1), self.group]
        self.of_group = self.group == np.arange(self.n_groups)[:, None]


@dataclass(frozen=True, eq=False)
class Shares:
    """A sharing of costs, in terms of the whole problem.

    Attributes
    ----------
    rows, payers, tags : which resources, outliers and tags the matrices are about.
    of_payers : resources by payers, or by parties. own : what a resource that pays itself keeps of its own loss.
    tolls : resources by tags. split : tags by payers, the parts of a toll. None without tolls.
    price : of a loss, by group; BCCM only.
    """

    rows: Index
    payers: Index
    tags: Index
    of_payers: Reals
    own: Reals
    tolls: Reals | None
    split: Reals | None
    price: Floats | None

    @property
    def nbytes(self) -> int:
        return self.of_payers.nbytes + (0 if self.tolls is None else self.tolls.nbytes)


@dataclass(eq=False)
class Part:
    """Some tags are decided: a part of all selections.

    Attributes
    ----------
    owner : the group that each tag is used for, or NOBODY.
    pairs : groups by tags; which tag may still be used for which group.
    paid : normals that a used tag covers.
    covered : outliers that a used tag of their own group covers.
    lost : outliers that a tag of another group covers, or that no tag can cover any more.
    bound : proved lower bound of every selection in it.
    depth : number of decisions.
    shares : sharing made for the part that it was cut from, to start from.
    """

    owner: Index
    pairs: Flags
    paid: Flags
    covered: Flags
    lost: Flags
    bound: float
    depth: int
    shares: Shares | None

    def leave_out(self, tag: int, bound: float, shares: Shares) -> Part:
        """Cut out the selections without a tag."""
        pairs = self.pairs.copy()
        pairs[:, tag] = False
        rest = self.paid.copy(), self.covered.copy(), self.lost.copy()
        return Part(self.owner.copy(), pairs, *rest, max(self.bound, bound), self.depth + 1, shares)

    def use(self, tag: int, group: int, small: Reduced, bound: float, shares: Shares) -> Part:
        """Cut out the selections in which a tag describes a group."""
        owner, pairs = self.owner.copy(), self.pairs.copy()
        owner[tag], pairs[:, tag] = group, False
        hit, mine = small.outliers[:, tag], small.outlier_group == group
        paid, covered, lost = self.paid | small.normals[:, tag], self.covered | (hit & mine), self.lost | (hit & ~mine)
        return Part(owner, pairs, paid, covered, lost, max(self.bound, bound), self.depth + 1, shares)


def everything(small: Reduced) -> Part:
    """Return the part that is the whole: no tag is decided."""
    nobody = np.zeros(len(small.outliers), dtype=bool)
    unused = np.full(len(small.tags), NOBODY, dtype=np.intp)
    nothing = np.zeros(len(small.normals), dtype=bool)
    return Part(unused, small.pairs.copy(), nothing, nobody, nobody.copy(), 0.0, 0, None)

"""The second idea of `refined`: decide which rows to pay for, not which tags to use.

A pair of a group and a tag has its price: the normals that the tag covers and the outliers of other groups, which are
lost. Once a set of rows is paid, every pair whose price lies within it is free, and covers its group's outliers for
nothing. So the paid rows decide everything else, and WCCM reads: the cost of the paid rows, plus that of the outliers
that are not paid and that no free pair covers.

Where many tags share the same rows this is much the smaller search: one row more sets many tags free, and tags that
pay only together need no move that adds them together. Each round does without a row or two: all pairs that need them
are forbidden, the cheapest others are bought, even at a loss, and rows that are not worth their cost are given back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import unique_rows
from pyod_explain.solvers.deadline import NEVER, Deadline
from pyod_explain.solvers.problem import WeightedCover
from pyod_explain.solvers.reduce import Reduced, merged

__all__ = ["search_rows"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]
Chosen = list[list[int]]

SEED = 0  # of all random choices
MOST_PAIRS = 4_000  # that are looked at: the best by price
MOST_ENTRIES = 4_000_000  # of the matrix of pairs by rows; the fewer pairs the more rows there are
MOST_ROUNDS = 200
MOST_MOVES = 10_000  # a round tries to give back every paid row
MOST_ROWS = 2_000  # normals and outliers; where there are more, each is worth little, and tags are the better handle
GREED = (2.5, 1.5)  # in turn: a pair is bought up to this many times what it gains, for others may share the cost
RUINED = (1, 2)  # rows that a round does without
PRECISION = 1e-12  # of a value; a smaller improvement is rounding


def search_rows(problem: WeightedCover, start: Chosen, deadline: Deadline = NEVER) -> Chosen:
    """Search for a better selection than `start` by the rows it pays for; it may be worse where tags were left out.

    The number of rounds follows from the size of the problem, and all random choices from a fixed seed, so that the
    same problem always has the same result, unless the deadline ends it.
    """
    if problem.coverage.n_normals + problem.coverage.n_outliers > MOST_ROWS:
        return start
    small = merged(problem.coverage, _worth_a_look(problem, start))
    if not len(small.outliers) or not len(small.tags):
        return start
    paid = _Paid(small, problem.weight)
    paid.pay(_rows_of(paid, small, start))
    return paid.search(deadline).selection(small)


def _worth_a_look(problem: WeightedCover, start: Chosen) -> Flags:
    """Choose the pairs of the start and those with the lowest price, as many as the limits allow."""
    cov = problem.coverage
    worth = problem.weight[:, None] * cov.group_mass
    price = cov.normal_mass + worth.sum(axis=0) - worth
    able = problem.eligible & (worth > 0)
    # A selection with such a pair costs at least its price.
    able &= price < problem.objective(start)
    ratio = np.full(worth.shape, np.inf)
    np.divide(price, worth, out=ratio, where=able)
    n_rows = cov.n_normals + cov.n_outliers
    most = min(MOST_PAIRS, MOST_ENTRIES // max(n_rows, 1), int(able.sum()))
    best = np.argsort(ratio, axis=None, kind="stable")[:most]
    chosen = np.zeros(worth.shape, dtype=bool)
    chosen.flat[best] = True
    for k, tags in enumerate(start):
        chosen[k, tags] = True
    return chosen


class _Paid:
    """A set of paid rows, the pairs it sets free and the outliers these cover; kept up to date row by row.

    Rows are the distinct normals, then the distinct outliers: paying for an outlier is to lose it.
    """

    def __init__(self, small: Reduced, weight: Floats) -> None:
        self.pair_group, self.pair_tag = np.nonzero(small.pairs)
        covers = small.outliers[:, self.pair_tag].T
        own = small.outlier_group[None, :] == self.pair_group[:, None]
        self.loss = weight[small.outlier_group] * small.outlier_mass
        self.cost = np.r_[small.normal_mass, self.loss]
        self.first_outlier = len(small.normals)
        self.needs = np.concatenate([small.normals[:, self.pair_tag], (covers & ~own).T])  # rows by pairs
        self.helps = (covers & own).astype(np.float64)  # pairs by outliers
        self.worth = np.ascontiguousarray(self.helps.T) * self.loss[:, None]  # outliers by pairs
        self.paid = np.zeros(len(self.cost), dtype=bool)
        self.missing = self.needs.sum(axis=0, dtype=np.int64)  # unpaid rows of each pair ...
        self.price = self.cost @ self.needs  # ... and their cost
        self.cover = self.helps[self.missing == 0].sum(axis=0)  # free pairs of each outlier
        self.open = self._uncovered()
        self.most = self.loss @ self.worth.astype(bool)  # what all outliers that a pair helps are worth
        self.gain = self.open @ self.worth  # of each pair: what the uncovered outliers that it helps are worth

    def _uncovered(self) -> Flags:
        return np.asarray((self.cover == 0) & ~self.paid[self.first_outlier :])

    @property
    def value(self) -> float:
        """The objective, up to the outliers that no pair can help."""
        return float(self.cost[self.paid].sum() + self.loss[self._uncovered()].sum())

    def pay(self, rows: Indices) -> None:
        """Pay for rows that are not paid."""
        needed = self.needs[rows]
        self.paid[rows] = True
        before = self.missing == 0
        self.missing -= needed.sum(axis=0, dtype=np.int64)
        self.price -= self.cost[rows] @ needed
        self.cover += self.helps[(self.missing == 0) & ~before].sum(axis=0)

    def give_back(self, rows: Indices) -> None:
        """Take back the payment for rows that are paid."""
        needed = self.needs[rows]
        self.paid[rows] = False
        self.cover -= self.helps[(self.missing == 0) & needed.any(axis=0)].sum(axis=0)
        self.missing += needed.sum(axis=0, dtype=np.int64)
        self.price += self.cost[rows] @ needed

    def become(self, paid: Flags) -> None:
        """Go back to a set of paid rows."""
        self.give_back(np.flatnonzero(self.paid & ~paid))
        self.pay(np.flatnonzero(paid & ~self.paid))

    def search(self, deadline: Deadline) -> _Paid:
        """Do without a few rows, round by round; keep what is not worse."""
        rng = np.random.default_rng(SEED)
        self.buy(greed=1.0)
        self.tidy(rng)
        best, kept = self.value, self.paid.copy()
        for number in range(self._rounds()):
            if deadline.passed:
                break
            rows = np.flatnonzero(self.paid)
            few = rng.permutation(rows)[: rng.choice(RUINED)]
            self.give_back(few)
            self.buy(greed=GREED[number % len(GREED)], without=self.needs[few].any(axis=0))
            self.tidy(rng)
            self.buy(greed=1.0)
            value = self.value
            if value <= best * (1 + PRECISION):
                best, kept = min(best, value), self.paid.copy()
            else:
                self.become(kept)
        return self

    def _rounds(self) -> int:
        """Choose how often to try: the more pairs there are, the more of them share rows."""
        n_pairs, n_paid = len(self.price), int(self.paid.sum())
        return min(MOST_ROUNDS, 2 + n_pairs // 8, MOST_MOVES // max(n_paid, 1))

    def buy(self, *, greed: float, without: Flags | None = None) -> None:
        """Pay for the pair with the lowest price for what it gains, again and again, up to `greed` times the gain."""
        while True:
            self._count_gains()
            ratio = np.full(len(self.price), np.inf)
            # Without the pairs that are paid already: they gain nothing but what rounding has left.
            useful = (self.missing > 0) & (self.gain > PRECISION * self.most)
            if without is not None:
                useful &= ~without
            np.divide(self.price, self.gain, out=ratio, where=useful)
            pair = int(ratio.argmin())
            if not ratio[pair] < greed * (1 - PRECISION):
                return
            self.pay(np.flatnonzero(self.needs[:, pair] & ~self.paid))

    def _count_gains(self) -> None:
        now = self._uncovered()
        changed = np.flatnonzero(now != self.open)
        if len(changed):
            self.gain += np.where(now[changed], 1.0, -1.0) @ self.worth[changed]
            self.open = now

    def tidy(self, rng: np.random.Generator) -> None:
        """Give back, in any order, the rows that cost at least as much as what hangs on them is worth.

        Rows that the same free pairs need go together: one of them alone sets nothing free.
        """
        lots = _alike(self.needs, np.flatnonzero(self.paid), self.missing == 0, rng)
        for rows in lots:
            if self._worth_of(rows) <= self.cost[rows].sum() * (1 + PRECISION):
                self.give_back(rows)

    def _worth_of(self, rows: Indices) -> float:
        """What more would be lost without the payment for these rows."""
        stuck = (self.missing == 0) & self.needs[rows].any(axis=0)
        left = self.cover - self.helps[stuck].sum(axis=0)
        unpaid = ~self.paid[self.first_outlier :]
        unpaid[rows[rows >= self.first_outlier] - self.first_outlier] = True
        return float(self.loss[unpaid & (left == 0) & ~self._uncovered()].sum())

    def selection(self, small: Reduced) -> Chosen:
        """Choose few free pairs that cover all that the free pairs cover."""
        chosen: Chosen = [[] for _ in range(small.n_groups)]
        wanted = (self.cover > 0) & ~self.paid[self.first_outlier :]
        free = np.flatnonzero(self.missing == 0)
        while wanted.any():
            pair = int(free[np.argmax(self.helps[free] @ (self.loss * wanted))])
            chosen[self.pair_group[pair]].append(int(small.tags[self.pair_tag[pair]]))
            wanted &= self.helps[pair] == 0
        return chosen


def _rows_of(paid: _Paid, small: Reduced, start: Chosen) -> Indices:
    """Find the rows that a selection pays for."""
    group = np.full(int(small.tags.max()) + 1, -1)
    for k, tags in enumerate(start):
        group[[j for j in tags if j < len(group)]] = k
    used = group[small.tags[paid.pair_tag]] == paid.pair_group
    return np.flatnonzero(paid.needs[:, used].any(axis=1))


def _alike(needs: Flags, rows: Indices, free: Flags, rng: np.random.Generator) -> list[Indices]:
    """Put the rows together that the same free pairs need; the lots are in random order."""
    if not len(rows):
        return []
    packed = np.packbits(needs[np.ix_(rows, free)], axis=1)
    lot = unique_rows(packed)[1]
    order = np.argsort(lot, kind="stable")
    lots = np.split(rows[order], np.flatnonzero(np.diff(lot[order])) + 1)
    return [lots[i] for i in rng.permutation(len(lots))]

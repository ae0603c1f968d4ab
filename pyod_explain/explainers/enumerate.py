"""Exhaustive search for WCCM and BCCM: all selections that can still beat the best one known, many at a time.

The tags are decided one after the other: left out, or used for one of the groups. What is decided so far is a *state*:
the normals that are covered, the outliers that their own group covers, the outliers that another group's tag covers
(lost for good). Thousands of states are extended at once with operations on packed bits, and those whose lower bound
is not below the cut-off are dropped. Where covering is expensive, few are left: then this ends long before a linear
relaxation of the same problem is solved.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from pyod_explain.bits import Words, pack, unpack
from pyod_explain.explainers.problem import TOLERANCE
from pyod_explain.explainers.bounds import Choice, share_costs
from pyod_explain.explainers.reduce import Compact

__all__ = ["Found", "Shares", "enumerate_selections"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]

STATE_BYTES = 1_500_000  # of the states extended at once: few enough for the cache, many enough for numpy
PRICES = (0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0)  # of a loss under BCCM, as quantiles of what covering costs


@dataclass(frozen=True, eq=False)
class Found:
    """What the search found and proved.

    Attributes
    ----------
    tags : for each group its tags, numbered as in the reduced problem, if a selection beats the cut-off.
    value : its objective; infinite without one.
    bound : every selection that beats the first cut-off costs at least this: `value` if the search came to its end.
    complete : the search came to its end.
    n_states : how many states were looked at.
    """

    tags: list[list[int]] | None
    value: float
    bound: float
    complete: bool
    n_states: int


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of the outliers (columns) in the cost of each normal and of each lost outlier (rows)."""

    normal: Floats
    outlier: Floats


def enumerate_selections(
    small: Compact,
    loss: Floats,
    *,
    cutoff: float,
    step: float,
    seconds: float,
    max_tags: Floats | None = None,
    room: Floats | None = None,
    shares: Shares | None = None,
    order: Sequence[int] | None = None,
) -> Found:
    """Search all selections that cost at most `cutoff`; the cost of outliers that no tag covers is left out.

    Parameters
    ----------
    loss : cost of losing each outlier; 0 for BCCM.
    cutoff : only selections that cost no more are looked for; infinite where none is known.
    step : the objective is a multiple of it; 0 if unknown. A better selection lowers the cut-off by this at least.
    seconds : stop after that long, with what is found and proved by then.
    max_tags, room : for BCCM the most tags of each group, and the most weight of outliers that it may lose.
    shares : a sharing of the costs (`bounds`) for a stronger lower bound of each state.
    order : the order in which tags are decided.

    Examples
    --------
    Two tags that cover the same three normals for one outlier each; a lost outlier costs 2:

    >>> from pyod_explain.coverage import Coverage
    >>> from pyod_explain.explainers.reduce import compact, useful_pairs
    >>> cov = Coverage.from_dense([[1, 0], [0, 1], [1, 1], [1, 1], [1, 1]], [1, 1, 0, 0, 0])
    >>> small = compact(cov, useful_pairs(cov, cov.eligible(0.0)))
    >>> found = enumerate_selections(small, np.array([2.0, 2.0]), cutoff=3.5, step=1.0, seconds=1.0)
    >>> found.tags, found.value, found.complete
    ([[0, 1]], 3.0, True)
    """
    search = _Enumeration(small, loss, max_tags, room, shares, _order(small, loss) if order is None else order)
    with threadpool_limits(limits=1, user_api="blas"):  # the matrices are too small to be worth several threads
        return search.run(cutoff, step, seconds)


def _order(small: Compact, loss: Floats) -> list[int]:
    """The most effective tags first: they are likely to be used, and states without them soon cost too much."""
    worth = loss if loss.any() else small.outlier_mass
    gain = np.zeros(len(small.tags))
    for k in range(small.n_groups):
        own = small.outlier_group == k
        gain = np.maximum(gain, np.where(small.pairs[k], worth[own] @ small.outliers[own], 0.0))
    price = small.normal_mass @ small.normals
    return [int(t) for t in np.argsort(-(gain + 1e-9) / (price + 0.5), kind="stable")]


class _Layout:
    """Where each row's bit is: a word holds rows of the same group and weight only, so that counting weighs them."""

    def __init__(self, kinds: NDArray[np.float64]) -> None:
        """Lay out rows, each of a kind (a row of numbers)."""
        distinct, kind = np.unique(kinds, axis=0, return_inverse=True)
        kind = kind.ravel()
        position = np.zeros(len(kinds), dtype=np.intp)
        owner: list[int] = []
        for one in range(len(distinct)):
            rows = np.flatnonzero(kind == one)
            position[rows] = 64 * len(owner) + np.arange(len(rows))
            owner.extend([one] * -(-len(rows) // 64))
        self.position = position
        self.kind_of_word = distinct[owner].reshape(len(owner), kinds.shape[1])
        self.n_words = len(owner)

    def pack(self, rows: Flags) -> Words:
        """Pack booleans (last axis: rows)."""
        placed = np.zeros((*rows.shape[:-1], 64 * self.n_words), dtype=bool)
        placed[..., self.position] = rows
        return pack(placed)

    def spread(self, by_row: Floats) -> Floats:
        """Move the rows of a matrix to where their bits are."""
        placed = np.zeros((64 * self.n_words, by_row.shape[1]))
        placed[self.position] = by_row
        return placed


@dataclass(eq=False)
class _States:
    """States in which the first tags are decided.

    Attributes
    ----------
    normals : covered normals. own : outliers that their own group covers. lost : those that another group's tag covers.
    owner : states by tags, the group that a tag is used for, or -1.
    n_tags : states by groups, how many tags are used.
    bound : proved lower bound of every selection that continues a state.
    """

    normals: Words
    own: Words
    lost: Words
    owner: NDArray[np.int8]
    n_tags: NDArray[np.int16]
    bound: Floats

    def __len__(self) -> int:
        return len(self.bound)

    def take(self, which: Flags | Index | slice) -> _States:
        return _States(
            self.normals[which],
            self.own[which],
            self.lost[which],
            self.owner[which],
            self.n_tags[which],
            self.bound[which],
        )


def _join(parts: list[_States]) -> _States:
    if len(parts) == 1:
        return parts[0]
    return _States(
        np.concatenate([one.normals for one in parts]),
        np.concatenate([one.own for one in parts]),
        np.concatenate([one.lost for one in parts]),
        np.concatenate([one.owner for one in parts]),
        np.concatenate([one.n_tags for one in parts]),
        np.concatenate([one.bound for one in parts]),
    )


class _Enumeration:
    def __init__(
        self,
        small: Compact,
        loss: Floats,
        max_tags: Floats | None,
        room: Floats | None,
        shares: Shares | None,
        order: Sequence[int],
    ) -> None:
        self.small, self.loss, self.order = small, loss, list(order)
        self.max_tags, self.room = max_tags, room
        self.n_groups, self.n_levels = small.n_groups, len(self.order)
        group, mass = small.outlier_group, small.outlier_mass
        self.normal_layout = _Layout(small.normal_mass[:, None])
        self.outlier_layout = layout = _Layout(np.column_stack([group, mass, loss]))
        self.normal_price = self.normal_layout.kind_of_word[:, 0]
        word_group, word_mass, self.word_loss = layout.kind_of_word.T
        self.word_group = word_group.astype(np.intp)
        self.word_mass = np.where(self.word_group[:, None] == np.arange(self.n_groups), word_mass[:, None], 0.0)
        self.everyone = layout.pack(np.ones(len(group), dtype=bool))
        self.of_group = layout.pack(group == np.arange(self.n_groups)[:, None])
        self.tag_normals = self.normal_layout.pack(small.normals.T[self.order])
        self.tag_outliers = layout.pack(small.outliers.T[self.order])
        self.pairs = small.pairs[:, self.order]
        covers = small.outliers.T[self.order] & self.pairs[group].T  # levels by outliers: who may cover whom
        none = np.zeros((1, len(group)), dtype=bool)
        self.reach = layout.pack(np.concatenate([np.logical_or.accumulate(covers[::-1])[::-1], none]))
        self._limit_reach(covers)
        self._prepare_shares(shares, covers)
        per_state = 8 * (2 * self.tag_normals.shape[1] + 6 * layout.n_words) + self.n_levels
        if shares is not None:
            per_state += 4 * 64 * (self.normal_layout.n_words + layout.n_words) // 4
        self.chunk = max(STATE_BYTES // per_state, 64)
        self.best: list[list[int]] | None = None
        self.value = np.inf
        self.n_states = 0

    def _limit_reach(self, covers: Flags) -> None:
        """For BCCM: the most weight of a group that q of the tags from a level on can cover, [level, group, q]."""
        if self.max_tags is None:
            return
        size = np.array([covers @ np.where(self.small.outlier_group == k, self.small.outlier_mass, 0.0)
                         for k in range(self.n_groups)]).T
        most = int(min(self.max_tags.max(), self.n_levels))
        self.most_covered = np.zeros((self.n_levels + 1, self.n_groups, most + 1))
        for level in range(self.n_levels):
            top = -np.sort(-size[level:], axis=0)[:most]
            self.most_covered[level, :, 1 : len(top) + 1] = np.cumsum(top, axis=0).T
            self.most_covered[level, :, len(top) + 1 :] = top.sum(axis=0)[:, None]

    def _prepare_shares(self, shares: Shares | None, covers: Flags) -> None:
        self.shared = None
        if shares is None:
            return
        small = self.small
        outlier = shares.outlier if self.room is None else np.zeros_like(shares.outlier)
        price = small.normals.T.astype(np.float64) @ shares.normal + small.outliers.T.astype(np.float64) @ outlier
        price = np.where(covers, price[self.order], np.inf)
        least = np.minimum.accumulate(price[::-1])[::-1]
        # A payer without a tag left is not charged here: the finite number only has to be one.
        self.least = np.concatenate([np.where(np.isfinite(least), least, 0.0), np.zeros((1, len(self.loss)))])
        self.own_share = self.loss - outlier.sum(axis=1)
        both = np.concatenate([self.normal_layout.spread(shares.normal), self.outlier_layout.spread(outlier)])
        # Sums of n terms in single precision are off by n roundings at most, here always to the safe side.
        self.shared = (both * (1 + (len(both) + 8) * 2.0**-23)).astype(np.float32)
        if self.room is not None:
            finite = [least[0, (small.outlier_group == k)] / small.outlier_mass[small.outlier_group == k]
                      for k in range(self.n_groups)]
            self.grid = np.array([np.quantile(one, PRICES) if len(one) else np.zeros(len(PRICES)) for one in finite])

    # --- the search

    def run(self, cutoff: float, step: float, seconds: float) -> Found:
        end = time.perf_counter() + seconds
        self.cutoff, self.step = cutoff, step
        words, outlier_words = self.tag_normals.shape[1], self.outlier_layout.n_words
        first = _States(
            np.zeros((1, words), dtype=np.uint64),
            np.zeros((1, outlier_words), dtype=np.uint64),
            np.zeros((1, outlier_words), dtype=np.uint64),
            np.full((1, self.n_levels), -1, dtype=np.int8),
            np.zeros((1, self.n_groups), dtype=np.int16),
            np.zeros(1),
        )
        stack = [(0, self._finish(0, first))]
        while stack:
            if time.perf_counter() > end:
                return self._stopped(stack)
            level, states = stack.pop()
            if len(states) > self.chunk:
                stack.append((level, states.take(slice(self.chunk, None))))
                states = states.take(slice(self.chunk))
            states = states.take(states.bound <= self.cutoff)
            if level == self.n_levels or not len(states):
                continue
            self.n_states += len(states)
            children = self._extend(level, states)
            if len(children):
                stack.append((level + 1, children))
        return Found(self.best, self.value, min(self.value, cutoff) if self.best is None else self.value, True,
                     self.n_states)

    def _stopped(self, stack: list[tuple[int, _States]]) -> Found:
        """Nothing is proved about open states beyond their bounds."""
        open_bound = min((float(states.bound.min()) for _, states in stack if len(states)), default=np.inf)
        return Found(self.best, self.value, min(open_bound, self.value), False, self.n_states)

    def _extend(self, level: int, states: _States) -> _States:
        """Decide the tag of this level: left out, or used for a group whose uncovered outliers it covers."""
        normals, outliers = self.tag_normals[level], self.tag_outliers[level]
        parts = []
        for k in np.flatnonzero(self.pairs[:, level]):
            own = outliers & self.of_group[k]
            # A tag that covers nobody new of its group is redundant: without it nothing gets worse.
            useful = ((own & ~states.own & ~states.lost) != 0).any(axis=1)
            if self.max_tags is not None:
                useful &= states.n_tags[:, k] < self.max_tags[k]
            if not useful.any():
                continue
            part = states.take(useful)
            part.normals |= normals
            part.own |= own
            part.lost |= outliers & ~self.of_group[k]
            part.owner[:, level] = k
            part.n_tags[:, k] += 1
            parts.append(self._finish(level + 1, part))
        parts.append(self._finish(level + 1, states, fresh=False))
        return _join(parts[::-1])

    def _finish(self, level: int, states: _States, *, fresh: bool = True) -> _States:
        """Note selections that beat the cut-off, and keep the states that may lead to better ones."""
        paid = np.bitwise_count(states.normals) @ self.normal_price
        if fresh:
            over = self._note(states, paid)
            if over is not None:
                states, paid = states.take(over), paid[over]
        gone, bound, keep = self._cheap(level, states, paid)
        if not keep.all():
            states, gone, bound = states.take(keep), gone[keep], bound[keep]
        states.bound = np.maximum(states.bound, bound)
        if self.shared is None or not len(states) or level == self.n_levels:
            return states
        strong = self._strong(level, states, gone, bound)
        states.bound = np.maximum(states.bound, strong)
        return states.take(states.bound <= self.cutoff)

    def _note(self, states: _States, paid: Floats) -> Flags | None:
        """Look at the states as selections. Under BCCM, those that meet the budgets need no further tag."""
        if not len(states):
            return None
        missing = np.bitwise_count(self.everyone & (~states.own | states.lost))
        if self.room is None:
            value = paid + missing @ self.word_loss
            self._offer(states, value, np.ones(len(states), dtype=bool))
            return None
        feasible = (missing @ self.word_mass <= self.room + TOLERANCE).all(axis=1)
        self._offer(states, paid, feasible)
        return ~feasible

    def _offer(self, states: _States, value: Floats, feasible: Flags) -> None:
        value = np.where(feasible, value, np.inf)
        at = int(value.argmin())
        if value[at] > self.cutoff or not np.isfinite(value[at]):
            return
        self.value = float(value[at])
        self.cutoff = self.value - max(0.5 * self.step, 1e-6 * max(abs(self.value), 1.0))
        owner = states.owner[at]
        self.best = [[self.order[level] for level in np.flatnonzero(owner == k)] for k in range(self.n_groups)]

    def _cheap(self, level: int, states: _States, paid: Floats) -> tuple[Words, Floats, Flags]:
        """Outliers that are lost in any case, what is paid for sure, and which states that leaves."""
        reach = self.reach[level]
        free = self.everyone & ~states.own & ~states.lost
        if self.max_tags is None:
            gone = states.lost | (free & ~reach)
            bound = paid + np.bitwise_count(gone) @ self.word_loss
            return gone, bound, bound <= self.cutoff
        assert self.room is not None
        full = (states.n_tags >= self.max_tags)[:, self.word_group]  # no tag left for this group
        gone = states.lost | np.where(full, free, free & ~reach)
        left = self.room - np.bitwise_count(gone) @ self.word_mass
        keep = (paid <= self.cutoff) & (left >= -TOLERANCE).all(axis=1)
        # Of the outliers still open at most `left` may stay uncovered, and q tags cover only so many.
        wanted = np.bitwise_count(free & ~gone) @ self.word_mass - left
        top = self.most_covered.shape[2] - 1
        for k in range(self.n_groups):
            q = np.clip(self.max_tags[k] - states.n_tags[:, k], 0, top).astype(np.intp)
            keep &= wanted[:, k] <= self.most_covered[level, k, q] + TOLERANCE
        return gone, paid, keep

    def _strong(self, level: int, states: _States, gone: Words, paid: Floats) -> Floats:
        """Add to what is paid what the open outliers pay at least, by the shares of costs.

        Let P be the resources (normals covered, outliers lost) that a state has paid, and R those that a completion
        pays beyond. The shares of a resource add up to at most its cost, so R costs at least the sum, over the open
        outliers i, of i's shares in R. If i is lost in the end, then i is in R and its own share counts. Otherwise a
        tag t of its group, decided at this level or later, covers it, and R holds all resources of t that are not in P:
        i's shares in these are at least its shares in all resources of t, minus its shares in P. Take the least
        over those tags t.
        Under BCCM a loss has no cost of its own; for any price of a loss, completions within the room left
        cost at least the same sum with that price for i's own share, minus the price of the room.
        """
        assert self.shared is not None
        n_normal = 64 * self.normal_layout.n_words
        rows = np.empty((len(states), len(self.shared)), dtype=np.float32)
        rows[:, :n_normal] = unpack(states.normals, n_normal)
        rows[:, n_normal:] = unpack(gone, 64 * self.outlier_layout.n_words)
        price = np.maximum(self.least[level] - rows @ self.shared, 0.0)
        free = unpack(self.everyone & ~states.own & ~gone, 64 * self.outlier_layout.n_words)
        price *= free[:, self.outlier_layout.position]
        if self.room is None:
            return np.asarray(paid + (1 - 1e-9) * np.minimum(price, self.own_share).sum(axis=1))
        left = self.room - np.bitwise_count(gone) @ self.word_mass
        total = paid.copy()
        for k in range(self.n_groups):
            mine = self.small.outlier_group == k
            if not mine.any():
                continue
            price_k, mass_k = price[:, mine], self.small.outlier_mass[mine]
            gain = np.zeros(len(states))
            for one in self.grid[k]:
                np.maximum(gain, np.minimum(price_k, one * mass_k).sum(axis=1) - one * left[:, k], out=gain)
            total += (1 - 1e-9) * gain
        return total

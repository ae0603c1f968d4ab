"""Exhaustive search for WCCM and BCCM: all selections that can still beat the best one known, many at a time.

The tags are decided one after the other: left out, or used for one of the groups. What is decided so far is a *state*:
the normals that are covered, the outliers that their own group covers, the outliers that another group's tag covers
(lost for good). Thousands of states are extended at once with operations on packed bits, and those whose lower bound
is not below the cut-off are dropped. Where covering is expensive, few are left: then this ends long before a linear
relaxation of the same problem is solved.

Where too many are left, each of them is a smaller problem of its own: fewer tags, fewer outliers to cover, fewer
normals to pay for. A sharing of costs (`bounds`) made for that problem proves far more than the one of the whole.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, pack, unpack
from pyod_explain.explainers.bounds import Choice, Sharing, share_costs
from pyod_explain.explainers.problem import TOLERANCE
from pyod_explain.explainers.reduce import Compact

__all__ = ["Found", "enumerate_selections"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]

WIDTH = 150  # open states beyond which each becomes a problem of its own, while no tag used has cost anything ...
DEEP_WIDTH = 3_000  # ... and from then on: going through so many states takes less time than one sharing for each
ROUNDS = 30  # of the search for a sharing; more make it fit one problem, and prove less about the states within
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
) -> Found:
    """Search all selections that cost at most `cutoff`; the cost of outliers that no tag covers is left out.

    Parameters
    ----------
    loss : cost of losing each outlier; 0 for BCCM.
    cutoff : only selections that cost no more are looked for; infinite where none is known.
    step : the objective is a multiple of it; 0 if unknown. A better selection lowers the cut-off by this at least.
    seconds : stop after that long, with what is found and proved by then.
    max_tags, room : for BCCM the most tags of each group, and the most weight of outliers that it may lose.

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
    covered = np.zeros(len(small.outliers), dtype=bool)
    whole = _Task(small, loss, covered, 0.0, max_tags, room, np.arange(len(small.tags)), [[] for _ in small.pairs])
    return _Search(cutoff, step, time.perf_counter() + seconds).run(whole)


@dataclass(frozen=True, eq=False)
class _Task:
    """A problem in which some tags are decided already.

    Attributes
    ----------
    small : what is left. Its last tags may be stand-ins, one for each group, for those decided tags that cover
        outliers which may still be lost to tags of other groups; they cost nothing.
    covered : outliers that a stand-in covers.
    paid : what the decided tags cost in any case.
    max_tags, room : what is left of these.
    number : of each tag in the problem that was asked; -1 for a stand-in.
    chosen : tags used so far, by group.
    """

    small: Compact
    loss: Floats
    covered: Flags
    paid: float
    max_tags: Floats | None
    room: Floats | None
    number: Index
    chosen: list[list[int]]


class _Search:
    """Depth first: the open states of a problem, then those of one of these, and so on."""

    def __init__(self, cutoff: float, step: float, end: float) -> None:
        self.first_cutoff = self.cutoff = cutoff
        self.step, self.end = step, end
        self.best: list[list[int]] | None = None
        self.value = np.inf
        self.n_states = 0

    def run(self, whole: _Task) -> Found:
        stack: list[tuple[_Enumeration, int, _States]] = []
        self._solve(whole, stack)
        while stack:
            one, level, states = stack[-1]
            states = states.take(one.task.paid + states.bound <= self.cutoff)
            if not len(states):
                stack.pop()
                continue
            stack[-1] = (one, level, states)
            if time.perf_counter() > self.end:
                # Nothing is proved about what is open beyond its bounds.
                least = min(float(each.task.paid + rest.bound.min()) for each, _, rest in stack)
                return Found(self.best, self.value, min(least, self.value), complete=False, n_states=self.n_states)
            task = one.residual(level, states.take(slice(1)))
            stack[-1] = (one, level, states.take(slice(1, None)))
            self._solve(task, stack, known=float(one.task.paid + states.bound[0]))
        bound = self.first_cutoff if self.best is None else self.value
        return Found(self.best, self.value, bound, complete=True, n_states=self.n_states)

    def _solve(self, task: _Task, stack: list[tuple[_Enumeration, int, _States]], *, known: float = 0.0) -> None:
        """Solve a problem, or put its open states on the stack; `known` is proved about it already."""
        cutoff = self.cutoff - task.paid
        shares = None
        if len(task.small.outliers):
            sharing = _share(task, cutoff, self.end - time.perf_counter())
            if sharing.bound > cutoff:
                return
            known = max(known, task.paid + sharing.bound)
            shares = Shares(sharing.normal, sharing.outlier)
        one = _Enumeration(task, shares, cutoff, self.step)
        level, states = one.start(known - task.paid)
        width = DEEP_WIDTH if task.paid > 0 else WIDTH  # while nothing is used yet, problems are large
        while 0 < len(states) <= width and level < one.n_levels and time.perf_counter() < self.end:
            self.n_states += len(states)
            states = one.extend(level, states)
            level += 1
        if one.best is not None:
            self.best, self.value = one.best, task.paid + one.value
            self.cutoff = self.value - max(0.5 * self.step, 1e-6 * max(abs(self.value), 1.0))
        if len(states) and level < one.n_levels:
            stack.append((one, level, states.take(np.argsort(states.bound, kind="stable"))))


def _share(task: _Task, cutoff: float, seconds: float) -> Sharing:
    small = task.small
    picks = small.outliers.T & small.pairs[small.outlier_group].T
    picks[np.ix_(task.number >= 0, task.covered)] = False  # the stand-in is free
    loss, allowed = task.loss, None
    if task.room is not None:  # BCCM: prices of a loss to start from; losing a whole group costs twice the cut-off
        mass = np.bincount(small.outlier_group, weights=small.outlier_mass, minlength=small.n_groups)
        top = max(cutoff if np.isfinite(cutoff) else float(small.normal_mass.sum()), 1.0)
        loss = (2 * top / np.where(mass > 0, mass, 1.0))[small.outlier_group] * small.outlier_mass
        allowed = task.room
    asked = Choice(small, picks, loss, 0.0)
    return share_costs(asked, target=cutoff, rounds=ROUNDS, seconds=max(seconds, 0.0), allowed=allowed)


def _order(small: Compact, loss: Floats) -> Index:
    """The largest tags first, by outliers and by normals: then using a tag, or leaving it out, soon costs too much."""
    worth = loss if loss.any() else small.outlier_mass
    own = np.zeros(len(small.tags))
    for k in range(small.n_groups):
        mine = small.outlier_group == k
        own = np.maximum(own, np.where(small.pairs[k], worth[mine] @ small.outliers[mine], 0.0))
    price = small.normal_mass @ small.normals
    size = own / max(own.sum(), 1e-300) + price / max(price.sum(), 1e-300)
    return np.argsort(-size, kind="stable")


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
    """The states of one problem, level by level."""

    def __init__(self, task: _Task, shares: Shares | None, cutoff: float, step: float) -> None:
        small, loss = task.small, task.loss
        self.task, self.small, self.loss = task, small, loss
        self.max_tags, self.room, self.cutoff, self.step = task.max_tags, task.room, cutoff, step
        order = _order(small, loss)
        self.order = order[task.number[order] >= 0]
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
        self.best: list[list[int]] | None = None
        self.value = np.inf

    def _limit_reach(self, covers: Flags) -> None:
        """For BCCM: the most weight of a group that q of the tags from a level on can cover, [level, group, q]."""
        if self.max_tags is None:
            return
        size = np.array(
            [
                covers @ np.where(self.small.outlier_group == k, self.small.outlier_mass, 0.0)
                for k in range(self.n_groups)
            ]
        ).T
        most = int(min(self.max_tags.max(), self.n_levels))
        self.most_covered = np.zeros((self.n_levels + 1, self.n_groups, most + 1))
        for level in range(self.n_levels):
            top = -np.sort(-size[level:], axis=0)[:most]
            self.most_covered[level, :, 1 : len(top) + 1] = np.cumsum(top, axis=0).T
            self.most_covered[level, :, len(top) + 1 :] = top.sum(axis=0)[:, None]

    def _prepare_shares(self, shares: Shares | None, covers: Flags) -> None:
        self.shared: NDArray[np.float32] | None = None
        if shares is None:
            return
        small = self.small
        # Tiny shares prove nothing, and processors are slow on numbers that are nearly too small to represent.
        normal, outlier = (
            np.where(part > 1e-7 * part.max(initial=0.0), part, 0.0) for part in (shares.normal, shares.outlier)
        )
        if self.room is not None:
            outlier = np.zeros_like(outlier)
        price = small.normals.T.astype(np.float64) @ normal + small.outliers.T.astype(np.float64) @ outlier
        price = np.where(covers, price[self.order], np.inf)
        least = np.minimum.accumulate(price[::-1])[::-1]
        # A payer without a tag left is not charged here: the finite number only has to be one.
        self.least = np.concatenate([np.where(np.isfinite(least), least, 0.0), np.zeros((1, len(self.loss)))])
        self.own_share = self.loss - outlier.sum(axis=1)
        both = np.concatenate([self.normal_layout.spread(normal), self.outlier_layout.spread(outlier)])
        # Sums of n terms in single precision are off by n roundings at most, here always to the safe side.
        self.shared = (both * (1 + (len(both) + 8) * 2.0**-23)).astype(np.float32)
        if self.room is not None:
            price_of = least[0] if len(least) else np.full(len(self.loss), np.inf)
            open_now = np.isfinite(price_of)
            mine = [open_now & (small.outlier_group == k) for k in range(self.n_groups)]
            finite = [price_of[one] / small.outlier_mass[one] for one in mine]
            self.grid = np.array([np.quantile(one, PRICES) if len(one) else np.zeros(len(PRICES)) for one in finite])

    # --- the search

    def start(self, bound: float) -> tuple[int, _States]:
        """The state in which nothing is decided, unless it is dropped at once."""
        nothing = np.zeros((1, self.outlier_layout.n_words), dtype=np.uint64)
        first = _States(
            np.zeros((1, self.normal_layout.n_words), dtype=np.uint64),
            self.outlier_layout.pack(self.task.covered[None, :]),
            nothing,
            np.full((1, self.n_levels), -1, dtype=np.int8),
            np.zeros((1, self.n_groups), dtype=np.int16),
            np.full(1, bound),
        )
        return 0, self._finish(0, first)

    def extend(self, level: int, states: _States) -> _States:
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
        strong = self._strong(level, states, gone, bound, self.shared)
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
        feasible = np.asarray((missing @ self.word_mass <= self.room + TOLERANCE).all(axis=1))
        self._offer(states, paid, feasible)
        return np.asarray(~feasible)

    def _offer(self, states: _States, value: Floats, feasible: Flags) -> None:
        value = np.where(feasible, value, np.inf)
        at = int(value.argmin())
        if value[at] > self.cutoff or not np.isfinite(value[at]):
            return
        self.value = float(value[at])
        self.cutoff = self.value - max(0.5 * self.step, 1e-6 * max(abs(self.value), 1.0))
        self.best = self._chosen(states.owner[at])

    def _chosen(self, owner: NDArray[np.int8]) -> list[list[int]]:
        number = self.task.number[self.order]
        return [before + [int(t) for t in number[owner == k]] for k, before in enumerate(self.task.chosen)]

    def residual(self, level: int, state: _States) -> _Task:
        """Turn a state into a problem: what is paid or fixed is left out, and rows that are alike are merged."""
        small, tags = self.small, self.order[level:]
        gone, paid, _ = self._cheap(level, state, np.bitwise_count(state.normals) @ self.normal_price)
        covered, lost = self._rows(state.own)[0], self._rows(gone)[0]
        unpaid = ~unpack(state.normals, 64 * self.normal_layout.n_words)[0, self.normal_layout.position]
        left = ~lost
        group = small.outlier_group
        open_by_group = [left & ~covered & (group == k) for k in range(self.n_groups)]
        pairs = self.pairs[:, level:] & np.array([small.outliers[one][:, tags].any(axis=0) for one in open_by_group])
        if self.max_tags is not None:
            pairs &= (state.n_tags[0] < self.max_tags)[:, None]
        pairs = _undominated(
            pairs, small.normals[unpaid][:, tags], small.outliers[left][:, tags], group[left], covered[left]
        )
        kept = pairs.any(axis=0)
        tags, pairs = tags[kept], pairs[:, kept]
        # A covered outlier matters as long as a tag may be used for another group than its own.
        foreign = np.array([pairs[np.arange(self.n_groups) != k].any(axis=0) for k in range(self.n_groups)])
        rows = small.outliers[:, tags]
        left &= ~covered | (rows & foreign[group]).any(axis=1)
        stand_ins = np.eye(self.n_groups, dtype=bool)
        own = stand_ins[group[left]] & covered[left][:, None]
        outliers, first, inverse = _distinct(np.concatenate([rows[left], own, stand_ins[group[left]]], axis=1))
        normals, _, normal_inverse = _distinct(small.normals[unpaid][:, tags])
        matters = normals.any(axis=1)
        none = np.zeros((len(normals), self.n_groups), dtype=bool)
        lost_mass = np.bincount(group[lost], weights=small.outlier_mass[lost], minlength=self.n_groups)
        n_columns = len(tags) + self.n_groups
        return _Task(
            Compact(
                tags=np.arange(n_columns),
                pairs=np.concatenate([pairs, stand_ins], axis=1),
                normals=np.concatenate([normals, none], axis=1)[matters],
                normal_mass=_sums(normal_inverse, small.normal_mass[unpaid], len(normals))[matters],
                outliers=outliers[:, :n_columns],
                outlier_mass=_sums(inverse, small.outlier_mass[left], len(first)),
                outlier_group=group[left][first],
                hopeless=np.zeros(self.n_groups),
            ),
            _sums(inverse, self.loss[left], len(first)),
            covered[left][first],
            self.task.paid + float(paid[0]),
            None if self.max_tags is None else self.max_tags - state.n_tags[0],
            None if self.room is None else np.maximum(self.room - lost_mass, 0.0),
            np.r_[self.task.number[tags], np.full(self.n_groups, -1)],
            self._chosen(state.owner[0]),
        )

    def _rows(self, words: Words) -> Flags:
        return unpack(words, 64 * self.outlier_layout.n_words)[:, self.outlier_layout.position]

    def _cheap(self, level: int, states: _States, paid: Floats) -> tuple[Words, Floats, Flags]:
        """Outliers that are lost in any case, what is paid for sure, and which states that leaves."""
        reach = self.reach[level]
        free = self.everyone & ~states.own & ~states.lost
        if self.max_tags is None or self.room is None:
            gone = states.lost | (free & ~reach)
            bound = paid + np.bitwise_count(gone) @ self.word_loss
            return gone, bound, bound <= self.cutoff
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

    def _strong(self, level: int, states: _States, gone: Words, paid: Floats, shared: NDArray[np.float32]) -> Floats:
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
        n_normal = 64 * self.normal_layout.n_words
        rows = np.empty((len(states), len(shared)), dtype=np.float32)
        rows[:, :n_normal] = unpack(states.normals, n_normal)
        rows[:, n_normal:] = unpack(gone, 64 * self.outlier_layout.n_words)
        price = np.maximum(self.least[level] - rows @ shared, 0.0)
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


def _distinct(rows: Flags) -> tuple[Flags, Index, Index]:
    """Distinct rows, where each is first, and the number of each row among them."""
    if rows.shape[0] == 0 or rows.shape[1] == 0:  # without columns all rows are alike
        return rows[:1], np.zeros(min(len(rows), 1), dtype=np.intp), np.zeros(len(rows), dtype=np.intp)
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], first.astype(np.intp), inverse.astype(np.intp)


def _sums(number: Index, values: Floats, n: int) -> Floats:
    """Add up the values that have the same number."""
    return np.bincount(number, weights=values, minlength=n).astype(np.float64)


def _undominated(pairs: Flags, normals: Flags, outliers: Flags, group: Index, covered: Flags) -> Flags:
    """Drop the pairs that `reduce.useful_pairs` would drop; only outliers not covered yet count as a group's own."""
    n_tags = pairs.shape[1]
    later = np.arange(n_tags)[:, None] < np.arange(n_tags)  # of equal tags the first stays
    beyond = _beyond(normals)  # [i, j]: some normal has i and not j
    result = pairs.copy()
    for k in range(len(pairs)):
        own, others = _beyond(outliers[(group == k) & ~covered]), _beyond(outliers[group != k])
        covers = ~own.T & ~beyond & ~others & pairs[k][:, None]  # i covers what j does and uses no more
        np.fill_diagonal(covers, val=False)
        result[k] &= ~(covers & (~covers.T | later)).any(axis=0)
    return result


def _beyond(rows: Flags) -> Flags:
    """Tell for each two columns whether some row is in the first and not in the second."""
    real = rows.astype(np.float32)
    return np.asarray(real.T @ (1 - real) > 0)

"""The `refined` solver: local search on the paper's own objectives (union of normals, lost outliers).

A move adds a tag to a group, drops one, or swaps one for another; the climb ends where no move helps. Moves are
judged by the outliers first, which are few; the normals of a tag are counted only if that leaves a chance.

From there, rounds of `shake` do without a few of the rows that the selection covers needlessly: all tags that cover
them go, others are found for what they explained, and the result stays if it is not worse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain.bits import Words, unpack
from pyod_explain.coverage import Coverage
from pyod_explain.solvers.problem import NEVER, BudgetedCover, Deadline, WeightedCover

Chosen = list[list[int]]
FEW_GROUPS = 8  # up to which all groups are counted at once
TAGS_PER_STEP = 128  # tags whose normals are counted at once
SCORE_ROUNDING = 1e-14  # of a score; a smaller improvement is rounding
MOST_PASSES = 1_000  # of a climb over all tags of a selection; a handful will do, unless scores are mostly rounding
MOST_ROUNDS = 48  # of shaking
MOST_MOVES = 3_000  # in all these rounds
WORK = 2_200_000_000  # words of bits looked at in these moves, roughly
COUNTING = 10  # words that could be looked at while a count for one tag and group is handled
DISCOUNT = (1.0, 0.75)  # on normals while a round looks for other tags, for those may share their normals
SHAKEN = (1, 2, 4)  # rows that a round does without, at most
PRICES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)  # of a lost outlier: weighted searches that a budgeted one starts from


def refine_weighted(problem: WeightedCover, start: Chosen, deadline: Deadline = NEVER) -> Chosen:
    """Improve a selection for WCCM; the result is never worse than `start`, and has no redundant tag.

    The search climbs from `start` and from nothing, and goes on from the better end. Past the deadline it ends where it
    is: no worse than `start` still.
    """
    goal = _Weighted(problem.weight)
    limit = np.full(problem.coverage.n_groups, problem.coverage.n_tags, dtype=np.float64)
    search = _LocalSearch(problem.coverage, problem.eligible, goal, limit, deadline)
    empty: Chosen = [[] for _ in start]
    best = search.better(search.climb(start), search.climb(empty))
    return search.better(search.shake(best), best)


def refine_budgeted(problem: BudgetedCover, start: Chosen | None, deadline: Deadline = NEVER) -> Chosen | None:
    """Improve a selection for BCCM, or find one; None if no selection was found that meets the constraints.

    The search climbs from `start`, from nothing, and from weighted searches at several prices of a lost outlier, and
    goes on from the best end. Past the deadline it ends where it is.
    """
    cov = problem.coverage
    search = _LocalSearch(cov, problem.eligible, _Budgeted.of(problem), problem.max_tags, deadline)
    empty: Chosen = [[] for _ in range(cov.n_groups)]
    ends = [search.climb(one) for one in ([empty] if start is None else [start, empty])]
    for price in PRICES:
        if deadline.passed:
            break
        goal = _Weighted(np.full(cov.n_groups, price))
        ends.append(search.climb(_LocalSearch(cov, problem.eligible, goal, problem.max_tags, deadline).climb(empty)))
    best = _best(problem, ends)
    # Where no end is feasible, the one with the least excess may be a step or two from it.
    return _best(problem, [*ends, search.shake(min(ends, key=search.score) if best is None else best)])


def _best(problem: BudgetedCover, ends: list[Chosen]) -> Chosen | None:
    """Of the selections that meet the constraints, take the one with the fewest normals, then with the fewest tags."""
    feasible = [end for end in ends if not problem.broken_rules(end)]
    return min(feasible, key=lambda end: (problem.objective(end), sum(map(len, end))), default=None)


@dataclass(frozen=True)
class _Weighted:
    weight: FloatArray  # of a lost outlier, one per group

    def of_lost(self, lost: FloatArray) -> FloatArray:
        """Cost of what each group loses, elementwise; groups are rows. The number of normals is added to the sum."""
        return np.asarray(self.weight.reshape(-1, *[1] * (lost.ndim - 1)) * lost)


@dataclass(frozen=True)
class _Budgeted:
    """Losing more than allowed costs more than covering all normals; within the budget only normals count."""

    limit: FloatArray
    penalty: float
    weight: FloatArray

    @classmethod
    def of(cls, problem: BudgetedCover) -> _Budgeted:
        return cls(problem.limit, 1.01 * problem.coverage.n_normals + 1.0, np.ones(len(problem.limit)))

    def of_lost(self, lost: FloatArray) -> FloatArray:
        over = lost - self.limit.reshape(-1, *[1] * (lost.ndim - 1))
        return np.asarray(self.penalty * np.maximum(np.ceil(over), 0.0))


@dataclass(frozen=True)
class _State:
    """What a selection covers and loses."""

    normals: Words
    n_normals: int
    free: Words  # outliers that no tag of any group covers
    safe: Words  # outliers that their own group covers and no other
    lost: FloatArray  # one per group
    foreign: Words  # outliers that a tag of another group covers


class _MarkedCounts:
    """Number of marked outliers by group and tag, counted anew only for the groups where the marks changed."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self.marked = np.zeros(coverage.outlier_bits.shape[1], dtype=np.uint64)
        self.counts = np.zeros((coverage.n_groups, coverage.n_tags), dtype=np.int64)

    def of(self, marked: Words) -> IntArray:
        """Count the marked outliers. The next call changes the array that this one returns."""
        cov = self.coverage
        changed = marked != self.marked
        groups = [k for k, words in enumerate(cov.slices) if changed[words].any()] if cov.n_groups > FEW_GROUPS else []
        if cov.n_groups <= FEW_GROUPS or 2 * len(groups) > cov.n_groups:
            self.counts = cov.count_groups(cov.outlier_bits & marked)
        else:
            for k in groups:
                self.counts[k] = cov.count_group(cov.outlier_bits[:, cov.slices[k]] & marked[cov.slices[k]], k)
        self.marked = marked
        return self.counts


class _LocalSearch:
    """Add, drop and swap tags while that lowers the score."""

    def __init__(
        self, coverage: Coverage, eligible: BoolArray, goal: _Weighted | _Budgeted, most: FloatArray, deadline: Deadline
    ) -> None:
        self.coverage, self.eligible, self.goal, self.deadline = coverage, eligible, goal, deadline
        self.limit = most  # tags of each group
        self.normal_price = 1.0
        self.all_outliers = coverage.all_outliers
        self.member = np.zeros((coverage.n_groups, len(self.all_outliers)), dtype=np.uint64)  # each group's outliers
        for k, words in enumerate(coverage.slices):
            self.member[k, words] = self.all_outliers[words]
        self.free, self.safe = _MarkedCounts(coverage), _MarkedCounts(coverage)

    def score(self, chosen: Chosen) -> float:
        """Compute the score of a selection from scratch."""
        return self._score(self._state(chosen))

    def _score(self, state: _State) -> float:
        return float(self.normal_price * state.n_normals + self.goal.of_lost(state.lost).sum())

    def better(self, first: Chosen, second: Chosen) -> Chosen:
        """Return the second selection if it is better by more than rounding, else the first."""
        return second if self.score(second) < _less(self.score(first)) else first

    def climb(self, start: Chosen) -> Chosen:
        """Move to better selections until there is none: adding first, then each tag dropped or swapped in turn.

        Each step lowers the score by more than rounding, or drops a tag without raising it.
        """
        chosen = [list(tags) for tags in start]
        score = self.score(chosen)
        for _ in range(MOST_PASSES):
            before = score
            score = self._fill(chosen, score)
            improved = score < before
            for group, tag in _pairs(chosen):
                if self.deadline.passed:
                    return chosen
                rest = _without(chosen, group, tag)
                without = self.score(rest)
                found = self._best_addition(rest, below=_less(min(score, without)))
                if found is not None:
                    score, other, new = found
                    rest[other].append(new)
                elif without <= _more(score):  # no loss: the tag is redundant
                    score = min(score, without)
                else:
                    continue
                chosen, improved = rest, True
            if not improved:
                break
        return chosen

    def _fill(self, chosen: Chosen, score: float) -> float:
        """Add the best tag while that lowers the score, which is returned."""
        while not self.deadline.passed and (found := self._best_addition(chosen, below=_less(score))) is not None:
            score, group, tag = found
            chosen[group].append(tag)
        return score

    def shake(self, start: Chosen) -> Chosen:
        """Do without a few covered rows, round by round, and keep what is not worse; then climb.

        Every second round draws the rows by what they cost, the others draw all alike.

        The number of rounds follows from the size of the problem, and all random choices from a fixed seed, so that the
        same problem always has the same result.
        """
        rng = np.random.default_rng(0)
        best, score = start, self.score(start)
        for i in range(self._rounds(start)):
            price = np.maximum(self.goal.weight, 1.0) if i % 2 else np.ones(self.coverage.n_groups)
            banned = None if self.deadline.passed else self._banned(best, price, rng)
            if banned is None:  # no row is covered needlessly
                break
            other, value = self._rebuild(best, banned, float(rng.choice(DISCOUNT)))
            if value <= _more(score):
                best, score = other, min(score, value)
        return self.climb(best)

    def _rounds(self, start: Chosen) -> int:
        """Choose how often to shake: a round tries about as many moves as there are tags, each a look at all bits."""
        cov = self.coverage
        n_moves = sum(map(len, start)) + 10
        words = cov.normal_bits.size + cov.outlier_bits.size + COUNTING * cov.n_tags * cov.n_groups
        return min(MOST_ROUNDS, 2 * cov.n_tags, MOST_MOVES // n_moves, WORK // max(n_moves * words, 1))

    def _banned(self, chosen: Chosen, price: FloatArray, rng: np.random.Generator) -> BoolArray | None:
        """Choose a few normals and lost outliers that are covered, and mark the pairs that would cover them.

        An outlier is drawn `price` (one per group) times as often as a normal.
        """
        cov = self.coverage
        state = self._state(chosen)
        normals = np.flatnonzero(unpack(state.normals, len(cov.normal_rows)))
        foreign = [np.flatnonzero(cov.outlier_mask(state.foreign, k)) for k in range(cov.n_groups)]
        lost = [(k, i) for k, rows in enumerate(foreign) for i in rows.tolist()]
        if not len(normals) + len(lost):
            return None
        banned = np.zeros(self.eligible.shape, dtype=bool)
        for drawn in self._draw(normals, lost, price, rng):
            if drawn < len(normals):
                banned |= _has(cov.normal_bits, int(normals[drawn]))
            else:
                k, i = lost[drawn - len(normals)]
                banned |= _has(cov.outlier_bits[:, cov.slices[k]], i) & (np.arange(cov.n_groups) != k)[:, None]
        return banned

    def _draw(
        self, normals: IndexArray, lost: list[tuple[int, int]], price: FloatArray, rng: np.random.Generator
    ) -> IndexArray:
        """Draw a few of these normals and lost outliers: a row as often as the instances that it stands for."""
        cov = self.coverage
        cost = [1.0] * len(normals) + [float(price[k]) for k, _ in lost]
        if cov.normal_row_counts is not None and cov.group_row_counts is not None:
            counts = [cov.group_row_counts[k][i] for k, i in lost]
            cost = cost * np.concatenate([cov.normal_row_counts[normals], np.array(counts, dtype=np.int64)])
        ends = np.cumsum(cost)
        drawn = np.searchsorted(ends, rng.random(rng.choice(SHAKEN)) * ends[-1], side="right")
        return np.asarray(np.minimum(drawn, len(ends) - 1))

    def _rebuild(self, start: Chosen, banned: BoolArray, price: float) -> tuple[Chosen, float]:
        """Drop the banned pairs, add others with normals at a discount, then settle at the full price."""
        chosen = [[j for j in tags if not banned[k, j]] for k, tags in enumerate(start)]
        everything = self.eligible
        self.eligible, self.normal_price = everything & ~banned, price
        self._fill(chosen, self.score(chosen))
        self.eligible, self.normal_price = everything, 1.0
        chosen, score = self._prune(chosen)
        self._fill(chosen, score)
        return self._prune(chosen)

    def _prune(self, chosen: Chosen) -> tuple[Chosen, float]:
        """Drop, one by one, the tags without which the score is no higher; return what is left and its score."""
        score = self.score(chosen)
        for group, tag in _pairs(chosen):
            rest = _without(chosen, group, tag)
            without = self.score(rest)
            if without <= _more(score):
                chosen, score = rest, min(score, without)
        return chosen, score

    def _best_addition(self, chosen: Chosen, *, below: float) -> tuple[float, int, int] | None:
        """Find the tag and group whose addition scores lowest: (score, group, tag), or None if none is below.

        Of those that score the same, but for rounding, the shortest tag, and of these the lowest.
        """
        cov = self.coverage
        state = self._state(chosen)
        outlier_part = self._outlier_part(state, chosen)
        group = np.argmin(outlier_part, axis=0)
        # No normal added: the least it can score.
        bound = self.normal_price * state.n_normals + outlier_part[group, np.arange(cov.n_tags)]
        order = np.flatnonzero(bound < below)
        order = order[np.argsort(bound[order], kind="stable")]
        scores = np.full(cov.n_tags, np.inf)
        least = below
        for start in range(0, len(order), TAGS_PER_STEP):
            block = order[start : start + TAGS_PER_STEP]
            block = block[bound[block] < _more(least)]
            if not len(block):
                break
            new = cov.normal_bits[block] & ~state.normals
            scores[block] = bound[block] + self.normal_price * cov.count_normals(new)
            least = min(least, float(scores[block].min()))
        if least >= below:
            return None
        equal = np.flatnonzero(scores <= _more(least))
        tag = int(equal[np.argmin(cov.lengths[equal])])
        return float(scores[tag]), int(group[tag]), tag

    def _outlier_part(self, state: _State, chosen: Chosen) -> FloatArray:
        """Cost of the lost outliers after adding a tag (column) to a group (row); infinite where not allowed."""
        gain = self.free.of(state.free)  # by group and tag: outliers that it would explain
        harm = self.safe.of(state.safe)  # by group and tag: outliers that it would spoil, given to another group
        lost = state.lost[:, None]
        part = _sum_of_others(self.goal.of_lost(lost + harm)) + self.goal.of_lost(lost - gain)
        allowed = self.eligible & (gain > 0)
        allowed[:, _flat(chosen)[1]] = False  # a tag describes one group
        allowed[np.array([len(tags) for tags in chosen]) >= self.limit] = False
        return np.where(allowed, part, np.inf)

    def _state(self, chosen: Chosen) -> _State:
        """Find out what a selection covers and loses, all groups at once: a loop over 200 of them takes too long."""
        cov = self.coverage
        groups, tags = _flat(chosen)
        covered = cov.outlier_bits[tags]
        own = np.bitwise_or.reduce(covered & self.member[groups], axis=0)
        foreign = np.bitwise_or.reduce(covered & ~self.member[groups], axis=0)
        normals = np.bitwise_or.reduce(cov.normal_bits[tags], axis=0)
        safe = own & ~foreign
        lost = cov.count_groups((self.all_outliers & ~safe)[None, :])[:, 0]
        free = self.all_outliers & ~own & ~foreign
        foreign &= self.all_outliers
        return _State(normals, int(cov.count_normals(normals)), free, safe, lost.astype(np.float64), foreign)


def _less(score: float) -> float:
    """Lower a score by what may be rounding."""
    return score - SCORE_ROUNDING * abs(score)


def _more(score: float) -> float:
    """Raise a score by what may be rounding."""
    return score + SCORE_ROUNDING * abs(score)


def _sum_of_others(rows: FloatArray) -> FloatArray:
    """For each row the sum of all others; not by subtraction, in which a large row leaves its rounding behind.

    >>> _sum_of_others(np.array([[1e20], [1.0], [2.0]])).ravel().tolist()
    [3.0, 1e+20, 1e+20]
    """
    return np.asarray((1.0 - np.eye(len(rows))) @ rows)


def _flat(chosen: Chosen) -> tuple[IndexArray, IndexArray]:
    """List the groups and the tags of all pairs."""
    pairs = np.array(_pairs(chosen), dtype=np.intp).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _pairs(chosen: Chosen) -> list[tuple[int, int]]:
    return [(k, j) for k, tags in enumerate(chosen) for j in tags]


def _without(chosen: Chosen, group: int, tag: int) -> Chosen:
    return [[j for j in tags if (k, j) != (group, tag)] for k, tags in enumerate(chosen)]


def _has(bits: Words, row: int) -> BoolArray:
    """Tell which tags have a row."""
    return np.asarray((bits[:, row // 64] >> np.uint64(row % 64)) & np.uint64(1) == 1)

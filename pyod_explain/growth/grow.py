"""`Grower`: tags that would lower the objective, given the current selection; found by a beam search."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.explainers import Explainer, MarginalObjective, NewlyCovered
from pyod_explain.growth.pool import Pool, RankedColumn, most_informative, rank_columns
from pyod_explain.input import Groups, Table, sample_rows
from pyod_explain.solvers import Chosen
from pyod_explain.tags import Condition, Itemsets, Shortlist, Tag, TagSet, gain, lifted, log2_binomial, log_star

MAX_GROWTH_NORMALS, MAX_GROWTH_OUTLIERS = 20_000, 5_000  # rows that rules are grown on; selection counts all
MIN_GROWTH_OUTLIERS = 50  # of the outliers of a group
MAX_NEW_CONDITIONS = 80  # on columns without order, for a group
MAX_GROWTH_ROUNDS = 3  # of growing and choosing


class Grower:
    """Finds tags that would lower what is minimised, given what is chosen.

    Parameters
    ----------
    table, groups : the rows; of many a sample is taken, whose rows stand for all.
    maker : tells how long a rule may be, and finds conditions on columns without order.
    explainer : tells what is minimised; one that `supports_growth`.
    random_state : seed of the sample.
    """

    def __init__(
        self, table: Table, groups: Groups, *, maker: Itemsets, explainer: Explainer, random_state: int
    ) -> None:
        self._table, groups = _sample(table, groups, random_state)
        self._groups = groups
        self._rows = Coverage.from_tags(self._table, [], self._groups)
        self._ranked = rank_columns(self._table, self._groups, self._rows, maker.categorical)
        self._maker = maker
        self._objective = explainer.marginal_objective
        self._min_lift = explainer.min_lift
        self._looked: set[tuple[str, int] | Condition] = set()
        self._seen: list[list[frozenset[Tag]]] = []
        self._rounds = 0

    def grow(self, tags: TagSet, rules: Sequence[Sequence[Tag]]) -> TagSet:
        """Give the tags with those added, at the end, that would lower what is minimised.

        Every condition that was looked at counts in `n_items`, also those that no tag has.

        Parameters
        ----------
        tags : what there is to choose from.
        rules : what is chosen of it, for each group.
        """
        said = [frozenset(one) for one in rules]
        if said in self._seen or self._rounds == MAX_GROWTH_ROUNDS:
            return tags
        self._rounds += 1
        self._seen.append(said)
        chosen = _numbered(rules)
        flat = [tag for one in rules for tag in one]
        coverage = self._rows.with_tags(self._table, flat, tags.n_items)
        marks = [coverage.outlier_mask(self._objective(coverage, chosen, k).own, k) for k in range(coverage.n_groups)]
        conditions = self._conditions(tags, coverage, marks)
        pool, cuts = Pool.of(conditions, self._table, coverage), self._cut(np.concatenate(marks))
        n_items = max(tags.n_items, len(self._looked | tags.features))
        description = Description(
            partial(pool.for_group, cuts=cuts, coverage=coverage),
            replace(coverage, n_items=n_items),
            chosen,
            self._objective,
            max_length=self._maker.max_length,
            min_lift=self._min_lift,
        )
        grown = description.grow()
        self._seen.append(description.rules(flat))  # growing ended with these: it finds nothing more to say
        return replace(tags, tags=tuple(dict.fromkeys((*tags.tags, *grown))), n_items=n_items)

    def _cut(self, open_outliers: NDArray[np.bool_]) -> list[tuple[RankedColumn, NDArray[np.int64]]]:
        """Choose cuts of the ordered columns; of many columns those that tell most of what is not covered."""
        cut = [(line, line.positions(open_outliers)) for line in self._ranked]
        self._looked |= {(line.column.name, position) for line, found in cut for position in found.tolist()}
        return most_informative(cut, open_outliers)

    def _conditions(self, tags: TagSet, coverage: Coverage, marks: Sequence[NDArray[np.bool_]]) -> list[Condition]:
        """Give the conditions of the tags, and of columns without order those that tell most of what is not covered."""
        numbers = np.where(self._groups.numbers == 0, 0, -1)
        for k, mark in enumerate(marks):
            numbers[coverage.group_rows[k][mark]] = k + 1
        items = self._maker.items(self._table, replace(self._groups, numbers=numbers), ordered=False)
        found = Shortlist(items, MAX_NEW_CONDITIONS, min_support=0.0, min_lift=self._min_lift)
        self._looked |= items.features
        fresh = [condition for k in range(len(marks)) for condition in found.best(k + 1)[0]]
        return [*(condition for tag in tags.tags for condition in tag.sorted), *fresh]


def _numbered(rules: Sequence[Sequence[Tag]]) -> list[list[int]]:
    """Number the rules of all groups, one after the other."""
    ends = np.cumsum([0, *(len(one) for one in rules)]).tolist()
    return [list(range(start, stop)) for start, stop in itertools.pairwise(ends)]


def _sample(table: Table, groups: Groups, random_state: int) -> tuple[Table, Groups]:
    """Take a sample of many rows; each of those that are left stands for several."""
    kept, stand = [], []
    n_outliers = max(int((groups.numbers > 0).sum()), 1)
    for k in range(groups.n_groups + 1):
        rows = np.flatnonzero(groups.numbers == k)
        # A group has its share of the outliers; a small one a few more, so that it is not lost.
        most = MAX_GROWTH_NORMALS if k == 0 else max(MAX_GROWTH_OUTLIERS * len(rows) // n_outliers, MIN_GROWTH_OUTLIERS)
        drawn = sample_rows(table, rows, most, random_state)
        kept.append(drawn)
        stand.append(np.full(len(drawn), round(len(rows) / max(len(drawn), 1)), dtype=np.int64))
    rows, times = np.concatenate(kept), np.concatenate(stand)
    if (times == 1).all() and len(rows) == table.n_rows:
        return table, groups
    order = np.argsort(rows)
    rows, times = rows[order], times[order]
    small = table.take(rows)
    if (times > 1).any():
        small = replace(small, row_counts=times if small.row_counts is None else times * small.row_counts)
    return small, replace(groups, numbers=groups.numbers[rows])


MIN_IMPROVEMENT = 1e-9  # of what is minimised: a smaller fall is rounding
N_RENEWALS = 2  # times that each rule is taken out and grown anew
MAX_RULES_PER_GROUP = 40  # of one group


class Description:
    """The rules of each group, which `grow` makes better.

    Parameters
    ----------
    pool : gives the conditions for each group.
    coverage : of the rules, and of no others.
    chosen : for each group the positions of its rules there.
    objective : tells what is minimised, for a coverage, a selection and a group.
    max_length : most conditions of a rule.
    min_lift : as for the explainer.
    """

    def __init__(
        self,
        pool: Callable[[int], Pool],
        coverage: Coverage,
        chosen: Sequence[Sequence[int]],
        objective: Callable[[Coverage, Chosen, int], MarginalObjective],
        *,
        max_length: int,
        min_lift: float,
    ) -> None:
        self._pool_of = pool
        self._coverage = coverage
        self._chosen = [list(one) for one in chosen]
        self._make_objective = objective
        self._min_lift = min_lift
        self._max_length = max_length
        lengths = np.arange(2 * max_length + 1)  # a relation counts as two
        self._prices = np.asarray(log_star(lengths) + log2_binomial(coverage.n_items, lengths) + lengths)
        self._grown: dict[Tag, None] = {}
        self._n_given = coverage.n_tags
        self._added: list[Tag] = []  # tags of the coverage after those that were given

    def grow(self) -> tuple[Tag, ...]:
        """Grow the rules of every group, and give all tags that were part of it, if only for a while."""
        for k in range(len(self._chosen)):
            self._pool = self._pool_of(k)
            self._extend(k)
            for _ in range(N_RENEWALS):
                if not self._renew(k):
                    break
        return tuple(self._grown)

    def rules(self, given: Sequence[Tag]) -> list[frozenset[Tag]]:
        """Give the rules of each group.

        Parameters
        ----------
        given : the rules that it began with.
        """
        known = [*given, *self._added]
        return [frozenset(known[i] for i in one) for one in self._chosen]

    def _objective(self, k: int) -> MarginalObjective:
        return self._make_objective(self._coverage, self._chosen, k)

    def _extend(self, k: int, but: int | None = None) -> None:
        """Add the rule that lowers what is minimised most, until none does, or until that one is back."""
        while len(self._chosen[k]) < MAX_RULES_PER_GROUP:
            objective = self._objective(k)
            found = [] if objective.at_max_tags else self._found(objective)
            if not found or not _lower(found[0].value, objective.current):
                return
            self._add(k, found[0])
            if but is not None and self._coverage.same_rows(but, self._chosen[k][-1]):
                return
            but = None

    def _found(self, objective: MarginalObjective) -> list[Grown]:
        return best_conjunctions(
            self._pool, objective, self._prices, max_length=self._max_length, min_lift=self._min_lift
        )

    def _renew(self, k: int) -> bool:
        """Take each rule out and grow others in its place, one or several; True if that lowered anything."""
        lowered = False
        for tag in list(self._chosen[k]):
            before, value = (list(self._chosen[k]), self._coverage), self._objective(k).current
            self._chosen[k].remove(tag)
            self._extend(k, but=tag)
            if _lower(self._objective(k).current, value):
                lowered = True
            else:
                self._chosen[k], self._coverage = before
        return lowered

    def _add(self, k: int, grown: Grown) -> None:
        members = list(grown.members)
        tag = self._pool.tag(members)
        self._grown[tag] = None
        self._added[self._coverage.n_tags - self._n_given :] = [tag]  # what lay there was not kept
        self._chosen[k].append(self._coverage.n_tags)
        normals, outliers = _all_of(self._pool.normals[members]), _all_of(self._pool.outliers[members])
        self._coverage = self._coverage.with_bits(
            normals, outliers, [int(self._pool.lengths[members].sum())], self._pool.extra[members].sum(keepdims=True)
        )


def _all_of(rows: Words) -> Words:
    return np.asarray(np.bitwise_and.reduce(rows, axis=0, keepdims=True))


def _lower(value: float, than: float) -> bool:
    return value < than - MIN_IMPROVEMENT * max(abs(than), 1.0)


BEAM_WIDTH = 3  # conjunctions that are followed by their objective, and as many by information gain


@dataclass(frozen=True)
class Grown:
    """A conjunction: the positions of its conditions in the pool, and what is minimised if it is added."""

    value: float
    members: tuple[int, ...]


def best_conjunctions(
    pool: Pool, objective: MarginalObjective, prices: NDArray[np.float64], *, max_length: int = 3, min_lift: float = 1.0
) -> list[Grown]:
    """Give the conjunctions that make what is minimised smallest, best first; none that do not lower it.

    Those of one condition are looked at all; of each length the best few are followed, some by what they make of what
    is minimised and some by information gain, since the first condition of a good pair need not be good alone.

    Parameters
    ----------
    pool : the conditions.
    objective : what is minimised.
    prices : bits of tags of length 0, 1, 2, ...: as many as may be had.
    max_length : most conditions.
    min_lift : as for the explainer; here of the rows that are newly covered.
    """
    found: dict[tuple[int, ...], float] = {}
    # Outliers are few and quickly compared: who has none of those that are open is not counted on all normals.
    which = np.flatnonzero((pool.outliers & objective.own).any(axis=1))
    pool = pool.take(which, objective.normals)
    beam = [_Partial((), objective.own | objective.others, objective.normals, np.inf)] if len(pool) else []
    for longer in reversed(range(max_length)):
        steps = [_join(pool, objective, one, prices, min_lift) for one in beam]
        for step in steps:
            for i in step.best(step.values, BEAM_WIDTH):
                if step.values[i] < objective.current:
                    members = step.members(i)
                    found[members] = min(float(step.values[i]), found.get(members, np.inf))
        beam = _follow(pool, steps) if longer else []
    grown = (Grown(value, tuple(which[list(members)].tolist())) for members, value in found.items())
    return sorted(grown, key=lambda one: (one.value, one.members))


@dataclass(frozen=True, eq=False)
class _Partial:
    """A conjunction that may become longer, and who has it."""

    members: tuple[int, ...]
    outliers: Words
    normals: Words  # that nobody covers yet
    n_normals: float
    length: int = 0  # what it is priced by
    extra: float = 0.0  # bits beside those of its features


@dataclass(frozen=True, eq=False)
class _Step:
    """One conjunction with each condition of the pool that may join it."""

    partial: _Partial
    joined: NDArray[np.intp]
    new: NewlyCovered
    values: NDArray[np.float64]
    free: tuple[float, float]

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """Information gain of each: wanted of those only that are followed."""
        return gain(self.new.own, self.new.normals, *self.free)

    def members(self, i: int) -> tuple[int, ...]:
        """Give the conjunction with the i-th condition that may join, in one order."""
        return tuple(sorted((*self.partial.members, int(self.joined[i]))))

    @staticmethod
    def best(scores: NDArray[np.float64], most: int) -> list[int]:
        """Give the positions of the lowest scores, ties by the order of the pool."""
        if len(scores) <= most:
            return [int(i) for i in np.argsort(scores, kind="stable")]
        few = np.flatnonzero(scores <= np.partition(scores, most - 1)[most - 1])
        return [int(i) for i in few[np.argsort(scores[few], kind="stable")[:most]]]


def _join(
    pool: Pool, objective: MarginalObjective, partial: _Partial, prices: NDArray[np.float64], min_lift: float
) -> _Step:
    joined = np.arange(len(pool))
    if partial.members:
        free = (pool.outliers & (partial.outliers & objective.own)).any(axis=1)
        taken = np.zeros(pool.places.max() + 1, dtype=bool)
        taken[pool.places[list(partial.members)]] = True
        free &= ~taken[pool.places]
        joined = np.flatnonzero(free)
        new = objective.count(pool.outliers[joined] & partial.outliers, pool.normals[joined] & partial.normals)
    else:
        new = objective.count(pool.outliers, pool.normals)
    n_outliers, n_normals = objective.totals
    fits = (new.own > 0) & lifted(new.own, n_outliers, new.normals, n_normals, min_lift)
    fits &= new.normals < partial.n_normals  # what keeps no normal out makes it longer and no better
    new, joined = new.take(np.flatnonzero(fits)), joined[fits]
    price = prices[partial.length + pool.lengths[joined]] + partial.extra + pool.extra[joined]
    values = objective.value(new, price)
    return _Step(partial, joined, new, values, objective.n_uncovered)


def _follow(pool: Pool, steps: list[_Step]) -> list[_Partial]:
    """Take the best conjunctions of all steps; of those that cover as many of each kind, one."""
    taken: dict[tuple[float, float], _Partial] = {}
    for scores in ([step.values for step in steps], [-step.gains for step in steps]):
        ranked = sorted(
            (float(score[i]), step.members(i), number, i)
            for number, (step, score) in enumerate(zip(steps, scores, strict=True))
            for i in step.best(score, 3 * BEAM_WIDTH)
        )
        most = len(taken) + BEAM_WIDTH
        for _, members, number, i in ranked:
            step = steps[number]
            key = float(step.new.own[i]), float(step.new.normals[i])
            if key not in taken and len(taken) < most:
                last = step.joined[i]
                so_far = step.partial
                taken[key] = _Partial(
                    members,
                    so_far.outliers & pool.outliers[last],
                    so_far.normals & pool.normals[last],
                    key[1],
                    so_far.length + int(pool.lengths[last]),
                    so_far.extra + float(pool.extra[last]),
                )
    return list(taken.values())

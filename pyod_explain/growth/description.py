"""`Description`: the rules of each group, and the moves that lower the objective."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pyod_explain._arrays import FloatArray
from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.explainers import MarginalObjective
from pyod_explain.growth.beam import BEAM_WIDTH, Partial, best_conjunctions, join
from pyod_explain.growth.pool import Conditions, Cut, Pool, write_tag
from pyod_explain.solvers import Chosen
from pyod_explain.tags import Condition, Tag, lifted

MakeObjective = Callable[[Coverage, Chosen, int], MarginalObjective]  # to minimise, by the selection so far and a group

MIN_IMPROVEMENT = 1e-9  # as a share of the objective: less is rounding
MAX_RULES_PER_GROUP = 40
ALTERNATIVES = 4  # runners-up of each search that become candidates too
MAX_CHANGES = 60  # changes of conditions in one call, for a group


@dataclass(frozen=True, eq=False)
class Conjunction:
    """A rule that may still change: its conditions, the rows that meet each of them, and their bits."""

    conditions: tuple[Condition | Cut, ...]
    outliers: Words
    normals: Words
    prices: FloatArray
    given: Tag | None = None  # the tag that it is, where that is not to be written anew

    @classmethod
    def of(cls, pool: Pool, members: Sequence[int], given: Tag | None = None) -> Conjunction:
        """Take some conditions of a pool."""
        which = list(members)
        conditions = tuple(pool.condition(i) for i in which)
        return cls(conditions, pool.outliers[which], pool.normals[which], pool.prices[which], given)

    @classmethod
    def of_tag(cls, source: Conditions, tag: Tag) -> Conjunction:
        """Take the conditions of a tag, which stays as it is written."""
        pool = source.pool(tag.sorted)
        return cls.of(pool, range(len(pool)), tag)

    def without(self, *which: int) -> Conjunction:
        """Return the rule without some of its conditions."""
        conditions = tuple(one for i, one in enumerate(self.conditions) if i not in which)
        outliers, normals = np.delete(self.outliers, which, axis=0), np.delete(self.normals, which, axis=0)
        return Conjunction(conditions, outliers, normals, np.delete(self.prices, which))

    def with_conditions(self, other: Conjunction) -> Conjunction:
        """Return the rule with the conditions of another one added."""
        outliers = np.concatenate([self.outliers, other.outliers])
        normals = np.concatenate([self.normals, other.normals])
        prices = np.concatenate([self.prices, other.prices])
        return Conjunction((*self.conditions, *other.conditions), outliers, normals, prices)

    @cached_property
    def rows(self) -> tuple[Words, Words]:
        """The outliers and the normals that meet all conditions."""
        return np.bitwise_and.reduce(self.outliers, axis=0), np.bitwise_and.reduce(self.normals, axis=0)

    @property
    def price(self) -> float:
        return float(self.prices.sum())

    @property
    def written(self) -> list[Condition]:
        """The conditions, written out one by one."""
        return [one.to_condition() if isinstance(one, Cut) else one for one in self.conditions]

    @cached_property
    def tag(self) -> Tag:
        """The rule, written out."""
        return self.given or write_tag(self.conditions)

    def __len__(self) -> int:
        return len(self.conditions)


class Description:
    """The rules of each group; its methods add, drop, replace, shorten or extend rules while the objective falls.

    Parameters
    ----------
    coverage : the rows; its tags are not used.
    rules : for each group its rules.
    objective : makes the objective to minimise, from a coverage, a selection and a group.
    max_length : most conditions of a rule.
    min_lift : as for the explainer.
    given : the user's own tags, whose conditions stay as they are.
    """

    def __init__(
        self,
        coverage: Coverage,
        rules: Sequence[Sequence[Conjunction]],
        objective: MakeObjective,
        *,
        max_length: int,
        min_lift: float,
        given: Collection[Tag] = (),
    ) -> None:
        self._empty = coverage.take([])
        self.rules = [list(one) for one in rules]
        self.seen: list[Conjunction] = []  # all rules that were tried, as candidates
        self._make_objective, self.given = objective, given
        self.min_lift, self._max_length = min_lift, max_length

    def bits(self, k: int) -> float:
        """Return the objective of a group."""
        return self._objective(k, self.rules[k]).current

    def add_rules(self, k: int, pool: Pool, *, width: int = BEAM_WIDTH, stop_at: Conjunction | None = None) -> None:
        """Add the rule that lowers the objective most, until none does, or the first one has the rows of `stop_at`."""
        while len(self.rules[k]) < MAX_RULES_PER_GROUP:
            objective = self._objective(k, self.rules[k])
            if objective.at_max_tags:
                return
            found = best_conjunctions(pool, objective, max_length=self._max_length, min_lift=self.min_lift, width=width)
            if not found or not is_lower(found[0].value, objective.current):
                return
            self.seen += [Conjunction.of(pool, one.members) for one in found[1 : ALTERNATIVES + 1]]
            self._put(k, [*self.rules[k], Conjunction.of(pool, found[0].members)])
            if stop_at is not None and all(map(np.array_equal, stop_at.rows, self.rules[k][-1].rows)):
                return
            stop_at = None

    def replace_rules(self, k: int, pool: Pool) -> bool:
        """Take each rule out and add one or several in its place; True if that lowered the objective."""
        lowered = False
        for rule in list(self.rules[k]):
            before, value = list(self.rules[k]), self.bits(k)
            self.rules[k] = [one for one in before if one is not rule]
            self.add_rules(k, pool, stop_at=rule)
            if is_lower(self.bits(k), value):
                lowered = True
            else:
                self.rules[k] = before
        return lowered

    def change_conditions(self, k: int, pool: Pool) -> bool:
        """Add, replace or drop single conditions, or rules, while that lowers the objective; True if it did."""
        unchanged, i, n_changes = 0, 0, 0
        while unchanged < len(self.rules[k]) and n_changes < MAX_CHANGES:
            i %= len(self.rules[k])
            rule, rest = self.rules[k][i], [one for j, one in enumerate(self.rules[k]) if j != i]
            value = self.bits(k)
            objective = self._objective(k, rest)
            changed = () if rule.tag in self.given else self._changed(rule, objective, pool)
            best = min([(objective.current, 0, None), *changed], key=lambda one: one[:2])
            if not is_lower(best[0], value):
                unchanged, i = unchanged + 1, i + 1
                continue
            unchanged, n_changes = 0, n_changes + 1
            self._put(k, rest if best[2] is None else [*self.rules[k][:i], best[2], *self.rules[k][i + 1 :]])
        return n_changes > 0

    def _changed(
        self, rule: Conjunction, objective: MarginalObjective, pool: Pool
    ) -> Iterator[tuple[float, int, Conjunction]]:
        """Yield a rule with a condition less, more or exchanged: the objective, a position (for ties), the rule."""
        shorter = [rule.without(i) for i in range(len(rule))] if len(rule) > 1 else []
        number = 0
        for base in (rule, *shorter) if len(rule) < self._max_length else shorter:
            step = join(pool, objective, _partial(base, objective, pool), self.min_lift)
            if len(step.values):
                i = step.best(step.values, 1)[0]
                number += 1
                yield float(step.values[i]), number, base.with_conditions(Conjunction.of(pool, [int(step.joined[i])]))
        if not shorter:  # a rule of one condition may be put in the place of another
            return
        outliers, normals = (np.stack(rows) for rows in zip(*(one.rows for one in shorter), strict=True))
        new = objective.count(outliers, normals & objective.normals)
        n_outliers, n_normals = objective.totals
        fits = lifted(new.own, n_outliers, new.normals, n_normals, self.min_lift)
        values = objective.value(new, np.array([one.price for one in shorter]))
        for i in np.flatnonzero(fits).tolist():
            number += 1
            yield float(values[i]), number, shorter[i]

    def objective_without(self, k: int, i: int) -> MarginalObjective:
        """Return the objective of one more rule of a group, without its i-th rule."""
        return self._objective(k, [one for j, one in enumerate(self.rules[k]) if j != i])

    def replace(self, k: int, i: int, rule: Conjunction) -> None:
        """Put a rule in the place of the i-th one of a group."""
        self._put(k, [*self.rules[k][:i], rule, *self.rules[k][i + 1 :]])

    def _put(self, k: int, rules: list[Conjunction]) -> None:
        self.seen += [one for one in rules if one not in self.rules[k]]
        self.rules[k] = rules

    def _objective(self, k: int, rules: Sequence[Conjunction]) -> MarginalObjective:
        all_rules = [*self.rules[:k], rules, *self.rules[k + 1 :]]
        flat = [one for group in all_rules for one in group]
        chosen = [list(range(*pair)) for pair in itertools.pairwise(np.cumsum([0, *map(len, all_rules)]).tolist())]
        if not flat:
            return self._make_objective(self._empty, chosen, k)
        outliers, normals = (np.stack(rows) for rows in zip(*(one.rows for one in flat), strict=True))
        prices = np.array([one.price for one in flat])
        return self._make_objective(self._empty.with_bits(normals, outliers, [*map(len, flat)], prices), chosen, k)


def _partial(rule: Conjunction, objective: MarginalObjective, pool: Pool) -> Partial:
    """Convert a rule, so that the conditions of a pool can extend it."""
    outliers, normals = rule.rows
    outliers, normals = outliers & (objective.own | objective.others), normals & objective.normals
    n_normals = float(objective.count(outliers[None, :], normals[None, :]).normals[0])
    term_sides = tuple(pool.source.side_number(one) for one in rule.conditions)
    return Partial((), outliers, normals, n_normals, rule.price, term_sides)


def is_lower(value: float, than: float) -> bool:
    """Tell whether an objective is lower than another by more than rounding."""
    return value < than - MIN_IMPROVEMENT * max(abs(than), 1.0)

"""`Grower`: tags that would lower what is minimised, given the current selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pyod_explain.bits import Words
from pyod_explain.code_lengths import log2_binomial, log_star
from pyod_explain.coverage import Coverage
from pyod_explain.explainers.aim import Aim
from pyod_explain.groups import Groups
from pyod_explain.growth.beam import Grown, best_conjunctions
from pyod_explain.growth.grid import lines
from pyod_explain.growth.pool import Pool
from pyod_explain.input.table import Table
from pyod_explain.solvers.problem import Chosen
from pyod_explain.tags.itemsets import Itemsets
from pyod_explain.tags.tag import Tag
from pyod_explain.tags.tagset import TagSet

__all__ = ["Grower"]

LEAST = 1e-9  # of what is minimised: a smaller fall is rounding
ROUNDS = 3  # in which each rule is taken out and grown anew
MOST_RULES = 40  # of one group

MakeAim = Callable[[Coverage, Chosen, int], Aim]


class Grower:
    """Finds tags that would lower what is minimised, given what is chosen.

    Parameters
    ----------
    table, groups : the rows.
    coverage : of these rows; its layout is that of all later ones.
    maker : tells how long a rule may be, and which numbers are codes.
    aim : tells what is minimised, for a coverage, a selection and a group.
    min_lift : as for the explainer.
    """

    def __init__(
        self, table: Table, groups: Groups, coverage: Coverage, *, maker: Itemsets, aim: MakeAim, min_lift: float
    ) -> None:
        self._table = table
        self._lines = lines(table, groups, coverage, maker.categorical)
        self._max_length = maker.max_length
        self._aim = aim
        self._min_lift = min_lift
        self._looked: set[tuple[str, int]] = set()

    def grow(self, tags: TagSet, coverage: Coverage, chosen: Chosen) -> TagSet:
        """Give the tags with those added that would lower what is minimised; every cut that was looked at counts.

        Parameters
        ----------
        tags, coverage, chosen : what there is to choose from, who has it, and what is chosen.
        """
        marks = [coverage.outlier_mask(self._aim(coverage, chosen, k).own, k) for k in range(coverage.n_groups)]
        known = dict.fromkeys(condition for tag in tags.tags for condition in tag.sorted)
        pool = Pool.of(known, self._lines, np.concatenate(marks), self._table, coverage)
        before = len(self._looked)
        self._looked |= pool.looked
        n_items = tags.n_items + len(self._looked) - before
        growth = _Growth(
            pool,
            replace(coverage.take([j for one in chosen for j in one]), n_items=n_items),
            _renumbered(chosen),
            self._aim,
            max_length=self._max_length,
            min_lift=self._min_lift,
        )
        return replace(tags, tags=tuple(dict.fromkeys((*tags.tags, *growth.run()))), n_items=n_items)


def _renumbered(chosen: Chosen) -> list[list[int]]:
    """Give the positions of the chosen tags among themselves, one group after the other."""
    ends = np.cumsum([0, *(len(one) for one in chosen)]).tolist()
    return [list(range(start, stop)) for start, stop in zip(ends, ends[1:], strict=False)]


class _Growth:
    """A selection that grows: rules are added, taken out and grown anew, as long as what is minimised falls.

    Parameters
    ----------
    pool : the conditions.
    coverage : of the tags that are chosen so far, and of no others.
    chosen : for each group the positions of its tags there.
    aim, min_lift : as for `Grower`.
    max_length : most conditions of a rule.
    """

    def __init__(
        self,
        pool: Pool,
        coverage: Coverage,
        chosen: list[list[int]],
        aim: MakeAim,
        *,
        max_length: int,
        min_lift: float,
    ) -> None:
        self._pool = pool
        self._coverage = coverage
        self._chosen = chosen
        self._make_aim = aim
        self._min_lift = min_lift
        lengths = np.arange(1, max_length + 1)
        self._prices = np.asarray(log_star(lengths) + log2_binomial(coverage.n_items, lengths) + lengths)
        self._grown: dict[Tag, None] = {}

    def run(self) -> tuple[Tag, ...]:
        """Grow the rules of every group, and give all tags that were part of it, if only for a while."""
        for k in range(len(self._chosen)):
            self._extend(k)
            for _ in range(ROUNDS):
                if not self._renew(k):
                    break
        return tuple(self._grown)

    def _aim(self, k: int) -> Aim:
        return self._make_aim(self._coverage, self._chosen, k)

    def _extend(self, k: int) -> None:
        """Add the rule that lowers what is minimised most, until none does."""
        while len(self._chosen[k]) < MOST_RULES:
            aim = self._aim(k)
            found = [] if aim.full else best_conjunctions(self._pool, aim, self._prices, min_lift=self._min_lift)
            if not found or not _lower(found[0].value, aim.now):
                return
            self._add(k, found[0])

    def _renew(self, k: int) -> bool:
        """Take each rule out and grow others in its place, one or several; True if that lowered anything."""
        lowered = False
        for tag in list(self._chosen[k]):
            before, value = (list(self._chosen[k]), self._coverage), self._aim(k).now
            self._chosen[k].remove(tag)
            self._extend(k)
            if _lower(self._aim(k).now, value):
                lowered = True
            else:
                self._chosen[k], self._coverage = before
        return lowered

    def _add(self, k: int, grown: Grown) -> None:
        members = list(grown.members)
        self._grown[self._pool.tag(members)] = None
        self._chosen[k].append(self._coverage.n_tags)
        normals, outliers = _all_of(self._pool.normals[members]), _all_of(self._pool.outliers[members])
        self._coverage = self._coverage.with_bits(normals, outliers, [len(members)])


def _all_of(rows: Words) -> Words:
    return np.asarray(np.bitwise_and.reduce(rows, axis=0, keepdims=True))


def _lower(value: float, than: float) -> bool:
    return value < than - LEAST * max(abs(than), 1.0)

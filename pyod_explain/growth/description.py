"""A description that grows: rules are added, taken out and grown anew, as long as what is minimised falls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pyod_explain.bits import Words
from pyod_explain.code_lengths import log2_binomial, log_star
from pyod_explain.coverage import Coverage
from pyod_explain.explainers import Aim
from pyod_explain.growth.beam import Grown, best_conjunctions
from pyod_explain.growth.pool import Pool
from pyod_explain.solvers import Chosen
from pyod_explain.tags import Tag

__all__ = ["Description"]

LEAST = 1e-9  # of what is minimised: a smaller fall is rounding
RENEWED = 2  # times that each rule is taken out and grown anew
MOST_RULES = 40  # of one group


class Description:
    """The rules of each group, which `grow` makes better.

    Parameters
    ----------
    pool : gives the conditions for each group.
    coverage : of the rules, and of no others.
    chosen : for each group the positions of its rules there.
    aim : tells what is minimised, for a coverage, a selection and a group.
    max_length : most conditions of a rule.
    min_lift : as for the explainer.
    """

    def __init__(
        self,
        pool: Callable[[int], Pool],
        coverage: Coverage,
        chosen: Sequence[Sequence[int]],
        aim: Callable[[Coverage, Chosen, int], Aim],
        *,
        max_length: int,
        min_lift: float,
    ) -> None:
        self._pool_of = pool
        self._coverage = coverage
        self._chosen = [list(one) for one in chosen]
        self._make_aim = aim
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
            for _ in range(RENEWED):
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

    def _aim(self, k: int) -> Aim:
        return self._make_aim(self._coverage, self._chosen, k)

    def _extend(self, k: int, but: int | None = None) -> None:
        """Add the rule that lowers what is minimised most, until none does, or until that one is back."""
        while len(self._chosen[k]) < MOST_RULES:
            aim = self._aim(k)
            found = [] if aim.full else self._found(aim)
            if not found or not _lower(found[0].value, aim.now):
                return
            self._add(k, found[0])
            if but is not None and self._coverage.same_rows(but, self._chosen[k][-1]):
                return
            but = None

    def _found(self, aim: Aim) -> list[Grown]:
        return best_conjunctions(self._pool, aim, self._prices, max_length=self._max_length, min_lift=self._min_lift)

    def _renew(self, k: int) -> bool:
        """Take each rule out and grow others in its place, one or several; True if that lowered anything."""
        lowered = False
        for tag in list(self._chosen[k]):
            before, value = (list(self._chosen[k]), self._coverage), self._aim(k).now
            self._chosen[k].remove(tag)
            self._extend(k, but=tag)
            if _lower(self._aim(k).now, value):
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
    return value < than - LEAST * max(abs(than), 1.0)

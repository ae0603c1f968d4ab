"""MDL: the description that takes the fewest bits, found without any parameter.

The bits of a selection are a sum over the groups, and a group's bits depend on four counts alone: bits of its tags,
outliers missed, normals covered, other outliers covered. So each group is searched on its own: add the tag that
saves most, then add, drop and swap until nothing saves a bit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pyod_explain._validate import check_int
from pyod_explain.coverage import Coverage
from pyod_explain.coverage.bits import Words, count
from pyod_explain.description_length import group_bits, mdl_of_group, tag_bits
from pyod_explain.explainers.base import Explainer
from pyod_explain.explainers.selection import Selection

__all__ = ["MDL"]

STARTS = 8  # first tags that a search is started from
BLOCK = 256  # tags whose normals are counted at once
PRECISION = 1e-6  # bits; a smaller saving is rounding


class MDL(Explainer):
    """Describe each group in the fewest bits; a group that no tags describe in fewer bits gets no description.

    Parameters
    ----------
    max_tags : most tags a group may have; None for as many as save bits.
    min_lift : a tag may describe a group only if the share of the group that has it is more than `min_lift` times
        the share of the normals that has it. Without that rule the formula admits descriptions read backwards:
        tags that nearly all normals have and the group has not.

    Examples
    --------
    Tag 0 is the group, tag 1 is noise; in a table of 400 rows naming 20 of them costs more than the tag.

    >>> T = [[i < 20, i % 2 == 0] for i in range(400)]
    >>> MDL().select(Coverage.from_dense(T, [int(i < 20) for i in range(400)])).tags
    ((0,),)
    """

    def __init__(self, *, max_tags: int | None = None, min_lift: float = 1.0) -> None:
        self.max_tags = max_tags
        self.min_lift = min_lift

    def select(self, coverage: Coverage) -> Selection:
        """Choose the tags that describe each group."""
        eligible = self._eligible(coverage)
        limit = coverage.n_tags if self.max_tags is None else check_int("MDL", "max_tags", self.max_tags, low=1)
        cost = tag_bits(coverage)
        searches = [_Search(coverage, k, np.flatnonzero(eligible[k]), cost, limit) for k in range(coverage.n_groups)]
        chosen = [search.best() for search in searches]
        _separate(searches, chosen)
        tags = tuple(tuple(one) for one in chosen)
        bits = sum(mdl_of_group(coverage, k, one) for k, one in enumerate(tags))
        return Selection(tags, bits, "feasible", method="MDL", solver="refined")


def _separate(searches: Sequence[_Search], chosen: list[list[int]]) -> None:
    """Make the descriptions disjoint: a tag that several groups want stays where doing without it costs most."""
    banned: list[set[int]] = [set() for _ in searches]
    while True:
        owners: dict[int, list[int]] = {}
        for k, tags in enumerate(chosen):
            for tag in tags:
                owners.setdefault(tag, []).append(k)
        shared = [(tag, groups) for tag, groups in owners.items() if len(groups) > 1]
        if not shared:
            return
        tag, groups = min(shared)
        without = {k: searches[k].best(banned[k] | {tag}) for k in groups}
        loss = {k: searches[k].bits(without[k]) - searches[k].bits(chosen[k]) for k in groups}
        keeper = max(groups, key=lambda k: (loss[k], -k))
        for k in groups:
            if k != keeper:
                banned[k].add(tag)
                chosen[k] = without[k]


@dataclass(frozen=True)
class _Cover:
    """What a set of tags covers: words of the own group, of the other groups and of the normals, and their counts."""

    own: Words
    others: Words
    normals: Words
    n_own: int
    n_others: int
    n_normals: int
    cost: float  # bits of the tags


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for one group's description, on the tags that may describe it."""

    coverage: Coverage
    group: int
    candidates: NDArray[np.intp]
    cost: NDArray[np.float64]
    limit: int

    @cached_property
    def own(self) -> Words:
        """The group's part of the outlier bits, all tags."""
        return np.ascontiguousarray(self.coverage.outlier_bits[:, self.coverage.slices[self.group]])

    @cached_property
    def others(self) -> Words:
        """The other groups' part of the outlier bits, all tags."""
        words = self.coverage.slices[self.group]
        return np.delete(self.coverage.outlier_bits, np.arange(words.start, words.stop), axis=1)

    @property
    def size(self) -> int:
        return int(self.coverage.group_sizes[self.group])

    def bits(self, tags: Sequence[int]) -> float:
        """Bits of the group under this description."""
        return self._bits_of(self._cover(tags))

    def best(self, banned: Collection[int] = ()) -> list[int]:
        """Search from nothing and from the tags that are best alone; return the shortest description found."""
        candidates = self.candidates[~np.isin(self.candidates, list(banned))]
        if not len(candidates):
            return []
        alone = self._additions(self._cover(()), candidates, most=STARTS)
        starts: list[list[int]] = [[]] + [[tag] for _, tag in alone]
        best: list[int] = []
        fewest = self.bits(best)
        seen: set[frozenset[int]] = set()
        for start in starts:
            found = self._climb(start, candidates, seen)
            bits = self.bits(found)
            if bits < fewest - PRECISION:
                best, fewest = found, bits
        return best

    def _climb(self, start: list[int], candidates: NDArray[np.intp], seen: set[frozenset[int]]) -> list[int]:
        """Add, drop or swap, whichever saves most, until nothing does; stop where another start has been."""
        tags, bits = start, self.bits(start)
        while frozenset(tags) not in seen:
            seen.add(frozenset(tags))
            fewest, better = bits, tags
            if len(tags) < self.limit:
                fewest, better = self._try(tags, candidates, fewest, better)
            for i in range(len(tags)):
                rest = tags[:i] + tags[i + 1 :]
                dropped = self.bits(rest)
                if dropped < fewest - PRECISION:
                    fewest, better = dropped, rest
                fewest, better = self._try(rest, candidates, fewest, better)
            if better is tags:
                break
            tags, bits = better, fewest
        return tags

    def _try(
        self, tags: list[int], candidates: NDArray[np.intp], fewest: float, better: list[int]
    ) -> tuple[float, list[int]]:
        """Return the best description that has one tag more than `tags`, if it beats the fewest bits so far."""
        found = self._additions(self._cover(tags), candidates, most=1, below=fewest - PRECISION)
        return (found[0][0], [*tags, found[0][1]]) if found else (fewest, better)

    def _additions(
        self, cover: _Cover, candidates: NDArray[np.intp], *, most: int, below: float = np.inf
    ) -> list[tuple[float, int]]:
        """Find the tags whose addition gives the fewest bits: (bits, tag), best first, ties by lowest tag.

        Normals are counted last and least: the outliers, which are few, bound what a tag can save, and tags are
        taken in the order of that bound until it exceeds the best that was found.
        """
        n_own = cover.n_own + count(self.own[candidates] & ~cover.own)
        n_others = cover.n_others + count(self.others[candidates] & ~cover.others)
        alone = self.coverage.normal_counts[candidates]
        cost = cover.cost + self.cost[candidates]
        bound = cost + self._least_bits(n_own, n_others, cover.n_normals, alone)
        useful = n_own > cover.n_own
        order = np.flatnonzero(useful & (bound < below))
        order = order[np.argsort(bound[order], kind="stable")]
        found: list[tuple[float, int]] = []
        for start in range(0, len(order), BLOCK):
            if bound[order[start]] >= below:
                break
            block = order[start : start + BLOCK]
            block = block[bound[block] < below]
            n_normals = cover.n_normals + count(self.coverage.normal_bits[candidates[block]] & ~cover.normals)
            bits = cost[block] + self._exceptions(n_own[block], n_others[block], n_normals)
            hits = np.flatnonzero(bits < below)
            found.extend((float(bits[i]), int(candidates[block[i]])) for i in hits)
            found = sorted(found)[:most]
            if len(found) == most:
                below = min(below, found[-1][0])
        return found

    def _least_bits(
        self, n_own: NDArray[np.int64], n_others: NDArray[np.int64], before: int, alone: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Bound the bits of the exceptions from below, knowing how many normals each tag covers alone.

        Together with what is covered already these are at least the larger and at most the sum of the two numbers.
        Each term of the formula grows or falls with that number, so each is taken at its better end.
        """
        low = np.maximum(alone, before)
        high = np.minimum(alone + before, self.coverage.n_normals)
        n_rows = self.coverage.n_normals + self.coverage.n_outliers
        missed = self.size - n_own
        inside = group_bits(missed=0, normals=low, foreign=n_others, size=n_own, n_rows=n_rows)
        outside = group_bits(missed=missed, normals=0, foreign=0, size=n_own + missed, n_rows=n_rows - high - n_others)
        return np.asarray(inside + outside)

    def _exceptions(
        self, n_own: NDArray[np.int64], n_others: NDArray[np.int64], n_normals: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        n_rows = self.coverage.n_normals + self.coverage.n_outliers
        return group_bits(missed=self.size - n_own, normals=n_normals, foreign=n_others, size=self.size, n_rows=n_rows)

    def _bits_of(self, cover: _Cover) -> float:
        counts = [np.array([n]) for n in (cover.n_own, cover.n_others, cover.n_normals)]
        return float(cover.cost + self._exceptions(*counts)[0])

    def _cover(self, tags: Sequence[int]) -> _Cover:
        chosen = list(tags)
        own = np.bitwise_or.reduce(self.own[chosen], axis=0, initial=np.uint64(0))
        others = np.bitwise_or.reduce(self.others[chosen], axis=0, initial=np.uint64(0))
        normals = self.coverage.normals_with(chosen)
        counts = (int(count(own)), int(count(others)), int(count(normals)))
        return _Cover(own, others, normals, *counts, cost=float(self.cost[chosen].sum()))

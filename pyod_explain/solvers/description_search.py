"""The search for the description of a group in the fewest bits, behind `MDL` and the choice of the number of groups.

A group's bits depend on four figures alone: bits of its tags, outliers missed, normals covered, other outliers covered.
So each group is searched on its own. Several starts add the tag that saves most; the shortest results are improved by
adding, dropping and swapping tags, splitting a wide tag into narrower ones, and merging two.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain.bits import Words
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import CodeTable, code_table, group_bits, tag_bits

STARTS = 8  # first tags that a search is started from
IMPROVED = 3  # shortest results of the starts, which are improved
PASSES = 600  # times that the normals of all tags may be counted for a group
WORDS_AT_ONCE = 2**18  # of the normals of a single group's tags, which are simply counted
NO_OTHERS = np.zeros(1, dtype=np.int64)
TAGS_PER_COUNT = 256  # tags whose normals are counted at once
PRECISE = (0.98, 0.9, 0.7, 0.5)  # least precision of the tags that a start may use
MAX_DETOUR_BITS = 10.0  # by which a split may lengthen the description before it is improved
NARROW_SHARES = (0.5, 0.1, 0.0)  # most normals of the tags that replace a wide one, as a share of its normals
MIN_SAVED_BITS = 1e-6  # bits; a smaller saving is rounding
MANY_TAGS = 2_000  # tags that each group looks at, at least, where groups are many
SEARCHES_PER_TAG = 8  # groups that may look at all tags; of more groups each looks at its best share


def describe(
    coverage: Coverage, eligible: BoolArray, limit: int, start: Sequence[Sequence[int]] | None = None
) -> tuple[tuple[tuple[int, ...], ...], int]:
    """Describe each group in few bits, by disjoint sets of at most `limit` tags.

    Parameters
    ----------
    coverage, eligible : which row has which tag, and which tag may describe which group.
    limit : most tags of a group.
    start : a selection to improve; by default several starts are tried.

    Returns the tags of each group, and the number of groups for which some eligible tags were not looked at.
    """
    cost = tag_bits(coverage)
    searches = [DescriptionSearch.of(coverage, k, eligible[k], cost, limit) for k in range(coverage.n_groups)]
    if start is None:
        chosen = [search.best() for search in searches]
    else:
        allowed = [[j for j in one if eligible[k, j]] for k, one in enumerate(start)]
        chosen = [search.better(one) for search, one in zip(searches, allowed, strict=True)]
    _separate(searches, chosen)
    return tuple(tuple(one) for one in chosen), sum(search.n_left_out > 0 for search in searches)


def quick_search(coverage: Coverage, min_lift: float) -> list[list[int]]:
    """Return short descriptions of the groups, found only by adding tags; for comparing many splits.

    Parameters
    ----------
    coverage, min_lift : as for `MDL`.
    """
    eligible, cost = coverage.eligible(min_lift), tag_bits(coverage)
    found = []
    for k in range(coverage.n_groups):
        search = DescriptionSearch.of(coverage, k, eligible[k], cost, coverage.n_tags)
        found.append(search.grow([], search.candidates, WorkLimit(PASSES * most_candidates(coverage))))
    return found


def most_candidates(coverage: Coverage) -> int:
    """Return how many tags the search for one group looks at, so that the total time is bounded for many groups."""
    return min(coverage.n_tags, max(MANY_TAGS, SEARCHES_PER_TAG * coverage.n_tags // max(coverage.n_groups, 1)))


def _separate(searches: Sequence[DescriptionSearch], chosen: list[list[int]]) -> None:
    """Make the descriptions disjoint: a tag of several groups stays where its loss would cost most bits."""
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


class WorkLimit:
    """How many tags may still have their normals counted: a bound on time that does not depend on a clock."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, n_tags: int) -> bool:
        """Spend work on this many tags; False if nothing is left."""
        self.left -= n_tags
        return self.left > -n_tags


@dataclass(frozen=True)
class Footprint:
    """What a set of tags covers: packed bits of the own group, of all outliers and of the normals, and their counts."""

    own: Words
    outliers: Words
    normals: Words
    n_own: int
    n_others: int
    n_normals: int
    cost: float  # bits of the tags
    bits: float  # of the group, if these describe it


@dataclass(frozen=True, eq=False)
class DescriptionSearch:
    """The search for one group's description, on the tags that may describe it."""

    coverage: Coverage
    group: int
    candidates: IndexArray
    cost: FloatArray
    limit: int
    table: CodeTable
    n_left_out: int = 0
    _best_additions: dict[tuple[frozenset[int], bytes], list[tuple[float, int]]] = field(default_factory=dict)
    _covers: dict[frozenset[int], Footprint] = field(default_factory=dict)

    @classmethod
    def of(cls, coverage: Coverage, group: int, eligible: BoolArray, cost: FloatArray, limit: int) -> DescriptionSearch:
        """Search the eligible tags that have a member of the group; of too many those that are best alone."""
        candidates = np.flatnonzero(eligible & (coverage.group_counts[group] > 0))
        search = cls(coverage, group, candidates, cost, limit, code_table(coverage.n_normals + coverage.n_outliers))
        most = most_candidates(coverage)
        if len(candidates) <= most:
            return search
        own, normals = coverage.group_counts[group, candidates], coverage.normal_counts[candidates]
        alone = cost[candidates] + search._exceptions(own, coverage.outlier_counts[candidates] - own, normals)
        best = np.sort(candidates[np.argsort(alone, kind="stable")[:most]])
        return replace(search, candidates=best, n_left_out=len(candidates) - most)

    @property
    def own(self) -> Words:
        """The group's part of the outlier bits, all tags."""
        return self.coverage.outlier_bits[:, self.coverage.slices[self.group]]

    @property
    def size(self) -> int:
        return int(self.coverage.group_sizes[self.group])

    def bits(self, tags: Sequence[int]) -> float:
        """Bits of the group under this description."""
        return self.cover(tags).bits

    def best(self, banned: Collection[int] = ()) -> list[int]:
        """Add tags to the best single tags, and among precise tags only; improve the shortest results."""
        candidates = self.candidates[~np.isin(self.candidates, list(banned))]
        if not len(candidates):
            return []
        work = WorkLimit(PASSES * most_candidates(self.coverage))
        alone = self.additions(self.cover([]), candidates, work, most=STARTS)
        ends = [self.grow([tag], candidates, work) for _, tag in alone]
        own, normals = self.coverage.group_counts[self.group, candidates], self.coverage.normal_counts[candidates]
        precision = own / (own + normals)
        ends += [self.grow([], candidates[precision >= least], work) for least in PRECISE]
        shortest = sorted({tuple(sorted(end)): end for end in ends}.values(), key=self.bits)[:IMPROVED]
        best = min(([], *(self._improve(end, candidates, work) for end in shortest)), key=self.bits)
        return self._split_and_merge(best, candidates, work)

    def better(self, tags: list[int]) -> list[int]:
        """Improve a description that is given."""
        work = WorkLimit(PASSES * most_candidates(self.coverage))
        return self._split_and_merge(self._improve(tags, self.candidates, work), self.candidates, work)

    def _split_and_merge(self, best: list[int], candidates: IndexArray, work: WorkLimit) -> list[int]:
        while (other := self._split_or_merge(best, candidates, work)) is not None:
            best = self._improve(other, candidates, work)
        return best

    def grow(self, tags: list[int], candidates: IndexArray, work: WorkLimit) -> list[int]:
        """Add the tag that saves most until none saves a bit."""
        bits = self.bits(tags)
        while len(tags) < self.limit:
            found = self._addition(tags, candidates, work, below=bits - MIN_SAVED_BITS)
            if found is None:
                break
            bits, tags = found[0], [*tags, found[1]]
        return tags

    def _improve(self, tags: list[int], candidates: IndexArray, work: WorkLimit) -> list[int]:
        """Drop each tag or swap it for a better one, and add, until none of it saves a bit."""
        bits, improved = self.bits(tags), True
        while improved:
            improved = False
            for tag in tags:
                rest = [one for one in tags if one != tag]
                without = self.bits(rest)
                found = self._addition(rest, candidates, work, below=min(bits, without) - MIN_SAVED_BITS)
                if found:
                    bits, tags = found[0], [*rest, found[1]]
                elif without < bits - MIN_SAVED_BITS:
                    bits, tags = without, rest
                else:
                    continue
                improved = True
            grown = self.grow(tags, candidates, work)
            if len(grown) > len(tags):
                bits, tags, improved = self.bits(grown), grown, True
        return tags

    def _split_or_merge(self, tags: list[int], candidates: IndexArray, work: WorkLimit) -> list[int] | None:
        """Replace a wide tag by narrow ones, or two tags by one; None if that saves nothing."""
        bits = self.bits(tags)
        for tag in tags:
            rest, normals = [one for one in tags if one != tag], self.coverage.normal_counts
            for share in NARROW_SHARES:
                narrow = candidates[(normals[candidates] <= share * normals[tag]) & (candidates != tag)]
                found = self.grow(rest, narrow, work)
                if self.bits(found) < bits - MIN_SAVED_BITS:
                    return found
                if self.bits(found) > bits + MAX_DETOUR_BITS:
                    continue
                found = self._improve(found, candidates, work)
                if self.bits(found) < bits - MIN_SAVED_BITS:
                    return found
        for i, one in enumerate(tags):
            for other in tags[:i]:
                rest = [tag for tag in tags if tag not in (one, other)]
                joined = self._addition(rest, candidates, work, below=bits - MIN_SAVED_BITS)
                if joined:
                    return [*rest, joined[1]]
        return None

    def _addition(
        self, tags: Sequence[int], candidates: IndexArray, work: WorkLimit, *, below: float
    ) -> tuple[float, int] | None:
        """Find the tag whose addition gives the fewest bits, if these are fewer than `below`.

        A search comes back to the same tags on many ways, so what was counted without a bound is kept.
        """
        if not self._counts_all(candidates):
            found = self.additions(self.cover(tags), candidates, work, most=1, below=below)
        else:
            key = frozenset(tags), candidates.tobytes()
            if key not in self._best_additions:
                self._best_additions[key] = self.additions(self.cover(tags), candidates, work, most=1)
            found = self._best_additions[key]
        return found[0] if found and found[0][0] < below else None

    def _counts_all(self, candidates: IndexArray) -> bool:
        """Tell whether the tags are so few, and of one group, that all of their normals are counted each time."""
        return self.coverage.n_groups == 1 and len(candidates) * self.coverage.normal_bits.shape[1] <= WORDS_AT_ONCE

    def additions(
        self, cover: Footprint, candidates: IndexArray, work: WorkLimit, *, most: int, below: float = np.inf
    ) -> list[tuple[float, int]]:
        """Find the tags whose addition gives the fewest bits: (bits, tag), best first; ties by lowest tag.

        Counting normals is slow, so it comes last: the outliers, which are few, give a lower bound of the bits, and
        tags are taken in the order of that bound until it exceeds the best that was found.
        """
        new = self.coverage.count_group(self.own[candidates] & ~cover.own, self.group)
        candidates, new = candidates[new > 0], new[new > 0]  # the others cover nothing new
        n_own = cover.n_own + new
        if self._counts_all(candidates):
            beyond = self.coverage.normal_bits[candidates] & ~cover.normals
            n_normals = cover.n_normals + self.coverage.count_normals(beyond)
            bits = cover.cost + self.cost[candidates] + self._exceptions(n_own, NO_OTHERS, n_normals)
            few = np.flatnonzero(bits < below)
            few = few[np.argsort(bits[few], kind="stable")[:most]]
            return [(float(bits[i]), int(candidates[i])) for i in few] if work.take(len(candidates)) else []
        beyond = self.coverage.compact_outlier_bits[candidates] & ~cover.outliers
        n_others = cover.n_own + cover.n_others + self.coverage.count_compact_outliers(beyond) - n_own
        alone = self.coverage.normal_counts[candidates]
        cost = cover.cost + self.cost[candidates]
        bound = cost + self._least_bits(n_own, n_others, cover.n_normals, alone)
        order = np.flatnonzero(bound < below)
        order = order[np.argsort(bound[order], kind="stable")]
        found: list[tuple[float, int]] = []
        for start in range(0, len(order), TAGS_PER_COUNT):
            block = order[start : start + TAGS_PER_COUNT]
            block = block[bound[block] < below]
            if not len(block) or not work.take(len(block)):
                break
            beyond = self.coverage.normal_bits[candidates[block]] & ~cover.normals
            n_normals = cover.n_normals + self.coverage.count_normals(beyond)
            bits = cost[block] + self._exceptions(n_own[block], n_others[block], n_normals)
            hits = np.flatnonzero(bits < below)
            found.extend((float(bits[i]), int(candidates[block[i]])) for i in hits)
            found = sorted(found)[:most]
            if len(found) == most:
                below = min(below, found[-1][0])
        return found

    def _least_bits(self, n_own: IntArray, n_others: IntArray, before: int, alone: IntArray) -> FloatArray:
        """Bound the bits of the exceptions from below, knowing how many normals each tag covers alone.

        Together with what is covered already these are at least the larger and at most the sum of the two numbers.
        Each term of the formula grows or falls with that number, so each is taken at its better end.
        """
        low = np.maximum(alone, before)
        high = np.minimum(alone + before, self.coverage.n_normals)
        missed, n_rows = self.size - n_own, self.n_rows - high - n_others
        inside = group_bits(missed=0, normals=low, foreign=n_others, size=n_own, n_rows=self.n_rows, table=self.table)
        outside = group_bits(missed=missed, normals=0, foreign=0, size=self.size, n_rows=n_rows, table=self.table)
        return np.asarray(inside + outside)

    @property
    def n_rows(self) -> int:
        return self.coverage.n_normals + self.coverage.n_outliers

    def _exceptions(self, n_own: IntArray, n_others: IntArray, n_normals: IntArray) -> FloatArray:
        v, size, n_rows = self.size - n_own, self.size, self.n_rows
        return group_bits(missed=v, normals=n_normals, foreign=n_others, size=size, n_rows=n_rows, table=self.table)

    def cover(self, tags: Sequence[int]) -> Footprint:
        """Give what a set of tags covers, and its bits."""
        key = frozenset(tags)
        if key not in self._covers:
            self._covers[key] = self._cover(sorted(key))
        return self._covers[key]

    def _cover(self, tags: list[int]) -> Footprint:
        own = np.bitwise_or.reduce(self.own[tags], axis=0, initial=np.uint64(0))
        outliers = np.bitwise_or.reduce(self.coverage.compact_outlier_bits[tags], axis=0, initial=np.uint64(0))
        normals = self.coverage.normals_with(tags)
        n_own = int(self.coverage.count_group(own, self.group))
        n_others = int(self.coverage.count_compact_outliers(outliers)) - n_own
        n_normals, cost = int(self.coverage.count_normals(normals)), float(self.cost[tags].sum())
        exceptions = self._exceptions(*(np.array([n]) for n in (n_own, n_others, n_normals)))
        return Footprint(own, outliers, normals, n_own, n_others, n_normals, cost, cost + float(exceptions[0]))

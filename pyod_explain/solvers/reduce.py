"""Exact reductions: what can be left out or merged without changing the best value of a cover problem.

Dominated tags are left out, and rows that the remaining tags do not distinguish are merged.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain.bits import Words, count_bits, unique_rows, unpack
from pyod_explain.coverage import Coverage
from pyod_explain.solvers.problem import NEVER, Deadline

WORDS_UNPACKED = 64  # at once: unpacked bits take eight times the memory
PAIRS_COMPARED = 20_000  # of tags, at once
WORDS_COMPARED = 500_000  # at once
FIRST_WORDS = 4  # of two tags, which mostly differ there already


@dataclass(frozen=True, eq=False)
class Reduced:
    """A cover problem without needless tags, its identical rows merged.

    It depends on the rows and on which tag may describe which group, not on weights (λ) or budgets.

    Attributes
    ----------
    tags : index in the coverage of each tag that is left.
    pairs : groups by tags; which tag may describe which group.
    normals, normal_counts : distinct rows of normals (by tags), none of them empty, and how many rows each stands for.
    outliers, outlier_counts, outlier_group : distinct rows of outliers of each group, how many each stands for, and
        their group. Only those that a tag of their own group can cover; `uncoverable` is the number of the others, by
        group.
    """

    tags: IndexArray
    pairs: BoolArray
    normals: BoolArray
    normal_counts: FloatArray
    outliers: BoolArray
    outlier_counts: FloatArray
    outlier_group: IndexArray
    uncoverable: FloatArray

    @property
    def n_groups(self) -> int:
        return len(self.pairs)

    def selection(self, taken: BoolArray) -> list[list[int]]:
        """Name, group by group, the tags of the pairs that are taken, as the coverage does.

        Parameters
        ----------
        taken : for each pair, in the order of `pairs`, whether it is taken.
        """
        used = np.zeros_like(self.pairs)
        used[self.pairs] = taken
        return [self.tags[chosen].tolist() for chosen in used]


def reduce_problem(coverage: Coverage, eligible: BoolArray, deadline: Deadline = NEVER) -> Reduced | None:
    """Reduce a problem to its useful pairs and distinct rows; None where no time is left to solve it then."""
    pairs = useful_pairs(coverage, eligible, deadline)
    start = time.perf_counter()
    small = merge_rows(coverage, pairs, deadline)
    # To build a program takes about as long as this.
    return None if small is None or deadline.left < time.perf_counter() - start else small


def useful_pairs(coverage: Coverage, eligible: BoolArray, deadline: Deadline = NEVER) -> BoolArray:
    """Tell which (group, tag) pairs are worth considering for WCCM and BCCM; some best selection uses no others.

    Left out are pairs in which the tag covers nothing of the group (dropping such a tag never costs), and dominated
    ones (`undominated`). Past the deadline, pairs that were not compared yet are kept.

    Examples
    --------
    Tag 1 covers less of the group than tag 0 and one normal more:

    >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> useful_pairs(cov, cov.eligible(0.0)).tolist()
    [[True, False]]
    """
    result = eligible & (coverage.group_counts > 0)
    for k, words in enumerate(coverage.slices):
        if deadline.passed:
            break
        tags = np.flatnonzero(result[k])
        bits = coverage.outlier_bits[tags]
        foreign = np.delete(bits, np.r_[words], axis=1)
        result[k, tags] = undominated(bits[:, words], foreign, coverage.normal_bits[tags], deadline)
    return result


def undominated(own: Words, foreign: Words, normals: Words, deadline: Deadline = NEVER) -> BoolArray:
    """Tell which tags (rows of bits) no other one dominates; of equal tags the first stays.

    Tag i dominates j for a group if it covers at least j's outliers of it, at most j's normals and at most j's
    outliers of other groups. Why j is then dispensable: if i describes no group, put it in j's place; if it describes
    this one, drop j; if it describes another, all of i's outliers of the group are lost, j's among them: drop j. No
    step covers another normal, loses another outlier or lengthens a description.

    Note that "its normals cost more than its outliers are worth" is *not* a reason to drop a tag here: normals count
    once over the union, and another tag may cover them anyway.

    Parameters
    ----------
    own, foreign, normals : packed bits by tags: outliers of the group, those of other groups, and normal rows.
    deadline : past it, tags that were not compared yet are kept.

    Examples
    --------
    Tag 1 covers less of the group than tag 0 and one normal more:

    >>> bits = [np.array([[one], [other]], dtype=np.uint64) for one, other in ((0b11, 0b10), (0, 0), (0b0, 0b1))]
    >>> undominated(*bits).tolist()
    [True, False]
    """
    n_own, n_foreign, n_normals = count_bits(own), count_bits(foreign), count_bits(normals)
    # In this order a tag comes after all that dominate it; what dominates a tag dominates all that this one does.
    order = np.lexsort((np.arange(len(own)), n_foreign, n_normals, -n_own))
    keep = np.ones(len(own), dtype=bool)
    kept, place = order[:0], 0
    while place < len(order) and not deadline.passed:
        # As many as make so many pairs with those that were kept and with one another.
        size = (np.sqrt(len(kept) ** 2 + 4 * PAIRS_COMPARED) - len(kept)) / 2
        block = order[place : place + max(int(size), 1)]
        place += len(block)
        rivals = np.r_[kept, block]
        earlier = np.arange(len(rivals)) < len(kept) + np.arange(len(block))[:, None]
        cheaper = (n_normals[rivals] <= n_normals[block, None]) & (n_foreign[rivals] <= n_foreign[block, None])
        at, rival = np.nonzero(earlier & cheaper)
        tag, rival = block[at], rivals[rival]
        tag, rival = _contained(own, tag, rival)
        rival, tag = _contained(foreign, rival, tag)
        rival, tag = _contained(normals, rival, tag)
        keep[tag] = False
        kept = np.r_[kept, block[keep[block]]]
    return keep


def _contained(bits: Words, inner: IndexArray, outer: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Keep the pairs of tags in which all bits of the first are bits of the second."""
    for words in (bits[:, :FIRST_WORDS], bits[:, FIRST_WORDS:]):
        size = max(WORDS_COMPARED // max(words.shape[1], 1), 1)
        parts = [slice(start, start + size) for start in range(0, len(inner), size)]
        within = [~(words[inner[part]] & ~words[outer[part]]).any(axis=1) for part in parts]
        which = np.concatenate([np.zeros(0, dtype=bool), *within])
        inner, outer = inner[which], outer[which]
    return inner, outer


def merge_rows(coverage: Coverage, pairs: BoolArray, deadline: Deadline = NEVER) -> Reduced | None:
    """Keep the tags that some pair uses and merge the rows that have the same of them; None past the deadline.

    Merging is exact: rows (of one group, or normals) with the same tags are covered, and lost, together. Normals
    without a tag, and outliers that are lost anyway, do not matter.
    """
    tags = np.flatnonzero(pairs.any(axis=0))
    kept = pairs[:, tags]
    found = _distinct_rows(coverage.normal_bits, tags, len(coverage.normal_rows), coverage.normal_row_counts, deadline)
    if found is None:
        return None
    normals, normal_counts = found
    covered = normals.any(axis=1)
    outliers, counts, uncoverable = [np.zeros((0, len(tags)), dtype=bool)], [np.zeros(0)], np.zeros(coverage.n_groups)
    for k, words in enumerate(coverage.slices):
        row_counts = None if coverage.group_row_counts is None else coverage.group_row_counts[k]
        bits, n_rows = coverage.outlier_bits[:, words], int(coverage.group_table_rows[k])
        found = _distinct_rows(bits, tags, n_rows, row_counts, deadline)
        if found is None:
            return None
        distinct, count = found
        reachable = (distinct & kept[k]).any(axis=1)
        uncoverable[k] = count[~reachable].sum()
        outliers.append(distinct[reachable])
        counts.append(count[reachable])
    group = np.repeat(np.arange(coverage.n_groups), [len(one) for one in outliers[1:]])
    rows = np.concatenate(outliers), np.concatenate(counts), group
    return Reduced(tags, kept, normals[covered], normal_counts[covered], *rows, uncoverable)


def without_normals(coverage: Coverage) -> Coverage:
    """Leave out the normals, for problems in which they do not count."""
    row_counts = None if coverage.normal_row_counts is None else coverage.normal_row_counts[:0]
    bits, rows = coverage.normal_bits[:, :0], coverage.normal_rows[:0]
    return replace(coverage, normal_bits=bits, normal_rows=rows, normal_row_counts=row_counts)


def _distinct_rows(
    bits: Words, tags: IndexArray, n_rows: int, row_counts: IntArray | None, deadline: Deadline
) -> tuple[BoolArray, FloatArray] | None:
    """Distinct rows by tags, and how many rows each stands for; None past the deadline."""
    packed = np.zeros((n_rows, -(-len(tags) // 8)), dtype=np.uint8)  # by rows
    for word in range(0, bits.shape[1], WORDS_UNPACKED):
        if deadline.passed:
            return None
        part = slice(64 * word, min(64 * (word + WORDS_UNPACKED), n_rows))
        block = unpack(bits[tags, word : word + WORDS_UNPACKED], part.stop - part.start)
        packed[part] = np.packbits(block.T, axis=1)
    first, which = unique_rows(packed)
    distinct = np.unpackbits(packed[first], axis=1, count=len(tags)).view(np.bool_).reshape(len(first), len(tags))
    return distinct, np.bincount(which, weights=row_counts, minlength=len(first)).astype(np.float64)

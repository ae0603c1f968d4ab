"""Exact reductions: what can be left out or merged without changing the best value of a cover problem."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, count_bits, unique_rows, unpack
from pyod_explain.coverage import Coverage
from pyod_explain.solvers.deadline import NEVER, Deadline

__all__ = ["Compact", "compact", "inclusion_minimal", "reduced", "useful_pairs", "without_normals"]

WORDS = 64  # of bits that are unpacked at once


def useful_pairs(coverage: Coverage, eligible: NDArray[np.bool_], deadline: Deadline = NEVER) -> NDArray[np.bool_]:
    """Tell which (group, tag) pairs are worth considering for WCCM and BCCM; some best choice uses no others.

    Left out are pairs in which the tag covers nothing of the group (dropping such a tag never costs), and dominated
    ones. Tag i dominates j for group k if it covers at least j's outliers of k, at most j's normals and at most
    j's outliers of other groups. Why j is then dispensable: if i describes no group, put it in j's place; if it
    describes k, drop j; if it describes another group, all of i's outliers of k are lost, j's among them: drop j.
    No step covers another normal, loses another outlier or lengthens a description.

    Note that "its normals cost more than its outliers are worth" is *not* a reason to drop a tag here: normals count
    once over the union, and another tag may have paid for them already.

    Past the deadline, pairs that were not looked at yet are kept.

    Examples
    --------
    Tag 1 covers less of the group than tag 0 and one normal more:

    >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> useful_pairs(cov, cov.eligible(0.0)).tolist()
    [[True, False]]
    """
    keep = [_undominated(coverage, eligible[k], k, deadline) for k in range(coverage.n_groups)]
    return np.array(keep, dtype=bool).reshape(coverage.n_groups, coverage.n_tags)


def _undominated(cov: Coverage, eligible: NDArray[np.bool_], group: int, deadline: Deadline) -> NDArray[np.bool_]:
    own = cov.outlier_bits[:, cov.slices[group]]
    foreign = np.delete(cov.outlier_bits, np.r_[cov.slices[group]], axis=1)
    n_own, n_foreign, n_normal = count_bits(own), count_bits(foreign), cov.normal_counts
    tags = np.flatnonzero(eligible & (n_own > 0))
    # In this order a tag comes after all that dominate it; among equals the lowest index stays.
    order = tags[np.lexsort((tags, n_foreign[tags], n_normal[tags], -n_own[tags]))]
    kept = np.empty(len(order), dtype=np.intp)
    n_kept = 0
    for place, j in enumerate(order):
        if deadline.passed:
            rest = order[place:]
            kept[n_kept : n_kept + len(rest)] = rest
            n_kept += len(rest)
            break
        rivals = kept[:n_kept]
        rivals = rivals[(n_normal[rivals] <= n_normal[j]) & (n_foreign[rivals] <= n_foreign[j])]  # cheap, so first
        rivals = rivals[~_exceeds(own[j], own[rivals])]
        rivals = rivals[~_exceeds(foreign[rivals], foreign[j])]
        if not (~_exceeds(cov.normal_bits[rivals], cov.normal_bits[j])).any():
            kept[n_kept] = j
            n_kept += 1
    mask = np.zeros(cov.n_tags, dtype=bool)
    mask[kept[:n_kept]] = True
    return mask


def _exceeds(words: Words, limit: Words) -> NDArray[np.bool_]:
    """Tell which rows have a bit that the limit has not."""
    return np.asarray((words & ~limit).any(axis=-1))


@dataclass(frozen=True, eq=False)
class Compact:
    """A cover problem with identical rows merged; some of its tags are left out.

    Attributes
    ----------
    tags : index in the coverage of each tag that is left.
    pairs : groups by tags; which tag may describe which group.
    normals, normal_mass : distinct rows of normals (by tags), none of them empty, and their weight.
    outliers, outlier_mass, outlier_group : distinct rows of outliers of each group, their weight, their group. Only
        those that a tag of their own group can cover; `hopeless` is the weight of the others, by group.
    """

    tags: NDArray[np.intp]
    pairs: NDArray[np.bool_]
    normals: NDArray[np.bool_]
    normal_mass: NDArray[np.float64]
    outliers: NDArray[np.bool_]
    outlier_mass: NDArray[np.float64]
    outlier_group: NDArray[np.intp]
    hopeless: NDArray[np.float64]

    @property
    def n_groups(self) -> int:
        return len(self.pairs)


def reduced(coverage: Coverage, eligible: NDArray[np.bool_], deadline: Deadline) -> Compact | None:
    """Reduce a problem to its useful pairs and distinct rows; None where that leaves no time for anything else."""
    pairs = useful_pairs(coverage, eligible, deadline)
    if deadline.passed:
        return None
    start = time.perf_counter()
    small = compact(coverage, pairs)
    # Whatever comes next goes through the same rows once or twice before it first looks at the clock.
    return small if deadline.left > 2 * (time.perf_counter() - start) else None


def compact(coverage: Coverage, pairs: NDArray[np.bool_]) -> Compact:
    """Keep the tags that some pair uses and merge the rows that these do not tell apart.

    Merging is exact: rows (of one group, or normals) with the same tags are covered, and lost, together. Rows of no
    weight, normals without a tag and the foreign cover of outliers that are lost anyway cannot matter.
    """
    tags = np.flatnonzero(pairs.any(axis=0))
    kept = pairs[:, tags]
    normals, mass = _merge(_by_rows(coverage.normal_bits, tags, coverage.n_normals), len(tags), coverage.normal_weights)
    matters = normals.any(axis=1) & (mass > 0)
    outliers, outlier_mass, outlier_group = [np.zeros((0, len(tags)), dtype=bool)], [np.zeros(0)], []
    hopeless = np.zeros(coverage.n_groups)
    for k, words in enumerate(coverage.slices):
        rows = _by_rows(coverage.outlier_bits[:, words], tags, int(coverage.group_sizes[k]))
        weights = None if coverage.group_weights is None else coverage.group_weights[k]
        distinct, weight = _merge(rows, len(tags), weights)
        reachable = (distinct & kept[k]).any(axis=1)
        hopeless[k] = weight[~reachable].sum()
        reachable &= weight > 0
        outliers.append(distinct[reachable])
        outlier_mass.append(weight[reachable])
        outlier_group.extend([k] * int(reachable.sum()))
    return Compact(
        tags=tags,
        pairs=kept,
        normals=normals[matters],
        normal_mass=mass[matters],
        outliers=np.concatenate(outliers),
        outlier_mass=np.concatenate(outlier_mass),
        outlier_group=np.array(outlier_group, dtype=np.intp),
        hopeless=hopeless,
    )


def without_normals(coverage: Coverage) -> Coverage:
    """Leave out the normals, where they play no part."""
    weights = coverage.normal_weights
    return replace(
        coverage,
        normal_bits=coverage.normal_bits[:, :0],
        normal_rows=coverage.normal_rows[:0],
        normal_weights=None if weights is None else weights[:0],
    )


def _by_rows(bits: Words, tags: NDArray[np.intp], n_rows: int) -> NDArray[np.uint8]:
    """Turn bits by tags into packed bits by rows, some words at a time: unpacked they take eight times the memory."""
    packed = np.zeros((n_rows, -(-len(tags) // 8)), dtype=np.uint8)
    for word in range(0, bits.shape[1], WORDS):
        part = slice(64 * word, min(64 * (word + WORDS), n_rows))
        packed[part] = np.packbits(unpack(bits[tags, word : word + WORDS], part.stop - part.start).T, axis=1)
    return packed


def _merge(
    packed: NDArray[np.uint8], n_tags: int, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Distinct rows, and the weight (or number) of the rows that each stands for."""
    if packed.size == 0:  # without tags all rows are alike
        total = float(len(packed)) if weights is None else float(weights.sum())
        return np.zeros((min(len(packed), 1), n_tags), dtype=bool), np.array([total])[: len(packed)]
    first, inverse = unique_rows(packed)
    distinct = np.unpackbits(packed[first], axis=1, count=n_tags).view(np.bool_)
    return distinct, np.bincount(inverse, weights=weights).astype(np.float64)


def inclusion_minimal(sets: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Indices of the sets (rows) that contain no other one; of equal sets the first.

    >>> inclusion_minimal(np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)).tolist()
    [1, 2]
    """
    packed = np.packbits(sets, axis=1)
    kept: list[int] = []
    for j in np.argsort(sets.sum(axis=1), kind="stable"):
        if not kept or (packed[kept] & ~packed[j]).any(axis=1).all():
            kept.append(int(j))
    return np.array(sorted(kept), dtype=np.intp)

"""Exact reductions: what can be left out or merged without changing the best value of a cover problem."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, unique_rows, unpack
from pyod_explain.coverage import Coverage
from pyod_explain.solvers.deadline import NEVER, Deadline, OutOfTimeError
from pyod_explain.solvers.dominance import undominated
from pyod_explain.solvers.limits import LIMITS, Limits

__all__ = ["Reduced", "merged", "reduced", "reduced_in_time", "useful_pairs", "without_normals"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

WORDS = 64  # of bits that are unpacked at once


def useful_pairs(coverage: Coverage, eligible: Flags, deadline: Deadline = NEVER, limits: Limits = LIMITS) -> Flags:
    """Tell which (group, tag) pairs are worth considering for WCCM and BCCM; some best choice uses no others.

    Left out are pairs in which the tag covers nothing of the group (dropping such a tag never costs), and dominated
    ones (`dominance`). Past the deadline, pairs that were not looked at yet are kept.

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
        result[k, tags] = undominated(
            bits[:, words],
            np.delete(bits, np.r_[words], axis=1),
            coverage.normal_bits[tags],
            n_normals=coverage.normal_counts[tags],
            deadline=deadline,
            limits=limits,
        )
    return result


@dataclass(frozen=True, eq=False)
class Reduced:
    """A cover problem with identical rows merged; some of its tags are left out. Made once, and passed on.

    It depends on the rows and on which tag may describe which group, not on weights (λ) or budgets.

    Attributes
    ----------
    tags : index in the coverage of each tag that is left.
    pairs : groups by tags; which tag may describe which group.
    normals, normal_mass : distinct rows of normals (by tags), none of them empty, and their weight.
    outliers, outlier_mass, outlier_group : distinct rows of outliers of each group, their weight, their group. Only
        those that a tag of their own group can cover; `hopeless` is the weight of the others, by group.
    """

    tags: NDArray[np.intp]
    pairs: Flags
    normals: Flags
    normal_mass: Floats
    outliers: Flags
    outlier_mass: Floats
    outlier_group: NDArray[np.intp]
    hopeless: Floats

    @property
    def n_groups(self) -> int:
        return len(self.pairs)

    @property
    def group_mass(self) -> Floats:
        """Weight of the outliers of each group."""
        mass = np.bincount(self.outlier_group, weights=self.outlier_mass, minlength=self.n_groups)
        return np.asarray(mass, dtype=np.float64)

    @property
    def picks(self) -> Flags:
        """Outliers by tags: which tag may cover which outlier for its own group."""
        return np.asarray(self.outliers & self.pairs[self.outlier_group])

    def used(self, taken: Flags) -> Flags:
        """Tell, groups by tags, which of the pairs are taken, given for each of `pairs` in its order."""
        result = np.zeros_like(self.pairs)
        result[self.pairs] = taken
        return result

    def selection(self, taken: Flags) -> list[list[int]]:
        """Name, group by group, the tags of the pairs that are taken, as the coverage does."""
        return [self.tags[chosen].tolist() for chosen in self.used(taken)]


def reduced(coverage: Coverage, eligible: Flags) -> Reduced:
    """Reduce a problem to its useful pairs and distinct rows."""
    return merged(coverage, useful_pairs(coverage, eligible))


def reduced_in_time(coverage: Coverage, eligible: Flags, deadline: Deadline, limits: Limits = LIMITS) -> Reduced | None:
    """Reduce a problem likewise; None where that leaves no time for anything else."""
    pairs = useful_pairs(coverage, eligible, deadline, limits)
    if deadline.passed:
        return None
    start = time.perf_counter()
    try:
        small = merged(coverage, pairs, deadline)
    except OutOfTimeError:
        return None
    # Whatever comes next goes through the same rows once or twice before it first looks at the clock.
    return small if deadline.left > 2 * (time.perf_counter() - start) else None


def merged(coverage: Coverage, pairs: Flags, deadline: Deadline = NEVER) -> Reduced:
    """Keep the tags that some pair uses and merge the rows that these do not tell apart.

    Merging is exact: rows (of one group, or normals) with the same tags are covered, and lost, together. Rows of no
    weight, normals without a tag and the foreign cover of outliers that are lost anyway cannot matter.
    """
    tags = np.flatnonzero(pairs.any(axis=0))
    kept = pairs[:, tags]
    rows = _by_rows(coverage.normal_bits, tags, len(coverage.normal_rows), deadline)
    deadline.check()
    normals, mass = _merge(rows, len(tags), coverage.line_mass(None))
    matters = normals.any(axis=1) & (mass > 0)
    outliers, outlier_mass, outlier_group = [np.zeros((0, len(tags)), dtype=bool)], [np.zeros(0)], []
    hopeless = np.zeros(coverage.n_groups)
    for k in range(coverage.n_groups):
        distinct, weight = _distinct_outliers(coverage, tags, k, deadline)
        reachable = (distinct & kept[k]).any(axis=1)
        hopeless[k] = weight[~reachable].sum()
        reachable &= weight > 0
        outliers.append(distinct[reachable])
        outlier_mass.append(weight[reachable])
        outlier_group.extend([k] * int(reachable.sum()))
    return Reduced(
        tags=tags,
        pairs=kept,
        normals=normals[matters],
        normal_mass=mass[matters],
        outliers=np.concatenate(outliers),
        outlier_mass=np.concatenate(outlier_mass),
        outlier_group=np.array(outlier_group, dtype=np.intp),
        hopeless=hopeless,
    )


def _distinct_outliers(
    coverage: Coverage, tags: NDArray[np.intp], group: int, deadline: Deadline
) -> tuple[Flags, Floats]:
    """Distinct outliers of a group, and the weight of each."""
    bits = coverage.outlier_bits[:, coverage.slices[group]]
    rows = _by_rows(bits, tags, int(coverage.group_lines[group]), deadline)
    return _merge(rows, len(tags), coverage.line_mass(group))


def without_normals(coverage: Coverage) -> Coverage:
    """Leave out the normals, where they play no part."""
    weights, copies = coverage.normal_weights, coverage.normal_copies
    return replace(
        coverage,
        normal_bits=coverage.normal_bits[:, :0],
        normal_rows=coverage.normal_rows[:0],
        normal_weights=None if weights is None else weights[:0],
        normal_copies=None if copies is None else copies[:0],
    )


def _by_rows(bits: Words, tags: NDArray[np.intp], n_rows: int, deadline: Deadline) -> NDArray[np.uint8]:
    """Turn bits by tags into packed bits by rows, some words at a time: unpacked they take eight times the memory."""
    packed = np.zeros((n_rows, -(-len(tags) // 8)), dtype=np.uint8)
    for word in range(0, bits.shape[1], WORDS):
        deadline.check()
        part = slice(64 * word, min(64 * (word + WORDS), n_rows))
        packed[part] = np.packbits(unpack(bits[tags, word : word + WORDS], part.stop - part.start).T, axis=1)
    return packed


def _merge(packed: NDArray[np.uint8], n_tags: int, weights: Floats | None) -> tuple[Flags, Floats]:
    """Distinct rows, and the weight (or number) of the rows that each stands for."""
    if packed.size == 0:  # without tags all rows are alike
        total = float(len(packed)) if weights is None else float(weights.sum())
        return np.zeros((min(len(packed), 1), n_tags), dtype=bool), np.array([total])[: len(packed)]
    first, inverse = unique_rows(packed)
    distinct = np.unpackbits(packed[first], axis=1, count=n_tags).view(np.bool_)
    return distinct, np.bincount(inverse, weights=weights).astype(np.float64)

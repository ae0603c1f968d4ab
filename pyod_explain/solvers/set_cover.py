"""Fewest tags that cover whole groups: the set cover programs behind PDM and DTDM."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import unpack
from pyod_explain.coverage import Coverage
from pyod_explain.solvers.deadline import Deadline
from pyod_explain.solvers.milp import Program
from pyod_explain.solvers.reduce import merged, without_normals

__all__ = ["Covered", "fewest_tags", "greedy_cover", "uncovered_rows"]


@dataclass(frozen=True)
class Covered:
    """The cover with the fewest tags found (None: none found), and a proved lower bound of their number.

    The bound is infinite if it is proved that there is no cover.
    """

    tags: list[list[int]] | None
    bound: float


def uncovered_rows(coverage: Coverage, pairs: NDArray[np.bool_], group: int) -> NDArray[np.intp]:
    """Positions of a group's outliers that no tag of the pairs covers."""
    words = coverage.outliers_with(np.flatnonzero(pairs[group]).tolist())
    return np.sort(coverage.group_rows[group][~coverage.outlier_mask(words, group)])


def greedy_cover(coverage: Coverage, pairs: NDArray[np.bool_]) -> list[list[int]] | None:
    """Take the tag that covers most uncovered outliers of a group, again and again; None if outliers are left.

    Ties go to the lowest tag, then to the lowest group. A tag describes one group, so a tag that two groups need may
    be gone when its turn comes: None does not mean that there is no cover.
    """
    masks = [_members(coverage, k) for k in range(coverage.n_groups)]
    left = [np.ones(mask.shape[1], dtype=bool) for mask in masks]
    free = pairs.copy()
    chosen: list[list[int]] = [[] for _ in masks]
    gain = np.array([mask.sum(axis=1) for mask in masks]).reshape(pairs.shape)
    while any(rest.any() for rest in left):
        worth = np.where(free, gain, 0)
        if worth.max(initial=0) == 0:
            return None
        tag, group = (int(i) for i in np.unravel_index(worth.T.argmax(), worth.T.shape))
        chosen[group].append(tag)
        free[:, tag] = False
        left[group] &= ~masks[group][tag]
        gain[group] = masks[group][:, left[group]].sum(axis=1)
    return chosen


def _members(coverage: Coverage, group: int) -> NDArray[np.bool_]:
    return unpack(coverage.outlier_bits[:, coverage.slices[group]], int(coverage.group_sizes[group]))


def fewest_tags(
    coverage: Coverage, pairs: NDArray[np.bool_], start: list[list[int]] | None, deadline: Deadline
) -> Covered:
    """Cover every outlier by a tag of its own group with as few tags as possible, each tag for one group."""
    # At least one tag for each group that is not empty.
    floor = float((coverage.group_sizes > 0).sum())
    if deadline.passed:
        return Covered(start, floor)
    small = merged(replace(without_normals(coverage), normal_weights=None, group_weights=None), pairs)
    if small.hopeless.any():
        return Covered(None, np.inf)
    group, n_groups = small.outlier_group, small.n_groups
    pair_group, pair_tag = np.nonzero(small.pairs)
    if len(group) == 0:
        return Covered([[] for _ in range(n_groups)], 0.0)
    program = Program()
    columns = program.columns("tag describes group", len(pair_tag), cost=1.0, whole=True)
    covered = small.outliers[:, pair_tag] & (group[:, None] == pair_group[None, :])
    outlier, pair = np.nonzero(covered)
    program.add(len(group), -1.0, (outlier, columns[pair], -1.0))
    program.add(len(small.tags), 1.0, (pair_tag, columns, 1.0))
    answer = program.solve(deadline.left)
    if answer.infeasible:
        return Covered(None, np.inf)
    tags = start
    if answer.x is not None:
        taken = answer.x > 0.5
        found = [[int(small.tags[t]) for t in pair_tag[taken & (pair_group == k)]] for k in range(n_groups)]
        # HiGHS counts a tag as taken up to a tolerance, so that what it covers is counted here.
        whole = bool((covered[:, taken].any(axis=1)).all())
        if whole and (tags is None or sum(map(len, found)) < sum(map(len, tags))):
            tags = found
    # A number of tags is whole.
    return Covered(tags, floor if answer.bound is None else max(floor, float(np.ceil(answer.bound - 1e-6))))

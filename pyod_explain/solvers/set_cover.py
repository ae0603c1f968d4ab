"""Fewest tags that cover whole groups: the set cover programs behind PDM and DTDM."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage
from pyod_explain.solvers.deadline import NEVER, Deadline
from pyod_explain.solvers.gains import Gains
from pyod_explain.solvers.milp import Program, Untimed
from pyod_explain.solvers.reduce import merged, without_normals

__all__ = ["Covered", "fewest_tags", "greedy_cover", "uncovered_rows"]

UNTIMED = Untimed(each=6e-6)  # up to 5e-6 measured, at once with scipy 1.13, in the middle of the work with 1.17
MERGED = 1e-8  # seconds to merge rows, for each row and tag


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


def greedy_cover(coverage: Coverage, pairs: NDArray[np.bool_], deadline: Deadline = NEVER) -> list[list[int]] | None:
    """Take the tag that covers most uncovered outliers of a group, again and again; None if outliers are left.

    Ties go to the lowest tag, then to the lowest group. A tag describes one group, so a tag that two groups need may
    be gone when its turn comes: None does not mean that there is no cover. Past the deadline the rest is covered by
    tags that need not cover the most: a start for other searches, no longer the greedy cover.
    """
    gains = Gains(coverage, pairs)
    chosen: list[list[int]] = [[] for _ in range(coverage.n_groups)]
    while not gains.covered:
        if (best := gains.best(deadline)) is None:
            return None
        tag, group = best
        chosen[group].append(tag)
        gains.take(tag, group)
    return chosen


def fewest_tags(
    coverage: Coverage, pairs: NDArray[np.bool_], start: list[list[int]] | None, deadline: Deadline
) -> Covered:
    """Cover every outlier by a tag of its own group with as few tags as possible, each tag for one group."""
    # At least one tag for each group that is not empty.
    floor = float((coverage.group_sizes > 0).sum())
    if deadline.left <= MERGED * pairs.any(axis=0).sum() * coverage.group_lines.sum():
        return Covered(start, floor)
    small = merged(replace(without_normals(coverage), normal_weights=None, group_weights=None), pairs)
    if small.hopeless.any():
        return Covered(None, np.inf)
    group, n_groups = small.outlier_group, small.n_groups
    pair_group, pair_tag = np.nonzero(small.pairs)
    if len(group) == 0:
        return Covered([[] for _ in range(n_groups)], 0.0)
    counts = np.stack([np.count_nonzero(small.outliers[group == k], axis=0) for k in range(n_groups)])
    if not UNTIMED.leaves_time(int(counts[small.pairs].sum()) + len(pair_tag), deadline):
        return Covered(start, floor)
    program = Program(UNTIMED)
    columns = program.columns("tag describes group", len(pair_tag), cost=1.0, whole=True)
    column = np.full(small.pairs.shape, -1, dtype=np.intp)
    column[pair_group, pair_tag] = columns
    outlier, tag = np.nonzero(small.picks)
    program.add(len(group), -1.0, (outlier, column[group[outlier], tag], -1.0))
    program.add(len(small.tags), 1.0, (pair_tag, columns, 1.0))
    answer = program.solve(deadline)
    if answer.infeasible:
        return Covered(None, np.inf)
    tags = start
    if answer.x is not None:
        taken = answer.x > 0.5
        found = small.selection(taken)
        # HiGHS counts a tag as taken up to a tolerance, so that what it covers is counted here.
        whole = bool((small.outliers & small.used(taken)[group]).any(axis=1).all())
        if whole and (tags is None or sum(map(len, found)) < sum(map(len, tags))):
            tags = found
    # A number of tags is whole.
    return Covered(tags, floor if answer.bound is None else max(floor, float(np.ceil(answer.bound - 1e-6))))

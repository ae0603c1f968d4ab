"""Groups by reasons: one description of all outliers, whose rules then make the groups.

K-means looks for outliers that lie close together, whatever can be said of them. Here what can be said comes first:
all outliers are described as one, and each belongs to the rule that names it best.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage
from pyod_explain.explainers import Selection
from pyod_explain.input import Groups, Table
from pyod_explain.tags import Tag, TagSet

MIN_SHARED = 0.5  # a rule that shares more of its outliers with an earlier kind is no kind of its own


def split_by_reasons(
    table: Table, groups: Groups, tags: TagSet, coverage: Coverage, selection: Selection
) -> tuple[Groups, Coverage, Selection]:
    """Split a single group of outliers by the rules that describe it.

    Rules that share most of their outliers stand together. An outlier belongs to the purest of the rules that cover
    it; one that no rule covers to the rule of which it misses the fewest conditions. Kinds are numbered by size.

    Parameters
    ----------
    table, groups, tags, coverage, selection : what was found, of one group.

    Returns
    -------
    The groups; the coverage and the selection with the outliers split and the rules dealt out accordingly.
    """
    chosen = list(selection.tags[0])
    covers = np.array([coverage.outlier_mask(coverage.outlier_bits[j], 0) for j in chosen])
    if len(chosen) < 2 or not covers.any():
        return replace(groups, how="one reason" if len(chosen) == 1 else groups.how, made=True), coverage, selection
    row_counts = (
        np.ones(covers.shape[1], dtype=np.int64) if coverage.group_row_counts is None else coverage.group_row_counts[0]
    )
    kinds = _kinds(covers, row_counts)
    best = _purest(covers, coverage, chosen)
    home = np.where(covers.any(axis=0), kinds[best], -1)
    kinds = _without_empty(kinds, home, covers, row_counts)
    explained, left = [int(row_counts[home == kind].sum()) for kind in range(len(chosen))], np.flatnonzero(home < 0)
    home[left] = kinds[_nearest(table, [tags.tags[j] for j in chosen], coverage.group_rows[0][left])]
    numbers, order = _numbered(home, explained, coverage.group_rows[0], groups)
    dealt = tuple(tuple(j for j, kind in zip(chosen, kinds, strict=True) if kind == one) for one in order)
    how = f"by reasons; all outliers are described as one, by {len(chosen):,} rules, and these make the groups"
    found = replace(groups, numbers=numbers, names=tuple(str(i + 1) for i in range(len(order))), how=how, made=True)
    return found, coverage.regroup(numbers), replace(selection, tags=dealt)


def _kinds(covers: NDArray[np.bool_], row_counts: NDArray[np.int64]) -> NDArray[np.intp]:
    """Give each rule its kind: that of earlier rules with which it shares most of its outliers, or one of its own.

    The widest rules come first, so that no chain of small overlaps joins what has nothing in common.
    """
    kinds = np.full(len(covers), -1, dtype=np.intp)
    unions: list[NDArray[np.bool_]] = []
    sizes = covers @ row_counts
    for i in np.argsort(-sizes, kind="stable").tolist():
        shared = [int((covers[i] & union) @ row_counts) for union in unions]
        most = int(np.argmax(shared)) if shared else -1
        if most >= 0 and shared[most] > MIN_SHARED * sizes[i]:
            unions[most] = unions[most] | covers[i]
            kinds[i] = most
        else:
            kinds[i] = len(unions)
            unions.append(covers[i])
    return kinds


def _purest(covers: NDArray[np.bool_], coverage: Coverage, chosen: list[int]) -> NDArray[np.intp]:
    """Give for each outlier the rule of highest precision that covers it; of equals the one that covers more."""
    inside, normal = coverage.group_counts[0, chosen], coverage.normal_counts[chosen]
    precision = inside / np.maximum(inside + normal, 1)
    order = np.lexsort((-inside, -precision))
    return np.asarray(order[np.argmax(covers[order], axis=0)])


def _without_empty(
    kinds: NDArray[np.intp], home: NDArray[np.intp], covers: NDArray[np.bool_], row_counts: NDArray[np.int64]
) -> NDArray[np.intp]:
    """Put rules of a kind that no outlier belongs to with the kind that has most of their outliers.

    A rule that covers none (of an explainer of the user's own) is with the largest.
    """
    result = kinds.copy()
    for kind in np.unique(kinds):
        if not (home == kind).any():
            theirs = covers[kinds == kind].any(axis=0)
            theirs = theirs if theirs.any() else home >= 0
            result[kinds == kind] = np.bincount(home[theirs], row_counts[theirs], minlength=1).argmax()
    return result


def _nearest(table: Table, rules: list[Tag], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give for each row the rule of which it misses the smallest share of the conditions; of equals the first."""
    missed = np.array(
        [
            np.mean([~condition.holds(table[condition.column])[rows] for condition in rule.sorted], axis=0)
            for rule in rules
        ]
    )
    return np.asarray(np.argmin(missed.reshape(len(rules), len(rows)), axis=0))


def _numbered(
    home: NDArray[np.intp], explained: list[int], rows: NDArray[np.intp], groups: Groups
) -> tuple[NDArray[np.int64], list[int]]:
    """Number the kinds by how many their rules explain, ties in the order of the rules, for the rows of the table.

    Not by size: what no rule names, and is put with the nearest, is to make no kind the largest.
    """
    there = np.bincount(home, minlength=len(explained))
    order = [int(kind) for kind in np.argsort(np.negative(explained), kind="stable") if there[kind]]
    place = np.zeros(len(explained), dtype=np.int64)
    place[order] = np.arange(1, len(order) + 1)
    numbers = np.where(groups.numbers > 0, 0, groups.numbers)
    numbers[rows] = place[home]
    return numbers, order

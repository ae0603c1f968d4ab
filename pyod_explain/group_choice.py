"""How many groups? As many as are told in the fewest bits, unless that makes it longer to tell who is an outlier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln

from pyod_explain.coverage import Coverage
from pyod_explain.description_length import mdl_empty, named_bits, set_bits
from pyod_explain.draws import draw
from pyod_explain.groups import Groups, all_together, kmeans, main_directions, number_by_size
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.row_order import by_content
from pyod_explain.input.table import Table
from pyod_explain.solvers.description_search import quick_search
from pyod_explain.tags import Language, TagSet
from pyod_explain.tags.tagset import clashing_column, join_tags

__all__ = ["choose_groups"]

MOST_GROUPS = 8
SMALLEST = 5  # outliers in a group
ENOUGH = 0.05  # of the empty description: more groups must save at least that much (any split can be described somehow)
LONGER = 0.02  # of the bits that name all outliers: so much longer a split may make it to tell who is one
SAMPLE_NORMALS, SAMPLE_OUTLIERS = 5_000, 1_000  # rows that the number of groups is chosen on


def choose_groups(
    table: Table,
    outliers: Outliers,
    make: Callable[[Table, Groups], TagSet],
    *,
    min_lift: float = 1.0,
    random_state: int = 0,
) -> Groups:
    """Split the outliers by k-means into the number of groups that takes the fewest net bits.

    Net bits are the bits of the shortest description (MDL) less the logarithm of the number of ways to split the
    outliers into groups of those sizes: who is told the groups learns the split as well, so only net bits compare
    across numbers of groups. Of two numbers that differ little the smaller is taken. Any column that k-means happened
    to cut by describes the cut, whatever the rows are; so a split counts only if all rules together tell which rows
    are outliers in about as few bits as those of a single group do, and in fewer than naming them takes (`bits`, see
    `set_bits`).

    Parameters
    ----------
    table, outliers : what to split; large tables are sampled for this choice.
    make : makes tags for a table and groups.
    min_lift : as for the explainer.
    random_state : seed of k-means and of the sample.
    """
    members = by_content(table, outliers.rows)
    splits = _splits(main_directions(table, members), members, outliers, random_state)
    if len(splits) == 1:
        return splits[1]
    rows, copies = _sample(table, outliers, random_state)
    small = replace(table.take(rows), copies=copies)
    finest, whole = (make(small, _on(splits[n], rows)) for n in (max(splits), 1))
    tags = _together(finest, whole)
    own = set(tags.tags if tags is finest else whole.tags)
    alone = np.array([tag in own for tag in tags.tags], dtype=bool)
    small = tags.extend(small)
    coverage = Coverage.from_tags(small, tags.tags, _on(splits[1], rows), n_items=tags.n_items)
    language = Language(small)
    curve = pd.DataFrame(
        [
            _bits(n, coverage.regroup(_on(groups, rows).numbers), tags, alone if n == 1 else None, min_lift, language)
            for n, groups in splits.items()
        ]
    ).set_index("groups")
    net = curve.loc[_no_longer(curve["bits"], named_bits(coverage)), "net"]
    enough = net.min() + ENOUGH * mdl_empty(coverage)
    best = int(net.index[net <= enough][0])
    how = f"k-means on the outliers; {best} of {min(splits)} to {max(splits)} groups by description length"
    return Groups(splits[best].numbers, splits[best].names, how, curve, made=True)


def _splits(
    points: NDArray[np.float64], rows: NDArray[np.intp], outliers: Outliers, random_state: int
) -> dict[int, Groups]:
    """Split into 1, 2, ... groups, leaving out splits with a group that is too small."""
    splits = {1: all_together(outliers)}
    copies = None if outliers.copies is None else outliers.copies[rows]
    for n_groups in range(2, min(MOST_GROUPS, outliers.n_outliers // SMALLEST) + 1):
        clusters = kmeans(points, n_groups, random_state, copies)
        if np.bincount(clusters, copies).min() >= SMALLEST and clusters.max() == n_groups - 1:
            splits[n_groups] = number_by_size(clusters, rows, outliers, "k-means on the outliers")
    return splits


def _sample(table: Table, outliers: Outliers, random_state: int) -> tuple[NDArray[np.intp], NDArray[np.int64] | None]:
    """Draw some rows where there are many; in a table that was aggregated, also how many of each row's copies."""
    rng = np.random.default_rng(random_state)
    if table.copies is not None:
        drawn = np.zeros(table.n_rows, dtype=np.int64)
        for number, most in ((0, SAMPLE_NORMALS), (1, SAMPLE_OUTLIERS)):
            lines = by_content(table, np.flatnonzero(outliers.labels == number))
            copies = table.copies[lines]
            drawn[lines] = copies if copies.sum() <= most else draw(copies, most, rng)
        rows = np.flatnonzero(drawn)
        return rows, drawn[rows]
    kept = []
    for rows, most in ((np.flatnonzero(outliers.labels == 0), SAMPLE_NORMALS), (outliers.rows, SAMPLE_OUTLIERS)):
        kept.append(rows if len(rows) <= most else rng.choice(by_content(table, rows), most, replace=False))
    return np.sort(np.concatenate(kept)), None


def _on(groups: Groups, rows: NDArray[np.intp]) -> Groups:
    return Groups(groups.numbers[rows], groups.names, groups.how)


def _together(*made: TagSet) -> TagSet:
    """Put the tags for the finest and for no split together: they serve the splits between.

    A maker may bring columns of its own. Where one of a name has other cells for another split, a tag about it means
    something else there, so those of the finest split serve alone.
    """
    if clashing_column(made) is not None:
        return made[0]
    return join_tags(made, max(one.n_items for one in made))


def _no_longer(bits: pd.Series[float], named: float) -> NDArray[np.bool_]:
    """Tell which splits are told about as shortly as one group is, and shorter than by naming all outliers."""
    plain = bits.to_numpy()
    return np.asarray((bits.index == 1) | ((plain < named) & (plain <= bits.loc[1] + LONGER * named)))


def _bits(
    n_groups: int,
    coverage: Coverage,
    tags: TagSet,
    among: NDArray[np.bool_] | None,
    min_lift: float,
    language: Language,
) -> dict[str, float]:
    """Describe a split in a hurry; among the tags that will be there if it is taken, where these are known."""
    chosen, mdl = quick_search(coverage, min_lift, among)
    sizes = coverage.group_sizes
    split = float((gammaln(sizes.sum() + 1) - gammaln(sizes + 1).sum()) / np.log(2))
    plain = set_bits(coverage, chosen, tags.tags, language)
    return {"groups": n_groups, "mdl": mdl, "split": split, "net": mdl - split, "bits": plain}

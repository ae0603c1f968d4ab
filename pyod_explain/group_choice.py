"""How many groups? As many as make the whole explanation shortest, the split itself being worth bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln

from pyod_explain.coverage import Coverage
from pyod_explain.description_length import mdl_empty
from pyod_explain.explainers.mdl import quick_mdl
from pyod_explain.groups import Groups, all_together, embed, kmeans, main_directions, number_by_size
from pyod_explain.outliers import Outliers
from pyod_explain.row_order import by_content
from pyod_explain.table import Table
from pyod_explain.tags import TagSet

__all__ = ["choose_groups"]

MOST_GROUPS = 8
SMALLEST = 5  # outliers in a group
ENOUGH = 0.05  # of the empty description: more groups must save at least that much (any split can be described somehow)
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
    across numbers of groups. Of two numbers that differ little the smaller is taken.

    Parameters
    ----------
    table, outliers : what to split; large tables are sampled for this choice.
    make : makes tags for a table and groups.
    min_lift : as for the explainer.
    random_state : seed of k-means and of the sample.
    """
    members = by_content(table, outliers.rows)
    splits = _splits(main_directions(embed(table, members)), members, outliers, random_state)
    if len(splits) == 1:
        return splits[1]
    rows = _sample(table, outliers, random_state)
    small = table.take(rows)
    tags = _tags_for(small, [_on(splits[max(splits)], rows), _on(splits[1], rows)], make)
    coverage = Coverage.from_tags(small, tags.tags, _on(splits[1], rows), n_items=tags.n_items)
    curve = pd.DataFrame(
        [_net_bits(n, coverage.regroup(_on(groups, rows).numbers), min_lift) for n, groups in splits.items()]
    ).set_index("groups")
    net = curve["net"]
    enough = net.min() + ENOUGH * mdl_empty(coverage)
    best = int(net.index[net <= enough][0])
    how = f"k-means on the outliers; {best} of {min(splits)} to {max(splits)} groups by description length"
    return Groups(splits[best].numbers, splits[best].names, how, curve)


def _splits(
    points: NDArray[np.float64], rows: NDArray[np.intp], outliers: Outliers, random_state: int
) -> dict[int, Groups]:
    """Split into 1, 2, ... groups, leaving out splits with a group that is too small."""
    splits = {1: all_together(outliers)}
    for n_groups in range(2, min(MOST_GROUPS, len(points) // SMALLEST) + 1):
        clusters = kmeans(points, n_groups, random_state)
        if np.bincount(clusters).min() >= SMALLEST and clusters.max() == n_groups - 1:
            splits[n_groups] = number_by_size(clusters, rows, outliers, "k-means on the outliers")
    return splits


def _sample(table: Table, outliers: Outliers, random_state: int) -> NDArray[np.intp]:
    rng = np.random.default_rng(random_state)
    kept = []
    for rows, most in ((np.flatnonzero(outliers.labels == 0), SAMPLE_NORMALS), (outliers.rows, SAMPLE_OUTLIERS)):
        kept.append(rows if len(rows) <= most else rng.choice(by_content(table, rows), most, replace=False))
    return np.sort(np.concatenate(kept))


def _on(groups: Groups, rows: NDArray[np.intp]) -> Groups:
    return Groups(groups.numbers[rows], groups.names, groups.how)


def _tags_for(table: Table, splits: list[Groups], make: Callable[[Table, Groups], TagSet]) -> TagSet:
    """Make tags for the finest and for no split; together they serve the splits between."""
    made = [make(table, groups) for groups in splits]
    tags = tuple(dict.fromkeys(tag for one in made for tag in one.tags))
    return TagSet(tags, max(one.n_items for one in made))


def _net_bits(n_groups: int, coverage: Coverage, min_lift: float) -> dict[str, float]:
    bits = quick_mdl(coverage, min_lift)
    sizes = coverage.group_sizes
    split = float((gammaln(sizes.sum() + 1) - gammaln(sizes + 1).sum()) / np.log(2))
    return {"groups": n_groups, "mdl": bits, "split": split, "net": bits - split}

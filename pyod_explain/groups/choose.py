"""How many groups? As many as let all rules together tell in the fewest bits which rows are outliers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.coverage import Coverage
from pyod_explain.description_length import named_bits, set_bits
from pyod_explain.groups.kmeans import kmeans, main_directions
from pyod_explain.groups.split import all_together, number_by_size
from pyod_explain.input import Groups, Outliers, Table, by_content, draw_rows, sample_rows
from pyod_explain.solvers import quick_search
from pyod_explain.tags import Language, TagSet, union_of_tags

__all__ = ["choose_groups"]

MAX_GROUPS = 8
MIN_GROUP_SIZE = 5  # outliers in a group
SAMPLE_NORMALS, SAMPLE_OUTLIERS = 5_000, 1_000  # rows that the number of groups is chosen on


def choose_groups(
    table: Table,
    outliers: Outliers,
    make: Callable[[Table, Groups], TagSet],
    *,
    min_lift: float = 1.0,
    random_state: int = 0,
) -> Groups:
    """Split the outliers by k-means into the number of groups that takes the fewest plain bits.

    Whatever the number, all rules of all groups are one description of *which rows are outliers*: the bits of the
    rules, and those of what their union gets wrong (`set_bits`). These bits compare, and a split gets no credit for
    being described: any column that k-means happened to cut by describes the cut. One group wins ties.

    Parameters
    ----------
    table, outliers : what to split; large tables are sampled for this choice.
    make : makes tags for a table and groups.
    min_lift : as for the explainer.
    random_state : seed of k-means and of the sample.
    """
    members = by_content(table, outliers.rows)
    splits = _splits(main_directions(table, members), members, outliers, table, random_state)
    if len(splits) == 1:
        return splits[1]
    rows, row_counts = _sample(table, outliers, random_state)
    small = replace(table.take(rows), row_counts=row_counts)
    tags = union_of_tags([make(small, _on(splits[n], rows)) for n in (max(splits), 1)])
    small = tags.extend(small)
    coverage = Coverage.from_tags(small, tags.tags, _on(splits[1], rows), n_items=tags.n_items)
    language = Language(small)
    bits = {
        n: _bits(coverage.regroup(_on(groups, rows).numbers), tags, min_lift, language) for n, groups in splits.items()
    }
    named = named_bits(coverage)
    best = min(bits, key=lambda n: (bits[n], n)) if min(bits.values()) < named else 1
    curve = pd.DataFrame({"bits": bits.values()}, index=pd.Index(bits, name="groups"))
    return Groups(splits[best].numbers, splits[best].names, _why(bits, best, named), curve, made=True)


def _why(bits: Mapping[int, float], best: int, named: float) -> str:
    """Say why there are so many groups."""
    how = f"k-means on the outliers, 1 to {max(bits)} groups compared by a quick search"  # the report's own goes on
    if bits[best] >= named:
        return f"{how}; with no number of groups do rules tell who is an outlier in fewer bits than naming all takes"
    other = min((n for n in bits if n != best), key=lambda n: (bits[n], n)) if best == 1 else 1
    bits_of = [f"{bits[n]:,.0f}" for n in (best, other)]
    last = bits_of[1] if bits_of[0] != bits_of[1] else "no fewer" if best == 1 else "hardly more"
    return f"{how}; the rules of {_n(best)} tell who is an outlier in {bits_of[0]} bits, those of {_n(other)} in {last}"


def _n(groups: int) -> str:
    return "one group" if groups == 1 else f"{groups} groups"


def _splits(
    points: NDArray[np.float64], rows: NDArray[np.intp], outliers: Outliers, table: Table, random_state: int
) -> dict[int, Groups]:
    """Split into 1, 2, ... groups, leaving out splits with a group that is too small."""
    splits = {1: all_together(outliers)}
    row_counts = table.counts_of(rows)
    for n_groups in range(2, min(MAX_GROUPS, outliers.n_outliers(table) // MIN_GROUP_SIZE) + 1):
        clusters = kmeans(points, n_groups, random_state, row_counts)
        if np.bincount(clusters, row_counts).min() >= MIN_GROUP_SIZE and clusters.max() == n_groups - 1:
            splits[n_groups] = number_by_size(clusters, rows, outliers, table, "k-means on the outliers")
    return splits


def _sample(table: Table, outliers: Outliers, random_state: int) -> tuple[NDArray[np.intp], NDArray[np.int64] | None]:
    """Draw some rows where there are many; in a table that was aggregated, also how many rows each stands for then."""
    normals, found = np.flatnonzero(outliers.labels == 0), outliers.rows
    if table.row_counts is None:
        kept = [sample_rows(table, normals, SAMPLE_NORMALS, random_state)]
        kept.append(sample_rows(table, found, SAMPLE_OUTLIERS, random_state))
        return np.sort(np.concatenate(kept)), None
    rng = np.random.default_rng(random_state)
    drawn = np.zeros(table.n_rows, dtype=np.int64)
    for lines, most in ((normals, SAMPLE_NORMALS), (found, SAMPLE_OUTLIERS)):
        ordered = by_content(table, lines)
        row_counts = table.row_counts[ordered]
        drawn[ordered] = row_counts if row_counts.sum() <= most else draw_rows(row_counts, most, rng)
    rows = np.flatnonzero(drawn)
    return rows, drawn[rows]


def _on(groups: Groups, rows: NDArray[np.intp]) -> Groups:
    return Groups(groups.numbers[rows], groups.names, groups.how)


def _bits(coverage: Coverage, tags: TagSet, min_lift: float, language: Language) -> float:
    """Describe a split in a hurry, and count the bits that tell who is an outlier."""
    return set_bits(coverage, quick_search(coverage, min_lift), tags.tags, language)

"""Groups of outliers: by k-means, by given labels, by any clusterer, or by the rules that describe all outliers.

K-means looks for outliers that lie close together, whatever describes them. `split_by_reasons` goes the other way:
all outliers are described as one group, and each belongs to the rule that describes it best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain._validate import check_int
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import named_bits, set_bits
from pyod_explain.exceptions import ParameterError
from pyod_explain.explainers import Selection
from pyod_explain.groups.kmeans import ask_clusterer, embed, kmeans, main_directions
from pyod_explain.input import Groups, Outliers, Table, by_content, draw_rows, one_per_row, sample_rows
from pyod_explain.solvers import quick_search
from pyod_explain.tags import Prices, TagSet, union_of_tags


def split_outliers(groups: Any, outliers: Outliers, table: Table, *, random_state: Any = 0) -> Groups:
    """Split the outliers into groups.

    Parameters
    ----------
    groups : number of groups for k-means; a label for each row (or for each outlier), as array, Series or
        name of a column; or a clusterer with `fit_predict`.
    outliers : which rows to split.
    table : their features: numbers are scaled, categories become 0/1 columns.
    random_state : seed of k-means.
    """
    default = groups is None or (isinstance(groups, str) and groups in ("auto", "reasons"))
    if outliers.numbers is not None and default:
        return number_by_name(outliers.numbers[outliers.rows], outliers, "given with the labels")
    if hasattr(groups, "fit_predict"):
        return _by_clusterer(groups, outliers, table)
    if isinstance(groups, str) and groups in table.columns:
        cells = pd.Series([table[groups].cell(row) for row in outliers.rows], dtype=object)
        return _by_labels(np.asarray(cells.infer_objects()), outliers)  # numbers and times have an order of their own
    if isinstance(groups, str):
        choices = "'reasons', 'kmeans', a number, labels, the name of a column of the table or a clusterer"
        raise ParameterError("groups", choices, got=groups)
    if isinstance(groups, Iterable) or hasattr(groups, "__array__"):
        return _from_labels(groups, outliers, table)
    return _by_kmeans(check_int("explain()", "groups", groups, low=1), outliers, table, random_state)


def _by_kmeans(n_groups: int, outliers: Outliers, table: Table, random_state: Any) -> Groups:
    n_outliers = outliers.n_outliers(table)
    if n_groups > n_outliers:
        got = f"{n_groups} groups for {n_outliers} outliers"
        raise ParameterError("groups", "at most the number of outliers", got_text=got)
    if n_groups == 1:
        return all_together(outliers)
    rows = by_content(table, outliers.rows)
    found = kmeans(main_directions(table, rows), n_groups, random_state, table.counts_of(rows))
    return number_by_size(found, rows, outliers, table, "k-means on the outliers")


def _by_clusterer(clusterer: Any, outliers: Outliers, table: Table) -> Groups:
    rows = outliers.rows
    found = ask_clusterer(clusterer, embed(table, rows))  # which gets the rows as they stand in the table
    order = np.searchsorted(rows, by_content(table, rows))
    return number_by_size(found[order], rows[order], outliers, table, f"{type(clusterer).__name__} on the outliers")


def _from_labels(labels: Any, outliers: Outliers, table: Table) -> Groups:
    """Take a label for each row of the table, or for each outlier in the order of the rows."""
    rows = outliers.rows
    if not isinstance(labels, Mapping) and hasattr(labels, "__len__") and len(labels) == len(rows) != table.n_rows:
        given = one_per_row(labels, len(rows), None if table.labels is None else table.labels[rows], "groups")
    else:
        given = one_per_row(labels, table.n_rows, table.labels, "groups")[rows]
    return _by_labels(given, outliers)


def _by_labels(given: NDArray[Any], outliers: Outliers) -> Groups:
    if n_missing := int(pd.isna(given).sum()):
        got, hint = f"{n_missing:,} missing labels", "give those outliers a group of their own."
        raise ParameterError("groups", "a group for every outlier", got_text=got, hint=hint)
    return number_by_name(given, outliers, "given")


def all_together(outliers: Outliers) -> Groups:
    """Make one group of all outliers."""
    return Groups(outliers.labels, ("1",), "all outliers together")


def number_by_size(clusters: NDArray[Any], rows: IndexArray, outliers: Outliers, table: Table, how: str) -> Groups:
    """Number clusters by decreasing size, then by the first of `rows` in them; a clusterer's noise, -1, comes last.

    Parameters
    ----------
    clusters : for each of `rows` its cluster.
    rows : positions of the outliers, in the order of their content.
    outliers, table : which rows of the table they are.
    how : how they were clustered, for the report.
    """
    found, first, which = np.unique(clusters, return_index=True, return_inverse=True)
    counts = np.bincount(which.ravel(), table.counts_of(rows))
    order = sorted(range(len(found)), key=lambda i: (found[i] == -1, -counts[i], first[i]))
    numbers = np.where(outliers.labels == -1, -1, 0).astype(np.int64)
    for number, i in enumerate(order, start=1):
        numbers[rows[clusters == found[i]]] = number
    names = tuple("noise" if found[i] == -1 else str(number) for number, i in enumerate(order, start=1))
    return Groups(numbers, names, how, made=True)


def number_by_name(given: NDArray[Any], outliers: Outliers, how: str) -> Groups:
    """Number given labels in their own order, and keep them as names."""
    labels = given if given.dtype != object else np.array([str(one) for one in given])
    names, clusters = np.unique(labels, return_inverse=True)
    numbers = np.where(outliers.labels == -1, -1, 0).astype(np.int64)
    numbers[outliers.rows] = clusters.ravel() + 1
    return Groups(numbers, _texts(names), how)


def _texts(names: NDArray[Any]) -> tuple[str, ...]:
    """Write names as people do: a day without its midnight."""
    if names.dtype.kind not in "mM":
        return tuple(str(name) for name in names)
    times = tuple(str(name) for name in pd.Index(names))
    midnight = " 00:00:00"
    days = names.dtype.kind == "M" and all(one.endswith(midnight) for one in times)
    return tuple(one.removesuffix(midnight) for one in times) if days else times


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
    coverage = Coverage.from_tags(small, tags.tags, _on(splits[1], rows), n_items=tags.n_items, prices=Prices(small))
    regrouped = {n: coverage.regroup(groups.numbers[rows]) for n, groups in splits.items()}
    bits = {n: set_bits(one, quick_search(one, min_lift)) for n, one in regrouped.items()}  # described in a hurry
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


def _splits(points: FloatArray, rows: IndexArray, outliers: Outliers, table: Table, seed: int) -> dict[int, Groups]:
    """Split into 1, 2, ... groups, leaving out splits with a group that is too small."""
    splits = {1: all_together(outliers)}
    row_counts = table.counts_of(rows)
    for n_groups in range(2, min(MAX_GROUPS, outliers.n_outliers(table) // MIN_GROUP_SIZE) + 1):
        clusters = kmeans(points, n_groups, seed, row_counts)
        if np.bincount(clusters, row_counts).min() >= MIN_GROUP_SIZE and clusters.max() == n_groups - 1:
            splits[n_groups] = number_by_size(clusters, rows, outliers, table, "k-means on the outliers")
    return splits


def _sample(table: Table, outliers: Outliers, random_state: int) -> tuple[IndexArray, IntArray | None]:
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


def _on(groups: Groups, rows: IndexArray) -> Groups:
    return Groups(groups.numbers[rows], groups.names, groups.how)


MIN_SHARED = 1 / 3  # of the outliers that either rule covers: two equally wide rules share half of theirs
NO_REASON = "no common reason"


def split_by_reasons(groups: Groups, coverage: Coverage, selection: Selection) -> tuple[Groups, Coverage, Selection]:
    """Split a single group of outliers by the rules that describe it.

    Rules that cover much the same outliers stand together. An outlier belongs to the purest of the rules that cover
    it. Groups are numbered by size. The outliers that no rule covers are the last group, which has no rules.

    Parameters
    ----------
    groups, coverage, selection : what was found, of one group.

    Returns
    -------
    The groups; the coverage and the selection with the outliers split and the rules dealt out accordingly.
    """
    chosen = list(selection.tags[0])
    covers = np.array([coverage.outlier_mask(coverage.outlier_bits[j], 0) for j in chosen])
    if not covers.any():
        return replace(groups, made=True), coverage, selection
    each = coverage.group_row_counts
    row_counts = np.ones(covers.shape[1], dtype=np.int64) if each is None else each[0]
    kinds = _kinds(covers, row_counts)
    home = np.where(covers.any(axis=0), kinds[_purest(covers, coverage, chosen)], -1)
    kinds = _without_empty(kinds, home, covers, row_counts)
    rest = bool((home < 0).any())
    sizes = np.bincount(home[home >= 0], row_counts[home >= 0])
    order = sorted(np.unique(home[home >= 0]).tolist(), key=lambda kind: -sizes[kind])
    place = np.full(len(sizes) + 1, len(order) + 1)  # the last one is that of the rest, whose kind is -1
    place[order] = np.arange(1, len(order) + 1)
    numbers = np.where(groups.numbers > 0, 0, groups.numbers)
    numbers[coverage.group_rows[0]] = place[home]
    dealt = tuple(tuple(j for j, kind in zip(chosen, kinds, strict=True) if kind == one) for one in order)
    names = (*(str(i + 1) for i in range(len(order))), *([NO_REASON] if rest else []))
    how = "by reasons; each outlier is with the most precise rule that it matches"
    found = Groups(numbers, names, "one reason" if len(chosen) == 1 else how, groups.curve, made=True, rest=rest)
    return found, coverage.regroup(numbers), replace(selection, tags=(*dealt, *([()] if rest else [])))


def _kinds(covers: BoolArray, row_counts: IntArray) -> IndexArray:
    """Give each rule its kind: that of earlier rules that cover much the same outliers, or one of its own.

    What they share is compared with what either covers: a narrow rule within a wide one is a kind of its own, as the
    wide one may cover several. The widest rules come first, so that no chain of small overlaps joins what has nothing
    in common.
    """
    kinds = np.full(len(covers), -1, dtype=np.intp)
    unions: list[BoolArray] = []
    for i in np.argsort(-(covers @ row_counts), kind="stable").tolist():
        pairs = ((covers[i] & union, covers[i] | union) for union in unions)
        shared = [float(both @ row_counts / max(either @ row_counts, 1)) for both, either in pairs]
        most = int(np.argmax(shared)) if shared else -1
        if most >= 0 and shared[most] >= MIN_SHARED:
            unions[most] = unions[most] | covers[i]
            kinds[i] = most
        else:
            kinds[i] = len(unions)
            unions.append(covers[i])
    return kinds


def _purest(covers: BoolArray, coverage: Coverage, chosen: list[int]) -> IndexArray:
    """Give for each outlier the rule of highest precision that covers it; of equals the one that covers more."""
    inside, normal = coverage.group_counts[0, chosen], coverage.normal_counts[chosen]
    order = np.lexsort((-inside, -(inside / np.maximum(inside + normal, 1))))
    return np.asarray(order[np.argmax(covers[order], axis=0)])


def _without_empty(kinds: IndexArray, home: IndexArray, covers: BoolArray, row_counts: IntArray) -> IndexArray:
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

"""The set-up "five bins": the paper's data sets as items, groups and itemsets, the same for every method compared.

A numeric column with more than 8 distinct values is cut into 5 quantile bins (where the lowest value alone fills the
first bin, that value is a bin and the rest is cut in 4); of other columns the 40 most frequent values are items. Groups
are k-means clusters of the outliers' items (Heart: given). Tags are itemsets of at most 3 items of different columns,
with a support of 5 percent of a group and a lift above 1 there. Optionally the opposites of items are items too.
`forest_tags` are the paper's own: paths of random forests on the items, of at most 3 items and opposites.

Optionally the outliers are a placebo: as many rows drawn at random from all, in given groups of the same sizes, or
clustered as the outliers are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from harness.uci import load_census, load_heart, load_readmission
from pyod_explain import Coverage, ForestRules
from pyod_explain.bits import count_bits, pack
from pyod_explain.groups import Groups
from pyod_explain.input import as_table

N_GROUPS = {"census": 3, "readmission": 2}
SUPPORT, MAX_VALUES, N_BINS, FEW = 0.05, 40, 5, 8
MOST_ITEMSETS = 20_000  # a group, with opposites: those that save most bits on their own, roughly


@dataclass(frozen=True)
class SetUp:
    """One data set, ready to be explained."""

    name: str
    items: NDArray[np.bool_]  # items by rows
    item_names: list[str]
    y: NDArray[np.int64]  # 0 normal, 1..K
    itemsets: list[tuple[int, ...]]
    coverage: Coverage


def set_up(
    name: str,
    *,
    negated: bool = False,
    most: int | None = None,
    random_state: int = 0,
    largest_first: bool = False,
    placebo: int | None = None,
) -> SetUp:
    """Load a data set and make its items, groups and itemsets.

    Parameters
    ----------
    name : "census", "readmission" or "heart".
    negated : make the opposites of items items, too.
    most : itemsets of a group that are kept; by default all, but 20,000 with opposites.
    random_state : seed of the paper's sample and of the clusters.
    largest_first : number clusters by size, as the paper seems to.
    placebo : seed of the draw of rows in place of the outliers; None for the outliers themselves.
    """
    if name == "heart":
        data = load_heart(labels=False)
    else:
        load = {"census": load_census, "readmission": load_readmission}[name]
        data = load(paper=True, random_state=random_state)
    items, names, columns = make_items(data.X)
    n_features = len(items)
    y = np.asarray(data.y, dtype=np.int64)
    if placebo is not None:
        y = np.random.default_rng(placebo).permutation(y)
    if name in N_GROUPS:
        rows = np.flatnonzero(y)
        clusters = KMeans(N_GROUPS[name], n_init=10, random_state=random_state).fit_predict(
            items[:, rows].T.astype(float)
        )
        if largest_first:
            clusters = np.argsort(np.argsort(-np.bincount(clusters), kind="stable"))[clusters]
        y[rows] = clusters + 1
    if negated:
        items, names, columns = np.vstack([items, ~items]), [*names, *(f"not {n}" for n in names)], columns * 2
    most = MOST_ITEMSETS if negated and most is None else most
    found: dict[tuple[int, ...], None] = {}
    for group in range(1, int(y.max()) + 1):
        found.update(dict.fromkeys(mine(items, columns, y, group, most=most)))
    itemsets = list(found)
    T = np.empty((len(y), len(itemsets)), dtype=bool)
    for j, itemset in enumerate(itemsets):
        T[:, j] = items[list(itemset)].all(axis=0)
    coverage = Coverage.from_dense(T, y, lengths=[len(one) for one in itemsets], n_items=n_features)
    return SetUp(name, items, names, y, itemsets, coverage)


def forest_tags(setup: SetUp, *, n_rules: int = 2_000, n_trees: int = 400) -> Coverage:
    """Give the paper's tags: rules of at most 3 conditions, of forests that tell a group from the rest."""
    n_items = setup.coverage.n_items  # without opposites, which a forest finds itself
    columns = [f"item {i}" for i in range(n_items)]
    table = as_table(pd.DataFrame(setup.items[:n_items].T, columns=columns))
    groups = Groups(setup.y, tuple(str(k) for k in range(1, int(setup.y.max()) + 1)), "given")
    made = ForestRules(n_rules=n_rules, max_length=3, n_estimators=n_trees).make(table, groups)
    return Coverage.from_tags(table, made.tags, groups, n_items=n_items)


def make_items(X: pd.DataFrame) -> tuple[NDArray[np.bool_], list[str], list[str]]:
    """Give the items as a matrix (items by rows), their names and their columns."""
    found: list[tuple[str, str, NDArray[np.bool_]]] = []
    for name in X:
        values = X[name]
        if pd.api.types.is_numeric_dtype(values) and values.nunique() > FEW:
            found += [(name, f"{name} {bin_}", mask) for bin_, mask in quantile_bins(values)]
        else:
            common = values.astype(object).fillna("missing").value_counts().index[:MAX_VALUES]
            found += [
                (name, f"{name} is {v}", (values.astype(object).fillna("missing") == v).to_numpy()) for v in common
            ]
    found = [one for one in found if one[2].any()]
    return np.array([mask for _, _, mask in found]), [text for _, text, _ in found], [column for column, _, _ in found]


def quantile_bins(values: pd.Series) -> list[tuple[str, NDArray[np.bool_]]]:
    """Cut a numeric column into five bins."""
    numbers, lowest = values.to_numpy(dtype=float), values.min()
    if values.quantile(1 / N_BINS) == lowest:
        rest = numbers > lowest
        edges = np.unique(np.quantile(numbers[rest], np.arange(1, N_BINS - 1) / (N_BINS - 1)))
        bins = [(f"= {lowest}", numbers == lowest)]
    else:
        rest = ~np.isnan(numbers)
        edges = np.unique(np.quantile(numbers[rest], np.arange(1, N_BINS) / N_BINS))
        bins = []
    place = np.digitize(numbers, edges, right=True)
    bins += [(f"bin {i + 1} of {len(edges) + 1}", rest & (place == i)) for i in range(len(edges) + 1)]
    if np.isnan(numbers).any():
        bins.append(("missing", np.isnan(numbers)))
    return bins


def mine(
    items: NDArray[np.bool_], columns: list[str], y: NDArray[np.int64], group: int, most: int | None
) -> list[tuple[int, ...]]:
    """Find the itemsets of one group level by level, all extensions of an itemset counted at once on packed bits."""
    inside, outside = pack(items[:, y == group]), pack(items[:, y == 0])
    size, n_normals = int((y == group).sum()), int((y == 0).sum())
    least = max(1, int(np.ceil(SUPPORT * size)))
    column_of = np.unique(columns, return_inverse=True)[1]
    usable = count_bits(inside) >= least
    if most is not None:  # opposites are frequent everywhere: keep the items that lean towards the group
        usable &= count_bits(inside) * n_normals > count_bits(outside) * size
    singles = np.flatnonzero(usable)
    found = [((int(i),), int(count_bits(inside[i])), int(count_bits(outside[i]))) for i in singles]
    level = [((int(i),), inside[i], outside[i]) for i in singles]
    for length in (2, 3):
        longer = []
        for itemset, own, normal in level:
            later = singles[(singles > itemset[-1]) & ~np.isin(column_of[singles], column_of[list(itemset)])]
            hits = count_bits(inside[later] & own)
            keep = hits >= least
            for i, hit, cover in zip(later[keep], hits[keep], count_bits(outside[later[keep]] & normal), strict=True):
                found.append(((*itemset, int(i)), int(hit), int(cover)))
                if length < 3:
                    longer.append(((*itemset, int(i)), inside[i] & own, outside[i] & normal))
        level = longer
    lifted = [one for one in found if one[1] * n_normals > one[2] * size]
    if most is not None and len(lifted) > most:
        gain = {
            itemset: hit * np.log2(max(hit, 1) / size * n_normals / max(cover, 1)) for itemset, hit, cover in lifted
        }
        lifted = sorted(lifted, key=lambda one: -gain[one[0]])[:most]
    return [itemset for itemset, _, _ in lifted]

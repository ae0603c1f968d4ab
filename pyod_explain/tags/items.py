"""Items: conditions on one column that may tell a group of outliers from the normals, with their counts.

All counting is done on the distinct values of a column (how often each occurs among the normals and in each
group), so that a candidate costs no pass over the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.groups import Groups
from pyod_explain.table import Column, Table
from pyod_explain.tags.categories import category_items
from pyod_explain.tags.numbers import order_items
from pyod_explain.tags.profile import Item, Profile, gain, profile
from pyod_explain.tags.tag import Condition, part_of

__all__ = ["Items", "find_items", "is_category"]

CODE_WORDS = frozenset({"id", "code", "zip", "zipcode", "postcode"})
MAX_CODES = 100  # distinct values beyond which a number is no code unless the caller says so
BASE_PRICE = 2.0  # bits, beside those for the column and the place in it, that an item must save
MIN_ITEMS = 10  # a group for which fewer items pay gets the best of the others


@dataclass(frozen=True, eq=False)
class Items:
    """Conditions on single columns, how often each holds, and which binary features they are about.

    Attributes
    ----------
    conditions : the conditions, each once.
    counts : a row per condition: how many normals (column 0) and members of group k (column k) satisfy it.
    totals : how many normals and members of group k there are.
    features : the binary features of the conditions: a condition and its opposite are one.
    notes : sentences on bounds that were reached.
    """

    conditions: tuple[Condition, ...]
    counts: NDArray[np.int64]
    totals: NDArray[np.int64]
    features: frozenset[Condition]
    notes: tuple[str, ...]

    def relevant(self, group: int, *, min_support: float, min_lift: float) -> NDArray[np.intp]:
        """Give the positions of the conditions that are frequent in a group (1..K), and more so than elsewhere.

        The share of the group must reach `min_support` and be more than `min_lift` times the share of the
        normals.
        """
        inside = self.counts[:, group]
        size, normals = int(self.totals[group]), max(int(self.totals[0]), 1)
        frequent = inside >= max(min_support * size - 1e-9, 1)
        lifted = inside * normals > min_lift * size * self.counts[:, 0]
        return np.flatnonzero(frequent & lifted)

    def gains(self, group: int) -> NDArray[np.float64]:
        """Bits that each condition alone saves in telling a group (1..K) from the normals."""
        return gain(self.counts[:, group], self.counts[:, 0], float(self.totals[group]), float(self.totals[0]))


def find_items(table: Table, groups: Groups, *, categorical: Collection[str] = ()) -> Items:
    """Find the conditions that tell some group from the normals by more bits than it takes to name them.

    Parameters
    ----------
    table : the features.
    groups : which rows are normal and which belong to which group.
    categorical : names of columns whose numbers are codes: they are compared for equality, not by size.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.table import as_table
    >>> table = as_table(pd.DataFrame({"age": [20, 31, 33, 90, 95], "sex": list("fmfff")}))
    >>> items = find_items(table, Groups(np.array([0, 0, 0, 1, 1]), ("1",), "given"))
    >>> [str(items.conditions[i]) for i in items.relevant(1, min_support=1.0, min_lift=2.0)]
    ['age >= 50']
    """
    table.require(categorical)
    totals = np.bincount(groups.numbers[groups.numbers >= 0], minlength=groups.n_groups + 1)
    found: dict[Condition, Item] = {}
    notes: list[str] = []
    for column in table.columns.values():
        for item in _column_items(column, groups, categorical, notes):
            found.setdefault(item.condition, item)
    candidates = list(found.values())
    kept = [candidates[i] for i in _worth_their_price(candidates, totals, n_columns=len(table.columns))]
    counts = np.array([item.counts for item in kept], dtype=np.int64).reshape(len(kept), len(totals))
    features = frozenset(item.feature for item in kept)
    return Items(tuple(item.condition for item in kept), counts, totals, features, tuple(notes))


def is_category(column: Column, seen: Profile, categorical: Collection[str]) -> bool:
    """Tell whether the values of a column are compared for equality only.

    Numbers are, if the caller says so, or if they are few, whole and their name ends in a word like "id" or "code".
    """
    if not column.has_order or column.name in categorical:
        return True
    last_word = column.name.lower().replace("-", "_").replace(" ", "_").rpartition("_")[2]
    few = 2 < seen.n_distinct <= MAX_CODES
    return column.kind == "number" and last_word in CODE_WORDS and few and seen.whole


def _column_items(column: Column, groups: Groups, categorical: Collection[str], notes: list[str]) -> Iterator[Item]:
    if column.kind == "labels":  # their tags are asked for by name: GivenTags
        return
    seen = profile(column, groups)
    yield from _gap_items(column, seen)
    if is_category(column, seen, categorical):
        yield from category_items(column, seen, notes)
        return
    yield from order_items(column, seen)
    if column.kind == "datetime":
        hour, weekday = part_of(column, "hour"), part_of(column, "weekday")
        yield from (item.of_part("hour") for item in order_items(hour, profile(hour, groups)))
        yield from (item.of_part("weekday") for item in category_items(weekday, profile(weekday, groups), notes))


def _gap_items(column: Column, seen: Profile) -> Iterable[Item]:
    if not seen.missing.any() or not seen.present.any():
        return ()
    gone = Condition(column.name, "missing")
    return Item(gone, seen.missing, gone, 0.0), Item(~gone, seen.present, gone, 0.0)


def _worth_their_price(items: Sequence[Item], totals: NDArray[np.int64], *, n_columns: int) -> list[int]:
    """Give the positions of the items that tell some group more than it takes to name them, in their order.

    A feature that is looked at makes all tags longer to send, so one that tells nothing is better left out. But
    a group for which little pays still gets the best there is: descriptions that must cover it need some tags.
    """
    if not items or len(totals) < 2:
        return []
    counts = np.array([item.counts for item in items], dtype=np.float64)
    told = gain(counts[:, 1:], counts[:, :1], totals[1:].astype(np.float64), float(totals[0]))
    price = np.array([-1.0 if item.price is None else item.price + np.log2(n_columns) + BASE_PRICE for item in items])
    shares, normal_share = counts[:, 1:] / np.maximum(totals[1:], 1), counts[:, :1] / max(int(totals[0]), 1)
    lifted = shares > normal_share
    pays = (told > price[:, None]) & lifted
    chosen = set(np.flatnonzero(pays.any(axis=1)).tolist())
    for k in range(pays.shape[1]):
        spare = np.flatnonzero(lifted[:, k] & ~pays[:, k])
        best = spare[np.argsort(-told[spare, k], kind="stable")]
        chosen.update(best[: max(MIN_ITEMS - int(pays[:, k].sum()), 0)].tolist())
    return sorted(chosen)

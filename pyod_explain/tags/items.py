"""Items: conditions on one column that may tell a group of outliers from the normals, with their counts.

All counting is done on the distinct values of a column (how often each occurs among the normals and in each
group), so that a candidate costs no pass over the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.groups import Groups
from pyod_explain.table import Column, Table
from pyod_explain.tags.categories import category_items
from pyod_explain.tags.numbers import order_items
from pyod_explain.tags.profile import Item, Profile, gain, profile
from pyod_explain.tags.tag import Condition, Part, part_of

__all__ = ["Items", "find_items", "is_category"]

CODE_WORDS = frozenset({"id", "code", "zip", "zipcode", "postcode"})
MAX_CODES = 100  # distinct values beyond which a number is no code unless the caller says so


@dataclass(frozen=True, eq=False)
class Items:
    """Conditions on single columns, how often each holds, and which binary features they are about.

    Attributes
    ----------
    conditions : the conditions, each once.
    counts : a row per condition: how many normals (column 0) and members of group k (column k) satisfy it.
    totals : how many normals and members of group k there are.
    features : the binary features that were looked at: a condition and its opposite are one.
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
    """Find the conditions worth considering, column by column.

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
    counts = np.array([item.counts for item in found.values()], dtype=np.int64).reshape(len(found), len(totals))
    features = frozenset(item.feature for item in found.values())
    return Items(tuple(found), counts, totals, features, tuple(notes))


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
        yield from _if_telling("hour", order_items(hour, profile(hour, groups)), groups)
        yield from _if_telling("weekday", category_items(weekday, profile(weekday, groups), notes), groups)


def _if_telling(part: Part, items: Iterable[Item], groups: Groups) -> list[Item]:
    """Give the items of a part of a date if one of them saves more bits than it takes to name it, else none."""
    found = [item.of_part(part) for item in items]
    totals = np.bincount(groups.numbers[groups.numbers >= 0], minlength=groups.n_groups + 1)
    if not found or groups.n_groups == 0:
        return []
    counts = np.array([item.counts for item in found])
    saved = gain(counts[:, 1:], counts[:, :1], totals[1:], totals[0]).max()
    return found if saved > np.log2(max(totals.sum() - 1, 1)) + 2 else []  # the price of a supervised cut


def _gap_items(column: Column, seen: Profile) -> Iterable[Item]:
    if not seen.missing.any() or not seen.present.any():
        return ()
    gone = Condition(column.name, "missing")
    return Item(gone, seen.missing, gone), Item(~gone, seen.present, gone)

"""Items: conditions on one column that may tell a group of outliers from the normals, with their counts.

All counting is done on the distinct values of a column (how often each occurs among the normals and in each
group), so that a candidate costs no pass over the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyod_explain.groups import Groups
from pyod_explain.table import Column, Table
from pyod_explain.tags.categories import category_items
from pyod_explain.tags.numbers import order_items
from pyod_explain.tags.profile import Item, Profile, profile
from pyod_explain.tags.tag import Condition, part_of

__all__ = ["Items", "find_items"]

CODE_WORDS = ("id", "code", "zip", "zipcode", "postcode", "type", "class", "category")
MAX_CODES = 100  # distinct values beyond which a number is no code unless the caller says so


@dataclass(frozen=True, eq=False)
class Items:
    """Conditions on single columns, how often each holds, and how many binary features they are about.

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
        """Give the positions of the conditions that are frequent enough in a group (1..K), and more than elsewhere.

        The share of the group must reach `min_support` and be more than `min_lift` times the share of the
        normals.
        """
        inside = self.counts[:, group]
        size, normals = int(self.totals[group]), max(int(self.totals[0]), 1)
        frequent = inside >= max(1, int(np.ceil(min_support * size - 1e-9)))
        lifted = inside * normals > min_lift * size * self.counts[:, 0]
        return np.flatnonzero(frequent & lifted)


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
    ['age >= 32', 'age >= 60']
    """
    table.require(categorical)
    totals = np.bincount(groups.numbers[groups.numbers >= 0], minlength=groups.n_groups + 1)
    found: dict[Condition, Item] = {}
    notes: list[str] = []
    for column in table.columns.values():
        for item in _column_items(column, groups, categorical, notes):
            found.setdefault(item.condition, item)
    items = [item for item in found.values() if item.counts.any()]
    counts = np.array([item.counts for item in items], dtype=np.int64).reshape(len(items), len(totals))
    features = frozenset(item.feature for item in found.values())
    return Items(tuple(item.condition for item in items), counts, totals, features, tuple(notes))


def _column_items(
    column: Column, groups: Groups, categorical: Collection[str], notes: list[str]
) -> Iterable[Item]:
    if column.kind == "labels":
        return
    seen = profile(column, groups)
    yield from _gap_items(column, seen)
    if seen.n_distinct < 2 and not column.missing.any():
        return
    if not column.has_order or column.name in categorical or _looks_like_a_code(column, seen):
        yield from category_items(column, seen, notes)
        return
    yield from order_items(column, seen)
    if column.kind == "datetime":
        for part in ("hour", "weekday"):
            derived = part_of(column, part)
            again = profile(derived, groups)
            if again.n_distinct > 1:
                make = order_items if part == "hour" else lambda c, p: category_items(c, p, notes)
                for item in make(derived, again):
                    yield item.of_part(part)


def _gap_items(column: Column, seen: Profile) -> Sequence[Item]:
    if not column.missing.any() or column.missing.all():
        return ()
    gone = Condition(column.name, "missing")
    return (Item(gone, seen.missing, gone), Item(~gone, seen.present, gone))


def _looks_like_a_code(column: Column, seen: Profile) -> bool:
    """Tell a code from a quantity by the last word of its name, and only for few whole numbers."""
    words = column.name.lower().replace("-", "_").replace(" ", "_").split("_")
    return words[-1] in CODE_WORDS and 2 < seen.n_distinct <= MAX_CODES and seen.whole

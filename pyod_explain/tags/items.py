"""Items: conditions on one column that may tell a group of outliers from the normals, with their counts.

All counting is done on the distinct values of a column (how often each occurs among the normals and in each
group), so that a candidate costs no pass over the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from pyod_explain._arrays import FloatArray, IndexArray, IntArray
from pyod_explain._validate import check_names
from pyod_explain.exceptions import Message, ParameterError
from pyod_explain.input import Column, Groups, Table, name_list
from pyod_explain.input.values import list_values
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.cuts import order_items
from pyod_explain.tags.price import log2_binomial
from pyod_explain.tags.terms import DatePart, Part, Relation
from pyod_explain.tags.value_counts import RARE_SHARE, Item, ValueCounts, count_values, gain, lifted, value_of

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
    list_bits : for each condition, what it takes to name the values that it lists.
    """

    conditions: tuple[Condition, ...]
    counts: IntArray
    totals: IntArray
    features: frozenset[Condition]
    notes: tuple[str, ...]
    list_bits: FloatArray

    def relevant(self, *, min_support: float, min_lift: float) -> tuple[IndexArray, IndexArray]:
        """Give the pairs of a condition (position) and a group (1..K) in which it is frequent, more than elsewhere.

        The share of the group must reach `min_support` and be more than `min_lift` times the share of the
        normals.
        """
        sizes, inside = self.totals[1:], self.counts[:, 1:]
        more = lifted(inside, sizes, self.counts[:, :1], self.totals[0], min_lift)
        items, groups = np.nonzero((inside >= np.maximum(min_support * sizes - 1e-9, 1)) & more)
        return items, groups + 1


def find_items(
    table: Table,
    groups: Groups,
    *,
    categorical: Collection[str] = (),
    relations: Iterable[Relation] = (),
    negations: bool = True,
    ordered: bool = True,
) -> Items:
    """Find the conditions worth considering.

    Parameters
    ----------
    table : the features.
    groups : which rows are normal and which belong to which group.
    categorical : names of columns whose numbers are codes: they are compared for equality, not by size.
    relations : what two columns give together, to be compared by size too.
    negations : False for no condition that states what a value is not.
    ordered : False for no thresholds of columns whose values have an order.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.input.read import as_table
    >>> table = as_table(pd.DataFrame({"age": [20, 31, 33, 90, 95], "sex": list("fmfff")}))
    >>> items = find_items(table, Groups(np.array([0, 0, 0, 1, 1]), ("1",), "given"))
    >>> [str(items.conditions[i]) for i in items.relevant(min_support=1.0, min_lift=2.0)[0]]
    ['age >= 50']
    """
    totals, row_counts = groups.count(table.row_counts), table.row_counts
    found: dict[Condition, Item] = {}
    notes: list[str] = []

    def items_of(column: Column) -> Iterator[Item]:
        if not ordered and only_ordered(column, categorical) and not column.missing.any():
            return
        seen = count_values(column, groups, row_counts)
        yield from _gap_items(column, seen)
        if is_category(column, seen, categorical):
            yield from category_items(column, seen, notes, negations=negations)
            return
        if ordered:
            yield from order_items(column, seen)
        if column.kind == "datetime":
            hour, weekday = (DatePart(column.name, part) for part in get_args(Part))
            hours, days = table[hour], table[weekday]
            yield from _if_informative(hour, order_items(hours, count_values(hours, groups, row_counts)), totals)
            items = category_items(days, count_values(days, groups, row_counts), notes, negations=negations)
            yield from _if_informative(weekday, items, totals)

    for _, column in sorted(table.columns.items()):  # so that their order decides no tie
        for item in items_of(column):
            if negations or not item.condition.negates:
                found.setdefault(item.condition, item)
    for relation in relations:
        column = table[relation]
        items = (item.about(relation) for item in order_items(column, count_values(column, groups, row_counts)))
        found.update((item.condition, item) for item in items)
    counts = np.array([item.counts for item in found.values()], dtype=np.int64).reshape(len(found), len(totals))
    features = frozenset(item.feature for item in found.values())
    lists = np.array([item.list_bits for item in found.values()], dtype=np.float64)
    return Items(tuple(found), counts, totals, features, tuple(notes), lists)


def check_column_names(owner: str, argument: str, names: Any, table: Table) -> None:
    """Refuse an argument that is not a list of names of columns that the table has."""
    absent = [name for name in check_names(owner, argument, names) if name not in table.columns]
    if absent:
        got = f"{list_values(absent)}; it has {name_list(list(table.columns))}"
        hint = "Give names as text, spelled as in `X`."
        raise ParameterError(argument, "names of columns of `X`", got_text=got, hint=hint, owner=owner)


def is_category(column: Column, seen: ValueCounts, categorical: Collection[str]) -> bool:
    """Tell whether the values of a column are compared for equality only.

    Numbers are, if the caller says so, or if they are few, whole and their name ends in a word like "id" or "code".
    """
    if not column.has_order or column.name in categorical:
        return True
    return _named_as_code(column) and 2 < seen.n_distinct <= MAX_CODES and seen.whole


def only_ordered(column: Column, categorical: Collection[str]) -> bool:
    """Tell at a glance, without counting its values, that a column is compared by size alone."""
    return column.kind in ("number", "timedelta") and column.name not in categorical and not _named_as_code(column)


def can_be_related(table: Table, categorical: Collection[str]) -> list[str]:
    """Name the columns that relations may be about unasked: quantities of several sizes, not codes."""
    return [name for name, column in table.columns.items() if _is_quantity(column, categorical)]


def _is_quantity(column: Column, categorical: Collection[str]) -> bool:
    if column.kind != "number" or column.name in categorical or _named_as_code(column):
        return False
    cells = column.floats()[~column.missing]
    return len(cells) > 0 and bool(((cells != cells.min()) & (cells != cells.max())).any())


def _named_as_code(column: Column) -> bool:
    last_word = column.name.lower().replace("-", "_").replace(" ", "_").rpartition("_")[2]
    return column.kind == "number" and last_word in CODE_WORDS


def _if_informative(part: DatePart, items: Iterable[Item], totals: IntArray) -> list[Item]:
    """Give the items of a part of a date if one of them saves more bits than it takes to name it, else none."""
    found = [item.about(part) for item in items]
    if not found or len(totals) == 1:
        return []
    counts = np.array([item.counts for item in found])
    saved = gain(counts[:, 1:], counts[:, :1], totals[1:], totals[0]).max()
    return found if saved > np.log2(max(totals.sum() - 1, 1)) + 2 else []  # the price of a supervised cut


def _gap_items(column: Column, seen: ValueCounts) -> Iterable[Item]:
    if not seen.missing.any() or not seen.present.any():
        return ()
    gone = Condition(column.name, "missing")
    return Item(gone, seen.missing, gone), Item(~gone, seen.present, gone)


MAX_VALUES_PER_GROUP = 40  # values of a column that are named, for the normals and for each group
MAX_NAMED_VALUES = 2_000  # in all, if groups are many: each value is counted in each group
MAX_LISTED_VALUES = 5  # values that one condition lists
MIN_RARE_VALUES = 6  # with fewer rare values than this they can be named instead


def category_items(column: Column, seen: ValueCounts, notes: list[str], *, negations: bool = True) -> Iterator[Item]:
    """Give `is` and `is not` for the frequent values, `is one of` for values of like lift, and `rare`.

    Without negations the common values are not named, so that "none of them" is written as `rare`.
    """
    if seen.n_distinct < 2:
        return
    named = named_values(seen)
    if len(named) < seen.n_distinct:
        some = "only {named:,} of them, the most frequent among {normals} and in each group, may be named"
        about = {"column": column.name, "n": seen.n_distinct, "named": len(named)}
        notes.append(Message(f"Column {{column!r}} has {{n:,}} distinct values; {some}.", about))
    two = seen.n_distinct == 2
    counts = seen.counts(named)
    for i, having in zip(named, counts.T, strict=True):
        is_it = Condition(column.name, "==", value_of(column, seen, i))
        yield Item(is_it, having, Condition(column.name, "==", value_of(column, seen, 1)) if two else is_it)
        if not two:  # of two values, "is not the one" is "is the other"
            yield Item(~is_it, seen.present - having, is_it)
    if not two:
        for group in range(1, seen.n_groups + 1):
            yield from _list_items(column, seen, group, named, counts)
        yield from _rare_items(column, seen, by_name=negations)


def named_values(seen: ValueCounts) -> list[int]:
    """Give the values that are frequent among the normals or in a group; ties go to the first in order."""
    usual = np.flatnonzero(seen.normals)
    members = (seen.frequencies(group) for group in range(1, seen.n_groups + 1))
    place: dict[int, int] = {}  # of a value, in the list that has it first
    for values, counts in ((usual, seen.normals[usual]), *members):
        for i, value in enumerate(values[np.argsort(-counts, kind="stable")[:MAX_VALUES_PER_GROUP]].tolist()):
            place[value] = min(i, place.get(value, i))
    named = np.cumsum(np.bincount(np.array([*place.values()], dtype=np.intp), minlength=MAX_VALUES_PER_GROUP))
    share = max(int((named <= MAX_NAMED_VALUES).sum()), 1)  # how many of each list there is room for
    return sorted(value for value, i in place.items() if i < share)


def _list_items(column: Column, seen: ValueCounts, group: int, named: list[int], counts: IntArray) -> Iterator[Item]:
    """Join values of like lift: of the first 2 to 5 by lift, or from the other end, as many as tell most.

    Less what it takes to name them: else 5 of 500 names would always tell more than one.
    """
    inside, normal = counts[group], counts[0]
    size, normals = float(seen.present[group]), float(seen.present[0])
    lift = (inside + 0.5) / (size + 1) / ((normal + 0.5) / (normals + 1))  # 0.5: a value seen once is no pattern
    ends: tuple[tuple[Literal["in", "not in"], int], ...] = (("in", -1), ("not in", 1))
    for op, sign in ends:
        order = np.argsort(sign * lift, kind="stable")
        order = order[(lift[order] > 1) == (op == "in")][:MAX_LISTED_VALUES]
        if len(order) < 2 or len(order) >= seen.n_distinct:
            continue
        gains = gain(np.cumsum(inside[order]), np.cumsum(normal[order]), size, normals)
        prices = log2_binomial(seen.n_distinct, np.arange(1, len(order) + 1))
        prices[0] = 0.0  # a single value is a feature of its own, not a list
        n_best = int(np.argmax(gains - prices)) + 1
        if n_best < 2:
            continue
        chosen = np.sort(order[:n_best])
        condition = Condition(column.name, op, [value_of(column, seen, named[i]) for i in chosen])
        having = counts[:, chosen].sum(axis=1)
        holds = having if op == "in" else seen.present - having
        yield Item(condition, holds, condition.feature, float(prices[n_best - 1]))


def _rare_items(column: Column, seen: ValueCounts, *, by_name: bool) -> Iterator[Item]:
    """State that a value is none of the common ones, where rare ones are too many to name; by name if they are few."""
    common = seen.total >= RARE_SHARE * seen.total.sum()
    if common.any() and int((~common).sum()) >= MIN_RARE_VALUES:
        values = [value_of(column, seen, int(i)) for i in np.flatnonzero(common)]
        op: Literal["rare", "not in"] = "not in" if by_name and len(values) <= MAX_LISTED_VALUES else "rare"
        condition = Condition(column.name, op, values)
        yield Item(condition, seen.present - seen.counts(np.flatnonzero(common)).sum(axis=1), condition.feature)

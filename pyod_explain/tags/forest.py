"""`ForestRules`: short paths of a random forest that tells a group from the rest (the paper's tags)."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier

from pyod_explain._validate import check_int, check_number
from pyod_explain.groups.split import Groups
from pyod_explain.input.table import Column, Table
from pyod_explain.tags.categories import named_values
from pyod_explain.tags.items import is_category
from pyod_explain.tags.maker import TagSet
from pyod_explain.tags.ordered import between, threshold
from pyod_explain.tags.prune import Evidence, choose
from pyod_explain.tags.tag import Condition, Tag
from pyod_explain.tags.value_counts import Profile, comparable, profile, value_of

__all__ = ["ForestRules"]

logger = logging.getLogger("pyod_explain")
ROWS_SHOWN = 20_000  # rows outside the group that a forest sees at most: more make it slower, not better
CELLS_SHOWN, FEWEST_SHOWN = 25_000_000, 1_000  # fewer where categories make so many columns that they fill the memory


class ForestRules(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Tags that are the paths of random forests, each grown to tell one group from all other rows.

    Every node within `max_length` steps of the root gives a rule, inner nodes too. Conditions on one column are
    merged into one, conditions that hold everywhere and duplicates are dropped, and thresholds are written as
    short as the training rows allow.

    Parameters
    ----------
    n_rules : most rules kept, shared out evenly among the groups.
    max_length : most conditions of a rule: the depth of the trees.
    min_lift : how many times more frequent in its group than among the normals a rule must be.
    n_estimators : trees of each forest.
    categorical : names of columns whose numbers are codes.
    random_state : seed of the forests.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.input.table import as_table
    >>> table = as_table(pd.DataFrame({"age": [20, 31, 33, 90, 95] * 9, "sex": list("fmfff") * 9}))
    >>> groups = Groups(np.array([0, 0, 0, 1, 1] * 9), ("1",), "given")
    >>> ForestRules(max_length=1).make(table, groups).tags
    (Tag(age >= 50),)
    """

    def __init__(
        self,
        n_rules: int = 2000,
        max_length: int = 3,
        *,
        min_lift: float = 1.0,
        n_estimators: int = 100,
        categorical: Collection[str] = (),
        random_state: Any = 0,
    ) -> None:
        self.n_rules = n_rules
        self.max_length = max_length
        self.min_lift = min_lift
        self.n_estimators = n_estimators
        self.categorical = categorical
        self.random_state = random_state

    def make(self, table: Table, groups: Groups) -> TagSet:
        """Grow a forest per group and turn its paths into tags."""
        n_rules = check_int("ForestRules", "n_rules", self.n_rules, low=1)
        max_length = check_int("ForestRules", "max_length", self.max_length, low=1)
        min_lift = check_number("ForestRules", "min_lift", self.min_lift, low=0)
        n_estimators = check_int("ForestRules", "n_estimators", self.n_estimators, low=1)
        table.require(self.categorical)
        features = _features(table, groups, self.categorical)
        if not features or not groups.n_groups:
            return TagSet((), 0)
        order = _canonical_order(features, table.n_rows)
        rules: list[list[tuple[Condition, ...]]] = []
        for group in range(1, groups.n_groups + 1):
            forest = RandomForestClassifier(
                n_estimators, max_depth=max_length, class_weight="balanced", random_state=self.random_state
            )
            rules.append(_grow(forest, features, order, groups, group))
        looked_at = frozenset(condition.feature for per_group in rules for rule in per_group for condition in rule)
        share = max(1, n_rules // groups.n_groups)
        tags: dict[Tag, None] = {}
        notes = _few_rows(len(features), int((groups.numbers >= 0).sum()))
        for group, found in enumerate(rules, start=1):
            kept = _keep(found, table, groups, group, n_items=len(looked_at), min_lift=min_lift, most=share)
            if kept.n_found > len(kept.tags):
                notes.append(
                    f"Group {group}: kept the {len(kept.tags):,} forest rules that save most bits of "
                    f"{kept.n_found:,} (n_rules={n_rules:,})."
                )
                logger.info(notes[-1])
            tags.update(dict.fromkeys(kept.tags))
        return TagSet(tuple(tags), len(looked_at), tuple(notes), features=looked_at)


@dataclass(frozen=True, eq=False)
class _Ranks:
    """What a forest sees of an ordered column: the ranks of its values, -1 where missing."""

    column: Column
    seen: Profile

    def values(self, rows: NDArray[np.intp] | slice) -> NDArray[np.float32]:
        ranks = np.searchsorted(self.seen.distinct, comparable(self.column)[rows]).astype(np.float32)
        ranks[self.column.missing[rows]] = -1
        return ranks


@dataclass(frozen=True, eq=False)
class _Holds:
    """What a forest sees of a condition: 1 where it holds, else 0."""

    column: Column
    condition: Condition

    def values(self, rows: NDArray[np.intp] | slice) -> NDArray[np.float32]:
        return self.condition.holds(self.column.take(rows)).astype(np.float32)


_Feature = _Ranks | _Holds


def _features(table: Table, groups: Groups, categorical: Collection[str]) -> list[_Feature]:
    result: list[_Feature] = []
    for _, column in sorted(table.columns.items()):  # so that their order decides no tie
        if column.kind == "labels":
            continue
        seen = profile(column, groups)
        if seen.missing.any() and seen.present.any():
            result.append(_Holds(column, Condition(column.name, "missing")))
        if is_category(column, seen, categorical):
            values = [value_of(column, seen, i) for i in named_values(seen)]
            values = values[1:] if seen.n_distinct <= 2 else values  # one 0/1 column says both
            result += [_Holds(column, Condition(column.name, "==", value)) for value in values]
        elif seen.n_distinct > 1:
            result.append(_Ranks(column, seen))
    return result


def _canonical_order(features: Sequence[_Feature], n_rows: int) -> NDArray[np.intp]:
    """Order the rows by a hash of their content, so that the same rows in another order grow the same forest."""
    keys = np.random.default_rng(0).integers(1, 2**63, size=len(features), dtype=np.uint64)
    hashed = np.zeros(n_rows, dtype=np.uint64)
    for feature, key in zip(features, keys, strict=True):
        ranks = feature.values(slice(None)).astype(np.int64) + 2
        hashed += ranks.astype(np.uint64) * key  # wraps around, as hashes do
    return np.argsort(hashed, kind="stable")


def _rows_that_fit(n_features: int) -> int:
    """Give how many rows outside the group a forest may see without filling the memory."""
    return max(FEWEST_SHOWN, CELLS_SHOWN // n_features)


def _few_rows(n_features: int, n_rows: int) -> list[str]:
    """Say so where memory, and not the number of rows that is enough, decides how many rows a forest sees."""
    fit = _rows_that_fit(n_features)
    if fit >= min(n_rows, ROWS_SHOWN):
        return []
    return [f"Each forest saw {fit:,} of the rows outside its group: {n_features:,} columns and values of categories."]


def _grow(
    forest: RandomForestClassifier, features: Sequence[_Feature], order: NDArray[np.intp], groups: Groups, group: int
) -> list[tuple[Condition, ...]]:
    """Give the rules of a forest that tells a group from the other rows, each once, in a fixed order."""
    numbers = groups.numbers[order]
    inside, rest = order[numbers == group], order[(numbers >= 0) & (numbers != group)]
    if not len(rest):
        return []
    most = min(len(rest), ROWS_SHOWN, _rows_that_fit(len(features)))
    spread = np.unique(np.linspace(0, len(rest) - 1, most).astype(np.intp))
    rows = np.concatenate([inside, rest[spread]])
    seen = np.empty((len(rows), len(features)), dtype=np.float32, order="F")  # as the trees read it, without a copy
    for j, feature in enumerate(features):
        seen[:, j] = feature.values(rows)
    forest.fit(seen, np.arange(len(rows)) < len(inside))
    rules: dict[tuple[Condition, ...], None] = {}
    for tree in forest.estimators_:
        for path in _paths(tree.tree_):
            conditions = _merged(path, features)
            if conditions:
                rules[conditions] = None
    return sorted(rules, key=lambda rule: (len(rule), [condition.sort_key for condition in rule]))


def _paths(tree: Any) -> Iterator[list[tuple[int, int, bool]]]:
    """Give the steps to every node but the root: feature, cut position, and whether to go right."""
    pending: list[tuple[int, list[tuple[int, int, bool]]]] = [(0, [])]
    while pending:
        node, path = pending.pop()
        if path:
            yield path
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left >= 0:
            feature, position = int(tree.feature[node]), int(np.floor(tree.threshold[node])) + 1
            pending.append((left, [*path, (feature, position, False)]))
            pending.append((right, [*path, (feature, position, True)]))


def _merged(path: Sequence[tuple[int, int, bool]], features: Sequence[_Feature]) -> tuple[Condition, ...]:
    """Say each column's steps in one condition; () if they cannot all hold."""
    conditions: list[Condition] = []
    bounds: dict[int, tuple[int, int]] = {}
    for j, position, right in path:
        feature = features[j]
        if isinstance(feature, _Holds):
            conditions.append(feature.condition if right else ~feature.condition)
        else:
            low, high = bounds.get(j, (0, feature.seen.n_distinct))
            bounds[j] = (max(low, position), high) if right else (low, min(high, position))
    for j, (low, high) in bounds.items():
        feature = features[j]
        if low >= high or isinstance(feature, _Holds):
            return ()
        conditions += _range(feature, low, high)
    return tuple(sorted(_merge_categories(conditions), key=lambda condition: condition.sort_key))


def _range(feature: _Ranks, low: int, high: int) -> list[Condition]:
    """Say that a value is among the distinct values low, ..., high - 1; nothing if that is all of them."""
    column, seen = feature.column, feature.seen
    if low > 0 and high < seen.n_distinct:
        return [between(column, seen, low, high)]
    if low > 0:
        return [threshold(column, seen, low)[1]]
    return [threshold(column, seen, high)[0]] if high < seen.n_distinct else []


def _merge_categories(conditions: Sequence[Condition]) -> list[Condition]:
    """Let `is` stand for the `is not`s of its column, and join several `is not` into `is none of`."""
    result: list[Condition] = []
    for column in dict.fromkeys(condition.column for condition in conditions):
        mine = list(dict.fromkeys(c for c in conditions if c.column == column))
        settled = [c for c in mine if c.op == "=="]
        others = [c for c in mine if c.op not in ("==", "!=", "present")]
        values = [c.value for c in mine if c.op == "!="]
        if settled:
            result += [*settled[:1], *others]
        elif len(values) > 1:
            result += [Condition(column, "not in", values), *others]
        elif values:
            result += [Condition(column, "!=", values[0]), *others]
        else:  # "not missing" goes without saying where something else is said of the value
            result += others or mine
    return result


@dataclass(frozen=True, eq=False)
class _Kept:
    tags: tuple[Tag, ...]
    n_found: int


def _keep(
    rules: Sequence[tuple[Condition, ...]],
    table: Table,
    groups: Groups,
    group: int,
    *,
    n_items: int,
    min_lift: float,
    most: int,
) -> _Kept:
    if not rules:
        return _Kept((), 0)
    number = {c: i for i, c in enumerate(dict.fromkeys(c for rule in rules for c in rule))}
    width = max(map(len, rules))
    padded = [[number[c] for c in rule] + [number[rule[0]]] * (width - len(rule)) for rule in rules]
    lengths = np.array([len(rule) for rule in rules], dtype=np.int64)
    evidence = Evidence.of(list(number), table, groups, group)
    chosen, n_found = choose(
        np.array(padded, dtype=np.intp), lengths, evidence, n_items=n_items, min_lift=min_lift, most=most
    )
    return _Kept(tuple(Tag(frozenset(rules[i])) for i in chosen), n_found)

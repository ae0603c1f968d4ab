"""`ForestRules`: short paths of a random forest that tells a group from the rest (the paper's tags)."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain._validate import check_flag, check_int, check_number
from pyod_explain.bits import padded
from pyod_explain.input import Column, Groups, Table, by_content, number_distinct
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.cuts import between, threshold
from pyod_explain.tags.items import check_column_names, is_category, named_values
from pyod_explain.tags.mining import Conditions, Evidence, PlainWriter, choose
from pyod_explain.tags.tag import Tag, TagSet, needed
from pyod_explain.tags.value_counts import ValueCounts, count_values, value_of

logger = logging.getLogger("pyod_explain")
MAX_FOREST_ROWS = 20_000  # rows outside the group that a forest sees at most: more make it slower, not better
MAX_FOREST_CELLS = 25_000_000  # rows by features: fewer rows where categories make many features
MIN_FOREST_ROWS = 1_000
MAX_DRAWN = 2**40  # instances in a bootstrap sample


class ForestRules(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Tags that are the paths of random forests, each grown to tell one group from all other rows.

    Every node within `max_length` steps of the root gives a rule, inner nodes too. Conditions on one column are
    merged into one, conditions that change nothing and duplicates are dropped, and thresholds are written as
    short as the training rows allow.

    Each tree sees a bootstrap sample of the rows, drawn as counts of the distinct rows, so that `counts=` gives what
    repeated rows give.

    Parameters
    ----------
    n_rules : most rules kept, shared out evenly among the groups.
    max_length : most conditions of a rule: the depth of the trees.
    min_lift : how many times more frequent in its group than among the normals a rule must be.
    n_estimators : trees of each forest.
    categorical : names of columns whose numbers are codes.
    negations : False for no condition that states what a value is not: "is not", "is none of", "is not missing".
    random_state : seed of the forests.

    Examples
    --------
    >>> import pandas as pd
    >>> from pyod_explain.input.read import as_table
    >>> table = as_table(pd.DataFrame({"age": [20, 31, 33, 90, 95] * 9, "sex": list("fmfff") * 9}))
    >>> groups = Groups(np.array([0, 0, 0, 1, 1] * 9), ("1",), "given")
    >>> ForestRules(max_length=1).make(table, groups).tags
    (Tag(age >= 50), Tag(sex is not 'm'))
    """

    def __init__(
        self,
        n_rules: int = 2000,
        max_length: int = 3,
        *,
        min_lift: float = 1.0,
        n_estimators: int = 100,
        categorical: Collection[str] = (),
        negations: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.n_rules, self.max_length, self.min_lift, self.n_estimators = n_rules, max_length, min_lift, n_estimators
        self.categorical, self.negations, self.random_state = categorical, negations, random_state

    def make(self, table: Table, groups: Groups) -> TagSet:
        """Grow a forest per group and turn its paths into tags."""
        check_int("ForestRules", "n_rules", self.n_rules, low=1)
        check_int("ForestRules", "max_length", self.max_length, low=1)
        check_number("ForestRules", "min_lift", self.min_lift, low=0)
        check_int("ForestRules", "n_estimators", self.n_estimators, low=1)
        check_flag("ForestRules", "negations", self.negations)
        check_column_names("ForestRules", "categorical", self.categorical, table)
        features = forest_features(table, groups, self.categorical)
        if not features or not groups.n_groups:
            return TagSet((), 0)
        # So that the same rows in another order, or with counts, grow the same forest.
        order = by_content(table, np.arange(table.n_rows))
        lines = Lines(order, number_distinct(table, order), table.counts_of(order))
        rules = [self._grow(features, lines, groups, k) for k in range(1, groups.n_groups + 1)]
        looked_at = frozenset(condition.feature for per_group in rules for rule in per_group for condition in rule)
        share = max(1, int(self.n_rules) // groups.n_groups)
        tags: dict[Tag, None] = {}
        notes: list[str] = []
        for group, found in enumerate(rules, start=1):
            kept, n_found = self._keep(found, table, groups, group, most=share)
            if n_found > len(kept):
                best = f"the {len(kept):,} forest rules that save most bits of {n_found:,}"
                notes.append(f"Group {group}: kept {best} (n_rules={self.n_rules:,}).")
                logger.info(notes[-1])
            tags.update(dict.fromkeys(kept))
        return TagSet(tuple(tags), len(looked_at), tuple(notes), features=looked_at)

    def _trees(self, X: NDArray[np.float32], y: BoolArray, row_counts: FloatArray) -> Iterator[DecisionTreeClassifier]:
        """Grow the trees of a random forest on distinct rows and how many instances each stands for."""
        rng = check_random_state(self.random_state)
        total = row_counts.sum()
        balanced = np.where(y, total / row_counts[y].sum(), total / row_counts[~y].sum())
        for _ in range(self.n_estimators):
            drawn = rng.multinomial(int(min(total, MAX_DRAWN)), row_counts / total)
            tree = DecisionTreeClassifier(max_depth=self.max_length, max_features="sqrt", random_state=rng)
            yield tree.fit(X, y, sample_weight=drawn * balanced)

    def _grow(self, features: Sequence[Feature], lines: Lines, groups: Groups, group: int) -> list[Conditions]:
        """Give the rules of a forest that tells a group from the other rows, each once, in a fixed order."""
        numbers = groups.numbers[lines.order]
        inside, n_inside = lines.distinct(numbers == group)
        rest, n_rest = lines.distinct((numbers >= 0) & (numbers != group))
        if not len(inside) or not len(rest):
            return []
        most = min(len(rest), MAX_FOREST_ROWS, max(MIN_FOREST_ROWS, MAX_FOREST_CELLS // len(features)))
        spread = np.unique(np.linspace(0, len(rest) - 1, most).astype(np.intp))
        rows, each = np.concatenate([inside, rest[spread]]), np.concatenate([n_inside, n_rest[spread]])
        seen = np.empty((len(rows), len(features)), dtype=np.float32, order="F")  # as the trees read it, without a copy
        for j, feature in enumerate(features):
            seen[:, j] = feature.values(rows)
        rules: dict[Conditions, None] = {}
        for tree in self._trees(seen, np.arange(len(rows)) < len(inside), each):
            for path in paths_of(tree.tree_):
                conditions = merged(path, features, negations=self.negations)
                if conditions:
                    rules[conditions] = None
        return sorted(rules, key=lambda rule: (len(rule), [condition.sort_key for condition in rule]))

    def _keep(
        self, rules: Sequence[Conditions], table: Table, groups: Groups, group: int, *, most: int
    ) -> tuple[list[Tag], int]:
        """Give the rules of a group that are worth keeping as tags, and how many there were to choose from."""
        if not rules:
            return [], 0
        writer = PlainWriter(table)
        rules = list(dict.fromkeys(writer.rule(rule) for rule in rules))
        del writer  # it holds as much as the evidence
        number = {c: i for i, c in enumerate(dict.fromkeys(c for rule in rules for c in rule))}
        sets = padded([[number[c] for c in rule] for rule in rules])
        lengths = np.array([len(rule) for rule in rules], dtype=np.int64)
        evidence = Evidence.of(list(number), table, groups, group)
        chosen, n_found = choose(sets, lengths, evidence, min_lift=float(self.min_lift), most=most)
        return [Tag(frozenset(rules[i])) for i in chosen], n_found


@dataclass(frozen=True, eq=False)
class Lines:
    """The rows of a table in the order of their content, with a number that equal ones share, and their counts."""

    order: IndexArray
    number: IndexArray
    row_counts: IntArray | None

    def distinct(self, which: BoolArray) -> tuple[IndexArray, FloatArray]:
        """Give the distinct rows of some, and how many instances each stands for."""
        _, first, place = np.unique(self.number[which], return_index=True, return_inverse=True)
        each = np.bincount(place, None if self.row_counts is None else self.row_counts[which], len(first))
        return self.order[which][first], each.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Ranks:
    """What a forest sees of an ordered column: the ranks of its values, -1 where missing."""

    column: Column
    seen: ValueCounts

    def values(self, rows: IndexArray) -> NDArray[np.float32]:
        ranks = np.searchsorted(self.seen.distinct, self.column.numbers[rows]).astype(np.float32)
        ranks[self.column.missing[rows]] = -1
        return ranks

    @property
    def n_values(self) -> int:
        return self.seen.n_distinct

    def conditions(self, low: int, high: int, *, negations: bool) -> list[Condition]:  # noqa: ARG002  # it needs none
        """State that a value is among the distinct values low, ..., high - 1; nothing if that is all of them."""
        column, seen = self.column, self.seen
        if low > 0 and high < seen.n_distinct:
            return [between(column, seen, low, high)]
        if low > 0:
            return [threshold(column, seen, low)[1]]
        return [threshold(column, seen, high)[0]] if high < seen.n_distinct else []


@dataclass(frozen=True, eq=False)
class Holds:
    """What a forest sees of a condition: 1 where it holds, else 0.

    `otherwise` states without a negation that it does not hold; None if no condition does.
    """

    column: Column
    condition: Condition
    otherwise: Condition | None = None

    def values(self, rows: IndexArray) -> NDArray[np.float32]:
        return self.condition.holds(self.column)[rows].astype(np.float32)

    n_values: ClassVar[int] = 2

    def conditions(self, low: int, high: int, *, negations: bool) -> list[Condition]:  # noqa: ARG002  # 1 or 0
        """State that the condition holds (1) or not (0); without negations nothing where that takes one."""
        stated = self.condition if low else ~self.condition if negations else self.otherwise
        return [] if stated is None else [stated]


Feature = Ranks | Holds


def forest_features(table: Table, groups: Groups, categorical: Collection[str]) -> list[Feature]:
    """Give what a forest may split by: the ranks of ordered columns, a condition for each value that may be named."""
    result: list[Feature] = []
    for _, column in sorted(table.columns.items()):  # so that their order decides no tie
        seen = count_values(column, groups, table.row_counts)
        if seen.missing.any() and seen.present.any():
            result.append(Holds(column, Condition(column.name, "missing")))
        if is_category(column, seen, categorical):
            values = [value_of(column, seen, i) for i in named_values(seen)]
            each = [Condition(column.name, "==", value) for value in values]
            if seen.n_distinct <= 2:  # one 0/1 column is enough
                result += [Holds(column, is_it, each[0]) for is_it in each[1:]]
            else:
                result += [Holds(column, is_it) for is_it in each]
        elif seen.n_distinct > 1:
            result.append(Ranks(column, seen))
    return result


def paths_of(tree: Any, wanted: BoolArray | None = None) -> Iterator[list[tuple[int, int, bool]]]:
    """Give the steps to every node but the root, or to those wanted: feature, cut position, and whether to go right."""
    pending: list[tuple[int, list[tuple[int, int, bool]]]] = [(0, [])]
    while pending:
        node, path = pending.pop()
        if path and (wanted is None or wanted[node]):
            yield path
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left >= 0:
            feature, position = int(tree.feature[node]), int(np.floor(tree.threshold[node])) + 1
            pending.append((left, [*path, (feature, position, False)]))
            pending.append((right, [*path, (feature, position, True)]))


def merged(
    path: Sequence[tuple[int, int, bool]], features: Sequence[Feature], *, negations: bool = True
) -> tuple[Condition, ...]:
    """State each column's steps in one condition; () if they cannot all hold.

    Without negations, a step to where a condition does not hold is left out, unless another condition states it.
    """
    bounds: dict[int, tuple[int, int]] = {}
    for j, position, right in path:
        low, high = bounds.get(j, (0, features[j].n_values))
        bounds[j] = (max(low, position), high) if right else (low, min(high, position))
    if any(low >= high for low, high in bounds.values()):
        return ()
    stated = (features[j].conditions(low, high, negations=negations) for j, (low, high) in bounds.items())
    conditions = needed(one for several in stated for one in several)
    return tuple(sorted(conditions, key=lambda condition: condition.sort_key))

"""`tree_rules`: paths of small decision trees between outliers and normals, as candidate rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from pyod_explain.bits import unpack
from pyod_explain.coverage import Coverage
from pyod_explain.growth.pool import Cut, Pool, RankedColumn, write_tag
from pyod_explain.input import Column
from pyod_explain.tags import Condition, Tag, paths_of

MAX_TREE_NORMALS = 5_000  # that a tree sees
MAX_TREE_FEATURES = 100
Step = tuple[int, int, bool]  # feature, cut position, and whether to go right


def tree_rules(
    columns: Sequence[RankedColumn], pool: Pool, coverage: Coverage, group: int, max_length: int, *, negations: bool
) -> list[Tag]:
    """Return the paths to the nodes of two trees, one of which gives outliers and normals equal weight.

    Each path also comes with each of its conditions left out, since the first splits of a tree serve all rows and may
    be needless for one path.

    Parameters
    ----------
    columns : the ordered columns.
    pool : conditions; those on other columns are features of 0 and 1.
    coverage : which rows are normals and outliers.
    group : 0-based; outliers of other groups are left out.
    max_length : most conditions of a rule.
    negations : False for no condition that states what a value is not.
    """
    starts = np.cumsum([0, *coverage.group_table_rows])
    own = slice(int(starts[group]), int(starts[group + 1]))
    n_own, n_normals = own.stop - own.start, len(coverage.normal_rows)
    some = np.unique(np.linspace(0, n_normals - 1, min(n_normals, MAX_TREE_NORMALS)).astype(np.intp))
    categories = np.flatnonzero(pool.column < 0).tolist()
    if not n_own or not n_normals or not (columns or categories):
        return []
    seen = np.empty((n_own + len(some), len(columns) + len(categories)), dtype=np.float32, order="F")
    for j, column in enumerate(columns):
        seen[:n_own, j], seen[n_own:, j] = column.outliers[own], column.normals[some]
    for j, i in enumerate(categories, start=len(columns)):
        seen[:n_own, j] = coverage.outlier_mask(pool.outliers[i], group)
        seen[n_own:, j] = unpack(pool.normals[i], n_normals)[some]
    named = [pool.given[pool.position[i]] for i in categories]
    values = [(_negation(one, pool.source.table[one.column]) if negations else None, one) for one in named]
    is_own = np.arange(len(seen)) < n_own
    counts = np.ones(len(seen))
    if coverage.normal_row_counts is not None and coverage.group_row_counts is not None:
        counts = np.concatenate([coverage.group_row_counts[group], coverage.normal_row_counts[some]]).astype(float)
    found: dict[Tag, None] = {}
    for times in {1.0, max(np.round(counts[~is_own].sum() / counts[is_own].sum()), 1.0)}:
        tree = DecisionTreeClassifier(max_depth=max_length + 2, random_state=0)
        # Weights are whole numbers: their sums do not depend on the order of the rows.
        tree.fit(seen, is_own, sample_weight=np.where(is_own, counts * times, counts))
        shares = tree.tree_.value[:, 0, -1]
        for path in paths_of(tree.tree_, shares > shares[0]):  # with more of the outliers than the root
            for steps in (path, *(path[:i] + path[i + 1 :] for i in range(len(path)))):
                conditions = _conditions(steps, columns, values)
                if conditions and len(tag := write_tag(conditions)) <= max_length:
                    found[tag] = None
    return list(found)


def _negation(condition: Condition, column: Column) -> Condition | None:
    """State that a condition on values does not hold; of two values, that it is the other one."""
    if condition.op not in ("==", "!=", "in", "not in"):
        return None
    others = [value for value in column.categories if value != condition.value]
    is_other = condition.op == "==" and len(others) == 1 and not column.missing.any()
    return Condition(condition.column, "==", others[0]) if is_other else ~condition


def _conditions(
    steps: Sequence[Step], columns: Sequence[RankedColumn], values: Sequence[tuple[Condition | None, Condition]]
) -> list[Condition | Cut]:
    """Convert the steps to conditions; of several on one side of a column keep the last."""
    cuts: dict[tuple[int, bool], Cut] = {}
    others: list[Condition | Cut] = []
    for feature, position, right in steps:
        if feature < len(columns):
            if 0 < position < columns[feature].n_distinct:
                cuts[feature, right] = Cut(columns[feature], position, right)
        elif (one := values[feature - len(columns)][right]) is not None:
            others.append(one)
    return [*cuts.values(), *others]

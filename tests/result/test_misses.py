"""By how much rows miss rules, judged row by row in plain Python."""

import math

import numpy as np
import pandas as pd
from by_hand import explain_by, explanations
from hypothesis import given

from pyod_explain import Condition, Tag
from pyod_explain.input import as_table
from pyod_explain.result import Misses, distance, misses


def slow(condition, table, i, summary):
    """How far one cell is from meeting a condition, or None where it does."""
    column = table[condition.column]
    if condition.holds(column)[i]:
        return None
    facts = summary.facts(condition.axis)
    ordered = condition.axis == condition.column and condition.op in ("<", "<=", ">", ">=", "between")
    if not ordered or not column.has_order or column.missing[i]:
        return 1.0
    ends = condition.value if condition.op == "between" else (condition.value,)
    return min(distance(column.cell(i), end, facts) for end in ends)


@given(explanations())
def test_misses_agree_with_the_slow_reading(case):
    frame, _, e = case
    table = as_table(frame)
    found = misses(e.rules, table, e.summary)
    for i in range(table.n_rows):
        expected = []
        for rule in e.rules:
            far = [slow(c, table, i, e.summary) for c in rule.tag.sorted]
            expected.append((sum(one is not None for one in far), sum(one for one in far if one is not None)))
        assert found.failing[i].tolist() == [fails for fails, _ in expected]
        for j, (_, far) in enumerate(expected):
            assert math.isclose(found.distance[i, j], far, rel_tol=1e-9, abs_tol=1e-9) or math.isinf(far)


def test_fewest_failing_conditions_come_before_the_distance():
    found = Misses(np.array([[2, 1, 1], [0, 0, 3]]), np.array([[0.1, 9.0, 8.0], [5.0, 5.0, 0.0]]))
    assert found.nearest(np.ones((2, 3), dtype=bool)).tolist() == [2, 0]
    assert found.nearest(np.array([[True, True, False], [False, False, True]])).tolist() == [1, 2]
    assert found.nearest(np.zeros((2, 3), dtype=bool)).tolist() == [-1, -1]
    assert Misses(np.zeros((2, 0), dtype=int), np.zeros((2, 0))).nearest(np.zeros((2, 0), bool)).tolist() == [-1, -1]


def test_what_is_infinitely_far_away_still_has_a_nearest_rule_among_the_fewest():
    found = Misses(np.array([[2, 1, 1]]), np.array([[0.0, np.inf, np.inf]]))
    assert found.nearest(np.ones((1, 3), dtype=bool)).tolist() == [1]


def test_a_column_of_another_kind_than_was_explained_is_one_step_away():
    X = pd.DataFrame({"x": [1, 2, 9]})
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0, 0, 1])
    found = misses(e.rules, as_table(pd.DataFrame({"x": ["many"]})), e.summary)
    assert (found.failing.tolist(), found.distance.tolist()) == ([[1]], [[1.0]])

"""Could it be chance? p-values redone by hand."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from pyod_explain import Condition, Tag, explain
from pyod_explain.input import as_table
from pyod_explain.result.significance import DistinctRules, log_tail, p_value
from pyod_explain.tags import Relation


def exact_tail(own, bad, size, normals):
    """The chance that as many rows drawn blindly have as many of those that match, as a fraction."""
    ways = sum(math.comb(size, i) * math.comb(normals, own + bad - i) for i in range(own, min(size, own + bad) + 1))
    return Fraction(ways, math.comb(size + normals, own + bad))


@given(st.integers(1, 40), st.integers(1, 90), st.data())
def test_the_tail_is_the_sum_of_fractions(size, normals, data):
    own, bad = data.draw(st.integers(0, size)), data.draw(st.integers(0, normals))
    tail = exact_tail(own, bad, size, normals)
    expected = math.log(tail.numerator) - math.log(tail.denominator)
    assert log_tail(own, bad, size, normals) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("scale", [1, 1000, 2**24])
@pytest.mark.parametrize("deviations", [2.0, 5.0, 9.0])
def test_the_tail_of_large_counts_is_nearly_normal(scale, deviations):
    """Half of as many outliers as normals match, and some more of the outliers."""
    size = 10_000 * scale
    more = round(deviations * math.sqrt(size / 8))
    expected = norm.logsf((more - 0.5) / math.sqrt(size / 8))
    assert log_tail(size // 2 + more, size // 2 - more, size, size) == pytest.approx(expected, rel=2e-3)


def test_a_perfect_rule_of_large_counts_is_one_draw_of_all():
    size, normals = 30 * 2**32, 270 * 2**32
    nats = -(size * math.log(size / (size + normals)) + normals * math.log(normals / (size + normals)))
    assert log_tail(size, 0, size, normals) == pytest.approx(-nats, rel=1e-6)
    assert p_value(size, 0, size, normals, log_count=50.0) == 0.0


@pytest.mark.parametrize("n_groups", [1, 2])
def test_the_p_value_is_the_tail_times_the_rules_and_the_given_groups(n_groups):
    X = pd.DataFrame({"c": [*"yyyyxyxxxxxxxxxxxxxxxxxx"]})
    y = np.repeat([1, 0], [5, 19])
    tag = Tag.of(Condition("c", "==", "y"))
    if n_groups > 1:
        X, y = pd.concat([X, pd.DataFrame({"c": ["z"]})], ignore_index=True), [*y, 2]
    e = explain_by([[tag], [Tag.of(Condition("c", "==", "z"))]][:n_groups], X, y)
    n_values = X["c"].nunique()
    assert e.rules[0].p_value == pytest.approx(float(exact_tail(4, 1, 5, 19)) * n_values * n_groups, rel=1e-9)


X = pd.DataFrame(
    {
        "a": np.arange(60.0), "b": np.arange(60) % 4, "c": [*"abcdef"] * 10, "gone": [None, 1.0] * 30,
        "t": pd.date_range("2024-01-01", periods=60, freq="7h"),
    }
)  # fmt: skip


@pytest.mark.parametrize(
    ("conditions", "n_rules"),
    [
        ([("a", "<", 3)], 7 * 20),  # five columns, an hour, a weekday; 10 cuts, two directions
        ([("b", "<", 3)], 7 * 6),
        ([("c", "!=", "a")], 7 * 6),
        ([("c", "in", ["a", "b", "d"])], 7 * 20),
        ([("gone", "missing", None)], 7 * 2),
        ([("a", "between", (3, 9))], 7 * 200),
        ([("a", "<", 3), ("b", ">", 2)], 7 * 6 / 2 * 20 * 6),
        ([("a", "<", 3), ("b", ">", 2), ("c", "in", ["a", "b"])], 7 * 6 * 5 / 2 * 20 * 6 * 15),
        ([(Relation("a", "-", "b"), "<", 3)], 3 * 4 * 20),  # three pairs of numbers, four operations
        ([(Relation("a", "-", "b"), "<", 3), ("c", "==", "a")], 3 * 4 * 20 * 7 * 6),
    ],
)
def test_rules_that_can_be_told_apart_are_counted_by_hand(conditions, n_rules):
    rules = DistinctRules(as_table(X))
    found = rules.log_count(Tag.of(*(Condition(*one) for one in conditions)), n_outliers=30)
    assert math.exp(found) == pytest.approx(n_rules)
    few = rules.log_count(Tag.of(Condition("a", "<", 3)), n_outliers=2)  # which tell few cuts apart
    assert math.exp(few) == pytest.approx(7 * 4)


@pytest.mark.parametrize(("ends", "n_rules"), [((500, 1500), 200), ((1000, 1119), 250), ((1000, 1002), 3000)])
def test_a_narrow_interval_could_be_at_many_places(ends, n_rules):
    """3,000 / m intervals of m values fit side by side; ten times as many are told apart, at most 3,000."""
    rules = DistinctRules(as_table(pd.DataFrame({"x": np.arange(3000.0)})))
    assert math.exp(rules.log_count(Tag.of(Condition("x", "between", ends)), n_outliers=10)) == pytest.approx(n_rules)


def test_groups_made_from_the_columns_are_tested_as_outliers_not_as_groups():
    """A rule that only says where k-means has cut is no evidence, however well it fits its group."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.normal(size=2000)})
    y = np.zeros(2000, dtype=int)
    y[rng.choice(2000, 200, replace=False)] = 1
    e = explain(y, X, groups=4)
    assert len(e.rules) >= 3
    assert not any(rule.significant for rule in e.rules)
    # the same groups, given by somebody who had other reasons for them, are described truly
    named = np.zeros(2000, dtype=int)
    for group in e.groups:
        named[list(group.rows)] = group.number
    assert all(rule.significant for rule in explain(named, X).rules)


@pytest.mark.parametrize("options", [{}, {"tags": "itemsets"}, {"tags": "forest"}, {"groups": 2}, {"method": "wccm"}])
def test_rows_that_stand_for_billions_keep_a_perfect_rule(options):
    X = pd.DataFrame({"x": np.arange(300) % 17, "c": [*"z" * 30, *"ab" * 135]})
    e = explain(np.repeat([1, 0], [30, 270]), X, counts=np.full(300, 2**32), **options)
    assert e.summary.explains
    assert sum(group.n_explained for group in e.groups) == 30 * 2**32
    assert all(rule.significant for rule in e.rules)

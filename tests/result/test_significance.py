"""Could it be chance? p-values redone by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact, hypergeom

from pyod_explain import WCCM, Condition, Tag, explain
from pyod_explain.input import as_table
from pyod_explain.tags import Language


def p_values(own, bad, size, normals, n_groups=1):
    """The p-value of a rule that matches so many of a given group and of the normals; and what it multiplies."""
    X = pd.DataFrame({"c": np.repeat(list("yxyx"), [own, size - own, bad, normals - bad])})
    y = np.repeat([1, 0], [size, normals])
    tag = Tag.of(Condition("c", "==", "y"))
    if n_groups > 1:
        X, y = pd.concat([X, pd.DataFrame({"c": ["z"]})], ignore_index=True), [*y, 2]
    e = explain_by([[tag], [Tag.of(Condition("c", "==", "z"))]][:n_groups], X, y)
    return e.rules[0].p_value, 2 ** Language(as_table(X)).rule_bits(tag) * n_groups


@given(st.integers(1, 30), st.integers(1, 60), st.integers(1, 2), st.data())
@settings(deadline=None)
def test_the_p_value_is_fishers_times_the_rules_as_short_and_the_groups(size, normals, n_groups, data):
    own, bad = data.draw(st.integers(0, size)), data.draw(st.integers(0, normals))
    found, tried = p_values(own, bad, size, normals, n_groups)
    table = [[own, bad], [size - own, normals - bad]]
    assert found == pytest.approx(min(tried * fisher_exact(table, alternative="greater").pvalue, 1), rel=1e-6)


def test_a_rule_by_luck_is_called_not_significant():
    X = pd.DataFrame({"x": [1, 2, 3, 4, 5, 99]})
    e = explain([0, 0, 0, 0, 0, 1], X, method=WCCM(weight=10.0))
    assert not e.rules[0].significant
    assert "not significant" in str(e)
    assert '<span class="weak">not significant</span>' in e.to_html()


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


@pytest.mark.parametrize("counts", [(30_500, 29_500, 50_000, 50_000), (30_000, 300_000, 60_000, 700_000)])
def test_the_middle_of_a_long_sum_is_the_sum(counts):
    own, bad, size, normals = counts
    found, tried = p_values(*counts)
    expected = hypergeom.logsf(own - 1, size + normals, own + bad, size) + math.log(tried)
    assert math.log(found) == pytest.approx(min(expected, 0), rel=1e-6, abs=1e-9)

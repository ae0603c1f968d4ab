"""Could it be chance? p-values redone by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact, hypergeom

from pyod_explain import WCCM, explain
from pyod_explain.datasets import make_planted
from pyod_explain.input import as_table
from pyod_explain.result import significance
from pyod_explain.tags import Language


@pytest.fixture(scope="module")
def planted():
    return make_planted(600, 2, 40, random_state=0)


@given(st.integers(1, 30), st.integers(1, 60), st.data())
@settings(deadline=None)
def test_the_p_value_is_fishers(size, normals, data):
    own, bad = data.draw(st.integers(0, size)), data.draw(st.integers(0, normals))
    mine = significance(n_outliers=own, n_normals=bad, group_size=size, total_normals=normals)
    table = [[own, bad], [size - own, normals - bad]]
    assert mine == pytest.approx(fisher_exact(table, alternative="greater").pvalue, rel=1e-6)


def test_the_correction_multiplies_and_stops_at_one():
    counts = {"n_outliers": 5, "n_normals": 1, "group_size": 6, "total_normals": 100}
    plain = significance(**counts)
    assert plain == pytest.approx(hypergeom.sf(4, 106, 6, 6))
    assert significance(**counts, log_tried=math.log(1000)) == pytest.approx(1000 * plain)
    assert significance(**counts, log_tried=1e6) == 1.0
    assert significance(n_outliers=0, n_normals=3, group_size=5, total_normals=9) == 1.0


def test_a_rule_by_luck_is_called_not_significant():
    X = pd.DataFrame({"x": [1, 2, 3, 4, 5, 99]})
    e = explain([0, 0, 0, 0, 0, 1], X, method=WCCM(weight=10.0))
    assert not e.rules[0].significant
    assert "not significant" in str(e)
    assert '<span class="weak">not significant</span>' in e.to_html()


def test_a_rule_is_corrected_for_all_that_could_be_said_as_shortly(planted):
    """Given groups: the group against the normals, times the rules of that many bits, times the groups."""
    e = explain(planted.y, planted.X)
    rule = next(rule for rule in e.rules if len(rule.tag) == 2)
    plain = significance(
        n_outliers=rule.n_outliers,
        n_normals=rule.n_normals,
        group_size=rule.group_size,
        total_normals=rule.total_normals,
    )
    bits = Language(as_table(planted.X)).rule_bits(rule.tag)
    assert rule.p_value == pytest.approx(plain * 2**bits * len(e.groups), rel=1e-6)


def test_groups_made_from_the_columns_are_tested_as_outliers_not_as_groups():
    """A rule that only says where k-means has cut is no evidence, however well it fits its group."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.normal(size=2000)})
    y = np.zeros(2000, dtype=int)
    y[rng.choice(2000, 200, replace=False)] = 1
    e = explain(y, X, groups=4)
    assert len(e.rules) >= 3
    assert not any(rule.significant for rule in e.rules)
    for rule in e.rules:
        plain = significance(
            n_outliers=rule.n_outliers + rule.n_others, n_normals=rule.n_normals, group_size=200, total_normals=1800
        )
        assert rule.p_value >= plain
    # the same groups, given by somebody who had other reasons for them, are described truly
    named = np.zeros(2000, dtype=int)
    for group in e.groups:
        named[list(group.rows)] = group.number
    assert all(rule.significant for rule in explain(named, X).rules)


@pytest.mark.parametrize(
    ("n_outliers", "n_normals", "group_size", "total_normals"),
    [(30_500, 29_500, 50_000, 50_000), (29_900, 30_100, 50_000, 50_000), (30_000, 300_000, 60_000, 700_000)],
)
def test_the_middle_of_a_long_sum_is_the_sum(n_outliers, n_normals, group_size, total_normals):
    total, matching = group_size + total_normals, n_outliers + n_normals
    expected = hypergeom.logsf(n_outliers - 1, total, matching, group_size)
    found = significance(n_outliers=n_outliers, n_normals=n_normals, group_size=group_size, total_normals=total_normals)
    assert math.log(found) == pytest.approx(float(expected), rel=1e-6, abs=1e-9)

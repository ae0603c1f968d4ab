import numpy as np
import pandas as pd
import pytest

from pyod_explain import Explanation, explain
from pyod_explain.datasets import make_planted
from pyod_explain.group_choice import SAMPLE_NORMALS, SMALLEST, choose_groups
from pyod_explain.groups import Groups
from pyod_explain.input.labels import read_labels
from pyod_explain.input.read import as_table
from pyod_explain.tags import TagSet, make_tags


def make(table, groups):
    return make_tags("itemsets", table, groups)


@pytest.fixture(scope="module")
def two_reasons():
    """Outliers of two kinds that lie far apart."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=600), "b": rng.normal(size=600)})
    X.loc[:29, "a"] += 20
    X.loc[30:59, "b"] -= 20
    return X, np.repeat([1, 0], [60, 540])


def test_two_kinds_of_outliers_are_two_groups_by_net_bits(two_reasons):
    X, y = two_reasons
    groups = choose_groups(as_table(X), read_labels(y, 600), make)
    assert np.bincount(groups.numbers).tolist() == [540, 30, 30]
    curve = groups.curve
    assert curve["net"].to_numpy() == pytest.approx((curve["mdl"] - curve["split"]).to_numpy())
    assert curve.loc[2, "net"] < curve.loc[1, "net"] - 50
    assert curve.loc[1, "split"] == 0


def test_the_choice_and_the_curve_are_on_the_explanation(two_reasons):
    X, y = two_reasons
    e = explain(y, X)
    assert [group.size for group in e.groups] == [30, 30]
    assert e.group_curve.loc[2, "net"] < e.group_curve.loc[1, "net"]
    assert Explanation.from_json(e.to_json()) == e
    assert explain(y, X, groups=2).group_curve is None


def test_of_numbers_that_differ_little_the_smaller_is_taken():
    """One blob of outliers with one reason: splitting it tells nothing."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": np.r_[rng.normal(30, 1, 40), rng.normal(size=500)], "b": rng.normal(size=540)})
    assert len(explain(np.repeat([1, 0], [40, 500]), X).groups) == 1


def test_no_group_is_below_the_smallest_size():
    planted = make_planted(3000, n_groups=3, random_state=3)
    groups = choose_groups(as_table(planted.X), read_labels((planted.y > 0).astype(int), 3000), make)
    assert np.bincount(groups.numbers)[1:].min() >= SMALLEST


def test_few_outliers_are_one_group_without_a_choice():
    X = pd.DataFrame({"a": [*range(50), 900, 950]})
    groups = choose_groups(as_table(X), read_labels([0] * 50 + [1] * 2, 52), make)
    assert groups.n_groups == 1
    assert groups.curve is None


def test_large_tables_are_sampled_for_the_choice_alone():
    seen = []

    def watched(table, groups) -> TagSet:
        seen.append(table.n_rows)
        return make(table, groups)

    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": np.r_[rng.normal(size=12_000), rng.normal(50, 1, 20), rng.normal(-50, 1, 20)]})
    groups = choose_groups(as_table(X), read_labels(np.repeat([0, 1], [12_000, 40]), 12_040), watched)
    assert isinstance(groups, Groups)
    assert max(seen) == SAMPLE_NORMALS + 40
    assert len(groups.numbers) == 12_040

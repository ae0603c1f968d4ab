"""Paths of decision trees as candidates."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Coverage
from pyod_explain.groups import Groups
from pyod_explain.growth import Conditions, rank_columns
from pyod_explain.growth.trees import tree_rules
from pyod_explain.input import as_table
from pyod_explain.tags import Condition, Prices

CATEGORIES = [Condition("kind", "==", one) for one in "abc"]


def planted(n=2_000):
    """Outliers are who is no `a` and has a large v."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"v": rng.normal(size=n), "w": rng.normal(size=n), "kind": rng.choice(list("abc"), n)})
    return X, ((X["v"] > 1) & (X["kind"] != "a")).to_numpy().astype(int)


def rules_of(X, y, max_length=3, *, negations=True, row_counts=None, categories=CATEGORIES):
    table, groups = as_table(X).by_name(), Groups(np.asarray(y), ("1",), "given")
    table = replace(table, row_counts=row_counts)
    coverage = Coverage.from_tags(table, [], groups)
    lines = rank_columns(table, groups, coverage, ())
    pool = Conditions(table, coverage, lines, Prices(table)).pool(categories)
    return tree_rules(lines, pool, coverage, 0, max_length, negations=negations)


@pytest.mark.parametrize("max_length", [1, 2, 3])
@pytest.mark.parametrize("negations", [True, False])
def test_paths_are_as_long_as_may_be_and_say_no_more_than_they_may(max_length, negations):
    found = rules_of(*planted(), max_length, negations=negations)
    assert 0 < max(map(len, found)) <= max_length
    assert any(c.negates for tag in found for c in tag.conditions) == negations
    assert len(set(found)) == len(found)


def test_of_two_values_the_other_one_is_named():
    X, y = planted()
    X = X.assign(kind=np.where(X["kind"] == "a", "a", "b"))
    found = {one for tag in rules_of(X, y, categories=CATEGORIES[:1]) for one in tag.conditions if one.column == "kind"}
    assert found == {CATEGORIES[1]}


def test_the_cause_is_among_them_and_each_condition_is_also_left_out():
    X, y = planted()
    found = rules_of(X, y)
    assert any((tag.covers(X) == (y == 1)).mean() > 0.99 and len(tag) == 2 for tag in found)
    [cause] = [tag for tag in found if (tag.covers(X) == (y == 1)).all()]
    assert {frozenset({one}) for one in cause.conditions} <= {tag.conditions for tag in found}


def test_the_order_of_rows_and_columns_does_not_matter_and_rows_may_stand_for_many():
    X, y = planted()
    order = np.random.default_rng(1).permutation(len(X))
    assert set(rules_of(X.iloc[order][["kind", "w", "v"]], y[order])) == set(rules_of(X, y))
    copies = np.random.default_rng(2).integers(1, 4, len(X))
    assert set(rules_of(X, y, row_counts=copies)) == set(rules_of(X.loc[X.index.repeat(copies)], y.repeat(copies)))


def test_without_normals_there_are_none():
    X, y = planted(50)
    assert rules_of(X, np.ones_like(y)) == []

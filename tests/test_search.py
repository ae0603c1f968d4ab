"""One search, which everybody calls who looks for rules, and no view."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Condition, OutlierExplainer, Tag, explain
from pyod_explain.datasets import make_planted
from pyod_explain.groups import split_outliers
from pyod_explain.input import as_table, read_labels
from pyod_explain.search import search
from pyod_explain.settings import Settings

search_module = import_module("pyod_explain.search")
PLANTED = make_planted(600, 2, 40, random_state=0)
TABLE = as_table(PLANTED.X).by_name()
OUTLIERS = read_labels((PLANTED.y > 0).astype(int), len(PLANTED.y))


@pytest.fixture
def searches(monkeypatch):
    """The number of rows of every search that is run from here on."""
    select, seen = search_module._select_and_grow, []

    def counted(table, *args):
        seen.append(table.n_rows)
        return select(table, *args)

    monkeypatch.setattr(search_module, "_select_and_grow", counted)
    return seen


def test_groups_are_taken_as_they_are():
    settings = Settings(groups=3, relations=False)
    groups = split_outliers(2, OUTLIERS, TABLE)
    assert search(TABLE, groups, settings).groups is groups
    assert search(TABLE, OUTLIERS, settings).groups.n_groups == 3


def test_the_column_of_the_groups_describes_none():
    X = PLANTED.X.assign(which=np.where(PLANTED.y > 0, PLANTED.y, 1))
    found = search(as_table(X), OUTLIERS, Settings(groups="which", relations=False))
    assert "which" not in found.table.columns
    assert found.groups.n_groups == 2


def test_progress_names_the_stages_in_order():
    said = []
    search(TABLE, OUTLIERS, Settings(groups=1, relations=False), step=lambda *one: said.append(one))
    assert said == [("groups", 0.0), ("tags", 0.25), ("coverage", 0.5), ("selection", 0.75)]


def test_tags_beside_auto_are_chosen_from_and_not_changed():
    X = pd.DataFrame(np.random.default_rng(0).uniform(-1, 1, (800, 4)), columns=list("abcd"))
    own = Tag.of(*[Condition(name, ">=", 0) for name in X])  # longer than what is grown
    e = explain(own.covers(X).astype(int), X, tags=["auto", own], max_length=2)
    assert [rule.tag for rule in e.rules] == [own]


def test_an_interval_is_one_condition_and_is_found_where_neither_end_tells_much():
    X = pd.DataFrame(np.random.default_rng(1).normal(size=(2000, 3)), columns=list("abc")).round(3)
    kinds = (X.a.abs() < 0.02, X.b > 2.2, (X.b < -1.2) & X.c.between(-0.2, 0.2) & (X.a > 0.5))
    e = explain(np.logical_or.reduce(kinds).astype(int), X)
    assert sorted([rule.n_normals, *map(str, rule.tag.columns)] for rule in e.rules) == [
        [0, "a"],
        [0, "a", "b", "c"],
        [0, "b"],
    ]


@pytest.mark.parametrize("method", ["pdm", "dtdm"])
def test_methods_for_which_nothing_is_grown_choose_from_itemsets(method):
    X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
    assert str(explain([0] * 50 + [1] * 3, X, method=method).rules[0].tag) == "amount >= 500"


# --- who searches -----------------------------------------------------------------------------------------------------


def test_explain_searches_once_and_each_check_as_often_as_it_must(searches):
    e = explain(PLANTED.y, PLANTED.X)
    n = len(PLANTED.y)
    assert searches == [n]
    e.validate(3)
    assert searches[1:] == [n - n // 3] * 3
    del searches[:]
    e.placebo_test(2)
    assert searches == [int((PLANTED.y == 0).sum())] * 2


def test_the_users_own_tags_are_joined_once(searches):
    own = pd.DataFrame({"own": PLANTED.y > 0}, index=PLANTED.X.index)
    OutlierExplainer(tags=own).fit(PLANTED.X, PLANTED.y)
    assert searches == [len(PLANTED.y)]

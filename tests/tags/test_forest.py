"""Forest rules: conditions on one column are merged, and rules are bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from tag_tables import grouped

from pyod_explain.input import as_table
from pyod_explain.tags import ForestRules, forest


def test_forest_rules_merge_the_conditions_on_one_column() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": np.r_[rng.uniform(0, 100, 900), rng.uniform(40, 50, 60)]})
    made = ForestRules(n_estimators=10).make(as_table(frame), grouped([0] * 900 + [1] * 60))
    assert all(len(tag) == 1 for tag in made.tags)
    assert any(condition.op == "between" for tag in made.tags for condition in tag.conditions)


def test_forest_rules_join_values_that_are_ruled_out() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": np.r_[rng.choice(list("abc"), 900), rng.choice(list("defgh"), 100)]})
    made = ForestRules(n_estimators=30).make(as_table(frame), grouped([0] * 900 + [1] * 100))
    assert "c is none of 'a', 'b', 'c'" in [str(tag) for tag in made.tags]


def test_forest_rules_are_bounded_by_n_rules_over_all_groups(shop: Any) -> None:
    made = ForestRules(n_rules=30).make(as_table(shop[0]), shop[1])
    assert len(made.tags) <= 30
    assert any("n_rules=30" in note for note in made.notes)


def test_forest_rules_differ_with_the_seed(shop: Any) -> None:
    table, groups = as_table(shop[0]), shop[1]
    one, other = (ForestRules(n_estimators=5, random_state=seed).make(table, groups).tags for seed in (0, 1))
    assert one != other


def test_a_forest_that_saw_all_rows_outside_its_group_says_nothing(monkeypatch: Any) -> None:
    monkeypatch.setattr(forest, "MAX_FOREST_CELLS", 0)
    monkeypatch.setattr(forest, "MIN_FOREST_ROWS", 30)
    table = as_table(pd.DataFrame({"x": range(40)}))
    made = [ForestRules(n_estimators=2).make(table, grouped(np.arange(40) >= n)).notes for n in (30, 31)]
    assert made[0] == ()
    assert made[1][0].startswith("Each forest saw at most 30 of the rows outside its group")

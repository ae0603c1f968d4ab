"""What each column adds to the rules that match a row."""

import math

import numpy as np
import pandas as pd
from by_hand import explain_by, explanations
from hypothesis import given

from pyod_explain import Condition, Relation, Tag
from pyod_explain.result import rule_bits


@given(explanations())
def test_contributions_add_up_to_the_bits_of_the_rules_that_match(case):
    frame, _, e = case
    found = e.contributions(frame)
    assert list(found.columns) == list(frame.columns)
    assert (found.to_numpy() >= 0).all()
    bits = [math.log2((rule.total_normals + 1) / (rule.n_normals + 1)) for rule in e.rules]
    for i, hits in enumerate(e.matches(frame)):
        total = sum(bits[j] for j in np.flatnonzero(hits))
        assert math.isclose(found.iloc[i].sum(), total, abs_tol=1e-9)
    named = {name for rule in e.rules for name in rule.tag.columns}
    assert all((found[name] == 0).all() for name in frame.columns if name not in named)


def test_a_rule_is_split_by_how_rare_its_conditions_are():
    X = pd.DataFrame({"x": [0, 0, 0, 9, 9, 9, 9, 9], "y": [1, 0, 0, 0, 0, 0, 0, 1], "z": 5})
    e = explain_by([[Tag.of(Condition("x", ">", 5), Condition("y", ">", 0))]], X, [0] * 7 + [1])
    found = e.contributions(X)
    x, y = math.log2(8 / 5), math.log2(8 / 2)  # 4 of the 7 normals have x > 5, 1 has y > 0, none both: 3 bits
    assert np.allclose(found.iloc[7], [3 * x / (x + y), 3 * y / (x + y), 0])
    assert (found.iloc[:7] == 0).all(axis=None)
    assert found.equals(e.get_outlier_explainability_scores(X))


def test_a_relation_gives_half_to_each_column():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 9.0], "b": [1.0, 2.0, 3.0, 1.0]})
    e = explain_by([[Tag.of(Condition(Relation("a", "-", "b"), ">", 5))]], X, [0, 0, 0, 1])
    assert e.contributions(X).iloc[3].tolist() == [1.0, 1.0]


def test_conditions_that_all_normals_meet_share_alike():
    X = pd.DataFrame({"a": [9, 9, 9], "b": [9, 9, 9]})
    e = explain_by([[Tag.of(Condition("a", ">", 5), Condition("b", ">", 5))]], X, [0, 0, 1])
    assert e.contributions(X).to_numpy().sum() == 0
    assert rule_bits(2, 2) == 0


def test_an_array_has_its_columns_too():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [90.0, 5.0]])
    named = pd.DataFrame(X, columns=["x0", "x1"])
    e = explain_by([[Tag.of(Condition("x0", ">", 5))]], named, [0, 0, 0, 1])
    assert e.contributions(X).to_dict("list") == {"x0": [0, 0, 0, 2], "x1": [0, 0, 0, 0]}

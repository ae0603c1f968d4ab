"""Which rows match which rules, by how much others miss them, and what each column contributes."""

import math

import numpy as np
import pandas as pd
from by_hand import explain_by, explanations
from hypothesis import given

from pyod_explain import Condition, Relation, Tag
from pyod_explain.input import as_table
from pyod_explain.result.match import distance


@given(explanations())
def test_predict_and_transform_agree(made):
    frame, _, e = made
    matches = e.transform(frame)
    assert (e.predict(frame) > 0).tolist() == matches.any(axis=1).tolist()
    assert matches.shape == (len(frame), len(e.rules))


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
def test_the_nearest_rule_is_that_of_the_slow_reading(case):
    frame, _, e = case
    table = as_table(frame)
    for i, line in enumerate(e.to_rows(frame).itertuples()):
        missed = []
        for j, rule in enumerate(e.rules):
            far = [one for c in rule.tag.sorted if (one := slow(c, table, i, e.summary)) is not None]
            missed.append((len(far), sum(far), j))
        if not missed or not min(missed)[0]:
            assert line.nearest is None
            continue
        fails, far, _ = min(missed)
        ties = [j for n, other, j in missed if n == fails and math.isclose(other, far, rel_tol=1e-9)]
        assert line.nearest in [e.rules[j].text for j in ties]
        assert math.isclose(line.distance, far, rel_tol=1e-9, abs_tol=1e-9) or math.isinf(far)


def test_fewest_failing_conditions_come_before_the_distance():
    X = pd.DataFrame({"x": [0.0, 1.0, 1e3], "c": ["a", "b", "z"]})
    near = Tag.of(Condition("x", ">", 5), Condition("c", "==", "z"))
    e = explain_by([[near, Tag.of(Condition("x", ">", 900))]], X, [0, 0, 1])
    assert e.for_row({"x": 1.0, "c": "a"}).nearest.tag == Tag.of(Condition("x", ">", 900))
    assert e.for_row({"x": 1.0, "c": "z"}).nearest.tag == near


def test_a_column_of_another_kind_than_was_explained_is_one_step_away():
    X = pd.DataFrame({"x": [1, 2, 9]})
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0, 0, 1])
    assert e.for_row({"x": "many"}).distance == 1.0


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


def test_a_relation_gives_half_to_each_column():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 9.0], "b": [1.0, 2.0, 3.0, 1.0]})
    e = explain_by([[Tag.of(Condition(Relation("a", "-", "b"), ">", 5))]], X, [0, 0, 0, 1])
    assert e.contributions(X).iloc[3].tolist() == [1.0, 1.0]


def test_an_array_has_its_columns_too():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [90.0, 5.0]])
    named = pd.DataFrame(X, columns=["x0", "x1"])
    e = explain_by([[Tag.of(Condition("x0", ">", 5))]], named, [0, 0, 0, 1])
    assert e.contributions(X).to_dict("list") == {"x0": [0, 0, 0, 2], "x1": [0, 0, 0, 0]}

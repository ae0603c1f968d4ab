"""The smallest change after which no rule matches."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations, three_outliers
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, DatePart, Relation, Tag

SOME = settings(max_examples=60, deadline=None)


@SOME
@given(explanations(max_rows=8))
def test_after_a_counterfactual_no_rule_of_the_group_matches(made):
    frame, _, e = made
    for group in e.groups:
        tags = [rule.tag for rule in group.rules]
        for label in group.rows:
            found = e.counterfactual(label)
            row = frame.loc[[label]].astype(object)
            if found.changes is None:
                assert "no change of its values" in str(found)
                continue
            for change in found.changes:
                assert change.column in frame.columns
                row[change.column] = pd.Series([change.new], index=[label], dtype=object)
            changed = frame.astype(object).copy()
            changed.loc[label] = row.loc[label]
            typed = changed.astype(
                {n: frame[n].dtype for n in frame.columns if frame[n].dtype != "int64" or changed[n].notna().all()}
            )
            position = list(frame.index).index(label)
            assert not any(tag.covers(typed)[position] for tag in tags)


def test_the_smallest_change_is_found():
    X, e = three_outliers()
    change = e.counterfactual("x")
    assert [(c.column, c.old, c.new) for c in change.changes] == [("c", "z", "a")]
    assert "c: 'z' -> 'a'" in str(change)
    assert [(c.column, c.new) for c in e.counterfactual("y").changes] == [("x", 50)]
    assert e.counterfactual("o").changes == ()
    assert e.counterfactual("x", X) == change


def test_two_rules_may_take_two_changes():
    X = pd.DataFrame({"a": [1, 2, 9], "b": [1, 2, 9]})
    e = explain_by([[Tag.of(Condition("a", ">", 5)), Tag.of(Condition("b", ">", 5))]], X, [0, 0, 1])
    assert [(c.column, c.new) for c in e.counterfactual(2).changes] == [("a", 2), ("b", 2)]


def test_the_hour_of_a_time_is_changed_by_itself():
    X = pd.DataFrame({"t": pd.to_datetime(["2024-05-01 10:00", "2024-05-02 11:00", "2024-05-03 03:15"])})
    e = explain_by([[Tag.of(Condition(DatePart("t", "hour"), "<=", 4))]], X, [0, 0, 1])
    assert e.counterfactual(2).changes[0].new == pd.Timestamp("2024-05-03 05:15")
    week = explain_by([[Tag.of(Condition(DatePart("t", "weekday"), "==", 4))]], X, [0, 0, 1])  # a Friday
    assert week.counterfactual(2).changes[0].new.weekday() in (3, 5)


@pytest.mark.parametrize("end", [pd.Timestamp.min, pd.Timestamp.max])
@pytest.mark.parametrize("part", ["hour", "weekday"])
def test_at_the_end_of_all_times_there_are_fewer_of_them(end, part):
    X = pd.DataFrame({"t": [pd.Timestamp("2024-05-01 10:00")] * 2 + [end]})
    value = end.hour if part == "hour" else end.weekday()
    e = explain_by([[Tag.of(Condition(DatePart("t", part), "==", value))]], X, [0, 0, 1])
    new = e.counterfactual(2).changes[0].new
    assert abs(new - end) < pd.Timedelta(days=4)


def test_a_gap_is_the_last_way_out_however_far_the_others_are():
    X = pd.DataFrame({"x": [0.0, 0.0, 0.0, 1e12]})  # the normals do not vary, so that the scale is 1
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0, 0, 0, 1])
    assert e.counterfactual(3).changes[0].new == 0


def test_a_rule_that_nothing_breaks():
    X = pd.DataFrame({"c": ["a", "a", "a"], "x": [1, 2, 3]})
    e = explain_by([[Tag.of(Condition("x", "present")), Tag.of(Condition("x", "missing"))]], X, [0, 0, 1])
    found = e.counterfactual(2)
    assert found.changes is None
    assert "no change of its values" in str(found)


@pytest.mark.parametrize("op", list("-/*+"))
@pytest.mark.parametrize("comparison", ["<", "<=", ">", ">=", "between"])
@settings(max_examples=25, deadline=None)
@given(
    st.tuples(*[st.sampled_from([3, 7, -2, 0.5, 12.25, 1000.1])] * 2),
    st.sampled_from([0.7, 5, -3, 41.3]),
    st.sampled_from(["float64", "float32", "int64", "decimal"]),
)
def test_a_solved_cell_breaks_the_condition_in_the_type_of_its_column(op, comparison, cells, limit, dtype):
    relation = Relation("a", op, "b")
    if dtype == "int64":
        cells = tuple(int(cell) or 1 for cell in cells)
    a, b = cells
    X = pd.DataFrame({"a": [a, a + 1], "b": [b, b + 1]})
    if dtype == "decimal":
        X = X.map(lambda one: Decimal(str(one)))
    elif dtype != "float64":
        X = X.astype(dtype)
    value = (limit, limit + 3) if comparison == "between" else limit
    tag = Tag.of(Condition(relation, comparison, value))
    if not tag.covers(X)[0]:
        return
    found = explain_by([[tag]], X, [1, 0]).counterfactual(0)
    assert len(found.changes) == 1  # either column alone can do it
    [change] = found.changes
    assert change.new is not None
    changed = X.copy()
    changed[change.column] = changed[change.column].astype(object)
    changed.loc[0, change.column] = change.new
    changed[change.column] = changed[change.column].astype(X[change.column].dtype)
    assert not tag.covers(changed)[0]
    if dtype == "int64":
        assert isinstance(change.new, int)


def test_the_change_of_a_relation_is_about_as_small_as_can_be():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(100, 9, 300).round(2), "b": rng.normal(50, 9, 300).round(2)})
    y = (X["a"] - X["b"] < 30).astype(int)
    e = explain_by([[Tag.of(Condition(Relation("a", "-", "b"), "<", 30))]], X, y)
    for label in e.groups[0].rows:
        [change] = e.counterfactual(label).changes
        assert change.column in ("a", "b")
        needed = 30 - (X.loc[label, "a"] - X.loc[label, "b"])
        assert needed * 0.999 <= abs(change.new - change.old) <= needed * 1.02 + 1e-9

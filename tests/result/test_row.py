"""Why a row is an outlier, or what it nearly matches."""

import pandas as pd
from by_hand import explain_by, three_outliers

from pyod_explain import Condition, Explanation, Relation, Tag
from pyod_explain.result import Rule


def rule_with(e: Explanation, condition: Condition) -> Rule:
    [rule] = [rule for rule in e.rules if condition in rule.tag.conditions]
    return rule


def test_a_row_is_explained_by_its_own_values():
    X, e = three_outliers()
    row = e.for_row("x")
    assert row.matching == (rule_with(e, Condition("x", ">=", 40.0)),)
    assert row.values == {"c": "z", "x": 50.0}
    assert (
        str(row) == "Row 'x' is an outlier of group 1, because\n  if c is 'z' (it is 'z')\n     and x >= 40 (it is 50)"
    )
    assert str(e.for_row("x", X)) == str(row)


def test_an_unexplained_row_gets_the_nearest_miss():
    _, e = three_outliers()
    row = e.for_row("o")
    assert row.matching == ()
    assert row.nearest == rule_with(
        e, Condition("x", ">=", 40.0)
    )  # one failing condition each, 31 short of 40 against 46 short of 55
    assert row.failing == (Condition("x", ">=", 40.0),)
    assert str(row) == (
        "Row 'o' is an outlier of group 1, and no rule of the group covers it.\nThe nearest rule:\n"
        "  if c is 'z' (it is 'z')\n     and x >= 40 (it is 9, which fails)"
    )


def test_a_row_of_a_group_without_rules():
    X = pd.DataFrame({"x": [1, 2, 3]})
    e = explain_by([[]], X, [0, 0, 1])
    assert str(e.for_row(2)) == "Row 2 is an outlier of group 1, which no rule describes."
    assert e.counterfactual(2).changes == ()


def test_missing_values_are_called_missing():
    X = pd.DataFrame({"x": [1.0, 2.0, None], "t": pd.to_datetime(["2024-01-01", "2024-01-02", None])})
    e = explain_by(
        [[Tag.of(Condition("x", "missing"))], [Tag.of(Condition("t", ">", pd.Timestamp("2024-01-01")))]], X, [0, 2, 1]
    )
    assert "x is missing (it is missing)" in str(e.for_row(2))
    assert e.counterfactual(2).changes[0].new == 1.0  # a normal row's value


def test_the_nearest_miss_is_near_in_time_too():
    times = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-03-01", "2024-06-01"]).tz_localize("Europe/Paris")
    X = pd.DataFrame({"t": times, "d": pd.to_timedelta([1, 2, 3, 4], unit="h")})
    june, march = Condition("t", ">=", pd.Timestamp("2024-06-02")), Condition("t", "<", pd.Timestamp("2024-01-01"))
    late = Condition("d", ">", pd.Timedelta(hours=9))
    e = explain_by([[Tag.of(march), Tag.of(june), Tag.of(late)]], X, [0, 0, 1, 1])
    assert e.for_row(3).nearest == rule_with(e, june)  # a day, against five months and five hours of three


def test_a_relation_is_shown_with_its_value_and_both_cells():
    X = pd.DataFrame({"outlet": [70.0, 71.0, 61.4, 70.0, None], "inlet": [61.0, 62.5, 57.3, 60.5, 3.0]})
    e = explain_by([[Tag.of(Condition(Relation("outlet", "-", "inlet"), "<", 4.5))]], X, [0, 0, 1, 1, 1])
    assert str(e.for_row(2)) == (
        "Row 2 is an outlier of group 1, because\n  if outlet - inlet < 4.5 (it is 4.1: outlet 61.4, inlet 57.3)"
    )
    assert "(it is 9.5: outlet 70, inlet 60.5, which fails)" in str(e.for_row(3))
    assert "(it is undefined: outlet missing, inlet 3, which fails)" in str(e.for_row(4))
    assert e.for_row(3).values == {"outlet": 70.0, "inlet": 60.5, Relation("outlet", "-", "inlet"): 9.5}


def test_digits_that_decide_a_condition_are_shown():
    X = pd.DataFrame({"a": [0.3, 9.0], "b": [0.1, 1.0]})  # 0.3 - 0.1 is a hair below 0.2
    e = explain_by([[Tag.of(Condition(Relation("a", "-", "b"), "<", 0.2))]], X, [1, 0])
    assert "(it is 0.19999999999999998: a 0.3, b 0.1)" in str(e.for_row(0))


def test_short_floats_are_shown_as_they_were_written_unless_that_decides():
    X = pd.DataFrame({"x": pd.Series([0.5, 0.25, 0.1], dtype="float32")})
    assert "x < 0.2 (it is 0.1)" in str(explain_by([[Tag.of(Condition("x", "<", 0.2))]], X, [0, 0, 1]).for_row(2))
    near = explain_by([[Tag.of(Condition("x", ">", 0.1))]], X, [0, 0, 1]).for_row(2)
    assert "x > 0.1 (it is 0.10000000149011612)" in str(near)
    assert near.values == {"x": float(X["x"].iloc[2])}
    wide = pd.DataFrame({"x": [0.5, 0.25, 1e300]})
    assert "(it is 1e+300)" in str(explain_by([[Tag.of(Condition("x", ">", 1))]], wide, [0, 0, 1]).for_row(2))

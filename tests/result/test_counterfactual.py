"""The smallest change after which no rule matches."""

import pandas as pd
import pytest
from by_hand import explain_by, explanations, three_outliers
from hypothesis import given, settings

from pyod_explain import Condition, Tag

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
    assert str(change) == "Row 'x' would match no rule of group 1 with\n  c: 'z' -> 'a'"
    assert str(e.counterfactual("y")) == "Row 'y' would match no rule of group 1 with\n  x: 60 -> 50"
    assert str(e.counterfactual("o")) == "Row 'o' matches no rule of group 1 as it is."
    assert e.counterfactual("x", X) == change


def test_two_rules_may_take_two_changes():
    X = pd.DataFrame({"a": [1, 2, 9], "b": [1, 2, 9]})
    e = explain_by([[Tag.of(Condition("a", ">", 5)), Tag.of(Condition("b", ">", 5))]], X, [0, 0, 1])
    assert [(c.column, c.new) for c in e.counterfactual(2).changes] == [("a", 2), ("b", 2)]


def test_the_hour_of_a_time_is_changed_by_itself():
    X = pd.DataFrame({"t": pd.to_datetime(["2024-05-01 10:00", "2024-05-02 11:00", "2024-05-03 03:15"])})
    e = explain_by([[Tag.of(Condition("t", "<=", 4, "hour"))]], X, [0, 0, 1])
    assert e.counterfactual(2).changes[0].new == pd.Timestamp("2024-05-03 05:15")
    week = explain_by([[Tag.of(Condition("t", "==", 4, "weekday"))]], X, [0, 0, 1])  # a Friday
    assert week.counterfactual(2).changes[0].new.weekday() in (3, 5)


@pytest.mark.parametrize(("hour", "new"), [(3, "2024-03-31 01:30:00+01:00"), (4, "2024-03-31 03:30:00+02:00")])
def test_an_hour_that_the_clock_skips_is_not_proposed(hour, new):
    texts = ["2024-03-29 12:00", "2024-03-30 12:00", f"2024-03-31 0{hour}:30"]
    X = pd.DataFrame({"t": pd.to_datetime(texts).tz_localize("Europe/Berlin")})
    e = explain_by([[Tag.of(Condition("t", ">=", hour, "hour"), Condition("t", "<=", 9, "hour"))]], X, [0, 0, 1])
    assert str(e.counterfactual(2).changes[0].new) == new


def test_another_day_has_the_same_hour_where_the_clock_is_put_forward():
    times = pd.to_datetime(["2024-03-27 12:00", "2024-03-27 12:00", "2024-03-30 12:30"]).tz_localize("Europe/Berlin")
    X = pd.DataFrame({"t": times})
    week = Condition("t", "in", (3, 4, 5), "weekday")  # Thursday to Saturday
    e = explain_by([[Tag.of(week)]], X, [0, 0, 1])
    assert e.counterfactual(2).changes[0].new == pd.Timestamp("2024-03-31 12:30", tz="Europe/Berlin")


@pytest.mark.parametrize("end", [pd.Timestamp.min, pd.Timestamp.max])
@pytest.mark.parametrize("part", ["hour", "weekday"])
def test_at_the_end_of_all_times_there_are_fewer_of_them(end, part):
    X = pd.DataFrame({"t": [pd.Timestamp("2024-05-01 10:00")] * 2 + [end]})
    e = explain_by(
        [[Tag.of(Condition("t", "==", getattr(end, part) if part == "hour" else end.weekday(), part))]], X, [0, 0, 1]
    )
    new = e.counterfactual(2).changes[0].new
    assert abs(new - end) < pd.Timedelta(days=4)


def test_a_gap_is_the_last_way_out_however_far_the_others_are():
    X = pd.DataFrame({"x": [0.0, 0.0, 0.0, 1e12]})  # the normals do not vary, so that the scale is 1
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0, 0, 0, 1])
    assert e.counterfactual(3).changes[0].new == 0


def test_a_rule_that_nothing_breaks():
    X = pd.DataFrame({"c": ["a", "a", "a"], "x": [1, 2, 3]})
    e = explain_by([[Tag.of(Condition("x", "present")), Tag.of(Condition("x", "missing"))]], X, [0, 0, 1])
    assert e.counterfactual(2).changes is None


def test_a_change_that_is_not_found_is_said():
    X = pd.DataFrame({"x": [1, 2, 3]})
    e = explain_by([[Tag.of(Condition("x", "present")), Tag.of(Condition("x", "missing"))]], X, [0, 0, 1])
    assert (
        str(e.counterfactual(2)) == "Row 2: no change of its values was found after which no rule of group 1 matches."
    )

"""Two explanations side by side."""

import pandas as pd
from by_hand import explain_by

from pyod_explain import Condition, Explanation, Tag, explain

X = pd.DataFrame({"x": [1, 2, 3, 4, 8, 9, 20], "y": [1, 1, 1, 9, 1, 1, 9]}, index=list("abcdefg"))
HIGH, LOW, Y = (Tag.of(Condition("x", ">", 5)), Tag.of(Condition("x", ">=", 8)), Tag.of(Condition("y", "==", 9)))


def test_nothing_changed():
    e = explain_by([[HIGH]], X, [0, 0, 0, 0, 1, 1, 1])
    same = e.compare(e)
    assert "1 unchanged" in repr(same)
    assert same.rows.empty
    assert same.to_frame()["change"].tolist() == ["same"]


def test_rules_gone_new_changed_and_drifted():
    before = explain_by([[HIGH, Y]], X, [0, 0, 0, 0, 1, 1, 1])
    after = explain_by([[LOW, Tag.of(Condition("y", "!=", 1))]], X, [0, 0, 0, 0, 0, 1, 1])
    found = before.compare(after)
    assert found.to_frame()["change"].tolist() == ["changed", "gone", "new"]
    assert (found.rules[0].before.tag, found.rules[0].after.tag) == (HIGH, LOW)
    assert found.rows.to_dict("records") == [{"label": "e", "before": 1, "after": 0}]
    drift = explain_by([[HIGH]], X, [0, 0, 0, 0, 1, 1, 1]).compare(explain_by([[HIGH]], X, [0, 0, 0, 0, 0, 1, 1]))
    assert drift.to_frame()["change"].tolist() == ["drifted"]
    assert "precision 100% -> 67%" in str(drift)


def test_groups_are_matched_by_their_rows_not_by_their_numbers():
    before = explain_by([[HIGH], [Y]], X, [0, 0, 0, 2, 1, 1, 1])
    after = explain_by([[Y], [HIGH]], X, [0, 0, 0, 1, 2, 2, 2])
    for labels in (X.index, list("hijklmn")):  # or else by their rules
        found = before.compare(explain_by([[Y], [HIGH]], X.set_axis(labels), [0, 0, 0, 1, 2, 2, 2]))
        assert found.groups == {1: 2, 2: 1}
        assert set(found.to_frame()["change"]) == {"same"}
    assert before.compare(after).rows.empty


def test_a_label_in_common_does_not_outrank_equal_rules():
    # Of two tables with a default index, each group has a row that bears the label of one of the other group.
    labels = [0, 0, 0, 2, 1, 1, 1]
    before = explain_by([[HIGH], [Y]], X.set_axis(range(7)), labels)
    after = explain_by([[HIGH], [Y]], X.set_axis([10, 11, 12, 4, 3, 13, 14]), labels)
    found = before.compare(after)
    assert found.groups == {1: 1, 2: 2}
    assert set(found.to_frame()["change"]) == {"same"}


def test_rules_with_other_limits_are_found_again_among_other_rows():
    other = X.set_axis(list("hijklmn"))
    before = explain_by([[HIGH], [Y]], X, [0, 0, 0, 2, 1, 1, 1])
    found = before.compare(explain_by([[Y], [LOW]], other, [0, 0, 0, 1, 2, 2, 2]))
    assert found.to_frame()["change"].tolist() == ["changed", "same"]


def test_labels_that_were_left_out_are_no_facts_about_rows():
    e = explain_by([[HIGH]], X, [0, 0, 0, 0, 1, 1, 1])
    blind = Explanation.from_json(e.to_json(rows=False))
    for found in (e.compare(blind), blind.compare(e), blind.compare(blind)):
        assert "not known" in repr(found)
        assert not found.knows_rows
        assert found.rows.empty
    nothing = explain([0] * 7, X)
    assert len(e.compare(nothing).rows) == 3
    assert nothing.compare(nothing).knows_rows


def test_lines_fit_a_terminal():
    big = pd.DataFrame({"a long name of a column " * 5: range(40)})
    tag = Tag.of(Condition(big.columns[0], ">", 5))
    text = str(explain_by([[tag]], big, [0] * 20 + [1] * 20).compare(explain_by([[tag]], big, [0] * 30 + [1] * 10)))
    assert all(len(line) <= 80 and line == line.rstrip() for line in text.splitlines())


def test_another_value_is_another_rule_and_no_other_limit():
    one, two = Tag.of(Condition("y", "==", 9)), Tag.of(Condition("y", "==", 1))
    y = [0, 0, 0, 0, 1, 1, 1]
    found = explain_by([[one]], X, y).compare(explain_by([[two]], X, y))
    assert found.to_frame()["change"].tolist() == ["gone", "new"]

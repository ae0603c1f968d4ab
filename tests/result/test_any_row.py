"""Rows that are no outliers, and rows that were not there."""

import pandas as pd
import pytest
from by_hand import explain_by, three_outliers

from pyod_explain import Condition, DatePart, Explanation, PyodExplainError, Tag, explain

X = pd.DataFrame({"amount": [*range(50), 900, 950, 990], "day": [1, 2, 3] * 17 + [1, 2]})


@pytest.fixture(scope="module")
def payments_explained():
    return explain([0] * 50 + [1] * 3, X)


def test_a_normal_row_gets_the_nearest_rule(payments_explained):
    row = payments_explained.for_row(7)
    assert (row.outlier, row.group, row.matching) == (False, 0, ())
    assert row.nearest == payments_explained.rules[0]
    assert str(row) == (
        "Row 7 is not among the outliers, and matches no rule.\nThe nearest rule, of group 1:\n"
        "  if amount >= 500 (it is 7, which fails)"
    )
    assert payments_explained.for_row(position=7) == row
    read = Explanation.from_json(payments_explained.to_json())
    assert str(read.for_row(7, X)) == str(row)


def test_a_normal_row_that_matches_says_so():
    Z = pd.DataFrame({"x": [1, 2, 9, 9, 9]})
    rules = [[Tag.of(Condition("x", ">", 5))], [Tag.of(Condition("x", ">", 6))]]
    e = explain_by(rules, Z, [0, 0, 0, 1, 2])
    row = e.for_row(2, Z)
    assert (row.outlier, len(row.matching)) == (False, 2)
    assert str(row) == (
        "Row 2 is not among the outliers, but matches 2 rules, the most precise of them of group 1:\n"
        "  group 1: if x > 5 (it is 9)\n  group 2: if x > 6 (it is 9)"
    )
    one = explain_by([rules[0]], Z, [0, 0, 0, 1, 1]).for_row(2, Z)
    assert str(one) == "Row 2 is not among the outliers, but matches a rule of group 1:\n  if x > 5 (it is 9)"


@pytest.mark.parametrize("row", [{"amount": 700}, pd.Series({"amount": 700}), pd.Series({"amount": 700, "z": "?"})])
def test_a_new_row_is_a_dict_or_a_series(payments_explained, row):
    found = payments_explained.for_row(row)
    assert (found.outlier, found.group, found.label) == (None, 1, None)
    assert str(found) == "The row matches a rule of group 1:\n  if amount >= 500 (it is 700)"


def test_a_new_row_may_have_a_label(payments_explained):
    found = payments_explained.for_row(X.loc[9])
    assert str(found).startswith("Row 9 matches no rule.\nThe nearest rule, of group 1:")
    assert found.values == {"amount": 9}
    assert str(payments_explained.for_row(X.loc[[9]])) == str(found)


def test_a_new_row_keeps_the_types_of_its_cells():
    _, e = three_outliers()
    found = e.for_row({"c": "z", "x": 41})
    assert found.values == {"c": "z", "x": 41}
    assert "The row matches a rule of group 1:\n  if c is 'z' (it is 'z')\n     and x >= 40" in str(found)
    gone = e.for_row({"c": None, "x": float("nan")})
    assert "(it is missing, which fails)" in str(gone)


def test_a_new_row_must_have_the_columns_of_the_rules(payments_explained):
    with pytest.raises(PyodExplainError, match="amount"):
        payments_explained.for_row({"day": 3})
    with pytest.raises(PyodExplainError, match="`label` must be one row, got a table of 53"):
        payments_explained.for_row(X)


def test_without_rules_there_is_none_to_come_near():
    Z = pd.DataFrame({"x": [1, 2, 3]})
    e = explain_by([[]], Z, [0, 0, 1])
    assert str(e.for_row(0, Z)) == "Row 0 is not among the outliers, and matches no rule: there is none."
    assert str(e.for_row({"x": 1})) == "The row matches no rule: there is none."


def test_labels_that_no_row_has(payments_explained):
    with pytest.raises(PyodExplainError, match="one row with the label 99, got 0"):
        payments_explained.for_row(99)
    twice = explain([0] * 50 + [1] * 3, X.set_axis([0, 0, *range(51)]))
    with pytest.raises(PyodExplainError, match=r"label 0, got 3[\s\S]*Hint: name it by its position"):
        twice.for_row(0)


def test_midnight_is_told_where_a_limit_has_a_time():
    Z = pd.DataFrame({"t": [*pd.date_range("2024-01-01 07:30", periods=3), pd.Timestamp("2024-03-01")]})
    clock, day = (Tag.of(Condition("t", ">", pd.Timestamp(limit))) for limit in ("2024-02-01 07:30", "2024-02-01"))
    assert "t > 2024-02-01 07:30:00 (it is 2024-03-01 00:00:00)" in str(
        explain_by([[clock]], Z, [0] * 3 + [1]).for_row(3)
    )
    assert "t > 2024-02-01 (it is 2024-03-01)" in str(explain_by([[day]], Z, [0] * 3 + [1]).for_row(3))


def test_the_view_for_notebooks_is_escaped_and_says_the_same():
    Z = pd.DataFrame({"<b>": [1, 2, 9]})
    e = explain_by([[Tag.of(Condition("<b>", ">", 5), Condition("<b>", "<", 10))]], Z, [0, 0, 1])
    view = e.for_row(2)._repr_html_()
    assert "<b>" not in view
    assert "Row 2 is an outlier of group 1, because" in view
    assert "<td>group 1</td><td>if 5 &lt; &lt;b&gt; &lt; 10</td><td>9</td><td>holds</td>" in view
    near = e.for_row({"<b>": 3})._repr_html_()
    assert "<th>nearest rule</th>" in near
    assert "<td>if 5 &lt; &lt;b&gt; &lt; 10</td><td>3</td><td>fails</td>" in near
    assert explain_by([[]], Z, [0, 0, 1]).for_row({"<b>": 1})._repr_html_() == (
        "<div><p>The row matches no rule: there is none.</p></div>"
    )


def test_hours_and_weekdays_are_said_as_rules_say_them():
    Z = pd.DataFrame({"t": pd.to_datetime(["2024-01-01 10:00", "2024-01-02 11:00", "2024-01-06 23:30"])})
    tag = Tag.of(Condition(DatePart("t", "weekday"), "==", 5), Condition(DatePart("t", "hour"), ">=", 22))
    e = explain_by([[tag]], Z, [0, 0, 1])
    assert str(e.for_row(2)) == (
        "Row 2 is an outlier of group 1, because\n"
        "  if hour of t >= 22 (it is 23: 2024-01-06 23:30:00)\n"
        "     and weekday of t is Saturday (it is Saturday: 2024-01-06 23:30:00)"
    )
    assert "(it is missing, which fails)" in str(e.for_row({"t": None}))


def test_positions_are_those_of_the_table_that_was_explained(payments_explained):
    assert payments_explained.for_row(X=X, position=7) == payments_explained.for_row(7)
    with pytest.raises(PyodExplainError, match="the 53 rows that were explained, got 10: a position"):
        payments_explained.for_row(X=X.head(10), position=7)
    nothing = explain([0] * 53, X)
    assert "not among the outliers" in str(nothing.for_row(position=7, X=X))

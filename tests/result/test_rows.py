"""Questions about rows: one row, outlier or not, old or new; and a line for each row of a table."""

import html
import pickle

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations, three_outliers
from hypothesis import given

from pyod_explain import Condition, DatePart, Explanation, PyodExplainError, Relation, Tag, explain
from pyod_explain.export import to_findings
from pyod_explain.result import Rule

X = pd.DataFrame({"amount": [*range(50), 900, 950, 990], "day": [1, 2, 3] * 17 + [1, 2]})
N = 40
Y = np.array([0, 0, 0, 1] * 10)
INDEXES = {
    "default": pd.RangeIndex(N),
    "text": pd.Index([f"r{i}" for i in range(N)]),
    "dates with a zone": pd.date_range("2024-03-30", periods=N, freq="h", tz="Europe/Berlin"),
    "periods": pd.period_range("2024-01", periods=N, freq="M"),
    "two levels": pd.MultiIndex.from_product([range(N // 2), ["a", "b"]], names=["n", "side"]),
}


@pytest.fixture(scope="module")
def payments_explained():
    return explain([0] * 50 + [1] * 3, X)


def test_a_normal_row_that_matches_says_so():
    Z = pd.DataFrame({"x": [1, 2, 9, 9, 9]})
    rules = [[Tag.of(Condition("x", ">", 5))], [Tag.of(Condition("x", ">", 6))]]
    e = explain_by(rules, Z, [0, 0, 0, 1, 2])
    row = e.for_row(2, Z)
    assert (row.outlier, len(row.matching)) == (False, 2)
    assert "matches 2 rules" in str(row)
    assert "group 2: if x > 6 (it is 9)" in str(row)


@pytest.mark.parametrize("row", [{"amount": 700}, pd.Series({"amount": 700}), pd.Series({"amount": 700, "z": "?"})])
def test_a_new_row_is_a_dict_or_a_series(payments_explained, row):
    found = payments_explained.for_row(row)
    assert (found.outlier, found.group, found.label) == (None, 1, None)


def test_a_new_row_may_have_a_label(payments_explained):
    found = payments_explained.for_row(X.loc[9])
    assert (found.label, found.matching, found.nearest.group) == (9, (), 1)
    assert found.values == {"amount": 9}
    assert str(payments_explained.for_row(X.loc[[9]])) == str(found)


def test_a_new_row_keeps_the_types_of_its_cells():
    _, e = three_outliers()
    found = e.for_row({"c": "z", "x": 41})
    assert found.values == {"c": "z", "x": 41}
    gone = e.for_row({"c": None, "x": float("nan")})
    assert "(it is missing, which fails)" in str(gone)


def test_without_rules_there_is_none_to_come_near():
    Z = pd.DataFrame({"x": [1, 2, 3]})
    e = explain_by([[]], Z, [0, 0, 1])
    for row in (e.for_row(0, Z), e.for_row({"x": 1}), e.for_row(2)):
        assert (row.matching, row.nearest, row.values) == ((), None, {})
    assert e.counterfactual(2).changes == ()


def test_midnight_is_told_where_a_limit_has_a_time():
    Z = pd.DataFrame({"t": [*pd.date_range("2024-01-01 07:30", periods=3), pd.Timestamp("2024-03-01")]})
    clock, day = (Tag.of(Condition("t", ">", pd.Timestamp(limit))) for limit in ("2024-02-01 07:30", "2024-02-01"))
    assert "t > 2024-02-01 07:30:00 (it is 2024-03-01 00:00:00)" in str(
        explain_by([[clock]], Z, [0] * 3 + [1]).for_row(3)
    )
    assert "t > 2024-02-01 (it is 2024-03-01)" in str(explain_by([[day]], Z, [0] * 3 + [1]).for_row(3))


def test_the_view_for_notebooks_is_the_text_escaped():
    Z = pd.DataFrame({"<b>": [1, 2, 9]})
    e = explain_by([[Tag.of(Condition("<b>", ">", 5), Condition("<b>", "<", 10))]], Z, [0, 0, 1])
    for row in (e.for_row(2), e.for_row({"<b>": 3})):
        view = row._repr_html_()
        assert "<b>" not in view
        assert html.unescape(view.removeprefix("<pre>").removesuffix("</pre>")) == str(row)


def test_hours_and_weekdays_are_said_as_rules_say_them():
    Z = pd.DataFrame({"t": pd.to_datetime(["2024-01-01 10:00", "2024-01-02 11:00", "2024-01-06 23:30"])})
    tag = Tag.of(Condition(DatePart("t", "weekday"), "==", 5), Condition(DatePart("t", "hour"), ">=", 22))
    e = explain_by([[tag]], Z, [0, 0, 1])
    assert "weekday of t is Saturday (it is Saturday: 2024-01-06 23:30:00)" in str(e.for_row(2))
    assert "(it is missing, which fails)" in str(e.for_row({"t": None}))


def rule_with(e: Explanation, condition: Condition) -> Rule:
    [rule] = [rule for rule in e.rules if condition in rule.tag.conditions]
    return rule


def test_a_row_is_explained_by_its_own_values():
    X, e = three_outliers()
    row = e.for_row("x")
    assert row.matching == (rule_with(e, Condition("x", ">=", 40.0)),)
    assert row.values == {"c": "z", "x": 50.0}
    assert str(e.for_row("x", X)) == str(row)


def test_an_unexplained_row_gets_the_nearest_miss():
    _, e = three_outliers()
    row = e.for_row("o")
    assert row.matching == ()
    # One failing condition each, 31 short of 40 against 46 short of 55.
    assert row.nearest == rule_with(e, Condition("x", ">=", 40.0))
    assert row.failing == (Condition("x", ">=", 40.0),)
    assert "x >= 40 (it is 9, which fails)" in str(row)


def test_a_relation_is_shown_with_its_value_and_both_cells():
    X = pd.DataFrame({"outlet": [70.0, 71.0, 61.4, 70.0, None], "inlet": [61.0, 62.5, 57.3, 60.5, 3.0]})
    e = explain_by([[Tag.of(Condition(Relation("outlet", "-", "inlet"), "<", 4.5))]], X, [0, 0, 1, 1, 1])
    assert e.to_rows()["saw"].iloc[0] == "outlet - inlet = 4.1, outlet = 61.4, inlet = 57.3"
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


def test_a_distance_beyond_all_numbers_is_no_error():
    X = pd.DataFrame({"x": [0.0, 1e-10, 2e-10, 1e-10, 1e300]})
    e = explain_by([[Tag.of(Condition("x", ">", 1e299))]], X, [0, 0, 0, 0, 1])
    assert (e.to_rows(X)["distance"][:4] == np.finfo(float).max).all()


def test_a_line_for_each_outlier():
    _, e = three_outliers()
    rows = e.to_rows()
    assert rows.index.tolist() == ["x", "y", "o"]
    assert rows.index.name == "label"
    assert rows["explained"].tolist() == [True, True, False]
    assert rows.loc["x", ["rules", "saw"]].tolist() == ["c is 'z' and x >= 40", "c = 'z', x = 50"]
    assert rows.loc["o", ["nearest", "nearest_group", "missed"]].tolist() == [
        "c is 'z' and x >= 40", 1, "x >= 40 (it is 9)"
    ]  # fmt: skip
    assert rows.loc["o", "rules"] is None
    assert rows["distance"].isna().tolist() == [True, True, False]


@given(explanations())
def test_lines_agree_with_the_row_that_is_asked_alone(case):
    frame, y, e = case
    if not e.groups:
        return
    for label, line in e.to_rows().iterrows():
        alone = e.for_row(label, frame)
        assert line["outlier"] == bool(y[label]) == bool(alone.outlier)
        assert line["group"] == alone.group
        assert line["rules"] == (" or ".join(rule.text for rule in alone.matching) or None)
        assert line["nearest"] == (None if alone.nearest is None else alone.nearest.text)
        assert line["explained"] == bool(alone.matching)
    for label, line in e.to_rows(frame).iterrows():
        if not y[label]:
            alone = e.for_row(label, frame)
            assert line["rules"] == (" or ".join(rule.text for rule in alone.matching) or None)
            assert line["nearest"] == (None if alone.nearest is None else alone.nearest.text)


@given(explanations())
def test_the_group_of_other_rows_is_what_predict_says(case):
    frame, _, e = case
    rows = e.to_rows(frame)
    assert rows["group"].tolist() == e.predict(frame).tolist()
    assert rows["outlier"].isna().all()
    assert rows["explained"].isna().all()


def test_scores_of_all_rows_are_there_where_the_detector_has_some():
    from pyod.models.ecod import ECOD

    X = pd.DataFrame({"x": [*np.linspace(0, 1, 60), 40.0, 50.0, 60.0]})
    detector = ECOD(contamination=0.05).fit(X)
    e = explain(detector, X)
    rows = e.to_rows(rows="all")
    assert np.allclose(rows["score"], detector.decision_scores_)
    assert e.to_rows()["score"].tolist() == rows.loc[e.to_rows().index, "score"].tolist()
    assert rows["outlier"].tolist() == (detector.labels_ == 1).tolist()


def test_no_outliers_and_no_rules():
    X = pd.DataFrame({"x": [1, 2, 3]})
    assert len(explain([0, 0, 0], X).to_rows()) == 0
    rows = explain_by([[]], X, [0, 0, 1]).to_rows()
    assert rows[["rules", "saw", "nearest", "missed"]].isna().all(axis=None)
    assert rows["nearest_group"].isna().all()
    assert rows["explained"].tolist() == [False]


def test_half_of_a_character_is_kept():
    X = pd.DataFrame({"c": pd.Series(["a", "b", "\ud800"], dtype=object)})
    e = explain_by([[Tag.of(Condition("c", "==", "\ud800"))]], X, [0, 0, 1])
    assert e.to_rows()["saw"].tolist() == ["c = '\\ud800'"]


def table(index) -> pd.DataFrame:
    values = np.where(Y, 50, 0) + np.arange(N) % 7
    return pd.DataFrame({"size": values, "kind": np.where(np.arange(N) % 2, "x", "y")}, index=index)


def test_a_normal_row_gets_the_nearest_rule(payments_explained):
    row = payments_explained.for_row(7)
    assert (row.outlier, row.group, row.matching, row.nearest) == (False, 0, (), payments_explained.rules[0])
    assert "amount >= 500 (it is 7, which fails)" in str(row)
    assert payments_explained.for_row(position=7) == row == payments_explained.for_row(X=X, position=7)
    read = Explanation.from_json(payments_explained.to_json())
    assert str(read.for_row(7, X)) == str(row)
    assert "not among the outliers" in str(explain([0] * 53, X).for_row(position=7, X=X))


def test_rows_that_cannot_be_found(payments_explained):
    for call in (
        lambda: payments_explained.for_row({"day": 3}),  # lacks a column
        lambda: payments_explained.for_row(X),  # many rows
        lambda: payments_explained.for_row(99),
        lambda: payments_explained.for_row(position=99),
        lambda: payments_explained.for_row(["r3"]),
        lambda: payments_explained.for_row(X=X.head(10), position=7),  # another table
        lambda: payments_explained.counterfactual(7),  # no outlier
        lambda: payments_explained.counterfactual(position=7),
        lambda: payments_explained.to_rows(rows="some"),
        lambda: payments_explained.to_rows(X, rows="all"),
    ):
        with pytest.raises(PyodExplainError):
            call()


def test_repeated_labels_are_addressed_by_position():
    Z = table(["same"] * N)
    e = explain(Y, Z)
    with pytest.raises(PyodExplainError, match=r"10 outliers[\s\S]*3, 7, 11") as caught:
        e.for_row("same")
    assert caught.value.argument == "label"
    assert e.for_row(position=7).values["size"] == Z["size"].iloc[7]
    assert e.for_row(position=7).label == "same"
    with pytest.raises(PyodExplainError, match="name it by its position"):
        explain([0] * 50 + [1] * 3, X.set_axis([0, 0, *range(51)])).for_row(0)
    read = Explanation.from_json(e.to_json())
    for call in (lambda: read.for_row("same", Z), lambda: read.for_row(position=3, X=Z)):
        with pytest.raises(PyodExplainError):
            call()
    normal = ["normal"] * N
    normal[3] = "the one"
    assert explain(Y, table(normal)).for_row("the one").label == "the one"


@pytest.mark.parametrize("index", INDEXES.values(), ids=list(INDEXES))
def test_labels_are_the_users_own(index):
    Z = table(index)
    e = explain(Y, Z)
    assert sorted(row for group in e.groups for row in group.rows) == sorted(Z.index[Y == 1])
    for position in np.flatnonzero(Y):
        row = e.for_row(Z.index[position])
        assert row.label == Z.index[position]
        assert row.values["size"] == Z["size"].iloc[position]
        assert e.for_row(position=int(position)).values == row.values
    other = e.for_row(Z.index[0])
    assert (other.outlier, other.label) == (False, Z.index[0])
    assert e.for_row(position=0) == other


def test_a_file_has_no_table(explained, payments):
    frame, _ = payments
    whole = Explanation.from_json(explained.to_json())
    assert str(whole.for_row("p3")) == str(explained.for_row("p3"))
    assert whole.to_rows()["rules"].tolist() == explained.to_rows()["rules"].tolist()
    data = explained.to_dict()
    read = Explanation.from_dict({**data, "cells": None})
    calls = [lambda: read.for_row("p3"), lambda: read.to_rows(rows="all")]
    for call in (*calls, read.to_rows, read.validate, read.placebo_test):
        with pytest.raises(PyodExplainError, match="read from a file"):
            call()
    assert str(read.for_row("p3", frame)) == str(explained.for_row("p3"))
    assert read.counterfactual("p3", frame) == explained.counterfactual("p3")
    assert read.to_rows(frame).equals(explained.to_rows(frame))
    unlabelled = Explanation.from_json(explained.to_json(rows=False))
    with pytest.raises(PyodExplainError, match="without row labels"):
        unlabelled.for_row("p3", frame)


def test_a_pickle_has_the_outliers_and_no_other_row(explained):
    pickled = pickle.loads(pickle.dumps(explained))
    assert pickled.to_rows().equals(explained.to_rows())
    assert str(pickled.for_row("p3")) == str(explained.for_row("p3"))
    with pytest.raises(PyodExplainError, match="was pickled"):
        pickled.to_rows(rows="all")


def test_aggregated_rows():
    Z = pd.DataFrame({"x": [*range(20), 90, 95], "n": [5] * 20 + [3, 0]})
    e = explain([0] * 20 + [1, 1], Z, counts="n")
    assert e.to_rows()["saw"].tolist() == ["x = 90"]
    with pytest.raises(PyodExplainError, match="only some rows are kept"):
        e.to_rows(rows="all")


def test_findings_name_row_and_position():
    finding = to_findings(explain(Y, table(INDEXES["text"])))[0]
    assert (finding["index"], finding["row"], finding["group"], finding["label"]) == (3, "r3", 1, "anomaly")
    assert finding["contributing_features"][0]["direction"] == "high"
    assert finding["score"] is None

"""The result itself: what it says, what it is asked about rows, and how it is kept."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import given, settings

from pyod_explain import Condition, Explanation, PyodExplainError, Tag, explain
from pyod_explain.tags import GivenTags, TagSet

SOME = settings(max_examples=60, deadline=None)


@pytest.fixture(scope="module")
def payments():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "amount": rng.gamma(2, 20, 300).round(2),
            "kind": rng.choice(["web", "shop"], 300),
            "age": rng.integers(18, 80, 300),
        },
        index=[f"p{i}" for i in range(300)],
    )
    frame.iloc[:12, 0] += 400
    frame.iloc[12:20, 1] = "phone"
    return frame, [1] * 12 + [2] * 8 + [0] * 280


@pytest.fixture(scope="module")
def explained(payments):
    return explain(payments[1], payments[0])


def by_hand():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 50.0, 60.0, 9.0], "c": ["a", "b", "a", "z", "a", "z"]}, index=list("uvwxyo"))
    tags = [Tag.of(Condition("x", ">=", 40.0), Condition("c", "==", "z")), Tag.of(Condition("x", ">", 55.0))]
    return X, explain_by([tags], X, [0, 0, 0, 1, 1, 1])


# --- what is printed is true ------------------------------------------------------------------------------------------


@SOME
@given(explanations())
def test_every_count_is_what_the_rule_covers(made):
    frame, y, e = made
    y = np.asarray(y)
    table = e.to_frame()
    for rule, line in zip(e.rules, table.itertuples(), strict=True):
        covered = rule.tag.covers(frame)
        own, normal = int((covered & (y == rule.group)).sum()), int((covered & (y == 0)).sum())
        others = int((covered & (y > 0) & (y != rule.group)).sum())
        assert (rule.n_outliers, rule.n_normals, rule.n_others) == (own, normal, others)
        assert (line.outliers, line.normals, line.others) == (own, normal, others)
        assert line.precision == (own / covered.sum() if covered.any() else 0.0)
        assert line.recall == own / (y == rule.group).sum()
    matches = e.matches(frame)
    groups = np.array([rule.group for rule in e.rules], dtype=int)
    for group in e.groups:
        own = matches[:, groups == group.number].any(axis=1)
        assert group.n_explained == (own & (y == group.number)).sum()
        assert group.n_normals == (own & (y == 0)).sum()
        assert group.n_others == (own & (y > 0) & (y != group.number)).sum()
        assert list(group.uncovered) == np.flatnonzero(~own & (y == group.number)).tolist()
    s = e.summary
    assert s.n_normals_matched == (matches.any(axis=1) & (y == 0)).sum()
    mine = np.array([matches[i, groups == y[i]].any() for i in range(len(y))])
    assert s.n_strays == (matches.any(axis=1) & (y > 0) & ~mine).sum()
    assert s.n_explained == (mine & (y > 0)).sum()


@SOME
@given(explanations())
def test_predict_and_transform_agree(made):
    frame, _, e = made
    matches = e.transform(frame)
    assert (e.predict(frame) > 0).tolist() == matches.any(axis=1).tolist()
    assert matches.shape == (len(frame), len(e.rules))


def test_predict_needs_only_the_columns_of_the_rules_in_any_order(explained, payments):
    frame = payments[0][["kind", "amount"]]
    assert explained.predict(frame).tolist() == explained.predict(payments[0]).tolist()
    with pytest.raises(PyodExplainError, match="lacks the column"):
        explained.predict(frame[[]].assign(other=1))


# --- the object -------------------------------------------------------------------------------------------------------


def test_repr_is_one_line_that_counts(explained):
    assert (
        repr(explained)
        == f"Explanation({20 - len(explained.unexplained)} of 20 outliers in 2 groups by {len(explained.rules)} rules)"
    )


def test_it_is_frozen(explained):
    with pytest.raises(AttributeError):
        explained.summary = None


def test_equal_if_it_says_the_same(explained, payments):
    again = explain(payments[1], payments[0])
    assert again == explained
    assert hash(again) == hash(explained)
    assert Explanation(again.summary) == again
    assert explained != "an explanation"
    assert explained.validate(2) != explained


def test_metrics_and_shortcuts(explained):
    assert list(explained.metrics.columns) == ["FUO", "FCO", "FCN", "AL", "NT", "MDL"]
    assert explained.metrics.index.tolist() == [1, 2]
    assert explained.metrics.attrs["mdl"] == explained.mdl == pytest.approx(explained.metrics["MDL"].sum())
    assert explained.gain == pytest.approx(1 - explained.summary.bits / explained.summary.bits_named)
    assert explained.groups[0].tags == explained.groups[0].rules
    assert (explained.n_rows, explained.n_normals, explained.n_outliers) == (300, 280, 20)
    assert explained.n_tags > 0
    assert explained.grouping == "given with the labels"
    assert set(explained.timings) == {"groups", "tags", "coverage", "selection"}
    assert explained.placebo is None
    assert explained.validation is None


def test_a_table_without_outliers_says_so():
    e = explain([0, 0, 0], pd.DataFrame({"x": [1, 2, 3]}))
    assert repr(e) == "Explanation(0 of 0 outliers in 0 groups by 0 rules)"
    assert str(e).startswith("Nothing to explain: the labelling marks none of the 3 rows as an outlier")
    assert e.to_frame().empty
    assert e.metrics.empty
    assert e.gain == 0
    assert e.validate() is e
    assert e.control() is e
    assert e.predict(pd.DataFrame({"x": [1, 2]})).tolist() == [0, 0]


def test_a_pickle_leaves_the_table_behind_and_takes_it_back(explained, payments):
    big = pd.concat([payments[0]] * 30, ignore_index=True).assign(noise=np.random.default_rng(0).normal(size=9000))
    e = explain(payments[1] * 30, big)
    loaded = pickle.loads(pickle.dumps(e))
    assert loaded == e
    assert loaded.basis is None
    assert len(pickle.dumps(e)) < 0.2 * len(pickle.dumps(big))
    with pytest.raises(PyodExplainError, match=r"validate\(X=...\)"):
        loaded.validate()
    assert loaded.validate(2, X=big) == e.validate(2)
    loaded = pickle.loads(pickle.dumps(explained))
    assert loaded.control(1, X=payments[0]) == explained.control(1)
    assert str(loaded.for_row("p3")) == str(explained.for_row("p3"))


def test_a_pickle_refuses_another_table(explained, payments):
    loaded = pickle.loads(pickle.dumps(explained))
    with pytest.raises(PyodExplainError, match="300 rows"):
        loaded.validate(X=payments[0].head(50))
    with pytest.raises(PyodExplainError, match="other row labels"):
        loaded.validate(X=payments[0].iloc[::-1])
    with pytest.raises(PyodExplainError, match="lacks the column"):
        loaded.validate(X=payments[0][["kind"]])


def test_a_pickle_after_given_tags_needs_their_columns(payments):
    own = pd.DataFrame({"large": payments[0]["amount"] > 300})
    e = explain(payments[1], payments[0], tags=GivenTags(own))
    loaded = pickle.loads(pickle.dumps(e))
    with pytest.raises(PyodExplainError, match=r"given tags as columns too, got a table without 'large'[\s\S]*X.join"):
        loaded.validate(X=payments[0])
    assert loaded.validate(2, X=payments[0].join(own)) == e.validate(2)


class Columns:
    """A maker that brings a column of its own."""

    def make(self, table, groups):
        column = replace(table["kind"], name="copy")
        return TagSet((Tag.of(Condition("copy", "==", "phone")),), 1, columns={"copy": column})


def test_a_pickle_after_tags_with_columns_of_their_own_cannot_search_again(payments):
    e = explain(payments[1], payments[0], tags=Columns())
    assert e.validate(2).validation.groups[1].recall == 1.0
    with pytest.raises(PyodExplainError, match="does not know how its rules were found"):
        pickle.loads(pickle.dumps(e)).validate(X=payments[0])


def test_a_pickle_forgets_rows_that_were_rejected(payments):
    labels = np.array([1] * 12 + [0] * 280 + [-2] * 8)
    e = explain(labels, payments[0])
    assert e.validate(2).validation is not None
    with pytest.raises(PyodExplainError, match="neither normal nor outlier"):
        pickle.loads(pickle.dumps(e)).validate(X=payments[0])


def test_a_label_column_does_not_come_back_through_the_table(payments):
    frame = payments[0].assign(fraud=payments[1])
    e = explain("fraud", frame)
    again = pickle.loads(pickle.dumps(e)).validate(2, X=frame)
    assert again == e.validate(2)


# --- rows -------------------------------------------------------------------------------------------------------------


def test_a_row_is_explained_by_its_own_values():
    X, e = by_hand()
    row = e.for_row("x")
    assert row.matching == (e.rules[0],)
    assert row.values == {"c": "z", "x": 50.0}
    assert (
        str(row) == "Row 'x' is an outlier of group 1, because\n  if c is 'z' (it is 'z')\n     and x >= 40 (it is 50)"
    )
    assert str(e.for_row("x", X)) == str(row)


def test_an_unexplained_row_gets_the_nearest_miss():
    _, e = by_hand()
    row = e.for_row("o")
    assert row.matching == ()
    assert row.nearest == e.rules[0]  # one failing condition each, 31 short of 40 against 46 short of 55
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


def test_labels_that_are_unknown_or_not_unique():
    X = pd.DataFrame({"x": [1, 2, 9, 9]}, index=["a", "b", "c", "c"])
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0, 0, 1, 1])
    with pytest.raises(PyodExplainError, match="`label` must be the row label of an outlier"):
        e.for_row("a")
    with pytest.raises(PyodExplainError, match="which 2 outliers have"):
        e.for_row("c")
    with pytest.raises(PyodExplainError, match="one row with the label 'q', got 0"):
        explain_by([[Tag.of(Condition("x", ">", 5))]], X.set_axis(list("abcq")), [0, 0, 1, 1]).for_row("q", X)


def test_missing_values_are_called_missing():
    X = pd.DataFrame({"x": [1.0, 2.0, None], "t": pd.to_datetime(["2024-01-01", "2024-01-02", None])})
    e = explain_by(
        [[Tag.of(Condition("x", "missing"))], [Tag.of(Condition("t", ">", pd.Timestamp("2024-01-01")))]], X, [0, 2, 1]
    )
    assert "x is missing (it is missing)" in str(e.for_row(2))
    assert e.counterfactual(2).changes[0].new == 1.0  # a normal row's value


# --- counterfactuals --------------------------------------------------------------------------------------------------


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
    X, e = by_hand()
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


def test_a_rule_that_nothing_breaks():
    X = pd.DataFrame({"c": ["a", "a", "a"], "x": [1, 2, 3]})
    e = explain_by([[Tag.of(Condition("x", "present")), Tag.of(Condition("x", "missing"))]], X, [0, 0, 1])
    assert e.counterfactual(2).changes is None


def test_without_a_table_rows_need_one(explained, payments):
    read = Explanation.from_json(explained.to_json())
    with pytest.raises(PyodExplainError, match="pass the table as `X=`"):
        read.for_row("p3")
    assert str(read.for_row("p3", payments[0])) == str(explained.for_row("p3"))
    assert read.counterfactual("p3", payments[0]) == explained.counterfactual("p3")
    with pytest.raises(PyodExplainError, match="does not know how its rules were found"):
        read.validate(X=payments[0])


def test_files_are_written(explained, tmp_path):
    for name in ("to_json", "to_markdown", "to_html"):
        path = tmp_path / name
        assert getattr(explained, name)(path) == path.read_text("utf-8")
    assert Explanation.from_json(tmp_path / "to_json") == explained
    assert Explanation.from_dict(explained.to_dict()) == explained


def test_a_change_that_is_not_found_is_said():
    X = pd.DataFrame({"x": [1, 2, 3]})
    e = explain_by([[Tag.of(Condition("x", "present")), Tag.of(Condition("x", "missing"))]], X, [0, 0, 1])
    assert (
        str(e.counterfactual(2)) == "Row 2: no change of its values was found after which no rule of group 1 matches."
    )


def test_the_nearest_miss_is_near_in_time_too():
    times = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-03-01", "2024-06-01"]).tz_localize("Europe/Paris")
    X = pd.DataFrame({"t": times, "d": pd.to_timedelta([1, 2, 3, 4], unit="h")})
    june, march = Condition("t", ">=", pd.Timestamp("2024-06-02")), Condition("t", "<", pd.Timestamp("2024-01-01"))
    late = Condition("d", ">", pd.Timedelta(hours=9))
    e = explain_by([[Tag.of(march), Tag.of(june), Tag.of(late)]], X, [0, 0, 1, 1])
    assert e.for_row(3).nearest == e.rules[1]  # a day, against five months and five hours of three

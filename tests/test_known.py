"""Rules that are known before the search: `explain(known=...)`."""

import json

import numpy as np
import pandas as pd
import pytest
from result.test_compare import night

from pyod_explain import Condition, DatePart, Explanation, Relation, Tag, explain, explain_new
from pyod_explain.beyond_memory import LargeTable
from pyod_explain.exceptions import ParameterError
from pyod_explain.input import as_table
from pyod_explain.tags import read_rule

YESTERDAY = night(1)
KNOWN = explain(YESTERDAY[1], YESTERDAY[0])
KNOWN_TAGS = {rule.tag for rule in KNOWN.rules}


def changes(e):
    return {one.rule.tag: one for one in e.summary.changes}


def alarms(e):
    return [one for one in e.summary.changes if one.significant]


@pytest.mark.parametrize("seed", range(3, 9))
def test_nothing_new_raises_no_alarm(seed):
    X, y = night(seed)
    e = explain(y, X, known=KNOWN)
    assert not alarms(e)
    assert {rule.tag for rule in e.rules if rule.known} <= KNOWN_TAGS <= set(changes(e))


@pytest.mark.parametrize("seed", range(3, 9))
def test_a_new_cause_is_reported_beside_the_known_rules(seed):
    X, y = night(seed, new=30)
    e = explain(y, X, known=KNOWN)
    planted = X["items"] >= 20
    [new] = [one for one in alarms(e) if one.change == "new"]
    assert (new.rule.tag.covers(X) & planted).sum() == 30
    assert new.rule.tag in {rule.tag for rule in e.rules}
    assert "1 new" in e.headline
    order = np.random.default_rng(seed).permutation(len(X))
    shuffled = explain(y[order], X.iloc[order][X.columns[::-1]], known=KNOWN)
    assert shuffled.to_frame().equals(e.to_frame())
    assert shuffled.summary.changes == e.summary.changes


def test_known_rules_are_evaluated_first_and_the_search_explains_the_rest():
    X, y = night(4)
    e = explain(y, X, known=["amount >= 500", Tag.of(Condition("fee", ">=", 3.5))])
    assert [str(rule.tag) for rule in e.rules if rule.known] == ["amount >= 500", "fee >= 3.5"]
    for rule in e.rules:
        matched = rule.tag.covers(X)
        assert rule.n_outliers + rule.n_others == (matched & (y == 1)).sum()
        assert rule.n_normals == (matched & (y == 0)).sum()
    assert e.validate(3).summary.validation.rules[0].found == 3


def test_a_known_rule_that_lost_its_precision_is_changed():
    X, y = night(5)
    worse = X.copy()
    worse.loc[np.flatnonzero(y == 0)[:120], "amount"] = 800.0
    e = explain(y, worse, known=KNOWN)
    [lost] = [one for one in alarms(e) if "amount" in one.rule.tag.columns]
    assert (lost.change, lost.differs) == ("changed", ("precision",))
    assert "precision -" in str(e)


def test_marks_are_edited_in_the_file_and_kept(tmp_path):
    data = json.loads(KNOWN.to_json())
    rule = data["groups"][0]["rules"][0]
    rule |= {"owner": "payments team", "note": "test cards", "expires": "2024-01-31"}
    path = tmp_path / "yesterday.json"
    path.write_text(json.dumps(data), "utf-8")
    X, y = night(6)
    e = explain(y, X, known=path)
    marked = next(one for one in e.summary.changes if one.rule.owner)
    assert (marked.rule.note, marked.expired) == ("test cards", True)
    assert "expired on 2024-01-31; payments team; test cards" in " ".join(str(e).split())
    # On a night without it, a rule that somebody marked stays known; one that nobody marked is forgotten.
    quiet = X["amount"] < 500
    nothing = explain(y[quiet], X[quiet], known=e.rename({1: "cards"}))
    again = explain(y, X, known=Explanation.from_json(nothing.to_json()))
    assert [one.rule.note for one in again.summary.changes if one.rule.known and one.rule.owner] == ["test cards"]


def test_after_a_night_without_outliers_a_cause_is_new():
    X, y = night(9)
    quiet = explain(np.zeros(len(X), dtype=int), X, known=KNOWN)
    assert "gone" in str(quiet)
    assert "Compared with the known rules" in quiet.headline
    assert {one.change for one in alarms(explain(y, X, known=quiet))} == {"new"}


def test_a_marked_cause_may_come_and_go():
    X, y = night(10)
    data = KNOWN.to_dict()
    for group in data["groups"]:
        for rule in group["rules"]:
            rule["owner"] = "Ann"
    marked = Explanation.from_dict(data)
    quiet = explain(np.where(X["amount"] > 500, 0, y), X.assign(amount=X["amount"].clip(upper=300)), known=marked)
    assert not alarms(quiet)
    assert not alarms(explain(y, X, known=quiet))


def test_aggregated_rows_are_told_as_repeated_rows():
    X, y = night(11, new=30)
    counts = np.random.default_rng(0).integers(1, 4, len(X))
    lines = explain(X=X, counts=counts, outlier_counts=counts * y, known=KNOWN)
    rows = explain(np.repeat(y, counts), X.loc[X.index.repeat(counts)].reset_index(drop=True), known=KNOWN)
    assert lines.summary.changes == rows.summary.changes


def test_a_table_of_rules(tmp_path):
    X, y = night(7)
    table = pd.DataFrame({"rule": ["fee >= 3.5"], "name": ["dear"], "owner": ["Ann"], "expires": [None]})
    table.to_csv(tmp_path / "rules.csv", index=False)
    (tmp_path / "semi.csv").write_text("rule;name;owner\nfee >= 3.5;dear;Ann\n;;\n", "utf-8-sig")
    for known in (table, str(tmp_path / "rules.csv"), tmp_path / "semi.csv"):
        e = explain(y, X, known=known)
        [rule] = [rule for rule in e.rules if rule.known]
        assert (rule.owner, rule.expires, e.groups[rule.group - 1].name) == ("Ann", "", "dear")
    e.to_frame().to_csv(tmp_path / "again.csv", index=False)
    again = explain(y, X, known=tmp_path / "again.csv")
    assert {rule.tag for rule in again.rules} == {rule.tag for rule in e.rules}
    assert not alarms(again)


def test_known_rules_of_rows_beyond_memory_are_counted_on_all_rows(tmp_path):
    X, y = night(8, n=3_000)
    X.assign(odd=y).to_parquet(tmp_path / "rows.parquet", row_group_size=500)
    e = explain("odd", LargeTable(tmp_path / "rows.parquet", sample=800), known=KNOWN)
    assert any(rule.known for rule in e.rules)
    for rule in e.rules:
        assert rule.n_normals == (rule.tag.covers(X) & (y == 0)).sum()


@pytest.mark.parametrize(
    ("known", "word"),
    [
        (5, "an explanation or its path"), ("rules.txt", "rules.txt"), (["amount >> 5"], "'amount >> 5'"),
        (["colour is 'red'"], "the columns are amount"), ([3], "a list with 3"), (pd.DataFrame({"a": [1]}), "'a'"),
        (pd.DataFrame({"rule": ["fee > 3"], "expires": ["20261231"]}), "2026-12-31"),
        (explain_new(YESTERDAY[0], YESTERDAY[0].assign(kind="x")), "what is new in a table"),
    ],
)  # fmt: skip
def test_what_is_no_rule_is_refused(known, word):
    with pytest.raises(ParameterError, match="known") as caught:
        explain(YESTERDAY[1], YESTERDAY[0], known=known)
    assert word in str(caught.value)


def test_given_groups_are_refused():
    with pytest.raises(ParameterError, match="reasons"):
        explain(YESTERDAY[1], YESTERDAY[0], known=KNOWN, groups=2)


# --- rules as text ----------------------------------------------------------------------------------------------------

TABLE = pd.DataFrame(
    {
        "a": [1.5, -2.0, 3.25],
        "b and c": [1, 2, 3],
        "kind is": ["x", "it's", "a, b"],
        "flag": [True, False, None],
        "t": [pd.Timestamp("2024-05-01"), pd.Timestamp("2024-05-02 07:30"), None],
        "took": pd.to_timedelta(["1 days", "02:00:00", None]),
    }
)
CONDITIONS = [
    Condition("a", "<=", -2.0), Condition("a", ">", 1e-7), Condition("b and c", "<=", 0), Condition("b and c", "<=", 3),
    Condition("a", "between", (1, 2.5)), Condition("kind is", "==", "it's"), Condition("kind is", "!=", "a, b"),
    Condition("kind is", "in", ["x", "a, b"]), Condition("kind is", "not in", ["x", "it's"]),
    Condition("flag", "==", True),
    Condition("t", ">=", pd.Timestamp("2024-05-01")), Condition("t", "<", pd.Timestamp("2024-05-02 07:30")),
    Condition("took", ">", pd.Timedelta("02:00:00")), Condition("a", "missing"), Condition("kind is", "present"),
    Condition(DatePart("t", "hour"), "<=", 5), Condition(DatePart("t", "weekday"), "in", [5, 6]),
    Condition(DatePart("t", "weekday"), "==", 2), Condition(Relation("a", "/", "b and c"), "<", 0.5),
    Condition(Relation("a", "*", "b and c"), ">=", 2), Condition(Relation("b and c", "-", "a"), ">", -1),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_the_text_of_a_rule_is_read_as_the_rule(seed):
    rng = np.random.default_rng(seed)
    for one in (*CONDITIONS, Condition("a", ">", 1), Condition("a", "<=", 2)):
        others = [other for other in CONDITIONS if other.column != one.column]
        tag = Tag.of(one, *(others[i] for i in rng.choice(len(others), seed % 3, replace=False)))
        assert read_rule(str(tag), as_table(TABLE)) == tag, str(tag)
    half_open = Tag.of(Condition("a", ">", 1), Condition("a", "<=", 2))
    assert read_rule(str(half_open), as_table(TABLE)) == half_open


@pytest.mark.parametrize(
    "text",
    [
        "", "a", "a > ", "a > x", "a > 1 and", "a > 1 or b and c > 2", "z is 1", "flag is 2", "kind is is 'x",
        "kind is is 'x' or kind is is 'a'", "kind is is not one of 'x', 'y'", "kind is is x'", "kind is is 'x', 'y'",
        "kind is is between a and b", "kind is is 'x'; a > 1", "kind is is a rare value (none of the 3 common ones)",
    ],
)  # fmt: skip
def test_what_is_no_text_of_a_rule(text):
    with pytest.raises(ValueError, match=r".*"):
        read_rule(text, as_table(TABLE))

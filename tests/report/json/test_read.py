"""What is read back equals what was written, and damage is named by its place."""

import json
import pathlib
from dataclasses import replace

import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Explanation, PyodExplainError, Relation, Tag, explain
from pyod_explain.report import DIALECTS, to_html, to_sql

X = pd.DataFrame({"x": [*range(50), 900, 950, 990]})

E = explain([0] * 50 + [1] * 3, X, validate=2, control="placebo", n_draws=2)


@settings(max_examples=80, deadline=None)
@given(explanations(), st.sampled_from([None, 2]))
def test_a_round_trip_is_equal(made, indent):
    frame, _, e = made
    again = Explanation.from_json(e.to_json(indent=indent))
    assert again == e
    assert again.rules == e.rules
    assert again.to_json() == e.to_json()
    assert again.predict(frame).tolist() == e.predict(frame).tolist()
    assert str(again) == str(e)


def test_a_file_of_rules_on_texts_of_lost_values_is_refused():
    data = E.to_dict()
    data["groups"][0]["rules"][0]["conditions"][0]["value"] = {"type": "text", "value": "Colour.RED"}
    with pytest.raises(PyodExplainError, match=r"conditions\[0\].value` .* whose type was not kept"):
        Explanation.from_dict(data)
    data = E.to_dict()
    data["groups"][0]["rows"][0] = {"type": "text", "value": "Colour.RED"}
    assert Explanation.from_dict(data).groups[0].rows[0] == "Colour.RED"


@pytest.mark.parametrize(
    "path", sorted((pathlib.Path(__file__).parents[2] / "data").glob("*.json")), ids=lambda path: path.stem
)
def test_files_of_version_0_1_0_are_read(path):
    data = json.loads(path.read_text("utf-8"))
    assert data["versions"]["pyod_explain"] == "0.1.0"
    e = Explanation.from_json(path)
    assert [rule.text for rule in e.rules] == [rule["text"] for group in data["groups"] for rule in group["rules"]]
    assert (e.n_rows, e.n_outliers, e.mdl) == (data["n_rows"], data["n_outliers"], data["mdl"])
    assert e.share_saved == 0  # theirs added up the groups, and is not claimed again
    assert "shorter" not in str(e)
    again = Explanation.from_json(e.to_json())
    assert again == e
    assert again.to_html() == e.to_html()


def test_an_explanation_read_without_labels_can_be_written_and_read_again():
    once = Explanation.from_json(E.to_json(rows=False))
    assert json.loads(once.to_json())["groups"][0]["rows"] is None
    assert Explanation.from_json(once.to_json()) == once


def test_a_number_that_is_no_number_gets_into_no_query_and_no_page():
    (group,) = E.groups
    evil = "1 END FROM t; DROP TABLE t; --<script>"
    rules = tuple(replace(rule, group=evil) for rule in group.rules)
    s = replace(E.summary, groups=(replace(group, number=evil, rules=rules),))
    for dialect in DIALECTS:
        with pytest.raises(PyodExplainError, match="The number of a group must be whole"):
            to_sql(s, "t", dialect=dialect)
    assert "<script" not in to_html(s)
    held = tuple(replace(one, found="<script>") for one in E.summary.validation.rules)
    s = replace(E.summary, validation=replace(E.summary.validation, n_splits="<script>", rules=held))
    assert "<script" not in to_html(s)


def test_a_number_that_writes_itself_as_code_is_written_as_a_number():
    class Evil(int):
        def __str__(self):
            return "1; DROP TABLE t"

        __repr__ = __str__

    e = explain_by([[Tag.of(Condition("x", ">", Evil(5)))]], pd.DataFrame({"x": [1, 9]}), [0, 1])
    for dialect in DIALECTS:
        assert "DROP" not in e.to_sql("t", dialect=dialect)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("groups", 0, "number"), "1 END FROM t; DROP TABLE t", r"groups\[0\].number` .* whole number .* got '1 END"),
        (("groups", 0, "number"), 2, r"groups\[0\].number` .* must be 1"),
        (("groups", 0, "rules", 0, "n_normals"), -1, r"groups\[0\].rules\[0\].n_normals` .* at least 0"),
        (("groups", 0, "rules", 0, "n_outliers"), 4, r"groups\[0\].rules\[0\].recall` .* follows from"),
        (("groups", 0, "rules", 0, "n_added"), 4, r"rules\[0\].n_added` .* at most 3, the number of outliers"),
        (("groups", 0, "rules", 0, "n_added"), 2, r"rules\[0\].n_added` .* 3, all that it matches"),
        (("groups", 0, "rules", 0, "p_value"), 1.5, r"rules\[0\].p_value` .* from 0 to 1, got 1.5"),
        (("groups", 0, "rules", 0, "conditions"), [], r"rules\[0\].conditions` .* one or more"),
        (("groups", 0, "rules", 0, "conditions", 0, "op"), "like", r"conditions\[0\].op` .* one of"),
        (("groups", 0, "rows"), [50, 51], r"groups\[0\].rows` .* list of 3"),
        (("groups", 0, "uncovered"), [7], r"groups\[0\].uncovered` .* some of `rows`"),
        (("groups", 0, "metrics", "NT"), 2, r"metrics.NT` .* number of rules"),
        (("groups",), [], "`n_outliers` .* must be 0"),
        (("n_normals",), 51, "`n_normals` .* at most 50"),
        (("columns",), [], "with the column 'x'"),
        (("columns", 0, "scale"), 0, r"columns\[0\].scale` .* above 0"),
        (("columns", 0, "kind"), "colour", r"columns\[0\].kind` .* one of 'number'"),
        (("columns", 0, "timezone"), "Europe", r"columns\[0\].timezone"),
        (("validation", "rules"), [], "`validation.rules` .* list of 1"),
        (("placebo", "gains"), [], "`placebo.gains` .* one or more"),
        (("timings", "tags"), "<script>", "`timings.tags` .* finite number"),
    ],
    ids=str,
)
def test_the_error_says_where_the_damage_is(path, value, message):
    data = json.loads(E.to_json())
    holder = data
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    with pytest.raises(PyodExplainError, match=message):
        Explanation.from_json(json.dumps(data))


def test_keys_that_a_later_version_may_add_are_left_alone():
    data = {**E.to_dict(), "colour": {"of": ["the", "page"]}}
    assert Explanation.from_dict(data) == E


PAIR = pd.DataFrame({"a": [5.0, 6.0, 9.0], "b": [4.0, 5.5, 1.0]})
RELATED = explain_by([[Tag.of(Condition(Relation("a", "-", "b"), ">", 3))]], PAIR, [0, 0, 1])


def test_a_relation_is_written_by_its_parts():
    data = json.loads(RELATED.to_json())
    written = {"left": "a", "op": "-", "right": "b"}
    assert data["groups"][0]["rules"][0]["conditions"][0]["column"] == written
    assert data["groups"][0]["rules"][0]["text"] == "a - b > 3"
    assert [facts["name"] for facts in data["columns"]] == [written, "a", "b"]
    assert Explanation.from_dict(data) == RELATED


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("groups", 0, "rules", 0, "conditions", 0, "column", "op"), "%", r"column.op` .* one of '-', '/'"),
        (("groups", 0, "rules", 0, "conditions", 0, "column", "left"), "b", r"column` .* names of two columns"),
        (("groups", 0, "rules", 0, "conditions", 0, "column", "right"), 7, r"column.right` .* a text"),
        (("groups", 0, "rules", 0, "conditions", 0, "column"), {"left": "a"}, r"incomplete: `.*column.op`"),
        (("groups", 0, "rules", 0, "conditions", 0, "column"), "a - b", "with the column 'a - b'"),
        (("groups", 0, "rules", 0, "conditions", 0, "part"), "hour", "takes no `part`"),
        (("groups", 0, "profiles", 0, "column"), "a", "the column of its conditions"),
        (("columns", 0, "kind"), "category", r"columns\[0\].kind` .* as a relation gives doubles"),
        (("columns", 2, "name"), "c", "with the column 'b'"),
        (("columns", 0, "name", "op"), "+", "with the column 'a - b'"),
    ],
    ids=str,
)
def test_a_damaged_relation_is_refused_by_its_place(path, value, message):
    data = json.loads(RELATED.to_json())
    holder = data
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    with pytest.raises(PyodExplainError, match=message):
        Explanation.from_json(json.dumps(data))

"""The rules as expectations find just the rows that match."""

import json
import re
import sqlite3
from contextlib import closing

import duckdb
import pandas as pd
import pytest
from by_hand import explain_by, explanations, small
from hypothesis import example, given
from hypothesis import strategies as st
from in_databases import SLOW, awkward, numbered

from pyod_explain import Condition, PyodExplainError, Tag, explain

SQLALCHEMY = {  # what it takes for a parameter, and for an escaped colon
    "2.0": (r"(?<![:\w\x5c]):(\w+)(?!:)", r"\x5c(:[\w\$]*)(?![:\w\$])"),
    "2.1": (r"(?<![:\w\x5c]):(\w+)(?![:\w])", r"\x5c(:\w*)(?![:\w])"),
}


def sent(query, version="2.0"):
    """What reaches the database: the template filled in, then SQLAlchemy's escaped colons."""
    parameter, escaped = SQLALCHEMY[version]
    filled = query.format(batch="data")
    assert not re.search(parameter, filled)
    return re.sub(escaped, r"\1", filled)


@SLOW
@given(explanations())
def test_each_query_finds_the_rows_that_match_its_rule(made):
    frame, _, e = made
    suite = json.loads(e.to_expectations("payments", dialect="duckdb"))
    assert suite["name"] == "payments"
    assert len(suite["expectations"]) == len(e.rules)
    with duckdb.connect() as base:
        base.register("given", numbered(frame))
        base.execute("CREATE TABLE data AS SELECT * FROM given")
        for one, rule, matches in zip(suite["expectations"], e.rules, e.matches(frame).T, strict=True):
            assert one["type"] == "unexpected_rows_expectation"
            assert one["meta"]["pyod_explain"]["rule"] == rule.text
            query = sent(one["kwargs"]["unexpected_rows_query"])
            assert query.startswith("SELECT * FROM data WHERE (")
            [(n,)] = base.execute(f"SELECT count(*) FROM ({query})").fetchall()  # noqa: S608 - our own
            assert n == matches.sum()


def test_a_file(tmp_path):
    text = small().to_expectations("t", tmp_path / "expectations.json")
    assert (tmp_path / "expectations.json").read_text() == text
    [one] = json.loads(text)["expectations"]
    assert one["kwargs"] == {"unexpected_rows_query": 'SELECT * FROM {batch} WHERE ("x" > 5)'}


def test_precision_is_that_of_the_other_views():
    X = pd.DataFrame({"x": [*range(200), *range(500, 540), *range(22)], "z": [0] * 232 + [9] * 30})
    e = explain([0] * 200 + [1] * 62, X)
    told = e.to_frame()
    assert told["others"].any()  # else there is nothing to tell apart
    found = [one["meta"]["pyod_explain"] for one in json.loads(e.to_expectations("t"))["expectations"]]
    assert [one["precision"] for one in found] == told["precision"].tolist()
    assert [one["others"] for one in found] == told["others"].tolist()


def test_colons_and_braces_stay_what_they_are():
    X = pd.DataFrame({"c": ["a", "go :now {x}"]})
    e = explain_by([[Tag.of(Condition("c", "==", "go :now {x}"))]], X, [0, 1])
    [one] = json.loads(e.to_expectations("t"))["expectations"]
    assert one["kwargs"]["unexpected_rows_query"] == ("SELECT * FROM {batch} WHERE ((\"c\" = 'go \\:now {{x}}'))")
    [spark] = json.loads(e.to_expectations("t", dialect="spark"))["expectations"]
    assert "go :now {{x}}" in spark["kwargs"]["unexpected_rows_query"]


COLONS = st.lists(st.sampled_from([":", ":", "a", "7", " ", "\\", "'", "$", "-", "{", "}", "ä"]), max_size=9).map(
    "".join
)


@given(COLONS)
@example(":smile:")
@example("b\\:c")
@example("12:30:15")
@example(":a::b")
def test_colons_reach_the_database_or_are_refused(text):
    e = explain_by([[Tag.of(Condition("c", "==", text))]], pd.DataFrame({"c": ["other", text]}), [0, 1])
    try:
        [one] = json.loads(e.to_expectations("t"))["expectations"]
    except PyodExplainError as error:
        assert "::" in text
        assert "Hint: to_sql() and to_dbt() write it." in str(error)
        return
    quoted = text.replace("'", "''")
    for version in SQLALCHEMY:
        found = sent(one["kwargs"]["unexpected_rows_query"], version)
        assert found.removeprefix("SELECT * FROM data WHERE ") == f"((\"c\" = '{quoted}'))"


def test_a_suite_has_a_name():
    with pytest.raises(PyodExplainError, match="`name` of to_expectations"):
        small().to_expectations("")
    with pytest.raises(PyodExplainError, match="`dialect` of to_expectations"):
        small().to_expectations("t", dialect="oracle")


@pytest.mark.filterwarnings("ignore")  # of its own
def test_great_expectations_itself_counts_the_rows_that_match(tmp_path):
    gx = pytest.importorskip("great_expectations", reason="needs great_expectations and sqlalchemy")
    pytest.importorskip("sqlalchemy")
    frame, e = awkward()
    with closing(sqlite3.connect(tmp_path / "rows.sqlite")) as base:
        frame.to_sql("payments", base, index=False)
    made = json.loads(e.to_expectations("payments", dialect="sqlite"))
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    source = context.data_sources.add_sqlite("base", connection_string=f"sqlite:///{tmp_path / 'rows.sqlite'}")
    batch = source.add_table_asset("all", table_name="payments").add_batch_definition_whole_table("all").get_batch()
    suite = context.suites.add(gx.ExpectationSuite(**made))
    judged = batch.validate(suite, result_format="COMPLETE")
    found = {one.expectation_config.kwargs["unexpected_rows_query"]: one for one in judged.results}
    for wanted, matches in zip(made["expectations"], e.matches(frame).T, strict=True):
        one = found[wanted["kwargs"]["unexpected_rows_query"]]
        assert one.result["observed_value"] == matches.sum(), one
        assert one.success == (not matches.any())

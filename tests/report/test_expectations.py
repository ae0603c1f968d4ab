"""The rules as expectations find just the rows that match."""

import json
import re

import duckdb
import pandas as pd
import pytest
from by_hand import explain_by, explanations, small
from hypothesis import given
from in_databases import SLOW, numbered

from pyod_explain import Condition, PyodExplainError, Tag


def sent(query):
    """What reaches the database: the template filled in, then SQLAlchemy's escaped colons."""
    filled = query.format(batch="data")
    assert not re.search(r"(?<![:\w\\]):\w+(?!:)", filled)  # its parameters
    return re.sub(r"\\(:[\w$]*)(?![:\w$])", r"\1", filled)


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


def test_colons_and_braces_stay_what_they_are():
    X = pd.DataFrame({"c": ["a", "go :now {x}"]})
    e = explain_by([[Tag.of(Condition("c", "==", "go :now {x}"))]], X, [0, 1])
    [one] = json.loads(e.to_expectations("t"))["expectations"]
    assert one["kwargs"]["unexpected_rows_query"] == ("SELECT * FROM {batch} WHERE ((\"c\" = 'go \\:now {{x}}'))")
    [spark] = json.loads(e.to_expectations("t", dialect="spark"))["expectations"]
    assert "go :now {{x}}" in spark["kwargs"]["unexpected_rows_query"]
    X = pd.DataFrame({"c": ["a", "b\\:c"]})
    e = explain_by([[Tag.of(Condition("c", "==", "b\\:c"))]], X, [0, 1])
    with pytest.raises(PyodExplainError, match=r"backslash before a colon[\s\S]*Hint"):
        e.to_expectations("t")


def test_a_suite_has_a_name():
    with pytest.raises(PyodExplainError, match="`name` of to_expectations"):
        small().to_expectations("")
    with pytest.raises(PyodExplainError, match="`dialect` of to_expectations"):
        small().to_expectations("t", dialect="oracle")

"""The rules as data tests of dbt fail for just the rows that match."""

import duckdb
import jinja2
import pandas as pd
import pytest
import yaml
from by_hand import explain_by, explanations, small
from hypothesis import assume, given
from in_databases import ROW, SLOW, numbered, written

from pyod_explain import Condition, PyodExplainError, Tag
from pyod_explain.export import to_dbt


def failing_rows(base, expression):
    """The rows for which dbt_utils' test `expression_is_true` fails."""
    found = base.execute(f'SELECT "{ROW}" FROM model WHERE NOT({expression})').fetchall()  # noqa: S608 - our own
    return {row for (row,) in found}


def rendered(expression):
    """What dbt makes of a template."""
    return jinja2.Template(expression).render()


@SLOW
@given(explanations())
def test_each_test_fails_for_the_rows_that_match_its_rule(made):
    frame, _, e = made
    assume(written(e, "duckdb"))
    [model] = yaml.safe_load(to_dbt(e, "payments", dialect="duckdb"))["models"]
    assert model["name"] == "payments"
    tests = [test["dbt_utils.expression_is_true"] for test in model["data_tests"]]
    assert len({test["name"] for test in tests}) == len(e.rules)
    with duckdb.connect() as base:
        base.register("model", numbered(frame))
        for test, matches in zip(tests, e.matches(frame).T, strict=True):
            assert failing_rows(base, rendered(test["arguments"]["expression"])) == set(matches.nonzero()[0].tolist())
            assert test["config"] == {"severity": "warn"}


def test_no_rule_is_no_test():
    e = explain_by([[]], pd.DataFrame({"x": [1, 2]}), [0, 1])
    assert yaml.safe_load(to_dbt(e, "t"))["models"] == [{"name": "t", "data_tests": []}]


TEMPLATES = ["{{ x }}", "{% x %}", "{# x #}", "{{{x}}}", "{%- raw -%}", "'{{ \"x\" }}'"]  # which dbt would run
CHARACTERS = ["\U0001f600", 'a"b\\c', "tab\there\x7f\u2028\x85\ufeff", "line\nbreak: - #"]


@pytest.mark.parametrize("text", [*TEMPLATES, *CHARACTERS])
def test_any_text_arrives_as_it_is(text):
    e = explain_by([[Tag.of(Condition("c", "==", text))]], pd.DataFrame({"c": ["a", text]}), [0, 1])
    name = text if text in CHARACTERS else "t"
    [model] = yaml.safe_load(to_dbt(e, name))["models"]
    assert model["name"] == name
    [test] = model["data_tests"]
    expression = test["dbt_utils.expression_is_true"]["arguments"]["expression"]
    quoted = text.replace("'", "''")
    assert rendered(expression) == f"not ((\"c\" = '{quoted}'))"


def test_a_model_has_a_name():
    with pytest.raises(PyodExplainError, match="`model` of to_dbt"):
        to_dbt(small(), "")
    with pytest.raises(PyodExplainError, match="`model` of to_dbt"):
        to_dbt(small(), "{{ ref }}")
    with pytest.raises(PyodExplainError, match="`dialect` of to_dbt"):
        to_dbt(small(), "t", dialect="oracle")

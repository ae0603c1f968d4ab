"""The rules as data tests of dbt fail for just the rows that match."""

import duckdb
import pandas as pd
import pytest
import yaml
from by_hand import explain_by, explanations, small
from hypothesis import given
from in_databases import ROW, SLOW, numbered

from pyod_explain import Condition, PyodExplainError, Tag


def failing_rows(frame, expression):
    """The rows for which dbt_utils' test `expression_is_true` fails."""
    with duckdb.connect() as base:
        base.register("given", numbered(frame))
        base.execute("CREATE TABLE model AS SELECT * FROM given")
        found = base.execute(f'SELECT "{ROW}" FROM model WHERE NOT({expression})').fetchall()  # noqa: S608 - our own
    return {row for (row,) in found}


@SLOW
@given(explanations())
def test_each_test_fails_for_the_rows_that_match_its_rule(made):
    frame, _, e = made
    [model] = yaml.safe_load(e.to_dbt("payments", dialect="duckdb"))["models"]
    assert model["name"] == "payments"
    tests = [test["dbt_utils.expression_is_true"] for test in model["data_tests"]]
    assert len({test["name"] for test in tests}) == len(e.rules)
    for test, matches in zip(tests, e.matches(frame).T, strict=True):
        assert failing_rows(frame, test["expression"]) == set(matches.nonzero()[0].tolist())
        assert test["config"] == {"severity": "warn"}


def test_a_file_of_one_rule(tmp_path):
    text = small().to_dbt("my.payments", tmp_path / "dbt.yaml")
    assert (tmp_path / "dbt.yaml").read_text() == text
    assert text.endswith(
        'models:\n  - name: "my.payments"\n    data_tests:\n'
        "      # x > 5 (2 outliers, 0 normal rows when it was found)\n"
        "      - dbt_utils.expression_is_true:\n"
        '          name: "my_payments_outliers_group_1_rule_1"\n'
        '          expression: "not (\\"x\\" > 5)"\n'
        "          config:\n            severity: warn\n"
    )


def test_no_rule_is_no_test():
    e = explain_by([[]], pd.DataFrame({"x": [1, 2]}), [0, 1])
    assert yaml.safe_load(e.to_dbt("t"))["models"] == [{"name": "t", "data_tests": []}]


@pytest.mark.parametrize("text", ["{{ x }}", "{% x %}", "{# x #}"])
def test_what_dbt_would_run_is_refused(text):
    e = explain_by([[Tag.of(Condition("c", "==", text))]], pd.DataFrame({"c": ["a", text]}), [0, 1])
    with pytest.raises(PyodExplainError, match=r"template[\s\S]*Hint: to_sql"):
        e.to_dbt("t")


@pytest.mark.parametrize("text", ["\U0001f600", 'a"b\\c', "tab\there\x7f\u2028\x85\ufeff", "line\nbreak: - #"])
def test_any_character_survives_the_file(text):
    e = explain_by([[Tag.of(Condition("c", "==", text))]], pd.DataFrame({"c": ["a", text]}), [0, 1])
    [model] = yaml.safe_load(e.to_dbt(text))["models"]
    assert model["name"] == text
    [test] = model["data_tests"]
    assert test["dbt_utils.expression_is_true"]["expression"] == f"not ((\"c\" = '{text}'))"


def test_a_model_has_a_name():
    with pytest.raises(PyodExplainError, match="`model` of to_dbt"):
        small().to_dbt("")
    with pytest.raises(PyodExplainError, match="`dialect` of to_dbt"):
        small().to_dbt("t", dialect="oracle")

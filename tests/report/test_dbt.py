"""The rules as data tests of dbt fail for just the rows that match."""

import re

import duckdb
import pandas as pd
import pytest
import yaml
from by_hand import explain_by, explanations, small
from hypothesis import given
from in_databases import ROW, SLOW, awkward, numbered

from pyod_explain import Condition, PyodExplainError, Tag
from pyod_explain.export import to_dbt


def failing_rows(frame, expression):
    """The rows for which dbt_utils' test `expression_is_true` fails."""
    with duckdb.connect() as base:
        base.register("given", numbered(frame))
        base.execute("CREATE TABLE model AS SELECT * FROM given")
        found = base.execute(f'SELECT "{ROW}" FROM model WHERE NOT({expression})').fetchall()  # noqa: S608 - our own
    return {row for (row,) in found}


def filled(expression):
    """What dbt makes of a template."""
    return re.sub(r"\{\{ '([{}])' \}\}", r"\1", expression)


@SLOW
@given(explanations())
def test_each_test_fails_for_the_rows_that_match_its_rule(made):
    frame, _, e = made
    [model] = yaml.safe_load(to_dbt(e, "payments", dialect="duckdb"))["models"]
    assert model["name"] == "payments"
    tests = [test["dbt_utils.expression_is_true"] for test in model["data_tests"]]
    assert len({test["name"] for test in tests}) == len(e.rules)
    for test, matches in zip(tests, e.matches(frame).T, strict=True):
        assert failing_rows(frame, filled(test["arguments"]["expression"])) == set(matches.nonzero()[0].tolist())
        assert test["config"] == {"severity": "warn"}


def test_no_rule_is_no_test():
    e = explain_by([[]], pd.DataFrame({"x": [1, 2]}), [0, 1])
    assert yaml.safe_load(to_dbt(e, "t"))["models"] == [{"name": "t", "data_tests": []}]


TEMPLATES = ["{{ x }}", "{% x %}", "{# x #}", "}} %}", "{{{x}}}", "{%- raw -%}", "'{{ \"x\" }}'"]


@pytest.mark.parametrize("text", TEMPLATES)
def test_what_dbt_would_run_arrives_as_it_is(text):
    e = explain_by([[Tag.of(Condition("c", "==", text))]], pd.DataFrame({"c": ["a", text]}), [0, 1])
    [model] = yaml.safe_load(to_dbt(e, "t"))["models"]
    [test] = model["data_tests"]
    expression = test["dbt_utils.expression_is_true"]["arguments"]["expression"]
    quoted = text.replace("'", "''")
    assert filled(expression) == f"not ((\"c\" = '{quoted}'))"


@pytest.mark.parametrize("text", ["\U0001f600", 'a"b\\c', "tab\there\x7f\u2028\x85\ufeff", "line\nbreak: - #"])
def test_any_character_survives_the_file(text):
    e = explain_by([[Tag.of(Condition("c", "==", text))]], pd.DataFrame({"c": ["a", text]}), [0, 1])
    [model] = yaml.safe_load(to_dbt(e, text))["models"]
    assert model["name"] == text
    [test] = model["data_tests"]
    assert test["dbt_utils.expression_is_true"]["arguments"]["expression"] == f"not ((\"c\" = '{text}'))"


def test_a_model_has_a_name():
    with pytest.raises(PyodExplainError, match="`model` of to_dbt"):
        to_dbt(small(), "")
    with pytest.raises(PyodExplainError, match="`model` of to_dbt"):
        to_dbt(small(), "{{ ref }}")
    with pytest.raises(PyodExplainError, match="`dialect` of to_dbt"):
        to_dbt(small(), "t", dialect="oracle")


PROJECT = {
    "dbt_project.yml": "name: awkward\nversion: 1.0.0\nprofile: awkward\nconfig-version: 2\n",
    "profiles.yml": "awkward:\n  target: dev\n  outputs:\n    dev: {type: duckdb, path: rows.duckdb, threads: 1}\n",
    "packages.yml": "packages:\n  - local: utils\n",
    "models/payments.sql": "select * from rows\n",
    "utils/dbt_project.yml": "name: dbt_utils\nversion: 1.0.0\nconfig-version: 2\n",
    "utils/macros/expression.sql": (
        "{% test expression_is_true(model, expression) %}\n"
        "select * from {{ model }} where not({{ expression }})\n{% endtest %}\n"
    ),
}


@pytest.mark.filterwarnings("ignore")  # of dbt's own
def test_dbt_itself_finds_the_rows_that_match(tmp_path, monkeypatch):
    pytest.importorskip("dbt.adapters.duckdb", reason="needs dbt-core and dbt-duckdb")
    from dbt.cli.main import dbtRunner

    frame, e = awkward()
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    text = to_dbt(e, "payments", tmp_path / "models" / "rules.yml", dialect="duckdb")
    with duckdb.connect(str(tmp_path / "rows.duckdb")) as base:
        base.register("given", numbered(frame))
        base.execute("CREATE TABLE rows AS SELECT * FROM given")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "0")
    assert dbtRunner().invoke(["deps", "--quiet"]).success
    built = dbtRunner().invoke(["build", "--store-failures", "--quiet"])
    assert built.success, built.exception
    [model] = yaml.safe_load(text)["models"]
    names = [test["dbt_utils.expression_is_true"]["name"] for test in model["data_tests"]]
    with duckdb.connect(str(tmp_path / "rows.duckdb")) as base:
        for name, matches in zip(names, e.matches(frame).T, strict=True):
            kept = f'"main_dbt_test__audit"."{name}"'
            found = base.execute(f'SELECT "{ROW}" FROM {kept}').fetchall()  # noqa: S608 - our own
            assert {row for (row,) in found} == set(matches.nonzero()[0].tolist())

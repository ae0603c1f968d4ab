"""The statement: which rule decides, what the columns are called, and that nothing is written as it comes."""

import sqlite3
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations, small
from hypothesis import given, settings
from in_databases import expected, groups_in_duckdb, groups_in_sqlite, one_rule

from pyod_explain import Condition, PyodExplainError, Tag, explain
from pyod_explain.report import DIALECTS, to_sql


@given(explanations())
@settings(max_examples=40, deadline=None)
def test_every_dialect_writes_every_condition_or_says_why_not(made):
    _, _, explanation = made
    for dialect in DIALECTS:
        try:
            text = explanation.to_sql("t", dialect=dialect)
        except PyodExplainError as error:
            assert "Hint" in str(error) or "cannot be written" in str(error)
        else:
            assert text.startswith("SELECT *")
            assert text.endswith(";\n")


def test_the_most_precise_rule_decides_where_groups_overlap():
    X = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7, 8]})
    wide, narrow = Tag.of(Condition("x", ">=", 2)), Tag.of(Condition("x", ">=", 7))
    e = explain_by([[wide], [narrow]], X, [0, 0, 0, 0, 1, 1, 2, 2])
    assert e.predict(X).tolist() == [0, 1, 1, 1, 1, 1, 2, 2]
    assert groups_in_duckdb(e, X, "t", where=True) == {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 2, 7: 2}


def test_a_column_named_like_ours_is_not_hidden():
    X = pd.DataFrame({"outlier_group": [1, 2, 3, 9]})
    e = explain_by([[Tag.of(Condition("outlier_group", ">", 5))]], X, [0, 0, 0, 1])
    assert 'AS "outlier_group_"' in e.to_sql("t")


def test_qualified_names():
    e = explain([0, 0, 0, 0], pd.DataFrame({"x": [1, 2, 3, 4]}))
    assert e.to_sql(("my schema", "t")) == 'SELECT *, 0 AS "outlier_group"\nFROM "my schema"."t"\nWHERE 1 = 0;\n'
    assert e.to_sql("t", where=False) == 'SELECT *, 0 AS "outlier_group"\nFROM "t";\n'


@pytest.mark.parametrize("table", [[], "", ("schema", "")])
def test_a_table_has_a_name(table):
    with pytest.raises(PyodExplainError, match=r"`table` of to_sql\(\) must be the name of a table[\s\S]*Hint"):
        small().to_sql(table)
    with pytest.raises(PyodExplainError, match=r"`column` of to_sql\(\) must be a name, got ''"):
        small().to_sql("t", column="")


def test_an_explanation_of_real_outliers_runs_in_both_databases():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"amount": rng.gamma(2, 10, 400).round(2), "kind": rng.choice(["web", "shop's"], 400)})
    X.loc[:19, "amount"] += 200
    X.loc[5:9, "amount"] = np.nan
    e = explain([1] * 20 + [0] * 380, X)
    assert e.rules
    marked = expected(e, X, where=True)
    assert groups_in_duckdb(e, X, "payments", where=True) == marked == groups_in_sqlite(e, X, "payments", where=True)


@pytest.mark.parametrize("op", ["==", "!=", "<", "missing", "present"])
def test_a_column_that_is_gone_is_an_error_in_every_database(op):
    value = () if op in ("missing", "present") else (5,)
    e = explain_by([[Tag.of(Condition("amount", op, *value))]], pd.DataFrame({"amount": [1, 5]}), [0, 1])
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (other INTEGER)")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        base.execute(e.to_sql("t", dialect="sqlite"))
    base.close()
    with duckdb.connect() as duck:
        duck.execute("CREATE TABLE t (other INTEGER)")
        with pytest.raises(duckdb.BinderException, match="amount"):
            duck.execute(e.to_sql("t", dialect="duckdb"))


class Sly(int):
    """A whole number that prints as something else."""

    __slots__ = ()

    def __repr__(self):
        return "1; DROP TABLE t"

    __str__ = __repr__

    def __format__(self, _):
        return "1; DROP TABLE t"


def test_nothing_is_written_as_it_comes():
    e = one_rule(Condition("x", ">=", 2), [1, 2])
    s = e.summary
    group = s.groups[0]

    def with_rule(**changes):
        return replace(s, groups=(replace(group, rules=(replace(group.rules[0], **changes),)),))

    assert "DROP" not in to_sql(with_rule(group=Sly(1), tag=Tag.of(Condition("x", ">=", Sly(2)))), "t")
    with pytest.raises(PyodExplainError, match="number of a group must be whole"):
        to_sql(with_rule(group="1 END; DROP TABLE t; --"), "t")
    for bad in (3, None, b"x"):
        with pytest.raises(PyodExplainError, match="must be a text"):
            to_sql(replace(s, columns=(replace(s.columns[0], name=bad),)), "t")
        with pytest.raises(PyodExplainError, match="must be a text"):
            to_sql(s, "t", column=bad)
        with pytest.raises(PyodExplainError, match="must be a text"):
            to_sql(s, ["a", bad])
    zoned = one_rule(Condition("x", ">=", 5, "hour"), pd.to_datetime(["2024-01-01", "2024-01-02"]).tz_localize("UTC"))
    columns = (replace(zoned.summary.columns[0], timezone="UTC' OR 1 = 1 --"),)
    for dialect in ("duckdb", "spark", "bigquery"):
        text = to_sql(replace(zoned.summary, columns=columns), "t", dialect=dialect)
        assert "'UTC' OR" not in text

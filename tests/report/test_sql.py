"""What SQL is written for a rule: mean the same as `predict`, or refuse; and nothing is written as it comes."""

import sqlite3
from dataclasses import replace
from decimal import Decimal

import duckdb
import pandas as pd
import pytest
from by_hand import explain_by, explanations, small
from hypothesis import given, settings
from in_databases import expected, groups_in_duckdb, one_rule

from pyod_explain import Condition, DatePart, PyodExplainError, Tag, explain
from pyod_explain.exceptions import ParameterError
from pyod_explain.report import DIALECTS
from pyod_explain.report.sql import to_sql

# --- conditions -------------------------------------------------------------------------------------------------------


def test_a_time_zone_is_refused_by_sqlite_and_an_unknown_dialect_by_all():
    zoned = pd.to_datetime(["2024-01-01", "2024-01-02"]).tz_localize("UTC")
    with pytest.raises(PyodExplainError, match="time zone"):
        one_rule(Condition("t", ">=", zoned[0]), pd.Series(zoned)).to_sql("t", dialect="sqlite")
    with pytest.raises(PyodExplainError, match="`dialect` of to_sql"):
        small().to_sql("t", dialect="oracle")


def test_values_of_another_type_match_nothing():
    X = pd.DataFrame({"n": [1.0, 2.0], "k": pd.Categorical([1, 2]), "m": ["a", "b"]})
    tags = [
        Tag.of(Condition("n", ">", pd.Timestamp("2024-01-01"))),
        Tag.of(Condition(DatePart("m", "hour"), "==", 3)),
        Tag.of(Condition("k", "in", [2, 3.5])),
        Tag.of(Condition("n", "==", True), Condition("n", "not in", ["x"])),
    ]
    e = explain_by([tags], X, [0, 1])
    assert groups_in_duckdb(e, X.assign(k=[1, 2]), "t", where=False) == expected(e, X, where=False)


def test_infinite_cells_of_a_database_are_greater_than_all_others():
    X = pd.DataFrame({"x": [0.5, 0.9]})
    e = explain_by([[Tag.of(Condition("x", ">=", 0.7))]], X, [0, 1])
    with duckdb.connect() as base:
        base.execute("CREATE TABLE t AS SELECT unnest(['inf', '-inf', 'nan', '0.7', NULL])::DOUBLE AS x")
        found = base.execute(e.to_sql("t", dialect="duckdb", where=False)).fetchall()
    assert [group for _, group in found] == [1, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("value", "dialect", "text"),
    [
        (Decimal("1.50"), "postgres", "1.50"), (Decimal("1.50"), "bigquery", "BIGNUMERIC '1.50'"),
        (Decimal("1.50"), "spark", "1.50BD"), (Decimal("1.50"), "sqlite", "1.5"), (0.7, "postgres", "0.7"),
        (0.7, "duckdb", "0.7e0"), (1e300, "spark", "1e+300"), *((-0.0, dialect, "0") for dialect in DIALECTS),
        (2.0**24 + 1, "duckdb", "16777217.0e0"), (2**53 + 1, "postgres", str(2**53 + 1)),
    ],
)  # fmt: skip
def test_numbers_are_written_in_the_type_of_the_column(value, dialect, text):
    e = one_rule(Condition("x", ">=", value), [value, value])
    assert f"x{'`' if dialect in ('spark', 'bigquery') else chr(34)} >= {text}" in e.to_sql("t", dialect=dialect)


@pytest.mark.parametrize(
    ("condition", "cells", "dialect", "message"),
    [
        (Condition("x", ">=", 10**30), [10**30, 10**30 - 1], "duckdb", "64 bits"),
        (Condition("x", ">=", Decimal(1).scaleb(-40)), [Decimal(1).scaleb(-40), Decimal(1)], "duckdb", "38 digits"),
        (Condition("x", ">=", Decimal(10**20 + 1)), [Decimal(10**20 + 1), Decimal("0.5")], "sqlite", "no decimals"),
        (Condition("x", "==", 0.3), pd.Categorical([0.3, 0.1 + 0.2]), "sqlite", "category"),
        (Condition("x", "==", 1), pd.Categorical([1, "1"]), "sqlite", "texts and numbers"),
        (Condition("x", ">=", 1), [1, "a"], "ansi", "bound of categories"),
        (Condition("x", ">=", pd.Timestamp(1)), pd.to_datetime([1, 2], unit="ns"), "duckdb", "microseconds"),
        (Condition("x", ">=", pd.Timedelta(1)), pd.to_timedelta([1, 2], unit="ns"), "ansi", "microseconds"),
        (Condition("x", "==", "a\0b"), ["a\0b", "x"], "spark", "NUL"),
        (Condition("x", "==", (1, 2)), [(1, 2), (3, 4)], "ansi", "cannot be written"),
        (Condition(DatePart("x", "weekday"), "==", 3), pd.to_datetime([1, 2]), "ansi", "no word for it"),
    ],
)
def test_what_would_be_another_value_in_the_database_is_refused(condition, cells, dialect, message):
    X = pd.DataFrame({"x": pd.Series(cells)})
    e = explain_by([[Tag.of(condition)]], X, [1, 0])
    with pytest.raises(PyodExplainError, match=message):
        e.to_sql("t", dialect=dialect)


# --- dialect ----------------------------------------------------------------------------------------------------------


def test_each_dialect_quotes_in_its_own_way():
    e = one_rule(Condition('a`b"c', "==", "it's \\ \n"), ["x", "it's \\ \n"])
    assert """(t."a`b""c" = 'it''s \\ \n')""" in e.to_sql("t")
    assert "(t.`a``b\"c` = 'it\\'s \\\\ \\n')" in e.to_sql("t", dialect="spark")
    assert "(t.`a\\`b\"c` = 'it\\'s \\\\ \\n')" in e.to_sql("t", dialect="bigquery")


@pytest.mark.parametrize(
    ("dialect", "hour", "weekday"),
    [
        ("postgres", "EXTRACT(HOUR FROM (t_.\"t\" AT TIME ZONE 'Europe/Paris'))", "EXTRACT(ISODOW FROM"),
        ("bigquery", "EXTRACT(HOUR FROM t_.`t` AT TIME ZONE 'Europe/Paris')", "MOD(EXTRACT(DAYOFWEEK FROM"),
        ("spark", "hour(from_utc_timestamp(", "weekday(from_utc_timestamp("),
    ],
)
def test_parts_of_times_are_those_of_the_columns_own_clock(dialect, hour, weekday):
    cells = pd.to_datetime(["2024-01-01", "2024-01-02"]).tz_localize("Europe/Paris")
    assert hour in one_rule(Condition(DatePart("t", "hour"), ">=", 5), cells).to_sql("t", dialect=dialect)
    assert weekday in one_rule(Condition(DatePart("t", "weekday"), "==", 5), cells).to_sql("t", dialect=dialect)


# --- statement --------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("name", [[], "", ("schema", ""), ["a", 3]])
def test_a_table_has_a_name(name):
    with pytest.raises(ParameterError, match=r"^`table`"):
        small().to_sql(name)
    with pytest.raises(ParameterError, match=r"^`column`"):
        small().to_sql("t", column="")


@pytest.mark.parametrize("op", ["==", "missing"])
def test_a_column_that_is_gone_is_an_error_in_every_database(op):
    value = () if op == "missing" else (5,)
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


def test_a_time_zone_is_written_as_a_text():
    zoned = one_rule(
        Condition(DatePart("x", "hour"), ">=", 5), pd.to_datetime(["2024-01-01", "2024-01-02"]).tz_localize("UTC")
    )
    columns = (replace(zoned.summary.columns[0], timezone="UTC' OR 1 = 1 --"),)
    for dialect in ("duckdb", "spark", "bigquery"):
        assert "'UTC' OR" not in to_sql(replace(zoned.summary, columns=columns), "t", dialect=dialect)

"""Conditions in SQL mean what they mean in `predict`, or are refused."""

import math
from decimal import Decimal

import duckdb
import pandas as pd
import pytest
from by_hand import explain_by
from in_databases import expected, groups_in_duckdb, one_rule

from pyod_explain import Condition, PyodExplainError, Tag
from pyod_explain.report import DIALECTS


def test_what_sql_cannot_say_is_refused_with_a_way_out():
    zoned = pd.to_datetime(["2024-01-01", "2024-01-02"]).tz_localize("UTC")
    nano = pd.to_timedelta([1, 2], unit="ns")
    cases = [
        (Condition("c", "==", "a\0b"), ["a\0b", "x"], "ansi", "NUL"),
        (Condition("c\0d", "==", "a"), ["a", "x"], "spark", "NUL"),
        (Condition("t", ">=", zoned[0]), zoned, "sqlite", "time zone.*\nHint"),
        (Condition("t", "==", 3, "weekday"), zoned, "ansi", "weekday.*\nHint"),
        (Condition("d", "<=", nano[0]), nano, "duckdb", "microseconds.*\nHint"),
        (Condition("c", "==", (1, 2)), [(1, 2), (3, 4)], "ansi", "cannot be written"),
    ]
    for condition, cells, dialect, message in cases:
        with pytest.raises(PyodExplainError, match=message):
            one_rule(condition, pd.Series(cells)).to_sql("t", dialect=dialect)
    with pytest.raises(PyodExplainError, match="`dialect` of to_sql"):
        one_rule(Condition("c", "==", "a"), ["a", "x"]).to_sql("t", dialect="oracle")


def test_labels_are_refused():
    from pyod_explain.input import as_table

    X = pd.DataFrame({"l": [["a"], ["b"]]})
    table = as_table(X)
    e = explain_by([[Tag.of(Condition("l", "contains", "a"))]], table, [1, 0])
    with pytest.raises(PyodExplainError, match="collections of labels"):
        e.to_sql("t")


def test_values_of_another_type_match_nothing():
    X = pd.DataFrame({"n": [1.0, 2.0], "k": pd.Categorical([1, 2]), "m": ["a", "b"]})
    tags = [
        Tag.of(Condition("n", ">", pd.Timestamp("2024-01-01"))),
        Tag.of(Condition("m", "==", 3, "hour")),
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
        (10**30, "ansi", "1000000000000000000000000000000"),
        (10**30, "bigquery", "BIGNUMERIC '1000000000000000000000000000000'"),
        (10**30, "spark", "1000000000000000000000000000000BD"),
        (2**127, "duckdb", str(2**127)),
        (Decimal("1.50"), "postgres", "1.50"),
        (Decimal("1.50"), "duckdb", "1.50"),
        (Decimal("1.50"), "bigquery", "BIGNUMERIC '1.50'"),
        (Decimal("1.50"), "spark", "1.50BD"),
        (Decimal("1.50"), "sqlite", "1.5"),
        (0.7, "postgres", "0.7"),
        (0.7, "sqlite", "0.7"),
        (0.7, "bigquery", "0.7"),
        (0.7, "duckdb", "0.7e0"),
        (0.7, "ansi", "0.7e0"),
        (0.7, "spark", "0.7D"),
        (1e300, "spark", "1e+300D"),
        *((-0.0, dialect, "0") for dialect in DIALECTS),
        *((250.0, dialect, "250") for dialect in DIALECTS),
        (2.0**24 + 1, "duckdb", "16777217.0e0"),
        (2.0**24 + 1, "spark", "16777217.0D"),
        (2.0**24 + 1, "postgres", "16777217"),
        (2**53 + 1, "postgres", str(2**53 + 1)),
    ],
)
def test_numbers_are_written_in_the_type_of_the_column(value, dialect, text):
    e = one_rule(Condition("x", ">=", value), [value, value])
    assert f"x{'`' if dialect in ('spark', 'bigquery') else chr(34)} >= {text}" in e.to_sql("t", dialect=dialect)


@pytest.mark.parametrize(
    ("condition", "cells", "dialect", "message"),
    [
        (Condition("x", ">=", 10**30), [10**30, 10**30 - 1], "sqlite", "64 bits"),
        (Condition("x", ">=", 10**60), [10**60, 1], "bigquery", "38 digits"),
        (Condition("x", ">=", Decimal(1).scaleb(-40)), [Decimal(1).scaleb(-40), Decimal(1)], "duckdb", "38 digits"),
        (Condition("x", ">=", Decimal(10**20 + 1)), [Decimal(10**20 + 1), Decimal("0.5")], "sqlite", "no decimals"),
        (Condition("x", "==", 0.1 + 0.2), pd.Categorical([0.1 + 0.2, 0.5]), "sqlite", "15 digits"),
        (Condition("x", "==", 0.3), pd.Categorical([0.3, 0.1 + 0.2]), "sqlite", "15 digits"),
        (Condition("x", "==", 1), pd.Categorical([1, "1"]), "sqlite", "texts and numbers"),
        (Condition("x", ">=", pd.Timestamp(1)), pd.to_datetime([1, 2], unit="ns"), "postgres", "microseconds"),
    ],
)
def test_what_would_be_another_value_in_the_database_is_refused(condition, cells, dialect, message):
    X = pd.DataFrame({"x": pd.Series(cells)})
    e = explain_by([[Tag.of(condition)]], X, [1, 0])
    with pytest.raises(PyodExplainError, match=f"cannot be written.*{message}"):
        e.to_sql("t", dialect=dialect)


def test_nan_is_missing_in_a_category_of_floats_whose_normals_are_all_missing():
    e = one_rule(Condition("x", "missing"), pd.Categorical([math.nan, 0.5]))
    assert "isnan" in e.to_sql("t", dialect="duckdb")


def test_bounds_of_categories_are_refused():
    for cells, value in (([1, "a"], 1), ([True, False], 0.5), ([pd.Timedelta(1), "a"], pd.Timedelta(0))):
        e = one_rule(Condition("x", ">=", value), pd.Series(cells, dtype=object))
        with pytest.raises(PyodExplainError, match="as a bound of categories"):
            e.to_sql("t")
    assert "1 = 0" in one_rule(Condition("x", ">=", 3), ["a", "b"]).to_sql("t")


@pytest.mark.parametrize("value", [0.7, 250.0, 2.0**24 + 1, -0.0, 0.5])
@pytest.mark.parametrize("op", [">=", ">", "=="])
def test_short_floats_of_a_database_are_compared_with_the_number_itself(value, op):
    X = pd.DataFrame({"x": pd.Series([value, value + 1, value], dtype="float32")})
    e = explain_by([[Tag.of(Condition("x", op, value))]], X, [0, 0, 1])
    found = groups_in_duckdb(e, X, "t", where=False)
    assert found == expected(e, X, where=False)


def test_the_largest_whole_numbers_of_duckdb_compare_with_fractions():
    e = one_rule(Condition("x", ">=", 0.5), [0.5, 0.25])
    with duckdb.connect() as base:
        base.execute("CREATE TABLE t AS SELECT (2::HUGEINT ** 126)::HUGEINT AS x")
        assert base.execute(e.to_sql("t", dialect="duckdb")).fetchall()[0][1] == 1

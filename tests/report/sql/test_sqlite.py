"""SQLite runs the SQL, and returns exactly the rows that `predict` marks."""

import sqlite3
from contextlib import closing

import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import given, settings
from hypothesis import strategies as st
from in_databases import SLOW, expected, groups_in_sqlite, one_rule, written
from typed_tables import TYPED, category, typed_tables

from pyod_explain import Condition, Tag

SQLITE = ("float", "int", "text", "bool", "time", "date", "duration")


@SLOW
@given(explanations(kinds=SQLITE), st.sampled_from(["t", "it's", 'a "b"', "x; y", "日本"]), st.booleans())
def test_sqlite_returns_exactly_what_predict_marks(made, table, where):
    frame, _, explanation = made
    assert groups_in_sqlite(explanation, frame, table, where=where) == expected(explanation, frame, where=where)


def test_dates_without_a_time_of_day_compare_in_sqlite():
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (day TEXT)")
    base.executemany("INSERT INTO t VALUES (?)", [("2024-01-01",), ("2024-01-02",), ("2024-01-02T00:00:00",), (None,)])
    X = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-02", None])})
    e = explain_by([[Tag.of(Condition("day", ">=", pd.Timestamp("2024-01-02")))]], X, [0, 1, 1, 0])
    assert base.execute(e.to_sql("t", dialect="sqlite")).fetchall() == [("2024-01-02", 1), ("2024-01-02T00:00:00", 1)]
    base.close()


def test_sqlite_takes_a_nul_inside_a_text():
    e = one_rule(Condition("c", "==", "a\0b"), ["x", "a\0b"])
    assert groups_in_sqlite(e, pd.DataFrame({"c": ["x", "a\0b"]}), "t", where=True) == {1: 1}


@settings(max_examples=60, deadline=None)
@given(typed_tables([kind for kind, one in TYPED.items() if one[4]]))
def test_sqlite_compares_typed_columns_as_predict_does(made):
    kind, cells, e, frame = made
    select = written(e, "sqlite")
    if select is None:
        return
    *_, type_name, cell_of = TYPED[kind]
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE t (x {type_name})")
    base.executemany("INSERT INTO t VALUES (?)", [(None if cell is None else cell_of(cell),) for cell in cells])
    found = base.execute(select).fetchall()
    base.close()
    assert [row[1] for row in found] == e.predict(frame).tolist(), select


def test_a_whole_float_finds_its_long_digits_in_a_text_column_of_sqlite():
    X = pd.DataFrame({"x": category([9_007_199_254_740_990, 0, 0])})
    e = explain_by([[Tag.of(Condition("x", "==", 9_007_199_254_740_990.0))]], X, [1, 0, 0])
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (x TEXT)")
    base.executemany("INSERT INTO t VALUES (?)", [(int(cell),) for cell in X["x"]])
    found = base.execute(e.to_sql("t", dialect="sqlite", where=False)).fetchall()
    base.close()
    assert [row[1] for row in found] == e.predict(X).tolist() == [1, 0, 0]


def test_times_in_sqlite_may_have_any_number_of_decimals():
    stored = ["2024-01-01 00:00:00.5", "2024-01-01T00:00:00.500", "2024-01-01 00:00:00.500000001", "2024-01-01 00:00"]
    X = pd.DataFrame({"x": pd.Series([pd.Timestamp(one) for one in stored]).astype("datetime64[ns]")})
    e = explain_by([[Tag.of(Condition("x", "==", pd.Timestamp("2024-01-01 00:00:00.5")))]], X, [1, 1, 0, 0])
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (x TEXT)")
    base.executemany("INSERT INTO t VALUES (?)", [(one,) for one in stored])
    assert [row[1] for row in base.execute(e.to_sql("t", dialect="sqlite", where=False))] == [1, 1, 0, 0]
    assert e.predict(X).tolist() == [1, 1, 0, 0]
    base.close()


@pytest.mark.parametrize("type_name", ["TEXT", "REAL", ""])
@pytest.mark.parametrize("condition", [(">=", 5.0), ("<", 9.0), ("between", (2.0, 10.0))])
@pytest.mark.parametrize("cells", [list("0123456789"), ["a", "b", None], [1, 7.5, "7", "x", None, 3]])
def test_texts_are_no_numbers_in_sqlite(type_name, condition, cells):
    """SQLite holds any text to be greater than any number, and in a column of text compares digit by digit."""
    e = one_rule(Condition("x", *condition), [1.0, 6.0])
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE t (x {type_name})")
        base.executemany("INSERT INTO t VALUES (?)", [(cell,) for cell in cells])
        stored = [row[0] for row in base.execute("SELECT x FROM t")]
        found = [row[-1] for row in base.execute(e.to_sql("t", dialect="sqlite", where=False))]
    assert found == e.predict(pd.DataFrame({"x": pd.Series(stored, dtype=object)})).tolist()


@pytest.mark.parametrize("cell", [3_000_000_000, 3000.5, "zzz", "3000", b"3000-01-01"])
@pytest.mark.parametrize("condition", [(">=", pd.Timestamp("2024-01-01")), (">=", 0, "hour")])
def test_what_is_no_time_has_no_place_among_times_in_sqlite(cell, condition):
    e = one_rule(Condition("x", *condition), [pd.Timestamp("2023-01-01"), pd.Timestamp("2025-01-01")])
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE t (x)")
        base.executemany("INSERT INTO t VALUES (?)", [(cell,), ("2025-01-01",)])
        found = [row[-1] for row in base.execute(e.to_sql("t", dialect="sqlite", where=False))]
    assert found == [0, 1]

"""DuckDB and SQLite run the SQL, and return exactly the rows that `predict` marks."""

import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from in_databases import SLOW, expected, groups_in_duckdb, groups_in_sqlite, in_sqlite, one_rule, written
from typed_tables import NUMBERS, TYPED, typed_tables

from pyod_explain import Condition, DatePart, Relation, Tag
from pyod_explain.report import DIALECTS

# --- databases --------------------------------------------------------------------------------------------------------


@SLOW
@given(explanations(), st.sampled_from(["t", "it's", 'a "b"', "x; y", "日本"]), st.booleans(), st.booleans())
def test_duckdb_returns_exactly_what_predict_marks(made, table, where, nan):
    frame, _, explanation = made
    assume(written(explanation, "duckdb"))  # a bound beyond 64 bits is refused
    assert groups_in_duckdb(explanation, frame, table, where=where, nan=nan) == expected(
        explanation, frame, where=where
    )


DUCKDB = [kind for kind, one in TYPED.items() if one[2]]


@settings(max_examples=60, deadline=None)
@given(typed_tables(DUCKDB), st.booleans())
def test_duckdb_compares_typed_columns_as_predict_does(made, nan):
    kind, cells, e, frame = made
    select = written(e, "duckdb")
    if select is None:
        return
    _, _, type_name, literal, *_ = TYPED[kind]
    gap = f"CAST('NaN' AS {type_name})" if nan and type_name in ("DOUBLE", "FLOAT") else "NULL"
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE t (x {type_name}, row_number INTEGER)")
        rows = [
            gap if c is None else "CAST('{}' AS {})".format(literal(c).replace("'", "''"), type_name) for c in cells
        ]
        listed = ", ".join(f"({text}, {i})" for i, text in enumerate(rows))
        base.execute(f"INSERT INTO t VALUES {listed}")  # noqa: S608 - our own
        inner = select.rstrip(";\n")
        found = base.execute(f"SELECT outlier_group FROM ({inner}) ORDER BY row_number").fetchall()  # noqa: S608 - our own
    assert [row[0] for row in found] == e.predict(frame).tolist(), select


# --- sqlite -----------------------------------------------------------------------------------------------------------


SQLITE = ("float", "int", "text", "bool", "time", "date", "duration")


@SLOW
@given(explanations(kinds=SQLITE), st.sampled_from(["t", "it's", 'a "b"', "x; y", "日本"]), st.booleans())
def test_sqlite_returns_exactly_what_predict_marks(made, table, where):
    frame, _, explanation = made
    assume(written(explanation, "sqlite"))
    assert groups_in_sqlite(explanation, frame, table, where=where) == expected(explanation, frame, where=where)


@settings(max_examples=60, deadline=None)
@given(typed_tables([kind for kind, one in TYPED.items() if one[4]]))
def test_sqlite_compares_typed_columns_as_predict_does(made):
    kind, cells, e, frame = made
    select = written(e, "sqlite")
    if select is None:
        return
    *_, type_name, cell_of = TYPED[kind]
    found = in_sqlite(select, f"x {type_name}", [None if cell is None else cell_of(cell) for cell in cells])
    assert found == e.predict(frame).tolist(), select


def test_times_in_sqlite_may_have_any_number_of_decimals():
    stored = ["2024-01-01 00:00:00.5", "2024-01-01T00:00:00.500", "2024-01-01 00:00:00.500000001", "2024-01-01"]
    X = pd.DataFrame({"x": pd.Series([pd.Timestamp(one) for one in stored]).astype("datetime64[ns]")})
    e = explain_by([[Tag.of(Condition("x", "==", pd.Timestamp("2024-01-01 00:00:00.5")))]], X, [1, 1, 0, 0])
    assert in_sqlite(e.to_sql("t", dialect="sqlite", where=False), "x TEXT", stored) == [1, 1, 0, 0]
    assert e.predict(X).tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("type_name", ["TEXT", "REAL", ""])
@pytest.mark.parametrize("condition", [(">=", 5.0), ("between", (2.0, 10.0))])
@pytest.mark.parametrize("cells", [list("0123456789"), [1, 7.5, "7", "x", None, 3]])
def test_texts_are_no_numbers_in_sqlite(type_name, condition, cells):
    """SQLite holds any text to be greater than any number, and in a column of text compares digit by digit."""
    e = one_rule(Condition("x", *condition), [1.0, 6.0])
    stored = in_sqlite("SELECT x FROM t", f"x {type_name}", cells)
    found = in_sqlite(e.to_sql("t", dialect="sqlite", where=False), f"x {type_name}", cells)
    assert found == e.predict(pd.DataFrame({"x": pd.Series(stored, dtype=object)})).tolist()


@pytest.mark.parametrize("cell", [3_000_000_000, 3000.5, "zzz", "3000", b"3000-01-01"])
@pytest.mark.parametrize(("term", "limit"), [("x", pd.Timestamp("2024-01-01")), (DatePart("x", "hour"), 0)], ids=str)
def test_what_is_no_time_has_no_place_among_times_in_sqlite(cell, term, limit):
    e = one_rule(Condition(term, ">=", limit), [pd.Timestamp("2023-01-01"), pd.Timestamp("2025-01-01")])
    assert in_sqlite(e.to_sql("t", dialect="sqlite", where=False), "x", [cell, "2025-01-01"]) == [0, 1]


# --- relations --------------------------------------------------------------------------------------------------------


KINDS = ["bigint", "ubigint", "hugeint", "double", "float", "decimal"]
EXTREME = [1e150, -1e150, 1e-150, np.nextafter(1e150, 2e150), np.nextafter(1e-150, 0), 1.7e308, 5e-324, 0.0, 3.0, -7.5]


@st.composite
def two_columns(draw, kinds):
    """Two columns of types of their own, and a rule on what they give together."""
    chosen = [draw(st.sampled_from(kinds)) for _ in range(2)]
    n_rows = draw(st.integers(3, 8))
    cells = [
        draw(st.lists(st.one_of(TYPED[kind][0], TYPED[kind][0], st.none()), min_size=n_rows, max_size=n_rows))
        for kind in chosen
    ]
    for column, kind in zip(cells, chosen, strict=True):
        column[0] = draw(TYPED[kind][0])  # a column of nothing has no type
    frame = pd.DataFrame({name: TYPED[kind][1](c) for name, kind, c in zip("ab", chosen, cells, strict=True)})
    relation = Relation(*draw(st.sampled_from(["a-b", "b-a", "a/b", "b/a", "a*b", "a+b"])))
    values = frame.pipe(lambda X: Tag.of(Condition(relation, "present")).covers(X))
    known = [0.0, 1.0] if not values.any() else _values(relation, frame)
    op = draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!=", "missing", "present"]))
    limit = None if op in ("missing", "present") else draw(st.one_of(st.sampled_from(known), NUMBERS))
    e = explain_by([[Tag.of(Condition(relation, op, limit))]], frame, [1, *[0] * (n_rows - 1)])
    return chosen, cells, frame, e


def _values(relation, frame):
    from pyod_explain.input import as_table

    column = as_table(frame)[relation]
    return column.values[~column.missing].tolist()


@settings(max_examples=100, deadline=None)
@given(two_columns(KINDS), st.booleans())
def test_duckdb_relates_typed_columns_as_predict_does(made, nan):
    chosen, cells, frame, e = made
    types, rows = [TYPED[kind][2] for kind in chosen], []
    for i, row in enumerate(zip(*cells, strict=True)):
        texts = []
        for kind, type_name, cell in zip(chosen, types, row, strict=True):
            gap = f"CAST('NaN' AS {type_name})" if nan and type_name in ("DOUBLE", "FLOAT") else "NULL"
            texts.append(gap if cell is None else f"CAST('{TYPED[kind][3](cell)}' AS {type_name})")
        rows.append(f"({', '.join(texts)}, {i})")
    select = e.to_sql("t", dialect="duckdb", where=False).rstrip(";\n")
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE t (a {types[0]}, b {types[1]}, row_number INTEGER)")
        base.execute(f"INSERT INTO t VALUES {', '.join(rows)}")  # noqa: S608 - our own
        found = base.execute(f"SELECT outlier_group FROM ({select}) ORDER BY row_number").fetchall()  # noqa: S608 - our own
    assert [row[0] for row in found] == e.predict(frame).tolist(), select


@settings(max_examples=100, deadline=None)
@given(two_columns(["bigint", "double", "float", "decimal"]))
def test_sqlite_relates_typed_columns_as_predict_does(made):
    chosen, cells, frame, e = made
    kinds = one, two = [TYPED[kind] for kind in chosen]
    stored = ([None if c is None else kind[5](c) for c in column] for kind, column in zip(kinds, cells, strict=True))
    select = e.to_sql("t", dialect="sqlite", where=False)
    assert in_sqlite(select, f"a {one[4]}, b {two[4]}", *stored) == e.predict(frame).tolist(), select


@pytest.mark.parametrize("op", list("-/*+"))
@pytest.mark.parametrize("comparison", [Condition(Relation("a", "-", "b"), ">", 1e9), Condition("a", "missing")])
def test_nothing_overflows_or_vanishes_in_a_database(op, comparison):
    pairs = [(a, b) for a in EXTREME for b in EXTREME]
    X = pd.DataFrame(pairs, columns=["a", "b"])
    condition = Condition(Relation("a", op, "b"), comparison.op, comparison.value)
    e = explain_by([[Tag.of(condition)]], X, [1, *[0] * (len(X) - 1)])
    expected = e.predict(X).tolist()
    assert 0 < sum(expected) < len(X)
    with duckdb.connect() as base, closing(sqlite3.connect(":memory:")) as lite:
        base.register("t", X)
        assert [row[-1] for row in base.execute(e.to_sql("t", dialect="duckdb", where=False)).fetchall()] == expected
        X.to_sql("t", lite, index=False)
        assert [row[-1] for row in lite.execute(e.to_sql("t", dialect="sqlite", where=False)).fetchall()] == expected


def test_texts_among_the_numbers_of_sqlite_are_no_numbers():
    X = pd.DataFrame({"a": [5.0, 1.0, np.nan], "b": [1.0, 1.0, 1.0]})
    e = explain_by([[Tag.of(Condition(Relation("a", "-", "b"), ">", 3))]], X, [1, 0, 0])
    assert in_sqlite(e.to_sql("t", dialect="sqlite", where=False), "a, b", [5, 1, "9 lives"], [1, 1, 1]) == [1, 0, 0]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_casts_to_doubles_and_guards_the_division(dialect):
    X = pd.DataFrame({"pri`ce": [9, 2], 'q"ty': [1, 2]})
    e = explain_by([[Tag.of(Condition(Relation("pri`ce", "/", 'q"ty'), ">=", 3))]], X, [1, 0])
    text = e.to_sql("t", dialect=dialect)
    double = {"ansi": "DOUBLE PRECISION", "postgres": "DOUBLE PRECISION", "sqlite": "REAL", "bigquery": "FLOAT64"}
    right = DIALECTS[dialect].as_double(f"t.{DIALECTS[dialect].name(X.columns[1])}", e.summary.facts(X.columns[1]))
    assert f"AS {double.get(dialect, 'DOUBLE')})" in text
    assert f"ABS({right}) BETWEEN 1e-150 AND 1e+150 THEN" in text
    assert f"{right} = 0" not in text  # what is divided by must not be

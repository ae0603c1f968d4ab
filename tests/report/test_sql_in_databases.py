"""DuckDB and SQLite run the SQL, and return exactly the rows that `predict` marks."""

import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest
from by_hand import condition_on, explain_by, explanations
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from in_databases import SLOW, expected, groups_in_duckdb, groups_in_sqlite, in_sqlite, one_rule, written
from typed_tables import NUMBERS, TYPED, typed_tables

from pyod_explain import Condition, DatePart, Relation, Tag
from pyod_explain.input import as_table
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


# --- sqlite -----------------------------------------------------------------------------------------------------------


SQLITE = ("float", "int", "text", "bool", "time", "date", "duration")


@SLOW
@given(explanations(kinds=SQLITE), st.sampled_from(["t", "it's", 'a "b"', "x; y", "日本"]), st.booleans())
def test_sqlite_returns_exactly_what_predict_marks(made, table, where):
    frame, _, explanation = made
    assume(written(explanation, "sqlite"))
    assert groups_in_sqlite(explanation, frame, table, where=where) == expected(explanation, frame, where=where)


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


# --- typed columns, and relations of two ------------------------------------------------------------------------------


DUCKDB = [kind for kind, one in TYPED.items() if one[2]]
SQLITE_TYPES = [kind for kind, one in TYPED.items() if one[4]]
NUMERIC = ["bigint", "ubigint", "hugeint", "double", "float", "decimal"]


@st.composite
def typed(draw, kinds):
    """A column of one of these types or two numeric ones, and a rule about it or about what both give together."""
    if draw(st.booleans()):
        kind, cells, e, frame = draw(typed_tables(kinds))
        return [kind], [cells], frame, e
    chosen = [draw(st.sampled_from([kind for kind in kinds if kind in NUMERIC])) for _ in range(2)]
    n_rows = draw(st.integers(3, 8))
    cells = [draw(st.lists(TYPED[kind][0] | st.none(), min_size=n_rows, max_size=n_rows)) for kind in chosen]
    for column, kind in zip(cells, chosen, strict=True):
        column[0] = draw(TYPED[kind][0])  # a column of nothing has no type
    frame = pd.DataFrame({name: TYPED[kind][1](c) for name, kind, c in zip("ab", chosen, cells, strict=True)})
    relation = Relation(*draw(st.sampled_from(["a-b", "b-a", "a/b", "b/a", "a*b", "a+b"])))
    column = as_table(frame)[relation]
    known = column.values[~column.missing].tolist() or [0.0, 1.0]
    ops = ["<", "<=", ">", ">=", "==", "!=", "missing", "present"]
    condition = draw(condition_on(relation, ops, st.sampled_from(known) | NUMBERS))
    return chosen, cells, frame, explain_by([[Tag.of(condition)]], frame, [1, *[0] * (n_rows - 1)])


@settings(max_examples=160, deadline=None)
@given(typed(DUCKDB), st.booleans())
def test_duckdb_compares_and_relates_typed_columns_as_predict_does(made, nan):
    kinds, cells, frame, e = made
    select = written(e, "duckdb")
    if select is None:
        assert len(kinds) == 1  # numbers are always related
        return
    types, rows = [TYPED[kind][2] for kind in kinds], []
    for i, row in enumerate(zip(*cells, strict=True)):
        texts = []
        for kind, type_name, cell in zip(kinds, types, row, strict=True):
            gap = f"CAST('NaN' AS {type_name})" if nan and type_name in ("DOUBLE", "FLOAT") else "NULL"
            literal = "" if cell is None else str(TYPED[kind][3](cell)).replace("'", "''")
            texts.append(gap if cell is None else f"CAST('{literal}' AS {type_name})")
        rows.append(f"({', '.join(texts)}, {i})")
    with duckdb.connect() as base:
        columns = ", ".join(map(" ".join, zip(frame.columns, types, strict=True)))
        base.execute(f"CREATE TABLE t ({columns}, row_number INTEGER)")
        base.execute(f"INSERT INTO t VALUES {', '.join(rows)}")  # noqa: S608 - our own
        ordered = f"SELECT outlier_group FROM ({select.rstrip(chr(10) + ';')}) ORDER BY row_number"  # noqa: S608 - our own
        found = base.execute(ordered).fetchall()
    assert [row[0] for row in found] == e.predict(frame).tolist(), select


@settings(max_examples=160, deadline=None)
@given(typed(SQLITE_TYPES))
def test_sqlite_compares_and_relates_typed_columns_as_predict_does(made):
    kinds, cells, frame, e = made
    select = written(e, "sqlite")
    if select is None:
        assert len(kinds) == 1
        return
    types = ", ".join(f"{name} {TYPED[kind][4]}" for name, kind in zip(frame.columns, kinds, strict=True))
    stored = (
        [None if c is None else TYPED[kind][5](c) for c in column] for kind, column in zip(kinds, cells, strict=True)
    )
    assert in_sqlite(select, types, *stored) == e.predict(frame).tolist(), select


# --- relations --------------------------------------------------------------------------------------------------------


EXTREME = [1e150, -1e150, 1e-150, np.nextafter(1e150, 2e150), np.nextafter(1e-150, 0), 1.7e308, 5e-324, 0.0, 3.0, -7.5]


@pytest.mark.parametrize("op", list("-/*+"))
@pytest.mark.parametrize(
    "comparison", [Condition("a", ">", 1e9), Condition("a", "<", np.inf), Condition("a", "missing")]
)
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

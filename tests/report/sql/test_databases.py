"""DuckDB runs the SQL, and returns exactly the rows that `predict` marks."""

import duckdb
import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import given, settings
from hypothesis import strategies as st
from in_databases import SLOW, expected, groups_in_duckdb, one_rule, written
from typed_tables import TYPED, typed_tables

from pyod_explain import Condition, Tag


@SLOW
@given(explanations(), st.sampled_from(["t", "it's", 'a "b"', "x; y", "日本"]), st.booleans(), st.booleans())
def test_duckdb_returns_exactly_what_predict_marks(made, table, where, nan):
    frame, _, explanation = made
    assert groups_in_duckdb(explanation, frame, table, where=where, nan=nan) == expected(
        explanation, frame, where=where
    )


def test_nanoseconds_in_duckdb():
    cells = pd.Series(pd.to_datetime(["2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000002"]))
    X = pd.DataFrame({"t": cells.astype("datetime64[ns]")})
    e = explain_by([[Tag.of(Condition("t", ">=", X["t"].iloc[1]))]], X, [0, 1])
    assert groups_in_duckdb(e, X, "t", where=True) == {1: 1}


def has_type(name):
    with duckdb.connect() as base:
        try:
            base.execute(f"SELECT CAST(NULL AS {name})")
        except duckdb.Error:
            return False
        return True


DUCKDB = [kind for kind, one in TYPED.items() if one[2] and has_type(one[2])]


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
        try:
            found = base.execute(f"SELECT outlier_group FROM ({inner}) ORDER BY row_number").fetchall()  # noqa: S608 - our own
        except duckdb.BinderException as error:
            # Where no value that the explanation knows has nanoseconds, the types differ: an error, nothing false.
            assert kind == "zoned" and "TIMESTAMPTZ_NS" in str(error) and "_NS '" not in select  # noqa: PT018 - one fact
            return
    assert [row[0] for row in found] == e.predict(frame).tolist(), select


@pytest.mark.parametrize("op", ["<", ">=", "==", "!="])
@pytest.mark.parametrize("value", [10**300, -(10**300), 1e300, 2**128, -(2**127) - 1, 2**130, 10**50 + 1])
@pytest.mark.parametrize("type_name", ["INTEGER", "UBIGINT", "HUGEINT", "BIGNUM"])
def test_duckdb_compares_bounds_of_more_than_128_bits_rightly(op, value, type_name):
    cells = [1, 6] if type_name != "BIGNUM" else [1, 10**50]
    e = one_rule(Condition("x", op, value), pd.Series(cells, dtype=object))
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE t (x {type_name})")
        base.executemany(f"INSERT INTO t VALUES (CAST(? AS {type_name}))", [[str(cell)] for cell in cells])  # noqa: S608 - our own
        found = base.execute(e.to_sql("t", dialect="duckdb", where=False)).fetchall()
    assert [row[-1] for row in found] == e.predict(pd.DataFrame({"x": pd.Series(cells, dtype=object)})).tolist()


def test_a_number_beyond_128_bits_in_a_list_makes_no_doubles_of_the_others():
    cells = pd.Series([2**64 - 5, 7], dtype="uint64")
    e = one_rule(Condition("x", "in", [1e300, 2**64 - 2]), cells)
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE t AS SELECT CAST(n AS UBIGINT) AS x FROM (VALUES ({2**64 - 5}), (7)) AS v(n)")  # noqa: S608 - our own
        found = base.execute(e.to_sql("t", dialect="duckdb", where=False)).fetchall()
    assert [row[-1] for row in found] == e.predict(pd.DataFrame({"x": cells})).tolist() == [0, 0]

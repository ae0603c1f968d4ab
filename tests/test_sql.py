"""The SQL is run: databases must return exactly the rows that `predict` marks."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, PyodExplainError, Tag, explain
from pyod_explain.report.sql import DIALECTS

SLOW = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
ROW = "row number of the test"


def numbered(frame):
    return frame.assign(**{ROW: range(len(frame))})


def groups_in_duckdb(explanation, frame, table, *, where, nan=False):
    with duckdb.connect() as base:
        base.register("given", numbered(frame))
        quoted = '"' + table.replace('"', '""') + '"'
        base.execute(f"CREATE TABLE {quoted} AS SELECT * FROM given")  # noqa: S608 - that is the test
        if nan:  # pandas' gaps arrive as NULL; a table filled elsewhere may hold NaN
            for name in frame.columns[frame.dtypes == "float64"]:
                column = '"' + name.replace('"', '""') + '"'
                base.execute(f"UPDATE {quoted} SET {column} = 'NaN' WHERE {column} IS NULL")  # noqa: S608 - our own
        select = explanation.to_sql(table, dialect="duckdb", where=where).rstrip(";\n")
        # Only two columns are fetched: DuckDB needs one more package to hand over times with a zone.
        found = base.execute(f'SELECT "{ROW}", outlier_group FROM ({select})').fetchall()  # noqa: S608 - our own
    return dict(found)


def groups_in_sqlite(explanation, frame, table, *, where):
    base = sqlite3.connect(":memory:")
    durations = frame.columns[frame.dtypes.astype(str).str.startswith("timedelta")]  # SQLite has whole numbers instead
    stored = {name: [None if pd.isna(v) else v.value for v in frame[name]] for name in durations}
    numbered(frame.assign(**{name: pd.Series(cells, dtype=object) for name, cells in stored.items()})).to_sql(
        table, base, index=False
    )
    cursor = base.execute(explanation.to_sql(table, dialect="sqlite", where=where))
    names = [column[0] for column in cursor.description]
    found = {row[names.index(ROW)]: row[-1] for row in cursor.fetchall()}
    base.close()
    return found


def expected(explanation, frame, *, where):
    return {i: g for i, g in enumerate(explanation.predict(frame).tolist()) if g or not where}


@SLOW
@given(explanations(), st.sampled_from(["t", "it's", 'a "b"', "x; y", "日本"]), st.booleans(), st.booleans())
def test_duckdb_returns_exactly_what_predict_marks(made, table, where, nan):
    frame, _, explanation = made
    assert groups_in_duckdb(explanation, frame, table, where=where, nan=nan) == expected(
        explanation, frame, where=where
    )


SQLITE = ("float", "int", "text", "bool", "time", "date", "duration")


@SLOW
@given(explanations(kinds=SQLITE), st.sampled_from(["t", "it's", 'a "b"', "x; y", "日本"]), st.booleans())
def test_sqlite_returns_exactly_what_predict_marks(made, table, where):
    frame, _, explanation = made
    assert groups_in_sqlite(explanation, frame, table, where=where) == expected(explanation, frame, where=where)


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


def test_dates_without_a_time_of_day_compare_in_sqlite():
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (day TEXT)")
    base.executemany("INSERT INTO t VALUES (?)", [("2024-01-01",), ("2024-01-02",), ("2024-01-02T00:00:00",), (None,)])
    X = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-02", None])})
    e = explain_by([[Tag.of(Condition("day", ">=", pd.Timestamp("2024-01-02")))]], X, [0, 1, 1, 0])
    assert base.execute(e.to_sql("t", dialect="sqlite")).fetchall() == [("2024-01-02", 1), ("2024-01-02T00:00:00", 1)]
    base.close()


def test_a_column_named_like_ours_is_not_hidden():
    X = pd.DataFrame({"outlier_group": [1, 2, 3, 9]})
    e = explain_by([[Tag.of(Condition("outlier_group", ">", 5))]], X, [0, 0, 0, 1])
    assert 'AS "outlier_group_"' in e.to_sql("t")


def test_qualified_names():
    e = explain([0, 0, 0, 0], pd.DataFrame({"x": [1, 2, 3, 4]}))
    assert e.to_sql(("my schema", "t")) == 'SELECT *, 0 AS "outlier_group"\nFROM "my schema"."t"\nWHERE 1 = 0;\n'
    assert e.to_sql("t", where=False) == 'SELECT *, 0 AS "outlier_group"\nFROM "t";\n'


def one_rule(condition, cells):
    X = pd.DataFrame({condition.column: cells})
    return explain_by([[Tag.of(condition)]], X, [0, 1])


def test_each_dialect_quotes_in_its_own_way():
    e = one_rule(Condition('a`b"c', "==", "it's \\ \n"), ["x", "it's \\ \n"])
    assert """(t."a`b""c" = 'it''s \\ \n')""" in e.to_sql("t")
    assert "(t.`a``b\"c` = 'it\\'s \\\\ \\n')" in e.to_sql("t", dialect="spark")
    assert "(t.`a\\`b\"c` = 'it\\'s \\\\ \\n')" in e.to_sql("t", dialect="bigquery")


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("ansi", "TIMESTAMP '2024-01-02 03:04:05'"),
        ("bigquery", "DATETIME '2024-01-02 03:04:05'"),
        ("spark", "TIMESTAMP '2024-01-02 03:04:05'"),
        ("postgres", "TIMESTAMP '2024-01-02 03:04:05'"),
    ],
)
def test_times(dialect, text):
    moment = pd.Timestamp("2024-01-02 03:04:05")
    assert text in one_rule(Condition("t", ">=", moment), [moment, moment]).to_sql("t", dialect=dialect)


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
    assert hour in one_rule(Condition("t", ">=", 5, "hour"), cells).to_sql("t", dialect=dialect)
    assert weekday in one_rule(Condition("t", "==", 5, "weekday"), cells).to_sql("t", dialect=dialect)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("ansi", "INTERVAL '-1.500000' SECOND"),
        ("spark", "INTERVAL '-1.500000' SECOND"),
        ("bigquery", "INTERVAL -1500000 MICROSECOND"),
        ("sqlite", "-1500000000"),
    ],
)
def test_durations(dialect, text):
    cells = pd.to_timedelta([-1.5, 3], unit="s")
    assert text in one_rule(Condition("d", "<=", cells[0]), cells).to_sql("t", dialect=dialect)


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
    from pyod_explain.table import as_table

    X = pd.DataFrame({"l": [["a"], ["b"]]})
    table = as_table(X)
    e = explain_by([[Tag.of(Condition("l", "contains", "a"))]], table, [1, 0])
    with pytest.raises(PyodExplainError, match="collections of labels"):
        e.to_sql("t")


def test_sqlite_takes_a_nul_inside_a_text():
    e = one_rule(Condition("c", "==", "a\0b"), ["x", "a\0b"])
    assert groups_in_sqlite(e, pd.DataFrame({"c": ["x", "a\0b"]}), "t", where=True) == {1: 1}


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


def test_nanoseconds_in_duckdb():
    cells = pd.Series(pd.to_datetime(["2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000002"]))
    X = pd.DataFrame({"t": cells.astype("datetime64[ns]")})
    e = explain_by([[Tag.of(Condition("t", ">=", X["t"].iloc[1]))]], X, [0, 1])
    assert groups_in_duckdb(e, X, "t", where=True) == {1: 1}


def test_an_explanation_of_real_outliers_runs_in_both_databases():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"amount": rng.gamma(2, 10, 400).round(2), "kind": rng.choice(["web", "shop's"], 400)})
    X.loc[:19, "amount"] += 200
    X.loc[5:9, "amount"] = np.nan
    e = explain([1] * 20 + [0] * 380, X)
    assert e.rules
    marked = expected(e, X, where=True)
    assert groups_in_duckdb(e, X, "payments", where=True) == marked == groups_in_sqlite(e, X, "payments", where=True)

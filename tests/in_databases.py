"""Explanations run as SQL: the groups that a database finds, beside those that `predict` gives."""

import sqlite3
from contextlib import closing

import duckdb
import pandas as pd
from by_hand import explain_by
from hypothesis import HealthCheck, settings

from pyod_explain import PyodExplainError, Tag

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
    durations = frame.columns[frame.dtypes.astype(str).str.startswith("timedelta")]  # SQLite has whole numbers instead
    stored = {name: [None if pd.isna(v) else v.value for v in frame[name]] for name in durations}
    cells = numbered(frame.assign(**{name: pd.Series(cells, dtype=object) for name, cells in stored.items()}))
    with closing(sqlite3.connect(":memory:")) as base:
        cells.to_sql(table, base, index=False)
        cursor = base.execute(explanation.to_sql(table, dialect="sqlite", where=where))
        names = [column[0] for column in cursor.description]
        return {row[names.index(ROW)]: row[-1] for row in cursor.fetchall()}


def in_sqlite(select, types, *columns):
    """Fill the table `t` with columns of these types; give the last cell of each row that the query finds."""
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE t ({types})")
        marks = ", ".join("?" * len(columns))
        base.executemany(f"INSERT INTO t VALUES ({marks})", zip(*columns, strict=True))  # noqa: S608 - our own
        return [row[-1] for row in base.execute(select)]


def expected(explanation, frame, *, where):
    return {i: g for i, g in enumerate(explanation.predict(frame).tolist()) if g or not where}


def one_rule(condition, cells):
    X = pd.DataFrame({condition.columns[0]: cells})
    return explain_by([[Tag.of(condition)]], X, [0, 1])


def written(explanation, dialect):
    """The SQL, or None where the dialect refuses, saying why."""
    try:
        return explanation.to_sql("t", dialect=dialect, where=False)
    except PyodExplainError as error:
        assert "cannot be written" in str(error) or "Hint" in str(error)
        return None

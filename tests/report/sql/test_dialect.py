"""How each dialect writes names, texts, times and durations."""

import pandas as pd
import pytest
from in_databases import one_rule

from pyod_explain import Condition


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

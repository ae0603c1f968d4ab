"""Each condition is evaluated once a column, whoever asks: makers, coverage, language, report, validation."""

from __future__ import annotations

import datetime as dt
import pickle
from collections import Counter
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from pyod_explain import Condition, ForestRules, Tag, explain
from pyod_explain.input import Column, as_table
from pyod_explain.tags import evaluate

Key = tuple[Column, Condition]
FOREST = ForestRules(n_rules=200, n_estimators=20)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[Key]:
    """Count the evaluations of each condition on each column; columns are values, so other rows are other columns."""
    counts: Counter[Key] = Counter()

    def evaluate_and_count(column: Column, op: Any, value: Any) -> Any:
        counts[column, Condition(column.name, op, value)] += 1
        return evaluate(column, op, value)

    monkeypatch.setattr("pyod_explain.tags.condition.evaluate", evaluate_and_count)
    return counts


def mixed_table() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame(
        {
            "amount": np.where(rng.uniform(size=n) < 0.1, np.nan, rng.lognormal(3, 1, n)).round(2),
            "kind": rng.choice(list("abcdefgh"), n),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 500_000, n), unit="min"),
        }
    )
    return frame, ((frame["amount"] > 40) & (frame["kind"] < "d")).to_numpy() | (frame["when"].dt.hour < 2).to_numpy()


def tumours() -> tuple[pd.DataFrame, Any]:
    data = load_breast_cancer(as_frame=True).data
    return data, (data["worst area"] > 1600) | (data["mean smoothness"] > 0.13)


@pytest.mark.parametrize("options", [{"groups": 1}, {}, {"groups": 2, "tags": FOREST}])
@pytest.mark.parametrize("table", [tumours, mixed_table])
def test_one_explain_evaluates_each_condition_once_a_table(table: Any, options: Any, counted: Counter[Key]) -> None:
    X, labels = table()
    explain(np.asarray(labels).astype(int), X, **options)
    assert counted
    assert max(counted.values()) == 1


def test_one_group_needs_the_whole_table_only(counted: Counter[Key]) -> None:
    X, labels = tumours()
    explain(np.asarray(labels).astype(int), X, groups=1)
    assert {len(column.missing) for column, _ in counted} == {len(X)}
    names = Counter(condition for _, condition in counted)
    assert max(names.values()) == 1  # one column of each name, from the first stage to the report


def test_what_was_evaluated_stays_with_the_columns_when_others_come_and_go(counted: Counter[Key]) -> None:
    table = as_table(pd.DataFrame({"b": [1, 2, 3], "a": [4, 5, 6], "c": [7, 8, 9]}))
    tag = Tag.of(Condition("a", ">", 4), Condition("b", "<", 3))
    for same in (table, table.by_name(), table.drop(["c"]), table):
        assert tag.covers(same).tolist() == [False, True, False]
    assert counted.total() == 2
    assert tag.covers(table.take(np.array([1, 2]))).tolist() == [True, False]
    assert counted.total() == 4


def test_what_is_equal_but_no_number_is_not_answered_as_one() -> None:
    column = as_table(pd.DataFrame({"x": [0, 1]}))["x"]
    assert Condition("x", "==", 1) == Condition("x", "==", complex(1))  # as 1 == complex(1) in Python
    for _ in range(2):
        assert Condition("x", "==", 1).holds(column).tolist() == [False, True]
        assert Condition("x", "==", complex(1)).holds(column).tolist() == [False, False]
        assert Condition("x", "in", [1, 5]).holds(column).tolist() == [False, True]
        assert Condition("x", "in", [complex(1), 5]).holds(column).tolist() == [False, False]


def test_an_hour_that_the_clock_repeats_is_two_moments() -> None:
    zone = ZoneInfo("Europe/Berlin")
    hours = pd.date_range("2024-10-26 23:30", periods=4, freq="h", tz="UTC").tz_convert(zone)
    column = as_table(pd.DataFrame({"at": hours}))["at"]
    first, second = (dt.datetime(2024, 10, 27, 2, 30, tzinfo=zone, fold=fold) for fold in (0, 1))
    assert Condition("at", ">", first) == Condition("at", ">", second)  # as first == second in Python
    for _ in range(2):
        assert Condition("at", ">", first).holds(column).tolist() == [False, False, True, True]
        assert Condition("at", ">", second).holds(column).tolist() == [False, False, False, True]
        assert Condition("at", "between", (first, first)).holds(column).tolist() == [False, True, False, False]
        assert Condition("at", "between", (second, second)).holds(column).tolist() == [False, False, True, False]


def test_a_pickled_table_is_as_good_as_new() -> None:
    table = as_table(pd.DataFrame({"x": range(100_000)}))
    fresh = len(pickle.dumps(table))
    tag = Tag.of(Condition("x", ">=", 99_999))
    assert tag.covers(table).sum() == 1
    assert len(pickle.dumps(table)) < fresh + 1000
    assert tag.covers(pickle.loads(pickle.dumps(table))).sum() == 1


@pytest.mark.parametrize("value", [[1], Decimal("sNaN")], ids=repr)
def test_what_cannot_be_remembered_is_evaluated(value: Any) -> None:
    table = as_table(pd.DataFrame({"x": [1, 2, 3], "c": ["a", "b", "c"]}))
    for column in ("x", "c"):
        assert not Condition(column, "==", value).holds(table[column]).any()

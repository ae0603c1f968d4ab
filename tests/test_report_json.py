"""JSON: what is read back equals what was written."""

import json

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Explanation, PyodExplainError, Tag, explain
from pyod_explain.report.json import SCHEMA, VERSION

X = pd.DataFrame({"x": [*range(50), 900, 950, 990]})
E = explain([0] * 50 + [1] * 3, X, validate=2, control="placebo", n_draws=2)


@settings(max_examples=80, deadline=None)
@given(explanations(), st.sampled_from([None, 2]))
def test_a_round_trip_is_equal(made, indent):
    frame, _, e = made
    again = Explanation.from_json(e.to_json(indent=indent))
    assert again == e
    assert again.rules == e.rules
    assert again.to_json() == e.to_json()
    assert again.predict(frame).tolist() == e.predict(frame).tolist()
    assert str(again) == str(e)


def test_checks_come_along():
    again = Explanation.from_json(E.to_json())
    assert again == E
    assert again.validation == E.validation
    assert again.placebo == E.placebo
    assert again.timings == E.timings
    assert set(E.timings) == {"groups", "tags", "coverage", "selection", "chance", "validation", "placebo"}
    assert again.to_html() == E.to_html()


def test_without_rows_only_aggregates_are_left():
    text = E.to_json(rows=False)
    data = json.loads(text)
    assert data["groups"][0]["rows"] is None
    assert data["groups"][0]["uncovered"] is None
    read = Explanation.from_json(text)
    assert read.groups[0].rows == ()
    assert str(read).split("\n\n")[1] == str(E).split("\n\n")[1]


@pytest.mark.parametrize(
    "label",
    [
        "text", 3, 2.5, float("inf"), True, None, (1, "a"), b"\x00\xff", pd.Timestamp("2024-01-01 00:00:00.000000001"),
        pd.Timestamp("2024-07-01", tz="Europe/Paris"), pd.Timestamp("2024-07-01", tz="UTC"), pd.Timedelta("1 day 3 ns"),
    ],
)  # fmt: skip
def test_row_labels_of_any_type_survive(label):
    frame = pd.DataFrame({"x": [1, 2, 9]}, index=pd.Index(["a", "b", label], dtype=object))
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], frame, [0, 0, 1])
    again = Explanation.from_json(e.to_json())
    assert again.groups[0].rows == (label,)
    assert type(again.groups[0].rows[0]) is type(label)


def test_dates_and_decimals_in_conditions_survive():
    import datetime as dt
    from decimal import Decimal

    values = [dt.date(2024, 1, 2), dt.datetime(2024, 1, 2, 3, tzinfo=dt.UTC), Decimal("1.10"), dt.timedelta(seconds=3)]
    for value in values:
        tag = Tag.of(Condition("x", "==", value))
        e = explain_by([[tag]], pd.DataFrame({"x": [1, 2, 9]}), [0, 0, 1])
        assert Explanation.from_json(e.to_json()).rules[0].tag == tag


def test_a_label_of_another_type_is_kept_as_text():
    frame = pd.DataFrame({"x": [1, 2, 9]}, index=pd.interval_range(0, 3))
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], frame, [0, 0, 1])
    assert Explanation.from_json(e.to_json()).groups[0].rows == ("(2, 3]",)


def test_numpy_values_are_plain_numbers():
    frame = pd.DataFrame({"x": [1, 2, 9]}, index=pd.Index([np.int64(1), np.int64(2), np.float64(3.5)], dtype=object))
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], frame, [0, 0, 1])
    assert json.loads(e.to_json())["groups"][0]["rows"] == [3.5]


def test_the_schema_is_named_and_versioned():
    data = json.loads(E.to_json())
    assert (data["schema"], data["version"]) == (SCHEMA, VERSION)
    assert data["groups"][0]["rules"][0]["text"] == E.rules[0].text
    assert data["gain"] == E.gain


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "must be JSON as written by to_json"),
        (b"\xff\xfe\x00", "must be JSON as written by to_json"),
        ("[1, 2]", "must be an explanation"),
        ('{"schema": "other"}', "must be an explanation"),
        (json.dumps({"schema": SCHEMA, "version": 99}), "schema version 1, got 99"),
        (json.dumps({"schema": SCHEMA, "version": 1}), "incomplete: KeyError"),
    ],
)
def test_other_files_are_refused(text, message):
    with pytest.raises(PyodExplainError, match=message):
        Explanation.from_json(text)


def test_an_unknown_type_of_value_is_refused():
    data = E.to_dict()
    data["groups"][0]["rows"] = [{"type": "colour", "value": "red"}]
    with pytest.raises(PyodExplainError, match="unknown type 'colour'"):
        Explanation.from_dict(data)

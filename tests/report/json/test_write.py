"""The summary as plain data."""

import json

import numpy as np
import pandas as pd
from by_hand import explain_by

from pyod_explain import Condition, Explanation, Tag, explain
from pyod_explain.report import SCHEMA, VERSION

X = pd.DataFrame({"x": [*range(50), 900, 950, 990]})

E = explain([0] * 50 + [1] * 3, X, validate=2, control="placebo", n_draws=2)


def test_checks_come_along():
    again = Explanation.from_json(E.to_json())
    assert again == E
    assert again.summary.validation == E.summary.validation
    assert again.summary.placebo == E.summary.placebo
    assert again.summary.timings == E.summary.timings
    assert set(E.summary.timings) == {"groups", "tags", "coverage", "selection", "chance", "validation", "placebo"}
    assert again.to_html() == E.to_html()


def test_without_rows_only_aggregates_are_left():
    text = E.to_json(rows=False)
    data = json.loads(text)
    assert data["groups"][0]["rows"] is None
    assert data["groups"][0]["uncovered"] is None
    read = Explanation.from_json(text)
    assert read.groups[0].rows == ()
    assert str(read).split("\n\n")[1] == str(E).split("\n\n")[1]


def test_numpy_values_are_plain_numbers():
    frame = pd.DataFrame({"x": [1, 2, 9]}, index=pd.Index([np.int64(1), np.int64(2), np.float64(3.5)], dtype=object))
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], frame, [0, 0, 1])
    assert json.loads(e.to_json())["groups"][0]["rows"] == [3.5]


def test_the_schema_is_named_and_versioned():
    data = json.loads(E.to_json())
    assert (data["schema"], data["version"]) == (SCHEMA, VERSION)
    assert data["groups"][0]["rules"][0]["text"] == E.rules[0].text
    assert data["gain"] == E.share_saved

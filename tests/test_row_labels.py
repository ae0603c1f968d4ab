"""Row labels are the user's index, whatever it is; ambiguous ones are addressed by position."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pyod_explain import PyodExplainError, explain
from pyod_explain.export import to_findings

N = 40
Y = np.array([0, 0, 0, 1] * 10)
INDEXES = {
    "default": pd.RangeIndex(N),
    "numbers": pd.Index(np.arange(N)[::-1] + 100),
    "text": pd.Index([f"r{i}" for i in range(N)]),
    "dates": pd.date_range("2024-01-01", periods=N),
    "dates with a zone": pd.date_range("2024-03-30", periods=N, freq="h", tz="Europe/Berlin"),
    "periods": pd.period_range("2024-01", periods=N, freq="M"),
    "two levels": pd.MultiIndex.from_product([range(N // 2), ["a", "b"]], names=["n", "side"]),
    "floats": pd.Index(np.linspace(0, 1, N)),
}


def table(index) -> pd.DataFrame:
    values = np.where(Y, 50, 0) + np.arange(N) % 7
    return pd.DataFrame({"size": values, "kind": np.where(np.arange(N) % 2, "x", "y")}, index=index)


@pytest.mark.parametrize("index", INDEXES.values(), ids=list(INDEXES))
def test_labels_are_the_users_own(index):
    X = table(index)
    explanation = explain(Y, X)
    expected = list(X.index[Y == 1])
    assert sorted(row for group in explanation.groups for row in group.rows) == sorted(expected)
    for position in np.flatnonzero(Y):
        row = explanation.for_row(X.index[position])
        assert row.label == X.index[position]
        assert row.values["size"] == X["size"].iloc[position]
        assert explanation.for_row(position=int(position)).values == row.values
    other = explanation.for_row(X.index[0])
    assert other.outlier is False
    assert other.label == X.index[0]
    assert explanation.for_row(position=0) == other
    with pytest.raises(PyodExplainError, match=f"one row with the position {N}, got 0"):
        explanation.for_row(position=N)


def test_repeated_labels_are_addressed_by_position():
    X = table(["same"] * N)
    explanation = explain(Y, X)
    with pytest.raises(PyodExplainError, match=r"which 10 outliers have[\s\S]*position=.*3, 7, 11"):
        explanation.for_row("same")
    assert explanation.for_row(position=7).values["size"] == X["size"].iloc[7]
    assert explanation.for_row(position=7).label == "same"
    assert "same" in str(to_findings(explanation)[0]["row"])


def test_a_label_that_only_one_outlier_has_is_enough():
    labels = ["normal"] * N
    labels[3] = "the one"
    explanation = explain(Y, table(labels))
    assert explanation.for_row("the one").label == "the one"


def test_missing_labels_are_addressed_by_position():
    explanation = explain(Y, table([np.nan] * N))
    assert explanation.for_row(position=3).group == 1


def test_what_cannot_be_a_label_is_refused():
    with pytest.raises(TypeError, match="`label` must be a row label, got list"):
        explain(Y, table(INDEXES["text"])).for_row(["r3"])


def test_arrays_and_other_tables_count_from_zero():
    X = table(INDEXES["default"])
    for rows in (X[["size"]].to_numpy(), pl.from_pandas(X)):
        assert explain(Y, rows).groups[0].rows[0] == 3


def test_features_get_the_labels_of_x():
    X = table(INDEXES["text"])
    explanation = explain(Y, X, features=X.to_numpy(dtype=object))
    assert explanation.groups[0].rows[0] == "r3"


def test_findings_name_row_and_position():
    finding = to_findings(explain(Y, table(INDEXES["text"])))[0]
    assert (finding["index"], finding["row"], finding["group"], finding["label"]) == (3, "r3", 1, "anomaly")
    assert finding["narrative"].startswith("Row r3 belongs to group 1: size ")
    assert finding["contributing_features"][0]["direction"] == "high"
    assert finding["score"] is None

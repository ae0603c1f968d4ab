"""What rows weigh, and where it counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pyod_explain import PyodExplainError, evaluate, explain
from pyod_explain.coverage import Coverage
from pyod_explain.input import Outliers, as_table, row_weights


def test_scores_become_weights_of_one_on_average():
    scores = np.array([-3.0, -2.0, 1.0, 5.0])
    found = Outliers(np.array([0, 0, 1, 1]), "Scores", scores=scores)
    weights = row_weights("scores", found, as_table(np.zeros((4, 1))))
    assert weights.tolist() == [1, 1, 4 / 6, 8 / 6]


def test_equal_scores_weigh_one():
    found = Outliers(np.array([0, 1]), "Scores", scores=np.zeros(2))
    assert row_weights("scores", found, as_table(np.zeros((2, 1)))).tolist() == [1, 1]


def test_a_series_of_weights_is_aligned():
    frame = pd.DataFrame({"a": range(3)}, index=list("abc"))
    weights = pd.Series([3.0, 2.0, 1.0], index=list("cba"))
    assert row_weights(weights, Outliers(np.array([0, 0, 1]), ""), as_table(frame)).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 2], "must give a finite weight of 0 or more for each of the 3 rows, got -1"),
        ([1, np.nan, 2], "must give a finite weight of 0 or more for each of the 3 rows, got nan"),
        (["a", "b", "c"], "must be numbers of 0 or more, got 'a', 'b', 'c'"),
        ([0, 0, 0], "must be above 0 for some row, got only zeros"),
        ([1, 1e-310, 1], "must be 0 or at least 1e-300, got 1e-310"),
        ([1e308, 1e308, 1], r"must have a finite sum, got weights of up to 1e\+308"),
    ],
    ids=repr,
)
def test_weights_that_cannot_be_are_refused_before_the_work(weights, message):
    with pytest.raises(PyodExplainError, match=f"^`sample_weight` {message}"):
        row_weights(weights, Outliers(np.array([0, 0, 1]), ""), as_table(np.zeros((3, 1))))


def test_weights_of_scores_are_checked_too():
    found = Outliers(np.array([0, 1, 1]), "Scores", scores=np.array([0.0, 1e-310, 1.0]))
    with pytest.raises(PyodExplainError, match="`sample_weight` must be 0 or at least 1e-300"):
        row_weights("scores", found, as_table(np.zeros((3, 1))))


def test_weights_reach_the_metrics_and_the_choice():
    X = pd.DataFrame({"a": [0] * 20 + [1, 1, 1, 1, 0], "b": [0] * 20 + [0, 0, 0, 0, 1]})
    y = np.array([0] * 20 + [1] * 5)
    heavy = np.where(np.arange(25) == 24, 100.0, 1.0)
    plain = explain(y, X, groups=1, method="bccm", max_tags=1, max_uncovered=0.5)
    weighted = explain(y, X, groups=1, method="bccm", max_tags=1, max_uncovered=0.5, sample_weight=heavy)
    assert plain.rules[0].tag.columns == ["a"]
    assert weighted.rules[0].tag.columns == ["b"]
    assert weighted.metrics.loc[1, "FUO"] == pytest.approx(4 / 104)


def test_equal_weights_change_nothing(frame):
    y = np.array([1] * 5 + [0] * 95)
    plain = explain(y, frame, method="wccm")
    assert explain(y, frame, method="wccm", sample_weight=np.ones(100)).to_frame().equals(plain.to_frame())


def test_a_method_that_counts_rows_says_so(frame):
    y = np.array([1] * 5 + [0] * 95)
    assert "whatever they weigh" in " ".join(explain(y, frame, sample_weight=np.ones(100)).notes)
    assert explain(y, frame).to_frame().equals(explain(y, frame, sample_weight=np.arange(100) + 1.0).to_frame())


def test_metrics_are_shares_of_weight():
    coverage = Coverage.from_dense([[1], [0], [1], [0]], [1, 1, 0, 0], sample_weight=[3, 1, 1, 4])
    assert evaluate(coverage, [(0,)])[["FUO", "FCN"]].to_numpy().tolist() == [[0.25, 0.2]]

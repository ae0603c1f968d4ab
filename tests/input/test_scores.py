"""Scores that the user passes: one number for each row, or a column of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.input import as_table, read_scores

FRAME = pd.DataFrame({"score": [1, 3, 2], "gap": [1.0, None, 2.0], "word": list("abc")}, index=list("xyz"))
TABLE = as_table(FRAME)


def test_none_is_given_where_none_is():
    assert read_scores(None, FRAME, TABLE) == (None, ())


def test_a_column_of_scores_is_named_since_it_must_not_explain_itself():
    scores, columns = read_scores("score", FRAME, TABLE)
    assert (scores.tolist(), columns) == ([1, 3, 2], ("score",))


def test_a_series_is_aligned():
    scores, columns = read_scores(pd.Series([2, 3, 1], index=list("zyx")), FRAME, TABLE)
    assert (scores.tolist(), columns) == ([1, 3, 2], ())


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ("gap", "`scores` must be finite, got 1 that are not"),
        ([1, np.inf, np.nan], "`scores` must be finite, got 2 that are not"),
        ("word", "`scores` must be numbers, got column 'word', which holds category values"),
        (list("abc"), "`scores` must be numbers, higher is stranger, got 'a', 'b', 'c'"),
        ([1, 2], "`scores` must have one entry for each of the 3 rows"),
    ],
)
def test_what_is_no_score_is_refused(scores, message):
    with pytest.raises(PyodExplainError, match=message):
        read_scores(scores, FRAME, TABLE)

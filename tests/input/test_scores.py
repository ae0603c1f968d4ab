"""Scores that the user passes: one number for each row, or a column of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.input import as_table, read_scores

FRAME = pd.DataFrame({"score": [1, 3, 2], "gap": [1.0, None, 2.0], "word": list("abc")}, index=list("xyz"))
TABLE = as_table(FRAME)


def test_a_column_or_an_aligned_series_of_scores_is_read():
    assert read_scores(None, FRAME, TABLE) is None
    assert read_scores("score", FRAME, TABLE).tolist() == [1, 3, 2]
    assert read_scores(pd.Series([2, 3, 1], index=list("zyx")), FRAME, TABLE).tolist() == [1, 3, 2]


@pytest.mark.parametrize("scores", ["gap", [1, np.inf, np.nan], "word", list("abc"), [1, 2]])
def test_what_is_no_score_is_refused(scores):
    with pytest.raises(PyodExplainError, match="`scores` must"):
        read_scores(scores, FRAME, TABLE)

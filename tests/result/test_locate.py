"""Which of the outliers is meant."""

import pandas as pd
import pytest
from by_hand import explain_by

from pyod_explain import Condition, Explanation, PyodExplainError, Tag


def test_labels_that_are_unknown_or_not_unique():
    X = pd.DataFrame({"x": [1, 2, 9, 9]}, index=["a", "b", "c", "c"])
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0, 0, 1, 1])
    with pytest.raises(PyodExplainError, match="`label` must be the row label of an outlier"):
        e.for_row("a")
    with pytest.raises(PyodExplainError, match="which 2 outliers have"):
        e.for_row("c")
    with pytest.raises(PyodExplainError, match="one row with the label 'q', got 0"):
        explain_by([[Tag.of(Condition("x", ">", 5))]], X.set_axis(list("abcq")), [0, 0, 1, 1]).for_row("q", X)


def test_without_a_table_rows_need_one(explained, payments):
    read = Explanation.from_json(explained.to_json())
    with pytest.raises(PyodExplainError, match="pass the table as `X=`"):
        read.for_row("p3")
    assert str(read.for_row("p3", payments[0])) == str(explained.for_row("p3"))
    assert read.counterfactual("p3", payments[0]) == explained.counterfactual("p3")
    for call in (read.validate, read.control, lambda: read.validate(X=payments[0])):  # no table would help
        with pytest.raises(
            PyodExplainError, match=r"how its rules were found[\s\S]*explain\(\) again, with validate=5"
        ):
            call()

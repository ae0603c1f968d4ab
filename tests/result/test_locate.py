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


@pytest.mark.parametrize("gone", [pd.NA, (pd.NA, 1)])
def test_a_label_that_is_missing_equals_only_itself(gone):
    other = 9 if gone is pd.NA else (2, 1)
    index = pd.Index([0, 1, gone, other], dtype=object, tupleize_cols=False)
    X = pd.DataFrame({"x": [1, 2, 8, 9]}, index=index)
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0, 0, 1, 1])
    assert e.for_row(other).values == e.for_row(other, X).values == {"x": 9}
    assert e.for_row(gone).values == e.for_row(gone, X).values == {"x": 8}


def test_a_position_is_one_in_the_whole_table(explained, payments):
    assert str(explained.for_row(position=3, X=payments[0])) == str(explained.for_row("p3"))
    with pytest.raises(PyodExplainError, match="`X` must have the 300 rows that were explained, got 2: a position"):
        explained.for_row(position=3, X=payments[0].head(2))


def test_a_file_keeps_no_positions(explained, payments):
    read = Explanation.from_json(explained.to_json())
    with pytest.raises(PyodExplainError, match=r"read from a file, got 3[\s\S]*Hint: name the row by its label"):
        read.for_row(position=3, X=payments[0])
    X = pd.DataFrame({"x": [1, 2, 9, 9]}, index=["a", "b", "c", "c"])
    twice = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0, 0, 1, 1])
    with pytest.raises(PyodExplainError, match="these are at 2, 3"):
        twice.for_row("c")
    with pytest.raises(PyodExplainError, match=r"Hint: call explain\(\) again, and name it by its position"):
        Explanation.from_json(twice.to_json()).for_row("c", X)


def test_a_file_without_labels_says_so(explained, payments):
    read = Explanation.from_json(explained.to_json(rows=False))
    with pytest.raises(PyodExplainError, match="read from a file without row labels"):
        read.for_row("p3", payments[0])


def test_without_a_table_rows_need_one(explained, payments):
    read = Explanation.from_json(explained.to_json())
    with pytest.raises(PyodExplainError, match="pass the table as `X=`"):
        read.for_row("p3")
    assert str(read.for_row("p3", payments[0])) == str(explained.for_row("p3"))
    assert read.counterfactual("p3", payments[0]) == explained.counterfactual("p3")
    for call in (read.validate, read.placebo_test, lambda: read.validate(X=payments[0])):  # no table would help
        with pytest.raises(
            PyodExplainError, match=r"how its rules were found[\s\S]*explain\(\) again, with validate=5"
        ):
            call()

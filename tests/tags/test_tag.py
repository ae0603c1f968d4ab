"""Tags as values: equal meaning is equal value; a tag needs only its columns."""

from __future__ import annotations

import numpy as np
import pytest
from tag_tables import FRAME

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.tags import Condition, DatePart, Tag


def test_equal_meaning_is_equal_value() -> None:
    assert Condition("x", ">", np.float64(1.5)) == Condition("x", ">", 1.5)
    assert Condition("c", "in", ["b", "a", "b"]) == Condition("c", "in", {"a", "b"})
    one, other = Condition("x", ">", 1), Condition("c", "==", "a")
    assert Tag.of(one, other) == Tag.of(other, one)
    assert len({Tag.of(one, other), Tag.of(other, one)}) == 1


def test_a_tag_needs_only_its_columns_and_names_those_that_are_absent() -> None:
    tag = Tag.of(
        Condition("n", ">", 1), Condition(DatePart("when", "weekday"), "==", 5), Condition("x", "between", (2, 3))
    )
    assert tag.columns == ["n", "when", "x"]
    assert tag.covers(FRAME[["x", "when", "n"]]).tolist() == [False, False, True, False]
    with pytest.raises(PyodExplainError, match="lacks the columns 'n', 'x'; it has 'when'"):
        tag.covers(FRAME[["when"]])


def test_the_repr_of_a_tag_is_short_and_says_what_it_is() -> None:
    tag = Tag.of(Condition("c", "missing"), Condition("n", "between", (1, 2)), Condition("flag", "==", True))
    assert repr(tag) == "Tag(c is missing and flag == True and 1 <= n <= 2)"
    assert (
        repr(Condition(DatePart("when", "weekday"), "==", 5))
        == "Condition(DatePart(column='when', part='weekday'), '==', 5)"
    )


def test_a_tag_without_conditions_is_refused() -> None:
    with pytest.raises(PyodExplainError, match="must be one or more Condition objects"):
        Tag(frozenset())

"""Conditions as values: equal meaning is equal value, opposites, and what makes no sense is refused."""

from __future__ import annotations

import decimal
import math
import pickle
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_tables import holds

from pyod_explain.exceptions import ParameterError, PyodExplainError
from pyod_explain.tags import Condition


@pytest.mark.parametrize("op", ["<=", "<", ">=", ">", "==", "!="])
def test_the_opposite_holds_for_the_other_cells_that_are_there(op: Any) -> None:
    condition = Condition("x", op, 2.5)
    present = [True, False, True, True]
    assert [a != b for a, b in zip(holds(condition), holds(~condition), strict=True)] == present
    assert ~~condition == condition
    assert condition.feature == (~condition).feature


IN_ORDER = (1.5, 2, decimal.Decimal(3), 10, True, frozenset([2, "x"]), frozenset("xyz"), math.nan, "a", "b")


@given(st.permutations(IN_ORDER))
def test_a_list_of_values_has_one_order(values: list[Any]) -> None:
    assert Condition("x", "in", values).value == IN_ORDER


def test_some_conditions_have_no_opposite() -> None:
    with pytest.raises(PyodExplainError, match=r"The condition 1 <= x <= 2 has no opposite that is one condition"):
        ~Condition("x", "between", (1, 2))


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("x", "=>", 1), "op"),
        (("x", "<="), "value"),
        (("x", "missing", 3), "value"),
        (("x", "in", "abc"), "value"),
        (("x", "between", 3), "value"),
    ],
    ids=repr,
)
def test_conditions_that_make_no_sense_are_refused(arguments: Any, wrong: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Condition(*arguments)
    assert caught.value.argument == wrong


@pytest.mark.parametrize(
    ("op", "side"), [(">", "high"), (">=", "high"), ("<", "low"), ("<=", "low"), ("==", "is"), ("!=", "is")]
)
def test_the_side_is_where_the_values_lie(op: Any, side: str) -> None:
    assert Condition("x", op, 3).side == side


@pytest.mark.parametrize("value", [float("nan"), pd.NaT, pd.NA, ("a", float("nan")), 1.5, "a"], ids=repr)
def test_a_condition_equals_its_copy_whatever_its_value(value):
    one = Condition("x", "==", value)
    two = pickle.loads(pickle.dumps(one))
    assert one == two
    assert len({one, two}) == 1
    assert one != Condition("x", "!=", value)
    assert one != "x"

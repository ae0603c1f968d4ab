"""Numbers as plain values, and bounds in the type of the cells: none of them changes its meaning."""

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from exactly import COMPARE, VALUES, fraction
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain.input import plain_value
from pyod_explain.input.values import decimal_bound, double_bound, whole_bound


def finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


@given(st.one_of(st.integers(), VALUES), st.one_of(st.integers(-9, 9), st.integers()), st.sampled_from(sorted(COMPARE)))
@settings(max_examples=300, deadline=None)
def test_a_bound_in_the_type_of_the_cells_means_the_same(value, cell, op):
    if op == "!=" or (isinstance(value, float) and math.isnan(value)):
        return
    expected = COMPARE[op](cell, Decimal("inf").copy_sign(Decimal(value)) if math.inf in (value, -value) else value)
    near = float(cell)
    for bound_of, one in ((whole_bound, cell), (decimal_bound, Decimal(cell)), (double_bound, near)):
        bound = bound_of(op, value)
        found = bound if isinstance(bound, bool) else COMPARE[bound[0]](one, bound[1])
        assert found == (COMPARE[op](fraction(near), fraction(value)) if one is near and finite(value) else expected)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.int8(3), 3), (np.float32(0.5), 0.5), (np.bool_(True), True), (np.str_("a"), "a"), (np.longdouble(0.5), 0.5),
        (np.datetime64(1, "ns"), pd.Timestamp(1)), (np.timedelta64(1, "ns"), pd.Timedelta(1)),
        (Decimal("0.1"), Decimal("0.1")),
    ],
    ids=repr,
)  # fmt: skip
def test_a_plain_value_is_the_same_one_of_a_type_that_people_know(value, plain):
    assert plain_value(value) == plain
    assert type(plain_value(value)) is type(plain)

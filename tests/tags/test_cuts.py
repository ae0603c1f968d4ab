"""Cut points are as short as a person would write them."""

from __future__ import annotations

import decimal

import numpy as np
import pytest
from hypothesis import assume, given
from tag_tables import floats

from pyod_explain.tags import cuts


@given(low=floats, high=floats)
def test_no_shorter_decimal_lies_between(low: float, high: float) -> None:
    assume(low < high)
    t = cuts.simplest(low, high)
    assert low < t <= high
    used = cuts.n_digits(t)
    for n in range(1, used):  # rounding an end to fewer digits must leave the interval
        with decimal.localcontext(prec=n, rounding=decimal.ROUND_FLOOR):
            shorter = float(+decimal.Decimal(high))
        assert not low < shorter <= high or cuts.n_digits(shorter) >= used


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (17.38, 23.1, 20),
        (0.1234, 0.1239, 0.1235),
        (99, 101, 100),
        (-0.5, 3.0, 0),
        (-23.1, -17.38, -20),
        (2, 3, 3),
        (2**53, 2**53 + 1, 2**53 + 1),
        (1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 2.0)),
    ],
)
def test_cut_points_are_what_a_person_would_write(low: float, high: float, expected: float) -> None:
    assert cuts.simplest(low, high) == expected

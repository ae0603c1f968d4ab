"""Code lengths agree with their definitions."""

import math

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain.code_lengths import log2_binomial, log_star


@given(st.integers(0, 10**6))
def test_log_star_is_rissanens(n):
    assert float(log_star(n)) == pytest.approx(reference.log_star(n))


@given(st.integers(0, 300), st.integers(0, 300))
def test_binomials_cost_nothing_outside_their_range(n, k):
    expected = math.log2(math.comb(n, k)) if k <= n else 0.0
    assert float(log2_binomial(n, k)) == pytest.approx(expected, abs=1e-9)

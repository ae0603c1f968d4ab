import numpy as np
import pytest

from pyod_explain.solvers import settle, step_of


def test_the_bound_is_rounded_up_to_what_the_objective_can_be():
    assert step_of(np.array([1.0, 1.0, 10.0])) == 1.0
    assert step_of(np.array([])) == 0.0
    assert settle(7.0000000001, 9.0, 1.0) == 7.0
    assert settle(9.5, 9.0, 1.0) == 9.0


def test_a_bound_counts_only_beyond_the_error_of_what_proved_it():
    assert settle(50000.005, 50001.0, 1.0) == 50000.0
    assert settle(50000.4, 50001.0, 1.0) == 50001.0
    assert settle(5e-8 + 5e-14, 6e-8, 1e-8) == pytest.approx(5e-8)
    assert settle(5e7, 5e7, 1.0) == 5e7
    assert settle(0.9e-9, 1e-9, 0.0) == 0.9e-9
    assert settle(1e9, 1e9 + 9.5, 0.0, row=1.0) == 1e9
    assert settle(7.0, np.inf, 0.0) == 7.0

import numpy as np
import pytest

from pyod_explain.solvers.milp import Program


def knapsack(*, whole):
    """Two things of which at most 1.5 can be taken; the second is worth more."""
    program = Program()
    things = program.columns("things", 2, cost=np.array([-1.0, -2.0]), whole=whole)
    program.add(1, 1.5, (np.zeros(2, dtype=np.intp), things, 1.0))
    return program


def test_columns_are_known_by_name_and_whole_numbers_stay_whole():
    program = knapsack(whole=True)
    assert program["things"].tolist() == [0, 1]
    answer = program.solve(1.0)
    assert answer.x.tolist() == [0.0, 1.0]
    assert (answer.value, answer.bound, answer.infeasible) == (-2.0, pytest.approx(-2.0), False)


def test_a_relaxation_proves_a_lower_bound_and_says_what_a_change_costs():
    program = knapsack(whole=True)
    relaxed = program.relax(1.0, program.upper)
    assert relaxed.value == pytest.approx(-2.5)
    assert relaxed.x == pytest.approx([0.5, 1.0], abs=1e-6)
    assert relaxed.at_one[1] == pytest.approx(1.0)


def test_rows_may_be_added_after_it_was_solved():
    program = knapsack(whole=True)
    program.solve(1.0)
    program.add(1, 0.0, (np.zeros(1, dtype=np.intp), program["things"][1:], 1.0))
    assert program.matrix.toarray().tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert program.solve(1.0).x.tolist() == [1.0, 0.0]
    program.forbid(np.array([True, False]))
    assert program.solve(1.0).value == 0.0


def test_one_call_may_have_its_own_costs_limits_and_row():
    program = knapsack(whole=True)
    assert program.solve(1.0, cost=np.array([-3.0, -2.0])).value == -3.0
    assert program.solve(1.0, upper=np.array([1.0, 0.0]), unit=4.0).value == -1.0
    assert program.solve(1.0, row=(np.array([0.0, -1.0]), -2.0)).infeasible
    assert program.solve(1.0).value == -2.0

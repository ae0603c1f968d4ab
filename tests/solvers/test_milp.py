import numpy as np
import pytest

from pyod_explain.solvers import NEVER, Deadline, Program, Untimed

SOON = Untimed(each=1e-5)


def knapsack(*, whole, untimed=SOON):
    """Two things of which at most 1.5 can be taken; the second is worth more."""
    program = Program(untimed)
    things = program.columns("things", 2, cost=np.array([-1.0, -2.0]), whole=whole)
    program.add(1, 1.5, (np.zeros(2, dtype=np.intp), things, 1.0))
    return program


def test_columns_are_known_by_name_and_whole_numbers_stay_whole():
    program = knapsack(whole=True)
    assert program["things"].tolist() == [0, 1]
    answer = program.solve(NEVER)
    assert answer.x.tolist() == [0.0, 1.0]
    assert (answer.value, answer.bound, answer.infeasible) == (-2.0, pytest.approx(-2.0), False)


def test_a_relaxation_proves_a_lower_bound_and_says_what_a_change_costs():
    program = knapsack(whole=True)
    relaxed = program.relax(NEVER, program.upper)
    assert relaxed.value == pytest.approx(-2.5)
    assert relaxed.x == pytest.approx([0.5, 1.0], abs=1e-6)
    assert relaxed.at_one[1] == pytest.approx(1.0)


def test_rows_may_be_added_after_it_was_solved():
    program = knapsack(whole=True)
    program.solve(NEVER)
    program.add(1, 0.0, (np.zeros(1, dtype=np.intp), program["things"][1:], 1.0))
    assert program.matrix.toarray().tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert program.solve(NEVER).x.tolist() == [1.0, 0.0]
    program.forbid(np.array([True, False]))
    assert program.solve(NEVER).value == 0.0


def test_one_call_may_have_its_own_costs_limits_and_row():
    program = knapsack(whole=True)
    assert program.solve(NEVER, cost=np.array([-3.0, -2.0])).value == -3.0
    assert program.solve(NEVER, upper=np.array([1.0, 0.0]), unit=4.0).value == -1.0
    assert program.solve(NEVER, row=(np.array([0.0, -1.0]), -2.0)).infeasible
    assert program.solve(NEVER).value == -2.0


def test_a_program_is_handed_over_only_if_there_is_time_for_what_is_not_timed():
    program = knapsack(whole=True)
    assert program.seconds(Deadline.after(5.0), share=0.5) == pytest.approx(2.5, abs=0.1)
    assert program.seconds(Deadline.after(0.0)) is None
    slow = knapsack(whole=True, untimed=Untimed(each=2.0))
    answer = slow.solve(Deadline.after(3.0))
    assert (answer.x, answer.bound, answer.infeasible) == (None, None, False)
    assert slow.relax(Deadline.after(3.0), slow.upper) is None
    assert slow.seconds(Deadline.after(5.0)) == pytest.approx(1.0, abs=0.1)
    assert slow.seconds(Deadline.after(60.0)) == pytest.approx(60.0, abs=0.1)

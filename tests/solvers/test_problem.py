import numpy as np

from pyod_explain import Coverage
from pyod_explain.solvers import WeightedCover


def test_tags_that_do_not_exist_or_are_used_twice_or_not_eligible_break_rules():
    cov = Coverage.from_dense([[1, 1], [0, 1], [0, 0]], [1, 2, 0])
    problem = WeightedCover(cov, np.array([[True, False], [True, True]]), np.ones(2))
    assert problem.broken([[0], [1]]) == []
    assert problem.broken([[0], [0]]) == ["Tag 0 is used 2 times."]
    assert problem.broken([[1], []]) == ["Tag 1 may not describe group 1."]
    assert problem.broken([[2], [-1]]) == ["Tag 2 of group 1 does not exist.", "Tag -1 of group 2 does not exist."]
    assert problem.broken([[0]]) == ["There are 1 descriptions for 2 groups."]

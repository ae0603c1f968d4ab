import numpy as np
import reference
from fast import coverage_of
from hypothesis import given
from strategies import problems

from pyod_explain import Coverage
from pyod_explain.solvers.deadline import Deadline
from pyod_explain.solvers.set_cover import fewest_tags, greedy_cover, uncovered_rows


def pairs_of(cov):
    return cov.eligible(0.0) & (cov.group_counts > 0)


@given(problems(max_rows=12, max_tags=5, max_groups=3))
def test_the_fewest_tags_or_a_proof_that_there_is_no_cover(problem):
    cov = coverage_of(problem)
    best = reference.best_dtdm(problem)
    found = fewest_tags(cov, pairs_of(cov), None, Deadline.after(20.0))
    if best is None:
        assert (found.tags, found.bound) == (None, np.inf)
    else:
        assert (sum(map(len, found.tags)), found.bound) == (best, best)
        assert reference.feasible_dtdm(problem, tuple(map(tuple, found.tags)))


def test_without_time_the_start_is_returned_with_one_tag_a_group_proved():
    cov = Coverage.from_dense(np.eye(4, dtype=bool), [1, 1, 2, 0])
    start = greedy_cover(cov, pairs_of(cov))
    found = fewest_tags(cov, pairs_of(cov), start, Deadline.after(0.0))
    assert (found.tags, found.bound) == (start, 2.0)


def test_greedy_takes_the_lowest_tag_of_those_that_cover_most():
    cov = Coverage.from_dense([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]], [1, 1, 1, 0])
    assert greedy_cover(cov, pairs_of(cov)) == [[0, 2]]
    only_first = np.array([[True, False, False]])
    assert greedy_cover(cov, only_first) is None
    assert uncovered_rows(cov, only_first, 0).tolist() == [2]

import numpy as np
import pytest
import reference
from fast import coverage_of, table
from hypothesis import given
from strategies import problems

from pyod_explain import DTDM, Coverage
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.solvers import Deadline, Untimed, fewest_tags, greedy_cover, set_cover, uncovered_rows


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


def slow_greedy(T, y, pairs):
    """By its definition, with sets."""
    groups = [set(np.flatnonzero(y == k + 1).tolist()) for k in range(len(pairs))]
    rows = [set(np.flatnonzero(column).tolist()) for column in T.T]
    chosen, free = [[] for _ in groups], pairs.copy()
    while any(groups):
        gain = {(t, k): len(rows[t] & groups[k]) for k, t in zip(*np.nonzero(free), strict=True)}
        t, k = min(gain, key=lambda pair: (-gain[pair], pair), default=(0, 0))
        if not gain.get((t, k)):
            return None
        chosen[k].append(int(t))
        free[:, t] = False
        groups[k] -= rows[t]
    return chosen


@pytest.mark.parametrize("seed", range(8))
def test_greedy_agrees_with_its_definition_where_only_the_best_tags_are_counted_anew(seed):
    T, y, _ = table(seed, n_rows=600, n_tags=[90, 250][seed % 2], n_groups=1 + seed % 3, rate=[0.06, 0.3][seed // 4])
    cov = Coverage.from_dense(T, y)
    assert greedy_cover(cov, pairs_of(cov)) == slow_greedy(T, y, pairs_of(cov))


def test_past_the_deadline_the_rest_is_covered_all_the_same():
    T, y, _ = table(5, n_rows=600, n_tags=250, n_groups=1, rate=0.3)
    cov = Coverage.from_dense(T, y)
    (late,) = greedy_cover(cov, pairs_of(cov), Deadline.after(0.0))
    assert T[y == 1][:, late].any(axis=1).all()
    assert len(late) >= len(greedy_cover(cov, pairs_of(cov))[0])


def test_a_program_is_handed_over_only_if_there_is_time_for_what_is_not_timed(monkeypatch):
    cov = Coverage.from_dense([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]], [1, 1, 1, 0])
    monkeypatch.setattr(set_cover, "UNTIMED", Untimed(each=100.0))
    found = fewest_tags(cov, pairs_of(cov), [[0, 1, 2]], Deadline.after(5.0))
    assert (found.tags, found.bound) == ([[0, 1, 2]], 1.0)


def test_without_a_cover_in_time_nothing_is_said_to_be_proved(monkeypatch):
    """Greedy gives tag 0 to group 1, which could do with tags 1 and 2; group 2 has no other."""
    monkeypatch.setattr(set_cover, "UNTIMED", Untimed(each=100.0))
    cov = Coverage.from_dense([[1, 1, 0], [1, 0, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]], [1, 1, 1, 2, 0])
    with pytest.raises(InfeasibleError, match="no descriptions were found") as caught:
        DTDM(time_limit=1.0).select(cov)
    assert not caught.value.proved

import numpy as np
from fast import limited

import pyod_explain.solvers.description_search as module
from pyod_explain import MDL, Coverage
from pyod_explain.bits import tally
from pyod_explain.description_length import CodeTable
from pyod_explain.solvers.limits import Limits


def test_a_search_with_many_groups_looks_at_its_own_best_tags_and_says_so():
    rng = np.random.default_rng(0)
    y = np.concatenate([np.zeros(800, dtype=np.int64), np.repeat([1, 2, 3, 4], 20)])
    noise = rng.uniform(size=(len(y), 120)) < 0.08
    reasons = np.column_stack([y == k for k in (1, 2, 3, 4)])
    coverage = Coverage.from_dense(np.hstack([noise, reasons]), y)
    selection = limited(MDL, Limits(many_tags=10, per_tag=1))().select(coverage)
    assert selection.tags == ((120,), (121,), (122,), (123,))  # the best are among those looked at
    assert "more than 31 tags to choose from" in selection.notes[0]
    assert MDL().select(coverage).notes == ()


def test_a_search_counts_the_outliers_of_useful_tags_alone(monkeypatch):
    """Once a tag covers the group, no other is of use, and the outliers of none are looked at."""
    rng = np.random.default_rng(0)
    y = np.concatenate([np.zeros(300, dtype=np.int64), np.repeat([1, 2], 200)])
    T = np.column_stack([y == 1, y == 2, rng.uniform(size=(len(y), 50)) < 0.3])
    coverage = Coverage.from_dense(T, y)
    search = module.DescriptionSearch.of(coverage, 0, coverage.eligible(0.0)[0], np.zeros(52), 52, CodeTable(len(y)))
    looked_at = []

    def counted(words, copies=None):
        looked_at.append(len(np.atleast_2d(words)))
        return tally(words, copies)

    monkeypatch.setattr("pyod_explain.coverage.tally", counted)
    cover, _ = search.cover([0]), coverage.normal_counts  # which are counted once for all
    looked_at.clear()
    assert search.additions(cover, search.candidates, module.Work(10_000), most=1) == []
    assert looked_at == [len(search.candidates), 0]

"""The search for the description of a group in the fewest bits, against all subsets of tiny problems."""

import sys

import numpy as np
import pytest
import reference
from fast import coverage_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

import pyod_explain.solvers.description_search as module
from pyod_explain import MDL, Coverage
from pyod_explain.description_length import tag_bits
from pyod_explain.solvers.description_search import DescriptionSearch, WorkLimit


def search_of(coverage, group=0, limit=sys.maxsize):
    return DescriptionSearch.of(coverage, group, coverage.eligible(1.0)[group], tag_bits(coverage), limit)


@given(
    st.booleans().flatmap(lambda priced: problems(max_rows=24, with_prices=priced)),
    st.sampled_from([1, 2, 9]),
    st.data(),
)
def test_the_result_is_never_worse_than_greedy_nor_than_its_start_nor_better_than_the_best_of_all(problem, limit, data):
    group = data.draw(st.integers(0, len(problem.groups) - 1))
    search = search_of(coverage_of(problem), group, limit)
    found, greedy = search.best(), search.grow([], search.candidates, WorkLimit(10_000))
    tags = search.candidates.tolist()
    start = data.draw(st.lists(st.sampled_from(tags), max_size=limit, unique=True)) if tags else []
    better = search.better(start)
    for one in (found, greedy, start, better):
        assert search.bits(one) == pytest.approx(reference.mdl_group(problem, group, one))
        assert len(set(one)) == len(one) <= limit
        assert set(one) <= set(tags)
    assert search.bits(found) <= min(search.bits(greedy), search.bits([])) + 1e-6
    assert search.bits(better) <= search.bits(start) + 1e-6
    assert reference.best_mdl_group(problem, group, 1.0, limit) <= min(search.bits(found), search.bits(better)) + 1e-6


def kinds(n_wide, prices):
    """Tag 0 has both halves of the outliers and some normals; tags 1 and 2 have one half each, and no normal."""
    T = np.zeros((5_000, 3), dtype=bool)
    T[: 60 + n_wide, 0] = T[:30, 1] = T[30:60, 2] = True
    coverage = Coverage.from_dense(T, np.repeat([1, 0], [60, 4_940]))
    return coverage.take([]).with_bits(coverage.normal_bits, coverage.outlier_bits, [1, 1, 1], np.array(prices))


@pytest.mark.parametrize(
    ("n_wide", "prices", "start", "end"),
    [(15, [9.0, 9.0, 9.0], [0], [1, 2]), (0, [12.0, 9.0, 9.0], [1, 2], [0])],
    ids=["split", "merge"],
)
def test_a_wide_tag_and_several_narrow_ones_take_each_others_place(n_wide, prices, start, end):
    """Adding, dropping and swapping single tags does not get there."""
    coverage = kinds(n_wide, prices)
    search = search_of(coverage)
    assert search._improve(start, search.candidates, WorkLimit(10_000)) == start
    assert sorted(search.better(start)) == end
    assert search.bits(end) < search.bits(start)
    assert search._split_or_merge(end, search.candidates, WorkLimit(10_000)) is None
    assert sorted(MDL().select(coverage).tags[0]) == sorted(MDL().improve(coverage, [start]).tags[0]) == end
    assert len(MDL(max_tags=1).improve(coverage, [start[:1]]).tags[0]) == 1


def test_a_search_with_many_groups_looks_at_its_own_best_tags_and_says_so(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.concatenate([np.zeros(800, dtype=np.int64), np.repeat([1, 2, 3, 4], 20)])
    noise = rng.uniform(size=(len(y), 120)) < 0.08
    reasons = np.column_stack([y == k for k in (1, 2, 3, 4)])
    coverage = Coverage.from_dense(np.hstack([noise, reasons]), y)
    assert MDL().select(coverage).notes == ()
    monkeypatch.setattr(module, "MANY_TAGS", 10)
    monkeypatch.setattr(module, "SEARCHES_PER_TAG", 1)
    selection = MDL().select(coverage)
    assert selection.tags == ((120,), (121,), (122,), (123,))  # the best are among those looked at
    assert "31 tags" in selection.notes[0]

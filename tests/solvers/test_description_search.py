import numpy as np

import pyod_explain.solvers.description_search as module
from pyod_explain import MDL, Coverage
from pyod_explain.description_length import CodeTable


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


def test_two_narrow_tags_take_the_place_of_a_wide_one_that_neither_could_replace_alone():
    T = np.zeros((5_000, 3), dtype=bool)
    T[:60, 0] = T[:30, 1] = T[30:60, 2] = True
    T[60:75, 0] = True  # normals that the narrow ones leave out
    coverage = Coverage.from_dense(T, np.repeat([1, 0], [60, 4_940]))
    cost = module.tag_bits(coverage)
    search = module.DescriptionSearch.of(coverage, 0, coverage.eligible(1.0)[0], cost, 3, CodeTable(5_000))
    assert search._improve([0], search.candidates, module.Work(10_000)) == [0]
    narrow = search._two_for_one([0], search.candidates, module.Work(10_000))
    assert narrow is not None
    assert sorted(narrow) == [1, 2]
    assert search.bits(narrow) < search.bits([0])
    assert search._two_for_one(narrow, search.candidates, module.Work(10_000)) is None
    full = module.DescriptionSearch.of(coverage, 0, coverage.eligible(1.0)[0], cost, 1, CodeTable(5_000))
    assert full._two_for_one([0], full.candidates, module.Work(10_000)) is None  # no room for two
    assert sorted(MDL().select(coverage).tags[0]) == [1, 2]

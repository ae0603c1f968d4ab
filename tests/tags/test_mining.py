"""The algorithms find what counting by hand finds."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain.tags.mining import ALGORITHMS, frequent


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=14),
    support=st.sampled_from([0.01, 0.15, 0.3, 0.5, 1.0]),
    length=st.integers(1, 4),
)
def test_the_algorithms_find_what_counting_by_hand_finds(rows: Any, support: float, length: int) -> None:
    inside = np.array(rows).T
    by_hand = [
        combination
        for size in range(1, length + 1)
        for combination in itertools.combinations(range(5), size)
        if inside[list(combination)].all(axis=0).sum() >= max(support * len(rows) - 1e-6, 1)
    ]
    for algorithm in ALGORITHMS:
        sets, lengths = frequent(inside, support, length, algorithm)
        assert [tuple(one[:n].tolist()) for one, n in zip(sets, lengths, strict=True)] == by_hand


def test_saving_memory_does_not_change_what_is_mined(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = np.random.default_rng(0).uniform(size=(12, 50)) < 0.5
    fast = frequent(inside, 0.1, 3, "apriori")
    monkeypatch.setattr("pyod_explain.tags.mining.MINING_CELLS", 0)
    slow = frequent(inside, 0.1, 3, "apriori")
    assert (fast[0] == slow[0]).all()
    assert (fast[1] == slow[1]).all()


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=8),
    support=st.sampled_from([0.01, 0.15, 0.3, 0.5, 1.0]),
    length=st.integers(1, 5),
    seed=st.integers(0, 99),
)
def test_copies_are_mined_as_repeated_rows_are(rows, support, length, seed):
    inside = np.array(rows, dtype=bool).T
    copies = np.random.default_rng(seed).integers(1, 6, len(rows))
    ours = frequent(inside, support, length, "apriori", copies)
    theirs = frequent(np.repeat(inside, copies, axis=1), support, length, "apriori")
    for found, expected in zip(ours, theirs, strict=True):
        assert found.tolist() == expected.tolist()

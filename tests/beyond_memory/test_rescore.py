"""The rules worth choosing from: the best by exact counts, and some for every kind of outlier."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from pyod_explain import MDL, Coverage
from pyod_explain.beyond_memory import shortlist
from pyod_explain.description_length import mdl_of_group


def described(T, y, chosen, lengths=None):
    coverage = Coverage.from_dense(T, y, lengths=lengths, n_items=50)
    return SimpleNamespace(coverage=coverage, selection=SimpleNamespace(tags=chosen))


@pytest.fixture
def many():
    """Sixty rules for a large kind of outlier, the last one for a small kind that saves least."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], [400, 60])
    T = random.random((460, 61)) < np.where(y == 1, 0.8, 0.01)[:, None]
    T[455:, :60] = False
    T[:, 60] = np.arange(460) >= 455
    return T, y


def test_what_was_chosen_comes_first_then_the_best_by_exact_counts(many):
    T, y = many
    sample = described(T, y, [[5, 3]])
    exact = T[y == 0].sum(axis=0) * 10
    found = shortlist(sample, exact, 4_000, 1.0)
    assert found[:2] == [5, 3]
    rows = np.concatenate([np.repeat(T[y == 0], 10, axis=0), T[y == 1]])
    population = Coverage.from_dense(rows, [0] * 4_000 + [1] * 60, n_items=50)
    bits = [mdl_of_group(population, 0, [j]) for j in range(61)]
    alone = [j for j in np.argsort(bits, kind="stable").tolist() if j not in (5, 3)]
    assert found[2:18] == alone[:16]


def test_a_small_kind_has_its_rule_on_a_short_list(many, monkeypatch):
    monkeypatch.setattr("pyod_explain.beyond_memory.rescore.MAX_SHORTLIST", 40)
    T, y = many
    exact = T[y == 0].sum(axis=0)
    found = shortlist(described(T, y, [[0]]), exact, 400, 1.0)
    assert len(found) == 41
    bits = [mdl_of_group(Coverage.from_dense(T, y, n_items=50), 0, [j]) for j in range(61)]
    assert np.argmax(bits) == 60
    assert 60 in found


def test_rules_that_are_as_frequent_among_all_normals_are_left_out(many):
    T, y = many
    exact = T[y == 0].sum(axis=0)
    exact[7] = 390  # rare in the sample, common in the population
    assert 7 in shortlist(described(T, y, [[7]]), exact, 400, 1.0)  # it was chosen: the explainer sees what it is worth
    assert 7 not in shortlist(described(T, y, [[1]]), exact, 400, 1.0)
    assert 7 in shortlist(described(T, y, [[1]]), exact, 400, 0.0)
    assert not shortlist(described(T, y, [[]]), np.full(61, 400), 400, 1.0)


def test_a_better_choice_is_not_lost_by_the_list(many):
    T, y = many
    coverage = Coverage.from_dense(T, y, n_items=50)
    sample = described(T, y, [[0]])
    listed = shortlist(sample, coverage.normal_counts, coverage.n_normals, 1.0)
    best, among = MDL().select(coverage), MDL().select(coverage.take(listed))
    assert math.isclose(among.objective, best.objective, rel_tol=0.02)

"""The scatter plots that show the outliers best: LookOut's guarantee, and which columns can be plotted."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pyod_explain import PyodExplainError
from pyod_explain.input import as_table
from pyod_explain.result import choose_pairs, greedy_choice


def value(scores, chosen):
    return scores[list(chosen)].max(axis=0).sum() if chosen else 0.0


@given(arrays(float, (5, 4), elements=st.floats(0, 1)), st.integers(1, 5))
@settings(deadline=None)
def test_the_greedy_choice_keeps_lookouts_guarantee(scores, budget):
    from itertools import combinations

    chosen = greedy_choice(scores, budget)
    assert len(set(chosen)) == budget
    best = max(value(scores, some) for some in combinations(range(5), budget))
    assert value(scores, chosen) >= (1 - 1 / np.e) * best - 1e-9


def test_the_pair_that_shows_the_outliers_is_chosen_first():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    X.loc[:9, ["b", "d"]] = 8 + rng.normal(size=(10, 2))
    pairs = choose_pairs(as_table(X), np.array([1] * 10 + [0] * 190), budget=2)
    assert pairs[0].columns in {("b", "d"), ("d", "b")}
    assert sum(pair.best.sum() for pair in pairs) == 10
    assert len(pairs) == 2


def test_columns_without_order_or_change_cannot_be_plotted():
    X = pd.DataFrame({"c": list("abab"), "x": [1, 2, 3, 4], "k": [7, 7, 7, 7], "gone": [None] * 4})
    with pytest.raises(PyodExplainError, match="two columns of numbers or dates"):
        choose_pairs(as_table(X), np.array([0, 0, 0, 1]))

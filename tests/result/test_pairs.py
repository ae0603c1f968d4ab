"""Scatter plots that show the outliers apart."""

import numpy as np
import pandas as pd
import pytest

from pyod_explain import PyodExplainError, explain
from pyod_explain.input import as_table
from pyod_explain.result import ACROSS, DOWN, choose_pairs, take_pictures


def test_the_pair_that_shows_the_outliers_is_chosen_first():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    X.loc[:9, ["b", "d"]] = 8 + rng.normal(size=(10, 2))
    y = np.array([1] * 10 + [0] * 190)
    pairs = choose_pairs(as_table(X), y, budget=2)
    shuffled = rng.permutation(200)
    assert choose_pairs(as_table(X.iloc[shuffled]), y[shuffled], budget=2) == pairs
    assert pairs[0] in {("b", "d"), ("d", "b")}
    assert len(pairs) == 2


def test_columns_without_order_or_change_cannot_be_plotted():
    X = pd.DataFrame({"c": list("abab"), "x": [1, 2, 3, 4], "k": [7, 7, 7, 7], "gone": [None] * 4})
    with pytest.raises(PyodExplainError, match="two columns of numbers or dates"):
        choose_pairs(as_table(X), np.array([0, 0, 0, 1]))


RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.normal(size=1_000), "b": RNG.normal(size=1_000), "c": ["x"] * 1_000})
X.loc[:9, "a"] += 30
X.loc[10:19, "b"] += 30
X.loc[15, "a"] = None
Y = np.array([1] * 10 + [2] * 10 + [0] * 980)


def test_every_row_with_both_values_is_counted_once():
    (picture,) = take_pictures(explain(Y, X)._context, ["a"], 3)
    assert picture.columns == ("a", "b")
    assert sum(n for _, _, n in picture.normals) == 980
    assert sum(n for *_, n in picture.dots) == 19  # one has no value to be placed by
    assert sum(n for _, _, group, n in picture.dots if group == 1) == 10
    assert {0 <= x < ACROSS and 0 <= y < DOWN for x, y, _ in picture.normals} == {True}
    assert picture.across[1] == X["a"].max()
    assert picture.down[1] == X["b"].max()


def test_few_normal_rows_do_not_stretch_a_picture_and_are_counted():
    far = X.copy()
    far.loc[500, "a"] = 1e6
    (picture,) = take_pictures(explain(Y, far)._context, ["a"], 3)
    assert picture.across[1] == X["a"].max()
    low, high = picture.across
    bottom, top = picture.down
    beyond = (far["a"] < low) | (far["a"] > high) | (far["b"] < bottom) | (far["b"] > top)
    assert picture.n_beyond == beyond[Y == 0].sum() > 0
    assert sum(n for _, _, n in picture.normals) == 980


def test_rows_that_stand_for_many_count_as_many():
    counts = np.where(Y > 0, 2, 3)
    (picture,) = take_pictures(explain(Y, X, counts=counts)._context, ["a"], 3)
    assert sum(n for _, _, n in picture.normals) == 3 * 980
    assert sum(n for *_, n in picture.dots) == 2 * 19


def test_nothing_to_draw():
    assert take_pictures(explain(Y, X)._context, ["a"], 0) == ()
    assert take_pictures(explain(Y, X[["a", "c"]])._context, ["b"], 3) == ()
    huge = X[["a", "b"]] * 1e300  # a forest sees no such number
    assert take_pictures(explain(Y, huge)._context, ["b"], 3) == ()
    apart = pd.DataFrame({"a": X["a"].where(Y == 0), "b": X["b"], "d": X["b"].where(Y > 0)})
    assert [one.columns for one in take_pictures(explain(Y, apart)._context, ["b"], 3)] in (
        [],
        [("b", "d")],
        [("d", "b")],
    )

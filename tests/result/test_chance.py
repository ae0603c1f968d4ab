"""Would random rows have done as well?"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyod_explain import WCCM, PyodExplainError, explain
from pyod_explain.datasets import make_planted
from pyod_explain.report import to_text
from pyod_explain.result import Placebo, look_at_chance


@pytest.fixture(scope="module")
def planted():
    return make_planted(600, 2, 40, random_state=0)


def test_real_reasons_beat_the_placebo(planted):
    e = explain(planted.y, planted.X).placebo_test(3)
    assert len(e.summary.placebo.shares_saved) == 3
    assert e.summary.placebo.share_saved == e.share_saved
    assert not e.summary.placebo.by_chance
    assert "k-means" in e.summary.placebo.grouping


def test_random_outliers_are_about_what_chance_gives():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=400), "b": rng.choice(list("uvw"), 400)})
    y = np.zeros(400, dtype=int)
    y[rng.choice(400, 40, replace=False)] = 1
    e = explain(y, X, groups=2).placebo_test(5)
    assert e.summary.placebo.by_chance
    assert "about what chance gives" in " ".join(str(e).split())


def test_the_placebo_groups_as_the_outliers_were_grouped(planted):
    labels = np.minimum(planted.y, 1)
    auto = explain(labels, planted.X).placebo_test(1)
    assert "description length" in auto.summary.placebo.grouping or "together" in auto.summary.placebo.grouping
    three = explain(labels, planted.X, groups=3).placebo_test(1)
    assert three.summary.placebo.grouping == "k-means on the outliers"


def test_the_placebo_needs_normals_enough():
    X = pd.DataFrame({"x": range(10)})
    with pytest.raises(PyodExplainError, match="twice as many normal rows as outliers"):
        explain([1] * 4 + [0] * 6, X).placebo_test()


def test_a_small_saving_is_compared_with_random_rows_unasked():
    X = pd.DataFrame({"amount": [*range(50), 900, 950, 990], "kind": ["a"] * 50 + ["b"] * 3})
    e = explain([0] * 50 + [1] * 3, X)
    assert e.share_saved > 0
    assert not e.summary.certain
    assert len(e.summary.chance.shares_saved) == 19  # what beats them all is given by chance once in 20 times
    assert "does not rule chance out" in " ".join(str(e).split())
    far = explain([0] * 950 + [1] * 50, pd.DataFrame({"x": range(1000)}))
    assert far.summary.certain
    assert far.summary.chance is None
    assert "chance" not in str(far)


def test_a_gain_that_random_rows_show_as_well_is_said_to_be_chance():
    e = explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))
    s = replace(e.summary, chance=Placebo((e.share_saved + 0.1,), e.share_saved, "k-means"))
    for chance in (s, replace(e.summary, placebo=s.chance)):
        assert not chance.explains
        assert "about what chance gives" in " ".join(to_text(chance).split()).split("Group 1")[0]


def test_given_groups_are_dealt_out_anew_to_random_rows(monkeypatch):
    """Six outliers of two given groups; a k-means split of random rows would be another kind of groups."""
    monkeypatch.setattr("pyod_explain.result.validation.MAX_CHANCE_DRAWS", 2)
    X = pd.DataFrame({"amount": [*range(60), 900, 950, 990, -300, -350, -390]})
    e = explain([0] * 60 + [1, 1, 2, 2, 2, 1], X, method=WCCM(weight=5.0))
    looked = look_at_chance(e._context, e.share_saved, random_state=0)
    assert looked.grouping == e.summary.grouping

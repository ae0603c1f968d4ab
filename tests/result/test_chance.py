"""Would random rows have done as well?"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyod_explain import PyodExplainError, explain
from pyod_explain.datasets import make_planted
from pyod_explain.report import to_text
from pyod_explain.result import Placebo


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


def test_the_placebo_needs_normals_enough():
    X = pd.DataFrame({"x": range(10)})
    with pytest.raises(PyodExplainError, match="twice as many normal rows as outliers"):
        explain([1] * 4 + [0] * 6, X).placebo_test()


def test_a_gain_that_random_rows_show_as_well_is_said_to_be_chance():
    e = explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))
    assert e.summary.explains
    s = replace(e.summary, placebo=Placebo((e.share_saved + 0.1,), e.share_saved, "k-means"))
    assert s.by_chance
    assert not s.explains
    assert "about what chance gives" in " ".join(to_text(s).split()).split("Group 1")[0]

"""Plots: drawn on what was given, never shown, and true to the figures."""

import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pyod_explain import Condition, Explanation, PyodExplainError, Tag, explain
from pyod_explain.datasets import make_planted
from pyod_explain.description_length import group_bits
from pyod_explain.exceptions import ParameterError
from pyod_explain.input import as_table, by_content
from pyod_explain.result.validation import deal_folds

mpl.use("Agg")


@pytest.fixture(scope="module")
def explained():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "amount $": rng.gamma(2, 10, 300),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**7, 300), unit="s"),
            "wait": pd.to_timedelta(rng.integers(0, 1000, 300), unit="s"),
            "kind": rng.choice(["web", "shop"], 300),
            "constant": 1.0,
        }
    )
    X.loc[:14, "amount $"] += 200
    X.loc[15:29, "wait"] += pd.Timedelta(days=1)
    X.loc[40:45, "amount $"] = np.nan
    return explain([1] * 15 + [2] * 15 + [0] * 270, X)


@pytest.mark.parametrize("kind", ["coverage", "groups", "pairs"])
def test_each_kind_draws_and_leaves_pyplot_alone(explained, kind, tmp_path):
    before = sys.modules.get("matplotlib.pyplot")
    drawn = explained.plot(kind)
    assert isinstance(drawn, Figure if kind == "pairs" else Axes)
    figure = drawn if kind == "pairs" else drawn.figure
    figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000
    assert sys.modules.get("matplotlib.pyplot") is before


@pytest.mark.parametrize("kind", ["coverage", "groups"])
def test_the_users_axes_are_drawn_on(explained, kind):
    ax = Figure().subplots()
    assert explained.plot(kind, ax=ax) is ax
    assert ax.get_title()


def test_pairs_takes_as_many_axes_as_it_draws(explained):
    figure = Figure()
    axes = figure.subplots(1, 2)
    assert explained.plot("pairs", ax=axes, budget=2) is figure
    assert axes[1].get_xlabel()
    with pytest.raises(ParameterError, match=r"^`ax`"):
        explained.plot("pairs", ax=axes[0], budget=2)


def test_the_coverage_plot_shows_who_is_covered_by_what():
    X = pd.DataFrame({"x": [1, 2, 8, 9, 3, 9]})
    tags = [[Tag.of(Condition("x", ">", 5))], [Tag.of(Condition("x", "==", 9))]]
    ax = explain_by(tags, X, [0, 0, 1, 1, 1, 2]).plot("coverage")
    picture = ax.get_images()[0].get_array()
    assert picture.tolist() == [
        [2, 2, 0, 1],
        [1, 0, 0, 2],
    ]  # in group 1 the explained come first, the most matched of them
    assert ax.get_yticklabels()[0].get_text() == "Group 1: x > 5\n2 outliers, 0 normals"


def test_many_rules_are_counted():
    X = pd.DataFrame({"x": range(60)})
    tags = [Tag.of(Condition("x", ">=", limit)) for limit in range(20, 55)]
    e = explain_by([tags], X, [0] * 20 + [1] * 40)
    assert "5 more rules" in e.plot("coverage").get_title()
    assert len(e.plot("groups").get_yticks()) == 30


def test_without_rules_there_is_nothing_to_draw():
    e = explain([0, 0, 0], pd.DataFrame({"x": [1, 2, 3]}))
    for kind in ("coverage", "groups", "pairs"):
        with pytest.raises(PyodExplainError, match=rf"`plot\('{kind}'\)` has nothing to draw: none of the rows"):
            e.plot(kind)
    with pytest.raises(PyodExplainError, match="`kind` of plot"):
        e.plot("pie")


def test_an_explanation_from_a_file_says_what_it_lacks(explained):
    read = Explanation.from_json(explained.to_json(rows=False))
    assert isinstance(read.plot("groups"), Axes)
    with pytest.raises(PyodExplainError, match="no cells of the rows"):
        read.plot("coverage")
    with pytest.raises(PyodExplainError, match="needs the table"):
        read.plot("pairs")


def test_detail_is_drawn_at_what_rules_of_other_rows_save():
    planted = make_planted(400, 2, 30, noise=0.1, random_state=3)
    X, y = planted.X, (planted.y > 0).astype(int)
    e, table = explain(y, X), as_table(X)
    folds = deal_folds(e._context.groups.numbers, by_content(e._context.table, np.arange(len(X))), 3, 0)
    for detail in (0.0, 0.5):
        bits, named, conditions = 0.0, 0.0, 0
        for fold in range(3):
            train, test = folds != fold, folds == fold
            rules = explain(y[train], X[train].reset_index(drop=True), detail=detail).rules
            said = np.any([np.zeros(len(X), dtype=bool), *(rule.tag.covers(table) for rule in rules)], axis=0)
            size, n_rows = int(y[test].sum()), int(test.sum())
            wrong = int((y[test] & ~said[test]).sum()), int((said[test] & (y[test] == 0)).sum())
            bits += group_bits(missed=wrong[0], normals=wrong[1], foreign=0, size=size, n_rows=n_rows)
            named += group_bits(missed=size, normals=0, foreign=0, size=size, n_rows=n_rows)
            conditions += sum(len(rule.tag) for rule in rules)
        ax = e.plot("detail", details=[detail], n_splits=3)
        assert ax.lines[0].get_xydata().tolist() == [pytest.approx([conditions / 3, bits / named])]
        assert [text.get_text() for text in ax.texts] == [f"{detail:g}"]

"""Nothing is called explained that chance explains as well, and nothing is said that was not tried."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import explain
from pyod_explain.code_lengths import log2_binomial, log_star
from pyod_explain.datasets import make_planted
from pyod_explain.input.read import as_table
from pyod_explain.report.html import to_html
from pyod_explain.report.markdown import to_markdown
from pyod_explain.report.text import to_text
from pyod_explain.result.chance import look_at_chance
from pyod_explain.result.checked import Placebo
from pyod_explain.result.compare import compare
from pyod_explain.tags import Language

# --- noise ------------------------------------------------------------------------------------------------------------


def noise(seed):
    """A table of columns of all kinds, and labels that have nothing to do with it."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([150, 500, 1200]))
    kinds = [
        lambda: rng.normal(size=n),
        lambda: rng.exponential(size=n).round(2),
        lambda: rng.integers(0, 20, n),
        lambda: rng.choice(list("abcdefgh"), n),
        lambda: rng.choice([f"name {i}" for i in range(300)], n),
    ]
    X = pd.DataFrame({f"c{j}": kinds[rng.integers(5)]() for j in range(int(rng.choice([1, 2, 5])))})
    y = np.zeros(n, dtype=int)
    y[rng.choice(n, max(5, int(n * rng.choice([0.02, 0.05, 0.1]))), replace=False)] = 1
    return X, y


@pytest.mark.parametrize("groups", ["auto", 1, 3])
@pytest.mark.parametrize("seed", range(12))
def test_noise_is_not_called_explained(seed, groups):
    X, y = noise(seed)
    e = explain(y, X, groups=groups)
    assert not e.summary.explains
    assert not any(rule.significant for rule in e.rules)
    flat = " ".join(str(e).split())
    assert "explain" not in flat.split("Group 1")[0]
    assert " shorter." not in flat.replace("no shorter.", "") or "about what chance gives" in flat


def test_given_names_of_few_outliers_are_not_memorised():
    """12 of 500 rows with a name each: any five names cover five of them, and tell nothing."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({"name": [f"name {i}" for i in range(500)]})
        y = np.zeros(500, dtype=int)
        y[rng.choice(500, 12, replace=False)] = 1
        e = explain(y, X)
        assert not any(rule.significant for rule in e.rules)
        assert not e.summary.explains


def test_random_groups_are_not_said_to_be_told():
    """Names picked for each of three random groups: the paper's formula, which gets them for nothing, is shorter."""
    shorter = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({"name": rng.permutation([f"name {i}" for i in range(200)])})
        y = np.r_[rng.integers(1, 4, 24), np.zeros(176, dtype=int)]
        s = explain(y, X).summary
        shorter += bool(s.rules) and s.mdl < s.mdl_empty
        assert not s.explains
        assert not s.tells_groups
        assert "tell" not in to_text(s).split("Group 1")[0]
    assert shorter


def test_given_groups_that_the_rules_tell_are_said_to_be_told():
    """Colours tell the three groups from each other; the few normals have all colours."""
    rng = np.random.default_rng(0)
    y = np.r_[np.repeat([1, 2, 3], 60), np.zeros(12, dtype=int)]
    colour = np.r_[np.repeat(list("rgb"), 60), rng.choice(list("rgb"), 12)]
    s = explain(y, pd.DataFrame({"colour": colour}), method="wccm", weight=20.0).summary
    assert s.rules
    assert not s.explains
    assert s.tells_groups
    text = " ".join(to_text(s).split())
    assert "they tell the groups, but not outliers from normal rows" in text
    assert f"Naming each group by itself takes {s.mdl_empty:,.0f} bits, its rules and what they get wrong" in text
    with_one = replace(s, groups=(s.groups[0], *(replace(g, rules=()) for g in s.groups[1:])))
    assert ": it tells the groups" in " ".join(to_text(with_one).split())


# --- bits -------------------------------------------------------------------------------------------------------------


def test_the_bits_of_a_set_are_those_of_the_rules_and_of_the_exceptions_of_their_union():
    planted = make_planted(600, n_groups=2, random_state=1)
    e = explain(planted.y, planted.X)
    covered = np.logical_or.reduce([rule.tag.covers(planted.X) for rule in e.rules])
    outlier = planted.y > 0
    v, u, o, n = (~covered & outlier).sum(), (covered & ~outlier).sum(), outlier.sum(), len(outlier)
    wrong = log_star(v) + log2_binomial(n - covered.sum(), v) + log_star(u) + log2_binomial(covered.sum(), u)
    rules = Language(as_table(planted.X)).bits(rule.tag for rule in e.rules)
    assert e.summary.bits == pytest.approx(float(rules + wrong))
    assert e.summary.bits_named == pytest.approx(float(log_star(o) + log2_binomial(n, o)))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_chance_rarely_saves_bits(seed):
    """The bound behind `Summary.p_value`: whoever is drawn, s bits are saved once in 2**s draws at most."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=40).round(1), "c": rng.choice(list("ab"), 40)})
    y = np.zeros(40, dtype=int)
    y[rng.choice(40, 6, replace=False)] = 1
    s = explain(y, X, groups=1).summary
    assert s.p_value > 2**-20  # fails once in a million runs


def test_a_small_saving_is_compared_with_random_rows_unasked():
    X = pd.DataFrame({"amount": [*range(50), 900, 950, 990], "kind": ["a"] * 50 + ["b"] * 3})
    e = explain([0] * 50 + [1] * 3, X)
    assert e.gain > 0
    assert not e.summary.certain
    assert len(e.summary.chance.gains) == 19  # what beats them all is given by chance once in 20 times
    assert "does not rule chance out" in " ".join(str(e).split())
    far = explain([0] * 950 + [1] * 50, pd.DataFrame({"x": range(1000)}))
    assert far.summary.certain
    assert far.summary.chance is None
    assert "chance" not in str(far)


def test_a_gain_that_random_rows_show_as_well_is_said_to_be_chance():
    e = explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))
    s = replace(e.summary, chance=Placebo((e.gain + 0.1,), e.gain, "k-means"))
    text = " ".join(to_text(s).split())
    assert "1 rule covers 3 of them" in text
    assert "about what chance gives" in text.split("Group 1")[0]
    assert "this is about what chance gives." in text


@pytest.mark.parametrize(
    ("status", "method", "n_tags", "said"),
    [
        ("feasible", "MDL", 7, "The search found none of 7 candidate rules that tells them in fewer bits"),
        ("feasible", "WCCM", 7, "The search (WCCM, refined) chose none of 7 candidate rules."),
        ("optimal", "WCCM", 7, "WCCM chooses none of 7 candidate rules, which is proved to be optimal."),
        ("feasible", "MDL", 0, "No rule came up that could explain them."),
    ],
)
def test_where_nothing_was_chosen_the_report_says_what_was_tried(status, method, n_tags, said):
    e = explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))
    group = replace(e.groups[0], rules=(), n_explained=0, uncovered=e.groups[0].rows)
    s = replace(e.summary, groups=(group,), status=status, method=method, n_tags=n_tags, solver="refined")
    for view in (to_text, to_markdown, to_html):
        text = " ".join(re.sub(r"<[^>]+>", " ", view(s)).replace("\\", "").split())
        assert said in text
        assert ("fewer bits" in text) == (method == "MDL")


def test_where_the_bits_are_not_known_none_are_claimed():
    """As after reading a file of version 0.1.0."""
    e = explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))
    old = replace(e.summary, bits=0.0, bits_named=0.0, bits_groups=0.0, chance=None)
    assert old.p_value == 1
    assert not old.certain
    assert "gain not known" in str(compare(old, e.summary))
    assert "shorter than naming" in to_html(e.summary)
    assert "shorter than naming" not in to_html(old)
    chance = replace(old, placebo=Placebo((0.5,), 0.5, "k-means"))
    assert "(0%), about what chance gives." in " ".join(to_text(chance).split())


def test_no_view_calls_noise_explained():
    X, y = noise(0)
    e = explain(y, X, method="wccm", weight=50.0)
    assert e.rules
    assert not e.summary.explains
    assert " explained" not in str(e.compare(e))
    assert " explained" not in e.plot("coverage").get_title()


def test_a_placebo_that_gains_as_much_counts():
    e = explain([0] * 50 + [1] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990]}))
    assert e.summary.explains
    s = replace(e.summary, placebo=Placebo((e.gain,), e.gain, "k-means"))
    assert not s.explains
    assert "about what chance gives" in to_text(s).split("Group 1")[0].replace("\n", " ")


def test_given_groups_are_dealt_out_anew_to_random_rows():
    """Six outliers of two given groups; a k-means split of random rows would be another kind of groups."""
    X = pd.DataFrame({"amount": [*range(60), 900, 950, 990, -300, -350, -390]})
    e = explain([0] * 60 + [1, 1, 2, 2, 2, 1], X, method="wccm", weight=5.0)
    looked = look_at_chance(e.basis, e.gain, random_state=0)
    assert looked.grouping == e.summary.grouping


@pytest.mark.parametrize("view", [to_text, to_markdown, to_html])
def test_one_row_matches_and_several_match(view):
    e = explain([0] * 50 + [1] * 3 + [2] * 3, pd.DataFrame({"amount": [*range(50), 900, 950, 990, 3, 4, 5]}))
    one = replace(e.groups[0], n_normals=1, n_others=1)
    text = " ".join(view(replace(e.summary, groups=(one, *e.groups[1:]))).replace("\\", "").split())
    assert "1 of 50 normal rows also matches; so does 1 outlier of other groups" in text


def test_a_single_outlier_is_it():
    X = pd.DataFrame({"a": np.random.default_rng(0).integers(1, 90, 60)})
    text = " ".join(str(explain([0] * 30 + [1] + [0] * 29, X)).split())
    assert "as an outlier. The search found none of" in text
    assert "that tells it in fewer bits than naming it takes. Group 1: 1 outlier No rule was found" in text


def test_what_gains_nothing_gains_no_more_than_chance():
    """Whatever the draws lose: rules that save no bits are not said to be beyond chance."""
    assert Placebo((-0.3, -0.2), -0.1, "k-means").by_chance
    assert Placebo((-0.3, 0.0), 0.0, "k-means").by_chance
    assert not Placebo((-0.3, -0.2), 0.1, "k-means").by_chance

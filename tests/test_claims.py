"""Nothing is called explained that chance explains as well, and nothing is said that was not tried."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Tag, explain
from pyod_explain.code_lengths import log2_binomial, log_star
from pyod_explain.datasets import make_planted
from pyod_explain.report.html import to_html
from pyod_explain.report.markdown import to_markdown
from pyod_explain.report.summary import Placebo
from pyod_explain.report.text import to_text
from pyod_explain.table import as_table
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


# --- a language that does not depend on the labels --------------------------------------------------------------------


def test_the_bits_of_all_short_rules_fit_into_one_code():
    """Kraft: the shares 2**-bits of all conditions on a small table add up to at most 1."""
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, np.nan], "c": list("aabcd"), "b": [True, False, True, True, False]})
    language = Language(as_table(X))
    said = [Condition("x", op, t) for op in ("<", ">=") for t in (0.5, 1.5, 2.5, 3.5, 4.5)]
    said += [Condition("x", "between", pair) for pair in itertools.combinations((0.5, 1.5, 2.5, 3.5, 4.5), 2)]
    said += [Condition(name, op) for name in X for op in ("missing", "present")]
    for op in ("==", "!="):
        said += [Condition("x", op, v) for v in (1, 2, 3, 4)]
        said += [Condition("c", op, v) for v in "abcd"]
    said += [Condition("b", "==", True), Condition("b", "==", False)]
    for op in ("in", "not in"):
        said += [Condition("c", op, v) for k in (1, 2, 3, 4) for v in itertools.combinations("abcd", k)]
        said += [Condition("x", op, v) for k in (1, 2, 3, 4) for v in itertools.combinations((1, 2, 3, 4), k)]
    assert 0.3 < sum(2 ** -language.condition_bits(one) for one in said) <= 1
    pair = Tag.of(Condition("x", "<", 1.5), Condition("c", "==", "a"))
    parts = sum(language.condition_bits(one) for one in pair.conditions)
    assert language.rule_bits(pair) == pytest.approx(parts + float(log_star(2)) - 1)


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
    assert 1 <= len(e.summary.chance.gains) <= 9
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

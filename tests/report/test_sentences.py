"""Sentences that several views share: none claims more than was proved or checked."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from by_hand import explain_by

from pyod_explain import Condition, Tag, explain
from pyod_explain.report.sentences import holdout_text, placebo_sentence, proof_sentence, validation_sentence
from pyod_explain.report.text import to_text
from pyod_explain.result.checked import Holdout, Placebo, Validation


def small(y=(0, 0, 0, 0, 1, 1), limit=5):
    X = pd.DataFrame({"x": [1, 2, 3, 4, 8, 9][: len(y)]})
    return explain_by([[Tag.of(Condition("x", ">", limit))]], X, list(y))


def holdouts(e):
    one = Holdout(1, 2, 0, 3, 4)
    return Validation(5, one, tuple(one for _ in e.groups), tuple(one for _ in e.rules))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"status": "optimal", "bound": 10.0, "objective": 10.0},
            "Proved optimal among 1 candidate rule (MDL, refined).",
        ),
        (
            {"bound": 100.0, "objective": 103.1},
            "Proved within 3.1% of the best possible among 1 candidate rule (MDL, refined).",
        ),
        ({"bound": None}, "Found by search among 1 candidate rule (MDL, refined); not proved best."),
        ({"status": "violated"}, "A limit on the uncovered outliers is not met: the MDL refined search ended without."),
        (
            {"bound": 0.0, "objective": 7.0},
            (
                "Found by search among 1 candidate rule (MDL, refined): objective 7, "
                "the best possible is proved to be at least 0."
            ),
        ),
    ],
)
def test_no_more_is_claimed_than_was_proved(changes, sentence):
    assert proof_sentence(replace(small().summary, **changes)) == sentence


def test_validation_and_placebo_are_said_where_they_were_made():
    e = small()
    assert "Not checked on held-out rows" in validation_sentence(e.summary)
    s = replace(e.summary, validation=holdouts(e), placebo=Placebo((0.1, 0.2), 0.6, "k-means"))
    text = re.sub(r"\s+", " ", to_text(s))
    assert "On rows kept aside while the rules were found (5 folds): 33% of the outliers covered, precision 33%" in text
    assert "held out: 1 of 3 covered, precision 33%; found in 4 of 5 folds" in text
    assert "give a gain of 15% (2 draws), the outliers 60%: chance does not explain it." in text
    assert "held out figures on rows" in text
    assert placebo_sentence(Placebo((0.145, 0.14), 0.148, "x")).endswith("about what chance gives.")
    assert placebo_sentence(Placebo((0.3,), 0.2, "x")).endswith("about what chance gives.")
    assert float(Placebo((0.1, 0.2), 0.6, "k-means")) == pytest.approx(0.15)


def test_a_rule_that_was_not_found_again_gets_no_figures():
    assert holdout_text(Holdout(0, 0, 0, 0, 0), 5) == "held out: not found again in any of 5 folds"
    assert holdout_text(Holdout(0, 0, 0, 7, 2), 5) == "held out: 0 of 7 covered, no row matches; found in 2 of 5 folds"


def test_without_a_rule_there_is_nothing_to_check_elsewhere():
    nothing = explain([0, 0, 1], pd.DataFrame({"x": [1, 1, 1]}))
    assert not nothing.rules
    assert "held-out" not in str(nothing)
    assert "held-out" not in nothing.to_html()
    assert "held-out" not in nothing.to_markdown()

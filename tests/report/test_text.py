"""The text report: what is printed is true, in 80 columns, in good English."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Tag, explain
from pyod_explain.report.markdown import to_markdown
from pyod_explain.report.sentences import holdout_text, placebo_sentence, proof_sentence, validation_sentence
from pyod_explain.report.text import to_text
from pyod_explain.result.summary import Holdout, Placebo, Validation
from pyod_explain.result.words import number, p_text, percent, short_value

SOME = settings(max_examples=60, deadline=None)


def small(y=(0, 0, 0, 0, 1, 1), limit=5):
    X = pd.DataFrame({"x": [1, 2, 3, 4, 8, 9][: len(y)]})
    return explain_by([[Tag.of(Condition("x", ">", limit))]], X, list(y))


@SOME
@given(explanations())
def test_no_line_is_longer_than_80_columns_and_none_moves_the_cursor(made):
    _, _, e = made
    for text in (str(e), str(replace(e, summary=replace(e.summary, validation=holdouts(e))))):
        assert all(len(line) <= 80 for line in text.splitlines())
        assert all(c.isprintable() for c in text.replace("\n", ""))


def holdouts(e):
    one = Holdout(1, 2, 0, 3, 4)
    return Validation(5, one, tuple(one for _ in e.groups), tuple(one for _ in e.rules))


@SOME
@given(explanations())
def test_the_printed_counts_are_those_of_the_table(made):
    """Every line of counts, in order, against the rules evaluated on the table once more."""
    frame, y, e = made
    y = np.asarray(y)
    flat = re.sub(r"\s+", " ", str(e))
    printed = re.findall(r"([\d,]+) outliers? of [\d,]+, ([\d,]+) normal rows?", flat)
    shown = [rule for group in e.groups for rule in group.rules[:5]]
    expected = []
    for rule in shown:
        covered = rule.tag.covers(frame)
        expected.append((str((covered & (y == rule.group)).sum()), str((covered & (y == 0)).sum())))
    assert printed == expected


@SOME
@given(explanations())
def test_the_counts_in_markdown_are_those_of_the_table(made):
    frame, y, e = made
    y = np.asarray(y)
    lines = [re.split(r"(?<!\\)\|", line) for line in e.to_markdown().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line] for line in lines if line[1].strip() not in ("Rule", "---")]
    assert len(cells) == len(e.rules)
    for line, rule in zip(cells, e.rules, strict=True):
        covered = rule.tag.covers(frame)
        assert line[2:4] == [str((covered & (y == rule.group)).sum()), str((covered & (y == 0)).sum())]


def test_the_whole_report():
    text = str(small())
    assert text == (
        "The labelling marks 2 of 6 rows (33%) as outliers. 1 rule covers 2 of them\n"
        "(100%) and matches 0 of the 4 normal rows (0%), but naming the outliers takes\n"
        "fewer bits.\n"
        "\n"
        "Group 1: 2 outliers\n"
        "  2 of 2 covered (100%); 0 of 4 normal rows also match.\n"
        "  if x > 5\n"
        "       2 outliers of 2, 0 normal rows; precision 100%; no normal row matches;\n"
        "       not significant\n"
        "\n"
        "Every outlier is covered.\n"
        "Naming every outlier takes 6 bits, the rules and what they get wrong 9: no\n"
        "  shorter.\n"
        "Found by search among 1 candidate rule (MDL, refined); not proved best.\n"
        "Not checked on held-out rows: explanation.validate() adds it.\n"
        "\n"
        "precision        share of the matching rows that belong to the group\n"
        "not significant  chance gives such a rule easily: many could be tried\n"
        "bits             length of the shortest message that names the outliers"
    )


def test_singular_and_plural():
    text = str(small(y=(0, 0, 0, 0, 0, 1)))
    assert "1 outlier of 1, 1 normal row; precision 50%; lift 5" in text
    assert "1 of 5 normal rows also matches." in text
    X = pd.DataFrame({"x": [1, 2, 8, 9, 9]})
    two = explain_by([[Tag.of(Condition("x", ">", 8))], [Tag.of(Condition("x", ">", 5))]], X, [0, 0, 2, 1, 1])
    assert "so do 2 outliers of other groups." in re.sub(r"\s+", " ", str(two))
    X = pd.DataFrame({"x": [1, 2, 8, 9]})
    one = explain_by([[Tag.of(Condition("x", ">", 8))], [Tag.of(Condition("x", ">", 5))]], X, [0, 0, 2, 1])
    assert "so does 1 outlier of other groups." in re.sub(r"\s+", " ", str(one))
    assert "Left uncovered: 1 outlier (row 5)." in str(small(y=(0, 0, 0, 0, 0, 1), limit=10))


def test_at_most_five_rules_a_group_and_the_rest_counted():
    X = pd.DataFrame({"x": range(20)})
    tags = [Tag.of(Condition("x", ">=", limit)) for limit in range(10, 17)]
    text = str(explain_by([tags], X, [0] * 10 + [1] * 10))
    assert text.count(" normal rows; precision") == 5
    assert "... and 2 more rules (to_frame() has them all)" in text


def test_at_most_twenty_groups():
    X = pd.DataFrame({"x": range(30)})
    text = str(explain_by([[] for _ in range(25)], X, [0] * 5 + list(range(1, 26))))
    assert text.count("No rule was found that tells this group in fewer bits") == 20
    assert "... and 5 more groups" in text
    assert "Left uncovered: 25 outliers (rows 5, 6, 7, 8, 9, 10, 11, 12, ...)." in text
    assert "No rule came up that could explain them." in re.sub(r"\s+", " ", text)
    assert "shorter" not in text


def test_rows_that_are_neither_are_mentioned():
    X = pd.DataFrame({"x": [1, 2, 3, 4, 8, 9]})
    e = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [-1, 0, 0, 0, 1, 1])
    assert "1 row the detector calls neither normal nor outlier; left out." in str(e)


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


def test_names_cannot_break_the_report():
    X = pd.DataFrame({"a\nb\x1b[31m": [1, 2, 9], "y" * 200: [1, 2, 9]})
    tags = [Tag.of(Condition("a\nb\x1b[31m", ">", 5)), Tag.of(Condition("y" * 200, ">", 5))]
    text = str(explain_by([tags], X, [0, 0, 1]))
    assert r"a\nb\x1b[31m > 5" in text
    assert max(len(line) for line in text.splitlines()) <= 80


HOSTILE = st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Ll"]), min_size=1, max_size=12)


@SOME
@given(HOSTILE, st.sampled_from(["detector", "grouping", "method", "solver", "notes", "name", "label"]))
def test_no_text_wherever_it_stands_moves_the_cursor(text, where):
    """An explanation may have been read from a file that somebody else wrote."""
    labels = pd.Index(["a", "b", "c", "d", "e", "f", "g", text], dtype=object)  # Arrow has no lone surrogates
    X = pd.DataFrame({"x": [1, 2, 3, 4, 8, 9, 3, 2]}, index=labels)
    rules = [Tag.of(Condition("x", ">", 5))]
    e = explain_by([rules, rules], X, [0, 0, 0, 0, 1, 2, 0, 2])  # the last row is left unexplained
    if where == "name":
        summary = replace(e.summary, groups=tuple(replace(group, name=text) for group in e.groups))
    elif where == "label":
        summary = e.summary
    else:
        summary = replace(e.summary, **{where: (text,) if where == "notes" else text})
    for s in (summary, replace(summary, groups=())):
        assert [c for c in to_text(s).replace("\n", "") if not c.isprintable()] == []


def test_markdown():
    e = small()
    text = to_markdown(replace(e.summary, validation=holdouts(e), placebo=Placebo((0.1,), 0.6, "k")), rows=True)
    assert "| x \\> 5 | 2 | 0 | 0 | 100% | 100% | infinite | **no** | 33% | 33% | 4 of 5 |" in text
    assert "Every outlier is covered." in text
    assert "Placebo" in text
    assert "**FUO**" in text
    left = small(y=(0, 0, 0, 0, 0, 1), limit=10).to_markdown(rows=True)
    assert "1 outlier: 5." in left
    assert "1 outlier." in small(y=(0, 0, 0, 0, 0, 1), limit=10).to_markdown()
    none = replace(holdouts(e), rules=(Holdout(0, 0, 0, 0, 0),))
    assert "|  |  | 0 of 5 |" in to_markdown(replace(e.summary, validation=none))
    X = pd.DataFrame({"x": [1, 2, 3]})
    assert "Nothing to explain" in explain([0, 0, 0], X).to_markdown()
    two = explain_by([[Tag.of(Condition("x", ">", 1))], []], X, [0, 1, 2]).to_markdown()
    assert "No rule was found that tells this group in fewer bits" in two
    assert "so does 1 outlier of other groups" in two


def test_numbers_are_written_for_people():
    assert percent(1) == "100%"
    assert percent(3.5) == "350%"
    assert percent(0.995) == "99.5%"
    assert number(-np.inf) == "minus infinite"
    assert number(123456.7) == "123,457"
    assert p_text(0.003) == "p = 0.003"
    assert short_value(12345.678) == "12,346"
    assert short_value(1e20) == "1e+20"
    assert short_value(pd.Timestamp("2024-01-02")) == "2024-01-02"
    assert short_value(pd.Timedelta("1 day")) == "1 days 00:00:00"


def test_without_a_rule_there_is_nothing_to_check_elsewhere():
    nothing = explain([0, 0, 1], pd.DataFrame({"x": [1, 1, 1]}))
    assert not nothing.rules
    assert "held-out" not in str(nothing)
    assert "held-out" not in nothing.to_html()
    assert "held-out" not in nothing.to_markdown()

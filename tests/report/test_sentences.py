"""Sentences that several views share: none claims more than was proved or checked."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, holdouts, small

from pyod_explain import Condition, Tag, explain
from pyod_explain.explanation import with_summary
from pyod_explain.report import to_text
from pyod_explain.report.sentences import headline, headline_text, placebo_sentence, proof_sentence
from pyod_explain.result import Holdout, Placebo, Validation


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        ({"status": "optimal", "bound": 10.0, "objective": 10.0}, "Proved optimal among 1 candidate rule"),
        ({"bound": 100.0, "objective": 103.1}, "Proved within 3.1% of the best possible"),
        ({"bound": None}, "Found by search among 1 candidate rule"),
        ({"status": "violated"}, "A limit on the uncovered outliers is not met"),
        ({"bound": 0.0, "objective": 7.0}, "Found by search among 1 candidate rule"),
    ],
)
def test_no_more_is_claimed_than_was_proved(changes, start):
    assert proof_sentence(replace(small().summary, **changes)).startswith(start)


def test_a_search_that_found_nothing_is_not_said_to_have_found_it():
    s = small().summary
    s = replace(s, groups=tuple(replace(group, rules=()) for group in s.groups), bound=None)
    assert "Found by search" not in to_text(s)


def test_validation_and_placebo_are_said_where_they_were_made():
    e = small()
    s = replace(e.summary, validation=holdouts(e), placebo=Placebo((0.1, 0.2), 0.6, "k-means"))
    text = re.sub(r"\s+", " ", to_text(s))
    assert "33% of the outliers covered, precision 33%" in text
    assert "held out: found again in 4 of 5 folds" in text
    assert "give a gain of 15% (2 draws), the outliers 60%" in text
    assert placebo_sentence(Placebo((0.3,), 0.2, "x"), s).endswith("about what chance gives.")


@pytest.mark.parametrize("labels", [[0, 0, 0, -2, 1, 1], [0, 0, 0, -2, 0, 0]])
def test_rows_that_were_left_out_are_told_in_every_view(labels):
    e = explain(np.array(labels), pd.DataFrame({"x": [1, 2, 3, 4, 8, 9]}))
    for view in (str(e), e.to_markdown(), e.to_html(), e._repr_html_()):
        assert "Excluded: 1 row" in view


def test_without_a_rule_there_is_nothing_to_check_elsewhere():
    nothing = explain([0, 0, 1], pd.DataFrame({"x": [1, 1, 1]}))
    assert not nothing.rules
    assert not any("held-out" in view for view in (str(nothing), nothing.to_html(), nothing.to_markdown()))


def test_outliers_of_other_groups_are_no_errors_where_groups_were_made():
    """The rule line says what the headline says: 7 of 10 matching rows are outliers, not 1 of 10."""
    X = pd.DataFrame({"x": [1, 2] * 20 + [9] * 3 + [8] + [9] * 6, "y": [0] * 43 + [5] + [0] * 6})
    one, two = Tag.of(Condition("x", ">", 5)), Tag.of(Condition("x", "==", 9))
    e = explain_by([[two], [one]], X, [0] * 43 + [2] + [1] * 6)
    held = Holdout(1, 3, 6, 1, 5)
    check = Validation(5, held, (Holdout(6, 3, 0, 6, 5), held), (Holdout(6, 3, 0, 6, 5), held))
    for made, right in ((True, "70%"), (False, "10%")):
        told = with_summary(e, groups_made=made, validation=check)
        text = " ".join(str(told).split())
        assert f"Held out, {'7' if made else 'only 1'} of 10 rows that match" in told.headline
        assert text.count(f"1 outlier, 3 normal rows, 6 other outliers; precision {right}") == 2
        assert f"<span>{right} <small>6 of others</small></span>" in told.to_html()
        line = next(line for line in told.to_markdown().splitlines() if line.startswith(r"| x \> 5"))
        assert line.endswith(f"| 6 | {right} | 100% | 5 of 5 |")
        frame = told.to_frame()
        assert [f"{value:.0%}" for value in (frame.precision[1], frame.holdout_precision[1])] == [right] * 2


def verdicts():
    """Summaries with all combinations of what may speak for or against their rules."""
    e = explain([1] * 40 + [0] * 400, pd.DataFrame({"x": [5] * 40 + [0] * 400}))
    s, [rule] = e.summary, e.rules
    good, bad = Holdout(36, 4, 0, 40, 5), Holdout(0, 30, 0, 40, 5)
    for saved, p_value, normals, held, placebo in itertools.product(
        (0.5, -0.1), (1e-9, 0.05, 1.0), (0, 120), (None, good, bad), (None, 0.0, 0.6)
    ):
        told = replace(rule, p_value=p_value, n_normals=normals)
        yield replace(
            s,
            bits=s.bits_named * (1 - saved),
            n_normals_matched=normals,
            groups=(replace(s.groups[0], rules=(told,), n_normals=normals),),
            validation=None if held is None else Validation(5, held, (held,), (held,)),
            placebo=None if placebo is None else Placebo((placebo,), saved, "k-means"),
        )


def test_no_two_statements_contradict():
    seen = set()
    for s in verdicts():
        text = " ".join(to_text(s).split())
        first = headline(s)
        significant = s.rules[0].p_value < 0.05
        held = s.validation is None or s.validation.whole.n_outliers > 0
        by_placebo = s.placebo is not None and max(*s.placebo.shares_saved, 0.0) >= s.share_saved
        assert s.explains == (s.share_saved > 0 and significant and held and not by_placebo)
        assert s.by_chance == (not significant or by_placebo)
        assert ("explain" in text) == (s.explains and s.n_normals_matched < 40)
        low = s.n_normals_matched == 120, s.validation is not None and not held
        only = re.search(r"Only 25% of the matching rows are outliers( \(held out: \d+%\))?: 1 rule covers", first)
        assert (only is not None) == low[0]
        assert ("Held out, none of the matching rows are outliers: 1" in first) == (low[1] and not low[0])
        assert headline_text(s).splitlines()[1].partition(": ")[2].startswith("40 outliers") == (not any(low))
        assert (
            ("not significant" in text) == ("Not statistically significant." in headline_text(s)) == (not significant)
        )
        assert ("shorter)" in text) == (s.share_saved > 0 or "no shorter)" in text)
        assert (", not statistically significant." in first) == (s.share_saved > 0 and not significant)
        assert (", but not on rows kept aside." in first) == (s.share_saved > 0 and not s.by_chance and not held)
        if "about what chance gives" in first:
            assert by_placebo
        if s.explains:
            assert not re.search("chance|not significant|takes less|no shorter", text)
        seen.add((s.explains, first))
    assert len(seen) >= 8

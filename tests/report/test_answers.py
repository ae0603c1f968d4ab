"""The answer: true to the table, in few words, with one and with many."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations, small
from hypothesis import given, settings

from pyod_explain import Condition, Explanation, Tag, explain
from pyod_explain.exceptions import ParameterError
from pyod_explain.explanation import with_summary
from pyod_explain.report.sentences import answer_group


@settings(max_examples=100, deadline=None)
@given(explanations())
def test_every_number_of_the_answer_is_counted_in_the_table(made):
    frame, y, e = made
    y = np.asarray(y)
    for group in e.groups:
        said = answer_group(group, e.summary)
        if not group.rules:
            assert re.search(r"^(\d+) outliers?, and no rule", said.description)[1] == str((y == group.number).sum())
            continue
        covers = [rule.tag.covers(frame) for rule in group.rules]
        own, any_of = covers[0] & (y == group.number), np.logical_or.reduce(covers)
        assert said.description.startswith(f"{own.sum()} outlier{'' if own.sum() == 1 else 's'} with ")
        added = re.search(r"more rules? adds? (\d+|none)", said.description)
        assert (added is None) == (len(group.rules) == 1)
        if added:
            assert int(added[1].replace("none", "0")) == (any_of & (y == group.number)).sum() - own.sum()
        left = re.search(r"; (\d+) of (\d+) (?:is|are) left", said.description)
        missed = ((y == group.number) & ~any_of).sum()
        assert (left is None) == (missed == 0)
        if left:
            assert (int(left[1]), int(left[2])) == (missed, (y == group.number).sum())
        right = (any_of & (y == group.number if len(e.groups) > 1 else y > 0)).sum()
        n, note = any_of.sum(), said.precision_note
        some = f"{'Only ' if 2 * right < n else ''}{right} of {n} rows that match"
        all_or_none = f"None of the {n} rows" if n > 1 else f"The only row that matches is {'' if right else 'not '}"
        assert note.startswith("No row matches." if not n else some if right and n > 1 else all_or_none)
        assert said.weak == (2 * right < n or not n)
        assert said.text.startswith(f"{group.title}: {note if said.weak else said.description}")


def test_groups_get_the_names_that_the_user_gives():
    X = pd.DataFrame({"x": [1, 2, 8, 9, 9]})
    e = explain_by([[Tag.of(Condition("x", ">", 5))], []], X, [0, 0, 1, 1, 2])
    named = e.rename({1: "large ones"})
    assert [group.name for group in named.groups] == ["large ones", "2"]
    assert [group.name for group in e.groups] == ["1", "2"]
    for view in (named.headline, str(named), named.to_html(), named.to_markdown().replace("\\", "")):
        assert "Group 1 (large ones)" in view
    assert Explanation.from_json(named.to_json()) == named
    assert named.rename({1: ""}) == e
    for names in ({3: "a"}, {1: 5}, ["a"]):
        with pytest.raises(ParameterError, match=r"^`names`"):
            e.rename(names)


def test_the_headline_has_a_line_a_group_whatever_is_in_the_names():
    e = explain([0] * 50 + [1] * 3, pd.DataFrame({"a\nb": [*range(50), 900, 950, 990]}))
    verdict, line = e.rename({1: "large\n\x1b[31mones"}).headline.split("\n")
    assert verdict.isprintable()
    assert line.startswith("Group 1 (large\\n\\x1b[31mones): 3 outliers with a\\nb")


@pytest.mark.parametrize(("least", "said"), [(0, "is 0"), (-1, "is 0 or less")])
def test_a_limit_at_the_least_value_is_shown_as_that_value(least, said):
    X = pd.DataFrame({"x": [0, 0, least, 5, 6, 7]})
    e = explain_by([[Tag.of(Condition("x", "<=", 0))]], X, [1, 1, 1, 0, 0, 0])
    assert e.rules[0].text == "x is 0 or less"  # of any table
    assert f"with x {said.removeprefix('is ')}." in e.headline
    for view, text in ((str(e), f"  if x {said}\n"), (e.to_markdown(), f"| x {said} |"), (e.to_html(), f">x {said}<")):
        assert text in view
    assert str(Explanation.from_json(e.to_json())) == str(e)


def test_a_test_that_marks_the_outliers_is_said_as_one():
    e = with_summary(small(), outlier_test="status != ok")
    assert "2 of 6 rows" in e.headline
    assert "those where status != ok." in e.headline
    assert Explanation.from_json(e.to_json()) == e


def test_very_long_values_are_shortened_and_moments_have_all_or_none_a_time_of_day():
    when = [*pd.date_range("2024-01-01", periods=50, freq="D"), *pd.date_range("2024-06-01 07:00", periods=5, freq="h")]
    e = explain([0] * 50 + [1] * 5, pd.DataFrame({"when": when}))
    assert not re.search(r"\d\d:\d\d", e.headline)
    [rule] = e.rules
    timed = replace(rule, tag=Tag.of(Condition("when", ">=", when[50])))
    e = with_summary(e, groups=(replace(e.groups[0], rules=(timed,)),))
    assert len(re.findall(r"\d\d:\d\d:\d\d", e.headline)) == 1
    long = explain([0] * 50 + [1] * 5, pd.DataFrame({"text": ["a" * 5000] * 50 + ["b" * 5000] * 5}))
    assert len(long.headline) < 500
    assert long.rules[0].text == f"text is '{'b' * 5000}'"

"""The answer: true to the table, in few words, with one and with many."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations, holdouts, small
from hypothesis import given, settings

from pyod_explain import Condition, DatePart, Explanation, GivenTags, PyodExplainError, Relation, Tag, explain
from pyod_explain.explanation import with_summary
from pyod_explain.report import answer_group, headline_text
from pyod_explain.result import Holdout, Validation


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
        added = re.search(r"more rules? adds? (\d+)", said.description)
        assert (added is None) == (len(group.rules) == 1)
        if added:
            assert int(added[1]) == (any_of & (y == group.number)).sum() - own.sum()
        left = re.search(r"; (\d+) of (\d+) (?:is|are) left", said.description)
        missed = ((y == group.number) & ~any_of).sum()
        assert (left is None) == (missed == 0)
        if left:
            assert (int(left[1]), int(left[2])) == (missed, (y == group.number).sum())
        sure = re.match(r"(\d+) of (\d+) rows? that", said.precision_note)
        if sure:
            right = y == group.number if len(e.groups) > 1 else y > 0
            assert (int(sure[1]), int(sure[2])) == ((any_of & right).sum(), any_of.sum())
        else:
            assert said.precision_note.startswith("No row matches.")
            assert not any_of.any()
        assert said.key_column.startswith("Look first at ")


def test_the_headline_is_the_verdict_and_a_line_a_group():
    X = pd.DataFrame({"amount": [*range(50), 900, 950, 990], "kind": ["web"] * 50 + ["shop"] * 3})
    e = explain([0] * 50 + [1] * 3, X)
    assert e.headline.splitlines() == [
        (
            "The labelling marks 3 of 53 rows (5.7%) as outliers. 1 rule explains 3 of them (100%) and matches 0 of "
            "the 50 normal rows (0%)."
        ),
        (
            "Group 1: 3 outliers with amount 500 or more. 3 of 3 rows that match are outliers. "
            "Look first at amount: median 950 in the group, normally 24.5."
        ),
    ]
    assert isinstance(e.validate(2).headline, str)
    said = "Held out, by rules found anew, 1 of 1 row that matches is an outlier; 33% of the group matches."
    assert said in e.validate(2).headline
    assert explain([0] * 53, X).headline.startswith("Nothing to explain")
    assert Explanation.from_json(e.to_json()).headline == e.headline


def test_held_out_figures_take_the_place_of_the_others():
    e = small()
    s = replace(e.summary, validation=holdouts(e))
    assert answer_group(e.groups[0], s).precision_note.startswith(
        "Held out, by rules found anew, 1 of 3 rows that match is"
    )
    for one, said in (
        (Holdout(0, 0, 0, 2, 5), "Held out, no row matches."),
        (Holdout(1, 0, 0, 2, 5), "Held out, 1 of 1 row that matches is an outlier; 50% of the group matches."),
        (Holdout(60, 40, 0, 99, 5), "Held out, 60% of the rows that match are outliers; 61% of the group matches."),
    ):
        s = replace(e.summary, validation=Validation(5, one, (Holdout(9, 9, 9, 9, 5),), (one,)))
        assert answer_group(e.groups[0], s).precision_note == f"{said} Not statistically significant."
    all_rules = Holdout(1, 3, 0, 2, 5)
    s = replace(e.summary, validation=Validation(5, one, (all_rules,), (Holdout(1, 0, 0, 1, 3),)))  # not in every fold
    said = "Held out, by rules found anew, 1 of 4 rows that match is an outlier; 50% of the group matches."
    assert answer_group(e.groups[0], s).precision_note == f"{said} Not statistically significant."


def test_of_given_groups_it_is_told_who_is_in_the_group():
    X = pd.DataFrame({"x": [1, 2, 8, 9, 9]})
    e = explain_by([[Tag.of(Condition("x", ">", 5))], [Tag.of(Condition("x", "==", 9))]], X, [0, 0, 1, 1, 2])
    assert answer_group(e.groups[0], e.summary).precision_note.startswith("2 of 3 rows that match are of this group.")
    made = replace(e.summary, groups_made=True)
    assert answer_group(e.groups[0], made).precision_note.startswith("3 of 3 rows that match are outliers.")


@pytest.mark.parametrize(
    ("condition", "phrase"),
    [
        (Condition("x", ">", 410), "x above 410"),
        (Condition("x", "<", 5), "x below 5"),
        (Condition("x", "<=", 5), "x 5 or less"),
        (Condition("x", "between", (1, 5)), "x from 1 to 5"),
        (Condition("t", ">", pd.Timestamp("2024-05-01")), "t after 2024-05-01"),
        (Condition("t", "<", pd.Timestamp("2024-05-01 07:30")), "t before 2024-05-01 07:30:00"),
        (Condition("t", "<=", pd.Timestamp("2024-05-01")), "t until 2024-05-01"),
        (Condition(DatePart("t", "weekday"), "in", (5, 6)), "weekday of t Saturday or Sunday"),
        (Condition(DatePart("t", "hour"), "<", 5), "hour of t below 5"),
        (Condition("c", "!=", "a"), "c other than 'a'"),
        (Condition("c", "in", ["a", "c"]), "c 'a' or 'c'"),
        (Condition("c", "in", list("abcde")), "c one of 5 values"),
        (Condition("c", "not in", ["a", "b"]), "c none of 'a', 'b'"),
        (Condition("c", "rare", ["a", "b"]), "c none of 2 common values"),
        (Condition("c", "missing"), "c missing"),
        (Condition("c", "present"), "c not missing"),
        (Condition("c", "contains", "vip"), "'vip' among c"),
    ],
)
def test_conditions_as_phrases(condition, phrase):
    assert condition.phrase() == phrase


def test_signs_are_those_of_the_condition_and_never_of_a_value():
    assert Condition("a >= b", ">=", 3).signs == "a >= b ≥ 3"
    assert Condition("x", "<=", 0.5).signs == "x ≤ 0.5"
    assert Condition("x", "between", (1, 2)).signs == "1 ≤ x ≤ 2"
    assert Condition("x", "==", "<= 3").signs == "x is '<= 3'"
    assert Condition("x", "<=", 3).signs == str(Condition("x", "<=", 3)) == "x is at most 3"


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
    for names, said in (
        ({3: "a"}, "by numbers of groups, 1 to 2, got 3"),
        ({1: 5}, "must be texts, got 5 for group 1"),
        (["a"], "must be names by the numbers"),
    ):
        with pytest.raises(PyodExplainError, match=said):
            e.rename(names)


def test_one_and_none_are_told_as_such():
    X = pd.DataFrame({"x": [*range(60), 900]})
    one = explain_by([[Tag.of(Condition("x", ">", 500))]], X, [0] * 60 + [1])
    assert "1 rule covers it and matches 0 of the 60 normal rows (0%), but to name it takes less." in one.headline
    assert "1 of 1 row that matches is an outlier. Not statistically significant." in one.headline
    none = explain_by([[Tag.of(Condition("x", ">", 5_000))]], X, [0] * 60 + [1])
    assert "1 rule covers nothing of it and matches" in none.headline
    assert "0 outliers with x above 5000; 1 of 1 is left uncovered. No row matches. Look first" in none.headline
    text = re.sub(r"<[^>]*>", " ", none.to_html(rows=True))
    assert "Row 60." in text
    assert "outlier, 1.6% of 61 rows" in text


def test_of_many_groups_twenty_are_told():
    X = pd.DataFrame({"x": range(30)})
    e = explain_by([[] for _ in range(25)], X, [0] * 5 + list(range(1, 26)))
    text = headline_text(e.summary)
    assert text.count("1 outlier, and no rule that tells it more shortly than a list.") == 20
    assert text.endswith("... and 5 more groups.")
    assert "... and 5 more groups" in e.to_markdown()


def test_the_headline_has_a_line_a_group_whatever_is_in_the_names():
    e = explain([0] * 50 + [1] * 3, pd.DataFrame({"a\nb": [*range(50), 900, 950, 990]}))
    verdict, line = e.rename({1: "large\n\x1b[31mones"}).headline.split("\n")
    assert verdict.startswith("The labelling marks 3 of 53 rows")
    assert line.startswith("Group 1 (large\\n\\x1b[31mones): 3 outliers with a\\nb 500 or more.")


def test_labels_in_a_column_are_what_to_look_at():
    X = pd.DataFrame({"topics": [["a", "b"]] * 50 + [["a", "fire"]] * 5})
    e = explain([0] * 50 + [1] * 5, X, tags=GivenTags("topics"))
    assert e.headline.endswith("Look first at topics: 'fire' in 100% of the group, normally in 0%.")


@pytest.mark.parametrize(
    ("conditions", "phrase"),
    [
        ([("w", ">=", 900), ("w", "<=", 950)], "w from 900 to 950"),
        ([("w", ">=", 900), ("w", "<=", 900)], "w 900"),
        ([("w", ">=", 900), ("v", "<=", 2)], "v 2 or less and w 900 or more"),
        ([("w", ">", 900), ("w", "<=", 950)], "w above 900 and at most 950"),
        ([("t", ">=", 2, "hour"), ("t", "<=", 4, "hour"), ("w", "==", 3)], "hour of t from 2 to 4 and w 3"),
    ],
)
def test_two_ends_are_said_as_an_interval(conditions, phrase):
    e = explain([0] * 50 + [1] * 3, pd.DataFrame({"w": [*range(50), 900, 950, 990]}))
    assert replace(e.rules[0], tag=Tag.of(*(Condition(*one) for one in conditions))).phrase == phrase


def test_a_very_long_value_does_not_drown_the_answer():
    X = pd.DataFrame({"text": ["a" * 5000] * 50 + ["b" * 5000] * 5})
    e = explain([0] * 50 + [1] * 5, X)
    assert f"5 outliers with text 'bbbb{'b' * 73}…'. " in e.headline
    assert len(e.headline) < 500
    assert e.rules[0].text == f"text is '{'b' * 5000}'"


@pytest.mark.parametrize("name", ["0", "", " ", "2024-05", "$"])
def test_a_column_whose_name_is_no_word_is_called_a_column(name):
    X = pd.DataFrame({name: [*range(50), 900, 950, 990]})
    line = explain([0] * 50 + [1] * 3, X).headline.splitlines()[1]
    assert line.startswith(f"Group 1: 3 outliers with column {name!r} 500 or more. ")
    assert f"Look first at column {name!r}: median 950" in line


def test_relations_and_hours_of_such_columns_are_named_too():
    assert Condition(Relation("1", "-", "b"), ">", 5).phrase() == "column '1' - b above 5"
    assert Condition(DatePart("7", "hour"), "<=", 4).phrase() == "hour of column '7' 4 or less"


@pytest.mark.parametrize("name", [" ", "\t\n", "\u2003"])
def test_a_name_that_nobody_sees_is_refused(name):
    with pytest.raises(PyodExplainError, match=r"must be names that are seen, got .* for group 1"):
        small().rename({1: name})


def test_moments_that_stand_together_have_all_or_none_a_time_of_day():
    when = [*pd.date_range("2024-01-01", periods=50, freq="D"), *pd.date_range("2024-06-01 07:00", periods=5, freq="h")]
    X = pd.DataFrame({"when": when})
    e = explain([0] * 50 + [1] * 5, X)
    said = "median 2024-06-01 09:00 in the group, normally 2024-01-25 12:00."
    assert said in e.headline
    days = X.assign(when=X["when"].dt.normalize())
    days.loc[50:, "when"] = pd.date_range("2024-06-01", periods=5)
    e = explain([0] * 50 + [1] * 5, days)
    assert "median 2024-06-03 in the group, normally 2024-01-25." in e.headline
    assert not re.search(r"\d\d:\d\d", e.to_html().partition("How it was made")[0])
    mixed = X.assign(when=X["when"].where(X.index < 50, X["when"] + pd.Timedelta("17h")))  # from midnight on
    page = explain([0] * 50 + [1] * 5, mixed).to_html()
    assert "median 2024-06-02 02:00, normally 2024-01-25 12:00" in page
    assert ">2024-01-03 00:00<" in page  # the end of the line, beside what has a time


def test_a_test_that_marks_the_outliers_is_said_as_one():
    e = with_summary(small(), outlier_test="status != ok")
    assert e.headline.startswith("2 of 6 rows (33%) are outliers: those where status != ok. 1 rule covers 2 of them")
    assert Explanation.from_json(e.to_json()) == e
    several = replace(e.summary, groups=e.summary.groups * 2)
    assert headline_text(several).startswith("4 of 6 rows (67%) are outliers, in 2 groups: those where status != ok.")

"""The report as text and Markdown: the counts are true, and no name breaks either."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
from by_hand import explain_by, explanations, holdouts
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Tag
from pyod_explain.report import to_text

SOME = settings(max_examples=60, deadline=None)


@SOME
@given(explanations())
def test_no_line_is_longer_than_80_columns_and_none_moves_the_cursor(made):
    _, _, e = made
    for text in (str(e), str(replace(e, summary=replace(e.summary, validation=holdouts(e))))):
        assert all(len(line) <= 80 for line in text.splitlines())
        assert all(c.isprintable() for c in text.replace("\n", ""))


@SOME
@given(explanations())
def test_the_printed_counts_are_those_of_the_table(made):
    """Every line of counts, in order, against the rules evaluated on the table once more."""
    frame, y, e = made
    y = np.asarray(y)
    flat = re.sub(r"\s+", " ", str(e))
    printed = re.findall(r"([\d,]+) outliers?(?: of [\d,]+)?(?: \(adds ([\d,]+|none)\))?, ([\d,]+) normal rows?", flat)
    expected = []
    for group in e.groups:
        above = np.zeros(len(y), dtype=bool)
        for i, rule in enumerate(group.rules[:5]):
            covered = rule.tag.covers(frame)
            own = covered & (y == rule.group)
            adds = "" if i == 0 else str((own & ~above).sum() or "none")
            expected.append((str(own.sum()), adds, str((covered & (y == 0)).sum())))
            above |= own
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
        adds = [str(rule.n_added)] if e.groups[rule.group - 1].tells_added else []
        expected = [str((covered & (y == rule.group)).sum()), *adds, str((covered & (y == 0)).sum())]
        assert line[2 : 2 + len(expected)] == expected


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

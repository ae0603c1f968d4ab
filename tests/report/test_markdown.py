"""The report as Markdown: true, and shown as text whatever the names."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
from by_hand import explain_by, explanations, holdouts, small
from hypothesis import given, settings

from pyod_explain import Condition, Tag, explain
from pyod_explain.report import to_markdown
from pyod_explain.result import Holdout, Placebo

SOME = settings(max_examples=60, deadline=None)


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


def test_markdown():
    e = small()
    text = to_markdown(replace(e.summary, validation=holdouts(e), placebo=Placebo((0.1,), 0.6, "k")), rows=True)
    assert "| x \\> 5 | 2 | 0 | 0 | 100% | 100% | infinite | **no** | 33% | 33% | 4 of 5 |" in text
    assert "Every outlier is covered." in text
    assert "Placebo" in text
    assert "**Precision**" in text
    assert "**FUO**" not in text  # what is not used is not explained
    left = small(y=(0, 0, 0, 0, 0, 1), limit=10).to_markdown(rows=True)
    assert "1 outlier: 5." in left
    assert "1 outlier." in small(y=(0, 0, 0, 0, 0, 1), limit=10).to_markdown()
    none = replace(holdouts(e), rules=(Holdout(0, 0, 0, 0, 0),))
    assert "|  |  | 0 of 5 |" in to_markdown(replace(e.summary, validation=none))
    X = pd.DataFrame({"x": [1, 2, 3]})
    assert "Nothing to explain" in explain([0, 0, 0], X).to_markdown()
    two = explain_by([[Tag.of(Condition("x", ">", 1))], []], X, [0, 1, 2]).to_markdown()
    assert "No rule was found that tells this group more shortly" in two
    assert "; 1 outlier of other groups does" in two

"""The page of what changed."""

import re

import pandas as pd
from by_hand import explain_by

from pyod_explain import Condition, Tag

X = pd.DataFrame({"x": [1, 2, 3, 4, 8, 9, 20], "<y>": [1, 1, 1, 9, 1, 1, 9]}, index=list("abcdefg"))
HIGH, LOW, Y = (Tag.of(Condition("x", ">", 5)), Tag.of(Condition("x", ">=", 8)), Tag.of(Condition("<y>", "==", 9)))
BEFORE = explain_by([[HIGH, Y]], X, [0, 0, 0, 0, 1, 1, 1])
AFTER = explain_by([[LOW, Tag.of(Condition("<y>", "!=", 1))]], X, [0, 0, 0, 0, 0, 1, 1])


def cells(page):
    return [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", page)]


def test_each_kind_of_change_has_its_table(tmp_path):
    changes = BEFORE.compare(AFTER)
    page = changes.to_html(tmp_path / "changes.html")
    assert (tmp_path / "changes.html").read_text("utf-8") == page
    assert [re.sub("<.*?>", "", one) for one in re.findall("<h2>.*?</h2>", page)] == [
        "New rules: 1", "Rules that are gone: 1", "Rules with other limits: 1"
    ]  # fmt: skip
    assert "<y>" not in page
    found = cells(page)
    assert found[:8] == [
        "rule", "outliers", "normal rows", "precision", "&lt;y&gt; is not 1", "1 of 2", "1", "50%"
    ]  # fmt: skip
    assert found[-7:] == ["x &gt; 5&rarr; x ≥ 8", "3 of 3", "2 of 2", "0", "1", "100%", "67%"]
    assert "<h2>Rows</h2>" not in page
    assert "1 row no longer marked: e" in changes.to_html(rows=True)


def test_nothing_changed_is_said():
    same = BEFORE.compare(BEFORE)
    assert not same.changed
    assert "Nothing changed: 2 rules, all as before." in same.to_html()
    assert "Unchanged rules: 2" in same._repr_html_()
    nothing = explain_by([[]], X, [0] * 6 + [1])
    assert "Neither report has a rule." in nothing.compare(nothing).to_html()

"""The page of what changed."""

import json
import re

import pandas as pd
from by_hand import explain_by

from pyod_explain import Condition, Tag

N = 40
X = pd.DataFrame({"x": [9] * 20 + [1] * N, "<y>": [2] * (20 + N)})
LATER = X.assign(x=[1] * (20 + N), **{"<y>": [7] * 20 + [2] * N})
LABELS = [1] * 20 + [0] * N
BEFORE = explain_by([[Tag.of(Condition("x", ">", 5))]], X, LABELS)
AFTER = explain_by([[Tag.of(Condition("<y>", "==", 7))]], LATER, LABELS)


def cells(page):
    return [re.sub(r"<[^>]*>", " ", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", page)]


def test_each_kind_of_change_has_its_table(tmp_path):
    page = BEFORE.compare(AFTER).to_html(tmp_path / "changes.html")
    assert (tmp_path / "changes.html").read_text("utf-8") == page
    headings = [re.sub("<.*?>", "", one) for one in re.findall("<h2>.*?</h2>", page)]
    assert headings[-1] == "Rules that are gone: 1"
    assert headings[0].startswith("New rules: ")
    assert "<y>" not in page
    found = cells(page)
    assert found[:5] == ["rule", "outliers now", "outliers before", "precision now", "precision before"]
    assert found[-4:] == ["0 of 20", "20 of 20", "-", "100%"]
    assert found[-5].startswith("x &gt; 5")
    assert "<h2>Rows</h2>" not in page


def test_nothing_changed_is_said():
    same = BEFORE.compare(BEFORE)
    assert not same.changed
    assert "Rules: 1 still there." in same.to_html()
    assert "Rules that are still there: 1" in same._repr_html_()
    nothing = explain_by([[]], X, [0] * (19 + N) + [1])
    assert "There is no rule to compare." in nothing.compare(nothing).to_html()


def test_plain_data():
    data = json.loads(json.dumps(BEFORE.compare(AFTER).to_dict()))
    assert data["changed"] is True
    assert data["outliers"] == {"before": 20, "after": 20}
    assert {one["rule"]: one["change"] for one in data["rules"]}["x > 5"] == "gone"
    assert next(one for one in data["rules"] if one["rule"] == "<y> is 7")["outliers_before"] == 0
    fewer = explain_by([[Tag.of(Condition("x", ">", 5))]], X, [0, *LABELS[1:]])
    changes = BEFORE.compare(fewer)
    assert changes.to_dict(rows=True)["moved"] == [{"label": "0", "before": 1, "after": 0}]
    assert "1 row no longer marked: 0" in changes.to_html(rows=True)

"""What is in this table and was not in that one."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Explanation, PyodExplainError, explain, explain_new
from pyod_explain.report import NewRowsReport


def orders(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "order": np.arange(n) + 10_000 * seed,
            "amount": rng.gamma(2, 50, n).round(2),
            "channel": rng.choice(["web", "shop", "phone"], n),
        }
    )


@pytest.fixture(scope="module")
def tables():
    now, before = orders(400, 2), orders(300, 1)
    now.loc[:39, "channel"] = "app"
    now.loc[100:129, "amount"] += 900
    return now, before


@pytest.fixture(scope="module")
def found(tables):
    return explain_new(*tables, names=("today", "yesterday")).validate(3)


def test_rules_match_what_is_new_and_counts_are_true(found, tables):
    now, before = tables
    frame = found.to_frame()
    assert set(frame["rule"]) == {"channel is 'app'", frame["rule"][frame["rule"].str.startswith("amount")].item()}
    for rule, n_now, n_before in zip(found.explanation.rules, frame["now"], frame["before"], strict=True):
        assert rule.tag.covers(now).sum() == n_now
        assert rule.tag.covers(before).sum() == n_before
    assert frame["share_now"].tolist() == (frame["now"] / 400).tolist()
    assert found.explanation.predict(now).sum() == found.explanation.summary.n_explained


def test_the_words_fit(found):
    text = str(found)
    assert text.startswith(
        "today has 400 rows, yesterday 300.\n2 rules match 70 rows of today (18%) and 0 of yesterday"
    )
    assert "if channel is 'app'\n     40 rows of today (10%), none of yesterday" in text
    assert "On rows kept aside while the rules were found (3 folds), they match" in text
    assert "The column 'order' names rows rather than describes them: left out of the rules." in text
    for view in (text, found.to_markdown(), found._repr_html_()):
        assert "outlier" not in view
        assert "normal" not in view
    assert repr(found) == "NewRows(70 of 400 rows by 2 rules)"


def test_rows_before_that_match_are_told_as_a_ratio():
    before, now = pd.DataFrame({"x": [1] * 95 + [9] * 5}), pd.DataFrame({"x": [1] * 50 + [9] * 50})
    text = str(explain_new(now, before))
    assert "1 rule matches 50 rows of now (50%) and 5 of before (5.0%)." in text
    assert "if x is 9\n     50 rows of now (50%), 5 of before (5.0%): 10 times as frequent" in text


def test_the_same_rows_have_nothing_new():
    text = str(explain_new(orders(300, 3), orders(300, 4)))
    assert text.startswith("now has 300 rows, before 300.\nNo")
    assert "tells the two apart" in text


def test_it_is_explain_with_labels(tables):
    now, before = tables
    both = pd.concat([now, before], ignore_index=True)
    e = explain([1] * 400 + [0] * 300, both, groups=1, id_columns=["order"])
    assert explain_new(now, before).explanation.groups == e.groups


def test_columns_that_do_not_compare_are_named():
    now = pd.DataFrame({"x": [1, 2, 9, 9] * 10, "k": ["a"] * 40, "new": 1, "gone": None})
    before = pd.DataFrame({"x": [1, 2, 3, 4] * 10, "k": range(40), "old": 1, "older": 1, "gone": 5})
    text = " ".join(str(explain_new(now, before, id_columns=[])).split())
    assert "Only now has the column 'new': left out." in text
    assert "Only before has the columns 'old', 'older': left out." in text
    assert "The column 'k' holds other kinds of values in now than in before: left out." in text


def test_page_and_markdown_are_escaped(tmp_path):
    now, before = pd.DataFrame({"<b>|": [9] * 30 + [1] * 30}), pd.DataFrame({"<b>|": [1] * 60})
    found = explain_new(now, before)
    page = found.to_html(tmp_path / "new.html")
    assert (tmp_path / "new.html").read_text("utf-8") == page
    assert "<b>" not in page
    assert "&lt;b&gt;| is 9" in page
    assert "<b>" not in found._repr_html_()
    markdown = found.to_markdown(tmp_path / "new.md")
    assert (tmp_path / "new.md").read_text("utf-8") == markdown
    assert "\\|" in markdown


X = pd.DataFrame({"x": [1]})


@pytest.mark.parametrize(
    ("now", "before", "argument"),
    [
        ("now.parquet", X, "now"),
        (X, [X], "before"),
        (X[:0], X, "now"),
        (X, X[:0], "before"),
        (pd.Series([1]), X, None),
        (X, pd.DataFrame({"y": [1]}), None),
    ],
)
def test_what_is_no_two_tables(now, before, argument):
    with pytest.raises(PyodExplainError) as caught:
        explain_new(now, before)
    assert argument is None or caught.value.argument == argument


def test_two_tables_that_are_the_same_are_not_told_of_in_outliers():
    same = pd.DataFrame({"price": [5, 6, 7, 8] * 20})
    found = str(explain_new(same, same.copy(), names=("today", "yesterday"))).replace("\n  ", " ")
    assert "All rows of today: no condition holds" in found
    assert "of today" in found
    assert "of yesterday" in found
    assert "outlier" not in found
    assert "normal" not in found


def test_two_reports_are_compared_in_their_own_words():
    before = pd.DataFrame({"price": [5, 6, 7, 8] * 20})
    one = explain_new(pd.DataFrame({"price": [5, 6, 7, 8] * 15 + [90] * 20}), before, names=("mon", "sun"))
    two = explain_new(pd.DataFrame({"price": [5, 6, 7, 8] * 10 + [90] * 40}), before, names=("tue", "sun"))
    back = Explanation.from_json(one.explanation.to_json())
    assert back.summary.tables == ("mon", "sun")
    changes = back.compare(two.explanation)
    assert str(changes).splitlines() == [
        "before: mon has 80 rows, sun 80; 1 rule matches 25% of mon and 0% of sun",
        "after:  tue has 80 rows, sun 80; 1 rule matches 50% of tue and 0% of sun",
        "1 rule drifted:",
        "  price is 90: 25% of mon and 0% of sun -> 50% of tue and 0% of sun",
    ]
    page = changes.to_html(rows=True)
    for word in ("outlier", "precision", "normal row"):
        assert word not in page
        assert word not in str(changes)
    assert "rows of the later table before" in page
    assert changes.to_dict(rows=True)["tables"] == {"before": ["mon", "sun"], "after": ["tue", "sun"]}
    assert "moved" not in changes.to_dict(rows=True)
    assert repr(changes) == "Comparison(rules: 1 drifted)"
    gone = str(back.compare(explain_new(before, before, names=("wed", "sun")).explanation))
    assert "1 rule gone:\n  price is 90: 20 rows of mon (25%), none of sun" in gone
    assert "outlier" not in gone
    with pytest.raises(PyodExplainError, match="must be of one kind"):
        back.compare(explain([0] * 80 + [1] * 2, pd.DataFrame({"price": [5, 6] * 40 + [90] * 2})))


def test_how_it_was_made_is_told_of_the_two_tables():
    before, now = (pd.DataFrame({"price": [5, 6, last, 8] * 20}) for last in (7, 90))
    found = explain_new(now, before, names=("mon", "sun")).validate(2)
    assert found.explanation.summary.provenance["call"] == (
        "explain_new(<DataFrame 80 x 1>, <DataFrame 80 x 1>, names=('mon', 'sun'))"
    )
    for text in (found.to_markdown(), found.to_html()):
        assert "How it was made" in text
    assert "while the rule was found (2 folds), it matches" in " ".join(str(found).split())


def test_rules_that_save_nothing_are_not_called_chance():
    rules = explain_new(pd.DataFrame({"x": [9] * 9}), pd.DataFrame({"x": [1] * 9})).explanation.summary
    long = replace(rules, bits=rules.bits_named + 1, chance=None, placebo=None)
    assert "a list of the rows would" in " ".join(NewRowsReport(long).sentences())


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_tables_of_other_libraries_say_the_same(library):
    other = pytest.importorskip(library)
    now, before = orders(200, 2), orders(200, 1)
    now.loc[:30, "amount"] += 900
    whole = pd.array([2**53 + 1, None] * 100, dtype="Int64")
    now, before = now.assign(whole=whole), before.assign(whole=whole)
    make = other.from_pandas if library == "polars" else other.Table.from_pandas
    assert str(explain_new(make(now), make(before))) == str(explain_new(now, before))


def test_arrays_are_tables_too():
    now, before = np.array([[1.0, 2.0]] * 50 + [[9.0, 2.0]] * 20), np.array([[1.0, 2.0]] * 70)
    assert "if x0 is 9" in str(explain_new(now, before))

"""What is in this table and was not in that one."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyod_explain import Explanation, PyodExplainError, explain, explain_new
from pyod_explain.export import to_dbt


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
    for rule, n_now, n_before in zip(found.rules, frame["outliers"], frame["normals"], strict=True):
        assert rule.tag.covers(now).sum() == n_now
        assert rule.tag.covers(before).sum() == n_before
    assert found.predict(now).sum() == found.summary.n_explained


def test_every_view_calls_the_rows_by_their_tables(found):
    views = [str(found), found.headline, found.to_markdown(), found._repr_html_(), to_dbt(found, "t")]
    page = found.to_html(rows=True, examples=2).replace("uncovered outliers", "").replace("covered normals", "")
    for view in (*views, re.sub("<style>.*?</style>", "", page, flags=re.DOTALL)):
        assert "rows of today" in view
        assert "rows of yesterday" in view
        assert not re.search("outlier(?!s_|_)|normal", view.replace("outliers_", ""))
    assert "What is new?" in page
    assert "name rows: 'order'" in " ".join(str(found).split())


def test_the_same_rows_have_nothing_new():
    found = explain_new(orders(300, 3), orders(300, 4))
    assert not found.summary.explains
    assert "No rule tells" in found.headline or "takes less" in found.headline


def test_it_is_explain_with_labels(tables):
    now, before = tables
    both = pd.concat([now, before], ignore_index=True)
    e = explain([1] * 400 + [0] * 300, both, groups=1, id_columns=["order"])
    assert explain_new(now, before).groups == tuple(replace(group, extremes=()) for group in e.groups)


def test_columns_that_do_not_compare_are_named():
    now = pd.DataFrame({"x": [1, 2, 9, 9] * 10, "k": ["a"] * 40, "new": 1, "gone": None})
    before = pd.DataFrame({"x": [1, 2, 3, 4] * 10, "k": range(40), "old": 1, "older": 1, "gone": 5})
    text = " ".join(str(explain_new(now, before, id_columns=[])).split())
    for names in ("only now has them: 'new'", "'old', 'older'", "values differ: 'k'"):
        assert names in text


def test_names_of_tables_are_escaped():
    now, before = pd.DataFrame({"x": [9] * 30 + [1] * 30}), pd.DataFrame({"x": [1] * 150})
    found = explain_new(now, before, names=("<u>|", "{c}\x1b")).validate(2).placebo_test(1)
    for view in (found.to_html(examples=1), found._repr_html_()):
        assert "<u>" not in view
        assert "\x1b" not in view
    assert "<u>|" not in found.to_markdown()
    assert "\x1b" not in str(found) + found.to_markdown()


X = pd.DataFrame({"x": [1]})


@pytest.mark.parametrize(
    ("now", "before", "argument"),
    [
        ("now.parquet", X, "now"), (X, [X], "before"), (X[:0], X, "now"), (X, X[:0], "before"),
        (pd.Series([1]), X, None), (X, pd.DataFrame({"y": [1]}), None),
    ],
)  # fmt: skip
def test_what_is_no_two_tables(now, before, argument):
    with pytest.raises(PyodExplainError) as caught:
        explain_new(now, before)
    assert argument is None or caught.value.argument == argument


def test_what_is_new_is_read_from_a_file_and_not_compared():
    before = pd.DataFrame({"price": [5, 6, 7, 8] * 20})
    one = explain_new(pd.DataFrame({"price": [5, 6, 7, 8] * 15 + [90] * 20}), before, names=("mon", "sun"))
    back = Explanation.from_json(one.to_json())
    assert back.summary.tables == ("mon", "sun")
    with pytest.raises(PyodExplainError, match="explanations of outliers"):
        back.compare(one)


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


def test_dates_that_tell_the_two_apart_are_noted():
    now = pd.DataFrame({"t": pd.date_range("2024-01-02", periods=50, freq="h"), "x": [1, 2] * 25})
    before = now.assign(t=now["t"] - pd.Timedelta(days=5))
    note = "All rules are about dates, which differ anyway; `exclude=` leaves these out."
    assert note in explain_new(now, before).notes
    assert note not in explain_new(now.assign(x=9), before, exclude=["t"]).notes

"""What is extreme in an outlier, counted again from plain lists."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from by_hand import explain_by, explanations
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Explanation, Relation, Tag, explain
from pyod_explain.input import as_table
from pyod_explain.result.extremes import FALSE_EXTREMES, FAR, MAX_SHARE, find_extremes


@st.composite
def tables(draw):
    """A table of all kinds of columns with ties and gaps, which rows are outliers, and how often each row counts."""
    n = draw(st.integers(8, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    X = pd.DataFrame(
        {
            "ties": rng.integers(0, 6, n),
            "float": rng.standard_cauchy(n).round(2),
            "text": rng.choice(list("aaaaaaaabbbcde"), n),
            "flag": rng.random(n) < 0.1,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.geometric(0.2, n), unit="D"),
            "wait": pd.to_timedelta(rng.geometric(0.1, n), unit="min"),
        }
    )
    for name in ("float", "text", "day"):
        X[name] = X[name].mask(rng.random(n) < draw(st.sampled_from([0.0, 0.1])))
    y = (rng.random(n) < 0.3).astype(int)
    y[:2] = 0, 1
    return X, y, rng


def extreme_by_hand(cells, ordered, normal, i, most):
    """Side, rows as far, rows in all, share and the normal range of cell i; None where it is not extreme."""
    usual = [cell for cell, one in zip(cells, normal, strict=True) if one]
    known = sorted(cell for cell in usual if cell is not None) if ordered else [c for c in usual if c is not None]
    of, low, high, side = len(cells), None, None, "rare"
    if cells[i] is None:
        n, reached, known = cells.count(None), usual.count(None), usual
    elif ordered:
        of -= cells.count(None)
        at_most, at_least = (sum(one <= cells[i] for one in known), sum(one >= cells[i] for one in known))
        side, reached = ("lowest", at_most) if at_most < at_least else ("highest", at_least)
        beyond = (lambda one: one <= cells[i]) if side == "lowest" else (lambda one: one >= cells[i])
        n = sum(one is not None and beyond(one) for one in cells)
        low, high = (known[round(share * (len(known) - 1))] if known else None for share in (0.05, 0.95))
    else:
        n = cells.count(cells[i])
        reached = sum(known.count(one) <= known.count(cells[i]) + 1 for one in known)
    share = (reached + 1) / (len(known) + 1)
    few = 0 if isinstance(cells[i], pd.Timestamp) else most
    far = known and share <= max(few, 1 / (len(known) + 1))
    if known and low is not None and not far and share <= MAX_SHARE:
        first, lower, middle, upper, last = (known[round(p * (len(known) - 1))] for p in (0.05, 0.25, 0.5, 0.75, 0.95))
        spread = (upper - lower) / 1.349 if upper != lower else (last - first) / 3.29
        far = cells[i] != middle and (not spread or abs(cells[i] - middle) / spread >= FAR)
    return (side, n, of, pytest.approx(share), low, high) if far else None


def plain(X):
    return {name: [None if pd.isna(cell) else cell for cell in X[name].tolist()] for name in X.columns}


@settings(max_examples=60, deadline=None)
@given(tables())
def test_all_figures_are_counted_again_from_lists(made):
    X, y, _ = made
    cells, most = plain(X), min(MAX_SHARE, FALSE_EXTREMES / X.shape[1])
    e = explain_by([[]], X, y.tolist())
    for i in np.flatnonzero(y).tolist():
        expected = {
            name: found
            for name in cells
            if (found := extreme_by_hand(cells[name], name not in ("text", "flag"), y == 0, i, most))
        }
        told = e.for_row(i).extremes
        assert len(told) == min(len(expected), 3)
        for one in told:
            assert (one.side, one.n, one.n_rows, one.share, one.low, one.high) == expected[one.column]
            if one.side != "rare":
                assert one.value == cells[one.column][i]
                assert not one.low <= one.value <= one.high
        shares = [one.share for one in told]
        rest = [found[3].expected for name, found in expected.items() if name not in {one.column for one in told}]
        assert shares == sorted(shares)
        assert not rest or max(shares) <= min(rest) * (1 + 1e-9)


@settings(max_examples=30, deadline=None)
@given(tables())
def test_row_counts_are_repeated_rows_and_no_order_matters(made):
    X, y, rng = made
    counts = rng.integers(1, 4, len(X))
    again = X.loc[X.index.repeat(counts)].reset_index(drop=True).sample(frac=1, random_state=1)[X.columns[::-1]]
    labels = np.repeat(y, counts)[again.index]
    origin = np.repeat(np.arange(len(X)), counts)[again.index]
    one = find_extremes(replace(as_table(X), row_counts=counts), np.flatnonzero(y == 0), np.flatnonzero(y))
    other = find_extremes(as_table(again), np.flatnonzero(labels == 0), np.flatnonzero(labels))
    alone = dict(zip(np.flatnonzero(y).tolist(), one, strict=True))
    assert other == [alone[row] for row in origin[labels > 0].tolist()]


def test_a_relation_is_told_where_it_is_further_out_than_its_columns():
    rng = np.random.default_rng(0)
    inlet = rng.normal(60, 10, 300).round(1)
    X = pd.DataFrame({"inlet": inlet, "outlet": (inlet + rng.uniform(0.2, 1.4, 300)).round(1)})
    X.loc[0, "outlet"] = X.loc[0, "inlet"] - 3.1
    gap = Relation("outlet", "-", "inlet")
    e = explain_by([[Tag.of(Condition(gap, "<", -5))]], X, [1] + [0] * 299)
    assert str(e.for_row(0)).splitlines()[1] == "  outlet - inlet -3.1: the lowest of 300 rows; normally 0.3 to 1.3"
    X.loc[0] = [500.0, 400.0]  # the cells themselves say it
    far = explain_by([[Tag.of(Condition(gap, "<", -500))]], X, [1] + [0] * 299)
    assert [one.column for one in far.for_row(0).extremes] == ["inlet", "outlet"]


def test_what_is_extreme_is_told_in_every_view():
    X = pd.DataFrame({"x": [*range(40), 90.0, 15.0], "c": ["a"] * 40 + ["<b>", "a"]})
    y = [0] * 40 + [1, 1]
    e = explain_by([[Tag.of(Condition("x", ">", 100))]], X, y)
    x, c = "x 90: the highest of 42 rows; normally 2 to 37", "c '<b>': 1 of 42 rows"
    none = "nothing is extreme in the columns that rules may use"
    assert str(e.for_row(40)).splitlines()[1:] == [
        f"  {x}",
        f"  {c}",
        "The nearest rule: x > 100 (it is 90, which fails)",
    ]
    assert e.to_rows()["extreme"].tolist() == [f"{x} | {c}", none]
    assert e.for_row(3, X).extremes is e.for_row({"x": 90}).extremes is None
    assert f"{x}<br>c &#39;&lt;b&gt;&#39;: 1 of 42 rows</td>" in e.to_html(rows=True)
    assert "the highest" not in e.to_json(rows=False) + e.to_markdown() + e.to_html()
    assert f"    row 40, {x}\n\n" in str(explain_by([[]], X, y))
    assert "In none of them is anything extreme" in str(explain_by([[]], X.drop(40), [0] * 40 + [1]))


def test_examples_show_what_else_is_extreme():
    rows = [
        *zip(range(10, 60), range(5, 55), range(1, 51), strict=True),
        (166, 120, 0),
        *[(160, 25, 25)] * 3,
        (30, 25, 60),
    ]
    X = pd.DataFrame(rows, columns=["total", "fare", "distance"])
    e = explain([0] * 50 + [1] * 5, X, tags=[Tag.of(Condition("total", ">", 150))])
    [cells] = re.findall(r'<tr><th scope="row">50</th>(.*?)</tr>', e.to_html(examples=1))
    fare, distance = "fare 120: the highest of 55 rows; normally 7 to 52", "distance 0: the lowest of 55 rows"
    assert cells.startswith(f'<td><mark>166</mark></td><td class="texts">{fare}<br>{distance}; normally 3 to 48')
    far = "distance 60: the highest of 55 rows; normally 3 to 48"
    assert e.to_rows()["extreme"].tolist() == [*[None] * 4, far]
    assert e.to_rows(rows="all")["extreme"].tolist() == [*[None] * 54, far]
    assert "else" not in pickle.loads(pickle.dumps(e)).to_html(examples=1)


@given(explanations())
def test_a_file_tells_it_too(made):
    X, y, e = made
    read = Explanation.from_json(e.to_json())
    for label in e.unexplained:
        assert str(read.for_row(label, X)) == str(e.for_row(label))
        assert read.for_row(label, X).extremes is not None
    assert all(e.for_row(i).extremes is None for i, one in enumerate(y) if one and i not in e.unexplained)


def test_ranks_of_a_sample_say_so():
    table = replace(as_table(pd.DataFrame({"x": [1, 2, 3, 9]})), row_counts=np.array([5, 5, 5, 1]), sampled=True)
    [[one]] = find_extremes(table, np.arange(3), np.array([3]))
    assert re.search("the highest of 4 rows of the sample;", str(one))

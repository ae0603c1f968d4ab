"""Prices of rules: one code for all conditions, and lists of values cost the bits to name them."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import MDL, Condition, Coverage, DatePart, Relation, Tag, evaluate
from pyod_explain.description_length import tag_bits
from pyod_explain.input import as_table
from pyod_explain.tags import Language, log_star
from pyod_explain.tags.price import ListPrices


def test_the_bits_of_all_short_rules_fit_into_one_code():
    """Kraft: the shares 2**-bits of all conditions on a small table add up to at most 1."""
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, np.nan], "c": list("aabcd"), "b": [True, False, True, True, False]})
    language = Language(as_table(X))
    said = [Condition("x", op, t) for op in ("<", ">=") for t in (0.5, 1.5, 2.5, 3.5, 4.5)]
    said += [Condition("x", "between", pair) for pair in itertools.combinations((0.5, 1.5, 2.5, 3.5, 4.5), 2)]
    said += [Condition(name, op) for name in X for op in ("missing", "present")]
    for op in ("==", "!="):
        said += [Condition("x", op, v) for v in (1, 2, 3, 4)]
        said += [Condition("c", op, v) for v in "abcd"]
    said += [Condition("b", "==", True), Condition("b", "==", False)]
    for op in ("in", "not in"):
        said += [Condition("c", op, v) for k in (1, 2, 3, 4) for v in itertools.combinations("abcd", k)]
        said += [Condition("x", op, v) for k in (1, 2, 3, 4) for v in itertools.combinations((1, 2, 3, 4), k)]
    assert 0.3 < sum(2 ** -language.condition_bits(one) for one in said) <= 1
    pair = Tag.of(Condition("x", "<", 1.5), Condition("c", "==", "a"))
    parts = sum(language.condition_bits(one) for one in pair.conditions)
    assert language.rule_bits(pair) == pytest.approx(parts + float(log_star(2)) - 1)


def all_lists(values):
    return [some for k in range(1, len(values) + 1) for some in itertools.combinations(values, k)]


def test_relations_fit_into_the_same_code_and_make_nothing_else_longer():
    """Kraft: all conditions on single columns and on all relations of them, each set of rows by its shortest one."""
    X = pd.DataFrame({"x": [1.0, 2, 3, 5], "y": [4.0, 1, 2, np.nan], "z": [7.0, 7, 0, 2]})
    table = as_table(X)
    language = Language(table)
    pairs = list(itertools.permutations(X, 2))
    subjects = [*X, *dict.fromkeys(Relation(a, op, b) for a, b in pairs for op in "-/*+")]
    total = 0.0
    for subject in subjects:
        cells = np.unique(table[subject].values[~table[subject].missing])
        cuts = [-np.inf, *((cells[1:] + cells[:-1]) / 2), np.inf]
        said = [Condition(subject, op, t) for op in ("<", ">=") for t in cuts]
        said += [Condition(subject, "between", pair) for pair in itertools.combinations(cuts, 2)]
        said += [Condition(subject, op, v) for op in ("==", "!=") for v in cells]
        said += [Condition(subject, op, v) for op in ("in", "not in") for v in all_lists(cells.tolist())]
        said += [Condition(subject, op) for op in ("missing", "present")]
        total += sum(2 ** -language.condition_bits(one) for one in said)
    assert 0.3 < total <= 1


NAMES = [f"v{i}" for i in range(9)]

HOURS = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=240, freq="h")})


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (
            {"c": NAMES + ["v0"] * 5},
            [Condition("c", op, v) for op in ("rare", "in", "not in") for v in all_lists(NAMES)],
        ),
        (HOURS, [Condition(DatePart("t", "hour"), op, hour) for op in ("<", ">=") for hour in range(25)]),
    ],
    ids=["lists", "hours"],
)
def test_whatever_a_user_says_has_its_price(X, said):
    """Kraft again, for each set of rows that can be said: lists of the user's own, and parts of dates."""
    table = as_table(pd.DataFrame(X))
    language = Language(table)
    shortest = {}
    for one in said:
        rows = one.holds(table[one.column]).tobytes()
        shortest[rows] = min(language.condition_bits(one), shortest.get(rows, np.inf))
    places = 3 if "hour" in {getattr(one.column, "part", None) for one in said} else 1
    assert sum(2**-bits for bits in shortest.values()) <= 1 / places


@pytest.mark.parametrize("op", ["in", "not in"])
def test_values_that_a_column_lacks_say_nothing(op):
    """Else a long list of them would make any choice among the others cheap."""
    language = Language(as_table(pd.DataFrame({"c": NAMES * 2, "n": range(18)})))
    for name, own, others in (("c", NAMES[:4], map(str, range(60))), ("n", [2, 3, 5, 7], range(50, 99))):
        plain, padded = (Condition(name, op, one) for one in (own, [*own, *others]))
        assert language.condition_bits(padded) == language.condition_bits(plain)


def list_bits(condition, table):
    return ListPrices(table).bits(condition)


CELLS = st.lists(st.sampled_from([*"abcdef", None]), min_size=1, max_size=12)

LISTED = st.sets(st.sampled_from([*"abcdefgh"]), min_size=1)


@given(CELLS, LISTED, st.sampled_from(["in", "not in"]))
def test_a_list_costs_what_the_slow_count_says(cells, listed, op):
    """No value of so few rows is below one percent of them, so none is rare."""
    table = as_table(pd.DataFrame({"c": pd.Series(cells, dtype=object)}))
    present = [cell for cell in cells if cell is not None]
    if op == "not in" and set(present) <= listed:
        assert list_bits(Condition("c", op, sorted(listed)), table) == 0.0  # none is left: as many as are rare
        return
    expected = reference.list_bits(present, listed & set(present) or set(present[:1]))
    assert list_bits(Condition("c", op, sorted(listed)), table) == pytest.approx(expected)


def test_what_is_rare_costs_nothing_in_whichever_words():
    X = pd.DataFrame({"c": ["www"] * 500 + ["mail"] * 400 + [f"host-{i}" for i in range(40)]})
    table = as_table(X)
    language = Language(table)
    by_name, in_short = (Condition("c", op, ["mail", "www"]) for op in ("not in", "rare"))
    assert list_bits(by_name, table) == list_bits(in_short, table) == 0.0
    assert language.condition_bits(by_name) == language.condition_bits(in_short)
    assert list_bits(Condition("c", "not in", ["host-1", "www"]), table) == pytest.approx(np.log2(42 * 41 / 2))


def test_the_description_length_and_the_metrics_charge_for_lists():
    X = pd.DataFrame({"c": list("abcdefgh") * 10})
    y = np.isin(X["c"], ["a", "b", "c"]).astype(int)
    tags = [Tag.of(Condition("c", "in", ["a", "b", "c"])), Tag.of(Condition("c", "==", "a"))]
    cov = Coverage.from_tags(X, tags, y)
    plain = Coverage.from_dense(np.column_stack([tag.covers(X) for tag in tags]), y, n_items=2)
    assert tag_bits(cov) - tag_bits(plain) == pytest.approx([np.log2(56), 0])
    assert tag_bits(cov, [1, 0]).tolist() == tag_bits(cov)[::-1].tolist()
    assert tag_bits(cov.regroup(y)).tolist() == tag_bits(cov).tolist()
    bits = evaluate(cov, [(0,)]).attrs["mdl"] - evaluate(plain, [(0,)]).attrs["mdl"]
    assert bits == pytest.approx(np.log2(56))
    assert MDL().select(cov).objective == pytest.approx(evaluate(cov, MDL().select(cov)).attrs["mdl"])
    assert Coverage.from_tags(X, tags[1:], y).extra_bits is None

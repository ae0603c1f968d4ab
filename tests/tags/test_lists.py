"""A list of values costs the bits to name them, wherever tags are priced."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from tag_tables import every_condition, two_piece_table

from pyod_explain import MDL, Condition, Coverage, DatePart, Tag, evaluate
from pyod_explain.description_length import tag_bits
from pyod_explain.input import as_table
from pyod_explain.tags import Language
from pyod_explain.tags.mining import Evidence, choose
from pyod_explain.tags.price import ListPrices


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


def test_of_numbers_dates_and_weekdays_the_values_that_there_are_count():
    days = pd.date_range("2024-01-01", periods=30)
    table = as_table(pd.DataFrame({"n": np.arange(30) % 10, "day": days}))
    assert list_bits(Condition("n", "in", [1, 2, 3]), table) == pytest.approx(np.log2(120))
    assert list_bits(Condition("day", "not in", list(days[:2])), table) == pytest.approx(np.log2(435))
    assert list_bits(Condition(DatePart("day", "weekday"), "in", [5, 6]), table) == pytest.approx(np.log2(21))
    assert list_bits(Condition("n", "==", 1), table) == 0.0


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


def test_as_many_values_are_listed_as_pay_for_themselves():
    """Of 300 names with one outlier each, a second saves less than it takes to name it; of 5 names it does not."""
    many, y = two_piece_table(c=([f"name {i}" for i in range(300)] * 3, [f"name {i}" for i in range(4)]))
    assert not [one for one in every_condition(many, y).conditions if one.op == "in"]
    few, y = two_piece_table(c=(list("abcde") * 180, list("ab") * 30))
    assert Condition("c", "in", ["a", "b"]) in every_condition(few, y).conditions


def test_of_tags_with_the_same_outliers_one_that_lists_values_must_be_purer():
    inside = np.ones((2, 2), dtype=bool)
    sets, lengths = np.array([[0], [1]]), np.array([1, 1])
    for normals_of_list, kept in ((0b0011, [0, 1]), (0b0111, [1]), (0b1111, [1])):
        normal = np.array([[normals_of_list], [0b0111]], dtype=np.uint64)
        evidence = Evidence(inside, normal, 8, list_bits=np.array([10.0, 0.0]))
        assert choose(sets, lengths, evidence, n_items=3, min_lift=1.0, most=9)[0].tolist() == kept


def test_the_tags_that_stay_are_those_that_save_most_with_their_lists_paid():
    """Two conditions, each with one of two outliers: the purer one would stay, but for its list."""
    inside = np.array([[True, False], [True, False]])
    normal = np.array([[0b0001], [0b0011]], dtype=np.uint64)
    sets, lengths = np.array([[0], [1]]), np.array([1, 1])
    for price, kept in ((0.0, 0), (20.0, 1)):
        evidence = Evidence(inside, normal, 60, list_bits=np.array([price, 0.0]))
        assert choose(sets, lengths, evidence, n_items=3, min_lift=1.0, most=1)[0].tolist() == [kept]


@pytest.mark.parametrize("bits", [[1.0], [-1.0, 0.0], [np.nan, 0.0]])
def test_extra_bits_are_checked(bits):
    with pytest.raises(ValueError, match=r"`extra_bits` must give a finite number of at least 0 for each of the 2"):
        Coverage.from_dense([[1, 0], [0, 1]], [1, 0], extra_bits=bits)

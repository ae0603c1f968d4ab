"""Prices of rules: the bits of each condition by hand, and what they do not depend on."""

from dataclasses import replace
from math import comb, log2

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import MDL, Condition, Coverage, DatePart, Relation, Tag, evaluate
from pyod_explain.description_length import tag_bits
from pyod_explain.input import as_table
from pyod_explain.tags import Prices
from pyod_explain.tags.price import CUT_BITS, RELATION_BITS

N = 24
X = pd.DataFrame(
    {
        "x": np.arange(N) % 20 + 0.5,
        "y": np.arange(N, dtype=float),
        "c": list("abcdefgh" * 3),
        "b": [True, False] * 12,
        "n": [1, 2, 3, None] * 6,
        "t": pd.date_range("2024-01-01", periods=N, freq="h"),
        "u": [None, *"vw" * 11, "v"],
        "z": 0,
    }
)  # eight columns: 3 bits to name one, and 2 for the operator
BY_HAND = {
    Condition("x", "<", 3.0): 3 + 2 + CUT_BITS,
    Condition("x", ">=", 19.0): 3 + 2 + CUT_BITS,
    Condition("n", "==", 2): 3 + 2 + CUT_BITS,
    Condition("t", ">", "2024-01-01 05:00"): 3 + 2 + CUT_BITS,
    Condition("x", "between", (2.0, 8.0)): 3 + 2 + CUT_BITS + CUT_BITS,
    Condition("c", "==", "a"): 3 + 2 + log2(8),
    Condition("c", "!=", "a"): 3 + 2 + log2(8),
    Condition("u", "==", "v"): 3 + 2 + log2(2),  # a missing cell is no value
    Condition("b", "==", True): 3 + 2 + log2(2),
    Condition("c", "in", ["a", "b", "c"]): 3 + 2 + log2(comb(8, 3)) + log2(3 + 1),
    Condition("n", "in", [1, 3]): 3 + 2 + log2(comb(3, 2)) + log2(2 + 1),
    Condition("c", "not in", ["a", "b", "c"]): 3 + 2 + 3 * CUT_BITS,
    Condition("c", "rare", ["a", "b"]): 3 + 2,
    Condition("n", "missing"): 3 + 2,
    Condition("n", "present"): 3 + 2,
    Condition(DatePart("t", "hour"), "<", 6): 3 + 2 + CUT_BITS + 2,
    Condition(Relation("x", "-", "y"), "<", 1.0): 2 * 3 + 2 + CUT_BITS + RELATION_BITS,
}


@pytest.mark.parametrize("condition", BY_HAND, ids=str)
def test_a_condition_costs_what_its_parts_do(condition):
    prices = Prices(as_table(X))
    assert prices.condition_bits(condition) == pytest.approx(BY_HAND[condition])
    if condition.op in ("<", ">", ">="):
        assert prices.cut_bits(condition.column) == prices.condition_bits(condition)


def test_a_relation_costs_more_than_two_conditions_and_a_part_of_a_date_more_than_the_date():
    prices = Prices(as_table(X))
    two = prices.cut_bits("x") + prices.cut_bits("y")
    assert prices.cut_bits(Relation("x", "/", "y")) > two
    assert two > prices.cut_bits(DatePart("t", "hour")) > prices.cut_bits("t")


@pytest.mark.parametrize("op", ["in", "not in"])
def test_each_value_makes_a_list_dearer_also_those_that_the_column_lacks(op):
    prices = Prices(as_table(X))
    for values in ("abcd", "wxyz"):  # up to half of the values of the column
        bits = [prices.condition_bits(Condition("c", op, list(values[:k]))) for k in range(1, 5)]
        assert (np.diff(bits) > 0).all()
    padded = Condition("c", op, ["a", *map(str, range(60))])
    assert prices.condition_bits(padded) > prices.condition_bits(Condition("c", op, ["a", "b"]))


@given(st.lists(st.sampled_from(list(BY_HAND)), min_size=1, max_size=4, unique=True), st.randoms(), st.data())
def test_a_rule_costs_the_sum_whatever_the_order_of_anything_and_however_many_rows_there_are(said, random, data):
    table = as_table(X)
    [bits] = Prices(table).of([Tag.of(*said)])
    assert bits == pytest.approx(sum(BY_HAND[one] for one in said))
    shuffled = data.draw(st.permutations(said))
    assert Prices(table).of([Tag(frozenset({shuffled[0]})), Tag.of(*shuffled)])[1] == bits
    rows, columns = random.sample(range(N), N), random.sample(list(X), len(X.columns))
    other = as_table(X.iloc[rows][columns])
    assert Prices(other).of([Tag.of(*said)])[0] == bits
    assert Prices(replace(table, row_counts=np.arange(N) + 1)).of([Tag.of(*said)])[0] == bits
    assert Prices(as_table(pd.concat([X, X]))).of([Tag.of(*said)])[0] == bits


def test_selection_is_by_prices_and_the_papers_metrics_are_not():
    tags = [Tag.of(Condition("c", "in", ["a", "b", "c"])), Tag.of(Condition("c", "==", "a"))]
    y = np.isin(X["c"], ["a", "b", "c"]).astype(int)
    prices = Prices(as_table(X))
    plain, priced = (Coverage.from_tags(X, tags, y, prices=one) for one in (None, prices))
    assert tag_bits(priced).tolist() == prices.of(tags).tolist()
    assert tag_bits(priced, [1, 0]).tolist() == tag_bits(priced)[::-1].tolist()
    assert tag_bits(priced.regroup(y)).tolist() == tag_bits(priced).tolist()
    assert tag_bits(plain, [0]) == pytest.approx(1.519 + log2(plain.n_items) + 1, abs=1e-3)  # the paper's formula
    assert evaluate(priced, [(0,)]).equals(evaluate(plain, [(0,)]))
    difference = MDL().select(priced).objective - MDL().select(plain).objective
    assert MDL().select(priced).tags == MDL().select(plain).tags == ((0,),)
    assert difference == pytest.approx((prices.of(tags) - tag_bits(plain))[0])

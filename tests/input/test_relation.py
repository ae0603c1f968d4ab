"""What two columns give together: the same number for everybody, or none."""

import math
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import PyodExplainError
from pyod_explain.input import LARGEST, SMALLEST, Relation, as_table, reckon

CELLS = st.one_of(
    st.floats(allow_infinity=False),
    st.integers(-5, 5).map(float),
    st.sampled_from(
        [LARGEST, -LARGEST, SMALLEST, math.nextafter(LARGEST, math.inf), math.nextafter(SMALLEST, 0), -0.0]
    ),
)


def by_hand(op, a, b):
    """The rule of the docs, word by word."""
    for cell in (a, b):
        if cell is None or math.isnan(cell) or abs(cell) > 1e150 or 0 < abs(cell) < 1e-150:
            return None
    if op == "/":
        return None if b == 0 else a / b
    return {"-": a - b, "*": a * b, "+": a + b}[op]


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1), st.sampled_from("-/*+"))
def test_a_relation_is_what_doubles_give_and_never_overflows(cells, op):
    left, right = np.array(cells).T
    found = reckon(op, left, right)
    assert [None if math.isnan(one) else one for one in found.tolist()] == [by_hand(op, a, b) for a, b in cells]
    assert not np.isinf(found).any()


@given(
    st.lists(st.tuples(st.integers(-(2**70), 2**70), st.decimals(-(10**9), 10**9, places=4)), min_size=2, max_size=9),
    st.sampled_from("-/*+"),
)
def test_whole_numbers_and_decimals_count_as_the_doubles_nearest_to_them(cells, op):
    X = pd.DataFrame({"n": [n for n, _ in cells], "d": [d for _, d in cells]}, dtype=object)
    column = as_table(X)[Relation("n", op, "d")] if op in "-/" else as_table(X)[Relation("d", op, "n")]
    pairs = [(float(n), float(d)) if op in "-/" else (float(d), float(n)) for n, d in cells]
    assert [column.cell(i) for i in range(len(cells))] == [by_hand(op, a, b) for a, b in pairs]


def test_the_order_of_a_sum_or_product_says_nothing_and_that_of_the_others_does():
    for op in "+*":
        assert Relation("b", op, "a") == Relation("a", op, "b")
        assert hash(Relation("b", op, "a")) == hash(Relation("a", op, "b"))
    for op in "-/":
        assert Relation("b", op, "a") != Relation("a", op, "b")
    assert str(Relation("load", "*", "hours")) == "hours x load"
    assert Relation("load", "*", "hours").code == "hours * load"


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("a", "^", "b"), r"`op` of a Relation must be one of - / \* \+, got '\^'"),
        (("a", ["-"], "b"), "`op` of a Relation must be"),
        (("a", "-", "a"), "two columns, got 'a' and 'a'"),
        ((1, "-", "a"), "must be the names of two columns, got 1 and 'a'"),
    ],
)
def test_what_is_no_relation_is_refused(parts, message):
    with pytest.raises(PyodExplainError, match=message):
        Relation(*parts)


def test_anything_but_numbers_gives_no_value():
    X = pd.DataFrame({"x": [1.0, 2.0], "b": [True, False], "c": ["1", "2"], "t": pd.to_datetime(["2024", "2025"])})
    for name in ("b", "c", "t"):
        assert as_table(X)[Relation("x", "-", name)].missing.all()
        assert as_table(X)[Relation(name, "/", "x")].missing.all()


def test_a_table_without_one_of_the_columns_says_so():
    with pytest.raises(PyodExplainError, match="'inlet'"):
        as_table(pd.DataFrame({"outlet": [1.0]}))[Relation("outlet", "-", "inlet")]


def test_the_column_of_a_relation_is_made_once_and_left_out_of_pickles():
    table = as_table(pd.DataFrame({"a": np.arange(9_000.0), "b": np.ones(9_000)}))
    before = len(pickle.dumps(table))
    made = table[Relation("a", "-", "b")]
    assert table.drop(["c"])[Relation("a", "-", "b")] is made
    assert table[Relation("b", "-", "a")] is not made
    assert table.take(np.array([1, 0]))[Relation("a", "-", "b")].values.tolist() == [0.0, -1.0]
    assert len(pickle.dumps(table)) < before + 500
    assert pickle.loads(pickle.dumps(table))[Relation("a", "-", "b")].same_cells(made)


def test_only_a_few_relations_of_a_column_are_kept():
    names = [f"c{i}" for i in range(20)]
    table = as_table(pd.DataFrame({name: np.arange(3.0) + i for i, name in enumerate(names)}))
    first = table[Relation("c0", "-", "c1")]
    for name in names[2:]:
        assert table[Relation("c0", "-", name)].values[0] == -float(name[1:])
    assert table[Relation("c0", "-", "c1")] is not first
    assert table[Relation("c0", "-", "c1")].same_cells(first)


def test_float32_and_decimals_are_widened_before_they_are_related():
    X = pd.DataFrame({"f": np.array([0.1], dtype=np.float32), "d": [Decimal("0.1")]})
    assert as_table(X)[Relation("f", "-", "d")].cell(0) == float(np.float32(0.1)) - 0.1

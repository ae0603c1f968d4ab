"""Categories: matched by their own rules, in one order, compared as what they are."""

import math

import pandas as pd
import pytest
from exactly import TYPES, VALUES, fraction, judged
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Tag
from pyod_explain.input import as_table, categories


def test_categories_of_large_numbers_keep_their_order():
    values = pd.Index([2**53 + 1, 2**53, "a", 10**400], dtype=object)
    column = as_table(pd.DataFrame({"x": pd.Categorical.from_codes([0, 1, 2, 3], categories=values)}))["x"]
    assert column.categories == (2**53, 2**53 + 1, 10**400, "a")


@pytest.mark.parametrize("name", ["int64", "float64", "wide int", "decimal", "float32"])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_categories_that_are_numbers_compare_as_the_numbers_do(name, data):
    cells = data.draw(TYPES[name][0])
    among_texts = pd.DataFrame({"x": pd.Series([*cells, "a text", None], dtype=object)})
    categories = pd.DataFrame({"x": pd.Series([*cells, None], dtype=object).astype("category")})
    finite = VALUES.filter(lambda one: isinstance(one, int) or math.isfinite(one))
    bound = data.draw(st.one_of(st.sampled_from(cells), finite))
    condition = Condition("x", data.draw(st.sampled_from(["<", "<=", ">", ">="])), bound)
    by_hand = [judged(condition, fraction(cell)) for cell in cells]
    assert Tag.of(condition).covers(among_texts).tolist() == [*by_hand, False, False]
    assert Tag.of(condition).covers(categories).tolist() == [*by_hand, False]


def test_categories_that_are_times_compare_as_the_times_do():
    times = pd.Series(pd.date_range("2024-01-01", periods=9, freq="ns", tz="Europe/Berlin"))
    for one in (times, times.dt.tz_localize(None), times - times[0]):
        tag = Tag.of(Condition("x", ">=", one[4]))
        assert tag.covers(pd.DataFrame({"x": one.astype("category")})).tolist() == [False] * 4 + [True] * 5


@pytest.mark.parametrize("missing", [[], [None]], ids=["all are texts", "one is missing"])
def test_texts_that_cannot_be_encoded_are_told_apart(missing, monkeypatch):
    monkeypatch.setattr(categories, "CELLS_AT_ONCE", 4)
    cells = ["a", "\ud800", "\ud801", "b", "\ud801", "\ud800", "a\udfff", *missing]
    column = as_table(pd.DataFrame({"c": pd.Series(cells, dtype=object)}))["c"]
    assert [column.categories[code] if code >= 0 else None for code in column.values] == cells

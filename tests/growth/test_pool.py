"""The conditions that rules are grown from, and the tags that are made of them."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import Condition, Tag
from pyod_explain.growth.pool import _needed_ends
from pyod_explain.input import as_table

ENDS = [-1, 0, 2, 3.5, 5]


@given(
    low=st.sampled_from(ENDS),
    high=st.sampled_from(ENDS),
    thresholds=st.lists(
        st.tuples(st.sampled_from([">=", ">", "<=", "<"]), st.sampled_from(ENDS)), unique_by=lambda one: one[0][0]
    ),
)
def test_a_tag_says_each_end_of_an_interval_once_and_means_the_same(low, high, thresholds):
    low, high = min(low, high), max(low, high)
    conditions = [Condition("x", "between", (low, high)), *(Condition("x", op, value) for op, value in thresholds)]
    said = _needed_ends(conditions)
    table = as_table(pd.DataFrame({"x": np.arange(-2, 7, 0.25)}))
    assert Tag(said).covers(table).tolist() == Tag(frozenset(conditions)).covers(table).tolist()
    sides = [one.side for one in said]
    assert sides == ["is"] or sorted(sides) == sorted(set(sides) - {"is"})

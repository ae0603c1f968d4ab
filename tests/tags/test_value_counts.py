"""Counts of the distinct values of a column are those of counting by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_tables import grouped

from pyod_explain.input import as_table
from pyod_explain.tags import count_values, gain
from pyod_explain.tags.value_counts import value_of

rows = st.lists(st.tuples(st.one_of(st.none(), st.integers(-3, 3)), st.integers(-1, 3)), min_size=1, max_size=40)


@given(rows, st.sampled_from(["float64", "Int64", "object"]))
def test_values_are_counted_for_the_normals_and_each_group(cells: Any, dtype: str) -> None:
    values, numbers = zip(*cells, strict=True)
    beyond = [None if value is None else value * 10**30 for value in values]  # whole numbers that no type holds
    typed = pd.Series(beyond if dtype == "object" else values, dtype=dtype)
    column = as_table(pd.DataFrame({"x": typed}))["x"]
    seen = count_values(column, grouped(numbers))
    scale = 10**30 if dtype == "object" and any(beyond) else 1
    distinct = sorted({value for value, number in cells if value is not None and number >= 0})
    assert [value_of(column, seen, i) for i in range(seen.n_distinct)] == [value * scale for value in distinct]
    for k in range(seen.n_groups + 1):
        mine = [value for value, number in cells if number == k]
        by_hand = [mine.count(value) for value in distinct]
        assert seen.counts(range(len(distinct)))[k].tolist() == by_hand
        assert seen.below(range(len(distinct) + 1))[k].tolist() == [sum(by_hand[:p]) for p in range(len(distinct) + 1)]
        assert (seen.missing[k], seen.present[k]) == (mine.count(None), sum(by_hand))


def test_a_condition_that_tells_nothing_gains_nothing() -> None:
    assert gain([3, 0, 6], [30, 0, 60], 6, 60) == pytest.approx([0, 0, 0], abs=1e-9)
    assert (gain(np.arange(7), 0, 6, 60)[1:] > 0).all()

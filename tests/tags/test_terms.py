"""Terms: relations of two columns and parts of dates."""

import math

import numpy as np
import pandas as pd
import pytest
from exactly import related
from hypothesis import given
from hypothesis import strategies as st

from pyod_explain import Condition, DatePart, PyodExplainError, Relation
from pyod_explain.input import as_table
from pyod_explain.tags.terms import LARGEST_CELL, SMALLEST_CELL, compute_relation, usable_cells

CELLS = st.one_of(
    st.floats(allow_infinity=False),
    st.integers(-5, 5).map(float),
    st.sampled_from(
        [LARGEST_CELL, -LARGEST_CELL, SMALLEST_CELL, math.nextafter(LARGEST_CELL, math.inf), 9.9e-151, -0.0]
    ),
)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1), st.sampled_from("-/*+"))
def test_a_relation_is_what_doubles_give_and_never_overflows(cells, op):
    left, right = np.array(cells).T
    found = compute_relation(op, usable_cells(left), usable_cells(right))
    assert [None if math.isnan(one) else one for one in found.tolist()] == [related(op, a, b) for a, b in cells]
    assert not np.isinf(found).any()


@given(
    st.lists(st.tuples(st.integers(-(2**70), 2**70), st.decimals(-(10**9), 10**9, places=4)), min_size=2, max_size=9),
    st.sampled_from("-/*+"),
)
def test_whole_numbers_and_decimals_count_as_the_doubles_nearest_to_them(cells, op):
    X = pd.DataFrame({"n": [n for n, _ in cells], "d": [d for _, d in cells]}, dtype=object)
    column = as_table(X)[Relation("n", op, "d")] if op in "-/" else as_table(X)[Relation("d", op, "n")]
    pairs = [(float(n), float(d)) if op in "-/" else (float(d), float(n)) for n, d in cells]
    assert [column.cell(i) for i in range(len(cells))] == [related(op, a, b) for a, b in pairs]


@pytest.mark.parametrize("parts", [("a", "^", "b"), ("a", ["-"], "b"), ("a", "-", "a"), (1, "-", "a")])
def test_invalid_relations_are_refused(parts):
    with pytest.raises(PyodExplainError, match="a Relation"):
        Relation(*parts)


def test_parts_of_dates():
    stamps = pd.to_datetime(["2024-01-06 22:30", None, "2024-01-08 03:00"])
    table = as_table(
        pd.DataFrame({"when": stamps, "zoned": stamps.tz_localize("UTC").tz_convert("Asia/Tokyo"), "x": 1})
    )
    assert [table[DatePart("when", "hour")].cell(i) for i in range(3)] == [22, None, 3]
    assert [table[DatePart("zoned", "weekday")].cell(i) for i in range(3)] == [6, None, 0]
    assert table[DatePart("x", "hour")].missing.all()
    assert str(DatePart("when", "hour")) == "hour of when"
    for wrong in (7, -1, 1.5, "Monday"):
        with pytest.raises(PyodExplainError, match="weekday"):
            Condition(DatePart("when", "weekday"), "==", wrong)
    with pytest.raises(PyodExplainError, match="DatePart"):
        DatePart("when", "minute")

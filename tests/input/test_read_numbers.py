"""What is printed of numbers is true of the cells as they are, whatever their type and container."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from by_hand import explain_by
from exactly import COMPARE, TYPES, VALUES, check_items, column, fraction, judged, plain
from hypothesis import given, settings
from hypothesis import strategies as st

from pyod_explain import Condition, Explanation, PyodExplainError, Tag, explain
from pyod_explain.groups import Groups
from pyod_explain.input import as_table
from pyod_explain.tags import count_values
from pyod_explain.tags.cuts import threshold


@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_counts_are_those_of_the_cells_as_they_are(name, data):
    strategy, make = TYPES[name]
    cells = data.draw(strategy)
    y = [0, 1, *data.draw(st.lists(st.integers(0, 1), min_size=len(cells) - 2, max_size=len(cells) - 2))]
    check_items(make(cells), [fraction(cell) for cell in cells], y)


@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_conditions_of_any_number_on_cells_of_any_type(name, data):
    """Conditions that a user gives, which need not be of the type of the cells."""
    strategy, make = TYPES[name]
    cells = data.draw(strategy)
    column = next(iter(as_table(make(cells)).columns.values()))
    assert [fraction(column.cell(row)) for row in range(len(cells))] == [fraction(cell) for cell in cells]
    value = data.draw(st.one_of(VALUES, st.sampled_from(cells).map(plain)))
    among = Condition("x", "in", [plain(cell) for cell in cells[:2]])
    assert among.holds(column).tolist() == [judged(among, fraction(cell)) for cell in cells]
    for op, compare in COMPARE.items():
        if isinstance(value, float) and not math.isfinite(value):
            by_hand = [compare(float(fraction(cell)), value) for cell in cells]  # a double is near enough
        else:
            by_hand = [judged(Condition("x", op, value), fraction(cell)) for cell in cells]
        assert Condition("x", op, value).holds(column).tolist() == by_hand, (op, value)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.floats(-10, 10, width=32), min_size=6, max_size=14, unique=True),
    st.lists(st.floats(-10, 10, width=32), min_size=1, max_size=6),
)
def test_a_float32_column_and_its_copies_are_one(cells, more):
    narrow = np.array(cells, dtype=np.float32)
    y = [1 if rank >= len(cells) // 2 else 0 for rank in np.argsort(np.argsort(narrow))]
    table = as_table(pd.DataFrame({"x": narrow}))
    seen = count_values(table["x"], Groups(np.array(y), ("1",), "given"))
    condition = threshold(table["x"], seen, len(cells) // 2)[1]
    e = explain_by([[Tag.of(condition)]], pd.DataFrame({"x": narrow}), y)
    again = Explanation.from_json(e.to_json())
    rows = np.array([*cells, *more, condition.value], dtype=np.float32)
    wanted = [int(judged(condition, fraction(cell))) for cell in rows]
    for new in (
        pd.DataFrame({"x": rows}),
        pd.DataFrame({"x": rows.astype(np.float64)}),
        pd.DataFrame({"x": pd.array(rows, dtype="Float32")}),
        pd.DataFrame({"x": pd.Series(list(rows), dtype=object)}),
        pl.DataFrame({"x": rows}),
    ):
        assert e.predict(new).tolist() == again.predict(new).tolist() == wanted


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([10**400, 1], "fit into a float"),
        ([Decimal("1e400"), Decimal(1)], "fit into a float"),
        ([Decimal("Infinity"), Decimal(1)], "must be finite, got 1 infinite value"),
        ([10**400, 0.5], "fit into a float"),
        ([2**53 + 1, math.inf, 0.5], "must be finite, got 1 infinite value"),
        ([Decimal("sNaN"), Decimal(1)], "signaling NaN"),
        ([np.longdouble("1e400"), np.longdouble(1)], "must be finite"),
    ],
    ids=repr,
)
def test_numbers_without_a_place_among_floats_are_refused(cells, message):
    with pytest.raises(PyodExplainError, match=f"Column 'x' of `X` .*{message}"):
        as_table(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))


def test_decimals_are_printed_as_people_write_them():
    assert str(Condition("x", ">=", Decimal("1E+3"))) == "x >= 1000"
    assert str(Condition("x", ">=", Decimal("1.10"))) == "x >= 1.10"
    e = explain(
        [0] * 40 + [1] * 4, pd.DataFrame({"x": [Decimal(n % 20).scaleb(-2) for n in range(40)] + [Decimal(9)] * 4})
    )
    assert [str(rule.tag) for rule in e.rules] == ["x >= 5"]


def test_numbers_stay_exact():
    assert column([2**63, 2**64 - 1]).values.tolist() == [2**63, 2**64 - 1]
    assert column([2**53 + 1, None], object).values[0] == 2**53 + 1
    assert column(np.array([0.1], dtype=np.float32)).values.dtype == np.float32

"""An Arrow array is read as the table in memory would be, whatever its type."""

from __future__ import annotations

import arrow_cells
import numpy as np
import pyarrow as pa
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.input import as_table
from pyod_explain.source import arrow_column

COLUMNS = arrow_cells.columns()


@pytest.mark.parametrize("name", COLUMNS)
def test_every_type_is_read_as_in_a_table(name):
    for cells in arrow_cells.pieces(COLUMNS[name]):
        if not len(cells):
            continue  # a table without rows is refused
        expected = as_table(pa.table({"x": cells}))["x"]
        found = arrow_column("x", cells)
        assert found.same_cells(expected)
        assert (found.kind, found.values.dtype, found.timezone) == (
            expected.kind,
            expected.values.dtype,
            expected.timezone,
        )
        assert found.categories == expected.categories
        if found.kind == "number":
            assert np.signbit(found.floats()).tolist() == np.signbit(expected.floats()).tolist()


@pytest.mark.parametrize("name", COLUMNS)
def test_cells_that_are_only_compared_are_the_same_cells(name):
    for cells in arrow_cells.pieces(COLUMNS[name]):
        strict, loose = arrow_column("x", cells), arrow_column("x", cells, in_order=False)
        assert [loose.cell(i) for i in range(len(cells))] == [strict.cell(i) for i in range(len(cells))]


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_infinite_cells_are_refused_as_in_a_table(kind):
    with pytest.raises(PyodExplainError, match="Column 'x' of `X` must be finite, got 2 infinite values"):
        arrow_column("x", pa.array([1.0, float("inf"), None, -float("inf")], kind))


def test_moments_beyond_64_bits_of_nanoseconds_are_refused():
    with pytest.raises(PyodExplainError, match="between the years 1678 and 2262"):
        arrow_column("x", pa.array([10**12], pa.timestamp("s")))
    with pytest.raises(PyodExplainError, match="less than 292 years"):
        arrow_column("x", pa.array([10**12], pa.duration("s")))
    with pytest.raises(PyodExplainError, match="between the years 1678 and 2262"):
        arrow_column("x", pa.array([10**6], pa.date32()))

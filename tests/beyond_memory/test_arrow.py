"""An Arrow array is read as the table in memory would be, whatever its type."""

import datetime as dt

import arrow_cells
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pyod_explain import PyodExplainError
from pyod_explain.input import arrow_column, as_table, frame_from_arrow

COLUMNS = arrow_cells.columns()


def as_user_sees(cell):
    """Give a cell of Arrow as Python has it: the oracle of what is read."""
    value = cell.as_py()
    if isinstance(value, float) and np.isnan(value):
        return None
    return pd.Timestamp(value) if isinstance(value, dt.date) else value


@pytest.mark.parametrize("name", [name for name in COLUMNS if name != "time64[ns]"])
def test_every_type_is_read_as_python_sees_it(name):
    for cells in arrow_cells.pieces(COLUMNS[name]):
        found = arrow_column("x", cells)
        assert [found.cell(i) for i in range(len(cells))] == [as_user_sees(cell) for cell in cells]
        assert list(found.categories) == sorted(found.categories)
        if not found.missing.all():
            frame = pd.DataFrame({"x": cells.to_pylist()}, dtype=object)
            assert as_table(frame)["x"].kind == found.kind


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


def test_only_what_doubles_cannot_hold_is_changed():
    table = pa.table(
        {"k": [2**60 + 1, None], "n": [1, None], "u": pa.array([2**64 - 1, None], pa.uint64()), "m": [2**60 + 1, 5]}
    )
    frame = frame_from_arrow(table)
    assert frame.dtypes.astype(str).to_dict() == {"k": "Int64", "n": "float64", "u": "UInt64", "m": "int64"}
    assert (frame["k"][0], frame["u"][0], frame["m"][0]) == (2**60 + 1, 2**64 - 1, 2**60 + 1)
    assert frame.isna().sum().to_dict() == {"k": 1, "n": 1, "u": 1, "m": 0}


def test_columns_of_one_name_stay_as_pandas_reads_them():
    table = pa.Table.from_arrays([pa.array([2**60, None]), pa.array([1, 2])], names=["k", "k"])
    assert list(frame_from_arrow(table).columns) == ["k", "k"]

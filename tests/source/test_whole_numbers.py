"""Whole numbers with gaps among them, from Arrow to pandas."""

import pyarrow as pa

from pyod_explain.source import frame_with_all_digits


def test_only_what_doubles_cannot_hold_is_changed():
    table = pa.table(
        {"k": [2**60 + 1, None], "n": [1, None], "u": pa.array([2**64 - 1, None], pa.uint64()), "m": [2**60 + 1, 5]}
    )
    frame = frame_with_all_digits(table)
    assert frame.dtypes.astype(str).to_dict() == {"k": "Int64", "n": "float64", "u": "UInt64", "m": "int64"}
    assert (frame["k"][0], frame["u"][0], frame["m"][0]) == (2**60 + 1, 2**64 - 1, 2**60 + 1)
    assert frame.isna().sum().to_dict() == {"k": 1, "n": 1, "u": 1, "m": 0}


def test_columns_of_one_name_stay_as_pandas_reads_them():
    table = pa.Table.from_arrays([pa.array([2**60, None]), pa.array([1, 2])], names=["k", "k"])
    assert list(frame_with_all_digits(table).columns) == ["k", "k"]

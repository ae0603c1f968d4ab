"""`arrow_column`: an Arrow array as a `Column`, in the meaning that a table in memory would have.

Texts are read by their codes, all other types as pandas has them. Missing is what is null or NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain._validate import optional
from pyod_explain.input.categories import sorted_categories
from pyod_explain.input.columns import read_column
from pyod_explain.input.table import Column, Table
from pyod_explain.input.values import EXACT_UP_TO

_WHOLE = [f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64)]
# What pandas keeps cells in where some are null; numbers would become floats.
_NULLABLE = {name: pd.api.types.pandas_dtype(name.replace("u", "U").replace("i", "I")) for name in _WHOLE}
_NULLABLE["bool"] = pd.BooleanDtype()


def pyarrow() -> Any:
    """Give the package, or say how to install it."""
    return optional("pyarrow", "to read Arrow data and parquet files", extra="arrow")


def arrow_table(batch: Any, names: Iterable[str], index: pd.Index[Any] | None = None, *, argument: str = "X") -> Table:
    """Read columns of a record batch or Arrow table as a `Table`.

    Parameters
    ----------
    batch : the rows.
    names : the columns to read.
    index : the user's own row labels; 0, 1, 2, ... where None.
    argument : what to call the table in an error message.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = arrow_table(pa.table({"a": [1, None], "b": ["x", "y"]}), ["a", "b"])
    >>> table["a"].missing.tolist(), table["b"].categories
    ([False, True], ('x', 'y'))
    """
    columns = {name: arrow_column(name, batch.column(name), argument) for name in names}
    return Table(columns, pd.RangeIndex(batch.num_rows) if index is None else index, labelled=index is not None)


def arrow_column(name: str, cells: Any, argument: str = "X", *, in_order: bool = True) -> Column:
    """Read an Arrow array as a column.

    Parameters
    ----------
    name : of the column.
    cells : the array, in one piece or in chunks.
    argument : what to call the table in an error message.
    in_order : False where cells are only compared: the order of the categories, and whether all of them occur, do not
        matter then.
    """
    pa = pyarrow()
    cells = _one_piece(cells)
    types, kind = pa.types, cells.type
    if types.is_dictionary(kind) and not _is_text(kind.value_type):
        return arrow_column(name, _plain(cells), argument, in_order=in_order)
    if types.is_dictionary(kind) or _is_text(kind):
        return _texts(name, cells, in_order=in_order)
    if str(kind) == "time64[ns]":
        times, texts = cells.cast(pa.time64("us"), safe=False).to_pylist(), cells.cast(pa.string()).to_pylist()
        # Python's own times have no nanoseconds.
        pairs = zip(times, texts, strict=True)
        found = [time if time is None or text.endswith("000") else text for time, text in pairs]
        return read_column(name, pd.Series(found, dtype=object), argument)
    plain = types.is_integer, types.is_floating, types.is_boolean, types.is_timestamp, types.is_duration, types.is_date
    if cells.null_count < len(cells) and any(is_kind(kind) for is_kind in plain):
        nullable = _NULLABLE.get(str(kind)) if cells.null_count else None
        return read_column(name, cells.to_pandas(types_mapper=lambda _: nullable, date_as_object=False), argument)
    return read_column(name, pd.Series(cells.to_pylist(), dtype=object), argument)


def check_cells(name: str, cells: Any) -> None:
    """Refuse what no table may hold, infinite numbers and times beyond all clocks, wherever it stands."""
    types, kind = pyarrow().types, cells.type
    if types.is_floating(kind) or types.is_timestamp(kind) or types.is_duration(kind) or types.is_date(kind):
        arrow_column(name, cells, in_order=False)


def _one_piece(cells: Any) -> Any:
    pa = pyarrow()
    if not isinstance(cells, pa.ChunkedArray):
        return cells
    if cells.num_chunks == 1:
        return cells.chunk(0)
    if pa.types.is_dictionary(cells.type):
        parts = [_plain(chunk) for chunk in cells.chunks]  # each may have a dictionary of its own
        return pa.concat_arrays(parts) if parts else pa.nulls(0, cells.type.value_type)
    whole = cells.combine_chunks()
    return whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole


def _is_text(kind: Any) -> bool:
    types = pyarrow().types
    return types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view"


def _plain(cells: Any) -> Any:
    """Give a dictionary-encoded array as what it stands for."""
    values = cells.dictionary
    return _cast(values, _type(values.type)).take(cells.indices)


def _texts(name: str, cells: Any, *, in_order: bool) -> Column:
    pa = pyarrow()
    # Entries of a dictionary that do not occur, that are missing or that occur twice are for the encoder to sort out.
    entries = cells.dictionary if pa.types.is_dictionary(cells.type) else None
    if entries is not None and (in_order or entries.null_count or len(entries.unique()) < len(entries)):
        cells = _plain(cells)
    if not pa.types.is_dictionary(cells.type):
        cells = _cast(cells, _type(cells.type)).dictionary_encode()  # without views, which the encoder does not take
    texts: list[str] = cells.dictionary.to_pylist()
    codes = np.array(cells.indices.cast(pa.int32()).fill_null(-1).to_numpy(zero_copy_only=False))
    missing = codes < 0
    if missing.all():
        return Column(name, "number", np.full(len(codes), np.nan), missing)
    if in_order:
        return sorted_categories(name, codes, texts, missing)
    return Column(name, "category", codes, missing, tuple(texts))


def schema_without_views(schema: Any) -> Any:
    """Give a schema that has large texts and bytes in the place of views."""
    return pyarrow().schema([one.with_type(_type(one.type)) for one in schema], metadata=schema.metadata)


def without_views(batches: Iterable[Any]) -> Iterator[Any]:
    """Give batches that have large texts and bytes in the place of views, which cannot be taken or joined everywhere.

    >>> import pyarrow as pa
    >>> views = pa.record_batch({"a": pa.array(["x", None], pa.string_view())})
    >>> next(without_views([views])).schema.field("a").type
    DataType(large_string)
    """
    pa = pyarrow()
    for batch in batches:
        wanted = schema_without_views(batch.schema)
        if wanted.types == batch.schema.types:
            yield batch
            continue
        cells = [_cast(column, kind) for column, kind in zip(batch.columns, wanted.types, strict=True)]
        yield pa.RecordBatch.from_arrays(cells, schema=wanted)


def _type(kind: Any) -> Any:
    """Give the type without views; that of the texts where a dictionary has views."""
    pa = pyarrow()
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return {"string_view": pa.large_string(), "binary_view": pa.large_binary()}.get(str(value), kind)


def _cast(cells: Any, kind: Any) -> Any:
    if cells.type == kind:
        return cells
    return _plain(cells).cast(kind) if pyarrow().types.is_dictionary(cells.type) else cells.cast(kind)


def frame_from_arrow(table: Any) -> pd.DataFrame:
    """Make a frame of an Arrow table; whole numbers with gaps that doubles cannot hold get a nullable type.

    >>> import pyarrow as pa
    >>> frame_from_arrow(pa.table({"k": [2**60 + 1, None], "n": [1, None]}))["k"].tolist()
    [1152921504606846977, <NA>]
    """
    frame: pd.DataFrame = table.to_pandas()
    if not frame.columns.is_unique:
        return frame
    exact = {}
    for name in frame.columns.intersection(table.schema.names):
        kind = str(table.schema.field(name).type)
        if "int" in kind and frame[name].dtype == "float64" and (frame[name].abs() >= EXACT_UP_TO).any():
            cells = table.column(name).to_pandas(types_mapper=lambda _, kind=kind: _NULLABLE[kind])
            exact[name] = pd.Series(cells.array, index=frame.index)
    return frame.assign(**exact)

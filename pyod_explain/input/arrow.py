"""`arrow_column`: an Arrow array as a `Column`, in the meaning that a table in memory would have.

The usual types (numbers, booleans, texts, dates and times) are read as arrays, without a Python object for each cell;
the others go the way of any table. Missing is what is null or NaN: that is decided here, once for all engines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._validate import optional
from pyod_explain.input.categories import sort_key
from pyod_explain.input.columns import read_column, wide
from pyod_explain.input.errors import infinite_cells
from pyod_explain.input.table import Column, Table
from pyod_explain.input.times import durations, moments, times_of_day
from pyod_explain.input.values import EXACT_UP_TO, zone_name


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
    rows = pd.RangeIndex(batch.num_rows) if index is None else index
    return Table(columns, rows, labelled=index is not None)


def arrow_column(name: str, cells: Any, argument: str = "X", *, in_order: bool = True) -> Column:
    """Read an Arrow array as a column.

    Parameters
    ----------
    name : of the column.
    cells : the array, in one piece or in chunks.
    argument : what to call the table in an error message.
    in_order : False where cells are only compared: the order of the categories, whether all of them occur, and the
        sign of 0 do not matter then.
    """
    pa = pyarrow()
    cells = _one_piece(cells)
    types, kind = pa.types, cells.type
    if types.is_dictionary(kind) or _is_text(kind):
        texts = _codes(cells, in_order=in_order)
        if texts is None:  # a dictionary of something else
            return arrow_column(name, _plain(cells), argument, in_order=in_order)
        return _texts(name, *texts, in_order=in_order)
    if types.is_integer(kind):
        missing = _nulls(cells)
        values = _values(cells, missing, 0)
        return Column(name, "number", values.astype(wide(values.dtype), copy=False), missing)
    if types.is_float32(kind) or types.is_float64(kind):
        return _floats(name, cells, argument, as_written=in_order)
    missing = _nulls(cells)
    if types.is_timestamp(kind):
        return moments(name, _counts(cells, missing), kind.unit, missing, _zone(kind.tz), argument)
    if types.is_duration(kind):
        return durations(name, _counts(cells, missing), kind.unit, missing, argument)
    if types.is_null(kind) or (missing.all() and _read_as_objects(kind)):  # of no kind, as in any table
        return Column(name, "number", np.full(len(missing), np.nan), missing)
    if types.is_boolean(kind):
        return Column(name, "boolean", _booleans(cells, missing), missing, (False, True))
    if types.is_date32(kind):
        days = _values(cells.view(pa.int32()), missing, 0).astype(np.int64)
        return moments(name, days * 86_400, "s", missing, None, argument)
    if str(kind) == "time64[ns]":  # finer than Python's own
        return read_column(name, times_of_day(_counts(cells, missing), missing), argument)
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
    if str(values.type) == "string_view":  # which casts of dictionaries do not take
        values = values.cast(pyarrow().large_string())
    return values.take(cells.indices)


def _codes(cells: Any, *, in_order: bool) -> tuple[NDArray[np.int32], list[str]] | None:
    """Give the code of each text, -1 where it is missing, and the texts; None of a dictionary of anything else."""
    pa = pyarrow()
    if pa.types.is_dictionary(cells.type):
        if not _is_text(cells.type.value_type):
            return None
        texts = cells.dictionary.to_pylist()
        # Entries that do not occur, that are missing or that occur twice are for the encoder to sort out.
        if in_order or cells.dictionary.null_count or len(set(texts)) < len(texts):
            cells = _plain(cells)
    if not pa.types.is_dictionary(cells.type):
        if str(cells.type) == "string_view":  # which the encoder does not take
            cells = cells.cast(pa.large_string())
        cells = cells.dictionary_encode()
        texts = cells.dictionary.to_pylist()
    indices = cells.indices
    missing = _nulls(indices)
    codes = _values(indices, missing, 0).astype(np.int32)
    if missing.any():
        codes[missing] = -1
    return codes, texts


def _texts(name: str, codes: NDArray[np.int32], texts: list[str], *, in_order: bool) -> Column:
    missing = codes < 0
    if missing.all():
        return Column(name, "number", np.full(len(codes), np.nan), missing)
    if in_order:
        order = sorted(range(len(texts)), key=lambda i: sort_key(texts[i]))
        rank = np.empty(len(texts) + 1, dtype=np.int32)
        rank[order] = np.arange(len(texts), dtype=np.int32)
        rank[-1] = -1  # the code of missing cells, which indexes the last entry
        codes, texts = rank[codes], [texts[i] for i in order]
    return Column(name, "category", codes, missing, tuple(texts))


def _floats(name: str, cells: Any, argument: str, *, as_written: bool) -> Column:
    values = cells.to_numpy(zero_copy_only=False)  # null becomes NaN
    finite = np.isfinite(values)
    if finite.all():
        missing = np.zeros(len(values), dtype=bool)
    else:
        missing = np.isnan(values)
        infinite = int((~(finite | missing)).sum())
        if infinite:
            raise infinite_cells(name, argument, infinite)
    if as_written:
        values = values + 0.0  # -0.0 becomes 0.0: equal numbers that would be written in two ways
    return Column(name, "number", values, missing)


def _booleans(cells: Any, missing: NDArray[np.bool_]) -> NDArray[np.int32]:
    codes = _values(cells, missing, value=False).astype(np.int32)
    codes[missing] = -1
    return codes


def _nulls(cells: Any) -> NDArray[np.bool_]:
    if not cells.null_count:
        return np.zeros(len(cells), dtype=bool)
    return np.asarray(cells.is_null().to_numpy(zero_copy_only=False), dtype=bool)


def _values(cells: Any, missing: NDArray[np.bool_], value: Any) -> NDArray[Any]:
    """Give the cells as an array of their own type, with `value` in the gaps."""
    if missing.any():
        cells = cells.fill_null(pyarrow().scalar(value, cells.type))
    return np.asarray(cells.to_numpy(zero_copy_only=False))


def _counts(cells: Any, missing: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Give times as whole numbers of their unit."""
    return np.asarray(_values(cells.view(pyarrow().int64()), missing, 0))


def _zone(name: str | None) -> str | None:
    return None if name is None else zone_name(pd.Timestamp("2000-01-01", tz=zone_name(name)).tz)


def _read_as_objects(kind: Any) -> bool:
    """Tell whether a table reads such cells one by one, so that a column without any has no kind."""
    types = pyarrow().types
    return not (types.is_timestamp(kind) or types.is_duration(kind))


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
    pa = pyarrow()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _type(kind.value_type), kind.ordered)
    return {"string_view": pa.large_string(), "binary_view": pa.large_binary()}.get(str(kind), kind)


def _cast(cells: Any, kind: Any) -> Any:
    pa = pyarrow()
    if cells.type == kind:
        return cells
    if not pa.types.is_dictionary(kind):
        return cells.cast(kind)
    texts = cells.dictionary.cast(kind.value_type)
    return pa.DictionaryArray.from_arrays(cells.indices, texts, ordered=kind.ordered)


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
        kind = table.schema.field(name).type
        if str(kind) in _NULLABLE and frame[name].dtype == "float64" and (frame[name].abs() >= EXACT_UP_TO).any():
            cells = table.column(name).to_pandas(types_mapper={kind: _NULLABLE[str(kind)]}.get)
            exact[name] = pd.Series(cells.array, index=frame.index)
    return frame.assign(**exact)


_NULLABLE = {"int64": pd.Int64Dtype(), "uint64": pd.UInt64Dtype()}

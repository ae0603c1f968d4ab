"""Views of texts and bytes, as Polars hands them over, in the types that all of Arrow's functions take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyod_explain.source.arrow_column import pyarrow

__all__ = ["schema_without_views", "without_views"]


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

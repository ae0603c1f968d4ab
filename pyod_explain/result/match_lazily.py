"""What the rules say of a lazy frame, as a lazy frame of the same library: nothing is computed before somebody asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pyod_explain._optional import optional
from pyod_explain.beyond_memory import as_batches, pyarrow
from pyod_explain.result.said import Said

__all__ = ["dask_frame", "spark_frame"]


def dask_frame(said: Said, frame: Any) -> Any:
    """Give a Dask DataFrame of what is said, partition by partition."""
    empty = _of_frame(frame._meta, said)  # noqa: SLF001 - Dask has no other way to tell
    return frame.map_partitions(_of_frame, said, meta=empty)


def _of_frame(frame: pd.DataFrame, said: Said) -> pd.DataFrame:
    """Give what is said of a partition, beside its rows if that is asked, with its row labels."""
    named = frame.rename(columns=str)
    cells = pyarrow().Table.from_batches(list(as_batches(named[said.needed or named.columns[:1]])))
    pa = pyarrow()
    gaps = {pa.int64(): pd.Int64Dtype(), pa.string(): pd.StringDtype()}  # also where this partition has none
    ours = {name: one.to_pandas(types_mapper=gaps.get) for name, one in zip(said.names, said.of(cells), strict=True)}
    columns = pd.DataFrame(ours).set_axis(frame.index, axis=0)
    if said.what != "matches":
        columns = columns.astype({said.names[0]: "int64"})  # each row has a group, 0 if no other
    return pd.concat([frame, columns], axis=1) if said.beside else columns


def spark_frame(said: Said, frame: Any) -> Any:
    """Give a Spark DataFrame of what is said, partition by partition."""
    kinds = optional("pyspark.sql.types", "to write Spark DataFrames", extra="spark")
    types = {"int64": kinds.LongType(), "string": kinds.StringType(), "bool": kinds.BooleanType()}
    ours = [kinds.StructField(name, types[str(one)]) for name, one in zip(said.names, said.types, strict=True)]
    theirs = list(frame.schema.fields) if said.beside else []
    return frame.mapInArrow(_OfBatches(said), kinds.StructType([*theirs, *ours]))


@dataclass(frozen=True, eq=False)
class _OfBatches:
    """Says of each batch of a partition what the rules say, beside its rows if that is asked."""

    said: Said

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        pa = pyarrow()
        for batch in batches:
            theirs = batch.columns if self.said.beside else []
            names = batch.schema.names if self.said.beside else []
            yield pa.RecordBatch.from_arrays([*theirs, *self.said.of(batch)], names=[*names, *self.said.names])

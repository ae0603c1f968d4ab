"""What the rules say of a lazy frame, as a lazy frame of the same library: nothing is computed before somebody asks."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pyod_explain.result.said import Said
from pyod_explain.source.arrow_column import pyarrow
from pyod_explain.source.chunked import as_batches

__all__ = ["dask_frame"]


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

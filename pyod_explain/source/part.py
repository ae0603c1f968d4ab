"""`Part`: rows of a source that another process can read by itself, and knows the numbers of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from pyod_explain.source.source import Chunk, Source

__all__ = ["Part"]


@dataclass(frozen=True, eq=False)
class Part:
    """Some consecutive rows of a source, as another process gets them.

    Attributes
    ----------
    held : a source of these rows alone, which can be pickled; or what an engine turns into one where it reads it.
    start : how many rows of the whole stand before them.
    numbered : labels of all rows of the whole, where these follow from their numbers.
    """

    held: Any
    start: int
    numbered: pd.RangeIndex | None = None

    def chunks(self, source: Source, columns: Sequence[str], *, labels: bool) -> Iterator[Chunk]:
        """Give the rows in chunks that know their numbers in the whole.

        Parameters
        ----------
        source : what is held, as a source.
        columns : names of the columns.
        labels : True to have the row labels too.
        """
        for chunk in source.chunks(columns, labels=labels):
            start, index = chunk.start + self.start, chunk.index
            if labels and index is None and self.numbered is not None:
                index = self.numbered[start : start + chunk.n_rows]
            yield replace(chunk, start=start, index=index)

"""`Tally`: the values of a column and how many rows have each, of a table or of rows beyond memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.beyond_memory import Source, pyarrow

__all__ = ["Tally", "tally_of_source"]

MOST = 1_000_000  # values that are counted of rows beyond memory; no column of labels has so many


@dataclass(frozen=True, eq=False)
class Tally:
    """What a column holds.

    Attributes
    ----------
    values : each value once, in the type of the column; the most frequent first.
    counts : how many rows have each.
    gaps : how many rows have none.
    cut : there are more values than were counted.
    """

    values: pd.Series[Any]
    counts: list[int]
    gaps: int
    cut: bool = False

    @classmethod
    def of(cls, series: pd.Series[Any]) -> Tally:
        """Count the values of a column.

        >>> Tally.of(pd.Series(["b", "a", None, "a"])).words
        {'a': 2, 'b': 1}
        """
        found = series.value_counts()
        found = found[found > 0]  # a category may have no row
        values = pd.Series(found.index.astype(series.dtype) if len(found) else found.index, dtype=series.dtype)
        return cls(values, [int(n) for n in found], int(series.isna().sum()))

    @property
    def words(self) -> dict[str, int]:
        """How many rows have each value, by its text."""
        return {str(value): n for value, n in zip(self.values.tolist(), self.counts, strict=True)}

    @property
    def n_rows(self) -> int:
        """All rows that were counted."""
        return sum(self.counts) + self.gaps

    def quantile(self, share: float) -> float:
        """Give the number that this share of the rows does not exceed; between two of them a number in between.

        >>> Tally.of(pd.Series([1, 1, 1, 2])).quantile(0.75)
        1.25
        """
        values = self.values.to_numpy(dtype=np.float64)
        order = np.argsort(values)
        up_to = np.cumsum(np.array(self.counts)[order])
        place = share * (up_to[-1] - 1)
        low, high = (
            values[order][np.searchsorted(up_to, at, side="right")] for at in (int(place), int(np.ceil(place)))
        )
        return float(low + (high - low) * (place - int(place)))


def tally_of_source(source: Source, column: str) -> Tally:
    """Count the values of a column of rows beyond memory, which is read once, alone.

    Parameters
    ----------
    source : the rows.
    column : its name.
    """
    pa = pyarrow()
    counts: Counter[Any] = Counter()
    kind = source.schema.field(column).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    gaps = 0
    for chunk in source.chunks([column]):
        cells = chunk.batch.column(column)
        cells = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
        found = cells.value_counts()
        for value, n in zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True):
            if value is None or value != value:  # noqa: PLR0124 - what is not itself is not a number
                gaps += n
            else:
                counts[value] += n
        if len(counts) > MOST:
            break
    known = counts.most_common()
    values = pa.array([value for value, _ in known], kind).to_pandas()
    return Tally(values, [n for _, n in known], gaps, cut=len(counts) > MOST)

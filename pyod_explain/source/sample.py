"""`Sample`: some rows of a stream, drawn evenly, that do not depend on how the rows come in chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.source.arrow_column import pyarrow
from pyod_explain.source.source import Chunk, without_dictionaries

__all__ = ["EVERY_LOT", "Kept", "Sample", "draw_numbers"]

EVERY_LOT = 2**64 - 1  # the highest there is
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def draw_numbers(rows: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """Give each row of a stream its lot, by its number and the seed: the lowest are drawn.

    The mixer of splitmix64, one to one on 64 bits, so that no two rows draw the same lot.

    >>> draw_numbers(np.array([0, 1]), 0).tolist() == draw_numbers(np.arange(2), 0).tolist()
    True
    """
    with np.errstate(over="ignore"):
        lots = (rows.astype(np.uint64) + np.uint64(1)) * GOLDEN + np.uint64(seed % 2**64) * SECOND
        lots = (lots ^ (lots >> np.uint64(30))) * FIRST
        lots = (lots ^ (lots >> np.uint64(27))) * SECOND
    return np.asarray(lots ^ (lots >> np.uint64(31)))


class Kept:
    """Rows of a stream that are kept: their cells, numbers, labels and whatever else there is a number of for each."""

    def __init__(self) -> None:
        self._batches: list[Any] = []
        self._index: list[pd.Index[Any]] = []
        self._others: list[tuple[NDArray[Any], ...]] = []
        self.n_rows = 0

    def add(self, chunk: Chunk, rows: NDArray[np.intp], *others: NDArray[Any]) -> None:
        """Keep these rows of a chunk, and what is told of each."""
        if not len(rows):
            return
        # Each chunk has a dictionary of its own, which may be larger than what is kept.
        self._batches.append(without_dictionaries(chunk.batch.take(pyarrow().array(rows))))
        self._index.append(pd.Index(rows + chunk.start) if chunk.index is None else chunk.index[rows])
        self._others.append((rows.astype(np.int64) + chunk.start, *others))
        self.n_rows += len(rows)

    def take(self, rows: NDArray[np.intp]) -> Kept:
        """Keep some of these rows only."""
        taken = Kept()
        cells, index, others = self.together()
        if cells is not None and len(rows):
            taken._batches = [cells.take(pyarrow().array(rows))]
            taken._index = [index[rows]]
            taken._others = [tuple(one[rows] for one in others)]
            taken.n_rows = len(rows)
        return taken

    def __add__(self, other: Kept) -> Kept:
        """Keep the rows of both."""
        both = Kept()
        both._batches = [*self._batches, *other._batches]
        both._index = [*self._index, *other._index]
        both._others = [*self._others, *other._others]
        both.n_rows = self.n_rows + other.n_rows
        return both

    def in_order(self) -> Kept:
        """Give the rows in the order of their numbers."""
        return self.take(np.argsort(self.together()[2][0], kind="stable")) if self.n_rows else self

    def together(self) -> tuple[Any, pd.Index[Any], tuple[NDArray[Any], ...]]:
        """Give the cells as one Arrow table (None if there are no rows), the labels, and what is told of each row."""
        if not self._batches:
            return None, pd.Index([]), ()
        pa = pyarrow()
        tables = [one if isinstance(one, pa.Table) else pa.Table.from_batches([one]) for one in self._batches]
        try:
            plain = [one.replace_schema_metadata(None) for one in tables]
            cells = pa.concat_tables(plain, promote_options="permissive")
        except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
            raise PyodExplainError(
                f"All chunks of `X` must have one type for each column, got several that do not go together: {error}\n"
                "Hint: give the column the same type in every chunk."
            ) from error
        index = self._index[0] if len(self._index) == 1 else self._index[0].append(self._index[1:])
        others = tuple(np.concatenate(parts) for parts in zip(*self._others, strict=True))
        self._batches, self._index, self._others = [cells.combine_chunks()], [index], [others]
        return self._batches[0], index, others


class Sample:
    """The rows with the lowest lots among all that were offered.

    Parameters
    ----------
    most : how many at most.
    seed : of the lots.
    highest : lot above which no row is kept.
    """

    def __init__(self, most: int, seed: int, highest: int = EVERY_LOT) -> None:
        self.most, self.seed = most, seed
        self.n_offered = 0
        self._kept = Kept()
        self._limit = np.uint64(highest)  # no lot above it can be among the lowest any more

    @property
    def times(self) -> int:
        """How many rows each one in the sample stands for: the first power of two that leaves few enough."""
        times = 1
        while self.n_offered // times > self.most:
            times *= 2
        return times

    @property
    def is_short(self) -> bool:
        """True if rows are missing that should be in the sample, because too few lots were looked at."""
        return self._kept.n_rows < self.n_offered // self.times

    def offer(self, chunk: Chunk, rows: NDArray[np.intp], *others: NDArray[Any]) -> None:
        """Draw among some rows of a chunk, too."""
        self.n_offered += len(rows)
        lots = draw_numbers(rows.astype(np.int64) + chunk.start, self.seed)
        low = lots <= self._limit
        self._kept.add(chunk, rows[low], lots[low], *(one[low] for one in others))
        self._cut()

    def __add__(self, other: Sample) -> Sample:
        """Draw among the rows of both."""
        both = Sample(self.most, self.seed)
        both.n_offered = self.n_offered + other.n_offered
        both._limit = min(self._limit, other._limit)
        both._kept = self._kept + other._kept
        both._cut()
        return both

    def _cut(self) -> None:
        if self._kept.n_rows > 2 * self.most:
            self._kept = self.lowest(self.most)
            self._limit = self._kept.together()[2][1].max()

    def lowest(self, n_rows: int) -> Kept:
        """Give so many of the rows, those with the lowest lots, in the order of the stream."""
        if n_rows >= self._kept.n_rows:
            return self._kept
        lots = self._kept.together()[2][1]
        return self._kept.take(np.sort(np.argpartition(lots, n_rows)[:n_rows]) if n_rows else np.empty(0, np.intp))

"""`CountTags`: how many rows of a chunk have each tag."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import count_bits
from pyod_explain.kernel.chunk_bits import ChunkBits, blocks_by_length
from pyod_explain.source import Chunk
from pyod_explain.tags import Tag

__all__ = ["CountTags"]

AT_ONCE = 32  # tags whose bits are made together: single ones are several times slower, more leave the cache


@dataclass(frozen=True, eq=False)
class CountTags:
    """Counts the rows of a chunk that have each tag; counts of chunks add up.

    Attributes
    ----------
    tags : the tags.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from pyod_explain.tags import Condition
    >>> kernel = CountTags((Tag.of(Condition("a", ">", 1)), Tag.of(Condition("a", "missing"))))
    >>> kernel(Chunk(pa.record_batch({"a": [1.0, 2.0, None, float("nan"), 5.0]}))).tolist()
    [2, 2]
    """

    labels: ClassVar[bool] = False
    threads: ClassVar[bool] = True

    tags: tuple[Tag, ...]

    @cached_property
    def bits(self) -> ChunkBits:
        """What evaluates the conditions."""
        return ChunkBits(self.tags)

    @property
    def columns(self) -> list[str]:
        """Columns that have to be read."""
        return self.bits.columns

    @cached_property
    def _blocks(self) -> list[tuple[NDArray[np.intp], int]]:
        return blocks_by_length(self.tags, self.bits.members, AT_ONCE)

    def __call__(self, chunk: Chunk) -> NDArray[np.int64]:
        rows, members = self.bits.of(chunk), self.bits.members
        counts = np.empty(len(self.tags), dtype=np.int64)
        for which, length in self._blocks:
            words = rows[members[which, 0]]
            for position in range(1, length):
                words &= rows[members[which, position]]
            counts[which] = count_bits(words)
        return counts

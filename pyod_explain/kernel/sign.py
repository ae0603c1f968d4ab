"""`SignTags`: which tags the rows of a chunk have together: distinct signatures, and how many rows have each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pyod_explain.bits import Words, conjunctions, n_words, pack, union, unpack
from pyod_explain.kernel.chunk_bits import ChunkBits
from pyod_explain.source import Chunk
from pyod_explain.tags import Tag

__all__ = ["LIMIT", "SignTags", "Signatures"]

LIMIT = 2**17  # distinct signatures that are held: few enough to be sorted anew with each chunk
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Signatures:
    """Which tags rows have together, and how many rows have just these.

    Two of them add up to those of all their rows. Where there come to be more distinct ones than `limit`, the second
    half of the tags is told no longer, again and again, down to the first `least` ones: what is left is still exact,
    and does not depend on the order in which chunks are added. If that is not enough, nothing is left (`lost`).

    Attributes
    ----------
    words : a row of packed bits for each signature: bit j if the rows have tag j.
    counts : how many rows have it.
    n_tags : how many of the first tags are told.
    least, limit : see above.
    lost : True if even the first `least` tags have too many.
    """

    words: Words
    counts: NDArray[np.int64]
    n_tags: int
    least: int
    limit: int = LIMIT
    lost: bool = False

    def __add__(self, other: Signatures) -> Signatures:
        n_tags = min(self.n_tags, other.n_tags)
        one, two = self.told(n_tags), other.told(n_tags)
        both = np.concatenate([one.words, two.words]), np.concatenate([one.counts, two.counts])
        if one.lost or two.lost:
            return replace(one, lost=True, words=one.words[:0], counts=one.counts[:0])
        return replace(one, words=both[0], counts=both[1]).merged()

    def __neg__(self) -> Signatures:
        return replace(self, counts=-self.counts)

    def __sub__(self, other: Signatures) -> Signatures:
        return self + -other

    def told(self, n_tags: int) -> Signatures:
        """Tell only the first tags."""
        if n_tags >= self.n_tags:
            return self
        width = n_words(n_tags)
        words = self.words[:, :width].copy()
        if n_tags % 64:
            words[:, -1] &= np.uint64(2 ** (n_tags % 64) - 1)
        return replace(self, words=words, n_tags=n_tags)

    def merged(self) -> Signatures:
        """Join equal signatures, and tell fewer tags where there are too many."""
        first, which = distinct_rows(self.words)
        counts = np.bincount(which, self.counts, minlength=len(first)).astype(np.int64)  # exact below 2**53
        there = counts != 0
        joined = replace(self, words=self.words[first[there]], counts=counts[there])
        if len(joined.counts) <= self.limit:
            return joined
        if self.n_tags <= self.least:
            return replace(joined, lost=True, words=joined.words[:0], counts=joined.counts[:0])
        return joined.told(max(self.n_tags // 2, self.least)).merged()

    def in_order(self) -> Signatures:
        """Give the same in an order that depends on nothing but the signatures."""
        order = np.lexsort(self.words.T[::-1]) if self.words.shape[1] else np.arange(len(self.counts))
        return replace(self, words=self.words[order], counts=self.counts[order])

    def bits(self) -> Words:
        """Give a row for each tag, and a bit for each signature: the layout of a coverage."""
        dense = unpack(self.words, self.n_tags)
        return pack(np.ascontiguousarray(dense.T))


@dataclass(frozen=True, eq=False)
class SignTags:
    """Gives the signatures of a chunk's rows; those of chunks add up.

    Attributes
    ----------
    tags : the tags, the most important ones first.
    least : how many of the first must be told.
    limit : how many distinct signatures are held.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from pyod_explain.tags import Condition
    >>> kernel = SignTags((Tag.of(Condition("a", ">", 1)), Tag.of(Condition("a", ">", 2))))
    >>> found = kernel(Chunk(pa.record_batch({"a": [1, 2, 3, 4, None]}))).in_order()
    >>> found.words.ravel().tolist(), found.counts.tolist()
    ([0, 1, 3], [2, 1, 2])
    """

    labels: ClassVar[bool] = False
    threads: ClassVar[bool] = True

    tags: tuple[Tag, ...]
    least: int = 0
    limit: int = LIMIT

    @cached_property
    def chunk_bits(self) -> ChunkBits:
        """What evaluates the conditions."""
        return ChunkBits(self.tags)

    @property
    def columns(self) -> list[str]:
        """Columns that have to be read."""
        return self.chunk_bits.columns

    def __call__(self, chunk: Chunk) -> Signatures:
        having = conjunctions(self.chunk_bits.of(chunk), self.chunk_bits.members)
        some = np.flatnonzero(unpack(union(having, range(len(having))), chunk.n_rows))  # most rows have no tag at all
        dense = unpack(having, chunk.n_rows)[:, some]
        words = pack(np.ascontiguousarray(dense.T))
        none = np.zeros((1, words.shape[1]), dtype=np.uint64)
        counts = np.append(np.ones(len(some), dtype=np.int64), chunk.n_rows - len(some))
        whole = Signatures(np.concatenate([words, none]), counts, len(self.tags), self.least, self.limit)
        return whole.merged()


def distinct_rows(words: Words) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find distinct rows of words: the first position of each, and for each row which of them it is.

    Rows are told apart by a hash, which sorts fast; that no two different rows share one is made sure.

    >>> first, which = distinct_rows(np.array([[7, 1], [0, 2], [7, 1]], dtype=np.uint64))
    >>> len(first), bool(which[0] == which[2] != which[1])
    (2, True)
    """
    if words.shape[1] == 0:
        return np.zeros(min(len(words), 1), dtype=np.intp), np.zeros(len(words), dtype=np.intp)
    keys = words[:, 0]
    if words.shape[1] > 1:
        keys = np.zeros(len(words), dtype=np.uint64)
        for column in words.T:
            keys = (keys ^ column) * _MIX
            keys ^= keys >> np.uint64(29)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    if words.shape[1] > 1 and not np.array_equal(words[first[which]], words):
        _, first, which = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return first, which.ravel()

"""Packed bits: a row of 64-bit words per tag, one bit per instance; the layout that all counting uses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, IndexArray, IntArray

Words = NDArray[np.uint64]
MAX_WORDS = 65_535 // 64
CACHED = 2**15  # words that the cache of a processor holds beside others
ROWS_PER_BLOCK = 64  # rows of a matrix handled at once: small enough for the cache, large enough for numpy


def n_words(n_bits: int) -> int:
    """Count the words that hold this many bits."""
    return -(-n_bits // 64)


def pack(rows: BoolArray) -> Words:
    """Pack booleans along the last axis, bit i of word w being element 64 w + i; the rest of a word is 0.

    >>> pack(np.array([True, False, True])).tolist()
    [5]
    """
    n_bits = rows.shape[-1]
    octets = np.zeros((*rows.shape[:-1], n_words(n_bits) * 8), dtype=np.uint8)
    packed = np.packbits(rows, axis=-1, bitorder="little")
    octets[..., : packed.shape[-1]] = packed
    return octets.view("<u8").astype(np.uint64, copy=False)


def unpack(words: Words, n_bits: int) -> BoolArray:
    """Undo `pack`.

    >>> unpack(np.array([5], dtype=np.uint64), 3).tolist()
    [True, False, True]
    """
    octets = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=n_bits, bitorder="little").view(np.bool_)


def count_bits(words: Words) -> IntArray:
    """Count the set bits along the last axis.

    >>> count_bits(np.array([[5, 1], [0, 0]], dtype=np.uint64)).tolist()
    [3, 0]
    """
    ones = np.bitwise_count(words)
    # Sums in 16 bits are several times faster than in 64; a piece of that many words cannot overflow them.
    total = np.einsum("...i->...", ones[..., :MAX_WORDS], dtype=np.uint16).astype(np.int64)
    for start in range(MAX_WORDS, ones.shape[-1], MAX_WORDS):
        total = total + np.einsum("...i->...", ones[..., start : start + MAX_WORDS], dtype=np.uint16)
    return np.asarray(total)


@dataclass(frozen=True, eq=False)
class BitPlanes:
    """How many instances each row of a table stands for, as masks under which bits are counted.

    Attributes
    ----------
    masks : for each binary digit that occurs, the rows whose number has it; None where all numbers are equal.
    worth : what a marked row counts for under each mask.
    """

    masks: Words | None
    worth: IntArray

    def part(self, words: slice) -> BitPlanes:
        """Give those of some words only."""
        return self if self.masks is None else BitPlanes(self.masks[:, words], self.worth)

    def __iter__(self) -> Iterator[tuple[Words | None, int]]:
        """Give each mask, None for no mask at all, with what it counts for."""
        return zip([None] if self.masks is None else self.masks, self.worth.tolist(), strict=True)


def bit_planes(row_counts: IntArray) -> BitPlanes:
    """Pack the binary digits of row counts, those that occur.

    >>> found = bit_planes(np.array([1, 8, 9]))
    >>> found.masks.tolist(), found.worth.tolist()
    ([[5], [6]], [1, 8])
    >>> bit_planes(np.array([6, 6, 6])).worth.tolist()  # all the same: nothing is masked
    [6]
    """
    if len(row_counts) and (row_counts == row_counts[0]).all():
        return BitPlanes(None, row_counts[:1].astype(np.int64))
    occurring = int(np.bitwise_or.reduce(row_counts, initial=0))
    places = np.array([p for p in range(occurring.bit_length()) if occurring >> p & 1], dtype=np.int64)
    return BitPlanes(pack(((row_counts >> places[:, None]) & 1).astype(bool)), 1 << places)


def count_rows(words: Words, planes: BitPlanes | None = None) -> IntArray:
    """Count the instances that the set bits along the last axis stand for: exact, however large the row counts.

    Takes a mask and a count of bits per binary digit of the row counts: no unpacking and no sum of floats.

    Parameters
    ----------
    words : packed, a bit per row of the table.
    planes : the `bit_planes` of the row counts; None where each row is one instance.

    Examples
    --------
    Three rows that stand for 10, 20 and 30 instances; the first and the last are marked:

    >>> count_rows(np.array([5], dtype=np.uint64), bit_planes(np.array([10, 20, 30]))).tolist()
    40
    """
    if planes is None:
        return count_bits(words)
    if planes.masks is None:
        return np.asarray(count_bits(words) * planes.worth[0])
    flat = words.reshape(math.prod(words.shape[:-1]), words.shape[-1])
    total = np.zeros(len(flat), dtype=np.int64)
    step = max(CACHED // max(planes.masks.size, 1), 8)  # all digits of a few rows at once: a call each would cost more
    for start in range(0, len(flat), step):
        block = slice(start, start + step)
        total[block] = count_bits(flat[block, None, :] & planes.masks) @ planes.worth
    return total.reshape(words.shape[:-1])


def unique_rows(packed: NDArray[Any]) -> tuple[IndexArray, IndexArray]:
    """Find the distinct rows of a matrix of packed bits, in the order of their bytes.

    Returns the first position of each, and for each row which of them it is. Rows without bytes are all alike.

    >>> first, which = unique_rows(np.array([[7, 1], [0, 2], [7, 1]], dtype=np.uint8))
    >>> first.tolist(), which.tolist()
    ([1, 0], [1, 0, 1])
    """
    width = packed.shape[1] * packed.itemsize
    if not width:
        return np.zeros(min(len(packed), 1), dtype=np.intp), np.zeros(len(packed), dtype=np.intp)
    rows = np.ascontiguousarray(packed)
    # Eight bytes are compared fast as a number, whose first byte counts most; more of them as they stand.
    keys = rows.view(">u8").astype(np.uint64) if width == 8 else rows.view(np.dtype((np.void, width)))
    _, first, which = np.unique(keys.ravel(), return_index=True, return_inverse=True)
    return first, which


def union(rows: Words, chosen: Iterable[int]) -> Words:
    """OR the chosen rows; no bit is set if there are none."""
    among = rows[list(chosen)]
    return np.asarray(np.bitwise_or.reduce(among, axis=0)) if len(among) else np.zeros(rows.shape[1], dtype=np.uint64)


def conjunctions(rows: Words, members: IndexArray) -> Words:
    """AND the rows that each line of `members` names, as many lines at a time as the cache holds.

    >>> conjunctions(np.array([[7], [5], [6]], dtype=np.uint64), np.array([[0, 1], [1, 2]])).tolist()
    [[5], [4]]
    """
    result = np.empty((len(members), rows.shape[1]), dtype=np.uint64)
    step = max(CACHED // max(rows.shape[1], 1), 32)  # single lines would be several times slower
    for start in range(0, len(members), step):
        block = slice(start, start + step)
        result[block] = rows[members[block, 0]]
        for position in range(1, members.shape[1]):
            result[block] &= rows[members[block, position]]
    return result


def padded(rows: Sequence[Sequence[int]]) -> IndexArray:
    """Give rows of positions the same width, by repeating the first of each, which changes no conjunction.

    >>> padded([[4, 2], [7]]).tolist()
    [[4, 2], [7, 7]]
    """
    width = max(map(len, rows), default=1)
    filled = [[*row, *[row[0]] * (width - len(row))] for row in rows]
    return np.array(filled, dtype=np.intp).reshape(len(rows), width)


def aligned(sizes: Iterable[int]) -> IndexArray:
    """Give the bit of each member of groups of these sizes, where each group starts at a word of its own.

    >>> aligned([2, 1]).tolist()
    [0, 1, 64]
    """
    counts = np.array([*sizes], dtype=np.intp)
    words = -(-counts // 64)
    skipped = 64 * (np.cumsum(words) - words) - (np.cumsum(counts) - counts)
    return np.asarray(np.arange(counts.sum()) + np.repeat(skipped, counts))

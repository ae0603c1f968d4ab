"""Packed bits: a row of 64-bit words per tag, one bit per instance; the layout that all counting uses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Words", "count", "n_words", "pack", "unpack", "weigh"]

Words = NDArray[np.uint64]
MAX_WORDS = 65_535 // 64
BLOCK = 64  # rows of a matrix handled at once: small enough for the cache, large enough for numpy


def n_words(n_bits: int) -> int:
    """Count the words that hold this many bits."""
    return -(-n_bits // 64)


def pack(rows: NDArray[np.bool_]) -> Words:
    """Pack booleans along the last axis, bit i of word w being element 64 w + i; the rest of a word is 0.

    >>> pack(np.array([True, False, True])).tolist()
    [5]
    """
    n_bits = rows.shape[-1]
    octets = np.zeros((*rows.shape[:-1], n_words(n_bits) * 8), dtype=np.uint8)
    packed = np.packbits(rows, axis=-1, bitorder="little")
    octets[..., : packed.shape[-1]] = packed
    return octets.view("<u8").astype(np.uint64, copy=False)


def unpack(words: Words, n_bits: int) -> NDArray[np.bool_]:
    """Undo `pack`.

    >>> unpack(np.array([5], dtype=np.uint64), 3).tolist()
    [True, False, True]
    """
    octets = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=n_bits, bitorder="little").view(np.bool_)


def count(words: Words) -> NDArray[np.int64]:
    """Count the set bits along the last axis.

    >>> count(np.array([[5, 1], [0, 0]], dtype=np.uint64)).tolist()
    [3, 0]
    """
    ones = np.bitwise_count(words)
    # Sums in 16 bits are several times faster than in 64; a piece of that many words cannot overflow them.
    pieces = [
        ones[..., start : start + MAX_WORDS].sum(axis=-1, dtype=np.uint16).astype(np.int64)
        for start in range(0, max(ones.shape[-1], 1), MAX_WORDS)
    ]
    return np.asarray(sum(pieces[1:], start=pieces[0]))


def weigh(words: Words, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up the weights of the set bits along the last axis; the matrix is unpacked a block of rows at a time."""
    flat = words.reshape(math.prod(words.shape[:-1]), words.shape[-1])
    total = np.empty(len(flat))
    for start in range(0, len(flat), BLOCK):
        total[start : start + BLOCK] = unpack(flat[start : start + BLOCK], len(weights)) @ weights
    result: NDArray[Any] = total.reshape(words.shape[:-1])
    return result

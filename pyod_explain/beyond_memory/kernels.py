"""`ChunkBits`: which rows of a chunk meet which conditions, packed in bits: what both kernels start from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.beyond_memory.source import Chunk
from pyod_explain.bits import Words, conjunctions, count_bits, n_words, pack, union, unpack
from pyod_explain.input import HASH_MULTIPLIER, Bound, Column, Table, arrow_column, has_hash
from pyod_explain.tags import Condition, Tag, Term, beyond, bound_of, evaluate, value_form

THRESHOLD_OPERATORS = ("<", "<=", ">", ">=")
MAX_COMPARED_CATEGORIES = 8  # categories


@dataclass(frozen=True, eq=False)
class ChunkBits:
    """Evaluates the conditions of tags on chunks, each once, by the same function as on a table in memory.

    Attributes
    ----------
    tags : the tags.

    Examples
    --------
    >>> import pyarrow as pa
    >>> bits = ChunkBits((Tag.of(Condition("a", ">", 1)), Tag.of(Condition("a", "<", 9), Condition("b", "==", "x"))))
    >>> bits.columns
    ['a', 'b']
    >>> rows = bits.of(Chunk(pa.record_batch({"a": [1, 2, None], "b": ["x", "x", "y"]})))
    >>> rows[bits.members].tolist()  # the second tag has two conditions; the first is padded with a row of ones
    [[[2], [7]], [[3], [3]]]
    """

    tags: tuple[Tag, ...]

    @cached_property
    def _numbered(self) -> tuple[list[Condition], NDArray[np.intp]]:
        """The conditions and the members at once: whoever sends this elsewhere asks for the columns before."""
        place: dict[Any, int] = {}
        conditions: list[Condition] = []
        rows = []
        for tag in self.tags:
            row = []
            for condition in tag.sorted:
                at = place.setdefault(condition.exact_key, len(conditions))
                if at == len(conditions):
                    conditions.append(condition)
                row.append(at)
            rows.append(row)
        members = np.full((len(rows), max(map(len, rows), default=1)), len(conditions), dtype=np.intp)
        for i, row in enumerate(rows):
            members[i, : len(row)] = row
        return conditions, members

    @property
    def conditions(self) -> list[Condition]:
        """All conditions of the tags, each once."""
        return self._numbered[0]

    @property
    def members(self) -> NDArray[np.intp]:
        """For each tag the rows of bits that make it: short ones are padded with the last row, which is all ones."""
        return self._numbered[1]

    @cached_property
    def columns(self) -> list[str]:
        """Columns that the tags speak of: all that has to be read."""
        return list(dict.fromkeys(name for one in self.conditions for name in one.columns))

    @cached_property
    def _asked(self) -> dict[Term, list[tuple[int, Condition]]]:
        """The conditions by what they speak of, which is made once: an hour, a difference."""
        found: dict[Term, list[tuple[int, Condition]]] = {}
        for i, one in enumerate(self.conditions):
            found.setdefault(one.column, []).append((i, one))
        return found

    def of(self, chunk: Chunk) -> Words:
        """Give a row of bits for each condition, and a last one of ones."""
        n_rows = chunk.n_rows
        columns = {name: _read(name, chunk) for name in self.columns}
        table = Table(columns, pd.RangeIndex(n_rows), labelled=False)
        octets = np.zeros((len(self.conditions) + 1, n_words(n_rows) * 8), dtype=np.uint8)
        packed = octets[:, : -(-n_rows // 8)]
        for term, conditions in self._asked.items():
            mark = _marker(table[term])
            for i, one in conditions:
                packed[i] = np.packbits(mark(one), bitorder="little")
        packed[-1] = np.packbits(np.ones(n_rows, dtype=bool), bitorder="little")
        return octets.view("<u8").astype(np.uint64, copy=False)


Mark = Callable[[Condition], NDArray[np.bool_]]


def _marker(column: Column) -> Mark:
    """Give a function that tells which cells meet a condition, made for the kind of column.

    All of them answer as `evaluate` does, which says what a condition means. For thresholds the limit in the type of
    the cells is found once for all chunks; what is said of categories is asked of each category, not of each cell.
    """
    if column.kind in ("category", "boolean"):
        return _by_category(column)
    if not column.has_order or column.values.dtype == object:
        return lambda one: evaluate(column, one.op, one.value)
    return _by_threshold(column)


def _by_threshold(column: Column) -> Mark:
    values = column.values if column.kind == "number" else column.values.view(np.int64)
    kind, zone, dtype = column.kind, column.timezone, values.dtype
    present = ~column.missing if column.missing.any() else None

    def mark(one: Condition) -> NDArray[np.bool_]:
        if one.op not in THRESHOLD_OPERATORS or not has_hash(one.value):
            return evaluate(column, one.op, one.value)
        found = beyond(values, _bound(kind, zone, dtype, one.op, value_form(one.value), one.value))
        if present is not None:
            found &= present
        return found

    return mark


def _by_category(column: Column) -> Mark:
    n_categories = len(column.categories)
    every = np.arange(n_categories, dtype=np.int32)
    alone = replace(column, values=every, missing=np.zeros(n_categories, dtype=bool))
    codes = column.values

    def mark(one: Condition) -> NDArray[np.bool_]:
        if one.op in ("missing", "present"):
            return evaluate(column, one.op, one.value)
        met = evaluate(alone, one.op, one.value)
        wanted = np.flatnonzero(met)
        if len(wanted) <= MAX_COMPARED_CATEGORIES:  # comparing is several times faster than looking up
            found = np.zeros(len(codes), dtype=bool)
            for code in wanted.tolist():
                found |= codes == code
            return found
        return np.asarray(np.append(met, False)[codes])

    return mark


@lru_cache(maxsize=65_536)
def _bound(kind: str, zone: str | None, dtype: np.dtype[Any], op: str, _form: Any, value: Any) -> Bound:
    return bound_of(kind, zone, dtype, op, value)


def _read(name: str, chunk: Chunk) -> Column:
    return arrow_column(name, chunk.batch.column(name), in_order=False)


def blocks_by_length(tags: Sequence[Tag], members: NDArray[np.intp], size: int) -> list[tuple[NDArray[np.intp], int]]:
    """Split tags into blocks of one length each: which tags, and how many conditions they have.

    Parameters
    ----------
    tags, members : the tags and the rows that make them.
    size : tags in a block, at most.
    """
    lengths = np.array([len(tag) for tag in tags], dtype=np.intp)
    found = []
    for length in np.unique(lengths).tolist():
        which = np.flatnonzero(lengths == length)
        which = which[np.lexsort(members[which, :length].T[::-1])]  # neighbours share rows that are in the cache
        found += [(which[start : start + size], length) for start in range(0, len(which), size)]
    return found


TAGS_AT_ONCE = 32  # tags whose bits are made together: single ones are several times slower, more leave the cache


@dataclass(frozen=True, eq=False)
class CountKernel:
    """Counts the rows of a chunk that have each tag; counts of chunks add up.

    Attributes
    ----------
    tags : the tags.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from pyod_explain.tags import Condition
    >>> kernel = CountKernel((Tag.of(Condition("a", ">", 1)), Tag.of(Condition("a", "missing"))))
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
        return blocks_by_length(self.tags, self.bits.members, TAGS_AT_ONCE)

    def __call__(self, chunk: Chunk) -> NDArray[np.int64]:
        rows, members = self.bits.of(chunk), self.bits.members
        counts = np.empty(len(self.tags), dtype=np.int64)
        for which, length in self._blocks:
            words = rows[members[which, 0]]
            for position in range(1, length):
                words &= rows[members[which, position]]
            counts[which] = count_bits(words)
        return counts


MAX_SIGNATURES = 2**17  # distinct signatures that are held: few enough to be sorted anew with each chunk


@dataclass(frozen=True, eq=False)
class Signatures:
    """Which tags rows have together, and how many rows have just these.

    The sum of two is that of all their rows. Where there are more distinct signatures than `limit`, the second half of
    the tags is dropped, again and again, down to the first `n_required`: what is left is still exact, and does not
    depend on the order in which chunks are added. If that is not enough, nothing is left (`overflowed`).

    Attributes
    ----------
    words : a row of packed bits for each signature: bit j if the rows have tag j.
    counts : how many rows have it.
    n_tags : number of tags that signatures are about, the first ones.
    n_required, limit : see above.
    overflowed : True if even the first `n_required` tags have too many.
    """

    words: Words
    counts: NDArray[np.int64]
    n_tags: int
    n_required: int
    limit: int = MAX_SIGNATURES
    overflowed: bool = False

    def __add__(self, other: Signatures) -> Signatures:
        n_tags = min(self.n_tags, other.n_tags)
        one, two = self.truncate(n_tags), other.truncate(n_tags)
        both = np.concatenate([one.words, two.words]), np.concatenate([one.counts, two.counts])
        if one.overflowed or two.overflowed:
            return replace(one, overflowed=True, words=one.words[:0], counts=one.counts[:0])
        return replace(one, words=both[0], counts=both[1]).merged()

    def __neg__(self) -> Signatures:
        return replace(self, counts=-self.counts)

    def __sub__(self, other: Signatures) -> Signatures:
        return self + -other

    def truncate(self, n_tags: int) -> Signatures:
        """Give the signatures of the first tags only."""
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
        if self.n_tags <= self.n_required:
            return replace(joined, overflowed=True, words=joined.words[:0], counts=joined.counts[:0])
        return joined.truncate(max(self.n_tags // 2, self.n_required)).merged()

    def in_order(self) -> Signatures:
        """Give the same in an order that depends on nothing but the signatures."""
        order = np.lexsort(self.words.T[::-1]) if self.words.shape[1] else np.arange(len(self.counts))
        return replace(self, words=self.words[order], counts=self.counts[order])

    def bits(self) -> Words:
        """Give a row for each tag, and a bit for each signature: the layout of a coverage."""
        dense = unpack(self.words, self.n_tags)
        return pack(np.ascontiguousarray(dense.T))


@dataclass(frozen=True, eq=False)
class SignatureKernel:
    """Gives the signatures of a chunk's rows; those of chunks add up.

    Attributes
    ----------
    tags : the tags, the most important ones first.
    n_required : how many of the first tags must not be dropped.
    limit : how many distinct signatures are held.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from pyod_explain.tags import Condition
    >>> kernel = SignatureKernel((Tag.of(Condition("a", ">", 1)), Tag.of(Condition("a", ">", 2))))
    >>> found = kernel(Chunk(pa.record_batch({"a": [1, 2, 3, 4, None]}))).in_order()
    >>> found.words.ravel().tolist(), found.counts.tolist()
    ([0, 1, 3], [2, 1, 2])
    """

    labels: ClassVar[bool] = False
    threads: ClassVar[bool] = True

    tags: tuple[Tag, ...]
    n_required: int = 0
    limit: int = MAX_SIGNATURES

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
        whole = Signatures(np.concatenate([words, none]), counts, len(self.tags), self.n_required, self.limit)
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
            keys = (keys ^ column) * HASH_MULTIPLIER
            keys ^= keys >> np.uint64(29)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    if words.shape[1] > 1 and not np.array_equal(words[first[which]], words):
        _, first, which = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return first, which.ravel()

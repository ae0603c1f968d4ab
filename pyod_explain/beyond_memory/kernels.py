"""`CountKernel` and `SignatureKernel`: what is counted of each chunk, from conditions as packed bits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pyod_explain._arrays import IndexArray, IntArray
from pyod_explain.beyond_memory.source import Chunk
from pyod_explain.bits import Words, conjunctions, count_bits, n_words, pack, padded, union, unpack
from pyod_explain.input import Column, Table, arrow_column
from pyod_explain.tags import Condition, Tag, Term, evaluate

TAGS_AT_ONCE = 32  # tags whose bits are made together: single ones are several times slower, more leave the cache
MAX_SIGNATURES = 2**17  # distinct signatures that are held: few enough to be sorted anew with each chunk


@dataclass(frozen=True, eq=False)
class TagKernel:
    """Evaluates the conditions of tags on chunks, each once, by the same function as on a table in memory.

    Attributes
    ----------
    tags : the tags.

    Examples
    --------
    >>> import pyarrow as pa
    >>> kernel = TagKernel((Tag.of(Condition("a", ">", 1)), Tag.of(Condition("a", "<", 9), Condition("b", "==", "x"))))
    >>> kernel.columns
    ['a', 'b']
    >>> rows = kernel.condition_bits(Chunk(pa.record_batch({"a": [1, 2, None], "b": ["x", "x", "y"]})))
    >>> rows[kernel.members].tolist()  # the second tag has two conditions; that of the first is repeated
    [[[2], [2]], [[3], [3]]]
    """

    asks_detector: ClassVar[bool] = False

    tags: tuple[Tag, ...]

    @cached_property
    def _numbered(self) -> tuple[list[Condition], IndexArray]:
        """The conditions and the members at once: whoever sends this elsewhere asks for the columns before."""
        keyed = [[(condition.exact_key, condition) for condition in tag.sorted] for tag in self.tags]
        conditions: dict[Any, Condition] = {}
        for key, condition in chain.from_iterable(keyed):
            conditions.setdefault(key, condition)
        place = {key: i for i, key in enumerate(conditions)}
        return list(conditions.values()), padded([[place[key] for key, _ in row] for row in keyed])

    @property
    def members(self) -> IndexArray:
        """For each tag the rows of bits that make it; of a short one the first is repeated."""
        return self._numbered[1]

    @cached_property
    def columns(self) -> list[str]:
        """Columns that have to be read."""
        return list(dict.fromkeys(name for one in self._numbered[0] for name in one.columns))

    def condition_bits(self, chunk: Chunk) -> Words:
        """Give a row of bits for each condition."""
        n_rows = chunk.n_rows
        columns = {name: arrow_column(name, chunk.batch.column(name), in_order=False) for name in self.columns}
        table = Table(columns, pd.RangeIndex(n_rows), labelled=False)
        conditions = self._numbered[0]
        terms: dict[Term, Column] = {term: table[term] for term in dict.fromkeys(one.column for one in conditions)}
        rows = np.empty((len(conditions), n_words(n_rows)), dtype=np.uint64)
        for i, one in enumerate(conditions):
            rows[i] = pack(evaluate(terms[one.column], one.op, one.value))

        return rows


@dataclass(frozen=True, eq=False)
class CountKernel(TagKernel):
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

    def __call__(self, chunk: Chunk) -> IntArray:
        rows, members = self.condition_bits(chunk), self.members
        counts = np.empty(len(self.tags), dtype=np.int64)
        for start in range(0, len(members), TAGS_AT_ONCE):
            block = slice(start, start + TAGS_AT_ONCE)
            counts[block] = count_bits(conjunctions(rows, members[block]))
        return counts


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
    counts: IntArray
    n_tags: int
    n_required: int
    limit: int = MAX_SIGNATURES
    overflowed: bool = False

    def __add__(self, other: Signatures) -> Signatures:
        n_tags = min(self.n_tags, other.n_tags)
        one, two = self.truncate(n_tags), other.truncate(n_tags)
        if one.overflowed or two.overflowed:
            return one.without_any()
        words, counts = np.concatenate([one.words, two.words]), np.concatenate([one.counts, two.counts])
        return replace(one, words=words, counts=counts).merged()

    def __sub__(self, other: Signatures) -> Signatures:
        return self + replace(other, counts=-other.counts)

    def without_any(self) -> Signatures:
        """Give what is left where there are too many."""
        return replace(self, overflowed=True, words=self.words[:0], counts=self.counts[:0])

    def truncate(self, n_tags: int) -> Signatures:
        """Give the signatures of the first tags only."""
        if n_tags >= self.n_tags:
            return self
        words = self.words[:, : n_words(n_tags)].copy()
        if n_tags % 64:
            words[:, -1] &= np.uint64(2 ** (n_tags % 64) - 1)
        return replace(self, words=words, n_tags=n_tags)

    def merged(self) -> Signatures:
        """Join equal signatures, in their order, and drop tags where there are too many."""
        names = list(range(self.words.shape[1]))
        sums = pd.DataFrame(self.words, columns=names).assign(counts=self.counts).groupby(names, as_index=False).sum()
        sums = sums[sums["counts"] != 0]
        joined = replace(self, words=sums[names].to_numpy(dtype=np.uint64), counts=sums["counts"].to_numpy())
        if len(joined.counts) <= self.limit:
            return joined
        if self.n_tags <= self.n_required:
            return joined.without_any()
        return joined.truncate(max(self.n_tags // 2, self.n_required)).merged()

    def bits(self) -> Words:
        """Give a row for each tag, and a bit for each signature: the layout of a coverage."""
        return pack(np.ascontiguousarray(unpack(self.words, self.n_tags).T))


@dataclass(frozen=True, eq=False)
class SignatureKernel(TagKernel):
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
    >>> found = kernel(Chunk(pa.record_batch({"a": [1, 2, 3, 4, None]})))
    >>> found.words.ravel().tolist(), found.counts.tolist()
    ([0, 1, 3], [2, 1, 2])
    """

    n_required: int = 0
    limit: int = MAX_SIGNATURES

    def __call__(self, chunk: Chunk) -> Signatures:
        having = conjunctions(self.condition_bits(chunk), self.members)
        some = np.flatnonzero(unpack(union(having, range(len(having))), chunk.n_rows))  # most rows have no tag at all
        words = pack(np.ascontiguousarray(unpack(having, chunk.n_rows)[:, some].T))
        none = np.zeros((1, words.shape[1]), dtype=np.uint64)
        counts = np.append(np.ones(len(some), dtype=np.int64), chunk.n_rows - len(some))
        return Signatures(np.concatenate([words, none]), counts, len(self.tags), self.n_required, self.limit).merged()

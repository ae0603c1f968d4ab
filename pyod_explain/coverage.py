"""`Coverage`: which instance has which tag, packed in bits, and the counts that explainers ask for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain.bits import (
    ROWS_PER_BLOCK,
    BitPlanes,
    Words,
    aligned,
    bit_planes,
    count_rows,
    n_words,
    pack,
    union,
    unique_rows,
    unpack,
)
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Groups, Table, as_table, by_content
from pyod_explain.tags import Prices, Tag, lifted, pack_tags, require_columns, unique_features

MAX_COUNTED_TAGS = 4096  # whose groups are counted by one product
SHARED = ("_normal_planes", "_outlier_planes", "n_normals", "group_sizes", "slices", "all_outliers", "all_normals")


@dataclass(frozen=True, eq=False)
class Coverage:
    """Which normal instance and which outlier has which tag.

    Build one with `from_dense` or `from_tags`. Normals are one block of bits per tag; outliers
    another, in which each group starts at a word of its own, so that counting a group is counting a slice.
    A bit is a row of the table, which may stand for several instances (its row count): all counts and sizes are of
    instances, so count marked bits with `count_normals`, `count_outliers` and `count_group`.

    Attributes
    ----------
    normal_bits : packed, a row per tag, a bit per normal instance.
    outlier_bits : packed, a row per tag, a bit per outlier, group after group.
    normal_rows : positions of the normal instances in the table, in the order of the bits.
    group_rows : for each group, the positions of its outliers in the table, likewise.
    lengths : number of conditions of each tag.
    n_items : number of binary features that conditions are chosen from (d-tilde of the paper).
    normal_row_counts, group_row_counts : how many instances each row of the table stands for; None where each is one.
    prices : bits of each tag; None for those of the paper's formula.

    Examples
    --------
    Four rows and two tags; the first two rows are a group of outliers:

    >>> coverage = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> coverage.group_counts.tolist(), coverage.normal_counts.tolist()
    ([[2, 1]], [0, 1])
    """

    normal_bits: Words
    outlier_bits: Words
    normal_rows: IndexArray
    group_rows: tuple[IndexArray, ...]
    lengths: IntArray
    n_items: int
    normal_row_counts: IntArray | None = None
    group_row_counts: tuple[IntArray, ...] | None = None
    prices: FloatArray | None = None

    # --- building -----------------------------------------------------------------------------------------------

    @classmethod
    def from_dense(
        cls, T: Any, y: Any, lengths: Sequence[int] | None = None, n_items: int | None = None, *, row_counts: Any = None
    ) -> Coverage:
        """Build from a table of rows by tags.

        Parameters
        ----------
        T : boolean array, rows by tags: True where the row has the tag.
        y : for each row 0 (normal) or its group, 1..K; negative: neither, the row is left out.
        lengths : number of conditions of each tag; 1 each by default.
        n_items : number of binary features in all; the number of tags by default.
        row_counts : how many instances each row stands for; 1 each by default.

        Examples
        --------
        >>> cov = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
        >>> cov
        Coverage(2 tags, 2 normals, 1 group of 2 outliers)
        >>> cov.normal_counts.tolist(), cov.group_counts.tolist()
        ([0, 1], [[2, 1]])
        """
        dense = boolean_matrix(T)
        groups = row_groups(y, len(dense))
        row_counts = check_row_counts(row_counts, len(dense))
        # Random choices of a search depend on the order of the rows, so that is the order of their tags.
        order = np.argsort(unique_rows(pack(dense))[1], kind="stable")
        normal, *outliers = (order[groups[order] == k] for k in range(int(groups.max(initial=0)) + 1))
        n_tags = dense.shape[1]
        normal_bits = np.empty((n_tags, n_words(len(normal))), dtype=np.uint64)
        for start in range(0, n_tags, ROWS_PER_BLOCK):  # in blocks: a copy of all of T would be eight times the result
            block = slice(start, min(start + ROWS_PER_BLOCK, n_tags))
            normal_bits[block] = pack(np.ascontiguousarray(dense[normal, block].T))
        parts = [pack(np.ascontiguousarray(dense[rows].T)) for rows in outliers]
        return cls._assemble(normal_bits, parts, normal, outliers, lengths, n_items, row_counts)

    @classmethod
    def from_tags(
        cls,
        table: Any,
        tags: Sequence[Tag],
        groups: Groups | Any,
        *,
        n_items: int | None = None,
        prices: Prices | None = None,
    ) -> Coverage:
        """Build by evaluating tags on a table; each distinct condition is evaluated once.

        Parameters
        ----------
        table : anything that `explain` takes as a table.
        tags : the tags; tag j of the coverage is `tags[j]`.
        groups : `Groups`, or for each row 0 (normal) or its group, 1..K.
        n_items : number of binary features in all; by default those that the tags speak of, a condition and
            its opposite counting once.
        prices : what the tags cost; by default the paper's formula.

        Examples
        --------
        >>> import pandas as pd
        >>> from pyod_explain import Condition, Tag
        >>> X = pd.DataFrame({"amount": [5, 7, 900, 950]})
        >>> coverage = Coverage.from_tags(X, [Tag.of(Condition("amount", ">=", 500))], [0, 0, 1, 1], n_items=1)
        >>> coverage.group_counts.tolist(), coverage.normal_counts.tolist()
        ([[2]], [0])
        """
        rows = as_table(table, argument="table")
        named = require_columns(rows, tags)
        numbers = groups.numbers if isinstance(groups, Groups) else row_groups(groups, rows.n_rows, "groups")
        normal, *outliers = (np.flatnonzero(numbers == k) for k in range(int(numbers.max(initial=0)) + 1))
        # Random choices of a search depend on the order of the rows. Tags that come later may be about any column.
        compared = replace(rows, columns={name: rows[name] for name in named}) if tags else rows
        normal, *outliers = (by_content(compared, piece) for piece in (normal, *outliers))
        normal_bits, outlier_bits = pack_tags(rows, tags, normal, outliers)
        lengths = [tag.length for tag in tags]
        n_items = unique_features(tags) if n_items is None else n_items
        found = cls._assemble(normal_bits, [outlier_bits], normal, outliers, lengths, n_items, rows.row_counts)
        return found if prices is None else replace(found, prices=prices.of(tags))

    def with_tags(self, table: Table, tags: Sequence[Tag], n_items: int, prices: Prices) -> Coverage:
        """Return the coverage of these tags and some more, of the same rows in the same order.

        Parameters
        ----------
        table : what the tags are about: the table that this was built from.
        tags : the further tags; they come after those that are there.
        n_items : number of binary features in all.
        prices : what they cost.
        """
        normal_bits, outlier_bits = pack_tags(table, tags, self.normal_rows, self.group_rows)
        more = self.with_bits(normal_bits, outlier_bits, [tag.length for tag in tags], prices.of(tags))
        return replace(more, n_items=n_items)

    def with_bits(
        self, normal_bits: Words, outlier_bits: Words, lengths: Sequence[int], prices: FloatArray
    ) -> Coverage:
        """Return the coverage of these tags and some more, whose bits are known, in the layout of this one."""
        before = np.zeros(self.n_tags) if self.prices is None else self.prices
        normals = np.concatenate([self.normal_bits, normal_bits])
        outliers = np.concatenate([self.outlier_bits, outlier_bits])
        sizes = np.concatenate([self.lengths, np.array(lengths, dtype=np.int64)])
        costs = np.concatenate([before, prices])
        more = replace(self, normal_bits=normals, outlier_bits=outliers, lengths=sizes, prices=costs)
        for name in SHARED:  # of the same rows: made once
            more.__dict__[name] = getattr(self, name)
        return more

    def take(self, tags: Sequence[int]) -> Coverage:
        """Return the coverage of some of these tags, of the same rows."""
        chosen = list(tags)
        prices = None if self.prices is None else self.prices[chosen]
        normals, outliers = self.normal_bits[chosen], self.outlier_bits[chosen]
        return replace(self, normal_bits=normals, outlier_bits=outliers, lengths=self.lengths[chosen], prices=prices)

    def regroup(self, numbers: IntArray) -> Coverage:
        """Return the coverage of the same tags with the same outliers split otherwise.

        Parameters
        ----------
        numbers : for each row of the table 0 or its new group.
        """
        by_group = zip(self.slices, self.group_rows, strict=True)
        dense = np.concatenate([unpack(self.outlier_bits[:, words], len(rows)) for words, rows in by_group], axis=1)
        rows = np.concatenate(self.group_rows)
        members = [np.flatnonzero(numbers[rows] == k) for k in range(1, int(numbers.max(initial=0)) + 1)]
        parts = [pack(dense[:, one]) for one in members]
        bits = np.concatenate([np.empty((self.n_tags, 0), dtype=np.uint64), *parts], axis=1)
        counts = None if self.group_row_counts is None else np.concatenate(self.group_row_counts)
        row_counts = None if counts is None else tuple(counts[one] for one in members)
        group_rows = tuple(rows[one] for one in members)
        return replace(self, outlier_bits=bits, group_rows=group_rows, group_row_counts=row_counts)

    @classmethod
    def _assemble(
        cls,
        normal_bits: Words,
        parts: Sequence[Words],
        normal: IndexArray,
        outliers: Sequence[IndexArray],
        lengths: Sequence[int] | None,
        n_items: int | None,
        row_counts: IntArray | None,
    ) -> Coverage:
        n_tags = len(normal_bits)
        sizes = np.ones(n_tags, dtype=np.int64) if lengths is None else np.asarray(lengths, dtype=np.int64)
        if sizes.shape != (n_tags,) or (sizes < 1).any():
            rule = f"must give a length of at least 1 for each of the {n_tags} tags"
            raise PyodExplainError(f"`lengths` {rule}, got {lengths!r}.")
        items = n_tags if n_items is None else int(n_items)
        if items < 0:
            raise PyodExplainError(f"`n_items` must be 0 or more, got {n_items!r}.")
        bits = parts[0] if len(parts) == 1 else np.concatenate([np.empty((n_tags, 0), np.uint64), *parts], axis=1)
        usual = None if row_counts is None else row_counts[normal]
        theirs = None if row_counts is None else tuple(row_counts[rows] for rows in outliers)
        return cls(normal_bits, bits, normal, tuple(outliers), sizes, items, usual, theirs)

    # --- sizes ----------------------------------------------------------------------------------------------------

    @property
    def n_tags(self) -> int:
        return len(self.normal_bits)

    @property
    def n_groups(self) -> int:
        return len(self.group_rows)

    @cached_property
    def n_normals(self) -> int:
        return len(self.normal_rows) if self.normal_row_counts is None else int(self.normal_row_counts.sum())

    @property
    def n_outliers(self) -> int:
        return int(self.group_sizes.sum())

    @cached_property
    def group_sizes(self) -> IntArray:
        """Number of outliers of each group."""
        if self.group_row_counts is None:
            return self.group_table_rows
        return np.array([row_counts.sum() for row_counts in self.group_row_counts], dtype=np.int64)

    @cached_property
    def group_table_rows(self) -> IntArray:
        """Number of table rows of each group, whatever number of instances they stand for: its bits."""
        return np.array([len(rows) for rows in self.group_rows], dtype=np.int64)

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """Where each group's words are in a row of `outlier_bits`."""
        ends = np.cumsum([0, *(n_words(int(size)) for size in self.group_table_rows)])
        return tuple(slice(int(a), int(b)) for a, b in itertools.pairwise(ends))

    def __repr__(self) -> str:
        groups = f"{self.n_groups} group{'s' if self.n_groups != 1 else ''} of {self.n_outliers:,} outliers"
        return f"Coverage({self.n_tags:,} tags, {self.n_normals:,} normals, {groups})"

    # --- counts of each tag ---------------------------------------------------------------------------------------

    @cached_property
    def normal_counts(self) -> IntArray:
        """Number of normals that have each tag."""
        return self.count_normals(self.normal_bits)

    @cached_property
    def group_counts(self) -> IntArray:
        """Number of outliers of each group (row) that have each tag (column)."""
        return self.count_groups(self.outlier_bits)

    @cached_property
    def outlier_counts(self) -> IntArray:
        """Number of outliers, of all groups, that have each tag."""
        return np.asarray(self.group_counts.sum(axis=0))

    def eligible(self, min_lift: float) -> BoolArray:
        """Tell which tag (column) may describe which group (row).

        A tag is eligible if the share of the group that has it is more than `min_lift` times the share of
        the normals that has it; 0 switches the rule off.
        """
        if min_lift == 0:
            return np.ones((self.n_groups, self.n_tags), dtype=bool)
        result = np.empty((self.n_groups, self.n_tags), dtype=bool)
        for k, size in enumerate(self.group_sizes.tolist()):
            result[k] = lifted(self.group_counts[k], size, self.normal_counts, self.n_normals, min_lift)
        return result

    # --- counts of marked bits ------------------------------------------------------------------------------------

    def count_normals(self, words: Words) -> IntArray:
        """Number of the marked normals, along the last axis."""
        return count_rows(words, self._normal_planes)

    def count_outliers(self, words: Words) -> IntArray:
        """Number of the marked outliers, along the last axis; laid out as `outlier_bits`."""
        return count_rows(words, self._outlier_planes)

    def count_compact_outliers(self, words: Words) -> IntArray:
        """Number of the marked outliers, along the last axis; laid out as `compact_outlier_bits`."""
        return count_rows(words, self._compact_planes)

    def count_group(self, words: Words, group: int) -> IntArray:
        """Number of the marked outliers of one group (0-based), along the last axis; words of that group alone."""
        planes = self._outlier_planes
        return count_rows(words, None if planes is None else planes.part(self.slices[group]))

    def count_groups(self, marked: Words) -> IntArray:
        """Number of the marked outliers of each group (row), for each row of `marked` (column).

        Counted by one product (per digit of the row counts): exact, for bits are fewer than 2**24.
        """
        result = np.zeros((self.n_groups, len(marked)), dtype=np.int64)
        masks = [(None, 1)] if self._outlier_planes is None else [*self._outlier_planes]
        for start in range(0, len(marked), MAX_COUNTED_TAGS):
            block = slice(start, start + MAX_COUNTED_TAGS)
            for having, worth in masks:
                ones = np.bitwise_count(marked[block] if having is None else marked[block] & having).astype(np.float32)
                result[:, block] += (ones @ self._group_of_word).T.astype(np.int64) * worth
        return result

    @cached_property
    def _group_of_word(self) -> NDArray[np.float32]:
        """Words of a row of `outlier_bits` (rows) by groups: 1 where the word belongs to the group."""
        member = np.zeros((self.outlier_bits.shape[1], self.n_groups), dtype=np.float32)
        for k, words in enumerate(self.slices):
            member[words, k] = 1
        return member

    @cached_property
    def _normal_planes(self) -> BitPlanes | None:
        return None if self.normal_row_counts is None else bit_planes(self.normal_row_counts)

    @cached_property
    def _outlier_planes(self) -> BitPlanes | None:
        """The bit planes of the outliers' row counts in the layout of `outlier_bits`."""
        if self.group_row_counts is None:
            return None
        each = self._outlier_row_counts
        if len(each) and (each == each[0]).all():
            return bit_planes(each)  # which masks nothing, so that their layout does not matter
        row_counts = np.zeros(self.outlier_bits.shape[1] * 64, dtype=np.int64)
        row_counts[aligned(self.group_table_rows)] = each
        return bit_planes(row_counts)

    @cached_property
    def _compact_planes(self) -> BitPlanes | None:
        return None if self.group_row_counts is None else bit_planes(self._outlier_row_counts)

    @property
    def _outlier_row_counts(self) -> IntArray:
        return np.concatenate([np.empty(0, dtype=np.int64), *(self.group_row_counts or ())])

    @cached_property
    def compact_outlier_bits(self) -> Words:
        """The bits of `outlier_bits` without the gaps between groups: far fewer words where small groups are many."""
        bit_of = aligned(self.group_table_rows)
        result = np.empty((self.n_tags, n_words(len(bit_of))), dtype=np.uint64)
        for start in range(0, self.n_tags, ROWS_PER_BLOCK):
            block = self.outlier_bits[start : start + ROWS_PER_BLOCK]
            result[start : start + ROWS_PER_BLOCK] = pack(unpack(block, block.shape[1] * 64)[:, bit_of])
        return result

    # --- what selected tags cover ---------------------------------------------------------------------------------

    @cached_property
    def all_outliers(self) -> Words:
        """All outliers marked, in the order of the outliers' bits."""
        marked = [pack(np.ones(int(size), dtype=bool)) for size in self.group_table_rows]
        return np.concatenate([np.empty(0, dtype=np.uint64), *marked])

    @cached_property
    def all_normals(self) -> Words:
        """All normals marked, in the order of the normals' bits."""
        return pack(np.ones(len(self.normal_rows), dtype=bool))

    def normals_with(self, tags: Iterable[int]) -> Words:
        """Mark the normals that have any of these tags."""
        return union(self.normal_bits, tags)

    def outliers_with(self, tags: Iterable[int]) -> Words:
        """Mark the outliers, of all groups, that have any of these tags."""
        return union(self.outlier_bits, tags)

    def outlier_mask(self, words: Words, group: int) -> BoolArray:
        """Unpack one group's part of a row of outlier words: a boolean per outlier of the group (0-based)."""
        return unpack(words[self.slices[group]], len(self.group_rows[group]))

    def normal_mask(self, words: Words) -> BoolArray:
        """Unpack a row of normal words: a boolean per normal."""
        return unpack(words, len(self.normal_rows))

    def mark_outliers(self, which: BoolArray) -> Words:
        """Pack a boolean per outlier, group after group, as a row of outlier words."""
        spaced = np.zeros(self.outlier_bits.shape[1] * 64, dtype=bool)
        spaced[aligned(self.group_table_rows)] = which
        return pack(spaced)

    def own_and_foreign(self, tags: Sequence[Sequence[int]]) -> list[tuple[Words, Words]]:
        """Mark, group by group, the outliers that their own and that any other description covers.

        One pass over the descriptions, so that 200 groups cost 200 steps and not 200 squared.
        """
        covered = [self.outliers_with(chosen) for chosen in tags]
        once = np.zeros(self.outlier_bits.shape[1], dtype=np.uint64)
        twice = once.copy()
        for words in covered:
            twice |= once & words
            once |= words
        own = [covered[k][part] for k, part in enumerate(self.slices)]
        # Covered by another: by two descriptions, or by one that is not the own.
        return list(zip(own, [twice[part] | (once[part] & ~own[k]) for k, part in enumerate(self.slices)], strict=True))

    def lost(self, tags: Sequence[Sequence[int]]) -> list[Words]:
        """Mark, group by group, the outliers that their own description misses or another one covers (v)."""
        pairs = zip(self.slices, self.own_and_foreign(tags), strict=True)
        return [(self.all_outliers[words] & ~own) | foreign for words, (own, foreign) in pairs]

    def count_lost(self, tags: Sequence[Sequence[int]]) -> IntArray:
        """Number of the lost outliers of each group."""
        return np.array([self.count_group(words, k) for k, words in enumerate(self.lost(tags))], dtype=np.int64)


def boolean_matrix(T: Any) -> BoolArray:
    """Check a table of rows by tags, of True and False or 1 and 0."""
    dense = np.asarray(T)
    if dense.ndim != 2:
        raise PyodExplainError(f"`T` must be a table of rows by tags, got an array of shape {dense.shape}.")
    if dense.dtype != bool:
        if dense.size and not np.isin(dense, (0, 1)).all():
            raise PyodExplainError("`T` must hold True/False (or 1/0) only, got other values.")
        dense = dense.astype(bool)
    return dense


def row_groups(y: Any, n_rows: int, argument: str = "y") -> IntArray:
    """Check that each row has a whole number: 0 normal, 1..K a group, negative neither."""
    groups = np.asarray(y)
    if groups.shape != (n_rows,):
        rule = f"must have one entry for each of the {n_rows:,} rows, got shape {groups.shape}"
        raise PyodExplainError(f"`{argument}` {rule}.")
    if groups.dtype.kind not in "iub":
        rule = f"must be whole numbers: 0 for a normal row, 1..K for the group of an outlier, got {groups.dtype}"
        raise PyodExplainError(f"`{argument}` {rule}.")
    return groups.astype(np.int64)


def check_row_counts(row_counts: Any, n_rows: int) -> IntArray | None:
    """Check that each row stands for a whole number of instances, of at least 1; None where each is one."""
    if row_counts is None:
        return None
    counts = np.asarray(row_counts)
    rule = f"`row_counts` must give a whole number of at least 1 for each of the {n_rows:,} rows"
    if counts.shape != (n_rows,) or counts.dtype.kind not in "iu":
        raise PyodExplainError(f"{rule}, got {counts.dtype} of shape {counts.shape}.")
    if len(bad := counts[counts < 1]):
        raise PyodExplainError(f"{rule}, got {bad[0]}.\nHint: leave out rows that stand for nothing.")
    return counts.astype(np.int64)

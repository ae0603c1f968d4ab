"""`ChunkBits`: which rows of a chunk meet which conditions, packed in bits: what both kernels start from."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.bits import Words, n_words
from pyod_explain.input import Bound, Column, Relation, Table, has_hash
from pyod_explain.source import Chunk, arrow_column
from pyod_explain.tags import Condition, Part, Tag, beyond, bound_of, evaluate, part_of

__all__ = ["ChunkBits"]

THRESHOLDS = ("<", "<=", ">", ">=")
FEW = 8  # categories
Subject = tuple[str | Relation, Part | None]


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
                at = place.setdefault(_said(condition), len(conditions))
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
    def _asked(self) -> dict[Subject, list[tuple[int, Condition]]]:
        """The conditions by what they speak of, which is made once: an hour, a difference."""
        found: dict[Subject, list[tuple[int, Condition]]] = {}
        for i, one in enumerate(self.conditions):
            found.setdefault((one.column, one.part), []).append((i, one))
        return found

    def of(self, chunk: Chunk) -> Words:
        """Give a row of bits for each condition, and a last one of ones."""
        n_rows = chunk.n_rows
        columns = {name: _read(name, chunk) for name in self.columns}
        table = Table(columns, pd.RangeIndex(n_rows), labelled=False)
        octets = np.zeros((len(self.conditions) + 1, n_words(n_rows) * 8), dtype=np.uint8)
        packed = octets[:, : -(-n_rows // 8)]
        for (name, part), conditions in self._asked.items():
            column = table[name] if part is None else part_of(table[name], part)
            mark = _marker(column)
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
        if one.op not in THRESHOLDS or not has_hash(one.value):
            return evaluate(column, one.op, one.value)
        found = beyond(values, _bound(kind, zone, dtype, one.op, _form(one.value), one.value))
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
        if len(wanted) <= FEW:  # comparing is several times faster than looking up
            found = np.zeros(len(codes), dtype=bool)
            for code in wanted.tolist():
                found |= codes == code
            return found
        return np.asarray(np.append(met, False)[codes])

    return mark


def _said(condition: Condition) -> tuple[Condition, Any]:
    """Tell apart conditions that are equal and yet mean something else."""
    value = condition.value
    return condition, tuple(map(_form, value)) if isinstance(value, tuple) else _form(value)


def _form(value: Any) -> Any:
    """Tell apart values that are equal and yet compare otherwise: 1 and complex(1), an hour that a clock repeats."""
    return (type(value), repr(value)) if isinstance(value, dt.datetime) else type(value)


@lru_cache(maxsize=65_536)
def _bound(kind: str, zone: str | None, dtype: np.dtype[Any], op: str, _form: Any, value: Any) -> Bound:
    return bound_of(kind, zone, dtype, op, value)


def _read(name: str, chunk: Chunk) -> Column:
    return arrow_column(name, chunk.batch.column(name), in_order=False)


def blocks_by_length(tags: Sequence[Tag], members: NDArray[np.intp], size: int) -> list[tuple[NDArray[np.intp], int]]:
    """Part tags into blocks of one length each: which tags, and how many conditions they have.

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

"""Which relations of two columns are looked at: what the user's `relations=` argument asks for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import OPERATIONS, Relation, Table, name_list, some

__all__ = ["in_order", "wanted"]


def wanted(relations: Any, table: Table, names: Iterable[str], *, owner: str = "explain()") -> list[Relation]:
    """Read what the user asks for: the relations to look at, each once, in a fixed order.

    Parameters
    ----------
    relations : True for all of them; or a list of pairs of columns (all four operations), of triples (column,
        operation, column) and of `Relation`s; or a function that is given the columns' names and returns such a list.
    table : the features.
    names : columns of numbers that may be related unasked.
    owner : whose parameter it is, for error messages.

    Examples
    --------
    >>> from pyod_explain.input.read import as_table
    >>> table = as_table([[1.0, 2.0, 3.0]])
    >>> [str(one) for one in wanted([("x1", "x0"), ("x0", "/", "x2")], table, [])]
    ['x0 + x1', 'x0 / x2', 'x0 x x1', 'x1 - x0', 'x1 / x0']
    """
    if isinstance(relations, bool | np.bool_):
        return in_order(_all_pairs(table, sorted(names))) if relations else []
    listed = relations(sorted(names)) if callable(relations) else relations
    if isinstance(listed, str | bytes) or not isinstance(listed, Iterable):
        raise _unknown(owner, relations if listed is relations else listed)
    found = in_order(itertools.chain.from_iterable(_read(one, owner) for one in listed))
    there = list(table.columns)
    absent = sorted({name for one in found for name in one.columns} - set(there))
    if absent:
        raise PyodExplainError(
            f"`relations` of {owner} must name columns of `X`, got {some(absent)}; it has {name_list(there)}.\n"
            "Hint: give names as text, spelled as in `X`."
        )
    other = sorted({name for one in found for name in one.columns if table[name].kind != "number"})
    if other:
        raise PyodExplainError(
            f"`relations` of {owner} must name columns of numbers, got {some(other)}, {table[other[0]].kind!r}.\n"
            "Hint: leave it out, or make it a number, such as days since a date."
        )
    return found


def _read(one: Any, owner: str) -> list[Relation]:
    if isinstance(one, Relation):
        return [one]
    parts = list(one) if isinstance(one, Sequence) and not isinstance(one, str | bytes) else []
    if len(parts) == 2 and all(isinstance(part, str) for part in parts):
        return [Relation(parts[0], op, parts[1]) for op in OPERATIONS]
    if len(parts) == 3 and all(isinstance(part, str) for part in parts):
        return [Relation(*parts)]
    raise _unknown(owner, one)


def _unknown(owner: str, got: Any) -> PyodExplainError:
    auto = '"auto", ' if owner == "explain()" else ""
    return PyodExplainError(
        f"`relations` of {owner} must be {auto}True, False, a list of pairs of columns, of (column, operation, column) "
        f"or of Relations, or a function of the columns' names that returns one; got {shown(got)}.\n"
        "Hint: relations=[('outlet', '-', 'inlet')]."
    )


def in_order(relations: Iterable[Relation]) -> list[Relation]:
    """Give relations each once, in an order that depends on nothing but their names."""
    return sorted(dict.fromkeys(relations), key=lambda one: (str(one), one.columns))


def _all_pairs(table: Table, names: Sequence[str]) -> Iterator[Relation]:
    """Give the four relations of every two columns, differences and ratios in the order that reads better.

    The other way round says the same of a difference, and nearly the same of a ratio. So the column that is 0 less
    often is what is divided by; else the larger one is divided, and subtracted from: most numbers are then above 1.
    """
    zeros, size = {}, {}
    for name in names:
        there = ~table[name].missing
        known = table[name].floats()[there]
        each = np.ones(len(known), dtype=np.int64) if table.copies is None else table.copies[there]
        zeros[name] = int(each[known == 0].sum())
        size[name] = _median(np.abs(known), each)
    for a, b in itertools.combinations(names, 2):
        large, small = (a, b) if size[a] >= size[b] else (b, a)
        over, under = (large, small) if zeros[a] == zeros[b] else (a, b) if zeros[b] < zeros[a] else (b, a)
        yield from (Relation(large, "-", small), Relation(over, "/", under), Relation(a, "*", b), Relation(a, "+", b))


def _median(values: NDArray[np.float64], copies: NDArray[np.int64]) -> float:
    """Give the median of values each of which counts as often as its copies; 0 of none."""
    order = np.argsort(values)
    ends = np.cumsum(copies[order])
    if not len(ends) or not ends[-1]:
        return 0.0
    middle = np.searchsorted(ends, [(ends[-1] - 1) // 2, ends[-1] // 2], side="right")
    return float(values[order][middle].mean())

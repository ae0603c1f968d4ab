"""What a list of values costs: the bits to name k of the m values that a column has."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.code_lengths import log2_binomial
from pyod_explain.input import Column, Relation, Table
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.evaluation import Part, evaluate, part_of
from pyod_explain.tags.tag import Tag

__all__ = ["LISTS", "ListPrices", "extra_bits"]

LISTS = frozenset({"in", "not in", "rare"})
RELATED = 12.0  # bits of a relation beside its two columns: with fewer, products stand for what two rules say better
RARE = 0.01  # a value is rare if its share of all rows is below this


def extra_bits(tags: Iterable[Tag], table: Table) -> NDArray[np.float64]:
    """Give for each tag the bits that its lists of values and its relations take, beside its conditions as features.

    The paper's formula knows features that are there before anybody looks. Which values `is one of` lists is chosen
    by looking at the outliers: whoever is told such a rule must be told the list as well. A relation of two columns is
    harder to follow than two conditions, and is to earn that.
    """
    prices = ListPrices(table)
    bits: dict[Condition, float] = {}
    total = []
    for tag in tags:
        dear = [one for one in tag.conditions if one.op in LISTS or isinstance(one.column, Relation)]
        for condition in dear:
            if condition not in bits:
                related = RELATED if isinstance(condition.column, Relation) else 0.0
                bits[condition] = related + (prices.bits(condition) if condition.op in LISTS else 0.0)
        total.append(math.fsum(bits[condition] for condition in dear))  # the same in whichever order
    return np.array(total, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Values:
    """The distinct values of a column: a row that has each, how many rows have it, and which are rare."""

    column: Column
    counts: NDArray[np.int64]

    @property
    def rare(self) -> NDArray[np.bool_]:
        return np.asarray(self.counts < RARE * self.counts.sum())


class ListPrices:
    """What lists of values cost in a table: asked of the distinct values of a column, not of its rows.

    Parameters
    ----------
    table : the table that whoever is told a rule has.

    Examples
    --------
    Two of four letters: six pairs to choose from.

    >>> from pyod_explain.input.read import as_table
    >>> table = as_table(pd.DataFrame({"letter": list("abcd")}))
    >>> round(2 ** ListPrices(table).bits(Condition("letter", "in", ["a", "c"])))
    6
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._values: dict[tuple[str | Relation, Part | None], _Values] = {}

    def bits(self, condition: Condition) -> float:
        """Bits to name the k values that a condition lists of the m that its column has; 0 if it lists none.

        Values that the column lacks say nothing and cost nothing. Which values are rare follows from the table, so
        "none of the common values" costs nothing either, in whichever words.
        """
        if condition.op not in LISTS or not self._has_values(condition) or self.is_rarity(condition):
            return 0.0
        return float(log2_binomial(self.n_values(condition), self.n_listed(condition)))

    def n_listed(self, condition: Condition) -> int:
        """Count the values of its column that a condition lists; 1 at least, so that a list of none says a number."""
        if not self._has_values(condition):
            return 1
        holds = self._holds(condition)
        return max(int((holds if condition.op == "in" else ~holds).sum()), 1)

    def n_values(self, condition: Condition) -> int:
        """Count the distinct values that its column has, or the part of its dates; of labels, the labels."""
        column = self._table[condition.column]
        if column.kind == "labels":
            return len({label for cell in column.values[~column.missing] for label in cell})
        return len(self._of(condition).counts)

    def is_rarity(self, condition: Condition) -> bool:
        """Tell whether it says that a value is none of the common ones, which are what they are by the table."""
        if condition.op not in ("rare", "not in") or not self._has_values(condition):
            return False
        return np.array_equal(self._holds(condition), self._of(condition).rare)

    def _has_values(self, condition: Condition) -> bool:
        """Tell whether a value may be listed: no value is a collection of labels, so all lists of those say nothing."""
        return self._table[condition.column].kind != "labels"

    def _holds(self, condition: Condition) -> NDArray[np.bool_]:
        return evaluate(self._of(condition).column, condition.op, condition.value, condition.part)

    def _of(self, condition: Condition) -> _Values:
        key = condition.column, condition.part
        if key not in self._values:
            column = self._table[condition.column]
            told = column if condition.part is None else part_of(column, condition.part)
            present = np.flatnonzero(~told.missing)
            codes, _ = pd.factorize(told.values[present])
            _, first = np.unique(codes, return_index=True)
            copies = None if self._table.copies is None else self._table.copies[present]
            counts = np.bincount(codes, copies, minlength=len(first)).astype(np.int64)
            self._values[key] = _Values(column.take(present[first]), counts)
        return self._values[key]

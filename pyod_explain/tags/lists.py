"""What a list of values costs: the bits to name k of the m values that a column has."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.code_lengths import log2_binomial
from pyod_explain.input.table import Column, Table
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.evaluation import part_of
from pyod_explain.tags.tag import Tag

__all__ = ["LISTS", "extra_bits", "is_rarity", "list_bits", "n_listed", "n_values"]

LISTS = frozenset({"in", "not in", "rare"})
RARE = 0.01  # a value is rare if its share of all rows is below this


def extra_bits(tags: Iterable[Tag], table: Table) -> NDArray[np.float64]:
    """Give for each tag the bits that its lists of values take, beside what its conditions take as features.

    The paper's formula knows features that are there before anybody looks. Which values `is one of` lists is chosen
    by looking at the outliers: whoever is told such a rule must be told the list as well.
    """
    bits: dict[Condition, float] = {}
    total = []
    for tag in tags:
        lists = [condition for condition in tag.sorted if condition.op in LISTS]
        for condition in lists:
            if condition not in bits:
                bits[condition] = list_bits(condition, table)
        total.append(sum(bits[condition] for condition in lists))
    return np.array(total, dtype=np.float64)


def list_bits(condition: Condition, table: Table) -> float:
    """Bits to name the k values that a condition lists of the m that its column has; 0 if it lists none.

    Values that the column lacks say nothing and cost nothing. Which values are rare follows from the table, so "none of
    the common values" costs nothing either, in whichever words.

    Examples
    --------
    Two of four letters: six pairs to choose from.

    >>> from pyod_explain.input.read import as_table
    >>> table = as_table(pd.DataFrame({"letter": list("abcd")}))
    >>> round(2 ** list_bits(Condition("letter", "in", ["a", "c"]), table))
    6
    """
    column = table[condition.column]
    if condition.op not in LISTS or column.kind == "labels" or is_rarity(condition, column):
        return 0.0  # no value is a collection of labels, so all lists of labels say the same: nothing
    return float(log2_binomial(n_values(_told(condition, column)), n_listed(condition, column)))


def n_listed(condition: Condition, column: Column) -> int:
    """Count the values of a column that a condition lists; 1 at least, so that even a list of none says a number."""
    told, holds = _told(condition, column), condition.holds(column)
    listed = holds if condition.op == "in" else ~holds & ~told.missing
    return max(len(pd.unique(told.values[listed])), 1)


def n_values(column: Column) -> int:
    """Count the distinct values that a column has; of labels, the labels."""
    present = column.values[~column.missing]
    if column.kind == "labels":
        return len({label for cell in present for label in cell})
    return len(pd.unique(present))


def is_rarity(condition: Condition, column: Column) -> bool:
    """Tell whether a condition says that a value is none of the common ones, which are what they are by the table."""
    if condition.op not in ("rare", "not in") or column.kind == "labels":
        return False
    return np.array_equal(condition.holds(column), _has_rare_value(_told(condition, column)))


def _told(condition: Condition, column: Column) -> Column:
    """Give what the condition speaks of: the column, or a part of its dates."""
    return column if condition.part is None else part_of(column, condition.part)


def _has_rare_value(column: Column) -> NDArray[np.bool_]:
    """Tell which rows have a value that few rows have."""
    present = ~column.missing
    codes, values = pd.factorize(column.values[present])
    rare = np.zeros(len(present), dtype=bool)
    rare[present] = (np.bincount(codes, minlength=len(values)) < RARE * present.sum())[codes]
    return rare

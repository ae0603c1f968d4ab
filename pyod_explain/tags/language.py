"""`Language`: how many bits a rule takes in a language that was fixed before anybody looked at who is an outlier.

The paper's formula prices a rule by the number of features it was chosen from. Cut points and lists of values are
chosen by looking at the outliers, so whoever is sent such a rule must be told them as well. Here a rule is sent to
somebody who has the table and nothing else: which column, what is said of it, and at which of the values that the
column has. Rules that are short in this language are rare, whatever the labels are, so what they save is no chance: a
saving of s bits happens with a probability of at most 2 to the power of -s.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln

from pyod_explain.code_lengths import log2_binomial, log_star
from pyod_explain.input.table import Column, Table
from pyod_explain.tags.categories import RARE
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.evaluation import part_of
from pyod_explain.tags.tag import Tag

__all__ = ["Language"]

# What can be said of a column: bits of each form, the usual ones short; the shares 2**-bits add up to at most 1.
ORDERED = {"<": 1, "<=": 1, ">": 1, ">=": 1, "between": 3, "==": 3, "!=": 3, "in": 3, "not in": 3, "rare": 4,
           "missing": 4, "present": 4}  # fmt: skip
UNORDERED = {"==": 1, "!=": 1, "contains": 2, "in": 3, "not in": 3, "rare": 4, "missing": 4, "present": 4}
ANY = 6  # any other form: a condition that does not suit the column


class Language:
    """Rules about a table, each with its length in bits.

    Parameters
    ----------
    table : the table that sender and receiver have.

    Examples
    --------
    64 distinct ages and one other column: 1 bit for the column, 1 for "a threshold", 1 for its side, 7 for the place.

    >>> from pyod_explain.input.read import as_table
    >>> table = as_table(pd.DataFrame({"age": range(64), "sex": ["f", "m"] * 32}))
    >>> round(Language(table).condition_bits(Condition("age", ">=", 32)))
    10
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        dates = sum(column.kind == "datetime" for column in table.columns.values())
        self._places = len(table.columns) + 2 * dates  # a date has an hour and a weekday too
        self._columns: dict[tuple[str, str | None], Column] = {}
        self._sizes: dict[tuple[str, str | None], int] = {}

    def bits(self, rules: Iterable[Tag]) -> float:
        """Bits of a set of rules: how many, and each of them; their order tells nothing."""
        lengths = [self.rule_bits(rule) for rule in rules]
        return max(_star(len(lengths)) + sum(lengths) - _ways(len(lengths)), 0.0)

    def rule_bits(self, rule: Tag) -> float:
        """Bits of one rule: how many conditions, and each of them; their order tells nothing."""
        return _star(len(rule)) + sum(self.condition_bits(one) for one in rule.sorted) - _ways(len(rule))

    def condition_bits(self, condition: Condition) -> float:
        """Bits of one condition: the column, the form, the side, and the value among those that the column has."""
        column = self._column(condition)
        form = (ORDERED if column.has_order else UNORDERED).get(condition.op, ANY)
        return math.log2(max(self._places, 1)) + form + 1 + self._value_bits(condition, column)

    def _value_bits(self, condition: Condition, column: Column) -> float:
        size = self._n_distinct(condition)
        if condition.op in ("missing", "present"):
            return 0.0
        if condition.op in ("<", "<=", ">", ">="):
            return self._threshold_bits(condition, size)
        if condition.op == "between":
            return _log2_binomial(size + 1, 2)
        if condition.op in ("in", "not in", "rare"):
            return self._list_bits(condition, column, size)
        return math.log2(size) if size > 2 else 0.0  # of two values, "is not the one" is "is the other"

    def _threshold_bits(self, condition: Condition, size: int) -> float:
        """Bits of a place between two values, or of how many rows lie beyond it: outliers live in the tails."""
        return 1 + min(math.log2(size + 1), _star(max(self._count(self._holds(condition)), 1)))

    def _list_bits(self, condition: Condition, column: Column, size: int) -> float:
        """Bits of a list of values: of those that the column has, since the others, which a user may list, say nothing.

        Which values are rare follows from the table. A user's own list of common values need not, and is paid for.
        """
        if column.kind == "labels":
            return 0.0  # no value is a collection of labels, so all lists say the same: nothing
        holds = self._holds(condition)
        if condition.op == "rare" and np.array_equal(holds, _rare(column, self._table.copies)):
            return 0.0
        listed = holds if condition.op == "in" else ~holds & ~column.missing
        named = max(len(pd.unique(column.values[listed])), 1)
        return _star(named) + _log2_binomial(size, named)

    def _count(self, rows: NDArray[np.bool_]) -> int:
        return int(rows.sum() if self._table.copies is None else self._table.copies[rows].sum())

    def _holds(self, condition: Condition) -> NDArray[np.bool_]:
        return condition.holds(self._table[condition.column])  # which takes the hour or the weekday by itself

    def _column(self, condition: Condition) -> Column:
        key = condition.column, condition.part
        if key not in self._columns:
            column = self._table[condition.column]
            self._columns[key] = column if condition.part is None else part_of(column, condition.part)
        return self._columns[key]

    def _n_distinct(self, condition: Condition) -> int:
        key = condition.column, condition.part
        if key not in self._sizes:
            self._sizes[key] = max(_distinct(self._column(condition)), 1)
        return self._sizes[key]


def _distinct(column: Column) -> int:
    if column.kind in ("category", "boolean"):
        return len(column.categories)
    present = column.values[~column.missing]
    if column.kind == "labels":
        return len({label for cell in present for label in cell})
    return len(pd.unique(present))


def _rare(column: Column, copies: NDArray[np.int64] | None) -> NDArray[np.bool_]:
    """Tell which rows have a value that few rows have."""
    present = ~column.missing
    codes, values = pd.factorize(column.values[present])
    rare = np.zeros(len(present), dtype=bool)
    counts = np.bincount(codes, None if copies is None else copies[present], minlength=len(values))
    rare[present] = (counts < RARE * counts.sum())[codes]
    return rare


def _ways(n: int) -> float:
    """Bits that the order of n things would take."""
    return float(gammaln(n + 1) / np.log(2))


def _star(n: int) -> float:
    return float(log_star(n))


def _log2_binomial(n: int, k: int) -> float:
    return float(log2_binomial(n, k))

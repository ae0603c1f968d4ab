"""`Prices`: how many bits a rule costs. Selection, growth, shortening, the choice of groups and the report all use it.

A condition names a column, an operator and a value. A cut costs the same in a column of ten values and in one of a
million: the price is for what a reader has to remember. Prices do not depend on which rows are outliers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache, partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import gammaln

from pyod_explain._arrays import FloatArray
from pyod_explain.input import Table
from pyod_explain.tags.condition import Condition
from pyod_explain.tags.tag import Tag
from pyod_explain.tags.terms import Relation, Term

LOG_STAR_CONSTANT = float(np.log2(2.865064))  # makes Rissanen's universal code for integers sum to 1
OPERATOR_BITS, CUT_BITS = 2.0, 4.0
DATE_PART_BITS = 2.0
MIN_COLUMNS = 8  # a table of fewer columns is priced as one of so many: chance finds rules there, too
RELATION_BITS = 18.0  # added to its two columns: a relation is harder to follow than two conditions


class Prices:
    """Bits of the rules about a table.

    Parameters
    ----------
    table : the table that the rules are about.

    Examples
    --------
    Sixteen columns: 4 bits to name one, 2 for the operator and 4 for the cut.

    >>> from pyod_explain.input.read import as_table
    >>> table = as_table(pd.DataFrame({f"x{i}": range(64) for i in range(16)}))
    >>> Prices(table).condition_bits(Condition("x3", ">=", 32))
    10.0
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._column_bits = math.log2(max(len(table.columns), MIN_COLUMNS))
        self.n_values = cache(partial(_count_values, table))  # of the table, not of this object: no reference cycle
        self._bits: dict[Condition, float] = {}

    def of(self, tags: Iterable[Tag]) -> FloatArray:
        """Give the bits of each rule: the sum of those of its conditions."""
        # fsum: the same in any order of the conditions.
        return np.array([math.fsum(map(self._known_bits, tag.conditions)) for tag in tags], dtype=np.float64)

    def _known_bits(self, condition: Condition) -> float:
        if condition not in self._bits:
            self._bits[condition] = self.condition_bits(condition)
        return self._bits[condition]

    def condition_bits(self, condition: Condition) -> float:
        """Return the bits of a condition: columns, relation or part of a date, operator, value."""
        bits = self._column_bits * len(condition.columns) + OPERATOR_BITS
        if isinstance(condition.column, Relation):
            bits += RELATION_BITS
        elif not isinstance(condition.column, str):
            bits += DATE_PART_BITS
        if condition.op in ("missing", "present", "rare"):
            return bits
        if condition.op in ("in", "not in"):
            return bits + self.list_bits(condition)
        if condition.op in ("==", "!=") and not self._table[condition.column].has_order:
            return bits + math.log2(self.n_values(condition.column))
        return bits + CUT_BITS * (2 if condition.op == "between" else 1)

    def cut_bits(self, term: Term) -> float:
        """Give the bits of a threshold, wherever it is."""
        return self.condition_bits(Condition(term, "<", 0))

    def list_bits(self, condition: Condition) -> float:
        """Return the bits to name the k values that a condition lists of the m that its column has; 0 for no list."""
        if condition.op not in ("in", "not in"):
            return 0.0
        n, k = self.n_values(condition.column), len(condition.value)
        if condition.op == "not in":  # linear: these are mostly common values
            return CUT_BITS * k
        return float(log2_binomial(max(n, k + 1), k)) + math.log2(k + 1)


def _count_values(table: Table, term: Term) -> int:
    """Count the distinct values of a column or of another term, 2 at least."""
    column = table[term]
    return max(len(pd.unique(column.values[~column.missing])), 2)


def log_star(n: ArrayLike) -> FloatArray:
    """Rissanen's universal code length of integers of at least 1, in bits; 0 bits for 0.

    >>> log_star([0, 1, 16]).round(3).tolist()
    [0.0, 1.519, 8.519]
    """
    rest = np.asarray(n, dtype=np.float64)
    total = np.where(rest >= 1, LOG_STAR_CONSTANT, 0.0)
    while (rest > 1).any():
        rest = np.log2(rest, out=np.zeros_like(rest), where=rest > 1)
        total = total + np.maximum(rest, 0.0)
    return np.asarray(total)


def log2_binomial(n: ArrayLike, k: ArrayLike) -> FloatArray:
    """Bits that it takes to name k of n; 0 where k is outside 0..n.

    >>> log2_binomial([4, 4, 4], [0, 2, 5]).round(3).tolist()
    [0.0, 2.585, 0.0]
    """
    top, part = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(k, dtype=np.float64))
    inside = (part > 0) & (part < top)
    safe_top, safe_part = np.where(inside, top, 2.0), np.where(inside, part, 1.0)
    nats = gammaln(safe_top + 1) - gammaln(safe_part + 1) - gammaln(safe_top - safe_part + 1)
    return np.where(inside, nats / np.log(2), 0.0)

"""`Language`: how many bits a rule takes in a language that was fixed before anybody looked at who is an outlier.

The paper's formula prices a rule by the number of features it was chosen from. Cut points and lists of values are
chosen by looking at the outliers, so they must be sent with the rule. Here a rule is sent to
somebody who has the table and nothing else: which column, which operator, and at which of the values that the
column has. Rules that are short in this language are rare, whatever the labels are, so what they save is no chance: a
saving of s bits happens with a probability of at most 2 to the power of -s.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from pyod_explain.input import Column, Table
from pyod_explain.tags.condition import Condition, evaluate
from pyod_explain.tags.tag import Tag
from pyod_explain.tags.terms import Term
from pyod_explain.tags.value_counts import RARE_SHARE

LOG_STAR_CONSTANT = float(np.log2(2.865064))  # makes Rissanen's universal code for integers sum to 1
# Operators: bits of each form, the usual ones short; the shares 2**-bits add up to at most 1.
ORDERED_BITS = {"<": 1, "<=": 1, ">": 1, ">=": 1, "between": 3, "==": 3, "!=": 3, "in": 3, "not in": 3, "rare": 4,
           "missing": 4, "present": 4}  # fmt: skip
UNORDERED_BITS = {"==": 1, "!=": 1, "in": 3, "not in": 3, "rare": 4, "missing": 4, "present": 4}
OTHER_FORM_BITS = 6  # any other form: a condition that does not suit the column
# "Related to another column": in the half of the code of "between" that is free, since that has no side to tell.
RELATION_FORM_BITS = 4
OPERATION_BITS = 2  # which of the four


class Language:
    """Rules about a table, each with its length in bits.

    Parameters
    ----------
    table : the table that sender and receiver have.

    Examples
    --------
    64 distinct ages and one other column: 1 bit for the column, 1 for "a threshold", 1 for its side, 7 for the place.

    >>> import pandas as pd
    >>> from pyod_explain.input.read import as_table
    >>> table = as_table(pd.DataFrame({"age": range(64), "sex": ["f", "m"] * 32}))
    >>> round(Language(table).condition_bits(Condition("age", ">=", 32)))
    10
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        dates = sum(column.kind == "datetime" for column in table.columns.values())
        self._places = len(table.columns) + 2 * dates  # a date has an hour and a weekday too
        self._lists = ListPrices(table)

    def bits(self, rules: Iterable[Tag]) -> float:
        """Bits of a set of rules: how many, and each of them; their order tells nothing."""
        lengths = [self.rule_bits(rule) for rule in rules]
        return max(_star(len(lengths)) + sum(lengths) - _ways(len(lengths)), 0.0)

    def rule_bits(self, rule: Tag) -> float:
        """Bits of one rule: how many conditions, and each of them; their order tells nothing."""
        return _star(len(rule)) + sum(self.condition_bits(one) for one in rule.sorted) - _ways(len(rule))

    def condition_bits(self, condition: Condition) -> float:
        """Bits of one condition: the column, the form, the side, and the value among those that the column has.

        Of a relation: that it is one, both columns and the operation come first.

        A condition on the lowest or the highest value may be written as a threshold as well: the shorter one counts.
        """
        ordered = self._table[condition.column].has_order
        ways = [condition, *(self._thresholds(condition) if condition.op == "==" and ordered else ())]
        return min(self._way_bits(one, ORDERED_BITS if ordered else UNORDERED_BITS) for one in ways)

    def _thresholds(self, condition: Condition) -> Iterator[Condition]:
        """Give the thresholds that hold for the same rows as an equality."""
        column = self._table[condition.column]
        holds = condition.holds(column)
        for op in ("<=", ">="):
            other = Condition(condition.column, op, condition.value)
            if np.array_equal(other.holds(column), holds):
                yield other

    def _way_bits(self, condition: Condition, forms: Mapping[str, int]) -> float:
        rarity = self._lists.is_rarity(condition)  # also where it lists the common values
        form = forms["rare"] if rarity else forms.get(condition.op, OTHER_FORM_BITS) + self._value_bits(condition)
        where = math.log2(max(self._places, 1))
        if len(condition.columns) > 1:
            where += RELATION_FORM_BITS + OPERATION_BITS + where  # and which other column
        return where + form + 1

    def _value_bits(self, condition: Condition) -> float:
        if condition.op in ("missing", "present"):
            return 0.0
        size = max(self._lists.n_values(condition), 1)
        if condition.op in ("<", "<=", ">", ">="):
            # A place between two values, or how many rows lie beyond it: outliers live in the tails.
            holds = condition.holds(self._table[condition.column])
            row_counts = self._table.row_counts
            beyond = int(holds.sum() if row_counts is None else row_counts[holds].sum())
            return 1 + min(math.log2(size + 1), _star(max(beyond, 1)))
        if condition.op == "between":
            return float(log2_binomial(size + 1, 2))
        if condition.op in LIST_OPS:  # how many, and which
            return _star(self._lists.n_listed(condition)) + self._lists.bits(condition)
        return math.log2(size) if size > 2 else 0.0  # of two values, "is not the one" is "is the other"


def _ways(n: int) -> float:
    """Bits that the order of n things would take."""
    return float(gammaln(n + 1) / np.log(2))


def _star(n: int) -> float:
    return float(log_star(n))


LIST_OPS = frozenset({"in", "not in", "rare"})
RELATION_EXTRA_BITS = 12.0  # of a relation beside its two columns: with fewer, products replace two clear rules


def extra_bits(tags: Iterable[Tag], table: Table) -> NDArray[np.float64]:
    """Give for each tag the bits that its lists of values and its relations take, beside its conditions as features.

    The paper's formula knows features that are there before anybody looks. Which values `is one of` lists is chosen
    by looking at the outliers: the list must be sent with the rule. A relation of two columns is
    harder to follow than two conditions, and is to earn that.
    """
    prices, listed = ListPrices(table), list(tags)
    bits = {
        one: prices.bits(one) + (RELATION_EXTRA_BITS if len(one.columns) > 1 else 0.0)
        for one in {condition for tag in listed for condition in tag.conditions}
    }
    # The same in whichever order.
    return np.array([math.fsum(bits[one] for one in tag.conditions) for tag in listed], dtype=np.float64)


class ListPrices:
    """What lists of values cost in a table: asked of the distinct values of a column, not of its rows.

    Parameters
    ----------
    table : the table that the receiver of a rule has.

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
        self._values: dict[Term, tuple[Column, NDArray[np.int64]]] = {}

    def bits(self, condition: Condition) -> float:
        """Bits to name the k values that a condition lists of the m that its column has; 0 if it lists none.

        Values that the column lacks cost nothing. Which values are rare follows from the table, so
        "none of the common values" costs nothing either, in whichever words.
        """
        if condition.op not in LIST_OPS or self.is_rarity(condition):
            return 0.0
        return float(log2_binomial(self.n_values(condition), self.n_listed(condition)))

    def n_listed(self, condition: Condition) -> int:
        """Count the values of its column that a condition lists; 1 at least, so that an empty list has a length too."""
        holds = self._holds(condition)
        return max(int((holds if condition.op == "in" else ~holds).sum()), 1)

    def n_values(self, condition: Condition) -> int:
        """Count the distinct values that its column has, or the part of its dates."""
        return len(self._distinct_values(condition)[1])

    def is_rarity(self, condition: Condition) -> bool:
        """Tell whether it states that a value is none of the common ones, which are what they are by the table."""
        if condition.op not in ("rare", "not in"):
            return False
        counts = self._distinct_values(condition)[1]
        return np.array_equal(self._holds(condition), counts < RARE_SHARE * counts.sum())

    def _holds(self, condition: Condition) -> NDArray[np.bool_]:
        return evaluate(self._distinct_values(condition)[0], condition.op, condition.value)

    def _distinct_values(self, condition: Condition) -> tuple[Column, NDArray[np.int64]]:
        """Return a column that has each distinct value once, and how many rows have it."""
        if condition.column not in self._values:
            column = self._table[condition.column]
            present = np.flatnonzero(~column.missing)
            codes, _ = pd.factorize(column.values[present])
            _, first = np.unique(codes, return_index=True)
            row_counts = None if self._table.row_counts is None else self._table.row_counts[present]
            counts = np.bincount(codes, row_counts, minlength=len(first)).astype(np.int64)
            self._values[condition.column] = column.take(present[first]), counts
        return self._values[condition.column]


def log_star(n: ArrayLike) -> NDArray[np.float64]:
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


def log2_binomial(n: ArrayLike, k: ArrayLike) -> NDArray[np.float64]:
    """Bits that it takes to name k of n; 0 where k is outside 0..n.

    >>> log2_binomial([4, 4, 4], [0, 2, 5]).round(3).tolist()
    [0.0, 2.585, 0.0]
    """
    top, part = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(k, dtype=np.float64))
    inside = (part > 0) & (part < top)
    safe_top, safe_part = np.where(inside, top, 2.0), np.where(inside, part, 1.0)
    nats = gammaln(safe_top + 1) - gammaln(safe_part + 1) - gammaln(safe_top - safe_part + 1)
    return np.where(inside, nats / np.log(2), 0.0)

"""Could a rule be chance? Its p-value: that of a blind draw, times the rules that the search could tell apart."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from scipy.special import logsumexp
from scipy.stats import hypergeom

from pyod_explain.input import Table
from pyod_explain.tags import Condition, Prices, Relation, Tag, log2_binomial
from pyod_explain.tags.terms import OPERATIONS

SIGNIFICANT = 0.05  # a corrected p-value below it is called significant
MAX_CUTS = 10  # of a column, in either direction: cuts nearer to each other are nearly the same test
MAX_SUMMED_TERMS = 4_096  # of a tail; of more terms, as many blocks of equal width
MAX_DEVIATIONS, MIN_TERMS = 12, 60  # standard deviations and terms: farther off, no term counts
NEGLIGIBLE = 40.0  # logarithm of the share of a sum that is left out
MANY_VALUES = ("in", "not in", "between")  # conditions that name several values


class DistinctRules:
    """How many rules of a kind can be told apart in a table, whatever search looked for them.

    The columns of a rule are some of those that there are. On each, an ordered column has `MAX_CUTS` cuts in either
    direction, or fewer: one between two values, one beside each outlier. Of an interval both ends are cuts; a narrow
    one has more places: `MAX_CUTS` times as many as fit side by side, but no more than there are values. A category has
    its values, and as many lists of k values as there are sets of k. A relation is one of the four operations on any
    two columns of numbers.

    Parameters
    ----------
    table : what the rules are about.

    Examples
    --------
    9 cuts in two directions, or 3 values, on one of two columns; all pairs of these:

    >>> import pandas as pd
    >>> from pyod_explain.input import as_table
    >>> rules = DistinctRules(as_table(pd.DataFrame({"x": range(10), "c": [*"abc", *"abcabca"]})))
    >>> low, red = Condition("x", "<", 3), Condition("c", "==", "a")
    >>> [round(math.exp(rules.log_count(Tag.of(*some), n_outliers=20))) for some in ([low], [red], [low, red])]
    [36, 6, 54]
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        kinds = [column.kind for column in table.columns.values()]
        self._columns = len(kinds) + 2 * kinds.count("datetime")  # a date has an hour and a weekday too
        self._relations = math.comb(kinds.count("number"), 2) * len(OPERATIONS)
        self._n_values = Prices(table).n_values

    def log_count(self, rule: Tag, n_outliers: int) -> float:
        """Give the logarithm of the number of rules that have as many conditions of the same kinds.

        Parameters
        ----------
        rule : the rule.
        n_outliers : number of outliers that a rule may be for.
        """
        related = sum(isinstance(condition.column, Relation) for condition in rule.conditions)
        places = ((self._relations, related), (self._columns, len(rule) - related))
        choices = [self._count_on_term(condition, n_outliers) for condition in rule.sorted]
        choices += [max(n - i, 1) for n, chosen in places for i in range(chosen)]
        # Conditions of one kind are a set: their order tells nothing.
        alike = Counter((isinstance(one.column, Relation), one.op in MANY_VALUES and one.op) for one in rule.conditions)
        return math.fsum(map(math.log, choices)) - math.fsum(math.lgamma(n + 1) for n in alike.values())

    def _count_on_term(self, condition: Condition, n_outliers: int) -> float:
        """Count the conditions of its kind on its column, relation or part of a date."""
        n_values = self._n_values(condition.column)
        if condition.op in ("in", "not in"):
            return math.exp2(float(log2_binomial(n_values, len(condition.value))))
        if condition.op in ("missing", "present", "rare"):
            return 2.0
        if not self._table[condition.column].has_order:
            return n_values
        cuts = 2.0 * max(min(n_values - 1, n_outliers, MAX_CUTS), 1)
        if condition.op != "between":
            return cuts
        matched = max(self._table.count(condition.holds(self._table[condition.column])), 1)
        return max(cuts**2 / 2, min(n_values, MAX_CUTS * self._table.total_rows / matched))


def p_value(n_outliers: int, n_normals: int, group_size: int, total_normals: int, log_count: float) -> float:
    """Give the p-value of a rule: the chance that any of so many rules matches a group of random rows as often.

    The tail of the hypergeometric distribution (Fisher's exact test, one-sided) times the number of rules, at most 1.

    Parameters
    ----------
    n_outliers, n_normals : how many the rule matches of the group, and of the normals.
    group_size, total_normals : how many there are.
    log_count : logarithm of the number of rules.

    Examples
    --------
    Both of 2 outliers and none of 8 normals: one draw of two in 45. One of three such rules does so by chance in 15.

    >>> round(1 / p_value(2, 0, 2, 8, log_count=0.0)), round(1 / p_value(2, 0, 2, 8, log_count=math.log(3)))
    (45, 15)
    """
    return math.exp(min(log_tail(n_outliers, n_normals, group_size, total_normals) + log_count, 0.0))


def log_tail(n_outliers: int, n_normals: int, group_size: int, total_normals: int) -> float:
    """Give the logarithm of the chance that as many rows as the group has, drawn blindly, match as often.

    Only the terms near the largest are added up. Where even these are many, they are taken in blocks, which are so
    narrow that the terms of a block are nearly alike.

    Parameters
    ----------
    n_outliers, n_normals, group_size, total_normals : as for `p_value`.
    """
    matched, total = n_outliers + n_normals, group_size + total_normals
    if n_outliers <= max(matched - total_normals, 0):
        return 0.0
    mean = group_size * (matched / total)
    spread = math.sqrt(mean * (total_normals / total) * ((total - matched) / max(total - 1, 1)))
    reach = MAX_DEVIATIONS * spread + MIN_TERMS
    first = max(n_outliers, int(mean - reach))
    # The next term over the first: from there on each is smaller by at least as much.
    ratio = (group_size - first) * (matched - first) / (first + 1) / (total_normals - matched + first + 1)
    if ratio < 1:
        reach = min(reach, 1 + NEGLIGIBLE / -math.log(ratio)) if ratio else 1
    last = min(group_size, matched, max(first, int(mean)) + math.ceil(reach))
    width = (last - first + 1) // MAX_SUMMED_TERMS // 2 * 2 + 1  # an odd number of terms has one in the middle
    middles = np.arange(first + width // 2, last - width // 2 + 1, width)
    terms = hypergeom(total, matched, group_size).logpmf(middles)
    return min(float(logsumexp(terms)) + math.log(width), 0.0)

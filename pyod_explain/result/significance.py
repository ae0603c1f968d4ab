"""Could it be chance? The p-value of a rule, corrected for all that could have been said as shortly."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp
from scipy.stats import hypergeom

from pyod_explain.coverage import Coverage
from pyod_explain.tags import Language, Tag

MAX_SUMMED_TERMS = 20_000  # terms of a sum, beyond which only those near the likeliest are added up
MAX_DEVIATIONS = 20  # standard deviations: farther off, no term counts


class Tests:
    """What a rule's p-value is about: which rows might as well have been others, and how many rules were to be had.

    Groups that were made by looking at the columns are described by these columns whatever the rows are. So the test
    is whether *outliers*, of whatever group, match more often than normals: that does not depend on the split.
    """

    def __init__(self, coverage: Coverage, language: Language, *, made: bool) -> None:
        self.coverage, self.language, self.made = coverage, language, made

    def p_value(self, rule: Tag, *, group: int, n_outliers: int, n_others: int, n_normals: int) -> float:
        """Chance of such a match, times the number of rules as short, and of groups if they were given."""
        sizes = self.coverage.group_sizes
        return significance(
            n_outliers=n_outliers + n_others if self.made else n_outliers,
            n_normals=n_normals,
            group_size=int(sizes.sum() if self.made else sizes[group]),
            total_normals=self.coverage.n_normals,
            log_tried=self.language.rule_bits(rule) * math.log(2) + (0 if self.made else math.log(len(sizes))),
        )


def significance(
    *, n_outliers: int, n_normals: int, group_size: int, total_normals: int, log_tried: float = 0.0
) -> float:
    """Chance to match at least as many of the group by drawing it at random, times the number of rules tried.

    The hypergeometric (Fisher) tail, one-sided: a group of `group_size` rows drawn blindly from itself and the
    normals. Multiplying by the number of rules tried keeps the chance of any false alarm below the p-value's level
    (Bonferroni; a rule of b bits counts as one of 2 to the power of b, so that short rules are charged less).

    Parameters
    ----------
    n_outliers, n_normals : rows of the group and normals that match.
    group_size, total_normals : how many there are.
    log_tried : natural logarithm of the number of rules tried.

    Examples
    --------
    Three of three, and no normal of 50: one way in 23,426 to draw them.

    >>> round(1 / significance(n_outliers=3, n_normals=0, group_size=3, total_normals=50))
    23426
    """
    if not n_outliers:
        return 1.0
    tail = _log_tail(n_outliers, total_normals + group_size, n_outliers + n_normals, group_size)
    return math.exp(min(tail + log_tried, 0.0))


def _log_tail(least: int, total: int, matching: int, drawn: int) -> float:
    """Logarithm of the chance that at least so many of the rows drawn match.

    Of millions of terms of the sum only those near the likeliest count matter: the others do not reach its last digit.
    """
    most = min(drawn, matching)
    if most - least <= MAX_SUMMED_TERMS:
        return float(hypergeom.logsf(least - 1, total, matching, drawn))
    middle, spread = hypergeom.mean(total, matching, drawn), hypergeom.std(total, matching, drawn)
    first = max(least, int(middle - MAX_DEVIATIONS * spread))
    last = min(most, int(max(least, middle) + MAX_DEVIATIONS * spread) + 1)
    terms = hypergeom.logpmf(np.arange(first, last + 1), total, matching, drawn)
    return min(float(logsumexp(terms)), 0.0)

"""Reasons to plant: conjunctions of conditions each of which is common among the rows."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.datasets.sources import Source
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.tags import Condition

__all__ = ["choose_reasons"]

_REFERENCE_ROWS = 4_000  # draws from which the cut points of the reasons are read
_RARE, _COMMON = 0.08, 0.45  # a category is part of a reason only if its share of the rows is in between


def choose_reasons(
    sources: list[Source], n_groups: int, length: int, rng: np.random.Generator
) -> list[list[Condition]]:
    """Take columns in turn, a numeric and a categorical one, and from each a condition that no reason has yet.

    Conditions on one column exclude each other and a condition is used once, so no reason implies another.
    """
    numeric, categorical = ([s for s in sources if bool(s.categories) is kind] for kind in (False, True))
    for kind in (numeric, categorical):
        rng.shuffle(kind)
    turns = [s for s in chain.from_iterable(zip_longest(numeric, categorical)) if s is not None]
    unused = {source.name: _possible_conditions(source, rng) for source in turns}
    reasons: list[list[Condition]] = []
    for _ in range(n_groups):
        chosen = [source for source in turns if unused[source.name]][:length]
        if len(chosen) < length:
            raise PyodExplainError(
                f"make_planted must find {n_groups} reasons of {length} condition{'s' if length > 1 else ''} on "
                f"different columns, but {len(sources)} column{'s' if len(sources) != 1 else ''} allow for "
                f"{len(reasons)}.\n"
                "Hint: raise `n_numeric` or `n_categorical`, or lower `n_groups` or `reason_length`."
            )
        reasons.append([])
        for source in chosen:
            reasons[-1].append(_next_condition(unused[source.name], reasons[-1]))
        turns = [source for source in turns if source not in chosen] + chosen
    return reasons


def _next_condition(unused: list[Condition], reason: list[Condition]) -> Condition:
    """Take the next condition of a column; where there is a choice, a reason has no more than one missing cell."""
    has_missing = any(condition.op == "missing" for condition in reason)
    return unused.pop(next((i for i, one in enumerate(unused) if not (has_missing and one.op == "missing")), 0))


def _possible_conditions(source: Source, rng: np.random.Generator) -> list[Condition]:
    sample = source.cells(_REFERENCE_ROWS, rng)
    if source.categories:
        shares = np.bincount(sample.values[~sample.missing], minlength=len(source.categories)) / _REFERENCE_ROWS
        common = [value for value, share in zip(source.categories, shares, strict=True) if _RARE < share < _COMMON]
        found = [Condition(source.name, "==", value) for value in common]
    else:
        found = _numeric_conditions(source.name, sample.values[~sample.missing], rng)
    if source.missing:
        found.append(Condition(source.name, "missing"))
    return [found[i] for i in rng.permutation(len(found))]


def _numeric_conditions(name: str, sample: NDArray[Any], rng: np.random.Generator) -> list[Condition]:
    """Offer both tails and an interval between them, each with some 10 to 20 percent of the values."""
    share = rng.uniform(0.1, 0.2, 3)
    start = rng.uniform(0.35, 0.5)
    high = _readable(sample, 1 - share[0], np.inf, share[0])
    low = _readable(sample, -np.inf, share[1], share[1])
    middle = _readable(sample, start, start + share[2], share[2])
    found = []
    if high is not None:
        found.append(Condition(name, ">=", high[0]))
    if low is not None:
        found.append(Condition(name, "<=", low[1]))
    if middle is not None and high is not None and low is not None and low[1] < middle[0] < middle[1] < high[0]:
        found.append(Condition(name, "between", middle))
    return found


def _readable(sample: NDArray[Any], low: float, high: float, share: float) -> tuple[float, float] | None:
    """Round the ends of a range of quantiles as far as it keeps about its share of the sample."""
    ends = [float(np.quantile(sample, q, method="nearest")) if np.isfinite(q) else q for q in (low, high)]
    for digits in range(1, 6):
        left, right = (_round(end, digits) for end in ends)
        kept = float(((sample >= left) & (sample <= right)).mean())
        if 0.7 * share <= kept <= 1.4 * share:
            return left, right
    return None  # too few distinct values for a range of this share


def _round(value: float, digits: int) -> float:
    """Round to significant digits; whole numbers come back as int, so that they print as 950 and not 950.0."""
    if not np.isfinite(value):
        return value
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded

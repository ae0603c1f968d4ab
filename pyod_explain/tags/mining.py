"""Combinations of conditions that are frequent among a group's outliers, mined with mlxtend."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._optional import optional
from pyod_explain.tags.shortlist import Place

__all__ = ["combine", "frequent", "in_different_places", "most_longer"]

ALGORITHMS = ("apriori", "hmine", "fpgrowth")
MINING_CELLS = 4_000_000  # candidates by rows that mlxtend may hold at once
SHORT = 3  # conditions: combinations of so many are mined of all conditions of a group
MOST_LONG = 10_000  # longer combinations of a group: conditions that hold nearly everywhere would give millions


def combine(
    inside: NDArray[np.bool_], worth: NDArray[np.float64], min_support: float, max_length: int, algorithm: str
) -> tuple[NDArray[np.intp], NDArray[np.int64], int]:
    """Mine combinations: short ones of all conditions, long ones of as many of the most telling as cannot flood us.

    How many sets of 4 and more there can be follows from how many there are of 3 (Kruskal and Katona): no more than if
    those were all triples of some x conditions.

    Returns the sets and lengths as `frequent` does, and how many conditions the long ones were made of.
    """
    sets, lengths = frequent(inside, min_support, min(max_length, SHORT), algorithm)
    if max_length <= SHORT:
        return sets, lengths, len(inside)
    order = np.argsort(-worth, kind="stable")
    rank = np.argsort(order)
    worst = np.sort(rank[sets[lengths == SHORT]].max(axis=1, initial=0))  # each triple's least telling member
    n_long = len(inside)
    while most_longer(int(np.searchsorted(worst, n_long)), max_length) > MOST_LONG:
        n_long -= 1
    kept = np.sort(order[:n_long])
    longer, their_lengths = frequent(inside[kept], min_support, max_length, algorithm)
    longer, their_lengths = kept[longer[their_lengths > SHORT]], their_lengths[their_lengths > SHORT]
    if not len(longer):
        return sets, lengths, n_long
    padding = np.repeat(sets[:, :1], longer.shape[1] - sets.shape[1], axis=1)
    return np.vstack([np.hstack([sets, padding]), longer]), np.concatenate([lengths, their_lengths]), n_long


def most_longer(n_triples: int, max_length: int) -> int:
    """Bound the number of sets of 4 to `max_length` by that of the triples.

    >>> most_longer(10, 4), most_longer(9, 5)
    (5, 6)
    """
    x = next(x for x in itertools.count(SHORT - 1) if math.comb(x, SHORT) >= n_triples)
    return sum(math.comb(x, length) for length in range(SHORT + 1, min(max_length, x) + 1))


def frequent(
    inside: NDArray[np.bool_], min_support: float, max_length: int, algorithm: str
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Mine a table of conditions by outliers for the combinations that reach the support, in a fixed order.

    Returns a row of positions for each, padded to one width by repeating the first, and their lengths.
    """
    patterns = optional("mlxtend.frequent_patterns", "to mine itemsets")
    n_items, n_rows = inside.shape
    options: dict[str, Any] = {}
    if algorithm == "apriori":  # its fast way holds all candidates of a length by all rows, three bytes a cell
        options["low_memory"] = math.comb(n_items, min(max_length, n_items // 2)) * n_rows > MINING_CELLS
    least = max(min_support - 1e-9, 1 / n_rows)  # 0.15 * 20 must mean 3 rows, whatever 3 / 20 is in floats
    rows = pd.DataFrame(np.ascontiguousarray(inside.T))
    found = getattr(patterns, algorithm)(rows, min_support=least, max_len=max_length, **options)
    by_length: dict[int, list[frozenset[int]]] = {}
    for one in found["itemsets"]:
        by_length.setdefault(len(one), []).append(one)
    width = max(by_length, default=1)
    blocks = [np.empty((0, width), dtype=np.intp)]
    for length, sets in sorted(by_length.items()):
        flat = np.fromiter(itertools.chain.from_iterable(sets), dtype=np.intp, count=length * len(sets))
        block = np.sort(flat.reshape(-1, length), axis=1)
        block = block[np.lexsort(block.T[::-1])]
        blocks.append(np.hstack([block, np.repeat(block[:, :1], width - length, axis=1)]))
    lengths = np.repeat(sorted(by_length), [len(by_length[length]) for length in sorted(by_length)])
    return np.concatenate(blocks), lengths.astype(np.int64)


def in_different_places(
    sets: NDArray[np.intp], lengths: NDArray[np.int64], places: Sequence[Place]
) -> NDArray[np.bool_]:
    """Tell which sets have no two members that speak of one side of one column."""
    number = {place: i for i, place in enumerate(dict.fromkeys(places))}
    place = np.array([number[one] for one in places])[sets]
    apart = np.ones(len(sets), dtype=bool)
    for i in range(sets.shape[1]):
        for j in range(i + 1, sets.shape[1]):
            apart &= (place[:, i] != place[:, j]) | (j >= lengths)
    return apart

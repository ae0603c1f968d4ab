"""Combinations of conditions that are frequent among a group's outliers, mined with mlxtend.

It counts rows one by one. Where each stands for many, the same combinations are found by counting copies here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._optional import optional
from pyod_explain.bits import conjunctions, digits, pack, tally
from pyod_explain.tags.shortlist import Place

__all__ = ["combine", "frequent", "in_different_places", "most_longer"]

ALGORITHMS = ("apriori", "hmine", "fpgrowth")
MINING_CELLS = 4_000_000  # candidates by rows that mlxtend may hold at once
SHORT = 3  # conditions: combinations of so many are mined of all conditions of a group
MOST_LONG = 10_000  # longer combinations of a group: conditions that hold nearly everywhere would give millions


def combine(
    inside: NDArray[np.bool_],
    worth: NDArray[np.float64],
    min_support: float,
    max_length: int,
    algorithm: str,
    copies: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.int64], int]:
    """Mine combinations: short ones of all conditions, long ones of as many of the most telling as cannot flood us.

    How many sets of 4 and more there can be follows from how many there are of 3 (Kruskal and Katona): no more than if
    those were all triples of some x conditions.

    Returns the sets and lengths as `frequent` does, and how many conditions the long ones were made of.
    """
    sets, lengths = frequent(inside, min_support, min(max_length, SHORT), algorithm, copies)
    if max_length <= SHORT:
        return sets, lengths, len(inside)
    order = np.argsort(-worth, kind="stable")
    rank = np.argsort(order)
    worst = np.sort(rank[sets[lengths == SHORT]].max(axis=1, initial=0))  # each triple's least telling member
    n_long = len(inside)
    while most_longer(int(np.searchsorted(worst, n_long)), max_length) > MOST_LONG:
        n_long -= 1
    kept = np.sort(order[:n_long])
    longer, their_lengths = frequent(inside[kept], min_support, max_length, algorithm, copies)
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
    inside: NDArray[np.bool_],
    min_support: float,
    max_length: int,
    algorithm: str,
    copies: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Mine a table of conditions by outliers for the combinations that reach the support, in a fixed order.

    Parameters
    ----------
    inside : conditions by outliers.
    min_support : share of the outliers that a combination must reach.
    max_length : most conditions of one.
    algorithm : mlxtend's, where outliers are single rows.
    copies : how many outliers each of them stands for; None where each is one.

    Returns
    -------
    A row of positions for each, padded to one width by repeating the first, and their lengths.
    """
    if copies is not None and (copies != 1).any():
        return _padded(_frequent_in_copies(inside, min_support, max_length, copies))
    patterns = optional("mlxtend.frequent_patterns", "to mine itemsets")
    n_items, n_rows = inside.shape
    options: dict[str, Any] = {}
    if algorithm == "apriori":  # its fast way holds all candidates of a length by all rows, three bytes a cell
        options["low_memory"] = math.comb(n_items, min(max_length, n_items // 2)) * n_rows > MINING_CELLS
    least = max(min_support - 1e-9, 1 / n_rows)  # 0.15 * 20 must mean 3 rows, whatever 3 / 20 is in floats
    rows = pd.DataFrame(np.ascontiguousarray(inside.T))
    found = getattr(patterns, algorithm)(rows, min_support=least, max_len=max_length, **options)
    sets = found["itemsets"].to_list()
    lengths = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    flat = np.fromiter(itertools.chain.from_iterable(sets), dtype=np.intp, count=int(lengths.sum()))
    starts = np.cumsum(lengths) - lengths
    return _padded([flat[starts[lengths == length, None] + np.arange(length)] for length in np.unique(lengths)])


def _padded(blocks: Sequence[NDArray[np.intp]]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Put sets of 1, 2, ... conditions, a block for each length, in order below one another."""
    width = max((block.shape[1] for block in blocks), default=1)
    padded = [np.empty((0, width), dtype=np.intp)]
    for block in blocks:
        ordered = np.sort(block, axis=1)
        ordered = ordered[np.lexsort(ordered.T[::-1])]
        padded.append(np.hstack([ordered, np.repeat(ordered[:, :1], width - block.shape[1], axis=1)]))
    lengths = np.repeat([block.shape[1] for block in blocks], [len(block) for block in blocks])
    return np.concatenate(padded), lengths.astype(np.int64)


def _frequent_in_copies(
    inside: NDArray[np.bool_], min_support: float, max_length: int, copies: NDArray[np.int64]
) -> list[NDArray[np.intp]]:
    """Find the combinations level by level, each of two shorter ones that differ in their last member (Apriori)."""
    words, each, total = pack(inside), digits(copies), int(copies.sum())
    least = max(min_support - 1e-9, 1 / total)
    sets, found = np.arange(len(inside))[:, None], []
    while len(sets):
        sets = sets[tally(conjunctions(words, sets), each) / total >= least]
        if len(sets):
            found.append(sets)
        sets = _longer(sets) if sets.shape[1] < max_length else sets[:0]
    return found


def _longer(sets: NDArray[np.intp]) -> NDArray[np.intp]:
    """Join sorted sets that differ in their last member alone.

    >>> _longer(np.array([[0, 1], [0, 2], [1, 2]])).tolist()
    [[0, 1, 2]]
    """
    joined = [np.empty((0, sets.shape[1] + 1), dtype=np.intp)]
    starts = np.flatnonzero(np.append(True, (sets[1:, :-1] != sets[:-1, :-1]).any(axis=1))[: len(sets)])
    for family in np.split(sets, starts[1:]):
        first, second = np.triu_indices(len(family), k=1)
        joined.append(np.hstack([family[first], family[second, -1:]]))
    return np.concatenate(joined)


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

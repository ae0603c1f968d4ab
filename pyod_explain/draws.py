"""Random draws among the rows that lines of a table stand for, as if each line were repeated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_SHUFFLED_ROWS", "deal", "deal_in_turn", "draw"]

Counts = NDArray[np.int64]

MAX_SHUFFLED_ROWS = 100_000  # up to which a draw is the one that repeated lines would get; beyond it costs less
HYPERGEOMETRIC = 10**9  # rows that numpy draws exactly from; of more a draw hardly changes what is left


def draw(copies: Counts, n_drawn: int, random: np.random.Generator) -> Counts:
    """Draw rows without putting them back, and tell how many of each line's copies were drawn.

    Parameters
    ----------
    copies : how many rows each line stands for.
    n_drawn : how many to draw.
    random : the generator.

    Examples
    --------
    >>> drawn = draw(np.array([1, 0, 5]), 4, np.random.default_rng(0))
    >>> int(drawn.sum()), bool((drawn <= [1, 0, 5]).all())
    (4, True)
    """
    total = int(copies.sum())
    if total > MAX_SHUFFLED_ROWS:
        return _many(copies, n_drawn, random)
    rows = random.choice(total, size=n_drawn, replace=False)
    return np.bincount(np.repeat(np.arange(len(copies)), copies)[rows], minlength=len(copies))


def deal(copies: Counts, sizes: Counts, random: np.random.Generator) -> Counts:
    """Deal all rows out at random, so many to each hand: a row per hand, a column per line of the table.

    Parameters
    ----------
    copies : how many rows each line stands for.
    sizes : how many rows each hand gets; all of them together.
    random : the generator.

    Examples
    --------
    >>> deal(np.array([3, 2]), np.array([4, 1]), np.random.default_rng(0)).sum(axis=0).tolist()
    [3, 2]
    """
    total = int(copies.sum())
    if total <= MAX_SHUFFLED_ROWS:
        hands = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
        return _table(hands, np.repeat(np.arange(len(copies)), copies), len(sizes), len(copies))
    return _many_hands(copies, sizes, random)


def deal_in_turn(copies: Counts, n_hands: int, first: int, random: np.random.Generator) -> Counts:
    """Shuffle all rows and deal them out in turn, from hand `first` on: a row per hand, a column per line.

    Parameters
    ----------
    copies : how many rows each line stands for.
    n_hands : how many hands there are.
    first : which of them gets the first row.
    random : the generator.

    Examples
    --------
    >>> deal_in_turn(np.array([3, 2]), 2, 1, np.random.default_rng(0)).sum(axis=1).tolist()
    [2, 3]
    """
    total = int(copies.sum())
    if total <= MAX_SHUFFLED_ROWS:
        rows = random.permutation(np.repeat(np.arange(len(copies)), copies))
        return _table((first + np.arange(total)) % n_hands, rows, n_hands, len(copies))
    turns = (np.arange(n_hands) - first) % n_hands  # whose turn comes when
    return _many_hands(copies, (total - turns + n_hands - 1) // n_hands, random)


def _table(hands: NDArray[np.intp], lines: NDArray[np.intp], n_hands: int, n_lines: int) -> Counts:
    """Count how many rows of each line each hand has got."""
    return np.bincount(hands * n_lines + lines, minlength=n_hands * n_lines).reshape(n_hands, n_lines)


def _many_hands(copies: Counts, sizes: Counts, random: np.random.Generator) -> Counts:
    left = copies.copy()
    hands = np.zeros((len(sizes), len(copies)), dtype=np.int64)
    for i, size in enumerate(sizes[:-1].tolist()):
        hands[i] = _many(left, size, random)
        left -= hands[i]
    hands[-1] = left
    return hands


def _many(copies: Counts, n_drawn: int, random: np.random.Generator) -> Counts:
    """Draw line by line: how many of its copies are among those that are still wanted of all that are left."""
    drawn = np.zeros(len(copies), dtype=np.int64)
    left, wanted = int(copies.sum()), n_drawn
    for i, n_copies in enumerate(copies.tolist()):
        if not wanted:
            break
        if left <= HYPERGEOMETRIC:
            drawn[i] = random.hypergeometric(n_copies, left - n_copies, wanted)
        else:
            likely = int(random.binomial(wanted, n_copies / left))
            drawn[i] = min(max(likely, wanted - (left - n_copies)), n_copies)
        left, wanted = left - n_copies, wanted - int(drawn[i])
    return drawn

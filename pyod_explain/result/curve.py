"""How many rules are worth it? Held-out figures of the first, the first two, ... of the rules found in each fold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pyod_explain.result.checked import Holdout

__all__ = ["MOST", "FoldRules", "curve_of"]

MOST = 50  # rules beyond which nobody looks
Mask = NDArray[np.bool_]


class FoldRules:
    """The rules found without a fold, and what each covers of the rows that they were found on and of the fold.

    Parameters
    ----------
    numbers : of the fold's rows: 0 (normal), the group, or -1.
    copies : how many rows each of these stands for; None where each is one.
    weights : how many rows each outlier stands for that the rules were found on.
    """

    def __init__(
        self, numbers: NDArray[np.int64], copies: NDArray[np.int64] | None, weights: NDArray[np.int64]
    ) -> None:
        self.numbers = numbers
        self.copies = np.ones(len(numbers), dtype=np.int64) if copies is None else copies
        self.weights = weights
        self._rules: list[tuple[Mask, Mask, Mask]] = []

    def add(self, known: Mask, cover: Mask, own: Mask) -> None:
        """Add a rule: the outliers that it tells where it was found, what it covers of the fold, and tells there."""
        self._rules.append((known, cover, own))

    def counts(self) -> list[NDArray[np.int64]]:
        """Count what no rule, the first, the first two, ... cover of the fold: own outliers, normals and others.

        The first is the rule that tells most of the outliers that it was found on, the next the one that adds most.
        """
        cover, own = np.zeros(len(self.numbers), dtype=bool), np.zeros(len(self.numbers), dtype=bool)
        result = [self._count(cover, own)]
        told = np.zeros(len(self.weights), dtype=bool)
        left = list(range(len(self._rules)))
        while left and len(result) <= MOST:
            best = max(left, key=lambda i: (int(self.weights[self._rules[i][0] & ~told].sum()), -i))
            left.remove(best)
            known, more, mine = self._rules[best]
            told, cover, own = told | known, cover | more, own | mine
            result.append(self._count(cover, own))
        return result

    def _count(self, cover: Mask, own: Mask) -> NDArray[np.int64]:
        parts = (own, cover & (self.numbers == 0), cover & (self.numbers > 0) & ~own)
        return np.array([self.copies[part].sum() for part in parts], dtype=np.int64)

    @property
    def size(self) -> int:
        """Outliers of the fold."""
        return int(self.copies[self.numbers > 0].sum())


def curve_of(folds: Sequence[FoldRules]) -> tuple[Holdout, ...]:
    """Add up over the folds: the first figures are of one rule, the next of two, ...; a fold with fewer has all of its.

    Parameters
    ----------
    folds : the rules found without each of them.
    """
    counts = [fold.counts() for fold in folds]
    size = sum(fold.size for fold in folds)
    most = max((len(one) for one in counts), default=1)
    figures = (np.sum([one[min(n, len(one) - 1)] for one in counts], axis=0) for n in range(1, most))
    return tuple(Holdout(int(own), int(normals), int(others), size, len(folds)) for own, normals, others in figures)

"""Are two sets of scores of the same rows? Far more of them equal, or more alike in order, than chance has it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

__all__ = ["ALIKE", "FEWEST", "Scores", "agree", "correlation", "differ", "some_equal"]

Scores = NDArray[np.float64]

FEWEST = 12  # rows that chance does not bring into order
ENOUGH = 40  # rows of which an order as chance has it can be told from one that is only a little alike
KEPT = 0.8  # share of equal scores, beyond chance, from which rows are the same, a few of them changed
SOME = 0.2  # share of equal scores from which a detector is one that gives its training rows what it keeps
ALIKE = 0.7  # rank correlation from which rows are the same: half of them the same give 0.5
BESIDE = 0.3  # the same of the steps from row to row, which rows that only drift or come in blocks alike do not have
UNLIKE = 0.25  # rank correlation below which rows are others: the same ones under LOF of 2 neighbours have 0.3
ZERO = 1e-12  # what KPCA with all its components gives is rounding: the rest of 1 - 1


def agree(own: Scores, found: Scores | None, normal: NDArray[np.bool_]) -> bool | None:
    """Tell whether two sets of scores are of the same rows: far more equal, or more alike in order, than by chance.

    The order counts among the normal rows alone: in many tables the outliers come last, training rows or not. Where
    equal scores are no chance, only the other rows are asked: half of the rows may be new.
    """
    if found is None:
        return None
    same = _close(own, found)
    equal = float(same.mean())
    by_chance = _by_chance(own, found)
    if equal > 0.9 and by_chance > 0.9:
        return None  # nearly all the same: nothing to tell rows by
    if equal > KEPT + (1 - KEPT) * by_chance:
        return True
    rest = normal & ~same if by_chance < 0.1 else normal
    alike = correlation(own[rest], found[rest])
    if alike is None:
        return None
    if alike >= ALIKE:
        return True if (_steps_alike(own[rest], found[rest]) or 0.0) >= BESIDE else None
    return False if alike < UNLIKE and int(rest.sum()) >= ENOUGH else None


def some_equal(own: Scores, found: Scores) -> bool:
    """Tell whether part of the scores are kept to the last digit: then the units are right, and the others are others.

    Half of the training rows and half others would pass for rows in other units otherwise.
    """
    return bool(_close(own, found).mean() > SOME) and _by_chance(own, found) < 0.1


def differ(found: Scores | None, again: Scores | None) -> bool:
    """Tell whether a detector that is asked twice about the same rows answers otherwise, or not at all."""
    return found is None or again is None or not bool(_close(found, again).all())


def correlation(one: Scores, other: Scores) -> float | None:
    """Give Spearman's rank correlation; None where one of the two has no order, or both are too short for chance."""
    if len(one) < FEWEST or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


def _by_chance(own: Scores, found: Scores) -> float:
    """Give the share of equal scores of rows that have nothing to do with each other."""
    return float(np.mean([_close(own, np.roll(found, by)).mean() for by in (1, 2, 3, 5, 8)]))


def _close(one: Scores, other: Scores) -> NDArray[np.bool_]:
    return np.isclose(one, other, rtol=1e-6, atol=max(ZERO, 1e-9 * float(np.ptp(one))))


def _steps_alike(one: Scores, other: Scores) -> float | None:
    """Give the correlation of the steps from row to row, in ranks."""
    return correlation(np.diff(rankdata(one)), np.diff(rankdata(other)))

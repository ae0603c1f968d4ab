"""What a learner's rules are worth on rows that they were not found on: a `Score` for a fold, and means of them.

Held-out bits are the figure to watch: what it takes to name the outliers among the unseen rows with the help of the
rules (the exceptions of the paper's MDL, without the bits of the rules), divided by the bits without any rule. 1: the
rules say nothing; 0: they say everything. Rules that mislead can cost more than 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import geometric_mean, mean, median

import numpy as np
from numpy.typing import NDArray

from pyod_explain.description_length import group_bits

LEAST_BITS = 0.01  # a share below it counts as this much in ratios, so that perfect answers do not divide by nothing


@dataclass(frozen=True)
class Score:
    """How well outliers were told on rows not seen, and how much was said.

    Attributes
    ----------
    bits : held-out bits, a share of the bits without any rule.
    f1 : F1 of the outliers.
    rules, conditions : what a reader has to read; NaN where it cannot be read.
    cpu : seconds of processor time to find it.
    """

    bits: float
    f1: float
    rules: float
    conditions: float
    cpu: float

    @classmethod
    def of(
        cls,
        said: NDArray[np.bool_],
        true: NDArray[np.bool_],
        *,
        rules: float = float("nan"),
        conditions: float = float("nan"),
        cpu: float = 0.0,
    ) -> Score:
        return cls(held_out_bits(said, true), f1(said, true), rules, conditions, cpu)

    @classmethod
    def mean(cls, scores: Sequence[Score]) -> Score:
        rows = [asdict(one) for one in scores]
        return cls(**{key: mean(row[key] for row in rows) for key in rows[0]})


def held_out_bits(said: NDArray[np.bool_], true: NDArray[np.bool_]) -> float:
    """Bits for what the rules get wrong on these rows, as a share of the bits that name all outliers one by one."""
    return exception_bits(said, true) / exception_bits(np.zeros_like(true), true)


def exception_bits(said: NDArray[np.bool_], true: NDArray[np.bool_]) -> float:
    """Bits for what is wrong: outliers that were missed among the rows outside, and normal rows among those inside."""
    missed, normals = int((true & ~said).sum()), int((said & ~true).sum())
    return float(group_bits(missed=missed, normals=normals, foreign=0, size=int(true.sum()), n_rows=len(true)))


def f1(said: NDArray[np.bool_], true: NDArray[np.bool_]) -> float:
    """F1 of the outliers; 0 where nothing right was said."""
    both = int((said & true).sum())
    return 2 * both / (int(said.sum()) + int(true.sum())) if both else 0.0


@dataclass(frozen=True)
class Duel:
    """One learner against another, or against the best of several in each case, by held-out bits.

    Attributes
    ----------
    cases : cases that both have.
    fewer, equal : cases with fewer bits, and with as many.
    ratio : geometric mean of the ratio to the other's bits.
    short : cases with no more conditions than the other.
    short_fewer : those of them with fewer bits.
    """

    cases: int
    fewer: int
    equal: int
    ratio: float
    short: int
    short_fewer: int


def duel(ours: Mapping[str, Score], other: Mapping[str, Score]) -> Duel | None:
    """Compare scores by case; None where there is no case that both have."""
    pairs = [(own, other[case]) for case, own in ours.items() if case in other]
    if not pairs:
        return None
    short = [(own, peer) for own, peer in pairs if own.conditions <= peer.conditions]
    return Duel(
        len(pairs),
        sum(own.bits < peer.bits for own, peer in pairs),
        sum(own.bits == peer.bits for own, peer in pairs),
        geometric_mean(max(own.bits, LEAST_BITS) / max(peer.bits, LEAST_BITS) for own, peer in pairs),
        len(short),
        sum(own.bits < peer.bits for own, peer in short),
    )


def best_of(scores: Sequence[Mapping[str, Score]]) -> dict[str, Score]:
    """Give the score with the fewest bits in each case (of equal ones the shortest) among those that are there."""
    cases = dict.fromkeys(case for one in scores for case in one)
    found = {case: [one[case] for one in scores if case in one] for case in cases}
    return {case: min(own, key=lambda score: (score.bits, score.conditions)) for case, own in found.items()}


def median_ratio(seconds: Mapping[str, float], yardstick: Mapping[str, float]) -> float:
    """Give the median over cases of a learner's seconds against the detector's."""
    return median(seconds[case] / yardstick[case] for case in seconds)

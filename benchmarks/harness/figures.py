"""Figures that are kept, and what is said when they got worse.

A measure has a value a case. A case may be worse by its slack, and the mean over the cases that are both kept and
measured by a smaller one: what moves a case by chance moves the others the other way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from statistics import mean

Values = Mapping[str, float]  # by case


@dataclass(frozen=True)
class Measure:
    """What is better, and how much worse is not yet worse.

    Attributes
    ----------
    better : "lower" or "higher".
    each, mean : what a case, and the mean of all cases, may be worse by.
    relative : these are shares of the kept value.
    """

    better: str
    each: float = 0.0
    mean: float = 0.0
    relative: bool = False

    def limit(self, kept: float, slack: float) -> float:
        """Give the worst value that is let pass."""
        allowed = slack * abs(kept) if self.relative else slack
        return kept + allowed if self.better == "lower" else kept - allowed

    def passes(self, value: float, kept: float, slack: float) -> bool:
        beyond = value - self.limit(kept, slack)
        return (beyond if self.better == "lower" else -beyond) <= rounding(kept)


def rounding(kept: float) -> float:
    """Give the difference that is no news: figures are kept rounded, and sums may be made in another order."""
    return 1e-6 * max(abs(kept), 1.0)


@dataclass(frozen=True)
class Verdict:
    """What is to be said of a measure.

    Attributes
    ----------
    line : cases and means, now and as kept.
    worse : a sentence for each figure that got worse, or that is not measured any more.
    new : cases that nothing is kept of.
    """

    line: str
    worse: tuple[str, ...]
    new: tuple[str, ...]


def compare(name: str, measure: Measure, kept: Values, now: Values, left_out: Collection[str] = ()) -> Verdict:
    """Compare the values of a measure with those that were kept; `left_out` are cases that cannot be measured here."""
    common = [case for case in now if case in kept]
    return Verdict(
        _line(name, [now[case] for case in common], [kept[case] for case in common]),
        (*_worse(name, measure, kept, now, common), *_lost(name, kept, now, left_out)),
        tuple(case for case in now if case not in kept),
    )


def _line(name: str, now: list[float], kept: list[float]) -> str:
    if not now:
        return f"{name:32} nothing to compare"
    cases = "1 case" if len(now) == 1 else f"{len(now)} cases"
    changed = sum(abs(a - b) > rounding(b) for a, b in zip(now, kept, strict=True))
    return f"{name:32} {cases:>9}  {mean(now):10.4f}   kept {mean(kept):10.4f}   {changed} changed"


def _worse(name: str, measure: Measure, kept: Values, now: Values, common: list[str]) -> Iterator[str]:
    for case in common:
        if not measure.passes(now[case], kept[case], measure.each):
            yield _sentence(f"{name} of {case}", measure, now[case], kept[case], measure.each)
    if len(common) > 1:
        value, before = (mean(values[case] for case in common) for values in (now, kept))
        if not measure.passes(value, before, measure.mean):
            yield _sentence(f"{name}, mean of {len(common)} cases", measure, value, before, measure.mean)


def _sentence(what: str, measure: Measure, value: float, kept: float, slack: float) -> str:
    bound = "at most" if measure.better == "lower" else "at least"
    return f"{what}: {value:.4f}, was {kept:.4f}; {bound} {measure.limit(kept, slack):.4f} is let pass"


def _lost(name: str, kept: Values, now: Values, left_out: Collection[str]) -> Iterator[str]:
    for case in kept:
        if case not in now and case not in left_out:
            yield f"{name} of {case}: was {kept[case]:.4f}, and is not measured any more"

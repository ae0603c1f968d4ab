"""`Statement`: what a rule says of one thing. The two ends of an interval are said as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pyod_explain.tags.condition import Condition
from pyod_explain.tags.wording import ends_in_phrase, ends_in_words

__all__ = ["Statement", "statements"]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a rule says of one thing: a condition, or the lower and the upper end of an interval.

    Attributes
    ----------
    conditions : the one, or the two.

    Examples
    --------
    >>> low, high = Condition("x", ">", 4), Condition("x", "<=", 8)
    >>> print(Statement((low, high)), Statement((low, high)).signs, Statement((low, high)).phrase(), sep="; ")
    4 < x <= 8; 4 < x ≤ 8; x above 4 and at most 8
    """

    conditions: tuple[Condition, ...]

    @property
    def _whole(self) -> Condition | None:
        """The condition that says all of it; None where an end of an interval does not belong to it."""
        if len(self.conditions) == 1:
            return self.conditions[0]
        low, high = self.conditions
        if (low.op, high.op) != (">=", "<="):
            return None
        return Condition(low.column, "between", (low.value, high.value), low.part)

    def __str__(self) -> str:
        return str(self._whole or self._ends(signs=False))

    @property
    def signs(self) -> str:
        """It with the signs that are printed."""
        whole = self._whole
        return self._ends(signs=True) if whole is None else whole.signs

    def phrase(self) -> str:
        """Say what rows are like, to follow "rows with"."""
        whole = self._whole
        if whole is not None:
            return whole.phrase()
        low, high = self.conditions
        named = f"{'' if low.part is None else f'{low.part} of '}{low.spoken}"
        return ends_in_phrase(named, (low.op, low.value), (high.op, high.value), weekday=low.part == "weekday")

    def _ends(self, *, signs: bool) -> str:
        low, high = self.conditions
        ends = (low.op, low.value), (high.op, high.value)
        return ends_in_words(low.subject, *ends, weekday=low.part == "weekday", signs=signs)


def statements(conditions: Iterable[Condition]) -> list[Statement]:
    """Say conditions that all hold, in their order: a lower and an upper limit of the same thing as one.

    Parameters
    ----------
    conditions : the conditions. A thing that has two limits on one side is not said shortly.

    Examples
    --------
    >>> print(*statements([Condition("w", "<=", 1), Condition("w", ">=", 1), Condition("age", "<", 18)]), sep="; ")
    w is 1; age < 18
    """
    listed = list(conditions)
    sides = defaultdict(list)
    for one in listed:
        sides[one.column, one.part, one.side].append(one)
    found = []
    for one in listed:
        low, high = (sides.get((one.column, one.part, side), []) for side in ("high", "low"))
        if one.side == "is" or len(low) != 1 or len(high) != 1:
            found.append(Statement((one,)))
        elif one is next(other for other in listed if other in (low[0], high[0])):  # of the two, that which is first
            found.append(Statement((low[0], high[0])))
    return found

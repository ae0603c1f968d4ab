"""`Deadline`: the one clock of a call of `select`, handed down to everything that may take long."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from pyod_explain._validate import check_number

__all__ = ["NEVER", "Clock", "Deadline", "OutOfTimeError"]

EXACT_SECONDS = 60.0  # for the exact solver, where no time limit is given, ...
BOUND_SECONDS = 10.0  # ... and for `bound=True`


class OutOfTimeError(Exception):
    """Work was given up because its deadline had passed; whoever set the deadline goes on without."""


class Deadline:
    """A moment by which to end.

    >>> Deadline.after(60.0).passed, Deadline.after(0.0).left, NEVER.left
    (False, 0.0, inf)
    """

    def __init__(self, end: float) -> None:
        self.end = end  # on the clock of time.perf_counter

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """End after so many seconds from now."""
        return cls(time.perf_counter() + seconds)

    @property
    def left(self) -> float:
        """Seconds that are left; 0 once it has passed."""
        return max(self.end - time.perf_counter(), 0.0)

    @property
    def passed(self) -> bool:
        return time.perf_counter() >= self.end

    def check(self) -> None:
        """Raise OutOfTimeError once it has passed."""
        if self.passed:
            raise OutOfTimeError

    def part(self, share: float) -> Deadline:
        """End after this share of the time that is left."""
        return Deadline.after(share * self.left)


NEVER = Deadline(np.inf)


@dataclass(frozen=True)
class Clock:
    """The times of one call of `select`, which starts with it.

    Attributes
    ----------
    search : by when the search for a selection is to end: never, unless a limit was given, or there is a proof to come.
    whole : by when everything is to end, if a limit was given or the exact solver was asked for.
    """

    search: Deadline
    whole: Deadline | None

    @classmethod
    def of(cls, owner: str, time_limit: float | None, *, exact: bool) -> Clock:
        """Start it; `time_limit` is the user's argument, in seconds, above 0, or None."""
        if time_limit is not None:
            check_number(owner, "time_limit", time_limit, low=0.0, open_low=True)
        seconds = EXACT_SECONDS if time_limit is None and exact else time_limit
        if seconds is None:
            return cls(NEVER, None)
        whole = Deadline.after(float(seconds))
        return cls(whole.part(0.5) if exact else whole, whole)

    def proof(self) -> Deadline:
        """By when a proof is to end that begins now."""
        return Deadline.after(BOUND_SECONDS) if self.whole is None else self.whole

    def diagnosis(self) -> Deadline:
        """By when to end a search for the reason why there is no selection; it is bounded by work, too."""
        return NEVER if self.whole is None else self.whole

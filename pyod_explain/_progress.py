"""Progress: a bar in terminals and notebooks for anything slow, or a function of the user's own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from pyod_explain.exceptions import PyodExplainError, visible

Step = Callable[[str, float], None]
BAR_DELAY = 2.0  # seconds before a bar appears
BAR_WIDTH = 24


def silent(_stage: str, _done: float) -> None:
    """Report to nobody."""


class Bar:
    """A line that is redrawn, and removed at the end; it appears only once the work has taken two seconds."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock
        self.started = clock()
        self.drawn = 0

    def __call__(self, stage: str, done: float) -> None:
        """Draw the line, if the work has taken long enough."""
        passed = self.clock() - self.started
        if passed < BAR_DELAY:
            return
        done = min(max(done, 0.0), 1.0)
        filled = round(done * BAR_WIDTH)
        text = f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done:4.0%} {visible(stage)}, {passed:.0f} s"
        self.stream.write("\r" + text.ljust(self.drawn))
        self.stream.flush()
        self.drawn = max(self.drawn, len(text))

    def close(self) -> None:
        """Remove the line, so that what is printed next starts on an empty one."""
        if self.drawn:
            self.stream.write("\r" + " " * self.drawn + "\r")
            self.stream.flush()
            self.drawn = 0


@contextmanager
def start(progress: Any) -> Iterator[Step]:
    """Turn the user's `progress=` into a function of stage and share done; a bar is removed at the end.

    Parameters
    ----------
    progress : None or False for silence; True for a bar on standard error; or a function that is called with the
        name of the stage and the share of it that is done, 0 to 1.

    Examples
    --------
    >>> with start(print) as step:
    ...     step("groups", 0.5)
    groups 0.5
    """
    if progress is None or progress is False or (progress is True and sys.stderr is None):  # as below pythonw
        yield silent
    elif progress is True:
        bar = Bar()
        try:
            yield bar
        finally:
            bar.close()
    elif callable(progress):
        yield progress
    else:
        rule = "must be None, True (a bar) or a function of stage and share done"
        raise PyodExplainError(f"`progress` {rule}, got {progress!r}.")

"""Signals while files are written: they wait where they must, and nothing is left behind when they end the process."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

__all__ = ["Guard", "held"]

# Signals that end a process at once unless it asks to be told first.
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
HELD = [signal.SIGINT, *ENDING]

_Handler = Callable[[int, FrameType | None], object] | int | None  # as the module `signal` has them


class _EndedError(BaseException):
    """The process was told to end; not an `Exception`, so that nobody takes it for an error of theirs."""


class Guard:
    """Cleans up, also before a signal ends the process, which then ends by it all the same.

    Only the main thread is told of signals; a handler of the user's own stays. An interrupt (Ctrl-C) needs no handler:
    it is an exception already.
    """

    def __init__(self, clean: Callable[[], None]) -> None:
        self.clean = clean
        self.watched: list[int] = []
        self.received: list[int] = []

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.clean()
        while self.watched:
            signal.signal(self.watched[-1], signal.SIG_DFL)
            self.watched.pop()
        if self.received:
            signal.raise_signal(self.received[0])

    def watch(self) -> None:
        """Ask to be told of signals that end the process."""
        for one in ENDING if hears_signals() else ():
            if signal.getsignal(one) == signal.SIG_DFL:
                self.watched.append(one)
                signal.signal(one, self._end)

    def _end(self, number: int, _frame: FrameType | None) -> NoReturn:
        self.received.append(number)
        raise _EndedError


@contextmanager
def held() -> Iterator[None]:
    """Let signals wait: what is done here is done to the end, and takes no time worth speaking of.

    Interrupts, which are raised wherever they come, are held first and let go last. A handler is called, and its signal
    not sent again: an event loop is told of every signal by the system too, and would answer it twice.
    """
    waiting: dict[int, FrameType | None] = {}

    def note(number: int, frame: FrameType | None) -> None:
        waiting.setdefault(number, frame)

    before = {one: signal.getsignal(one) for one in HELD} if hears_signals() else {}
    # Ignored signals stay so, and a handler that was not set from Python (None) could not be put back.
    before = {one: found for one, found in before.items() if found not in (signal.SIG_IGN, None)}
    try:
        for one in before:
            signal.signal(one, note)
        yield
    finally:
        for one, handler in reversed(before.items()):
            signal.signal(one, handler)
        for number, frame in waiting.items():
            _answer(before[number], number, frame)


def _answer(handler: _Handler, number: int, frame: FrameType | None) -> None:
    if callable(handler):
        handler(number, frame)
    else:
        signal.raise_signal(number)


def hears_signals() -> bool:
    """Tell whether Python tells this thread of signals.

    It is tried, since `threading` may take another thread for the main one, as where Python is embedded.
    """
    try:
        signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))
    except (ValueError, TypeError):  # another thread, or a handler that was not set from Python and so is left alone
        return False
    return True

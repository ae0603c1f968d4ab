"""What is said on the terminal besides the report: notes, progress, and what other packages print."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import TextIO

from pyod_explain._printable import one_line, visible
from pyod_explain._progress import Bar, Step

__all__ = ["Check", "calm", "note", "progress"]

Check = Callable[[], None]  # raises KeyboardInterrupt if the user has interrupted and nobody noticed


def note(text: str) -> None:
    """Say something on standard error; if nobody can hear it, the work goes on."""
    if sys.stderr is not None:  # print would take standard output instead
        with contextlib.suppress(OSError):
            print(f"note: {one_line(text)}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def progress(options: argparse.Namespace, check: Check) -> Iterator[Step]:
    """Show a bar on a terminal, and nothing elsewhere; verbosely, the time that each stage took."""
    started = time.monotonic()
    bar = Bar() if sys.stderr is not None and sys.stderr.isatty() and not options.quiet else None

    def step(stage: str, done: float) -> None:
        check()
        if bar is not None:
            bar(stage, done)
        elif options.verbose:
            note(f"{time.monotonic() - started:6.1f} s  {stage} {done:.0%}")

    try:
        yield step
    finally:
        if bar is not None:
            bar.close()


@contextlib.contextmanager
def calm(*, verbose: bool) -> Iterator[None]:
    """Keep warnings and prints of other packages away from the report, and their names of columns from the terminal."""
    errors = _VisibleStream(sys.stderr)
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(errors if verbose else io.StringIO()):
        if verbose:
            yield
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield


class _VisibleStream(io.TextIOBase):
    """Passes on what other packages print, each line of it visibly."""

    def __init__(self, stream: TextIO | None) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        if self.stream is not None:
            with contextlib.suppress(OSError):  # nobody can hear it
                self.stream.write("\n".join(visible(line) for line in text.split("\n")))
        return len(text)

    def flush(self) -> None:
        if self.stream is not None:
            with contextlib.suppress(OSError):
                self.stream.flush()

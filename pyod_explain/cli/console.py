"""What is printed besides the report: notes, progress, and what other packages print."""

from __future__ import annotations

import contextlib
import io
import sys
import time
import warnings
from collections.abc import Iterator

from pyod_explain._progress import Bar, Step
from pyod_explain.cli.request import SHELL
from pyod_explain.exceptions import Message, one_line


def print_line(text: str) -> None:
    """Print a line on standard error; nothing where that is closed."""
    if sys.stderr is not None:  # print would take standard output instead
        with contextlib.suppress(OSError, ValueError):
            print(one_line(text), file=sys.stderr, flush=True)


def print_note(note: str | Message) -> None:
    """Print a note on standard error, in the words of the command line."""
    print_line(f"note: {note.render(SHELL) if isinstance(note, Message) else note}")


@contextlib.contextmanager
def show_progress(*, quiet: bool = False, verbose: bool = False) -> Iterator[Step]:
    """Show a bar on a terminal, and nothing elsewhere; verbosely, the time of each stage."""
    started = time.monotonic()
    bar = Bar() if sys.stderr is not None and sys.stderr.isatty() and not quiet else None

    def step(stage: str, done: float) -> None:
        if bar is not None:
            bar(stage, done)
        elif verbose:
            print_note(f"{time.monotonic() - started:6.1f} s  {stage} {done:.0%}")

    try:
        yield step
    finally:
        if bar is not None:
            bar.close()


@contextlib.contextmanager
def hide_output(*, verbose: bool = False) -> Iterator[None]:
    """Keep prints and warnings of other packages away from the report; verbosely, they go to standard error."""
    with contextlib.redirect_stdout(sys.stderr if verbose else io.StringIO()), warnings.catch_warnings():
        if not verbose:
            warnings.simplefilter("ignore")
        yield

"""The command `pyod-explain`: how it starts and how it ends.

What it does is in `command.py`. This module imports nothing that is not there already when Python has started, so that
an interrupt is answered from the first moment on: importing numpy, pandas and scikit-learn takes seconds, and even
`signal` some milliseconds.
"""

from __future__ import annotations

import atexit
import os
import sys
import time

TYPE_CHECKING = False  # type checkers take it for true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import NoReturn, TextIO

__all__ = ["main"]

DATA_ERROR, USAGE_ERROR, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code.

    Parameters
    ----------
    argv : the arguments; those of the process by default, which then is ours: its signals are answered, and an
        interrupt that comes when all is done is ignored.
    """
    interrupts = _Interrupts(ours=argv is None)
    try:
        if argv is None:
            interrupts.watch()
            _escape_what_the_terminal_lacks()
        return _run(sys.argv[1:] if argv is None else list(argv), interrupts)
    except KeyboardInterrupt:
        interrupts.ignore()
        _complain("interrupted", INTERRUPTED)
        if interrupts.ours:
            _leave(INTERRUPTED)
        return INTERRUPTED
    finally:
        interrupts.ignore()


def _escape_what_the_terminal_lacks() -> None:
    """Print letters that the encoding of standard output lacks as escapes; the report is worth more than an error."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _leave(code: int) -> NoReturn:
    """End the process with this code.

    `sys.exit` would not do: once an interrupt has come while Python executes a string, as named tuples and dataclasses
    are made, it ends by that signal whatever code it is given. And what is printed would wait for its reader.
    """
    _silence(sys.stdout)
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public name
    os._exit(code)


def _run(arguments: list[str], interrupts: _Interrupts) -> int:
    try:
        from pyod_explain.cli.parser import parse

        command, options, _ = parse(arguments)  # help and mistakes are answered before what takes seconds is imported
        if command == "mcp":  # what takes seconds is imported by its worker; an interrupt ends it at once
            from pyod_explain.cli.mcp.server import run_mcp

            return run_mcp(options)
        from pyod_explain.cli.command import run

        interrupts.importing = False
        try:
            return run(arguments, interrupts.check)
        finally:
            _flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        _silence(sys.stdout, sys.stderr)
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets one line
        interrupts.check()  # it may be what somebody made of an interrupt
        if isinstance(error, OSError) and not _can_print():
            _silence(sys.stdout)
        return _explain(error, verbose="--verbose" in arguments)


def _explain(error: Exception, *, verbose: bool) -> int:
    """Say in one line what is wrong; verbosely, where an error happened that nobody foresaw."""
    from pyod_explain._printable import visible
    from pyod_explain.cli.usage import UsageError
    from pyod_explain.exceptions import PyodExplainError

    if isinstance(error, UsageError):
        return _complain(str(error), USAGE_ERROR)
    if isinstance(error, PyodExplainError | OSError | ImportError):
        return _complain(str(error), DATA_ERROR)
    if verbose:
        from traceback import format_exception

        lines = "".join(format_exception(error)).splitlines()
        _say("".join(f"{visible(line)}\n" for line in lines))
        return DATA_ERROR
    kind = type(error).__name__
    return _complain(f"{kind}: {error} (not foreseen; --verbose shows where it happened)", DATA_ERROR)


def _complain(message: str, code: int) -> int:
    from pyod_explain._printable import one_line

    _say(f"pyod-explain: {one_line(message)}\n")
    return code


def _say(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # nobody listens, or there is no such stream: the exit code tells
        _silence(sys.stderr)


def _flush() -> None:
    """Write what is printed now, so that what goes wrong is noticed here; an interrupt need not wait for a reader."""
    if sys.stdout is not None and not isinstance(sys.exception(), KeyboardInterrupt):
        sys.stdout.flush()


def _can_print() -> bool:
    try:
        _flush()
    except OSError:
        return False
    return True


def _silence(*streams: TextIO | None) -> None:
    """Send what is still to be written to nowhere, or Python would complain, or wait, when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        try:
            if stream is not None:
                os.dup2(nowhere, stream.fileno())
        except (OSError, ValueError):  # closed, or not a file
            continue
    os.close(nowhere)


class _Interrupts:
    """Ctrl-C while the command runs. It is not forgotten, even if some package swallows the exception."""

    BURST = 0.5  # seconds within which several are one

    def __init__(self, *, ours: bool) -> None:
        self.ours = ours  # the process, and so its signals
        self.importing = True
        self.last: float | None = None

    def watch(self) -> None:
        """Answer interrupts; a process that was told to ignore them (by nohup, or in the background) goes on so."""
        import signal

        if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
            sys.unraisablehook = self._swallowed
            signal.signal(signal.SIGINT, self._receive)

    def ignore(self) -> None:
        """Ignore them from now on: the process is about to end."""
        if self.ours:
            import signal

            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def check(self) -> None:
        """Stop if there was one."""
        if self.last is not None:
            raise KeyboardInterrupt

    def _receive(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        burst = self.last is not None and now - self.last < self.BURST
        self.last = now
        if burst:
            return
        if self.importing:
            self._end_at_once()
        raise KeyboardInterrupt

    def _end_at_once(self) -> NoReturn:
        """End while packages are imported, when there is nothing to undo.

        Raised inside an extension module, an interrupt may be printed by it with a traceback, or crash the process.
        """
        self.ignore()
        _say("pyod-explain: interrupted\n")
        os._exit(INTERRUPTED)

    @staticmethod
    def _swallowed(what: sys.UnraisableHookArgs) -> None:
        """Say nothing of an interrupt that came where none can be raised; `check` raises it again."""
        if not issubclass(what.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(what)

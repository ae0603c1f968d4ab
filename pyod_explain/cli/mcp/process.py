"""The worker from outside: started when it is needed, and ended when it takes too long."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

from pyod_explain.exceptions import PyodExplainError

__all__ = ["WorkError", "Worker"]

COMMAND = (sys.executable, "-P", "-m", "pyod_explain.cli.mcp.worker")  # -P: nothing is imported from where we are


class WorkError(PyodExplainError):
    """The work could not be done; the message is a sentence for the client."""


class Worker:
    """A process that answers one request at a time.

    Parameters
    ----------
    seconds : the longest that an answer may take.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process, unless it runs."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=_environment(),
                start_new_session=True,  # Ctrl-C is for the server, which ends it
            )
        return self._process

    def ask(self, request: Mapping[str, Any], given_up: threading.Event | None = None) -> list[str]:
        """Pass on a request and wait for the texts of the answer.

        Parameters
        ----------
        request : see `work.Desk`.
        given_up : set before `stop` by who no longer waits; a request that comes to its turn later is not passed on.
        """
        process = self.start()
        if given_up is not None and given_up.is_set():  # the process may be at work for another already
            raise WorkError("Nobody waits for this any more.")
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        late = threading.Event()
        timer = threading.Timer(self.seconds, _kill_late, (process, late))
        timer.daemon = True
        timer.start()
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except (OSError, ValueError):  # it ended, or was ended
            line = b""
        finally:
            timer.cancel()
        if not line.endswith(b"\n"):  # the answer, if there is any, is not whole
            self._end(process)
            raise WorkError(self._why(late.is_set()))
        answer = json.loads(line)
        if "error" in answer:
            raise WorkError(answer["error"])
        return list(answer["texts"])

    def stop(self) -> None:
        """End the process; the next request starts another."""
        if self._process is not None:
            self._end(self._process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End this process, which somebody may still wait for, and no other."""
        _kill(process)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # what was not written yet has no reader
                if pipe is not None:
                    pipe.close()
        if self._process is process:
            self._process = None

    def _why(self, late: bool) -> str:
        if not late:
            return (
                "The process that does the work ended early, as it does when memory runs out.\n"
                "Hint: name fewer columns in `only`, or a smaller file."
            )
        return (
            f"It took longer than {self.seconds:g} seconds and was stopped.\n"
            "Hint: name fewer columns in `only`, set `validate` to 0, take a faster `detector` such as ECOD, "
            "or start the server with a larger --max-seconds."
        )


def _kill_late(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it started, as a detector with `n_jobs` does."""
    if hasattr(os, "killpg") and process.returncode is None:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGTERM)  # joblib's own that clears up after them heeds no SIGTERM
    process.kill()


def _environment() -> dict[str, str]:
    """Give the environment, with UTF-8 wherever the system has another encoding."""
    return {**os.environ, "PYTHONUTF8": "1"}

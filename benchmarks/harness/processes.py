"""Work in other processes: many cases at once, or one alone, for its own peak of memory or a limit of its seconds."""

from __future__ import annotations

import json
import multiprocessing
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any


def in_parallel(work: Callable[[Any], Any], cases: Iterable[Any], jobs: int) -> Iterator[Any]:
    """Give the results in the order of the cases, as soon as they are there."""
    if jobs == 1:
        yield from map(work, cases)
    else:
        # its workers may start processes themselves, those of multiprocessing.Pool may not
        with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
            yield from pool.map(work, cases)


def run_alone(file: str, *arguments: str, limit: float | None = None) -> Any:
    """Run one of our scripts and read the JSON in its last line."""
    command = [sys.executable, str(Path(file).resolve()), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit)  # noqa: S603 - ours
    return json.loads(done.stdout.splitlines()[-1])


def within(limit: float, work: Callable[[], Any]) -> Any:
    """Do the work in a process of its own; TimeoutError when it has taken so many seconds of processor time."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(sender, work, limit))
    with warnings.catch_warnings():  # of threads in this process: those of numpy, which stay here
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    sender.close()
    try:
        result, error = receiver.recv()
    except EOFError:  # the process ended without an answer
        process.join()
        if process.exitcode == -signal.SIGXCPU:
            raise TimeoutError(f"stopped after {limit:g} CPU s") from None
        raise RuntimeError(f"its process ended with status {process.exitcode}") from None
    process.join()
    if error:
        raise RuntimeError(error)
    return result


def _answer(sender: Connection, work: Callable[[], Any], limit: float) -> None:
    limit_cpu(limit)
    try:
        sender.send((work(), ""))
    except Exception as problem:  # noqa: BLE001 - whatever the work raises is told
        sender.send((None, f"{type(problem).__name__}: {problem}"))


def limit_cpu(seconds: float) -> None:
    """Let the system end this process, without a core dump, when it has worked for so many seconds."""
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (max(1, round(seconds)), resource.RLIM_INFINITY))

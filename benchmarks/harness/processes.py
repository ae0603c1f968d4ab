"""Work in other processes: many cases at once, or one alone, so that its peak of memory is its own."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any


def in_parallel(work: Callable[[Any], Any], cases: Iterable[Any], jobs: int) -> Iterator[Any]:
    """Give the results in the order of the cases, as soon as they are there."""
    if jobs == 1:
        yield from map(work, cases)
    else:
        with multiprocessing.get_context("spawn").Pool(jobs) as pool:
            yield from pool.imap(work, cases)


def run_alone(file: str, *arguments: str, limit: float | None = None) -> Any:
    """Run one of our scripts and read the JSON in its last line."""
    command = [sys.executable, str(Path(file).resolve()), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit)  # noqa: S603 - ours
    return json.loads(done.stdout.splitlines()[-1])

"""Seconds and memory of what is run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any


def seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    """Give the seconds that a call takes, and its result."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def cpu_seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    """Give the processor time of a call and its processes, which a busy machine hardly changes, and its result."""
    start = _worked()
    result = run()
    return _worked() - start, result


def _worked() -> float:
    ended = os.times()
    return time.process_time() + ended.children_user + ended.children_system


def median_seconds(run: Callable[[], Any], repeats: int = 3) -> float:
    return median(seconds(run)[0] for _ in range(repeats))


def best_seconds(run: Callable[[], Any], repeats: int = 7) -> float:
    """Give the shortest of a few runs: the least disturbed one."""
    return min(seconds(run)[0] for _ in range(repeats))


def peak_memory() -> int:
    """Most memory that this process has held, in bytes."""
    import resource  # not on Windows

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024

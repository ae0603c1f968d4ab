"""What an explanation costs as tables get wide, groups many and rules long: seconds, memory; printed.

    python benchmarks/costs.py                  # all of it, a minute or two
    python benchmarks/costs.py groups           # parts of it

Each case runs in a process of its own, so that its peak of memory is its own: what the process holds at most, less
what it held before `explain` was called. On a busy machine compare seconds of CPU. The goals: time and memory grow as
the number of columns and of groups grows,
`max_length=5` takes at most 5 times as long as `max_length=3`, and no more memory than 3 times the table and 200 MB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from harness.processes import run_alone
from harness.timing import peak_memory

LIMIT = 300  # seconds that a case may take
ALLOWED_TIMES, ALLOWED_MORE = 3, 200.0  # times the table, and MB


def wide_numbers(n_columns: int) -> dict[str, Any]:
    """300 rows, 30 of them high in the first three columns."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, n_columns))
    values[:30, :3] += 4
    return {"X": pd.DataFrame(values).add_prefix("c"), "labels": _first(30, 300)}


def wide_categories(n_columns: int) -> dict[str, Any]:
    """300 rows of 50 values each, 30 of them the same in the first three columns."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 50, size=(300, n_columns))
    codes[:30, :3] = 7
    names = np.array([f"v{i}" for i in range(50)], dtype=object)
    return {"X": pd.DataFrame(names[codes]).add_prefix("c"), "labels": _first(30, 300)}


def many_groups(n_groups: int) -> dict[str, Any]:
    """20,000 rows, 2,000 of them outliers in given groups, each group near a place of its own."""
    rng = np.random.default_rng(0)
    n, outliers = 20_000, 2_000
    values = rng.normal(size=(n, 8))
    group = rng.integers(0, n_groups, outliers)
    values[:outliers] += (6 * rng.choice([-1, 0, 1], size=(n_groups, 8), p=[0.2, 0.6, 0.2]))[group]
    X = (
        pd.DataFrame(values)
        .add_prefix("c")
        .assign(
            kind=rng.choice(list("abcdefgh"), n), place=np.array([f"p{i}" for i in range(60)])[rng.integers(0, 60, n)]
        )
    )
    return {"X": X, "labels": _first(outliers, n), "groups": group}


def long_categories(max_length: int) -> dict[str, Any]:
    """1,203 rows of 5 categories: 40 outliers in which the opposite of most values holds nearly always."""
    rng = np.random.default_rng(0)
    names = np.array([f"v{i}" for i in range(25)], dtype=object)
    X = pd.DataFrame(names[rng.integers(0, 25, size=(1_203, 5))]).add_prefix("c")
    X.iloc[:40, 0] = "v3"
    return {"X": X, "labels": _first(40, 1_203), "max_length": max_length}


def long_numbers(max_length: int) -> dict[str, Any]:
    """2,000 rows of 12 numbers: 100 outliers that are a little high in all of them."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2_000, 12))
    values[:100] += 1.2
    return {"X": pd.DataFrame(values).add_prefix("c"), "labels": _first(100, 2_000), "max_length": max_length}


def _first(n_outliers: int, n_rows: int) -> list[int]:
    return [1] * n_outliers + [0] * (n_rows - n_outliers)


CASES: dict[str, tuple[Callable[[int], dict[str, Any]], tuple[int, ...]]] = {
    "columns of numbers": (wide_numbers, (500, 1_000, 2_000, 4_000)),
    "columns of categories": (wide_categories, (500, 1_000, 2_000, 4_000)),
    "groups": (many_groups, (10, 100, 200, 500)),
    "max_length, categories": (long_categories, (3, 4, 5)),
    "max_length, numbers": (long_numbers, (3, 4, 5)),
}


def measure(name: str, size: int) -> dict[str, Any]:
    """Run one case here, and say what it took."""
    from pyod_explain import explain

    warnings.simplefilter("ignore")
    tiny = pd.DataFrame({"a": [*range(60), *range(900, 912)], "b": ["x"] * 70 + ["y"] * 2})
    explain([0] * 60 + [1] * 12, tiny)  # so that imports and threads are paid for
    arguments = CASES[name][0](size)
    table = float(arguments["X"].memory_usage(deep=True).sum()) / 1e6
    before, start, worked = peak_memory(), time.perf_counter(), time.process_time()
    explanation = explain(arguments.pop("labels"), arguments.pop("X"), **arguments)
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    stages = {stage: round(taken, 2) for stage, taken in explanation.summary.timings.items()}
    return {
        "seconds": seconds, "CPU s": worked, "memory, MB": (peak_memory() - before) / 1e6, "table, MB": table,
        "tags": explanation.summary.n_tags, "rules": len(explanation.rules), "mdl": round(explanation.mdl),
        "stages": stages,
    }  # fmt: skip


def in_a_process(name: str, size: int, limit: float) -> dict[str, Any]:
    """Run one case in a process of its own."""
    try:
        return dict(run_alone(__file__, "--one", name, str(size), limit=limit))
    except subprocess.TimeoutExpired:
        return {"stages": f"not done in {limit:g} s"}
    except subprocess.CalledProcessError as failed:
        return {"stages": (failed.stderr.strip().splitlines() or ["failed"])[-1]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"words of {', '.join(CASES)}; all by default")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds that a case may take")
    parser.add_argument("--one", nargs=2, metavar=("NAME", "SIZE"), help="run one case here, print JSON")
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(measure(chosen.one[0], int(chosen.one[1]))))
        return
    head = ("size", "seconds", "CPU s", "memory, MB", "table, MB", "allowed", "tags", "rules", "mdl")
    for name, (_, sizes) in CASES.items():
        if chosen.parts and not any(part in name for part in chosen.parts):
            continue
        print(f"\n{name}\n" + " ".join(f"{one:>10}" for one in head) + "  stages", flush=True)
        for size in sizes:
            row = in_a_process(name, size, chosen.limit)
            row.update(size=size)
            if "table, MB" in row:
                row["allowed"] = ALLOWED_TIMES * row["table, MB"] + ALLOWED_MORE
            shown = [row.get(one, "-") for one in head]
            cells = [f"{one:,.2f}" if isinstance(one, float) else f"{one:,}" if one != "-" else one for one in shown]
            print(" ".join(f"{one:>10}" for one in cells), f" {row['stages']}", flush=True)


if __name__ == "__main__":
    main()

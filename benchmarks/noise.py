"""Random labels on random tables: what is claimed of them. The right answer is nothing.

Run `python benchmarks/noise.py` (200 tables a line, about ten minutes), or `--tables N`. A table claims a gain if the
rules are said to explain something; `significant` counts tables with at least one significant rule.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np
import pandas as pd
from harness.timing import cpu_seconds

from pyod_explain import WCCM, Explanation, explain

SETTINGS = {
    "default": {},
    "one group": {"groups": 1},
    "three groups": {"groups": 3},
    "forest": {"groups": 1, "tags": "forest"},
    "WCCM": {"method": WCCM(weight=20.0), "groups": 1},
}


def noise(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Make a table of columns of all kinds, and labels that have nothing to do with it."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([150, 500, 2000, 5000]))
    kinds = [
        lambda: rng.normal(size=n),
        lambda: rng.exponential(size=n).round(2),
        lambda: rng.integers(0, 20, n),
        lambda: rng.choice(list("abcdefgh"), n),
        lambda: rng.choice([f"name {i}" for i in range(300)], n),
    ]
    X = pd.DataFrame({f"c{j}": kinds[rng.integers(5)]() for j in range(int(rng.choice([1, 2, 5, 12])))})
    y = np.zeros(n, dtype=int)
    y[rng.choice(n, max(5, int(n * rng.choice([0.02, 0.05, 0.1]))), replace=False)] = 1
    return X, y


def explained(n_tables: int, **options) -> list[Explanation]:
    return [explain(y, X, **options) for X, y in map(noise, range(n_tables))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    n_tables = parser.parse_args().tables
    print(f"{'':<14}{'tables':>8}{'with rules':>12}{'claim a gain':>14}{'significant':>13}{'CPU s':>8}")
    for name, options in SETTINGS.items():
        cpu, found = cpu_seconds(partial(explained, n_tables, **options))
        rules = sum(bool(e.rules) for e in found)
        claims = sum(e.summary.explains for e in found)
        significant = sum(any(rule.significant for rule in e.rules) for e in found)
        print(f"{name:<14}{n_tables:>8}{rules:>12}{claims:>14}{significant:>13}{cpu:>8.0f}")


if __name__ == "__main__":
    main()

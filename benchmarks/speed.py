"""Time of the greedy explainers, in passes over the packed normals, and memory of a Coverage.

A pass is `np.bitwise_count(bits).sum()` over the packed normals, timed in the same run: what any method that looks at
each bit once must take. Run: python benchmarks/speed.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from harness.timing import best_seconds

from pyod_explain import BCCM, MDL, WCCM, Coverage, InfeasibleError

N_NORMALS, GROUPS = 54_864, (2_261, 626)  # the size of the paper's Readmission data
N_TAGS = 2_000


def random_coverage(n_tags: int = N_TAGS, seed: int = 0) -> Coverage:
    """Make tags that each cover a small part of one group and few others, so that many are needed."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.zeros(N_NORMALS, dtype=np.int64), *(np.full(n, k) for k, n in enumerate(GROUPS, start=1))])
    T = np.empty((len(y), n_tags), dtype=bool)
    for j in range(n_tags):
        rate = np.full(len(GROUPS) + 1, 0.02 * rng.random() ** 3)
        rate[1 + rng.integers(len(GROUPS))] = 0.12 * rng.random()
        T[:, j] = rng.random(len(y)) < rate[y]
    return Coverage.from_dense(T, y, lengths=rng.integers(1, 4, n_tags), n_items=400)


def attempt(explainer: Any, coverage: Coverage) -> Any:
    try:
        return explainer.select(coverage)
    except InfeasibleError as error:
        return error


def forget_counts(coverage: Coverage) -> None:
    """Drop the cached counts, so that each run pays for them."""
    for name in ("normal_counts", "group_counts"):
        coverage.__dict__.pop(name, None)


def main() -> None:
    coverage = random_coverage()
    one_pass = best_seconds(lambda: np.bitwise_count(coverage.normal_bits).sum())
    print(f"{coverage}\none pass over the packed normals: {one_pass * 1e3:.2f} ms\n")
    print(f"{'explainer':<42} {'ms':>8} {'passes':>7} {'goal':>5}  result")
    cases = [
        *((WCCM(weight=w, solver="greedy"), 30) for w in (2.0, 15.0, 50.0, 500.0)),
        *(
            (BCCM(max_tags=t, max_uncovered=r, solver="greedy"), 10)
            for t, r in ((10, 0.4), (20, 0.2), (40, 0.2), (80, 0.1))
        ),
        (MDL(), None),
    ]
    for explainer, goal in cases:

        def run(explainer: Any = explainer) -> Any:
            forget_counts(coverage)
            return attempt(explainer, coverage)

        seconds, answer = best_seconds(run), run()
        tags = [len(one) for one in answer.tags] if hasattr(answer, "tags") else "no candidate (InfeasibleError)"
        name = repr(explainer).replace("\n", " ")
        print(f"{name[:42]:<42} {seconds * 1e3:>8.1f} {seconds / one_pass:>7.1f} {goal or '-':>5}  tags {tags}")
    n_rows = coverage.n_normals + coverage.n_outliers
    used = sum(a.nbytes for a in (coverage.normal_bits, coverage.outlier_bits))
    print(f"\nmemory: {used / 2**20:.1f} MiB, {used / (n_rows * coverage.n_tags / 8):.3f} of rows x tags / 8 bytes")


if __name__ == "__main__":
    main()

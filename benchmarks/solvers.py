"""How good the solvers are: bits of `MDL`, `refined` against `greedy`, and what `exact` proves in the time it is given.

    python benchmarks/solvers.py [mdl] [refined] [exact] [--seconds 60] [--random 20]

The data sets are in the set-up "five bins" (`harness/five_bins.py`; needs the data files, see docs/datasets.md).
Tables of `exact`: random instances of 40 tags x 500 rows (D-WCCM, and D-BCCM with two sets of budgets); Heart with all
itemsets; Census with the 100 best tags of each group, by weighted relative accuracy (share of the group minus share of
the normals), by lift, and by profit (10 x outliers minus normals): which tags are kept decides how hard it is.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
from harness.five_bins import set_up
from harness.timing import seconds as timed

from pyod_explain import BCCM, MDL, WCCM, Coverage, InfeasibleError, evaluate


def random_instance(seed, n_rows=500, n_tags=40):
    """Rows and tags at random: one to three groups, few or many outliers, dense, sparse or planted tags."""
    rng = np.random.default_rng(seed)
    n_groups, share = int(rng.integers(1, 4)), float(rng.choice([0.05, 0.2, 0.5]))
    y = np.where(rng.random(n_rows) < share, rng.integers(1, n_groups + 1, n_rows), 0)
    y[:n_groups] = np.arange(1, n_groups + 1)
    kind = str(rng.choice(["dense", "sparse", "planted"]))
    if kind == "planted":
        owner = rng.integers(1, n_groups + 1, n_tags)
        rate = np.where(y[:, None] == owner[None, :], 0.35, 0.05)
    else:
        low, high = (0.1, 0.5) if kind == "dense" else (0.01, 0.1)
        rate = np.broadcast_to(rng.uniform(low, high, n_tags), (n_rows, n_tags))
    name = f"{kind}, {n_groups} group{'s' if n_groups > 1 else ''}, {share:.0%} outliers"
    return name, Coverage.from_dense(rng.random((n_rows, n_tags)) < rate, y)


def best_tags(coverage, by, n=100):
    """Keep the n best tags of each group."""
    chosen = set()
    normal = coverage.normal_counts / coverage.n_normals
    for k in range(coverage.n_groups):
        share = coverage.group_counts[k] / coverage.group_sizes[k]
        score = {
            "wracc": share - normal,
            "lift": np.where(share >= 0.05, share / (normal + 1e-9), 0.0),
            "profit": 10.0 * coverage.group_counts[k] - coverage.normal_counts,
        }[by]
        chosen |= set(np.argsort(-score, kind="stable")[:n].tolist())
    tags = np.array(sorted(chosen))
    return replace(
        coverage,
        normal_bits=coverage.normal_bits[tags],
        outlier_bits=coverage.outlier_bits[tags],
        lengths=coverage.lengths[tags],
    )


def row(name, coverage, weight, seconds):
    """Print one line: the three solvers' objectives, what was proved, and the time that exact took."""
    greedy = WCCM(weight=weight, solver="greedy").select(coverage).objective
    refined = WCCM(weight=weight).select(coverage).objective
    start = time.perf_counter()
    exact = WCCM(weight=weight, solver="exact", time_limit=seconds).select(coverage)
    took = time.perf_counter() - start
    print(
        f"{name:44} {weight:6g} {greedy:9g} {refined:9g} {exact.objective:9g} {exact.bound:9g}"
        f" {exact.gap:7.1%} {exact.status:9} {took:6.1f} s",
        flush=True,
    )
    return exact.status == "optimal"


def budget_row(name, coverage, max_tags, max_uncovered, seconds):
    """Print one line for D-BCCM: the best selection or that there is none, and whether that is proved."""
    explainer = BCCM(max_tags=max_tags, max_uncovered=max_uncovered, solver="exact", time_limit=seconds)
    start = time.perf_counter()
    try:
        found = explainer.select(coverage)
    except InfeasibleError as error:
        proved, text = error.proved, "none, proved" if error.proved else "none found"
    else:
        proved, text = found.status == "optimal", f"{found.objective:9g} {found.bound:9g} {found.gap:7.1%}"
    took = time.perf_counter() - start
    print(f"{name:44} {max_tags:6} {max_uncovered:9} {text:30} {took:6.1f} s", flush=True)
    return proved


def show_mdl():
    """Print the bits of MDL, in passes over the packed matrix as well."""
    print(f"{'MDL':24} {'tags':>7} {'bits':>8} {'empty':>8} {'goal':>7} {'time':>9} {'passes':>7}  tags chosen")
    for name, negated, goal in (("census", False, 6281), ("readmission", True, 16462), ("heart", False, 626)):
        coverage = set_up(name, negated=negated).coverage
        one_pass = timed(lambda cov=coverage: np.bitwise_count(cov.normal_bits).sum())[0]
        seconds, found = timed(lambda cov=coverage: MDL().select(cov))
        empty, chosen = evaluate(coverage, found).attrs["mdl_empty"], [len(tags) for tags in found.tags]
        text = f"{name}{', opposites too' if negated else ''}"
        print(
            f"{text:24} {coverage.n_tags:7,} {found.objective:8,.0f} {empty:8,.0f} {goal:7,} {seconds:8.2f}s"
            f" {seconds / one_pass:7.0f}  {chosen}",
            flush=True,
        )


def show_refined():
    """Print the objective of refined as a share of greedy's, and of MDL's own aim, bits."""
    coverage = set_up("census").coverage
    print(f"\n{'D-WCCM, Census':24} {'greedy':>9} {'refined':>9} {'share':>7} {'s':>7} {'s':>7}")
    shares = []
    for weight in (2, 5, 10, 20, 50):
        quick, greedy = timed(lambda w=weight: WCCM(weight=w, solver="greedy").select(coverage).objective)
        slow, refined = timed(lambda w=weight: WCCM(weight=w).select(coverage).objective)
        shares.append(refined / greedy)
        print(
            f"weight {weight:<17} {greedy:9,.0f} {refined:9,.0f} {shares[-1]:7.3f} {quick:7.3f} {slow:7.3f}", flush=True
        )
    print(f"mean share {np.mean(shares):.3f}, goal 0.93\n")


def show_exact(arguments):
    """Print what exact proves."""
    print(f"{'D-WCCM':44} weight    greedy   refined     exact     bound     gap status      time")
    proved = 0
    for seed in range(arguments.random):
        name, coverage = random_instance(seed)
        weight = float(np.random.default_rng(seed + 999).choice([1.0, 2.0, 5.0, 10.0]))
        proved += row(f"random {seed}: {name}", coverage, weight, min(arguments.seconds, 10.0))
    print(f"proved optimal: {proved} of {arguments.random} random instances\n")
    print(f"{'D-BCCM':44} max_tags max_unc     exact     bound     gap               time")
    proved = 0
    for seed in range(arguments.random):
        name, coverage = random_instance(seed)
        for budgets in ((5, 0.5), (3, 0.3)):
            proved += budget_row(f"random {seed}: {name}", coverage, *budgets, min(arguments.seconds, 10.0))
    print(f"proved: {proved} of {2 * arguments.random} random instances\n")
    heart, census = set_up("heart").coverage, set_up("census").coverage
    for weight in (2.0, 5.0, 10.0):
        row(f"Heart, {heart.n_tags:,} itemsets", heart, weight, arguments.seconds)
    for by in ("wracc", "lift", "profit"):
        for weight in (2.0, 10.0):
            some = best_tags(census, by)
            row(f"Census, {some.n_tags} tags by {by}", some, weight, arguments.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", choices=["mdl", "refined", "exact", []])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--random", type=int, default=20)
    arguments = parser.parse_args()
    wanted = arguments.tables or ["mdl", "refined", "exact"]
    if "mdl" in wanted:
        show_mdl()
    if "refined" in wanted:
        show_refined()
    if "exact" in wanted:
        show_exact(arguments)


if __name__ == "__main__":
    main()

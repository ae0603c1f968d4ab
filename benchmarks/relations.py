"""Relations of two columns: how long they take to look at, whether planted ones are found, what they bring elsewhere.

    python benchmarks/relations.py                       # time and planted causes, a minute
    python benchmarks/relations.py real FOLDER           # held-out bits on the .npz tables (X, y) of a folder

Held-out bits: what it takes to name the outliers among unseen rows with the help of the rules, as a share of what it
takes without any; three folds.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from harness.folds import folds
from harness.score import held_out_bits
from harness.timing import cpu_seconds
from pyod.models.iforest import IForest

from pyod_explain import explain
from pyod_explain.input import as_table, read_labels
from pyod_explain.search import search
from pyod_explain.settings import Settings

MOST_ROWS = 6_000
CAUSES = {
    "c03 - c07 >= 30": lambda X: X["c03"] - X["c07"] >= 30,
    "c03 / c07 >= 3": lambda X: X["c03"] / X["c07"] >= 3,
    "c03 x c07 >= 1200": lambda X: X["c03"] * X["c07"] >= 1200,
    "c03 + c07 >= 75": lambda X: X["c03"] + X["c07"] >= 75,
}


def table(n_rows: int, n_columns: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    cells = np.exp(rng.normal(3, 0.4, (n_rows, n_columns))).round(2)
    return pd.DataFrame(cells, columns=[f"c{i:02d}" for i in range(n_columns)])


def correlated(n_rows: int, n_columns: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Make columns that ten hidden ones give, and outliers that lie far out in many: many relations tell something."""
    rng = np.random.default_rng(1)
    hidden = rng.normal(size=(n_rows, 10)) @ rng.normal(size=(10, n_columns))
    cells = hidden + rng.normal(size=(n_rows, n_columns))
    far = np.abs((cells - cells.mean(0)) / cells.std(0)).sum(1)
    return pd.DataFrame(cells.round(2)).rename(columns=str), (far > np.quantile(far, 0.95)).astype(int)


def seconds(y: np.ndarray, X: pd.DataFrame, **settings: object) -> float:
    """Take the CPU time of a search."""
    best = np.inf
    for _ in range(3):
        table, outliers = as_table(X), read_labels(y, len(X), argument="y")
        best = min(best, cpu_seconds(partial(search, table, outliers, Settings(**settings)))[0])
    return best


def times() -> None:
    print("CPU seconds of the search at 50 columns, without and with relations=True\n")
    print("| outliers | rows | groups | without | with | ratio |\n|---|---|---|---|---|---|")
    for n_rows in (1_000, 5_000, 20_000):
        X = table(n_rows, 50)
        planted = X, CAUSES["c03 x c07 >= 1200"](X).astype(int).to_numpy()
        for name, (frame, y) in (("planted", planted), ("far out", correlated(n_rows, 50))):
            for groups in (1, "auto"):
                plain, related = (seconds(y, frame, groups=groups, relations=one) for one in (False, True))
                print(
                    f"| {name} | {n_rows:,} | {groups} | {plain:.2f} | {related:.2f} | {related / plain:.2f} |",
                    flush=True,
                )


def planted_causes() -> None:
    print("\nPlanted causes, 5,000 rows, 50 columns\n")
    print("| cause | outliers | rules found | bits, of the empty | without relations |\n|---|---|---|---|---|")
    X = table(5_000, 50)
    for cause, holds in CAUSES.items():
        y = holds(X).astype(int)
        found, plain = (explain(y, X, relations=one) for one in (True, False))
        rules = "; ".join(rule.text for rule in found.rules)
        shares = [1 - one.summary.share_saved for one in (found, plain)]
        print(f"| {cause} | {y.sum()} | {rules} | {shares[0]:.2f} | {shares[1]:.2f} |", flush=True)


def held_out(X: pd.DataFrame, y: np.ndarray, **settings: object) -> tuple[float, float, float]:
    """Give the held-out bits, the number of conditions, and how many of these are relations, over three folds."""
    bits, conditions, related = [], [], []
    for train, test in folds(y):
        found = explain(y[train], X.iloc[train], **settings)
        said = [condition for rule in found.rules for condition in rule.tag.conditions]
        conditions.append(len(said))
        related.append(sum(len(condition.columns) == 2 for condition in said))
        bits.append(held_out_bits(found.predict(X.iloc[test]) > 0, y[test] > 0))
    return float(np.mean(bits)), float(np.mean(conditions)), float(np.mean(related))


def real(folder: Path) -> None:
    print(
        "| table | outliers | held-out bits | with relations | conditions | with | of these relations |\n"
        + "|---" * 7
        + "|"
    )
    results = []
    for path in sorted(folder.glob("*.npz")):
        data = np.load(path)
        rows = np.random.default_rng(0).permutation(len(data["y"]))[:MOST_ROWS]
        X, truth = pd.DataFrame(data["X"][rows]).rename(columns=lambda i: f"x{i}"), data["y"][rows].astype(int)
        forest = IForest(contamination=0.05, random_state=0).fit(X.to_numpy()).labels_
        for name, y in (("truth", truth), ("IForest", forest)):
            plain, related = (held_out(X, y, groups=1, relations=one) for one in (False, True))
            results.append((plain[0], related[0], plain[1], related[1]))
            print(
                f"| {path.stem} | {name} | {plain[0]:.3f} | {related[0]:.3f} | {plain[1]:.1f} | {related[1]:.1f} | "
                f"{related[2]:.1f} |",
                flush=True,
            )
    means = np.mean(results, axis=0)
    better = sum(b < a - 0.005 for a, b, *_ in results), sum(b > a + 0.005 for a, b, *_ in results)
    print(f"\nmean {means.round(3).tolist()}; better in {better[0]}, worse in {better[1]} of {len(results)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["real"]:
        real(Path(sys.argv[2]))
    else:
        times()
        planted_causes()

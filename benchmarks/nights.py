"""Two nights of one process: how often is there an alarm where nothing changed, and is a new cause reported?

    python benchmarks/nights.py            # 40 pairs of nights, some minutes
    python benchmarks/nights.py --pairs 2  # of each table

**Halves**: a table is split into halves at random; the first is yesterday, the second today. A detector of PyOD marks
a tenth of the whole table as outliers. **Planted**: 30 normal rows of today get a cause that nobody saw before, values
beyond the largest of two columns, and are marked. *known* is `explain(..., known=yesterday)`, *compare* compares two
explanations that do not know of each other. An alarm is what `--exit-code` ends with 3 for; a planted cause counts as
reported if a rule of an alarm matches half of the 30 rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import pandas as pd
from harness.learners import quiet
from sklearn import datasets

from pyod_explain import explain
from pyod_explain.datasets import make_planted
from pyod_explain.result import RuleChange

N_PLANTED = 30


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Give tables that ship with scikit-learn, and generated ones."""
    for name in ("breast_cancer", "digits", "diabetes", "wine"):
        X = getattr(datasets, f"load_{name}")(as_frame=True).data
        yield name, X.iloc[:, :30]
    for seed in range(6):
        yield f"planted {seed}", make_planted(1_500, 1 + seed % 4, 25, noise=0.05, random_state=seed).X


def plant(X: pd.DataFrame, rows: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    """Move these rows beyond the largest values of two columns."""
    columns = rng.choice([name for name in X.select_dtypes("number") if X[name].nunique() > 5], 2, replace=False)
    changed = X.astype(dict.fromkeys(columns, float))
    for name in columns:
        span = X[name].max() - X[name].min()
        changed.iloc[rows, X.columns.get_loc(name)] = X[name].max() + span * rng.uniform(0.2, 0.4, len(rows))
    return changed


def reported(changes: tuple[RuleChange, ...], X: pd.DataFrame, rows: np.ndarray) -> bool:
    return any(one.significant and 2 * one.rule.tag.covers(X.iloc[rows]).sum() >= len(rows) for one in changes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=4, help="pairs of nights of each table")
    n_pairs = parser.parse_args().pairs
    lines: list[str] = []
    alarms, found, total = {"known": 0, "compare": 0}, {"known": 0, "compare": 0}, 0
    with quiet():
        from pyod.models.ecod import ECOD
        from pyod.models.iforest import IForest

        for name, X in tables():
            numbers = X.apply(lambda one: one if one.dtype.kind in "if" else one.astype("category").cat.codes)
            for pair in range(n_pairs):
                detector = ECOD() if pair % 2 else IForest(random_state=pair)
                labels = detector.fit(numbers.fillna(numbers.median()).to_numpy(float)).labels_
                rng = np.random.default_rng(pair)
                halves = np.array_split(rng.permutation(len(X)), 2)
                (old, y_old), (new, y_new) = ((X.iloc[one].reset_index(drop=True), labels[one]) for one in halves)
                before = explain(y_old, old)
                changes = {
                    "known": explain(y_new, new, known=before).summary.changes,
                    "compare": before.compare(explain(y_new, new)).rules,
                }
                rows = rng.choice(np.flatnonzero(y_new == 0), N_PLANTED, replace=False)
                later, marked = plant(new, rows, rng), y_new.copy()
                marked[rows] = 1
                planted = {
                    "known": explain(marked, later, known=before).summary.changes,
                    "compare": before.compare(explain(marked, later)).rules,
                }
                total += 1
                for way in alarms:
                    alarm = [one for one in changes[way] or () if one.significant]
                    alarms[way] += bool(alarm)
                    found[way] += reported(planted[way] or (), later, rows)
                    lines += [f"{name} {pair} {way}: {one.change} {one.rule.text}" for one in alarm]
                    if not reported(planted[way] or (), later, rows):
                        lines.append(f"{name} {pair} {way}: planted cause not reported")
    print(*lines, sep="\n")
    for way, n_alarms in alarms.items():
        print(f"{way:8} false alarms {n_alarms:3} of {total}   planted causes reported {found[way]:3} of {total}")


if __name__ == "__main__":
    main()

"""Explain outliers that anybody marked: labels, a column, scores with a threshold, or groups of your own.

python examples/labels_example.py
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pyod_explain import explain


def main() -> None:
    """Explain the same outliers from four kinds of labels."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"age": rng.integers(18, 70, 500), "visits": rng.poisson(3, 500)}, index=[f"p{i}" for i in range(500)]
    )
    X.iloc[:10, 0] = 99
    X.iloc[10:20, 1] = 40
    marked = np.array([1] * 20 + [0] * 480)

    print(explain(marked, X))  # an array, a list or a Series

    X["flag"] = marked
    print(f"\nby the name of a column: {explain('flag', X)!r}")  # the column does not explain itself

    scores = X["age"] / 99 + X["visits"] / 40
    by_scores = explain(None, X.drop(columns="flag"), scores=scores, threshold=1.05)
    print(f"by scores: {by_scores!r}")

    groups = np.array([1] * 10 + [2] * 10 + [0] * 480)  # 0 normal, else the group
    by_group = explain(groups, X.drop(columns="flag"))
    print("by groups:", [str(rule.tag) for rule in by_group.rules])


if __name__ == "__main__":
    main()

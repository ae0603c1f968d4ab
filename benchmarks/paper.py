"""The paper's experiments: its three data sets, tags, methods and metrics, in the form of its Tables 2 to 5.

Tags are 2,000 rules of at most three conditions from random forests, as in the paper. For WCCM and BCCM several
settings are tried and the one with the fewest bits is shown, as the paper does; MDL has no settings. A decision tree
and, if it is installed, RIPPER (wittgenstein) stand for the rule learners, one group against the rest.
Needs the data files (see docs/datasets.md). Run: python benchmarks/paper.py [census] [readmission] [heart]
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from pyod_explain import BCCM, DTDM, MDL, WCCM, Coverage, ForestRules, evaluate, tradeoff
from pyod_explain.datasets import Dataset, load_census, load_heart, load_readmission
from pyod_explain.groups import Groups, split_outliers
from pyod_explain.input.labels import read_labels
from pyod_explain.input.read import as_table
from pyod_explain.input.table import Table

LOADERS: dict[str, tuple[Callable[..., Dataset], int | None]] = {
    "census": (load_census, 3),
    "readmission": (load_readmission, 2),
    "heart": (load_heart, None),
}
WEIGHTS = (1, 2, 5, 10, 15, 20, 30, 50, 100)
BUDGETS = [(tags, share) for tags in (1, 2, 3, 5, 10) for share in (0.1, 0.2, 0.4, 0.6, 0.8, 0.9)]
MEASURES = ["FUO", "FCO", "FCN", "AL", "NT"]


def load(name: str) -> tuple[Table, Groups]:
    """Load a data set in the paper's set-up and split its outliers as the paper does."""
    loader, n_groups = LOADERS[name]
    data = loader(paper=True)
    table, outliers = as_table(data.X), read_labels(np.asarray(data.y), len(data.X))
    return table, split_outliers(n_groups or "auto", outliers, table)


def best_of(explainers: Iterable[object], coverage: Coverage) -> tuple[str, pd.DataFrame]:
    """Try each explainer and return the one with the fewest bits, as text, and its metrics."""
    found = []
    for explainer in explainers:
        selection = explainer.attempt(coverage) if isinstance(explainer, BCCM) else explainer.select(coverage)
        if selection is not None:
            frame = evaluate(coverage, selection)
            found.append((frame.attrs["mdl"], repr(explainer).replace("\n", " "), frame))
    return min(found, key=lambda one: one[0])[1:]


def rule_learners(table: Table, groups: Groups, n_items: int) -> dict[str, Callable[[], pd.DataFrame]]:
    """One group against the rest, by learners of others; their rules are measured like ours."""
    X = encoded(table)
    learners: dict[str, Callable[[], pd.DataFrame]] = {"tree, depth 3": lambda: tree(X, groups, n_items)}
    if importlib.util.find_spec("wittgenstein"):
        learners["RIPPER"] = lambda: ripper(table, groups, n_items)
    return learners


def encoded(table: Table) -> pd.DataFrame:
    """Numbers as they are, categories as 0/1 columns, missing cells as a value below all others."""
    parts = {}
    for name, column in table.columns.items():
        if column.has_order:
            values = column.values.astype(float)
            parts[name] = np.where(column.missing, np.nanmin(values) - 1, values)
        else:
            counts = np.bincount(column.values[~column.missing], minlength=len(column.categories))
            for code in np.argsort(-counts, kind="stable")[:40]:
                parts[f"{name}={column.categories[code]}"] = (column.values == code).astype(float)
    return pd.DataFrame(parts)


def tree(X: pd.DataFrame, groups: Groups, n_items: int) -> pd.DataFrame:
    """Leaves of a tree that lean towards the group: each is a rule."""
    covers, lengths, chosen = [], [], []
    for group in range(1, groups.n_groups + 1):
        target = groups.numbers == group
        model = DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, class_weight="balanced", random_state=0)
        leaves = model.fit(X, target).apply(X.to_numpy(dtype=np.float32))
        depth = np.asarray(model.decision_path(X).sum(axis=1)).ravel() - 1
        tags = []
        for leaf in np.unique(leaves):
            inside = leaves == leaf
            if target[inside].sum() / target.sum() > (~target)[inside].sum() / (~target).sum() and depth[inside][0]:
                tags.append(len(covers))
                covers.append(inside)
                lengths.append(int(depth[inside][0]))
        chosen.append(tags)
    return measured(covers, lengths, chosen, groups, n_items)


def ripper(table: Table, groups: Groups, n_items: int) -> pd.DataFrame:
    """RIPPER of the package wittgenstein."""
    import wittgenstein

    X = pd.DataFrame(
        {
            n: c.values if c.has_order else pd.Categorical.from_codes(c.values, c.categories).astype(str)
            for n, c in table.columns.items()
        }
    )
    covers, lengths, chosen = [], [], []
    for group in range(1, groups.n_groups + 1):
        model = wittgenstein.RIPPER(random_state=0)
        model.fit(X, groups.numbers == group, pos_class=True)
        tags = []
        for rule in model.ruleset_.rules:
            tags.append(len(covers))
            covers.append(
                X.index.isin(
                    rule.covers(model.bin_transformer_.transform(X) if hasattr(model, "bin_transformer_") else X).index
                )
            )
            lengths.append(max(len(rule.conds), 1))
        chosen.append(tags)
    return measured(covers, lengths, chosen, groups, n_items)


def measured(covers: list, lengths: list, chosen: list, groups: Groups, n_items: int) -> pd.DataFrame:
    T = np.array(covers, dtype=bool).reshape(len(covers), len(groups.numbers)).T
    return evaluate(Coverage.from_dense(T, groups.numbers, lengths=lengths, n_items=n_items), chosen)


def row(name: str, frame: pd.DataFrame, seconds: float) -> str:
    cells = ["/".join(f"{value:.2f}" if key != "NT" else f"{value:.0f}" for value in frame[key]) for key in MEASURES]
    return f"{name:<44}" + "".join(f"{cell:>21}" for cell in cells) + f"{frame.attrs['mdl']:>9,.0f}{seconds:>8.2f}"


def compare(name: str) -> None:
    """Print the paper's comparison for one data set."""
    table, groups = load(name)
    start = time.perf_counter()
    tags = ForestRules(n_rules=2000, max_length=3).make(table, groups)
    coverage = Coverage.from_tags(table, tags.tags, groups, n_items=tags.n_items)
    made = time.perf_counter() - start
    print(f"\n{name}: {coverage}, group sizes {coverage.group_sizes.tolist()}, tags made in {made:.1f} s")
    print(f"{'method':<44}" + "".join(f"{key:>21}" for key in MEASURES) + f"{'MDL':>9}{'s':>8}")
    methods: dict[str, list[object]] = {
        "DTDM": [DTDM(solver="greedy")],
        "D-WCCM greedy": [WCCM(weight=w, solver="greedy") for w in WEIGHTS],
        "D-WCCM refined": [WCCM(weight=w) for w in WEIGHTS],
        "D-BCCM greedy": [BCCM(max_tags=t, max_uncovered=r, solver="greedy") for t, r in BUDGETS],
        "D-BCCM refined": [BCCM(max_tags=t, max_uncovered=r) for t, r in BUDGETS],
        "MDL": [MDL()],
    }
    for label, explainers in methods.items():
        start = time.perf_counter()
        setting, frame = best_of(explainers, coverage)
        parameters = setting[setting.index("(") :] if len(explainers) > 1 else ""
        each = (time.perf_counter() - start) / len(explainers)
        print(row(f"{label} {parameters}"[:43], frame, each), flush=True)
    for label, learn in rule_learners(table, groups, tags.n_items).items():
        start = time.perf_counter()
        print(row(label, learn(), time.perf_counter() - start), flush=True)
    print(row("nothing said", evaluate(coverage, [()] * coverage.n_groups), 0.0))
    if name == "readmission":
        show_tradeoff(coverage)


def show_tradeoff(coverage: Coverage) -> None:
    """Print the paper's Table 5: how the parameters trade purity against coverage and length."""
    print("\nHow the parameters trade purity against coverage and length (greedy, all groups together)")
    print(tradeoff(coverage, "wccm", weight=[[15, 15], [15, 25], [30, 50]], solver="greedy").round(3).to_string())
    print(
        tradeoff(coverage, "bccm", max_tags=[5, 10], max_uncovered=[0.2, 0.4, 0.8], solver="greedy")
        .round(3)
        .to_string()
    )


if __name__ == "__main__":
    for data_set in sys.argv[1:] or list(LOADERS):
        compare(data_set)

"""Tags: how long they take, how much memory, how short the descriptions are that they allow; printed as tables.

    python benchmarks/tags.py              # all of it, some minutes
    python benchmarks/tags.py time memory  # parts of it

The real data are read from the folder that `PYOD_EXPLAIN_DATA` names (docs/datasets.md).
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from harness.tables import loaded
from harness.timing import median_seconds
from harness.uci import load_heart, load_readmission
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from sklearn.preprocessing import StandardScaler

from pyod_explain import MDL, Coverage, evaluate
from pyod_explain.datasets import make_planted
from pyod_explain.groups import Groups, split_outliers
from pyod_explain.input import Table, as_table, read_labels
from pyod_explain.search import search
from pyod_explain.settings import Settings
from pyod_explain.tags import Condition, ForestRules, Itemsets, Tag, TagSet, make_tags
from pyod_explain.tags.mining import Evidence, choose, frequent, on_different_sides

N_GROUPS = 3


@dataclass(frozen=True)
class Problem:
    """A table whose outliers are grouped."""

    name: str
    frame: pd.DataFrame
    table: Table
    groups: Groups


class QuintileBins:
    """The baseline: five equal bins per number, `is` per category, and combinations of up to three."""

    def make(self, table: Table, groups: Groups) -> TagSet:
        conditions = [condition for column in table.columns.values() for condition in self._conditions(column)]
        tags: dict[Tag, None] = {}
        for group in range(1, groups.n_groups + 1):
            evidence = Evidence.of(conditions, table, groups, group)
            usual = evidence.inside.mean(axis=1) >= 0.05
            lifted = evidence.inside.mean(axis=1) * evidence.n_normals > np.bitwise_count(evidence.normal).sum(axis=1)
            kept = np.flatnonzero(usual & lifted)
            if not len(kept):
                continue
            evidence = Evidence(evidence.inside[kept], evidence.normal[kept], evidence.n_normals)
            sets, lengths = frequent(evidence.inside, 0.05, 3)
            apart = on_different_sides(sets, lengths, [(conditions[i].column, None, "") for i in kept])
            sets, lengths = sets[apart], lengths[apart]
            chosen, _ = choose(sets, lengths, evidence, n_items=len(conditions), min_lift=1.0, most=2000)
            tags.update((Tag(frozenset(conditions[kept[i]] for i in sets[one])), None) for one in chosen)
        return TagSet(tuple(tags), len(conditions))

    @staticmethod
    def _conditions(column: Any) -> Iterator[Condition]:
        if column.missing.any():
            yield Condition(column.name, "missing")
        if not column.has_order:
            yield from (Condition(column.name, "==", value) for value in column.categories)
        elif not column.missing.all():
            edges = np.unique(np.quantile(column.values[~column.missing], [0, 0.2, 0.4, 0.6, 0.8, 1]))
            for low, high in pairwise(edges):
                last = high if high == edges[-1] else np.nextafter(high, -np.inf)
                yield Condition(column.name, "between", (float(low), float(last)))


def ordinal(frame: pd.DataFrame) -> np.ndarray:
    columns = [frame[c] if frame[c].dtype.kind in "ifb" else pd.factorize(frame[c], sort=True)[0] for c in frame]
    return np.nan_to_num(np.column_stack(columns).astype(np.float64))


def problem(name: str, frame: pd.DataFrame, detector: Any, n_groups: int) -> Problem:
    table = as_table(frame)
    outliers = read_labels(detector.fit(StandardScaler().fit_transform(ordinal(frame))).labels_, len(frame))
    return Problem(name, frame, table, split_outliers(n_groups, outliers, table))


def large() -> dict[str, Callable[[], pd.DataFrame]]:
    return {
        "census": lambda: loaded("census")[0],
        "readmission": lambda: load_readmission(labels=False).X,
        "bank": lambda: loaded("bank")[0],
    }


def small() -> Iterator[tuple[str, pd.DataFrame, float]]:
    for name in ("breast_cancer", "wine", "digits", "diabetes"):
        yield name, loaded(name)[0], 0.08
    yield "planted", make_planted(4000, n_numeric=8, n_categorical=0, random_state=0).X, 0.05
    yield "german", loaded("german_credit")[0], 0.06
    yield "heart", load_heart(labels=False).X, 0.08
    yield "bank, 8,000", loaded("bank")[0].sample(8000, random_state=0), 0.02
    yield "census, 8,000", loaded("census")[0].sample(8000, random_state=0), 0.02


def small_problems() -> list[Problem]:
    result = []
    for name, frame, share in small():
        for n_groups in (1, N_GROUPS):
            detector = IForest(contamination=share, random_state=0)
            result.append(problem(f"{name}, IForest, K={n_groups}", frame, detector, n_groups))
        if len(frame) < 5000:
            result.append(problem(f"{name}, KNN, K=1", frame, KNN(contamination=share), 1))
    for noise in (0.0, 0.2):
        data = make_planted(4000, n_numeric=8, n_categorical=0, noise=noise, random_state=1)
        groups = Groups(data.y, ("1", "2"), "given")
        result.append(Problem(f"planted, its own groups, noise {noise:.0%}", data.X, as_table(data.X), groups))
    return result


def share_of_empty(made: TagSet, one: Problem) -> float:
    coverage = Coverage.from_tags(made.extend(one.table), made.tags, one.groups, n_items=made.n_items)
    metrics = evaluate(coverage, MDL().select(coverage))
    return float(metrics.attrs["mdl"] / metrics.attrs["mdl_empty"])


def show(title: str, rows: list[dict[str, Any]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows)
    print(f"\n{title}\n")
    print(frame.to_string(index=False, float_format=lambda value: f"{value:.3f}"))
    return frame


# --- the tables ------------------------------------------------------------------------------------------------------


def table_of_time() -> None:
    rows = []
    for name, load in large().items():
        frame = load()
        numbers = ordinal(frame)
        fit = median_seconds(lambda numbers=numbers: IForest(n_estimators=100, random_state=0).fit(numbers))
        one = problem(name, frame, IForest(contamination=0.01, random_state=0), N_GROUPS)
        made = make_tags("itemsets", one.table, one.groups)
        tags = median_seconds(lambda one=one: make_tags("itemsets", one.table, one.groups))
        cover = median_seconds(
            lambda one=one, made=made: Coverage.from_tags(one.table, made.tags, one.groups, n_items=made.n_items)
        )
        rows.append(
            {
                "data": name,
                "rows": len(frame),
                "columns": frame.shape[1],
                "tags": len(made.tags),
                "make tags, s": tags,
                "coverage, s": cover,
                "IForest fit, s": fit,
                "ratio": (tags + cover) / fit,
            }
        )
    show("Time: items, mining and coverage against the fit of IForest (a ratio of at most 1 is asked for)", rows)


def table_of_growth() -> None:
    frame = load_readmission(labels=False).X
    numbers = IForest(contamination=0.01, random_state=0).fit(ordinal(frame)).labels_
    rows = []
    for times in (1, 2, 4):
        table = as_table(pd.concat([frame] * times, ignore_index=True))
        groups = Groups(np.tile(numbers, times).astype(np.int64), ("1",), "given")
        made = make_tags("itemsets", table, groups)
        seconds = median_seconds(lambda table=table, groups=groups: make_tags("itemsets", table, groups))
        cover = median_seconds(lambda t=table, g=groups, m=made: Coverage.from_tags(t, m.tags, g, n_items=m.n_items))
        rows.append({"rows": table.n_rows, "make tags, s": seconds, "coverage, s": cover})
    show("Growth with the number of rows (readmission, stacked)", rows)


def table_of_memory() -> None:
    rows = []
    for name, load in large().items():
        one = problem(name, load(), IForest(contamination=0.01, random_state=0), N_GROUPS)
        table_bytes = int(one.frame.memory_usage(deep=True).sum())
        tracemalloc.start()
        made = make_tags("itemsets", one.table, one.groups)
        tags_peak = tracemalloc.get_traced_memory()[1]
        coverage = Coverage.from_tags(one.table, made.tags, one.groups, n_items=made.n_items)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert coverage.n_tags == len(made.tags)
        rows.append(
            {
                "data": name,
                "table, MB": table_bytes / 1e6,
                "peak of tags, MB": tags_peak / 1e6,
                "peak with coverage, MB": peak / 1e6,
                "ratio": peak / table_bytes,
            }
        )
    show("Memory: peak growth against the table (at most 3 is asked for)", rows)


def table_of_quality() -> None:
    makers = {
        "quintiles": QuintileBins(),
        "itemsets": Itemsets(),
        "forest": ForestRules(),
    }
    rows = []
    for one in small_problems():
        row: dict[str, Any] = {"data": one.name}
        for name, maker in makers.items():
            start = time.perf_counter()
            made = maker.make(one.table, one.groups)
            row[f"{name}, s"] = time.perf_counter() - start
            row[name] = share_of_empty(made, one)
        both = make_tags(["itemsets", "forest"], one.table, one.groups)
        row["both"] = share_of_empty(both, one)
        row["lower by"] = 1 - row["itemsets"] / row["quintiles"]
        rows.append(row)
    frame = show("Quality: MDL as a share of the empty description's (lower is better)", rows)
    print("\nmean", frame.mean(numeric_only=True).round(3).to_dict())


def table_of_defaults() -> None:
    variants = {
        "defaults": Itemsets(),
        "min_lift=1.5": Itemsets(min_lift=1.5),
        "min_lift=3": Itemsets(min_lift=3.0),
        "min_support=0.02": Itemsets(min_support=0.02),
        "min_support=0.1": Itemsets(min_support=0.1),
        "min_support=0.2": Itemsets(min_support=0.2),
        "max_items=25": Itemsets(max_items=25),
        "max_items=60": Itemsets(max_items=60),
        "max_tags=300": Itemsets(max_tags=300),
        "max_tags=2000": Itemsets(max_tags=2000),
        "max_tags=5000": Itemsets(max_tags=5000),
        "max_length=2": Itemsets(max_length=2),
    }
    problems = small_problems()
    rows = []
    for name, maker in variants.items():
        start = time.perf_counter()
        made = [maker.make(one.table, one.groups) for one in problems]
        seconds = (time.perf_counter() - start) / len(problems)
        shares = [share_of_empty(tags, one) for tags, one in zip(made, problems, strict=True)]
        rows.append({"variant": name, "mean share of empty": float(np.mean(shares)), "s a problem": seconds})
    show("Defaults: what other values would give, mean over the data sets of the table of quality", rows)


def table_of_placebo() -> None:
    rows = []
    for one in small_problems():
        if one.groups.n_groups > 1:
            continue
        normal = np.flatnonzero(one.groups.numbers == 0)
        size = int((one.groups.numbers == 1).sum())
        shares = []
        for seed in range(3):
            numbers = np.zeros(len(normal), dtype=np.int64)
            numbers[np.random.default_rng(seed).choice(len(normal), size, replace=False)] = 1
            placebo = Problem(one.name, one.frame, one.table.take(normal), Groups(numbers, ("1",), "placebo"))
            shares.append(share_of_empty(make_tags("itemsets", placebo.table, placebo.groups), placebo))
        rows.append({"data": one.name, "mean": float(np.mean(shares)), "lowest": min(shares)})
    show("Placebo: the same for random normals in place of the outliers (1 means that nothing was found)", rows)


def table_of_planted(seeds: int = 50) -> None:
    rows = []
    for length, n_rows, n_groups in ((2, 2000, 2), (3, 6000, 3)):
        for noise in (0.0, 0.05, 0.2):
            found = [_recovered(seed, noise, length, n_rows, n_groups) for seed in range(seeds)]
            rows.append(
                {
                    "conditions": length,
                    "rows": n_rows,
                    "groups": n_groups,
                    "noise": noise,
                    "all reasons of a table": float(np.mean([all(one) for one in found])),
                    "each reason": float(np.mean(found)),
                }
            )
    show(f"Planted reasons found: same rows up to 2 percent, share of {seeds} seeds", rows)


def _recovered(seed: int, noise: float, length: int, n_rows: int, n_groups: int) -> list[bool]:
    data = make_planted(n_rows, n_groups, reason_length=length, noise=noise, random_state=seed)
    table = as_table(data.X)
    groups = Groups(data.y, tuple(str(k + 1) for k in range(n_groups)), "given")
    result = []
    for reason, rules in zip(data.reasons, search(table, groups, Settings(relations=False)).rules, strict=True):
        true = reason.covers(table)
        said = np.any([np.zeros(table.n_rows, dtype=bool), *(rule.covers(table) for rule in rules)], axis=0)
        result.append(bool((said != true).sum() <= 0.02 * true.sum()))
    return result


TABLES = {
    "time": table_of_time,
    "growth": table_of_growth,
    "memory": table_of_memory,
    "quality": table_of_quality,
    "defaults": table_of_defaults,
    "placebo": table_of_placebo,
    "planted": table_of_planted,
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="|".join(TABLES), help="which tables; all by default")
    chosen = parser.parse_args().tables or list(TABLES)
    warnings.simplefilter("ignore")  # of the detectors
    import_module("mlxtend.frequent_patterns")  # now, so that the first table is not charged for it
    for name in chosen:
        TABLES[name]()

"""Ten detectors of PyOD on eleven tables, explained by default: how much of what each marks can be said, at what cost?

    python benchmarks/detectors.py                                    # everything: some minutes of CPU
    python benchmarks/detectors.py --quick                            # three detectors on four tables, half a minute
    python benchmarks/detectors.py --detectors LOF PCA --tables wine

Each detector marks 5 percent of the rows (`harness/detectors.py` says what it sees). Its labels and the table as it is,
with texts and gaps, go to `explain`. Then rules are found on two thirds of the rows and judged by the rest, thrice.
Tables whose files are not there are named and left out (docs/datasets.md).

- bits: of the rules and of what they get wrong, as a share of those of naming all outliers one by one; 1: nothing said.
- explained: share of the outliers that a rule matches; normals: share of the other rows that one matches.
- rules, conds: what there is to read.
- held-out bits, F1: on unseen rows (`harness/score.py`).
- CPU s: of `explain`; fit s: of the detector's fit; ratio: one by the other.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from statistics import mean, median
from typing import Any

import numpy as np
import pandas as pd
from harness.detectors import CONTAMINATION, DETECTORS, as_points
from harness.folds import SEED, folds
from harness.learners import quiet
from harness.processes import in_parallel
from harness.score import Score
from harness.tables import MOST_ROWS, drawn, loaded
from harness.timing import cpu_seconds
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pyod_explain import Explanation, explain

TABLES = (
    "bank",
    "german_credit",
    "heart",
    "readmission",
    "landsat",
    "spambase",
    "wilt",
    "yeast",
    "breast_cancer",
    "digits",
    "planted_3",
)


def of_pyod(module: str, name: str, **options: Any) -> Callable[[], Any]:
    """Make a detector; its module is imported when it is asked for."""
    return lambda: getattr(import_module(f"pyod.models.{module}"), name)(contamination=CONTAMINATION, **options)


ALL = DETECTORS | {
    "HBOS": of_pyod("hbos", "HBOS"),
    "COPOD": of_pyod("copod", "COPOD"),
    "LOF": of_pyod("lof", "LOF"),
    # By default it divides by the variance of all components, and marks no row where one has none.
    "PCA": of_pyod("pca", "PCA", n_components=0.95, random_state=SEED),
    "OCSVM": of_pyod("ocsvm", "OCSVM"),
    "CBLOF": of_pyod("cblof", "CBLOF", random_state=SEED),
    "GMM": of_pyod("gmm", "GMM", random_state=SEED),
}
QUICK = {"detectors": ("IForest", "ECOD", "LOF"), "tables": ("breast_cancer", "digits", "wine", "planted_2")}


@dataclass(frozen=True)
class Line:
    """What is measured of a detector on a table; see the top of this file."""

    bits: float
    explained: float
    normals: float
    rules: float
    conditions: float
    held_out: float
    f1: float
    cpu: float
    fit: float
    ratio: float


def judge(pair: tuple[str, str]) -> Line | str:
    """Measure a detector on a table; a sentence where there is no such file, or the detector fails."""
    detector, table = pair
    try:
        X, _ = loaded(table)
    except FileNotFoundError as problem:
        return f"left out: {str(problem).splitlines()[0]}"
    X = drawn(X, np.arange(len(X)), MOST_ROWS)
    with quiet(), threadpool_limits(1):  # threads that wait count as CPU
        try:
            points = as_points(X)
            ALL[detector]().fit(points[:200])  # so that imports and compiling are paid for
            fit, fitted = cpu_seconds(partial(ALL[detector]().fit, points))
        except Exception as problem:  # noqa: BLE001 - whatever a detector raises is its result
            return f"{detector} fails: {type(problem).__name__}: {problem}".splitlines()[0]
        y = np.asarray(fitted.labels_, dtype=bool)
        if not y.any():
            return f"{detector} marks no row"
        cpu, found = cpu_seconds(partial(explain, y.astype(int), X))
        unseen = Score.mean([held_out(X, y, known, rest) for known, rest in folds(y)])
    return line(found, unseen, cpu, fit)


def held_out(X: pd.DataFrame, y: NDArray[np.bool_], known: NDArray[np.int64], rest: NDArray[np.int64]) -> Score:
    found = explain(y[known].astype(int), X.iloc[known].reset_index(drop=True))
    return Score.of(found.predict(X.iloc[rest].reset_index(drop=True)) > 0, y[rest])


def line(found: Explanation, unseen: Score, cpu: float, fit: float) -> Line:
    summary = found.summary
    return Line(
        bits=summary.bits / summary.bits_named,
        explained=summary.n_explained / summary.n_outliers,
        normals=summary.n_normals_matched / summary.n_normals,
        rules=len(found.rules),
        conditions=sum(len(rule.tag.conditions) for rule in found.rules),
        held_out=unseen.bits,
        f1=unseen.f1,
        cpu=cpu,
        fit=fit,
        ratio=cpu / fit,
    )


# What is printed.

HEAD = ("bits", "explained", "normals", "rules", "conds", "held-out bits", "  F1", "CPU s", "fit s", "ratio")


def cells(one: Line) -> tuple[str, ...]:
    return (
        f"{one.bits:.2f}",
        f"{one.explained:.0%}",
        f"{one.normals:.1%}",
        f"{one.rules:.1f}".removesuffix(".0"),
        f"{one.conditions:.1f}".removesuffix(".0"),
        f"{one.held_out:.2f}",
        f"{one.f1:.2f}",
        f"{one.cpu:.2f}",
        f"{one.fit:.2f}",
        f"{one.ratio:.1f}",
    )


def averaged(lines: Iterable[Line]) -> Line:
    """Give the mean of everything, and the median of the ratio: fits of a millisecond make it anything."""
    rows = [asdict(one) for one in lines]
    found = {key: mean(row[key] for row in rows) for key in rows[0]}
    return Line(**found | {"ratio": median(row["ratio"] for row in rows)})


def table(title: str, rows: Iterable[tuple[str, Line]]) -> Iterator[str]:
    """Give a table in Markdown, which is easy to read as it is."""
    yield f"| {title:14} | " + " | ".join(HEAD) + " |"
    yield "|---" * (len(HEAD) + 1) + "|"
    for name, one in rows:
        padded = (f"{cell:>{len(head)}}" for cell, head in zip(cells(one), HEAD, strict=True))
        yield f"| {name:14} | " + " | ".join(padded) + " |"


def show(found: dict[str, dict[str, Line]]) -> None:
    """Print the means of each detector, and of each table."""
    own = {name: lines for name, lines in found.items() if lines}
    if not own:
        return
    print("\nMeans over the tables (ratio: median)\n")
    print("\n".join(table("detector", [(name, averaged(lines.values())) for name, lines in own.items()])))
    tables = dict.fromkeys(name for lines in own.values() for name in lines)
    means = [(name, averaged(lines[name] for lines in own.values() if name in lines)) for name in tables]
    print("\nMeans over the detectors (ratio: median)\n")
    print("\n".join(table("table", means)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three detectors, four tables that are always there")
    parser.add_argument("--detectors", nargs="+", choices=list(ALL), default=None)
    parser.add_argument("--tables", nargs="+", default=None, help="names of harness/tables.py")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    detectors = arguments.detectors or (QUICK["detectors"] if arguments.quick else tuple(ALL))
    tables = arguments.tables or (QUICK["tables"] if arguments.quick else TABLES)
    packages = ", ".join(f"{name} {version(name)}" for name in ("pyod", "scikit-learn", "pandas", "numpy"))
    print(f"Python {platform.python_version()}, {packages}")
    pairs = [(detector, name) for detector in detectors for name in tables]
    found: dict[str, dict[str, Line]] = {detector: {} for detector in detectors}
    remarks: dict[str, None] = {}
    for (detector, name), result in zip(pairs, in_parallel(judge, pairs, arguments.jobs), strict=True):
        if isinstance(result, str):
            remarks[f"{name}: {result}"] = None
        else:
            found[detector][name] = result
        if name == tables[-1] and found[detector]:
            print(f"\n{detector}\n")
            print("\n".join(table("table", found[detector].items())), flush=True)
    show(found)
    for remark in remarks:
        print(remark)


if __name__ == "__main__":
    main()

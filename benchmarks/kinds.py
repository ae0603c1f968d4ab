"""Several kinds of outliers in one table, all of them known: is each found, and told from the others?

    python benchmarks/kinds.py             # both parts, half a minute
    python benchmarks/kinds.py --sets 3    # fewer sets of attacks

**Attacks**: 4,000 normal connections and up to 60 of each of four attacks, which attacks is drawn for each set; from
`kinds/nsl_kdd_kinds.csv.gz` in the folder of data files (docs/datasets.md). Bits are those of what the rules get wrong
and 12 a condition, which is the same price for every setting; *over best* is the ratio to the shortest of the settings.
AMI is the adjusted mutual information of groups and attacks; outliers that no rule covers are a group of their own.

**Rare outliers of a large population**: three rules, all rows that match one of them among two million, and some of
the normal rows, each of which stands for many (`counts=`). A rule is found if one of ours covers all rows of its kind
and no normal row. However many a normal row stands for, the answer should be the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from statistics import geometric_mean, mean

import numpy as np
import pandas as pd
from harness.folders import data_file
from harness.learners import quiet
from harness.score import exception_bits
from harness.timing import cpu_seconds
from numpy.typing import NDArray
from sklearn.metrics import adjusted_mutual_info_score

from pyod_explain import Explanation, explain

FILE = "kinds/nsl_kdd_kinds.csv.gz"
SETTINGS = {
    "default": {},
    "relations=False": {"relations": False},
    "groups=4": {"groups": 4},
    "detail=0": {"detail": 0},
}
N_SETS, N_NORMALS, N_KINDS, N_OF_KIND = 10, 4_000, 4, 60
CONDITION_BITS = 12
POPULATION, N_RARE_NORMALS = 2_000_000, 40_000
MULTIPLICITIES = (1, 10, 50, 200, 1_000)


def attacks(n_sets: int = N_SETS) -> Iterator[tuple[pd.DataFrame, pd.Series]]:
    """Give tables of connections, and what each row is: "normal" or an attack."""
    rows = pd.read_csv(data_file(FILE), keep_default_na=False)
    names = sorted(set(rows["label"]) - {"normal"})
    for seed in range(n_sets):
        drawn = np.random.default_rng(seed).choice(names, N_KINDS, replace=False)
        parts = [rows[rows["label"] == name].head(N_OF_KIND) for name in drawn]
        table = pd.concat([rows[rows["label"] == "normal"].head(N_NORMALS), *parts], ignore_index=True)
        yield table.drop(columns="label"), table["label"]


def judge(X: pd.DataFrame, kinds: pd.Series, **options: object) -> dict[str, float]:
    """Explain all kinds at once, and count what is said."""
    true = (kinds != "normal").to_numpy()
    with quiet():
        cpu, found = cpu_seconds(partial(explain, true.astype(int), X, **options))
        groups = np.asarray(found.predict(X))
    said = groups > 0
    conditions = sum(len(rule.tag.conditions) for rule in found.rules)
    return {
        "bits": exception_bits(said, true) + CONDITION_BITS * conditions,
        "conditions": conditions,
        "precision": float(true[said].mean()) if said.any() else 0.0,
        "AMI": adjusted_mutual_info_score(kinds[true], groups[true]),
        "CPU s": cpu,
    }


def show_attacks(n_sets: int) -> None:
    sets = list(attacks(n_sets))
    found: dict[str, list[dict[str, float]]] = {name: [] for name in SETTINGS}
    print(f"{'bits':44}" + "".join(f"{name:>16}" for name in SETTINGS))
    for X, kinds in sets:
        for name, options in SETTINGS.items():
            found[name].append(judge(X, kinds, **options))
        bits = "".join(f"{found[name][-1]['bits']:16.0f}" for name in SETTINGS)
        print(f"{' '.join(dict.fromkeys(kinds[kinds != 'normal'])):44}{bits}", flush=True)
    best = [min(one["bits"] for one in same) for same in zip(*found.values(), strict=True)]
    columns = "over best", "worst", *found["default"][0]
    print(f"\n{f'{n_sets} sets':16}" + "".join(f"{column:>12}" for column in columns))
    for name, own in found.items():
        over = [one["bits"] / least for one, least in zip(own, best, strict=True)]
        figures = geometric_mean(over), max(over), *(mean(one[column] for one in own) for column in own[0])
        print(f"{name:16}" + "".join(f"{figure:12.2f}" for figure in figures))


Cells = Mapping[str, NDArray]  # by column
RARE: dict[str, Callable[[Cells], NDArray[np.bool_]]] = {
    "x0 > 3 and c0 is a": lambda cells: (cells["x0"] > 3) & (cells["c0"] == "a"),
    "x1 - x2 > 5.2": lambda cells: cells["x1"] - cells["x2"] > 5.2,
    "k0 is 7 and x3 < -2.6": lambda cells: (cells["k0"] == 7) & (cells["x3"] < -2.6),
}


def rare(n_normals: int = N_RARE_NORMALS) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw a population; give its outliers and some normal rows, and which of the three rules each of them matches."""
    rng = np.random.default_rng(0)
    cells = {f"x{i}": rng.normal(size=POPULATION) for i in range(8)}
    cells |= {f"k{i}": rng.poisson(3, POPULATION) for i in range(3)}
    cells |= {f"c{i}": rng.choice([*"abcdefgh"], POPULATION) for i in range(3)}
    matches = {name: rule(cells) for name, rule in RARE.items()}
    outlier = np.any([*matches.values()], axis=0)
    normals = rng.choice(np.flatnonzero(~outlier), n_normals, replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(outlier), normals]))
    X, of_kind = (pd.DataFrame({name: values[rows] for name, values in one.items()}) for one in (cells, matches))
    return X, of_kind


def found_exactly(X: pd.DataFrame, of_kind: pd.DataFrame, times: int) -> tuple[dict[str, bool], Explanation]:
    """Say of each kind whether a rule has all of it and no normal row, where each of these stands for so many."""
    outlier = of_kind.any(axis=1).to_numpy()
    with quiet():
        found = explain(outlier.astype(int), X, counts=np.where(outlier, 1, times))
    covered = [rule.tag.covers(X) for rule in found.rules]
    pure = [one for one in covered if not one[~outlier].any()]
    return {name: any(one[kind].all() for one in pure) for name, kind in of_kind.items()}, found


def show_rare() -> None:
    X, of_kind = rare()
    print(f"\n{', '.join(f'{n} of {name}' for name, n in of_kind.sum().items())}; {N_RARE_NORMALS:,} normal rows")
    print(f"{'a normal row is':16}" + "".join(f"{name:>24}" for name in of_kind) + f"{'CPU s':>8}")
    for times in MULTIPLICITIES:
        cpu, (exact, found) = cpu_seconds(partial(found_exactly, X, of_kind, times))
        print(f"{times:16,}" + "".join(f"{'found' if one else '-':>24}" for one in exact.values()) + f"{cpu:8.1f}")
        print("".join(f"    {rule.text}\n" for rule in found.rules), end="", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=N_SETS, help="sets of attacks")
    n_sets = parser.parse_args().sets
    try:
        show_attacks(n_sets)
    except FileNotFoundError as problem:
        print(f"Attacks are left out: {problem}.")
    show_rare()


if __name__ == "__main__":
    main()

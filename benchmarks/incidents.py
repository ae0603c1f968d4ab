"""A hundred incidents of a live-streaming service whose causes are known: do the rules name the cause, and only it?

    python benchmarks/incidents.py [--options groups=1 ...] [--jobs 2] [--show]

Needs the folder `robustspot` where the data files are (docs/datasets.md): for each incident the viewers of each
combination of attributes (cdn, bitrate, device, ...) in its minute, and how many of them were stalling. Each viewer is
a row, all attributes are texts, stalling viewers are the outliers; nothing else is told, no other minute either.

Rules are written out value by value: `bitrate is one of 500, 2000` names two elements. A rule with any other condition,
such as `device is not C8`, is one element and no cause. An incident is exact if the elements are the operators' causes.
Element F1 is over all incidents: elements that are causes, against those that are not and causes that are not named.

If `explain` takes counts, it is given the combinations as they are. Otherwise viewers are written out, and where there
are more than 100,000 of them as many are drawn (fixed seed).
"""

from __future__ import annotations

import argparse
import inspect
import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness.folders import folder
from harness.options import read_options
from harness.processes import in_parallel
from harness.timing import cpu_seconds

from pyod_explain import Explanation, Tag, explain

MOST_VIEWERS = 100_000
Element = frozenset[tuple[str, str]]  # attributes and their values


@dataclass(frozen=True)
class Incident:
    """A minute: viewers (`cnt`) and stalling viewers (`value`) of each combination of attributes, and the causes."""

    name: str
    minute: pd.DataFrame
    causes: frozenset[Element]

    @property
    def attributes(self) -> pd.DataFrame:
        return self.minute.drop(columns=["cnt", "value"])


def incidents() -> list[Incident]:
    """Read all incidents."""
    where = folder("robustspot")
    if where is None:
        raise SystemExit("There is no folder `robustspot` in the one that PYOD_EXPLAIN_DATA names.")
    known = json.loads((where / "causes.json").read_text(encoding="utf-8"))
    return [read_incident(where, one) for one in known]


def read_incident(where: Path, known: dict[str, Any]) -> Incident:
    table = pd.read_csv(where / f"{known['data']}.csv.gz", dtype=str, keep_default_na=False)
    minute = table[table["min"] == str(known["timestamp"])].drop(columns="min").reset_index(drop=True)
    viewers = minute["cnt"].astype(float).astype(int)
    stalling = np.minimum(minute["value"].astype(float).astype(int), viewers)  # the files have more now and then
    causes = known["cause"] if isinstance(known["cause"], list) else [known["cause"]]
    elements = frozenset(frozenset((column, str(value)) for column, value in one.items()) for one in causes)
    return Incident(known["data"], minute.assign(cnt=viewers, value=stalling), elements)


def explained(incident: Incident, **options: Any) -> Explanation:
    """Explain which viewers were stalling."""
    if "outlier_counts" in inspect.signature(explain).parameters:
        return explain(None, incident.minute, counts="cnt", outlier_counts="value", **options)
    rows, stalls = written_out(incident.minute["cnt"].to_numpy(), incident.minute["value"].to_numpy())
    return explain(stalls.astype(int), incident.attributes.iloc[rows].reset_index(drop=True), **options)


def written_out(viewers, stalling, most: int = MOST_VIEWERS):
    """Give the combination of each viewer, and whether they stall; a draw where there are too many viewers."""
    counts = np.concatenate([viewers - stalling, stalling])
    if counts.sum() > most:
        counts = np.random.default_rng(0).multivariate_hypergeometric(counts, most, method="marginals")
    places = np.repeat(np.arange(len(counts)), counts)
    return places % len(viewers), places >= len(viewers)


def elements_of(tag: Tag) -> set[Element]:
    """Write a rule out value by value; one that says more than `is` and `is one of` stays one element, and no cause."""
    if any(condition.op not in ("==", "in") for condition in tag.conditions):
        return {frozenset((condition.column, str(condition)) for condition in tag.conditions)}
    values = {one.column: one.value if one.op == "in" else (one.value,) for one in tag.conditions}
    return {frozenset(zip(values, map(str, chosen), strict=True)) for chosen in product(*values.values())}


@dataclass(frozen=True)
class Verdict:
    """What the rules named of an incident."""

    name: str
    causes: frozenset[Element]
    named: frozenset[Element]
    rules: tuple[str, ...]
    cpu: float

    @property
    def exact(self) -> bool:
        return self.named == self.causes


def judge(incident: Incident, options: dict[str, Any]) -> Verdict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cpu, found = cpu_seconds(lambda: explained(incident, **options))
    named = [elements_of(rule.tag) for rule in found.rules]
    texts = tuple(rule.text for rule in found.rules)
    return Verdict(incident.name, incident.causes, frozenset().union(*named), texts, cpu)


def element_f1(verdicts: Iterable[Verdict]) -> float:
    """F1 of the elements named, over all incidents together."""
    pairs = [(one.named, one.causes) for one in verdicts]
    right = sum(len(named & causes) for named, causes in pairs)
    return 2 * right / sum(len(named) + len(causes) for named, causes in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--options", nargs="+", default=[], metavar="NAME=VALUE", help="arguments of explain")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print the rules of each incident")
    arguments = parser.parse_args()
    work = partial(judge, options=read_options(arguments.options))
    verdicts = list(in_parallel(work, incidents(), arguments.jobs))
    for one in verdicts if arguments.show else ():
        causes = " or ".join(", ".join(f"{column} {value}" for column, value in sorted(each)) for each in one.causes)
        print(f"{'exact' if one.exact else '-':6}{one.name:26} cause: {causes}")
        for text in one.rules:
            print(f"{'':32} {text}")
    exact = sum(one.exact for one in verdicts)
    cpu = sum(one.cpu for one in verdicts)
    print(f"exact {exact} of {len(verdicts)}; element F1 {element_f1(verdicts):.3f}; ", end="")
    print(f"rules {sum(len(one.rules) for one in verdicts)}; CPU {cpu:.1f} s")


if __name__ == "__main__":
    main()

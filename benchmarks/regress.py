"""Did anything get worse? A minute and a half of figures, compared with those kept in `regress.json`.

    python benchmarks/regress.py            # exit status 1, and a line a figure, if something got worse
    python benchmarks/regress.py --update   # keep what is measured now, where it changed on purpose

Rules are judged on unseen rows (`quality.py`), by the bits of the paper's models (`solvers.py`, `speed.py`), by known
causes and kinds (`incidents.py`, `kinds.py`), and on labels that mean nothing (`noise.py`). All of it is the same each
time, but for the seconds: processor time of our own calls, in passes of a fixed piece of work that is timed in between.
Parts whose data files are not there are left out with a sentence; what is made by a generator, or comes with
scikit-learn, always runs. How much worse a figure may be before it counts is in `MEASURES`.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median
from typing import Any

import incidents
import kinds
import noise
import numpy as np
from harness.cache import Cache
from harness.cases import Case, halves
from harness.figures import Measure, Verdict, compare
from harness.five_bins import set_up
from harness.folders import folder
from harness.learners import quiet
from harness.score import Score
from harness.tables import UNLABELLED
from pyod.models.iforest import IForest
from speed import random_coverage
from threadpoolctl import threadpool_limits

from pyod_explain import BCCM, MDL, WCCM, Coverage, explain
from pyod_explain._atomic import write_file

KEPT = Path(__file__).with_suffix(".json")
# Seconds vary from run to run and machine to machine, by some 15 percent in all; everything else is what it is.
MEASURES = {
    "held-out bits": Measure("lower", each=0.05, mean=0.002),
    "held-out F1": Measure("higher", each=0.08, mean=0.004),
    "share explained": Measure("higher", each=0.10, mean=0.005),
    "conditions": Measure("lower", each=3.0, mean=0.15),
    "objectives of the models": Measure("lower", each=0.002, mean=0.0005, relative=True),
    "incidents, element F1": Measure("higher", each=0.005),
    "incidents, exact": Measure("higher", each=1.0),
    "known kinds, bits": Measure("lower", each=0.01, relative=True),
    "known kinds, AMI": Measure("higher", each=0.01),
    "rare kinds, found": Measure("higher"),
    "noise, tables with rules": Measure("lower"),
    "noise, tables with a claim": Measure("lower"),
    "CPU, in passes": Measure("lower", each=0.6, mean=0.35, relative=True),
}
PACKAGES = ("pyod", "scikit-learn", "pandas", "numpy", "scipy", "mlxtend")
# Labels that do not depend on how scikit-learn draws its random numbers: true ones, and those of two detectors.
ALWAYS = ("breast_cancer", "diabetes", "digits", "wine", "planted_2", "planted_3", "planted_noisy", "planted_rare")
OF_FILES, OF_SCIKIT = "explain, tables of files", "explain, other tables"
TIMES = (1, 50, 1_000)  # rows that a normal row of the rare kinds stands for
N_NOISE = 60


def one_pass() -> None:
    """Work as ours does, at a fixed size: bits, sorting, trees, and a loop of Python."""
    rng = np.random.default_rng(0)
    values = rng.random((20_000, 20))
    np.sort(values, axis=0)
    bits = rng.integers(0, 2**63, (400, 2_000), dtype=np.uint64)
    for row in bits[:40]:
        np.bitwise_count(bits & row).sum()
    IForest(n_estimators=20, random_state=0).fit(values[:2_000])
    total = 0
    for i in range(400_000):
        total += i % 7


@dataclass
class Measured:
    """Figures by measure and case, cases whose data are not here, processor time of each part and of each pass."""

    figures: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    left_out: set[str] = field(default_factory=set)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # since the last pass
    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # in passes
    passes: list[float] = field(default_factory=list)

    def note(self, case: str, **figures: float) -> None:
        for name, value in figures.items():
            self.figures[name][case] = float(value)

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """Add the processor time of what is done here; after a second of it comes the next pass."""
        start = time.process_time()
        yield
        self.seconds[part] += time.process_time() - start
        if sum(self.seconds.values()) > 1.0:
            self.time_a_pass()

    def time_a_pass(self) -> None:
        """Time a pass; what was done since the last one took so many of these two, as fast as the machine was then."""
        start = time.process_time()
        one_pass()
        self.passes.append(time.process_time() - start)
        for part, seconds in self.seconds.items():
            self.spent[part] += seconds / mean(self.passes[-2:])
        self.seconds.clear()


# The parts.


def held_out(measured: Measured) -> None:
    """Find rules on two thirds of the rows and judge them by the rest, three times."""
    for case in chosen_cases():
        try:
            case.load()
        except FileNotFoundError:
            measured.left_out |= {case.name, OF_FILES}  # without one of them the seconds are not of the same work
            continue
        measured.note(case.name, **judged(case, measured))


def chosen_cases() -> list[Case]:
    """Give the true outliers of every table, and the detectors' in the tables that are always there."""
    chosen = [(table, "truth") for table in halves() if table not in UNLABELLED]
    chosen += [(table, by) for table in ALWAYS for by in ("ECOD", "KNN")]
    return [Case(table, by, halves()[table], Cache()) for table, by in chosen]


def judged(case: Case, measured: Measured) -> dict[str, float]:
    scores, shares = [], []
    part = OF_SCIKIT if case.table in ALWAYS else OF_FILES
    for known, unseen in case.folds:
        X, y = case.X.iloc[known].reset_index(drop=True), case.y[known]
        with measured.timed(part):
            found = explain(y.astype(int), X)
            said = found.predict(case.X.iloc[unseen].reset_index(drop=True)) > 0
        conditions = sum(len(rule.tag.conditions) for rule in found.rules)
        scores.append(Score.of(said, case.y[unseen], rules=len(found.rules), conditions=conditions))
        shares.append(found.summary.n_explained / found.summary.n_outliers)
    score = Score.mean(scores)
    return {
        "held-out bits": score.bits,
        "held-out F1": score.f1,
        "share explained": mean(shares),
        "conditions": score.conditions,
    }


MODELS = {
    "MDL": MDL(),
    "WCCM": WCCM(weight=20.0),
    "WCCM, greedy": WCCM(weight=20.0, solver="greedy"),
    "BCCM": BCCM(max_tags=20, max_uncovered=0.4),
}


def models(measured: Measured) -> None:
    """Select by the paper's models from the same tags each time: generated ones, and the five bins of Census."""
    select(measured, "random tags", "models, random tags", random_coverage(n_tags=600))
    try:
        census = set_up("census").coverage
    except FileNotFoundError:
        measured.left_out |= {"models, five bins", *(f"{name} on census" for name in MODELS)}
    else:
        select(measured, "census", "models, five bins", census)


def select(measured: Measured, data: str, part: str, coverage: Coverage) -> None:
    for name, explainer in MODELS.items():
        with measured.timed(part):
            found = explainer.select(coverage)
        measured.note(f"{name} on {data}", **{"objectives of the models": found.objective})


def known_causes(measured: Measured) -> None:
    """Explain a hundred incidents, and look for the operators' causes."""
    name = "all incidents"
    if folder("robustspot") is None:
        measured.left_out |= {name, "incidents"}
        return
    verdicts = []
    for incident in incidents.incidents():
        with measured.timed("incidents"):
            verdicts.append(incidents.judge(incident, {}))
    measured.note(
        name,
        **{
            "incidents, exact": sum(one.exact for one in verdicts),
            "incidents, element F1": incidents.element_f1(verdicts),
        },
    )


def known_kinds(measured: Measured) -> None:
    """Explain sets of four kinds of attacks, and look for rare kinds whose rules were planted."""
    name = f"{kinds.N_SETS} sets"
    try:
        sets = list(kinds.attacks())
    except FileNotFoundError:
        measured.left_out |= {name, "known kinds"}
    else:
        with measured.timed("known kinds"):
            found = [kinds.judge(X, kind) for X, kind in sets]
        bits, agreement = sum(one["bits"] for one in found), mean(one["AMI"] for one in found)
        measured.note(name, **{"known kinds, bits": bits, "known kinds, AMI": agreement})
    X, of_kind = kinds.rare()
    for times in TIMES:
        with measured.timed("rare kinds"):
            exact, _ = kinds.found_exactly(X, of_kind, times)
        measured.note(f"{times:,} rows each", **{"rare kinds, found": sum(exact.values())})


def nothing(measured: Measured) -> None:
    """Explain labels that mean nothing. A claim: something is said to be explained, or a rule to be significant."""
    rules, claims = 0, 0
    for X, y in map(noise.noise, range(N_NOISE)):
        with measured.timed("explain, noise"):
            found = explain(y, X)
        rules += bool(found.rules)
        claims += found.summary.explains or any(rule.significant for rule in found.rules)
    figures = {"noise, tables with rules": rules, "noise, tables with a claim": claims}
    measured.note(f"{N_NOISE} tables", **figures)


PARTS: tuple[Callable[[Measured], None], ...] = (held_out, models, known_causes, known_kinds, nothing)


def measure(parts: Iterable[Callable[[Measured], None]] = PARTS) -> Measured:
    """Measure all parts, with passes of the fixed work before, in between and after them."""
    measured = Measured()
    with quiet(), threadpool_limits(1):  # threads that wait count as CPU
        one_pass()  # so that imports are paid for
        explain([0] * 60 + [1] * 12, np.arange(72.0).reshape(-1, 1))
        measured.time_a_pass()
        for part in parts:
            part(measured)
            measured.time_a_pass()
    for part, spent in measured.spent.items():
        if part not in measured.left_out:
            measured.note(part, **{"CPU, in passes": spent})
    return measured


# What is kept, and what is said.


def versions() -> dict[str, str]:
    return {"Python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"versions": {}, "figures": {}}


def keep(path: Path, measured: Measured, kept: dict[str, Any]) -> None:
    """Write what was measured; figures that could not be measured here stay as they were."""
    figures = {}
    for name in MEASURES:
        before = kept["figures"].get(name, {})
        stay = {case: value for case, value in before.items() if case in measured.left_out}
        figures[name] = stay | {case: round(value, 6) for case, value in measured.figures[name].items()}
    write_file(path, json.dumps({"versions": versions(), "figures": figures}, indent=1) + "\n")


def report(kept: dict[str, Any], measured: Measured) -> int:
    """Print the figures beside those that were kept; give how many got worse."""
    if measured.left_out:
        print(f"Left out, as data files are not here (docs/datasets.md): {'; '.join(sorted(measured.left_out))}.\n")
    verdicts: list[Verdict] = []
    for name, one in MEASURES.items():
        values = kept["figures"].get(name, {})
        verdicts.append(compare(name, one, values, measured.figures[name], measured.left_out))
        print(verdicts[-1].line)
    for part, passes in measured.figures["CPU, in passes"].items():
        was = kept["figures"].get("CPU, in passes", {}).get(part)
        print(f"    {part:28} {passes:10.1f}" + (f"   kept {was:10.1f}" if was else ""))
    least, usual, most = min(measured.passes), median(measured.passes), max(measured.passes)
    print(f"    a pass took {usual:.2f} CPU s ({least:.2f} to {most:.2f})")
    changed = {name: own for name, own in versions().items() if kept["versions"].get(name, own) != own}
    if changed:
        told = ", ".join(f"{name} {own} (was {kept['versions'][name]})" for name, own in changed.items())
        print(f"Other versions than those of the kept figures: {told}.")
    new = [case for verdict in verdicts for case in verdict.new]
    if new:
        print(f"Nothing is kept of {'; '.join(dict.fromkeys(new))}: `--update` keeps it.")
    worse = [sentence for verdict in verdicts for sentence in verdict.worse]
    for sentence in worse:
        print(f"WORSE: {sentence}")
    return len(worse)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="keep what is measured now")
    parser.add_argument("--kept", type=Path, default=KEPT, metavar="FILE", help="figures that were kept")
    chosen = parser.parse_args(arguments)
    kept, measured = read(chosen.kept), measure()
    worse = report(kept, measured)
    if chosen.update:
        keep(chosen.kept, measured, kept)
        print(f"Kept in {chosen.kept.name}.")
        return 0
    if worse:
        print(f"{worse} figure{'s' * (worse != 1)} got worse. If that is meant, `--update` keeps them: say why.")
        return 1
    print("Nothing got worse.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

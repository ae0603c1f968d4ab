"""How good is what we say? Rules of ours and of other learners, judged on rows that they were not found on.

    python benchmarks/quality.py                                      # everything: an hour or more
    python benchmarks/quality.py --half tune --cache DIR              # one half of the tables, peers' results kept
    python benchmarks/quality.py --cases bank IForest --learners tree5 --ours default,groups=1

Needs the data files (docs/datasets.md) and the folder `adbench` beside them; tables that are not there are named and
left out, and so are peers that are not installed. In the folder `harness` are the cases (`cases.py`), the learners
(`learners.py`) and what is measured (`score.py`). Each peer has one setting for all tables: its defaults or
the alternative in `learners.py`, whichever needs fewer held-out bits on the tuning half (`CHOSEN`;
`--learners all` runs both). A peer that takes more than `--limit` CPU seconds for the three folds of a case is left
out there. Ours is compared with each peer and with the best of them in each case: of the first four, and of all eight.

`--ours` names variants of `explain`, separated by commas: `default`, or keyword arguments joined by `+`, such as
`groups=1` or `groups=1+max_length=2`. `--cache DIR` keeps labels and peers' results as JSON, so that another run
has to run ours only. `--save FILE` keeps ours, and `--beside FILE ...` shows what was kept beside.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from functools import partial
from pathlib import Path

from harness.cache import Cache
from harness.cases import VERSION, Case, cases
from harness.learners import PEERS, Learner, ours
from harness.options import read_options
from harness.printing import show_cases, show_summary
from harness.processes import in_parallel, within
from harness.score import Score
from harness.timing import cpu_seconds

from pyod_explain._atomic import write_file

CHOSEN = ("tree3-balanced", "tree5", "ripper", "skope")  # the first four that ours was measured by
STRONGER = ("figs20", "greedy_list", "cn2", "rulekit")
TEAMS = {"first peers": CHOSEN, "peers": CHOSEN + STRONGER}


def variants(text: str) -> dict[str, Learner]:
    """Read variants of ours: "default,groups=1+max_length=2"."""
    names = [name for name in text.split(",") if name]
    return {f"ours {name}": Learner(ours, read_options(() if name == "default" else name.split("+"))) for name in names}


def judge(case: Case, learner: Learner) -> dict[str, float]:
    """Find rules on two thirds of the rows, judge them by the rest; the mean of three times."""
    scores = []
    for known, unseen in case.folds:
        X, y = case.X.iloc[known].reset_index(drop=True), case.y[known]
        cpu, learned = cpu_seconds(partial(learner, X, y))
        said = learned.says(case.X.iloc[unseen].reset_index(drop=True))
        scores.append(Score.of(said, case.y[unseen], rules=learned.rules, conditions=learned.conditions, cpu=cpu))
    return asdict(Score.mean(scores))


def judge_peer(case: Case, learner: Learner, name: str, cache: Cache, limit: float) -> dict[str, float]:
    """Judge a peer for so many CPU seconds, or look up what was found, or that it took longer."""
    release = f"{VERSION}; {learner.version}"
    found = cache.get(case.name, name, release)
    if found is None or found.get("stopped", limit) < limit:
        try:
            found = within(limit, partial(judge, case, learner))
        except TimeoutError:
            found = {"stopped": limit}
        cache.put(case.name, name, release, found)
    if "stopped" in found:
        raise TimeoutError(f"stopped after {found['stopped']:g} CPU s")
    return found


def run_case(case: Case, learners: dict[str, Learner], cache: Cache, limit: float) -> dict:
    """Judge all learners on a case; an error is a result, to be shown."""
    try:
        case.load()
    except FileNotFoundError as problem:
        return {"case": case.name, "missing": str(problem).splitlines()[0]}
    found, errors = {}, {}
    for name, learner in learners.items():
        try:
            found[name] = judge_peer(case, learner, name, cache, limit) if name in PEERS else judge(case, learner)
        except Exception as problem:  # noqa: BLE001 - whatever a learner raises is its result
            errors[name] = f"{type(problem).__name__}: {problem}".splitlines()[0]
    return {"case": case.name, "half": case.half, "yardstick": case.yardstick, "scores": found, "errors": errors}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=["tune", "report", "both"], default="both")
    parser.add_argument("--cases", nargs="+", default=[], metavar="WORD", help="cases whose names have one of these")
    parser.add_argument(
        "--learners", nargs="+", choices=[*PEERS, "all", "none"], default=[*CHOSEN, *STRONGER, "black_box"]
    )
    parser.add_argument("--ours", default="default,groups=1", help="variants of explain; empty for none")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120.0, help="CPU seconds of a peer for a case")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--beside", type=Path, nargs="+", default=[])
    arguments = parser.parse_args()

    names = list(PEERS) if "all" in arguments.learners else [name for name in arguments.learners if name != "none"]
    missing = {PEERS[name].packages[0]: None for name in names if not PEERS[name].installed}
    print(f"not installed: {', '.join(missing) or 'none'}")
    learners = {name: PEERS[name] for name in names if PEERS[name].installed} | variants(arguments.ours)
    cache = Cache(arguments.cache)
    chosen = cases(arguments.half, only=arguments.cases, cache=arguments.cache)
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.beside]
    columns = [*learners, *(name for one in kept for name in one)]
    work = partial(run_case, learners=learners, cache=cache, limit=arguments.limit)
    results = []
    for result in in_parallel(work, chosen, arguments.jobs):
        if "missing" in result:
            print(f"{result['case']:24} left out: {result['missing']}", flush=True)
            continue
        for name, scores in ((name, own) for one in kept for name, own in one.items()):
            if result["case"] in scores:
                result["scores"][name] = scores[result["case"]]
        results.append(result)
        show_cases(result, columns, header=len(results) == 1)
        if arguments.save:  # now, as a long run may be stopped
            keep(arguments.save, results)
    show_summary(results, TEAMS)


def keep(path: Path, results: list[dict]) -> None:
    """Keep the scores of ours, by variant and case; the file's name is part of the name to show them by."""
    found: dict[str, dict] = {}
    for result in results:
        for name, score in result["scores"].items():
            if name.startswith("ours ") and "@" not in name:
                found.setdefault(f"{name} @{path.stem}", {})[result["case"]] = score
    write_file(path, json.dumps(found))


if __name__ == "__main__":
    main()

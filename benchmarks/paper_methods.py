"""What `paper.py` runs: the paper's methods on two kinds of tags, MDL, and rule learners; each gives a `Line`.

Of a method with settings all of a grid are tried, and the one with the fewest bits is shown, as the paper does.
`exact` is run once, with the setting that was best for `refined`: it minimises what the model asks for, not bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from harness.contest import Peer, compete
from harness.descriptions import described
from harness.five_bins import SetUp, forest_tags, set_up
from harness.item_peers import PEERS, on_table
from harness.timing import cpu_seconds
from paper_lines import Line

from pyod_explain import BCCM, DTDM, MDL, WCCM, Coverage, InfeasibleError, PyodExplainError, Selection, evaluate

LEARNERS = ("RIPPER", "BRL", "BRS", "tree")
WHOLE = "all rows"
SAMPLED = "samples"
AS_IN_THE_PAPER = {  # all rows, one setting; what is left out of it would take hours here
    "RIPPER": {"ratio": None, "items": 60, "k": 2, "max_conds": None},
    "BRL": {"ratio": None, "items": 15, "minsupport": 0.1, "at_least_one": True},
    "BRS": {"ratio": None, "items": 15, "maxlen": 3},
    "tree": {"ratio": None, "depth": 3, "leaf": 5},
}


@dataclass(frozen=True)
class Grid:
    """What is tried.

    Attributes
    ----------
    weights : lambda of D-WCCM, the same for all groups.
    budgets : theta and rho of D-BCCM, the same for all groups.
    n_rules, n_trees : rules of the forests, at most, and trees of each.
    n_itemsets : itemsets of a group, at most.
    exact_seconds : that the exact solver has.
    peer_seconds : CPU seconds that a learner has for all of its settings and groups; BRL and BRS four times that.
    n_settings : settings of a learner, at most, that are tried on samples; None for all.
    left_out : learners that are too slow for it.
    """

    weights: tuple[float, ...] = (1, 2, 5, 10, 15, 20, 30, 50, 100)
    budgets: tuple[tuple[int, float], ...] = tuple(
        (tags, share) for tags in (1, 2, 3, 5, 10) for share in (0.1, 0.2, 0.4, 0.6, 0.8, 0.9)
    )
    n_rules: int = 2_000
    n_trees: int = 400
    n_itemsets: int = 2_000
    exact_seconds: float = 60.0
    peer_seconds: float = 30.0
    n_settings: int | None = None
    left_out: tuple[str, ...] = ()

    @property
    def of_ours(self) -> str:
        """What lines without a learner depend on."""
        return repr(replace(self, peer_seconds=0, n_settings=None, left_out=()))


QUICK = Grid(
    weights=(1, 5, 20),
    budgets=((1, 0.6), (1, 0.9), (5, 0.6)),
    n_trees=50,
    n_itemsets=500,
    exact_seconds=2.0,
    peer_seconds=6.0,
    n_settings=1,
    left_out=("BRS",),
)


@dataclass(frozen=True)
class Problem:
    """A data set as the paper prepares it, or a placebo of it; made when it is asked for."""

    name: str
    grid: Grid
    placebo: int | None = None

    @cached_property
    def setup(self) -> SetUp:
        return set_up(
            self.name, negated=True, most=self.grid.n_itemsets, largest_first=True, placebo=self.placebo
        )  # opposites, as forests and learners have them, too

    @cached_property
    def forest(self) -> Coverage:
        return forest_tags(self.setup, n_rules=self.grid.n_rules, n_trees=self.grid.n_trees)

    def tags(self, kind: str) -> Coverage:
        return self.forest if kind == "forest" else self.setup.coverage


def bccm(tags: int, share: float, solver: str, **other: Any) -> BCCM:
    return BCCM(max_tags=tags, max_uncovered=share, solver=solver, **other)


def ours(problem: Problem, method: str, solver: str, kind: str, start: Line | None = None) -> Line:
    """Run a method of the paper, or MDL, on one kind of tags; `exact` needs the line whose setting it takes."""
    coverage, grid = problem.tags(kind), problem.grid
    how = f"{solver}, {kind}" if solver else kind
    if solver == "exact" and method != "DTDM":
        if start is None or not start.setting:
            return Line(method, how, remark="refined has no answer to start from")
        make = {"D-WCCM": WCCM, "D-BCCM": BCCM}[method]
        return one(method, how, make(**start.setting, solver="exact", time_limit=grid.exact_seconds), coverage)
    tried = {
        "D-WCCM": lambda: [WCCM(weight=weight, solver=solver) for weight in grid.weights],
        "D-BCCM": lambda: [bccm(*budget, solver) for budget in grid.budgets],
        "DTDM": lambda: [DTDM(solver=solver, time_limit=grid.exact_seconds)],
        "MDL": lambda: [MDL()],
    }[method]()
    found = [one(method, how, explainer, coverage) for explainer in tried]
    answers = [line for line in found if line.mdl is not None]
    if not answers:
        return replace(found[0], setting={}, remark=f"no answer at any setting: {found[0].remark}")
    best, none = min(answers, key=lambda line: line.mdl), len(found) - len(answers)
    lacking = f"no answer at {none} of {len(found)} settings" if none else ""
    return replace(best, remark="; ".join(text for text in (best.remark, lacking) if text))


def one(method: str, how: str, explainer: Any, coverage: Coverage) -> Line:
    """Run one setting."""
    setting = {key: value for key, value in explainer.get_params().items() if key in shown_parameters(explainer)}
    try:
        seconds, found = cpu_seconds(lambda: explainer.select(coverage))
    except InfeasibleError as problem:
        return Line(method, how, setting=setting, remark=str(problem).splitlines()[0])
    except PyodExplainError as problem:
        return Line(method, how, setting=setting, remark=f"{type(problem).__name__}: {problem}".splitlines()[0])
    frame = evaluate(coverage, found)
    return Line.of(method, how, frame, seconds=seconds, setting=setting, remark=status(explainer, found))


def shown_parameters(explainer: Any) -> Sequence[str]:
    return {WCCM: ("weight",), BCCM: ("max_tags", "max_uncovered")}.get(type(explainer), ())


def status(explainer: Any, found: Selection) -> str:
    """Say what is proved, and which of the paper's constraints is broken."""
    if found.status == "violated":
        return "breaks a budget"
    if getattr(explainer, "solver", "") != "exact":
        return ""
    if found.status == "optimal":
        return "proved"
    gap = "" if found.gap is None else f", gap {found.gap:.0%}"
    return f"time out at {explainer.time_limit:g} s{gap}"


def nothing(problem: Problem, how: str = "") -> Line:
    coverage = problem.setup.coverage
    return Line.of("nothing said", how, evaluate(coverage, [()] * coverage.n_groups))


def learner(problem: Problem, name: str, how: str) -> Line:
    """Run a rule learner, one group against the rest."""
    peer = peer_for(problem, name, how)
    if name in problem.grid.left_out:
        return Line(name, how, remark="left out of the quick run: it takes minutes")
    if peer.absent:
        return Line(name, how, remark=f"not installed: {', '.join(peer.absent)}")
    setup, coverage = problem.setup, problem.setup.coverage
    items = setup.items[: coverage.n_items]
    found = compete(peer, items, setup.y, problem.grid.peer_seconds)
    remark = found.remark.removesuffix("; ")
    if len(found.best) < coverage.n_groups:
        return Line(name, how, remark=remark)
    tags, chosen = described(items, setup.y, found.rules(coverage.n_groups))
    return Line.of(name, how, evaluate(tags, chosen), seconds=found.cpu, remark=remark)


def peer_for(problem: Problem, name: str, how: str) -> Peer:
    """Give a learner with the settings that are tried."""
    if how == WHOLE:
        return replace(PEERS[name], settings=[AS_IN_THE_PAPER[name]])
    peer = on_table(name, PEERS[name], problem.name)
    return replace(peer, settings=peer.settings[: problem.grid.n_settings])


def parameters(problem: Problem, asked: Sequence[Line]) -> Iterator[Line]:
    """Run the paper's table of parameters with its algorithms, on its tags; weights are spread over more groups."""
    coverage = problem.forest
    for line in asked:
        setting = dict(line.setting)
        if line.method == "D-WCCM":
            lowest, highest = setting["weight"]
            setting["weight"] = [lowest, *[highest] * (coverage.n_groups - 1)]
            explainer: Any = WCCM(**setting, solver="greedy")
        else:
            explainer = BCCM(**setting, solver="greedy")
        yield one(line.method, "greedy, forest", explainer, coverage)

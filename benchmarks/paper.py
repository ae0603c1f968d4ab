"""The paper's Tables 2 to 5, its printed figures beside ours, and whether what it says of them holds here.

    python benchmarks/paper.py                        # all three data sets: an hour or more
    python benchmarks/paper.py heart --quick          # a minute: small grids, short time limits, no BRS
    python benchmarks/paper.py census --cache DIR     # lines are kept, and not run again
    python benchmarks/paper.py --markdown --cache DIR > tables.md

Needs the data files (docs/datasets.md) and, for the rule learners, wittgenstein and imodels (with six); what cannot run
says why. The set-up is "five bins" (`harness/five_bins.py`): the paper's samples and groups are not published, so
figures stand beside each other and are not equal. All methods see the same binary items and pay for the same
language, so that bits can be compared within a table; those that the paper prints cannot be had from its own FUO, FCO
and FCN, and are compared with nothing here.

- Tags: the paper's, at most 2,000 rules of random forests (`forest`), and itemsets. D-WCCM and D-BCCM by the paper's
  algorithms (`greedy`), improved (`refined`), and solved (`exact`: "proved", or "time out" and how far off it can be).
  The grids are in `paper_methods.py`; of each the setting with the fewest bits is shown.
- RIPPER, BRL, BRS and a tree see one group against the rest: all rows, as in the paper, or samples of the rest, with a
  grid of settings for each group (`harness/item_peers.py`).
- "nothing said" is the empty description, which names each outlier. The placebo has as many rows drawn at random in
  place of the outliers: what is found there is not about being an outlier.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from harness.cache import Cache
from paper_lines import PAPER, Line, Printed, printed, show
from paper_methods import LEARNERS, QUICK, SAMPLED, WHOLE, Grid, Problem, learner, nothing, ours, parameters, peer_for
from paper_trends import Trend, lowest_mdl, parameter_trends, purer

DATA = ("readmission", "census", "heart")  # the order of the tables
KINDS = ("forest", "itemsets")
PLACEBO_SEED = 0
PACKAGES = ("pyod_explain", "numpy", "scikit-learn", "wittgenstein", "imodels")
VERSION = "1"  # of what lines depend on, apart from grids


class Lines:
    """Runs lines, or takes those that were kept."""

    def __init__(self, name: str, grid: Grid, cache: Cache) -> None:
        self.name, self.grid, self.cache = name, grid, cache
        self.problem, self.placebo = Problem(name, grid), Problem(name, grid, placebo=PLACEBO_SEED)

    def _kept(self, key: str, version: str, make: Callable[[], Any]) -> Any:
        return self.cache.ask(f"paper/{self.name}", key, f"{VERSION}; {version}", make)

    def ours(self, method: str, solver: str, kind: str, start: Line | None = None, *, placebo: bool = False) -> Line:
        problem = self.placebo if placebo else self.problem
        key = " ".join(one for one in (method, solver, kind, "placebo" if placebo else "") if one)
        kept = self._kept(key, self.grid.of_ours, lambda: ours(problem, method, solver, kind, start).as_dict())
        return Line(**kept | {"method": f"placebo: {method}"} if placebo else kept)

    def learner(self, name: str, how: str) -> Line:
        peer = peer_for(self.problem, name, how)
        version = f"{self.grid.peer_seconds:g} s, {self.grid.left_out}, {peer.settings}"
        return Line(**self._kept(f"{name} {how}", version, lambda: learner(self.problem, name, how).as_dict()))

    def nothing(self) -> Line:
        return Line(**self._kept("nothing", self.grid.of_ours, lambda: nothing(self.problem).as_dict()))

    def parameters(self, *, placebo: bool = False) -> list[Line]:
        """The lines of the table of parameters."""
        problem, asked = self.placebo if placebo else self.problem, printed("parameters").lines

        def make() -> list[dict]:
            return [one.as_dict() for one in parameters(problem, asked)]

        kept = self._kept(f"parameters{' placebo' * placebo}", self.grid.of_ours, make)
        return [Line(**one | {"method": f"placebo: {one['method']}"} if placebo else one) for one in kept]

    def sizes(self) -> dict:
        def make() -> dict:
            coverage = self.problem.setup.coverage
            return {
                "rows": len(self.problem.setup.y),
                "groups": coverage.group_sizes.tolist(),
                "items": coverage.n_items,
                "forest": self.problem.forest.n_tags,
                "itemsets": coverage.n_tags,
            }

        return self._kept("sizes", self.grid.of_ours, make)


def table(lines: Lines, paper: Printed, peers: list[str]) -> Iterator[Line]:
    """Give the lines of a data set, each of the paper's before ours of the same method."""
    known = {one.method: one for one in paper.lines}
    for name in peers:
        yield from [known[name]] if name in known else []
        yield from (lines.learner(name, how) for how in (WHOLE, SAMPLED))
    yield known["DTDM"]
    yield from (lines.ours("DTDM", solver, kind) for kind in KINDS for solver in ("greedy", "exact"))
    for method in ("D-WCCM", "D-BCCM"):
        yield known[method]
        for kind in KINDS:
            yield lines.ours(method, "greedy", kind)
            refined = lines.ours(method, "refined", kind)
            yield refined
            yield lines.ours(method, "exact", kind, refined)
    yield from (lines.ours("MDL", "", kind) for kind in KINDS)
    yield lines.nothing()
    for method, solver in (("D-WCCM", "refined"), ("D-BCCM", "refined"), ("MDL", "")):
        yield from (lines.ours(method, solver, kind, placebo=True) for kind in KINDS)


def trends(found: list[Line]) -> Iterator[tuple[str, list[Trend]]]:
    """Ask the printed figures, and ours with the learners on all rows and on samples."""
    for title, chosen in (
        ("printed", {one.method: one for one in found if one.how == PAPER}),
        (f"here, paper's algorithms and tags, learners on {WHOLE}", _chosen(found, WHOLE)),
        (f"here, paper's algorithms and tags, learners on {SAMPLED}", _chosen(found, SAMPLED)),
    ):
        yield title, [lowest_mdl(chosen), purer(chosen, "D-WCCM"), purer(chosen, "D-BCCM")]


def _chosen(found: list[Line], learners: str) -> dict[str, Line]:
    wanted = {"DTDM": "exact, forest", "D-WCCM": "greedy, forest", "D-BCCM": "greedy, forest"}
    return {one.method: one for one in found if one.how == wanted.get(one.method, learners)}


def show_trends(title: str, found: list[Trend], *, paper: bool = False) -> None:
    print(f"\n{title}")
    for one in found:
        text = str(one)
        print(f"- {text.replace(' here', ' in the paper') if paper else text}", flush=True)


def show_data(name: str, grid: Grid, cache: Cache, peers: list[str], *, markdown: bool) -> None:
    """Print the tables of a data set, and what they say of the paper's claims."""
    lines, paper = Lines(name, grid, cache), printed(name)
    sizes = lines.sizes()
    title = (
        f"Table {paper.table}, {paper.title}: {sizes['rows']:,} rows, outliers in groups of "
        f"{'/'.join(map(str, sizes['groups']))} (paper: {'/'.join(map(str, paper.groups))}); {sizes['items']} items, "
        f"{sizes['forest']:,} forest rules, {sizes['itemsets']:,} itemsets"
    )
    found = list(table(lines, paper, peers))
    show(title, found, markdown=markdown)
    for who, said in trends(found):
        show_trends(f"{paper.title}, {who}", said, paper=who == "printed")
    asked, settings = printed("parameters"), lines.parameters()
    beside = asked.lines if name == "readmission" else []
    title = f"Table {asked.table} (of Readmission in the paper), {paper.title}: how the parameters move the figures"
    show(title, [*beside, *settings, lines.nothing(), *lines.parameters(placebo=True)], markdown=markdown)
    if beside:
        show_trends("Parameters, printed", parameter_trends(beside), paper=True)
    show_trends(f"Parameters, {paper.title}, here", parameter_trends(settings))


def versions() -> str:
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return f"{datetime.now(tz=UTC):%Y-%m-%d}, Python {platform.python_version()}, {', '.join(found)}"


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="*", choices=[*DATA, []], help="all by default; with --quick heart")
    parser.add_argument("--quick", action="store_true", help="small grids and short time limits")
    parser.add_argument("--learners", nargs="*", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--cache", type=Path, help="a folder to keep lines in")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args(words)
    print(versions())
    for name in arguments.data or (["heart"] if arguments.quick else DATA):
        grid = QUICK if arguments.quick else Grid()
        show_data(name, grid, Cache(arguments.cache), arguments.learners, markdown=arguments.markdown)


if __name__ == "__main__":
    main()

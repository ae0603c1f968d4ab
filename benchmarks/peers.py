"""Rule learners of other projects on the set-up "five bins", in bits of the paper's formula (MDL), beside ours.

    python benchmarks/peers.py [census] [readmission] [heart] [--peers tree RIPPER ...] [--seconds 20]

Needs the data files (docs/datasets.md). Peers that are not installed are named and left out; they are in the
distributions scikit-learn, wittgenstein, corels, imodels (and six), aix360 (and cvxpy), sliceline and pysubgroup.

Each learner sees one group against the rest, normals and outliers of the other groups alike. What it is given:

- Items of the set-up as binary columns, so that "not this item" is a condition too, at the price of the item; hence
  the line of ours with opposites. Without opposites: sliceline, which gets columns of items that exclude each other,
  and BRL, which gets opposites as columns on Readmission only.
- The rest sampled to 1, 4 or 16 rows for each row of the group (the tree: all rows, weighted like that), as learners of
  accuracy say nothing of a group that is two percent of the rows. Slow learners get the 15 to 60 items that tell most
  about the group (mutual information). Rows and items are in the last column, for the settings that were best.
- Its defaults or a small grid, see `harness/item_peers.py`; BRS has fewer iterations, chains and candidate rules than
  by default, BRL and BRCG fewer iterations. For each group the best setting counts, by MDL on all rows, which no user
  of it would know. Of learners that rank rules (Skope, sliceline, pysubgroup) the best number of first rules counts.
  A learner stopped after `--seconds` of CPU for a data set (BRCG: twice, BRL and BRS: four times) keeps what it found;
  groups without an answer are counted and cost the bits of naming them.

Rules become tags, a conjunction of items and opposites each; dropped are duplicates, rules that no row fulfils, and
conditions that change no row. A tree gives the nodes below which all leaves predict the group. A rule list (CORELS,
BRL) is read in two ways and the shorter counts: the rules that predict the group, each on its own, as tags are
evaluated independently ("else if" is lost); or with the opposites of the earlier rules written out, which is exact.
Unlike ours, peers may give two groups the same tag.

Columns: bits, rules, mean conditions of a rule, CPU seconds of the fits that were best, seconds of all that was tried.
"""

from __future__ import annotations

import argparse

import numpy as np
from harness.contest import compete
from harness.descriptions import described
from harness.five_bins import set_up
from harness.item_peers import PEERS, on_table
from harness.timing import cpu_seconds

from pyod_explain import MDL, evaluate

DATA = {"census": False, "readmission": True, "heart": False}  # opposites of items in our tags?


def describe(best):
    """Say which settings were best, and how much of the table they were fitted to."""
    parts = []
    for group in sorted(best):
        one = best[group]
        rest = " ".join(f"{key} {value}" for key, value in one.setting.items() if key != "items")
        parts.append(f"{group + 1}: {one.shape[0]:,} x {one.shape[1]} {rest}")
    return " | ".join(parts)


def show(data, name, bits, n_rules="", conditions="", chosen="", spent="", remark=""):
    """Print one line."""
    print(
        f"{data:12} {name:22} {bits:>8,.0f} {n_rules:>6} {conditions:>5} {chosen:>8} {spent:>6}  {remark}", flush=True
    )


def show_ours(data, name, coverage):
    """Print the line of MDL."""
    took, found = cpu_seconds(lambda: MDL().select(coverage))
    lengths = [int(coverage.lengths[tag]) for tags in found.tags for tag in tags]
    mean = f"{np.mean(lengths):.1f}" if lengths else ""
    text = f"of {coverage.n_tags:,} itemsets, mined before"
    show(data, name, evaluate(coverage, found).attrs["mdl"], len(lengths), mean, f"{took:.2f}", remark=text)


def show_data(name, peers, seconds):
    """Print the lines of a data set."""
    setup = set_up(name, negated=DATA[name])
    items = setup.items[: setup.coverage.n_items]  # the opposites follow the items
    n_groups = setup.coverage.n_groups
    empty = evaluate(setup.coverage, [()] * n_groups).attrs["mdl"]
    show(name, "nothing said", empty)
    show_ours(name, "MDL, opposites too" if DATA[name] else "MDL", setup.coverage)
    if not DATA[name]:
        show_ours(name, "MDL, opposites too", set_up(name, negated=True).coverage)
    for title, peer in peers.items():
        found = compete(on_table(title, peer, name), items, setup.y, seconds)
        if not found.best:
            print(f"{name:12} {title:22} {'-':>8} {'':22} {found.spent:>6.1f}  {found.remark}", flush=True)
            continue
        rules = found.rules(n_groups)
        coverage, chosen = described(items, setup.y, rules)
        lengths = coverage.lengths
        bits = evaluate(coverage, chosen).attrs["mdl"]
        mean = f"{np.mean(lengths):.1f}" if len(lengths) else ""
        show(
            name,
            title,
            bits,
            len(lengths),
            mean,
            f"{found.cpu:.2f}",
            f"{found.spent:.1f}",
            found.remark + describe(found.best),
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="*", choices=[*DATA, []])
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--seconds", type=float, default=20.0, help="of processor time, for a learner and a data set")
    arguments = parser.parse_args()
    missing = [f"{name} ({PEERS[name].package})" for name in arguments.peers if PEERS[name].absent]
    present = {name: PEERS[name] for name in arguments.peers if not PEERS[name].absent}
    for name, peer in present.items():
        print(f"{name}: {peer.version}")
    print(f"not installed: {', '.join(missing) or 'none'}\n")
    header = f"{'data':12} {'method':22} {'bits':>8} {'rules':>6} {'conds':>5} {'CPU s':>8} {'all':>6}"
    print(f"{header}  group: rows x items, settings")
    for name in arguments.data or DATA:
        show_data(name, present, arguments.seconds)


if __name__ == "__main__":
    main()

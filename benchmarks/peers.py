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
- Its defaults or a small grid, see `PEERS`; BRS has fewer iterations, chains and candidate rules than by default, BRL
  and BRCG fewer iterations. For each group the best setting counts, by MDL on all rows, which no user of it would
  know. Of learners that rank rules (Skope, sliceline, pysubgroup) the best number of first rules counts. A learner
  stopped after `--seconds` for a data set (BRCG: twice, BRL and BRS: four times that) keeps what it found by then;
  groups without an answer are counted and cost the bits of naming them.

Rules become tags, a conjunction of items and opposites each; dropped are duplicates, rules that no row fulfils, and
conditions that change no row. A tree gives the nodes below which all leaves predict the group. A rule list (CORELS,
BRL) is read in two ways and the shorter counts: the rules that predict the group, each on its own, as tags are
evaluated independently ("else if" is lost); or with the opposites of the earlier rules written out, which is exact.
Unlike ours, peers may give two groups the same tag.

Columns: bits, rules, mean conditions of a rule, seconds of the fits that were best, seconds of all that was tried.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import re
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import product
from queue import Empty

import numpy as np
import pandas as pd
from five_bins import set_up

from pyod_explain import MDL, Coverage, evaluate
from pyod_explain.description_length import mdl_of_group

MAX_LENGTH = 3  # conditions of a rule, where a learner can be told
MOST_WRITTEN_OUT = 50  # rules that a rule list may become
SUPPORT = 0.05  # of the group, as in the set-up
DATA = {"census": False, "readmission": True, "heart": False}  # opposites of items in our tags?


# The learners: X is rows by items, y is True for the group; a rule is a list of (column, value),
# and a rule list has what each rule predicts, too; its last rule is empty, the default.


def tree(X, y, *, ratio, depth, leaf):
    """scikit-learn's decision tree, all rows, the group weighted to 1/ratio of the rest."""
    from sklearn.tree import DecisionTreeClassifier

    weight = (~y).sum() / (ratio * y.sum())
    model = DecisionTreeClassifier(
        max_depth=depth, min_samples_leaf=leaf, class_weight={True: weight, False: 1.0}, random_state=0
    )
    nodes = model.fit(X, y).tree_
    rules = []

    def predicts(node):  # the classes that the leaves below predict
        if nodes.children_left[node] < 0:
            return {bool(nodes.value[node][0].argmax())}
        return predicts(nodes.children_left[node]) | predicts(nodes.children_right[node])

    def walk(node, path):
        found = predicts(node)
        if found == {True}:
            rules.append(path)
        elif len(found) == 2:
            item = int(nodes.feature[node])
            walk(nodes.children_left[node], [*path, (item, False)])
            walk(nodes.children_right[node], [*path, (item, True)])

    walk(0, [])
    return rules


def ripper(X, y, *, k, max_conds):
    """wittgenstein's RIPPER."""
    from wittgenstein import RIPPER

    frame = pd.DataFrame(np.where(X, "yes", "no"), columns=[f"x{i}" for i in range(X.shape[1])])
    model = RIPPER(k=k, max_rule_conds=max_conds, random_state=0)
    model.fit(frame, y=pd.Series(y.astype(int), name="group"), pos_class=1)
    return [[(int(one.feature[1:]), one.val == "yes") for one in rule.conds] for rule in model.ruleset_.rules]


def corels(X, y, *, c, max_card):
    """CORELS: the optimal rule list, or the best after its limit of nodes."""
    from corels import CorelsClassifier

    model = CorelsClassifier(c=c, max_card=max_card, n_iter=100_000, verbosity=[])
    model.fit(np.ascontiguousarray(X), y)
    return [([(abs(i) - 1, i > 0) for i in rule["antecedents"] if i], rule["prediction"]) for rule in model.rl_.rules]


def brs(X, y, *, maxlen):
    """Bayesian rule set (imodels)."""
    from imodels import BayesianRuleSetClassifier

    random.seed(0)  # its own seed does not reach all of it; the order of sets of texts still varies from run to run
    names = [f"x{i}" for i in range(X.shape[1])]
    model = BayesianRuleSetClassifier(n_rules=500, maxlen=maxlen, num_iterations=1000, num_chains=2)
    model.fit(pd.DataFrame(X.astype(int), columns=names), y.astype(int))
    return [[(int(re.sub(r"\D", "", name)), not name.endswith("_neg")) for name in rule] for rule in model.rules_]


def brl(X, y, *, minsupport, opposites=False):
    """Bayesian rule list (imodels)."""
    from imodels import BayesianRuleListClassifier

    n_items = X.shape[1]
    columns = np.hstack([X, ~X]) if opposites else X
    model = BayesianRuleListClassifier(minsupport=minsupport, max_iter=3000, random_state=0)
    model.fit(columns.astype(int), y.astype(int))
    found = []
    for itemset, chance in zip(model.final_itemsets, model.theta, strict=False):
        places = [] if isinstance(itemset, str) else [int(name.removeprefix("X_")) for name in itemset]
        found.append(([(place % n_items, place < n_items) for place in places], chance > 0.5))
        if not places:  # the default ends the list
            break
    return found


def skope(X, y, *, precision_min, n_estimators):
    """SkopeRules (imodels), its rules in its own order."""
    from imodels import SkopeRulesClassifier

    model = SkopeRulesClassifier(
        precision_min=precision_min, n_estimators=n_estimators, max_depth=MAX_LENGTH, random_state=0
    )
    model.fit(X.astype(float), y.astype(int))
    return [
        [(int(name.removeprefix("X_")), symbol.startswith(">")) for name, symbol in rule.agg_dict]
        for rule in model.rules_without_feature_names_
    ]


def brcg(X, y, *, penalty):
    """Boolean rules by column generation (AIX360: its beam search), with HiGHS for the linear programs."""
    from aix360.algorithms.rbm import BooleanRuleCG

    n_items = X.shape[1]
    names = [(f"x{i}", sign, "") for sign in ("", "not") for i in range(n_items)]
    frame = pd.DataFrame(np.hstack([X, ~X]).astype(int), columns=pd.MultiIndex.from_tuples(names))
    model = BooleanRuleCG(lambda0=penalty, lambda1=penalty, iterMax=10, solver="HIGHS", silent=True)
    model.fit(frame, y.astype(int))
    chosen = model.z.to_numpy()[:, np.asarray(model.w) > 0.5]
    return [[(int(i) % n_items, int(i) < n_items) for i in np.flatnonzero(column)] for column in chosen.T]


def sliceline(X, y, *, alpha):
    """sliceline: the slices where belonging to the group is the error, best first."""
    from sliceline import Slicefinder

    columns = exclusive_columns(X)
    codes = np.stack([(X[:, one] * (np.array(one) + 1)).sum(axis=1) for one in columns], axis=1)
    least = max(1, int(np.ceil(SUPPORT * y.sum())))
    model = Slicefinder(alpha=alpha, k=20, max_l=MAX_LENGTH, min_sup=least, verbose=False)
    model.fit(codes, y.astype(float))
    slices = [[int(code) for code in one if code is not None] for one in model.top_slices_]
    return [[(code - 1, True) for code in one] for one in slices if 0 not in one]


def pysubgroup(X, y, *, a):
    """pysubgroup: beam search for subgroups, quality size**a x (share in it - share), best first."""
    import pysubgroup as ps

    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).assign(group=y)
    task = ps.SubgroupDiscoveryTask(
        frame,
        ps.BinaryTarget("group", True),
        ps.create_selectors(frame, ignore=["group"]),
        result_set_size=20,
        depth=MAX_LENGTH,
        qf=ps.StandardQF(a),
    )
    found = ps.BeamSearch(beam_width=20).execute(task).to_descriptions()
    rules = [[(int(one.attribute_name[1:]), bool(one.attribute_value)) for one in rule.selectors] for _, rule in found]
    return [rule for rule in rules if rule]


def exclusive_columns(X):
    """Join neighbouring items that no row has two of: the columns that they were made from, or as good."""
    columns, taken = [], np.ones(len(X), dtype=bool)
    for i in range(X.shape[1]):
        if (taken & X[:, i]).any():
            columns.append([])
            taken = np.zeros(len(X), dtype=bool)
        columns = columns or [[]]
        columns[-1].append(i)
        taken |= X[:, i]
    return [one for one in columns if one]


# What is tried.


def grid(**choices):
    """Give all combinations, the last choice varying fastest."""
    return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]


@dataclass(frozen=True)
class Peer:
    """A learner, what it needs installed, and its settings, of which `ratio` and `items` say what it is shown."""

    learn: Callable
    package: str
    modules: tuple[str, ...]
    settings: list[dict]
    ranks: bool = False  # the rules are in order, and the best number of first ones counts
    lists: bool = False  # the rules are read one after the other
    all_rows: bool = False
    patience: int = 1  # times --seconds
    on_readmission: dict = field(default_factory=dict)  # settings for the largest table


PEERS = {
    "tree": Peer(
        tree, "scikit-learn", ("sklearn",), grid(ratio=[1, 4, 16], depth=[2, 3, 5, 8], leaf=[5, 50]), all_rows=True
    ),
    "RIPPER": Peer(
        ripper, "wittgenstein", ("wittgenstein",), grid(items=[60], ratio=[1, 4, 16], k=[2], max_conds=[None, 3])
    ),
    "CORELS": Peer(
        corels,
        "corels",
        ("corels",),
        grid(items=[40], max_card=[2, 3], ratio=[1, 4, 16], c=[0.01, 0.003, 0.03]),
        lists=True,
    ),
    "BRS": Peer(brs, "imodels", ("imodels",), grid(items=[40], ratio=[1, 4], maxlen=[2, 3]), patience=4),
    "BRL": Peer(
        brl,
        "imodels",
        ("imodels",),
        grid(items=[40], ratio=[1, 4], minsupport=[0.1, 0.05]),
        lists=True,
        patience=4,
        on_readmission={"items": 15, "opposites": True},
    ),
    "Skope": Peer(
        skope,
        "imodels",
        ("imodels",),
        grid(ratio=[1, 4, 16], precision_min=[0.5, 0.2], n_estimators=[10, 50]),
        ranks=True,
    ),
    "BRCG": Peer(
        brcg, "aix360", ("aix360", "cvxpy"), grid(items=[60], ratio=[1, 4], penalty=[0.001, 0.01]), patience=2
    ),
    "sliceline": Peer(
        sliceline,
        "sliceline",
        ("sliceline",),
        grid(items=[60], ratio=[1, 4, 16], alpha=[0.6, 0.95]),
        ranks=True,
        on_readmission={"items": 30},
    ),
    "pysubgroup": Peer(
        pysubgroup, "pysubgroup", ("pysubgroup",), grid(items=[60], ratio=[4, 16], a=[0.5, 1.0]), ranks=True
    ),
}


def shown(items, y, *, ratio, n_items, all_rows):
    """Choose the rows and the items that a learner is shown."""
    rows = np.arange(len(y))
    if not all_rows:
        rest = np.flatnonzero(~y)
        few = np.random.default_rng(0).permutation(rest)[: ratio * int(y.sum())]
        rows = np.sort(np.concatenate([np.flatnonzero(y), few]))
    X, target = items[:, rows].T, y[rows]
    kept = np.flatnonzero(X.any(axis=0) & ~X.all(axis=0))
    if n_items is not None:
        kept = np.sort(kept[np.argsort(-information(X[:, kept], target), kind="stable")[:n_items]])
    return np.ascontiguousarray(X[:, kept]), target, kept


def information(X, y):
    """Mutual information of each item with the group."""

    def entropy(*counts):
        shares = np.array(counts) / len(y)
        return -np.where(shares > 0, shares * np.log2(np.maximum(shares, 1e-300)), 0.0).sum(axis=0)

    with_item, both, group = X.sum(axis=0), X[y].sum(axis=0), np.full(X.shape[1], y.sum())
    joint = entropy(both, with_item - both, group - both, len(y) - with_item - group + both)
    return entropy(with_item, len(y) - with_item) + entropy(group, len(y) - group) - joint


# From rules to bits.


def simplified(items, rule):
    """Drop repeated conditions, and those that change no row."""
    rule = sorted(set(rule))
    for one in list(rule):
        rest = [other for other in rule if other != one]
        if rest and np.array_equal(rows_with(items, rest), rows_with(items, rule)):
            rule = rest
    return tuple(rule)


def rows_with(items, rule):
    """Say which rows fulfil a rule."""
    return np.logical_and.reduce([items[item] if value else ~items[item] for item, value in rule])


def as_coverage(items, y, rules):
    """Make the rules tags."""
    T = np.array([rows_with(items, rule) for rule in rules]).reshape(len(rules), len(y)).T
    return Coverage.from_dense(T, y, lengths=[len(rule) for rule in rules], n_items=len(items))


def readings(rule_list):
    """Read a rule list as rules: those that predict the group, alone; or with "no earlier rule holds" written out."""
    alone, exact, before = [], [], [[]]
    for rule, predicts in rule_list:
        if predicts:
            alone.append(rule)
            exact += [[*rule, *other] for other in before]
        else:
            before = [[*other, (item, not value)] for other in before for item, value in rule]
    if len(exact) > MOST_WRITTEN_OUT:
        return [alone]
    return (
        [exact] if rule_list and rule_list[-1][1] else [alone, exact]
    )  # a default that is the group has no rule alone


def best_rules(peer, items, y, group, rules):
    """Turn a learner's rules into a description, and give its bits."""
    best = None
    for reading in readings(rules) if peer.lists else [rules]:
        tags = list(dict.fromkeys(simplified(items, rule) for rule in reading if rule))
        tags = [tag for tag in tags if rows_with(items, tag).any()]
        coverage = as_coverage(items, y, tags)
        for size in range(1, len(tags) + 1) if peer.ranks and tags else [len(tags)]:
            bits = mdl_of_group(coverage, group, range(size))
            if best is None or bits < best[0]:
                best = bits, tags[:size]
    return best


def learn_all(name, peer, setup, items, queue):
    """Run a learner with all settings on all groups; each answer goes to the queue at once."""
    warnings.simplefilter("ignore")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    for tried in peer.settings:
        setting = tried | (peer.on_readmission if name == "readmission" else {})
        own = {key: value for key, value in setting.items() if key != "items" and (key != "ratio" or peer.all_rows)}
        for group in range(setup.coverage.n_groups):
            X, target, kept = shown(
                items,
                setup.y == group + 1,
                ratio=setting["ratio"],
                n_items=setting.get("items"),
                all_rows=peer.all_rows,
            )
            start = time.perf_counter()
            try:
                rules = peer.learn(X, target, **own)
                error = ""
            except Exception as problem:  # noqa: BLE001 - whatever a peer raises is its result
                rules, error = [], f"{type(problem).__name__}: {problem}"
            took = time.perf_counter() - start
            if peer.lists:
                rules = [(in_all_items(rule, kept), bool(predicts)) for rule, predicts in rules]
            else:
                rules = [in_all_items(rule, kept) for rule in rules]
            queue.put((setting, group, X.shape, rules, error, took))
    queue.put(None)


def in_all_items(rule, kept):
    """Say a rule in the places that its items have in the table."""
    return [(int(kept[item]), bool(value)) for item, value in rule]


def compete(name, peer, setup, items, seconds):
    """Run a peer in a process of its own for so many seconds; give the best answer for each group, and a remark."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=learn_all, args=(name, peer, setup, items, queue), daemon=True)
    start = time.perf_counter()
    process.start()
    best, errors, n_answers, ended = {}, set(), 0, False
    while not ended:
        left = start + seconds - time.perf_counter()
        try:
            answer = queue.get(timeout=max(min(left, 1.0), 0.01))
        except Empty:
            if left <= 0 or not process.is_alive():
                break
            continue
        if answer is None:
            ended = True
            continue
        setting, group, shape, rules, error, took = answer
        if error:
            errors.add(error)
            continue
        n_answers += 1
        bits, rules = best_rules(peer, items, setup.y, group, rules)
        if group not in best or bits < best[group][0]:
            best[group] = (bits, rules, setting, shape, took)
    spent = time.perf_counter() - start
    if process.is_alive():
        process.kill()
    process.join()
    n_groups = setup.coverage.n_groups
    remark = "" if ended else f"stopped: {n_answers} of {len(peer.settings) * n_groups} fits; "
    if len(best) < n_groups:
        remark += f"nothing for {n_groups - len(best)} groups; "
    if errors:
        remark += f"failed at times: {min(errors)[:60]}; "
    return best, spent, remark


def describe(best):
    """Say which settings were best, and how much of the table they were fitted to."""
    parts = []
    for group in sorted(best):
        _, _, setting, shape, _ = best[group]
        rest = " ".join(f"{key} {value}" for key, value in setting.items() if key != "items")
        parts.append(f"{group + 1}: {shape[0]:,} x {shape[1]} {rest}")
    return " | ".join(parts)


def show(data, name, bits, n_rules="", conditions="", chosen="", spent="", remark=""):
    """Print one line."""
    print(
        f"{data:12} {name:22} {bits:>8,.0f} {n_rules:>6} {conditions:>5} {chosen:>8} {spent:>6}  {remark}", flush=True
    )


def show_ours(data, name, coverage):
    """Print the line of MDL."""
    start = time.perf_counter()
    found = MDL().select(coverage)
    took = time.perf_counter() - start
    lengths = [int(coverage.lengths[tag]) for tags in found.tags for tag in tags]
    mean = f"{np.mean(lengths):.1f}" if lengths else ""
    text = f"of {coverage.n_tags:,} itemsets, mined before"
    show(data, name, evaluate(coverage, found).attrs["mdl"], len(lengths), mean, f"{took:.2f}", remark=text)


def show_data(name, peers, seconds):
    """Print the lines of a data set."""
    setup = set_up(name, negated=DATA[name])
    items = setup.items[: setup.coverage.n_items]  # the opposites follow the items
    empty = evaluate(setup.coverage, [()] * setup.coverage.n_groups).attrs["mdl"]
    show(name, "nothing said", empty)
    show_ours(name, "MDL, opposites too" if DATA[name] else "MDL", setup.coverage)
    if not DATA[name]:
        show_ours(name, "MDL, opposites too", set_up(name, negated=True).coverage)
    for title, peer in peers.items():
        best, spent, remark = compete(name, peer, setup, items, seconds * peer.patience)
        if not best:
            print(f"{name:12} {title:22} {'-':>8} {'':22} {spent:>6.1f}  {remark}", flush=True)
            continue
        tags = [best[k][1] if k in best else [] for k in range(setup.coverage.n_groups)]
        rules = [rule for own in tags for rule in own]
        ends = np.cumsum([0, *(len(own) for own in tags)])
        places = [range(ends[k], ends[k + 1]) for k in range(len(tags))]
        bits = evaluate(as_coverage(items, setup.y, rules), places).attrs["mdl"]
        mean = f"{np.mean([len(rule) for rule in rules]):.1f}" if rules else ""
        took = sum(one[4] for one in best.values())
        show(name, title, bits, len(rules), mean, f"{took:.2f}", f"{spent:.1f}", remark + describe(best))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="*", choices=[*DATA, []])
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    present, missing = {}, []
    for name in arguments.peers:
        if all(find_spec(module) for module in PEERS[name].modules):
            present[name] = PEERS[name]
        else:
            missing.append(f"{name} ({PEERS[name].package})")
    for name, peer in present.items():
        try:
            print(f"{name}: {peer.package} {version(peer.package)}")
        except PackageNotFoundError:
            print(f"{name}: {peer.package}, version unknown")
    print(f"not installed: {', '.join(missing) or 'none'}\n")
    header = f"{'data':12} {'method':22} {'bits':>8} {'rules':>6} {'conds':>5} {'seconds':>8} {'all':>6}"
    print(f"{header}  group: rows x items, settings")
    for name in arguments.data or DATA:
        show_data(name, present, arguments.seconds)


if __name__ == "__main__":
    main()

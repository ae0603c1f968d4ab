"""A learner on items, with all of its settings on all groups, for so many CPU seconds: the best answer for each group.

It sees one group against the rest, normals and outliers of the other groups alike; `ratio` and `items` in its settings
say how much of both: so many rows of the rest for each row of the group (None: all), so many items, those that tell
most about the group (mutual information).
"""

from __future__ import annotations

import multiprocessing
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import product
from queue import Empty

import numpy as np

from harness.descriptions import best_description
from harness.processes import limit_cpu

MOST_TIMES = 20  # so many times the seconds may pass on a busy machine


def grid(**choices):
    """Give all combinations, the last choice varying fastest."""
    return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]


@dataclass(frozen=True)
class Peer:
    """A learner, what it needs installed, and its settings.

    Attributes
    ----------
    learn : see `item_learners.py`.
    package : the distribution that it is in.
    modules : what has to be there to import it.
    settings : what is tried; `ratio` and `items` say what it is shown.
    ranks : the rules are in order, and the best number of first ones counts.
    lists : the rules are read one after the other.
    all_rows : it is shown all rows, and told the ratio.
    patience : times the seconds that others have.
    """

    learn: Callable
    package: str
    modules: tuple[str, ...]
    settings: list[dict]
    ranks: bool = False
    lists: bool = False
    all_rows: bool = False
    patience: int = 1

    @property
    def absent(self) -> list[str]:
        """The modules that are not installed."""
        return [module for module in self.modules if not find_spec(module)]

    @property
    def version(self) -> str:
        try:
            return f"{self.package} {version(self.package)}"
        except PackageNotFoundError:
            return f"{self.package}, version unknown"


@dataclass(frozen=True)
class Answer:
    """The best rules for a group.

    Attributes
    ----------
    bits : of the group, by the paper's formula.
    rules : tuples of (item, value) each.
    setting : what they were found with.
    shape : rows and items that were shown.
    cpu : seconds that finding them took.
    """

    bits: float
    rules: list[tuple]
    setting: dict
    shape: tuple[int, int]
    cpu: float


@dataclass(frozen=True)
class Outcome:
    """The best answers by group, the seconds that all took, and what is to be said about it."""

    best: dict[int, Answer]
    spent: float
    remark: str

    def rules(self, n_groups: int) -> list[list[tuple]]:
        return [self.best[k].rules if k in self.best else [] for k in range(n_groups)]

    @property
    def cpu(self) -> float:
        return sum(one.cpu for one in self.best.values())


def compete(peer, items, y, seconds):
    """Run a peer in a process of its own for so many seconds of processor time (times its patience)."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    seconds *= peer.patience
    process = context.Process(target=learn_all, args=(peer, items, y, queue, seconds), daemon=True)
    start = time.perf_counter()
    with warnings.catch_warnings():  # of threads in this process: those of numpy, which stay here
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    best, errors, n_answers, ended = {}, set(), 0, False
    while not ended:
        alive = process.is_alive()  # asked before looking, so that nothing it said is missed
        try:
            answer = queue.get(timeout=0.2)
        except Empty:
            if not alive or time.perf_counter() - start > MOST_TIMES * seconds:
                break
            continue
        if answer is None:
            ended = True
            continue
        setting, group, shape, rules, error, cpu = answer
        if error:
            errors.add(error)
            continue
        n_answers += 1
        bits, rules = best_description(items, y, group, rules, ranks=peer.ranks, lists=peer.lists)
        if group not in best or bits < best[group].bits:
            best[group] = Answer(bits, rules, setting, shape, cpu)
    spent = time.perf_counter() - start
    if process.is_alive():
        process.kill()
    process.join()
    n_groups = int(y.max())
    remark = "" if ended else f"stopped after {seconds:g} CPU s: {n_answers} of {len(peer.settings) * n_groups} fits; "
    if len(best) < n_groups:
        remark += f"nothing for {n_groups - len(best)} groups; "
    if errors:
        remark += f"failed at times: {min(errors)[:60]}; "
    return Outcome(best, spent, remark)


def learn_all(peer, items, y, queue, seconds):
    """Run a learner with all settings on all groups; each answer goes to the queue at once.

    The system ends this process when it has worked for so many seconds.
    """
    limit_cpu(seconds)
    warnings.simplefilter("ignore")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    for setting in peer.settings:
        own = {key: value for key, value in setting.items() if key != "items" and (key != "ratio" or peer.all_rows)}
        for group in range(int(y.max())):
            X, target, kept = shown(
                items, y == group + 1, ratio=setting["ratio"], n_items=setting.get("items"), all_rows=peer.all_rows
            )
            start = time.process_time()
            try:
                rules, error = peer.learn(X, target, **own), ""
            except Exception as problem:  # noqa: BLE001 - whatever a peer raises is its result
                rules, error = [], f"{type(problem).__name__}: {problem}"
            cpu = time.process_time() - start
            if peer.lists:
                rules = [(in_all_items(rule, kept), bool(predicts)) for rule, predicts in rules]
            else:
                rules = [in_all_items(rule, kept) for rule in rules]
            queue.put((setting, group, X.shape, rules, error, cpu))
    queue.put(None)


def in_all_items(rule, kept):
    """Say a rule in the places that its items have in the table."""
    return [(int(kept[item]), bool(value)) for item, value in rule]


def shown(items, y, *, ratio, n_items, all_rows):
    """Choose the rows and the items that a learner is shown; without a ratio all rows."""
    rows = np.arange(len(y))
    if not all_rows and ratio is not None:
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

"""Figures on held-out rows: rules found again on part of the rows, evaluated on the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._progress import Step, silent
from pyod_explain._validate import check_int, draw_seed
from pyod_explain.draws import deal_in_turn
from pyod_explain.exceptions import InfeasibleError
from pyod_explain.groups import Groups
from pyod_explain.input import by_content
from pyod_explain.result.context import FitContext
from pyod_explain.result.evidence import Holdout, Validation
from pyod_explain.result.group import Rule
from pyod_explain.tags import Tag

__all__ = [
    "MOST",
    "FoldRules",
    "Part",
    "curve_of",
    "deal_copies",
    "deal_folds",
    "find_again",
    "relatives",
    "some_copies",
    "validate",
]

RELATED = 0.5  # two rules are relatives if they share at least this part of the rows that either covers


def validate(
    context: FitContext, rules: Sequence[Rule], *, n_splits: int = 5, random_state: Any = 0, step: Step = silent
) -> Validation:
    """Find the rules again on part of the rows, judge them on the rest, and add up over the parts.

    Rows are dealt into `n_splits` folds, each group and the normals evenly. For each fold, tags are made and chosen
    anew on the other folds, with the groups as they are; what was found is then evaluated on the fold. So no row is
    ever judged by a rule that it helped to find. (The detector and the split into groups did see all rows.) Where
    reasons make the groups, all outliers are described as one again, and a rule is of the group that has most of them,
    unless it is one of `rules`: then it is of the same group.

    A rule of the explanation was found on all rows, so no row is left to judge it by. It is judged through its
    closest relative in each fold: the rule for the same group that shares most of the training rows that either
    covers, and at least half of them. `found` counts the folds that have one; figures are added up over these.

    Parameters
    ----------
    context : what the explanation was found from.
    rules : its rules.
    n_splits : number of folds.
    random_state : seed of the deal.
    step : told the progress.
    """
    n_splits = check_int("validate()", "n_splits", n_splits, low=2)
    numbers = context.groups.numbers
    order = by_content(context.table, np.arange(len(numbers)))
    folds = _Folds(numbers, order, n_splits, random_state, context.table.row_counts)
    n_groups = context.groups.n_groups
    whole, groups = _Tally(), [_Tally() for _ in range(n_groups)]
    each = [_Tally() for _ in rules]
    ours: list[list[int]] = [[] for _ in range(n_groups)]
    for i, rule in enumerate(rules):
        ours[rule.group - 1].append(i)
    folds_rules: list[FoldRules] = []
    for fold in range(n_splits):
        step("validation", fold / n_splits)
        train, test = folds.without(fold), folds.only(fold)
        outliers = train.rows[numbers[train.rows] > 0]
        weights = np.ones(len(train.rows), dtype=np.int64) if train.row_counts is None else train.row_counts
        in_turn = FoldRules(numbers[test.rows], test.row_counts, weights[numbers[train.rows] > 0])
        folds_rules.append(in_turn)
        any_cover, own_cover = np.zeros(len(numbers), dtype=bool), np.zeros(len(numbers), dtype=bool)
        for k, tags in enumerate(find_again(context, train, rules)):  # a group at a time: rules by rows may not fit
            covers = [tag.covers(context.table) for tag in tags]
            union = _any(covers, len(numbers))
            any_cover |= union
            # By reasons, all rules are one description: an outlier is told by whichever has it.
            mine = numbers > 0 if context.settings.by_reasons else numbers == k + 1
            own_cover |= union & mine
            for cover in covers:
                in_turn.add((cover & mine)[outliers], cover[test.rows], (cover & mine)[test.rows])
            groups[k].add(union, numbers, test, k + 1)
            matched = [rules[i].tag.covers(context.table) for i in ours[k]] if covers else []
            same = {(i, j) for i, one in enumerate(ours[k]) for j, tag in enumerate(tags) if tag == rules[one].tag}
            for i, j in relatives(matched, covers, train, same):
                each[ours[k][i]].add(covers[j], numbers, test, k + 1)
        whole.add_all(any_cover, own_cover, numbers, test)
    return Validation(
        n_splits=n_splits,
        whole=whole.holdout(),
        groups=tuple(tally.holdout() for tally in groups),
        rules=tuple(tally.holdout() for tally in each),
        curve=curve_of(folds_rules),
    )


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the rows.

    Attributes
    ----------
    rows : their positions in the table.
    row_counts : how many of the rows that each of these stands for; None where each is one.
    """

    rows: NDArray[np.intp]
    row_counts: NDArray[np.int64] | None = None

    def count(self, which: NDArray[np.bool_]) -> int:
        """Count the marked ones of these rows."""
        return int(which.sum() if self.row_counts is None else self.row_counts[which].sum())


class _Folds:
    """Which rows, or how many of the rows of each line, are in which fold."""

    def __init__(
        self,
        numbers: NDArray[np.int64],
        order: NDArray[np.intp],
        n_splits: int,
        random_state: Any,
        row_counts: NDArray[np.int64] | None,
    ) -> None:
        self.fold_of = deal_folds(numbers, order, n_splits, random_state) if row_counts is None else None
        self.shares = None if row_counts is None else deal_copies(numbers, order, n_splits, random_state, row_counts)
        self.row_counts = row_counts

    def only(self, fold: int) -> Part:
        """Give the rows of a fold."""
        if self.shares is None:
            return Part(np.flatnonzero(self.fold_of == fold))
        return some_copies(self.shares[fold])

    def without(self, fold: int) -> Part:
        """Give the rows of all other folds, and those of none: neither normal nor outliers."""
        if self.shares is None or self.row_counts is None:
            return Part(np.flatnonzero(self.fold_of != fold))
        return some_copies(self.row_counts - self.shares[fold])


def some_copies(row_counts: NDArray[np.int64]) -> Part:
    """Take so many of the rows of each line."""
    rows = np.flatnonzero(row_counts)
    return Part(rows, row_counts[rows])


class _Tally:
    """Counts of covered rows, added up over the folds."""

    def __init__(self) -> None:
        self.own = self.normals = self.others = self.size = self.found = 0

    def add(self, cover: NDArray[np.bool_], numbers: NDArray[np.int64], part: Part, group: int) -> None:
        """Count what a group's cover has among these rows."""
        there, hit = numbers[part.rows], cover[part.rows]
        self.own += part.count(hit & (there == group))
        self.normals += part.count(hit & (there == 0))
        self.others += part.count(hit & (there > 0) & (there != group))
        self.size += part.count(there == group)
        self.found += 1

    def add_all(
        self,
        hit: NDArray[np.bool_],
        own: NDArray[np.bool_],
        numbers: NDArray[np.int64],
        part: Part,
    ) -> None:
        """Count what all groups' covers have together: an outlier counts where its own group's cover has it."""
        there, hit, own = numbers[part.rows], hit[part.rows], own[part.rows]
        self.own += part.count(own)
        self.normals += part.count(hit & (there == 0))
        self.others += part.count(hit & (there > 0) & ~own)
        self.size += part.count(there > 0)
        self.found += 1

    def holdout(self) -> Holdout:
        return Holdout(self.own, self.normals, self.others, self.size, self.found)


def deal_folds(
    numbers: NDArray[np.int64], order: NDArray[np.intp], n_splits: int, random_state: Any
) -> NDArray[np.int64]:
    """Give each row a fold: the rows of every group and the normals are shuffled and dealt out in turn.

    The shuffle starts from `order`, that of the rows' content, so that the same rows share a fold wherever they stand.
    """
    random = np.random.default_rng(draw_seed("validate()", random_state))
    folds = np.full(len(numbers), -1, dtype=np.int64)
    first = 0
    for number in np.unique(numbers[numbers >= 0]):
        rows = random.permutation(order[numbers[order] == number])
        folds[rows] = (first + np.arange(len(rows))) % n_splits
        first += len(rows)  # small groups do not all start with the first fold
    return folds


def deal_copies(
    numbers: NDArray[np.int64],
    order: NDArray[np.intp],
    n_splits: int,
    random_state: Any,
    row_counts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Split rows as `deal_folds` deals repeated rows: how many of each row (column) each fold (row) gets."""
    random = np.random.default_rng(draw_seed("validate()", random_state))
    shares = np.zeros((n_splits, len(numbers)), dtype=np.int64)
    first = 0
    for number in np.unique(numbers[numbers >= 0]):
        rows = order[numbers[order] == number]
        shares[:, rows] = deal_in_turn(row_counts[rows], n_splits, first % n_splits, random)
        first += int(row_counts[rows].sum())
    return shares


def find_again(context: FitContext, part: Part, rules: Sequence[Rule] = ()) -> list[list[Tag]]:
    """Find the rules of each group on these rows only; a group that has no row there gets none.

    Parameters
    ----------
    context, part : what the explanation was found from, and the rows.
    rules : where reasons make the groups, one of these that is found as it is stays in its group.
    """
    numbers = context.groups.numbers[part.rows]
    if context.settings.by_reasons:
        return _reasons_again(context, part, numbers, {rule.tag: rule.group - 1 for rule in rules})
    present = [int(k) for k in np.unique(numbers[numbers > 0])]
    result: list[list[Tag]] = [[] for _ in range(context.groups.n_groups)]
    if not present or not (numbers == 0).any():
        return result
    renumbered = np.where(numbers > 0, np.searchsorted(present, numbers) + 1, numbers)
    groups = Groups(renumbered, tuple(context.groups.names[k - 1] for k in present), context.groups.how)
    try:
        found = context.search(part.rows, groups, part.row_counts)
    except InfeasibleError:  # on fewer rows the constraints may be out of reach: then nothing was found again
        return result
    for k, again in zip(present, found.rules, strict=True):
        result[k - 1] = again
    return result


def _reasons_again(
    context: FitContext, part: Part, numbers: NDArray[np.int64], homes: Mapping[Tag, int]
) -> list[list[Tag]]:
    """Describe all outliers of these rows as one again; a rule is of the group that has most of its outliers.

    One that has a home is of that group: it may have few outliers of its own there, or, kept by the user's word, none.
    """
    result: list[list[Tag]] = [[] for _ in range(context.groups.n_groups)]
    if not (numbers > 0).any() or not (numbers == 0).any():
        return result
    together = Groups(np.minimum(numbers, 1), ("1",), context.groups.how, made=True)
    try:
        found = context.search(part.rows, together, part.row_counts)
    except InfeasibleError:
        return result
    for tag in (tag for rules in found.rules for tag in rules):
        hit = tag.covers(found.table) & (numbers > 0)
        having = [part.count(hit & (numbers == k + 1)) for k in range(len(result))]
        result[homes.get(tag, int(np.argmax(having)))].append(tag)
    return result


def _any(covers: Sequence[NDArray[np.bool_]], n_rows: int) -> NDArray[np.bool_]:
    return np.logical_or.reduce(covers) if covers else np.zeros(n_rows, dtype=bool)


def relatives(
    matched: Sequence[NDArray[np.bool_]],
    covers: Sequence[NDArray[np.bool_]],
    part: Part,
    same: Collection[tuple[int, int]] = (),
) -> list[tuple[int, int]]:
    """Pair each rule of a group with the closest of those found again, the closest pairs first, each rule once.

    Parameters
    ----------
    matched, covers : the rows of each rule, and of each that was found again.
    part : the rows that these were found on.
    same : pairs of one rule: the closest there are, even if it has none of these rows (kept by the user's word).
    """
    pairs = []
    for i, whole in enumerate(matched):
        ours = whole[part.rows]
        for j, cover in enumerate(covers):
            theirs = cover[part.rows]
            either = part.count(ours | theirs)
            alike = part.count(ours & theirs) / either if either else 0.0
            alike = 1.0 if (i, j) in same else alike
            if alike >= RELATED:
                pairs.append((-alike, i, j))
    mine: set[int] = set()
    others: set[int] = set()
    result = []
    for _, i, j in sorted(pairs):
        if i not in mine and j not in others:
            mine.add(i)
            others.add(j)
            result.append((i, j))
    return result


MOST = 50  # rules beyond which nobody looks
Mask = NDArray[np.bool_]


class FoldRules:
    """The rules found without a fold, and what each covers of the rows that they were found on and of the fold.

    Parameters
    ----------
    numbers : of the fold's rows: 0 (normal), the group, or -1.
    row_counts : how many rows each of these stands for; None where each is one.
    weights : how many rows each outlier stands for that the rules were found on.
    """

    def __init__(
        self, numbers: NDArray[np.int64], row_counts: NDArray[np.int64] | None, weights: NDArray[np.int64]
    ) -> None:
        self.numbers = numbers
        self.row_counts = np.ones(len(numbers), dtype=np.int64) if row_counts is None else row_counts
        self.weights = weights
        self._rules: list[tuple[Mask, Mask, Mask]] = []

    def add(self, known: Mask, cover: Mask, own: Mask) -> None:
        """Add a rule: the outliers that it tells where it was found, what it covers of the fold, and tells there."""
        self._rules.append((known, cover, own))

    def counts(self) -> list[NDArray[np.int64]]:
        """Count what no rule, the first, the first two, ... cover of the fold: own outliers, normals and others.

        The first is the rule that tells most of the outliers that it was found on, the next the one that adds most.
        """
        cover, own = np.zeros(len(self.numbers), dtype=bool), np.zeros(len(self.numbers), dtype=bool)
        result = [self._count(cover, own)]
        told = np.zeros(len(self.weights), dtype=bool)
        left = list(range(len(self._rules)))
        while left and len(result) <= MOST:
            best = max(left, key=lambda i: (int(self.weights[self._rules[i][0] & ~told].sum()), -i))
            left.remove(best)
            known, more, mine = self._rules[best]
            told, cover, own = told | known, cover | more, own | mine
            result.append(self._count(cover, own))
        return result

    def _count(self, cover: Mask, own: Mask) -> NDArray[np.int64]:
        parts = (own, cover & (self.numbers == 0), cover & (self.numbers > 0) & ~own)
        return np.array([self.row_counts[part].sum() for part in parts], dtype=np.int64)

    @property
    def size(self) -> int:
        """Outliers of the fold."""
        return int(self.row_counts[self.numbers > 0].sum())


def curve_of(folds: Sequence[FoldRules]) -> tuple[Holdout, ...]:
    """Add up over the folds: the first figures are of one rule, the next of two, ...; a fold with fewer has all of its.

    Parameters
    ----------
    folds : the rules found without each of them.
    """
    counts = [fold.counts() for fold in folds]
    size = sum(fold.size for fold in folds)
    most = max((len(one) for one in counts), default=1)
    figures = (np.sum([one[min(n, len(one) - 1)] for one in counts], axis=0) for n in range(1, most))
    return tuple(Holdout(int(own), int(normals), int(others), size, len(folds)) for own, normals, others in figures)

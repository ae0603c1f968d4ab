"""The search again: on part of the rows, evaluated on the rest; and with random rows in place of the outliers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pyod_explain._arrays import BoolArray, IndexArray, IntArray
from pyod_explain._progress import Step, silent
from pyod_explain._validate import check_int, draw_seed
from pyod_explain.description_length import group_bits, named_bits, set_bits
from pyod_explain.exceptions import InfeasibleError, PyodExplainError
from pyod_explain.groups import Groups
from pyod_explain.input import by_content, partition_in_turn, random_partition
from pyod_explain.result.context import FitContext
from pyod_explain.result.group import Rule
from pyod_explain.result.summary import Holdout, Placebo, Validation
from pyod_explain.tags import Tag

MIN_SHARED_ROWS = 0.5  # of the rows that either of two rules covers, for the rules to be relatives


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the rows.

    Attributes
    ----------
    rows : their positions in the table.
    row_counts : how many of the rows that each of these stands for; None where each is one.
    """

    rows: IndexArray
    row_counts: IntArray | None = None

    def count(self, which: BoolArray) -> int:
        """Count the marked ones of these rows."""
        return int(which.sum() if self.row_counts is None else self.row_counts[which].sum())


def validate(
    context: FitContext, rules: Sequence[Rule], *, n_splits: int = 5, random_state: Any = 0, step: Step = silent
) -> Validation:
    """Find the rules again on part of the rows, evaluate them on the rest, and add up over the parts.

    Rows are dealt into `n_splits` folds, each group and the normals evenly. For each fold, tags are made and chosen
    anew on the other folds, with the groups as they are; the rules are then evaluated on the fold. So no row is
    evaluated by a rule that it helped to find. (The detector and the split into groups did see all rows.) With groups
    by reasons, all outliers are described as one again, and a rule is of the group that has most of them, unless it is
    one of `rules`: then it is of the same group. One that covers only outliers without a common reason is of theirs.

    A rule of the explanation was found on all rows. It is evaluated through its closest relative in each fold: the
    rule for the same group that shares most of the training rows that either covers, and at least half of them.
    `found` counts the folds that have one; figures are added up over these.

    Parameters
    ----------
    context : what the explanation was found from.
    rules : its rules.
    n_splits : number of folds.
    random_state : seed of the folds.
    step : called with the progress.
    """
    n_splits = check_int("validate()", "n_splits", n_splits, low=2)
    numbers, table = context.groups.numbers, context.table
    n_groups, by_reasons = context.groups.n_groups, context.settings.by_reasons
    whole, groups, each = np.zeros(5, np.int64), np.zeros((n_groups, 5), np.int64), np.zeros((len(rules), 5), np.int64)
    ours = [[i for i, rule in enumerate(rules) if rule.group == k + 1] for k in range(n_groups)]
    for fold, (train, test) in enumerate(_make_folds(context, n_splits, random_state)):
        step("validation", fold / n_splits)
        any_cover, own_cover = np.zeros(len(numbers), dtype=bool), np.zeros(len(numbers), dtype=bool)
        for k, tags in enumerate(find_again(context, train, rules)):  # a group at a time, to save memory
            covers = [tag.covers(table) for tag in tags]
            union = np.logical_or.reduce(covers) if covers else np.zeros(len(numbers), dtype=bool)
            any_cover |= union
            # By reasons, all rules are one description: any rule explains an outlier.
            own_cover |= union & (numbers > 0 if by_reasons else numbers == k + 1)
            groups[k] += _held_out(test, numbers, union, union & (numbers == k + 1), numbers == k + 1)
            matched = [rules[i].tag.covers(table) for i in ours[k]] if covers else []
            same = {(i, j) for i, one in enumerate(ours[k]) for j, tag in enumerate(tags) if tag == rules[one].tag}
            for i, j in relatives(matched, covers, train, same):
                own = covers[j] & (numbers == k + 1)
                each[ours[k][i]] += _held_out(test, numbers, covers[j], own, numbers == k + 1)
        whole += _held_out(test, numbers, any_cover, own_cover, numbers > 0)
    by_group, by_rule = (tuple(Holdout(*counts) for counts in found.tolist()) for found in (groups, each))
    return Validation(n_splits=n_splits, whole=Holdout(*whole.tolist()), groups=by_group, rules=by_rule)


DETAILS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)


@dataclass(frozen=True)
class DetailPoint:
    """What a level of detail gives.

    Attributes
    ----------
    detail : the level, as for `explain`.
    bits : what it takes to name the held-out outliers with the rules, as a share of what it takes without.
    conditions : how many there are to read, on average over the folds.
    """

    detail: float
    bits: float
    conditions: float


def detail_curve(
    context: FitContext,
    *,
    details: Sequence[float] = DETAILS,
    n_splits: int = 3,
    random_state: Any = 0,
    step: Step = silent,
) -> list[DetailPoint]:
    """Find the rules again at several levels of detail, and evaluate them on rows that they were not found on.

    Parameters
    ----------
    context : what the explanation was found from.
    details : the levels.
    n_splits, random_state : number of folds, and their seed.
    step : called with the progress.
    """
    n_splits = check_int("plot('detail')", "n_splits", n_splits, low=2)
    numbers, points = context.groups.numbers, []
    for i, detail in enumerate(details):
        step("detail", i / len(details))
        again = replace(context, settings=replace(context.settings, detail=detail))
        bits, named, conditions = 0.0, 0.0, 0
        for train, test in _make_folds(context, n_splits, random_state):
            tags = list(dict.fromkeys(tag for one in find_again(again, train) for tag in one))
            cover = np.zeros(len(numbers), dtype=bool)
            for tag in tags:
                cover |= tag.covers(context.table)
            found, _, _, size, _ = _held_out(test, numbers, cover, cover & (numbers > 0), numbers > 0).tolist()
            normals = test.count((cover & (numbers == 0))[test.rows])
            rows = {"foreign": 0, "size": size, "n_rows": test.count((numbers >= 0)[test.rows])}
            bits += float(group_bits(missed=size - found, normals=normals, **rows))
            named += float(group_bits(missed=size, normals=0, **rows))
            conditions += sum(map(len, tags))
        points.append(DetailPoint(detail, bits / named, conditions / n_splits))
    return points


def _held_out(part: Part, numbers: IntArray, cover: BoolArray, own: BoolArray, wanted: BoolArray) -> IntArray:
    """Count what rules cover of a part: own outliers, normals, other outliers; then the wanted outliers, and 1 fold."""
    masks = (own, cover & (numbers == 0), cover & (numbers > 0) & ~own, wanted)
    return np.array([*(part.count(mask[part.rows]) for mask in masks), 1], dtype=np.int64)


def _make_folds(context: FitContext, n_splits: int, random_state: Any) -> list[tuple[Part, Part]]:
    """Give for each fold the rows outside, with those that are neither normal nor outliers, and inside."""
    numbers, row_counts = context.groups.numbers, context.table.row_counts
    order = by_content(context.table, np.arange(len(numbers)))
    if row_counts is None:
        folds = deal_folds(numbers, order, n_splits, random_state)
        return [(Part(np.flatnonzero(folds != k)), Part(np.flatnonzero(folds == k))) for k in range(n_splits)]
    shares = _deal(numbers, order, n_splits, random_state, row_counts)
    return [(_some_rows(row_counts - share), _some_rows(share)) for share in shares]


def _some_rows(row_counts: IntArray) -> Part:
    rows = np.flatnonzero(row_counts)
    return Part(rows, row_counts[rows])


def deal_folds(numbers: IntArray, order: IndexArray, n_splits: int, random_state: Any) -> IntArray:
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


def _deal(numbers: IntArray, order: IndexArray, n_splits: int, random_state: Any, row_counts: IntArray) -> IntArray:
    """Split rows as `deal_folds` deals repeated rows: how many of each row (column) each fold (row) gets."""
    random = np.random.default_rng(draw_seed("validate()", random_state))
    shares = np.zeros((n_splits, len(numbers)), dtype=np.int64)
    first = 0
    for number in np.unique(numbers[numbers >= 0]):
        rows = order[numbers[order] == number]
        shares[:, rows] = partition_in_turn(row_counts[rows], n_splits, first % n_splits, random)
        first += int(row_counts[rows].sum())
    return shares


def find_again(context: FitContext, part: Part, rules: Sequence[Rule] = ()) -> list[list[Tag]]:
    """Find the rules of each group on these rows only; a group that has no row there gets none.

    Parameters
    ----------
    context, part : what the explanation was found from, and the rows.
    rules : with groups by reasons, one of these that is found again stays in its group.
    """
    numbers = context.groups.numbers[part.rows]
    result: list[list[Tag]] = [[] for _ in range(context.groups.n_groups)]
    if not (numbers > 0).any() or not (numbers == 0).any():
        return result
    if context.settings.by_reasons:
        homes = {rule.tag: rule.group - 1 for rule in rules}
        groups = Groups(np.minimum(numbers, 1), ("1",), context.groups.how, made=True)
    else:
        present = [int(k) for k in np.unique(numbers[numbers > 0])]
        renumbered = np.where(numbers > 0, np.searchsorted(present, numbers) + 1, numbers)
        groups = Groups(renumbered, tuple(context.groups.names[k - 1] for k in present), context.groups.how)
    try:
        found = context.search(part.rows, groups, part.row_counts)
    except InfeasibleError:  # on fewer rows the constraints may be out of reach: then nothing was found again
        return result
    if not context.settings.by_reasons:
        for k, again in zip(present, found.rules, strict=True):
            result[k - 1] = again
        return result
    for tag in (tag for again in found.rules for tag in again):
        cover = tag.covers(found.table)
        sizes = [part.count(cover & (numbers == k + 1)) for k in range(len(result))]
        if context.groups.rest and any(sizes[:-1]):
            sizes[-1] = 0  # that group has no rules of its own
        result[homes.get(tag, int(np.argmax(sizes)))].append(tag)  # its group, or that of most of its outliers
    return result


def relatives(
    matched: Sequence[BoolArray], covers: Sequence[BoolArray], part: Part, same: Collection[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """Pair each rule of a group with the closest of those found again, the closest pairs first, each rule once.

    Parameters
    ----------
    matched, covers : the rows of each rule, and of each that was found again.
    part : the rows that these were found on.
    same : pairs of one rule: the closest there are, even if it has none of these rows.
    """
    pairs = []
    for i, whole in enumerate(matched):
        for j, cover in enumerate(covers):
            one, other = whole[part.rows], cover[part.rows]
            either = part.count(one | other)
            shared = part.count(one & other) / either if either else 0.0
            shared = 1.0 if (i, j) in same else shared
            if shared >= MIN_SHARED_ROWS:
                pairs.append((-shared, i, j))
    result: list[tuple[int, int]] = []
    for _, i, j in sorted(pairs):
        if all(i != one and j != other for one, other in result):
            result.append((i, j))
    return result


# --- random rows --------------------------------------------------------------------------------------------------


def placebo(
    context: FitContext, share_saved: float, *, n_draws: int = 5, random_state: Any = 0, step: Step = silent
) -> Placebo:
    """Repeat the whole search with random normals in place of the outliers, and measure what it seems to save.

    The true outliers are left out. As many normals as there are outliers are drawn at random, split as the outliers
    were (given groups, which nothing tells how to give to others, are replaced by k-means into as many), and
    described. What that shares, chance and the grouping gain by themselves.

    Parameters
    ----------
    context : what the explanation was found from.
    share_saved : share of the bits that the explanation saves.
    n_draws : number of times to draw.
    random_state : seed of the draws.
    step : called with the progress.
    """
    n_draws = check_int("placebo_test()", "n_draws", n_draws, low=1)
    n_normals, wanted = context.outliers.n_normals(context.table), context.outliers.n_outliers(context.table)
    if n_normals < 2 * wanted:
        got = f"{n_normals:,} normal rows and {wanted:,} outliers"
        problem = f"`placebo_test()` needs at least twice as many normal rows as outliers, got {got}."
        raise PyodExplainError(problem, hint="mark fewer rows as outliers, or lower the detector's contamination.")
    rows = by_content(context.table, np.flatnonzero(context.outliers.labels == 0))
    random = np.random.default_rng(draw_seed("placebo_test()", random_state))
    draws = []
    for draw in range(n_draws):
        step("placebo", draw / n_draws)
        draws.append(_draw(context, rows, (n_normals - wanted, wanted), random))
    return Placebo(tuple(share for share, _ in draws), share_saved, draws[-1][1])


def _draw(context: FitContext, rows: IndexArray, sizes: tuple[int, int], rng: np.random.Generator) -> tuple[float, str]:
    """Draw so many normals and outliers from these rows; give the share of the bits saved, and the grouping."""
    row_counts = None
    if context.table.row_counts is None:
        labels = rng.permutation(np.repeat([0, 1], sizes))
    else:  # a row may be there as both
        hands = random_partition(context.table.row_counts[rows], np.asarray(sizes), rng)
        place, labels = np.nonzero(hands.T)
        rows, row_counts = rows[place], hands[labels, place]
    table = replace(context.table.take(rows), row_counts=row_counts)
    groups = context.split(table, replace(context.outliers, labels=labels, numbers=None))
    try:
        found = context.search(rows, groups, row_counts)
    except InfeasibleError:  # nothing met the constraints, so nothing is saved
        return 0.0, groups.how
    return 1 - set_bits(found.coverage, found.selection.tags) / named_bits(found.coverage), groups.how

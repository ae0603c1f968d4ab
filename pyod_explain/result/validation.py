"""Honest checks: do the rules hold on rows not used to find them, and would random rows have done as well?

Both repeat the search, so they need what the search needed, a `Context`: the table, the groups and the finder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pyod_explain._validate import check_int, draw_seed
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import named_bits, set_bits
from pyod_explain.exceptions import InfeasibleError, PyodExplainError
from pyod_explain.explainers import Selection
from pyod_explain.groups import Groups, split_outliers
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.row_order import by_content
from pyod_explain.input.table import Table
from pyod_explain.result.summary import Holdout, Placebo, Rule, Validation
from pyod_explain.tags import Language, Tag, TagSet

__all__ = ["Context", "Finder", "look_at_chance", "placebo", "validate"]

LOOKS = 19  # draws of random rows, at most: what beats them all is given by chance once in 20 times
RELATED = 0.5  # two rules are relatives if they share at least this part of the rows that either covers
Step = Callable[[str, float], None]  # told what is being done, and how much of it is done


class Finder(Protocol):
    """Repeats the search: splits outliers into groups, and finds the rules of given groups.

    Attributes
    ----------
    columns : names of the columns that the outliers were explained with.
    given : those of them that are the user's own tags, which `X` lacks.
    """

    columns: tuple[str, ...]
    given: tuple[str, ...]

    def split(self, table: Table, outliers: Outliers, n_groups: int) -> Groups:
        """Split the outliers into groups the way the user asked for, into `n_groups` if the groups were given."""
        ...

    def find(
        self, table: Table, groups: Groups, tags: Sequence[Tag] | None, weights: NDArray[np.float64] | None
    ) -> tuple[TagSet, Coverage, Selection]:
        """Make tags (or take the given ones) and choose those that describe the groups."""
        ...


@dataclass(frozen=True, eq=False)
class Context:
    """What an explanation was found from, kept to ask more of it later.

    Attributes
    ----------
    table : the features, all rows.
    outliers, groups : which rows are outliers, and how they were split.
    tags : what there was to choose from.
    finder : repeats the search.
    weights : how much each row counts; None if all count the same.
    """

    table: Table
    outliers: Outliers
    groups: Groups
    tags: TagSet
    finder: Finder
    weights: NDArray[np.float64] | None = None

    @property
    def own_tags(self) -> Sequence[Tag] | None:
        """The tags to use again on other rows, or None if they are to be made anew.

        Tags that came with columns of their own are the user's, given row by row: nothing makes them for other rows,
        and nothing has to, since their columns are part of the table now.
        """
        return self.tags.tags if self.tags.columns else None

    @property
    def portable(self) -> bool:
        """True if the search can be repeated with nothing but the user's table."""
        return not self.tags.columns and self.weights is None

    def find(self, rows: NDArray[np.intp], groups: Groups) -> tuple[TagSet, Coverage, Selection]:
        """Find the rules of these groups on these rows only."""
        weights = None if self.weights is None else self.weights[rows]
        return self.finder.find(self.table.take(rows), groups, self.own_tags, weights)


def silent(_stage: str, _done: float) -> None:
    """Report progress to nobody."""


# --- held-out rows ----------------------------------------------------------------------------------------------------


def validate(
    context: Context, rules: Sequence[Rule], *, n_splits: int = 5, random_state: Any = 0, step: Step = silent
) -> Validation:
    """Find the rules again on part of the rows, judge them on the rest, and add up over the parts.

    Rows are dealt into `n_splits` folds, each group and the normals evenly. For each fold, tags are made and chosen
    anew on the other folds, with the groups as they are; what was found is then evaluated on the fold. So no row is
    ever judged by a rule that it helped to find. (The detector and the split into groups did see all rows.)

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
    order = by_content(context.table, np.arange(len(numbers)), context.weights)
    folds = _deal(numbers, order, n_splits, random_state)
    n_groups = context.groups.n_groups
    whole, groups = _Tally(), [_Tally() for _ in range(n_groups)]
    each = [_Tally() for _ in rules]
    ours: list[list[int]] = [[] for _ in range(n_groups)]
    for i, rule in enumerate(rules):
        ours[rule.group - 1].append(i)
    for fold in range(n_splits):
        step("validation", fold / n_splits)
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        any_cover, own_cover = np.zeros(len(numbers), dtype=bool), np.zeros(len(numbers), dtype=bool)
        for k, tags in enumerate(_find_again(context, train)):  # a group at a time: rules by rows may not fit
            covers = [tag.covers(context.table) for tag in tags]
            union = _any(covers, len(numbers))
            any_cover |= union
            own_cover |= union & (numbers == k + 1)
            groups[k].add(union, numbers, test, k + 1)
            matched = [rules[i].tag.covers(context.table) for i in ours[k]] if covers else []
            for i, j in _relatives(matched, covers, train):
                each[ours[k][i]].add(covers[j], numbers, test, k + 1)
        whole.add_all(any_cover, own_cover, numbers, test)
    return Validation(
        n_splits=n_splits,
        whole=whole.holdout(),
        groups=tuple(tally.holdout() for tally in groups),
        rules=tuple(tally.holdout() for tally in each),
    )


class _Tally:
    """Counts of covered rows, added up over the folds."""

    def __init__(self) -> None:
        self.own = self.normals = self.others = self.size = self.found = 0

    def add(self, cover: NDArray[np.bool_], numbers: NDArray[np.int64], rows: NDArray[np.intp], group: int) -> None:
        """Count what a group's cover has among these rows."""
        there, hit = numbers[rows], cover[rows]
        self.own += int((hit & (there == group)).sum())
        self.normals += int((hit & (there == 0)).sum())
        self.others += int((hit & (there > 0) & (there != group)).sum())
        self.size += int((there == group).sum())
        self.found += 1

    def add_all(
        self,
        hit: NDArray[np.bool_],
        own: NDArray[np.bool_],
        numbers: NDArray[np.int64],
        rows: NDArray[np.intp],
    ) -> None:
        """Count what all groups' covers have together: an outlier counts where its own group's cover has it."""
        there, hit, own = numbers[rows], hit[rows], own[rows]
        self.own += int(own.sum())
        self.normals += int((hit & (there == 0)).sum())
        self.others += int((hit & (there > 0) & ~own).sum())
        self.size += int((there > 0).sum())
        self.found += 1

    def holdout(self) -> Holdout:
        return Holdout(self.own, self.normals, self.others, self.size, self.found)


def _deal(numbers: NDArray[np.int64], order: NDArray[np.intp], n_splits: int, random_state: Any) -> NDArray[np.int64]:
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


def _find_again(context: Context, rows: NDArray[np.intp]) -> list[list[Tag]]:
    """Find the rules of each group on these rows only; a group that has no row there gets none."""
    numbers = context.groups.numbers[rows]
    present = [int(k) for k in np.unique(numbers[numbers > 0])]
    result: list[list[Tag]] = [[] for _ in range(context.groups.n_groups)]
    if not present or not (numbers == 0).any():
        return result
    renumbered = np.where(numbers > 0, np.searchsorted(present, numbers) + 1, numbers)
    groups = Groups(renumbered, tuple(context.groups.names[k - 1] for k in present), context.groups.how)
    try:
        tags, _, selection = context.find(rows, groups)
    except InfeasibleError:  # on fewer rows the constraints may be out of reach: then nothing was found again
        return result
    for k, chosen in zip(present, selection.tags, strict=True):
        result[k - 1] = [tags.tags[j] for j in chosen]
    return result


def _any(covers: Sequence[NDArray[np.bool_]], n_rows: int) -> NDArray[np.bool_]:
    return np.logical_or.reduce(covers) if covers else np.zeros(n_rows, dtype=bool)


def _relatives(
    matched: Sequence[NDArray[np.bool_]], covers: Sequence[NDArray[np.bool_]], rows: NDArray[np.intp]
) -> list[tuple[int, int]]:
    """Pair each rule of a group with the closest of those found again, the closest pairs first, each rule once."""
    pairs = []
    for i, whole in enumerate(matched):
        ours = whole[rows]
        for j, cover in enumerate(covers):
            theirs = cover[rows]
            either = int((ours | theirs).sum())
            alike = int((ours & theirs).sum()) / either if either else 0.0
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


# --- placebo ----------------------------------------------------------------------------------------------------------


def placebo(context: Context, real: float, *, n_draws: int = 5, random_state: Any = 0, step: Step = silent) -> Placebo:
    """Repeat the whole search with random normals in place of the outliers, and tell what it seems to gain.

    The true outliers are left out. As many normals as there are outliers are drawn at random, split as the outliers
    were (given groups, which nothing tells how to give to others, are replaced by k-means into as many), and
    described. What that gains, chance and the grouping gain by themselves.

    Parameters
    ----------
    context : what the explanation was found from.
    real : gain of the explanation.
    n_draws : number of times to draw.
    random_state : seed of the draws.
    step : told the progress.
    """
    n_draws = check_int("explain()", "n_draws", n_draws, low=1)
    normal = np.flatnonzero(context.outliers.labels == 0)
    wanted = context.outliers.n_outliers
    if len(normal) < 2 * wanted:
        raise PyodExplainError(
            f"`control='placebo'` needs at least twice as many normal rows as outliers, got {len(normal):,} normal "
            f"rows and {wanted:,} outliers.\nHint: leave it out, or lower the detector's contamination."
        )
    normal = by_content(context.table, normal, context.weights)
    table = context.table.take(normal)
    random = np.random.default_rng(draw_seed("control()", random_state))
    gains, grouping = [], ""
    for draw in range(n_draws):
        step("placebo", draw / n_draws)
        labels = np.zeros(len(normal), dtype=np.int64)
        labels[random.choice(len(normal), size=wanted, replace=False)] = 1
        groups = context.finder.split(
            table, replace(context.outliers, labels=labels, numbers=None), context.groups.n_groups
        )
        grouping = groups.how
        gains.append(_gain(context, normal, groups))
    return Placebo(tuple(gains), real, grouping)


def look_at_chance(context: Context, real: float, *, random_state: int, step: Step = silent) -> Placebo:
    """Tell what as many random rows gain, in a few draws that end with the first that gains as much.

    Unlike the placebo it draws from all rows, so it needs no more of them than there are, and splits them into as
    many groups without choosing their number, so that it is quick. Given groups are dealt out anew to random rows.

    Parameters
    ----------
    context : what the explanation was found from.
    real : gain of the explanation.
    random_state : seed of the draws.
    step : told the progress.
    """
    rows = by_content(context.table, np.flatnonzero(context.outliers.labels >= 0), context.weights)
    table = context.table.take(rows)
    dealt = np.sort(context.groups.numbers[rows])  # sorted: equal rows of two groups may come in either order
    random = np.random.default_rng(random_state)
    gains: list[float] = []
    grouping = ""
    while len(gains) < LOOKS and max(gains, default=-np.inf) < real:
        step("chance", len(gains) / LOOKS)
        groups = _draw(context.groups, context.outliers, table, dealt, random, random_state)
        grouping = groups.how
        gains.append(_gain(context, rows, groups))
    return Placebo(tuple(gains), real, grouping)


def _draw(
    groups: Groups,
    outliers: Outliers,
    table: Table,
    dealt: NDArray[np.int64],
    random: np.random.Generator,
    random_state: int,
) -> Groups:
    """Deal the numbers out to random rows; groups that were made by looking at the columns are made anew."""
    numbers = random.permutation(dealt)
    if not groups.made:
        return replace(groups, numbers=numbers)
    drawn = replace(outliers, labels=(numbers > 0).astype(np.int64), numbers=None)
    return split_outliers(groups.n_groups, drawn, table, random_state=random_state)


def _gain(context: Context, rows: NDArray[np.intp], groups: Groups) -> float:
    try:
        tags, coverage, selection = context.find(rows, groups)
    except InfeasibleError:  # nothing met the constraints, so nothing was gained
        return 0.0
    language = Language(tags.extend(context.table.take(rows)))
    return 1 - set_bits(coverage, selection.tags, tags.tags, language) / named_bits(coverage)

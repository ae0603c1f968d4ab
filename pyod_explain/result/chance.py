"""Would random rows have done as well? The search again, with other rows in place of the outliers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._progress import Step, silent
from pyod_explain._validate import check_int, draw_seed
from pyod_explain.description_length import named_bits, set_bits
from pyod_explain.exceptions import InfeasibleError, PyodExplainError
from pyod_explain.groups import Groups, split_outliers
from pyod_explain.input import Outliers, Table, by_content, draw_rows, random_partition
from pyod_explain.result.context import FitContext
from pyod_explain.result.evidence import Placebo
from pyod_explain.tags import Language

MAX_CHANCE_DRAWS = 19  # draws of random rows, at most: what beats them all is given by chance once in 20 times


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
        raise PyodExplainError(
            f"`placebo_test()` needs at least twice as many normal rows as outliers, got {n_normals:,} normal rows and "
            f"{wanted:,} outliers.",
            hint="lower the detector's contamination.",
        )
    normal = by_content(context.table, np.flatnonzero(context.outliers.labels == 0))
    table = context.table.take(normal)
    random = np.random.default_rng(draw_seed("placebo_test()", random_state))
    shares, grouping = [], ""
    for draw in range(n_draws):
        step("placebo", draw / n_draws)
        if table.row_counts is None:
            labels = np.zeros(len(normal), dtype=np.int64)
            labels[random.choice(len(normal), size=wanted, replace=False)] = 1
            drawn = _Dealt(normal, labels, None)
        else:
            taken = draw_rows(table.row_counts, wanted, random)
            drawn = _Dealt.of(normal, np.stack([table.row_counts - taken, taken]))
        groups = context.split(drawn.table(context), drawn.outliers(context))
        grouping = groups.how
        shares.append(_share_saved(context, drawn, groups))
    return Placebo(tuple(shares), share_saved, grouping)


def look_at_chance(context: FitContext, share_saved: float, *, random_state: int, step: Step = silent) -> Placebo:
    """Tell what as many random rows gain, in a few draws that end with the first that shares as much.

    Unlike the placebo it draws from all rows, so it needs no more of them than there are, and splits them into as
    many groups without choosing their number, so that it is quick. Given groups are dealt out anew to random rows.

    Parameters
    ----------
    context : what the explanation was found from.
    share_saved : share of the bits that the explanation saves.
    random_state : seed of the draws.
    step : called with the progress.
    """
    rows = by_content(context.table, np.flatnonzero(context.outliers.labels >= 0))
    table = context.table.take(rows)
    dealt = np.sort(context.groups.numbers[rows])  # sorted: equal rows of two groups may come in either order
    sizes = context.groups.count(context.table.row_counts)
    random = np.random.default_rng(random_state)
    shares: list[float] = []
    grouping = ""
    while len(shares) < MAX_CHANCE_DRAWS and max(shares, default=-np.inf) < share_saved:
        step("chance", len(shares) / MAX_CHANCE_DRAWS)
        if table.row_counts is None:
            drawn = _Dealt(rows, random.permutation(dealt), None)
        else:
            drawn = _Dealt.of(rows, random_partition(table.row_counts, sizes, random))
        groups = _regroup(context, drawn, random_state)
        grouping = groups.how
        shares.append(_share_saved(context, drawn, groups))
    return Placebo(tuple(shares), share_saved, grouping)


@dataclass(frozen=True, eq=False)
class _Dealt:
    """Group numbers dealt out to rows.

    Attributes
    ----------
    rows : positions in the table; of one that was aggregated a row may be there once for each number.
    numbers : what each got, 0 for normal.
    row_counts : how many of the rows that it stands for got it; None where each is one.
    """

    rows: NDArray[np.intp]
    numbers: NDArray[np.int64]
    row_counts: NDArray[np.int64] | None

    @classmethod
    def of(cls, rows: NDArray[np.intp], hands: NDArray[np.int64]) -> _Dealt:
        """Take how many of the rows of each line (column) got each number (row)."""
        place, number = np.nonzero(hands.T)
        return cls(rows[place], number, hands[number, place])

    def table(self, context: FitContext) -> Table:
        return replace(context.table.take(self.rows), row_counts=self.row_counts)

    def outliers(self, context: FitContext) -> Outliers:
        labels = (self.numbers > 0).astype(np.int64)
        return replace(context.outliers, labels=labels, numbers=None)


def _regroup(context: FitContext, drawn: _Dealt, random_state: int) -> Groups:
    """Keep the numbers that were dealt out; groups that were made by looking at the columns are made anew."""
    if not context.groups.made:
        return replace(context.groups, numbers=drawn.numbers)
    n_groups = 1 if context.settings.by_reasons else context.groups.n_groups  # their rules will split them
    return split_outliers(n_groups, drawn.outliers(context), drawn.table(context), random_state=random_state)


def _share_saved(context: FitContext, drawn: _Dealt, groups: Groups) -> float:
    try:
        found = context.search(drawn.rows, groups, drawn.row_counts)
    except InfeasibleError:  # nothing met the constraints, so nothing is saved
        return 0.0
    bits = set_bits(found.coverage, found.selection.tags, found.tags.tags, Language(found.table))
    return 1 - bits / named_bits(found.coverage)

"""Would random rows have done as well? The search again, with other rows in place of the outliers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._progress import Step, silent
from pyod_explain._validate import check_int, draw_seed
from pyod_explain.description_length import named_bits, set_bits
from pyod_explain.exceptions import InfeasibleError, PyodExplainError
from pyod_explain.groups import Groups, split_outliers
from pyod_explain.input.outliers import Outliers
from pyod_explain.input.row_order import by_content
from pyod_explain.input.table import Table
from pyod_explain.result.basis import Basis
from pyod_explain.result.checked import Placebo
from pyod_explain.tags import Language

__all__ = ["check_placebo", "look_at_chance", "placebo"]

LOOKS = 19  # draws of random rows, at most: what beats them all is given by chance once in 20 times


def placebo(basis: Basis, real: float, *, n_draws: int = 5, random_state: Any = 0, step: Step = silent) -> Placebo:
    """Repeat the whole search with random normals in place of the outliers, and tell what it seems to gain.

    The true outliers are left out. As many normals as there are outliers are drawn at random, split as the outliers
    were (given groups, which nothing tells how to give to others, are replaced by k-means into as many), and
    described. What that gains, chance and the grouping gain by themselves.

    Parameters
    ----------
    basis : what the explanation was found from.
    real : gain of the explanation.
    n_draws : number of times to draw.
    random_state : seed of the draws.
    step : told the progress.
    """
    n_draws = check_int("control()", "n_draws", n_draws, low=1)
    check_placebo(basis.outliers)
    wanted = basis.outliers.n_outliers
    normal = by_content(basis.table, np.flatnonzero(basis.outliers.labels == 0), basis.weights)
    table = basis.table.take(normal)
    random = np.random.default_rng(draw_seed("control()", random_state))
    gains, grouping = [], ""
    for draw in range(n_draws):
        step("placebo", draw / n_draws)
        labels = np.zeros(len(normal), dtype=np.int64)
        labels[random.choice(len(normal), size=wanted, replace=False)] = 1
        groups = basis.split(table, replace(basis.outliers, labels=labels, numbers=None))
        grouping = groups.how
        gains.append(_gain(basis, normal, groups))
    return Placebo(tuple(gains), real, grouping)


def check_placebo(outliers: Outliers) -> None:
    """Refuse a placebo where too few normals are left to tell drawn ones from."""
    if outliers.n_normals < 2 * outliers.n_outliers:
        raise PyodExplainError(
            f"`control='placebo'` needs at least twice as many normal rows as outliers, got {outliers.n_normals:,} "
            f"normal rows and {outliers.n_outliers:,} outliers.\n"
            "Hint: leave it out, or lower the detector's contamination."
        )


def look_at_chance(basis: Basis, real: float, *, random_state: int, step: Step = silent) -> Placebo:
    """Tell what as many random rows gain, in a few draws that end with the first that gains as much.

    Unlike the placebo it draws from all rows, so it needs no more of them than there are, and splits them into as
    many groups without choosing their number, so that it is quick. Given groups are dealt out anew to random rows.

    Parameters
    ----------
    basis : what the explanation was found from.
    real : gain of the explanation.
    random_state : seed of the draws.
    step : told the progress.
    """
    rows = by_content(basis.table, np.flatnonzero(basis.outliers.labels >= 0), basis.weights)
    table = basis.table.take(rows)
    dealt = np.sort(basis.groups.numbers[rows])  # sorted: equal rows of two groups may come in either order
    random = np.random.default_rng(random_state)
    gains: list[float] = []
    grouping = ""
    while len(gains) < LOOKS and max(gains, default=-np.inf) < real:
        step("chance", len(gains) / LOOKS)
        groups = _draw(basis, table, dealt, random, random_state)
        grouping = groups.how
        gains.append(_gain(basis, rows, groups))
    return Placebo(tuple(gains), real, grouping)


def _draw(
    basis: Basis, table: Table, dealt: NDArray[np.int64], random: np.random.Generator, random_state: int
) -> Groups:
    """Deal the numbers out to random rows; groups that were made by looking at the columns are made anew."""
    numbers = random.permutation(dealt)
    if not basis.groups.made:
        return replace(basis.groups, numbers=numbers)
    drawn = replace(basis.outliers, labels=(numbers > 0).astype(np.int64), numbers=None)
    n_groups = 1 if basis.recipe.search.by_reasons else basis.groups.n_groups  # their rules will split them
    return split_outliers(n_groups, drawn, table, random_state=random_state)


def _gain(basis: Basis, rows: NDArray[np.intp], groups: Groups) -> float:
    try:
        found = basis.find(rows, groups)
    except InfeasibleError:  # nothing met the constraints, so nothing was gained
        return 0.0
    bits = set_bits(found.coverage, found.selection.tags, found.tags.tags, Language(found.table))
    return 1 - bits / named_bits(found.coverage)

"""`make_planted`: a mixed-type table whose outlier groups have reasons that are known, because they were planted.

Every column is drawn on its own. A row of group k gets cells that satisfy reason k; wherever a row satisfies the
reason of another group by chance, the cells of that reason are drawn again. So each condition of a reason is
common among the normal rows, and only the conjunction gives the group away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._validate import check_int, check_number
from pyod_explain.datasets.reasons import choose_reasons
from pyod_explain.datasets.sources import Source, make_sources
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Column
from pyod_explain.tags import Condition, Tag

__all__ = ["Planted", "make_planted"]

_OWNER = "make_planted"


@dataclass(frozen=True, eq=False, repr=False)
class Planted:
    """A table with planted outlier groups and the reason of each.

    Attributes
    ----------
    X : the features: floats and strings (with missing cells), integers and booleans (without).
    y : labels to hand to an explainer: 0 for normal rows, 1..K for the groups; noisy if noise was asked for.
    y_true : the labels before noise: row i has `reasons[k - 1]` exactly where `y_true[i] == k`.
    reasons : the true reason of each group, as a tag.

    Examples
    --------
    >>> from pyod_explain.datasets import make_planted
    >>> planted = make_planted(random_state=0)
    >>> planted
    Planted(2,000 rows x 10 columns, groups of 50, 50)
    >>> bool((planted.reasons[0].covers(planted.X) == (planted.y_true == 1)).all())
    True
    """

    X: pd.DataFrame
    y: NDArray[np.int64]
    y_true: NDArray[np.int64]
    reasons: tuple[Tag, ...]

    def __repr__(self) -> str:
        sizes = ", ".join(f"{size:,}" for size in np.bincount(self.y_true)[1:])
        return f"Planted({self.X.shape[0]:,} rows x {self.X.shape[1]} columns, groups of {sizes})"


def make_planted(
    n_rows: int = 2000,
    n_groups: int = 2,
    n_outliers: int | Sequence[int] | None = None,
    *,
    n_numeric: int = 6,
    n_categorical: int = 4,
    reason_length: int = 2,
    missing: float = 0.05,
    noise: float = 0.0,
    random_state: int = 0,
) -> Planted:
    """Make a table in which each group of outliers has one true reason, and no other row has it.

    Parameters
    ----------
    n_rows : rows of the table, outliers included.
    n_groups : number of groups of outliers.
    n_outliers : outliers in all groups together, shared out evenly (the first groups get one more where it does
        not divide); or a list with one number per group. None is 5 percent of the rows.
    n_numeric : columns of numbers; floats and integers take turns.
    n_categorical : columns of strings; every third is boolean.
    reason_length : conditions in each reason, 1 to 3, each on another column. No two reasons share a condition.
    missing : share of missing cells in each column of floats or strings; those of integers and booleans are
        complete. Above 0, "is missing" is a possible condition of a reason.
    noise : share of each group's labels in `y` that is wrong: that many of its outliers (rounded to the nearest
        whole number) are labelled 0, and as many normal rows, which satisfy no reason, get the group's label
        instead. Group sizes stay the same; `X`, `y_true` and `reasons` do not change with the noise.
    random_state : seed; the same arguments give the same table.

    Examples
    --------
    >>> data = make_planted(random_state=4)
    >>> data
    Planted(2,000 rows x 10 columns, groups of 50, 50)
    >>> print(data.reasons[0])
    age >= 70 and channel is 'shop'

    The reason covers its group and nothing else, though half of it is nothing special:

    >>> bool((data.reasons[0].covers(data.X) == (data.y == 1)).all())
    True
    >>> int((data.X["age"] >= 70).sum()), int((data.X["channel"] == "shop").sum())
    (273, 461)
    """
    n_rows = check_int(_OWNER, "n_rows", n_rows, low=2)
    n_groups = check_int(_OWNER, "n_groups", n_groups, low=1)
    sizes = _group_sizes(n_rows, n_groups, n_outliers)
    n_numeric = check_int(_OWNER, "n_numeric", n_numeric, low=0)
    n_categorical = check_int(_OWNER, "n_categorical", n_categorical, low=0)
    reason_length = check_int(_OWNER, "reason_length", reason_length, low=1, high=3)
    missing = check_number(_OWNER, "missing", missing, low=0, high=0.5)
    noise = check_number(_OWNER, "noise", noise, low=0, high=1, open_high=True)
    rng = np.random.default_rng(check_int(_OWNER, "random_state", random_state, low=0))

    sources = make_sources(n_numeric, n_categorical, missing)
    reasons = choose_reasons(sources, n_groups, reason_length, rng)
    y_true = rng.permutation(np.repeat(np.arange(n_groups + 1), [n_rows - sum(sizes), *sizes]))
    columns = _plant(sources, reasons, y_true, rng)
    return Planted(_as_frame(columns), _with_noise(y_true, noise, rng), y_true, tuple(Tag.of(*r) for r in reasons))


def _group_sizes(n_rows: int, n_groups: int, n_outliers: int | Sequence[int] | None) -> list[int]:
    if isinstance(n_outliers, Sequence | np.ndarray) and not isinstance(n_outliers, str | bytes):
        if len(n_outliers) != n_groups:
            raise PyodExplainError(
                f"`n_outliers` of {_OWNER} must be one number or a list with one per group, "
                f"got {len(n_outliers)} for {n_groups} group{'s' if n_groups != 1 else ''}."
            )
        sizes = [check_int(_OWNER, "n_outliers", size, low=1) for size in n_outliers]
    else:
        total = max(n_groups, n_rows // 20) if n_outliers is None else n_outliers
        total = check_int(_OWNER, "n_outliers", total, low=n_groups)
        sizes = [total // n_groups + (group < total % n_groups) for group in range(n_groups)]
    if sum(sizes) >= n_rows:
        raise PyodExplainError(
            f"`n_outliers` of {_OWNER} must leave normal rows, got {sum(sizes):,} outliers in {n_rows:,} rows.\n"
            "Hint: raise `n_rows`, or lower `n_outliers` or `n_groups`."
        )
    return sizes


def _plant(
    sources: list[Source], reasons: list[list[Condition]], groups: NDArray[np.int64], rng: np.random.Generator
) -> dict[str, Column]:
    """Draw the cells, then again those of every reason that holds where it should not, until none does.

    Drawing again only what is violated ends fast (it is the algorithm of Moser and Tardos for the local lemma) and
    touches no other column.
    """
    columns = {source.name: source.cells(len(groups), rng) for source in sources}
    by_name = {source.name: source for source in sources}
    for group, reason in enumerate(reasons, start=1):
        rows = np.flatnonzero(groups == group)
        for condition in reason:
            [name] = condition.columns
            _put(columns[name], rows, by_name[name].cells_where(condition, len(rows), rng))
    suspects = np.arange(len(groups))
    while len(suspects):
        changed = []
        for group, reason in enumerate(reasons, start=1):
            rows = suspects[groups[suspects] != group]
            for condition in reason:
                [name] = condition.columns
                rows = rows[condition.holds(columns[name].take(rows))]
            # A row of another group never shares a column with a reason that it satisfies: conditions on one
            # column exclude each other. So all cells of the reason are free to be drawn again.
            for condition in reason:
                [name] = condition.columns
                _put(columns[name], rows, by_name[name].cells(len(rows), rng))
            changed.append(rows)
        suspects = np.unique(np.concatenate(changed))
    return columns


def _put(column: Column, rows: NDArray[np.intp], cells: Column) -> None:
    column.values[rows] = cells.values
    column.missing[rows] = cells.missing


def _as_frame(columns: dict[str, Column]) -> pd.DataFrame:
    return pd.DataFrame({name: _cells_of(column) for name, column in columns.items()})


def _cells_of(column: Column) -> NDArray[Any]:
    if column.kind == "number":
        return column.values
    if column.kind == "boolean":
        return np.asarray(column.values == 1)
    words = np.array([*column.categories, np.nan], dtype=object)  # code -1 is the last: missing
    return np.asarray(words[column.values])


def _with_noise(y_true: NDArray[np.int64], noise: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Give the label of some outliers of each group to as many normal rows."""
    y = y_true.copy()
    normals = rng.permutation(np.flatnonzero(y_true == 0))
    used = 0
    for group in range(1, int(y_true.max()) + 1):
        rows = np.flatnonzero(y_true == group)
        wrong = round(noise * len(rows))
        if used + wrong > len(normals):
            raise PyodExplainError(
                f"`noise` of {_OWNER} must leave normal rows to mislabel, got {noise:g} for {len(normals):,} of them.\n"
                "Hint: lower `noise` or `n_outliers`, or raise `n_rows`."
            )
        y[rng.permutation(rows)[:wrong]] = 0
        y[normals[used : used + wrong]] = group
        used += wrong
    return y

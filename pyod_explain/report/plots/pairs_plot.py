"""The scatter plots that show the outliers best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Table
from pyod_explain.report.plots.axes import color_of, matplotlib, short
from pyod_explain.result import Pair, count

__all__ = ["pairs"]

MAX_POINTS = 5_000


def pairs(table: Table, numbers: NDArray[np.int64], chosen: Sequence[Pair], *, ax: Any = None) -> Any:
    """Draw the chosen pairs of columns: normals in grey, each outlier filled where it stands apart most.

    Parameters
    ----------
    table, numbers : the features, and for each row 0 (normal), its group, or -1.
    chosen : the pairs, as `choose_pairs` gives them.
    ax : as many Axes as there are pairs.
    """
    places = _places(len(chosen), ax)
    normals = np.flatnonzero(numbers == 0)
    if len(normals) > MAX_POINTS:
        normals = np.random.default_rng(0).choice(normals, MAX_POINTS, replace=False)
    for place, pair in zip(places, chosen, strict=False):
        _draw_pair(place, pair, table, numbers, normals)
    places[0].legend(fontsize=8, frameon=False)
    return places[0].figure


def _places(n: int, ax: Any) -> list[Any]:
    """Give as many Axes as there are plots: the user's, or new ones side by side."""
    if ax is None:
        figure = matplotlib("figure").Figure(figsize=(4.6 * n, 4.4), layout="constrained")
        return list(figure.subplots(1, n, squeeze=False).ravel())
    places = list(np.atleast_1d(np.asarray(ax, dtype=object)).ravel())
    if len(places) < n:
        raise PyodExplainError(f"`ax` of plot('pairs') must be {n} Axes, got {len(places)}.")
    return places


def _draw_pair(place: Any, pair: Pair, table: Table, numbers: NDArray[np.int64], normals: NDArray[np.intp]) -> None:
    outliers = np.flatnonzero(numbers > 0)
    one, two = (_plain(table, name) for name in pair.columns)
    place.scatter(one[normals], two[normals], s=6, color="#b9bec6", linewidths=0, label="normal rows", rasterized=True)
    for number in np.unique(numbers[outliers]):
        rows = outliers[numbers[outliers] == number]
        here = pair.best[numbers[outliers] == number]
        color = color_of(int(number))
        place.scatter(one[rows[~here]], two[rows[~here]], s=18, facecolors="none", edgecolors=color, linewidths=0.8)
        place.scatter(one[rows[here]], two[rows[here]], s=22, color=color, label=f"group {number}")
    place.set_xlabel(short(pair.columns[0], 30), fontsize=9)
    place.set_ylabel(short(pair.columns[1], 30), fontsize=9)
    _dates_in_short(place, table, pair.columns)
    place.set_title(f"of {count(len(outliers), 'outlier')}, {int(pair.best.sum()):,} show best here", fontsize=9)


def _dates_in_short(place: Any, table: Table, columns: tuple[str, str]) -> None:
    dates = matplotlib("dates")
    for axis, name in zip((place.xaxis, place.yaxis), columns, strict=True):
        if table[name].kind == "datetime":
            locator = dates.AutoDateLocator(maxticks=6)
            axis.set_major_locator(locator)
            axis.set_major_formatter(dates.ConciseDateFormatter(locator))


def _plain(table: Table, name: str) -> NDArray[Any]:
    """Give the values as matplotlib takes them; gaps are not drawn."""
    column = table[name]
    if column.kind == "datetime":
        return column.values
    raw = column.values / np.timedelta64(1, "s") if column.kind == "timedelta" else column.values
    return np.where(column.missing, np.nan, raw.astype(np.float64))

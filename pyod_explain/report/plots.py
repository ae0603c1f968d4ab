"""Plots with matplotlib, which is imported only here and only when a plot is asked for."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._optional import optional
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input.table import Table
from pyod_explain.result.summary import Rule, Summary
from pyod_explain.result.words import count, visible

__all__ = ["coverage", "groups", "pairs", "tradeoff"]

GOOD, LEFT, BAD = "#0b6e4f", "#858c96", "#b3430b"
COLORS = ("#0b6e4f", "#b3430b", "#0b57a4", "#8a3ffc", "#a2690a", "#c2185b", "#00798c", "#5d5d5d")
MAX_RULES = 30
MAX_POINTS = 5_000


def _axes(ax: Any, size: tuple[float, float]) -> Any:
    """Give Axes to draw on: the user's, or one on a figure of its own that nothing else keeps alive or shows."""
    figure = optional("matplotlib.figure", "to plot")
    return figure.Figure(figsize=size, layout="constrained").subplots() if ax is None else ax


def _short(text: str, width: int = 44) -> str:
    """Wrap a rule for a tick label; a dollar sign would start a formula."""
    return textwrap.fill(textwrap.shorten(visible(text), 3 * width, placeholder=" ..."), width).replace("$", r"\$")


def _empty(s: Summary, call: str) -> None:
    if not s.rules:
        raise PyodExplainError(f"`{call}` has nothing to draw: the explanation has no rules.")


def coverage(s: Summary, matches: NDArray[np.bool_], *, ax: Any = None) -> Any:
    """Draw rules by outliers: which rule covers which outlier, and how many normals it matches.

    Parameters
    ----------
    s : the summary.
    matches : outliers, group after group, by rules: True where the rule covers the outlier.
    ax : Axes to draw on.
    """
    _empty(s, "plot('coverage')")
    rules = s.rules[:MAX_RULES]
    ax = _axes(ax, (10, 1.8 + 0.55 * len(rules)))
    owner = np.repeat([group.number for group in s.groups], [group.size for group in s.groups])
    picture = np.zeros((len(rules), len(owner)))
    for i, rule in enumerate(rules):
        picture[i] = np.where(matches[:, i], np.where(owner == rule.group, 2, 1), 0)
    own = np.array(
        [matches[:, [rule.group == number for rule in s.rules]].any(axis=1) for number in range(1, len(s.groups) + 1)]
    )
    explained = own[owner - 1, np.arange(len(owner))]
    order = np.lexsort((-picture.sum(axis=0), ~explained, owner))  # group by group, the explained ones first
    colors = optional("matplotlib.colors", "to plot").ListedColormap(["#eef0f3", BAD, GOOD])
    ax.imshow(picture[:, order], aspect="auto", cmap=colors, vmin=0, vmax=2, interpolation="nearest")
    ax.set_yticks(range(len(rules)), [_rule_label(rule) for rule in rules], fontsize=8)
    ends = np.cumsum([group.size for group in s.groups])
    for end in ends[:-1]:
        ax.axvline(end - 0.5, color="black", linewidth=0.8)
    middles = [end - group.size / 2 - 0.5 for end, group in zip(ends, s.groups, strict=True)]
    names = [f"{visible(group.title)}\n{group.n_explained} of {group.size}" for group in s.groups]
    ax.set_xticks(middles, [name.replace("$", r"\$") for name in names], fontsize=8)
    ax.tick_params(length=0)
    for edge in range(1, len(rules)):
        ax.axhline(edge - 0.5, color="white", linewidth=1.5)
    more = f"; {count(len(s.rules) - MAX_RULES, 'more rule')}" if len(s.rules) > MAX_RULES else ""
    ax.set_title(
        f"Rules by outliers: {s.n_explained:,} of {s.n_outliers:,} {s.covered_word} (green), "
        f"brown: of another group{more}",
        fontsize=10,
    )
    return ax


def _rule_label(rule: Rule) -> str:
    return f"{_short(rule.text)}\n{count(rule.n_outliers, 'outlier')}, {count(rule.n_normals, 'normal')}"


def groups(s: Summary, *, ax: Any = None) -> Any:
    """Draw what sets each group apart: for each condition the share of the group and of the normals that meets it.

    Parameters
    ----------
    s : the summary.
    ax : Axes to draw on.
    """
    _empty(s, "plot('groups')")
    lines = [
        (group, condition, own, normal)
        for group in s.groups
        for profile in group.profiles
        for condition, (own, normal) in zip(profile.conditions, profile.matching, strict=True)
    ][:MAX_RULES]
    ax = _axes(ax, (9, 1.6 + 0.42 * len(lines)))
    for y, (group, _, own, normal) in enumerate(lines):
        color = COLORS[(group.number - 1) % len(COLORS)]
        ax.plot([normal, own], [y, y], color=color, linewidth=2, alpha=0.4, zorder=1)
        ax.scatter([normal], [y], color=LEFT, s=40, zorder=2, label="normal rows" if y == 0 else None)
        first = y == 0 or lines[y - 1][0] is not group
        ax.scatter(
            [own], [y], color=color, s=55, zorder=3, label=visible(group.title).replace("$", r"\$") if first else None
        )
    ax.set_yticks(range(len(lines)), [_short(str(condition), 40) for _, condition, _, _ in lines], fontsize=8)
    ax.set_ylim(len(lines) - 0.5, -0.5)  # the first on top
    ax.set_xlim(-0.03, 1.03)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    ax.set_xlabel("share of the rows that meet the condition")
    ax.grid(axis="x", color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.legend(
        fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.12 - 0.6 / (len(lines) + 2)), ncols=4, frameon=False
    )
    ax.set_title("What sets each group apart", fontsize=10)
    return ax


def tradeoff(data: pd.DataFrame, s: Summary | None = None, *, ax: Any = None) -> Any:
    """Draw covered normals against uncovered outliers over a range of parameters, and where the explanation stands.

    Parameters
    ----------
    data : a row per setting with FCN, FUO and NT, and the parameters `weight`, or `max_tags` and `max_uncovered`.
    s : the summary of the explanation to mark.
    ax : Axes to draw on.
    """
    lacking = [name for name in ("FCN", "FUO", "NT") if name not in data.columns]
    if lacking:
        raise PyodExplainError(
            f"`data` of plot('tradeoff') must have the column {lacking[0]!r}, got {list(data.columns)}."
        )
    ax = _axes(ax, (7, 5))
    known = data.dropna(subset=["FCN", "FUO"]).sort_values(["FUO", "FCN"])
    ax.plot(known["FCN"], known["FUO"], color=LEFT, linewidth=1, zorder=1)
    ax.scatter(known["FCN"], known["FUO"], s=25 + 12 * known["NT"].astype(float), color=GOOD, alpha=0.85, zorder=2)
    seen: set[tuple[float, float]] = set()
    for _, row in known.iterrows():
        spot = (round(float(row["FCN"]), 3), round(float(row["FUO"]), 2))
        if spot not in seen:  # settings that give the same result share a label
            seen.add(spot)
            ax.annotate(_setting(row), (row["FCN"], row["FUO"]), xytext=(6, 6), textcoords="offset points", fontsize=8)
    if s is not None and s.n_outliers:
        here = (s.n_normals_matched / max(s.n_normals, 1), 1 - s.n_explained / s.n_outliers)
        ax.scatter(*here, marker="*", s=220, color=BAD, zorder=3, label="this explanation")
        ax.legend(fontsize=8, frameon=False)
    ax.set_xlabel("normal rows covered (FCN)")
    ax.set_ylabel("outliers left uncovered (FUO)")
    ax.margins(x=0.18, y=0.12)  # room for the labels
    ax.xaxis.set_major_formatter(_percent_ticks())
    ax.yaxis.set_major_formatter(_percent_ticks())
    ax.set_title("What more coverage costs; the larger the dot, the more rules", fontsize=10)
    return ax


def _percent_ticks() -> Any:
    ticker = optional("matplotlib.ticker", "to plot")
    return ticker.PercentFormatter(1.0)


def _setting(row: pd.Series[Any]) -> str:
    words = {"weight": "weight", "max_tags": "rules", "max_uncovered": "lost"}
    parts = [
        f"{word} {row[name]:g}"
        for name, word in words.items()
        if isinstance(row.get(name), int | float) and row[name] == row[name]
    ]
    return ", ".join(parts)


def pairs(table: Table, numbers: NDArray[np.int64], chosen: Sequence[Any], *, ax: Any = None) -> Any:
    """Draw the chosen pairs of columns: normals in grey, each outlier filled where it stands apart most.

    Parameters
    ----------
    table, numbers : the features, and for each row 0 (normal), its group, or -1.
    chosen : the pairs, as `choose_pairs` gives them.
    ax : as many Axes as there are pairs.
    """
    if ax is None:
        figure = optional("matplotlib.figure", "to plot")
        made = figure.Figure(figsize=(4.6 * len(chosen), 4.4), layout="constrained").subplots(
            1, len(chosen), squeeze=False
        )
        places = list(made.ravel())
    else:
        places = list(np.atleast_1d(np.asarray(ax, dtype=object)).ravel())
        if len(places) < len(chosen):
            raise PyodExplainError(f"`ax` of plot('pairs') must be {len(chosen)} Axes, got {len(places)}.")
    outliers, normals = np.flatnonzero(numbers > 0), np.flatnonzero(numbers == 0)
    if len(normals) > MAX_POINTS:
        normals = np.random.default_rng(0).choice(normals, MAX_POINTS, replace=False)
    for place, pair in zip(places, chosen, strict=False):
        one, two = (_plain(table, name) for name in pair.columns)
        place.scatter(
            one[normals], two[normals], s=6, color="#b9bec6", linewidths=0, label="normal rows", rasterized=True
        )
        for number in np.unique(numbers[outliers]):
            rows = outliers[numbers[outliers] == number]
            here = pair.best[numbers[outliers] == number]
            color = COLORS[(int(number) - 1) % len(COLORS)]
            place.scatter(one[rows[~here]], two[rows[~here]], s=18, facecolors="none", edgecolors=color, linewidths=0.8)
            place.scatter(one[rows[here]], two[rows[here]], s=22, color=color, label=f"group {number}")
        place.set_xlabel(_short(pair.columns[0], 30), fontsize=9)
        place.set_ylabel(_short(pair.columns[1], 30), fontsize=9)
        _dates_in_short(place, table, pair.columns)
        place.set_title(f"of {count(len(outliers), 'outlier')}, {int(pair.best.sum()):,} show best here", fontsize=9)
    places[0].legend(fontsize=8, frameon=False)
    return places[0].figure


def _dates_in_short(place: Any, table: Table, columns: tuple[str, str]) -> None:
    dates = optional("matplotlib.dates", "to plot")
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
    numbers = (column.values / np.timedelta64(1, "s") if column.kind == "timedelta" else column.values).astype(
        np.float64
    )
    return np.where(column.missing, np.nan, numbers)

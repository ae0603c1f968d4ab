"""Plots with matplotlib, which is imported only here and only when a plot is asked for.

Each is drawn on the user's Axes, or on a figure of its own that nothing else keeps alive or shows.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyod_explain._arrays import BoolArray, FloatArray, IntArray
from pyod_explain._validate import check_choice, optional
from pyod_explain.exceptions import ParameterError, PyodExplainError, visible
from pyod_explain.input import Table
from pyod_explain.result import DetailPoint, FitContext, Rule, Summary, choose_pairs, count, match_rules, need_table

PLOTS = ("coverage", "groups", "pairs", "detail")
GREEN, GREY, BROWN = "#0b6e4f", "#858c96", "#b3430b"
GROUP_COLORS = (GREEN, BROWN, "#0b57a4", "#8a3ffc", "#a2690a", "#c2185b", "#00798c", "#5d5d5d")
MAX_PLOTTED_RULES = 30
MAX_SCATTERED_NORMALS = 5_000
OTHER_GROUP, OWN_GROUP = 1, 2  # whose outlier a rule covers


def draw(kind: str, s: Summary, cells: Table | None, context: FitContext | None, *, ax: Any, **options: Any) -> Any:
    """Draw one of the plots; returns the Axes, for `"pairs"` the Figure.

    Parameters
    ----------
    kind : which one.
    s : what the explanation says: all that `"groups"` needs.
    cells : the outliers' cells, for `"coverage"`.
    context : the whole table, for `"pairs"`.
    ax : Axes to draw on.
    options : of the plot.
    """
    check_choice("plot()", "kind", kind, among=PLOTS)
    if not s.groups:
        hint = "raise the detector's contamination, or explain rows of which it marks some."
        raise PyodExplainError(f"`plot({kind!r})` has nothing to draw: none of the rows is an outlier.", hint=hint)
    if kind in ("coverage", "groups") and not s.rules:
        raise PyodExplainError(f"`plot({kind!r})` has nothing to draw: the explanation has no rules.")
    if kind == "coverage":
        if cells is None:
            hint = "call explain() again, or plot('groups')."
            raise PyodExplainError("This explanation was read from a file and has no cells of the rows.", hint=hint)
        return _plot_coverage(s, match_rules(s, cells), ax=ax, **options)
    if kind == "groups":
        return _plot_groups(s, ax=ax, **options)
    context = need_table(context, "plot('pairs')")
    numbers = context.groups.numbers
    chosen = choose_pairs(context.table, numbers, first=s.rule_columns, **options)
    return _plot_pairs(context.table, numbers, chosen, {group.number: _plain(group.title) for group in s.groups}, ax=ax)


# --- what all plots share ---------------------------------------------------------------------------------------------


def _matplotlib(module: str) -> ModuleType:
    return optional(f"matplotlib.{module}", "to plot")


def _axes(ax: Any, size: tuple[float, float]) -> Any:
    """Give Axes to draw on: the user's, or those of a new figure."""
    return _matplotlib("figure").Figure(figsize=size, layout="constrained").subplots() if ax is None else ax


def _group_color(group: int) -> str:
    return GROUP_COLORS[(group - 1) % len(GROUP_COLORS)]


def _plain(text: str) -> str:
    """Write a text so that nothing in it is a formula: a dollar sign would start one."""
    return visible(text).replace("$", r"\$")


def _wrap(text: str, width: int = 44) -> str:
    """Wrap a rule for a tick label."""
    return textwrap.fill(textwrap.shorten(visible(text), 3 * width, placeholder=" ..."), width).replace("$", r"\$")


# --- coverage: rules by outliers --------------------------------------------------------------------------------------


def _plot_coverage(s: Summary, matches: BoolArray, *, ax: Any = None) -> Any:
    """Draw which rule covers which outlier, and how many normals it matches; `matches` is outliers by rules."""
    rules = s.rules[:MAX_PLOTTED_RULES]
    ax = _axes(ax, (10, 1.8 + 0.55 * len(rules)))
    colors = _matplotlib("colors").ListedColormap(["#eef0f3", BROWN, GREEN])
    picture = _coverage_picture(s, rules, matches)
    ax.imshow(picture, aspect="auto", cmap=colors, vmin=0, vmax=2, interpolation="nearest")
    titles = {group.number: group.title for group in s.groups}
    counts = [f"{count(rule.n_outliers, 'outlier')}, {count(rule.n_normals, 'normal')}" for rule in rules]
    texts = [_wrap(f"{titles[rule.group]}: {rule.shown}") for rule in rules]
    labels = list(map("\n".join, zip(texts, counts, strict=True)))
    ax.set_yticks(range(len(rules)), labels, fontsize=8)
    ax.set_xticks([])
    ax.set_xlabel("outliers, group by group", fontsize=9)
    for end in np.cumsum([len(group.rows) for group in s.groups])[:-1]:
        ax.axvline(end - 0.5, color="black", linewidth=0.8)
    ax.tick_params(length=0)
    for edge in range(1, len(rules)):
        ax.axhline(edge - 0.5, color="white", linewidth=1.5)
    hidden = len(s.rules) - len(rules)
    more = f"; {count(hidden, 'more rule')}" if hidden else ""
    own = " (green)" if (picture == OWN_GROUP).any() else ""
    others = ", brown: of another group" if (picture == OTHER_GROUP).any() else ""
    covered = f"{s.n_explained:,} of {s.n_outliers:,} {s.covered_word}"
    ax.set_title(f"Rules by outliers: {covered}{own}{others}{more}", fontsize=10)
    return ax


def _coverage_picture(s: Summary, rules: Sequence[Rule], matches: BoolArray) -> FloatArray:
    """Give rules by outliers: 2 where a rule covers one of its own group, 1 one of another; explained ones first."""
    owner = np.repeat([group.number for group in s.groups], [len(group.rows) for group in s.groups])
    own = matches & (np.array([rule.group for rule in s.rules])[np.newaxis] == owner[:, np.newaxis])
    picture = np.where(own, OWN_GROUP, np.where(matches, OTHER_GROUP, 0)).T[: len(rules)].astype(float)
    return picture[:, np.lexsort((-picture.sum(axis=0), ~own.any(axis=1), owner))]  # group by group


# --- groups: what sets each apart -------------------------------------------------------------------------------------


def _plot_groups(s: Summary, *, ax: Any = None) -> Any:
    """Draw for each condition the share of the group and of the normals that meets it."""
    profiles = [(group, profile) for group in s.groups for profile in group.profiles]
    lines = [(group, *told) for group, profile in profiles for told in profile.telling][:MAX_PLOTTED_RULES]
    if not lines:
        raise PyodExplainError("`plot('groups')` has nothing to draw: no column by itself sets a group apart.")
    ax = _axes(ax, (9, 1.6 + 0.42 * len(lines)))
    named = set()
    for y, (group, _, (own, normal)) in enumerate(lines):
        color = _group_color(group.number)
        ax.plot([normal, own], [y, y], color=color, linewidth=2, alpha=0.4, zorder=1)
        ax.scatter([normal], [y], color=GREY, s=40, zorder=2, label="normal rows" if y == 0 else None)
        name = None if group.number in named else _plain(group.title)  # once in the legend
        ax.scatter([own], [y], color=color, s=55, zorder=3, label=name)
        named.add(group.number)
    ax.set_yticks(range(len(lines)), [_wrap(str(condition), 40) for _, condition, _ in lines], fontsize=8)
    ax.set_ylim(len(lines) - 0.5, -0.5)  # the first on top
    ax.set_xlim(-0.03, 1.03)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    ax.set_xlabel("share of the rows that meet the condition")
    ax.grid(axis="x", color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    place = (0.5, -0.12 - 0.6 / (len(lines) + 2))
    ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=place, ncols=4, frameon=False)
    ax.set_title("What sets each group apart", fontsize=10)
    return ax


def plot_detail(points: Sequence[DetailPoint], *, ax: Any = None) -> Any:
    """Draw held-out bits against the conditions to read, a point for each level of detail."""
    some = any(one.conditions for one in points)
    if not some or (len(points) > 1 and len({(one.conditions, one.bits) for one in points}) == 1):
        what = "each level of detail gives as many conditions and bits" if some else "no level of detail gives a rule"
        raise PyodExplainError(f"`plot('detail')` has nothing to draw: {what}.")
    ax = _axes(ax, (6.4, 4.2))
    drawn = sorted(points, key=lambda one: (one.conditions, one.bits))
    ax.plot([one.conditions for one in drawn], [one.bits for one in drawn], color=GREEN, marker="o", linewidth=1.5)
    named: dict[tuple[float, float], list[str]] = {}
    for one in points:
        named.setdefault((one.conditions, one.bits), []).append(f"{one.detail:g}")
    for place, details in named.items():
        ax.annotate(", ".join(details), place, xytext=(6, 6), textcoords="offset points", fontsize=8)
    ax.margins(0.35, 0.1)  # a place for the texts
    ax.set_xlabel("conditions to read")
    ax.set_ylabel("bits for the held-out outliers, share of a list")
    ax.grid(color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_title("Level of detail (detail=)", fontsize=10)
    return ax


# --- pairs: the scatter plots that show the outliers best -------------------------------------------------------------


def _plot_pairs(
    table: Table, numbers: IntArray, chosen: Sequence[tuple[str, str]], titles: Mapping[int, str], *, ax: Any
) -> Any:
    """Draw the chosen pairs of columns: normals in grey, outliers in the colour of their group."""
    if ax is None:
        figure = _matplotlib("figure").Figure(figsize=(4.6 * len(chosen), 4.4), layout="constrained")
        ax = figure.subplots(1, len(chosen), squeeze=False)
    places = list(np.atleast_1d(np.asarray(ax, dtype=object)).ravel())
    if len(places) < len(chosen):
        raise ParameterError("ax", f"{len(chosen)} Axes", got_text=str(len(places)), owner="plot('pairs')")
    normals = np.flatnonzero(numbers == 0)
    if len(normals) > MAX_SCATTERED_NORMALS:
        normals = np.random.default_rng(0).choice(normals, MAX_SCATTERED_NORMALS, replace=False)
    for place, pair in zip(places, chosen, strict=False):
        x, y = (_plottable(table, name) for name in pair)
        place.scatter(x[normals], y[normals], s=6, color="#b9bec6", linewidths=0, label="normal rows", rasterized=True)
        for group, title in titles.items():
            dots = numbers == group
            place.scatter(x[dots], y[dots], s=22, color=_group_color(group), label=title)
        _label_axes(place, pair, table)
    places[0].legend(fontsize=8, frameon=False)
    return places[0].figure


def _label_axes(place: Any, pair: tuple[str, str], table: Table) -> None:
    dates = _matplotlib("dates")
    for axis, name in zip((place.xaxis, place.yaxis), pair, strict=True):
        unit = " (seconds)" if table[name].kind == "timedelta" else ""
        axis.set_label_text(_wrap(name, 30) + unit, fontsize=9)
        if table[name].kind == "datetime":
            locator = dates.AutoDateLocator(maxticks=6)
            axis.set_major_locator(locator)
            axis.set_major_formatter(dates.ConciseDateFormatter(locator))


def _plottable(table: Table, name: str) -> NDArray[Any]:
    """Give the values as matplotlib takes them; gaps are not drawn."""
    column = table[name]
    if column.kind == "datetime":
        return column.values
    raw = column.values / np.timedelta64(1, "s") if column.kind == "timedelta" else column.values
    return np.where(column.missing, np.nan, raw.astype(np.float64))

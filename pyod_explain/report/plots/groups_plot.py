"""What sets each group apart."""

from __future__ import annotations

from typing import Any

from pyod_explain.report.plots.axes import LEFT, MAX_RULES, axes, color_of, need_rules, plain, short
from pyod_explain.result import GroupExplanation, Summary

__all__ = ["groups"]


def groups(s: Summary, *, ax: Any = None) -> Any:
    """Draw what sets each group apart: for each condition the share of the group and of the normals that meets it.

    Parameters
    ----------
    s : the summary.
    ax : Axes to draw on.
    """
    need_rules(s, "plot('groups')")
    lines = [
        (group, condition, shares)
        for group in s.groups
        for profile in group.profiles
        for condition, shares in zip(profile.conditions, profile.matching, strict=True)
    ][:MAX_RULES]
    ax = axes(ax, (9, 1.6 + 0.42 * len(lines)))
    for y, (group, _, shares) in enumerate(lines):
        _draw_line(ax, y, group, shares, first=y == 0 or lines[y - 1][0] is not group)
    ax.set_yticks(range(len(lines)), [short(str(condition), 40) for _, condition, _ in lines], fontsize=8)
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


def _draw_line(ax: Any, y: int, group: GroupExplanation, shares: tuple[float, float], *, first: bool) -> None:
    """Draw the two shares of a condition; the first of its group names it in the legend."""
    own, normal = shares
    color = color_of(group.number)
    ax.plot([normal, own], [y, y], color=color, linewidth=2, alpha=0.4, zorder=1)
    ax.scatter([normal], [y], color=LEFT, s=40, zorder=2, label="normal rows" if y == 0 else None)
    ax.scatter([own], [y], color=color, s=55, zorder=3, label=plain(group.title) if first else None)

"""What more coverage costs."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.plots.axes import BAD, GOOD, LEFT, axes, matplotlib

__all__ = ["tradeoff"]

Box = tuple[float, float, float, float]  # left, bottom, right, top, in points
LETTER, LINE = 4.8, 9.0  # width and height of letters, in points
PLACES = ((6, 6, "left"), (6, -13, "left"), (-6, 6, "right"), (-6, -13, "right"))  # of a label beside its dot
WORDS = {"weight": "weight", "max_tags": "rules", "max_uncovered": "lost"}


def tradeoff(data: pd.DataFrame, here: tuple[float, float] | None = None, *, ax: Any = None) -> Any:
    """Draw covered normals against uncovered outliers over a range of parameters, and where the explanation stands.

    Parameters
    ----------
    data : a row per setting with FCN, FUO and NT, and the parameters `weight`, or `max_tags` and `max_uncovered`.
    here : FCN and FUO of the explanation, to mark; None for no mark.
    ax : Axes to draw on.
    """
    lacking = [name for name in ("FCN", "FUO", "NT") if name not in data.columns]
    if lacking:
        raise PyodExplainError(
            f"`data` of plot('tradeoff') must have the column {lacking[0]!r}, got {list(data.columns)}."
        )
    ax = axes(ax, (7, 5))
    known = data.dropna(subset=["FCN", "FUO"]).sort_values(["FUO", "FCN"])
    ax.plot(known["FCN"], known["FUO"], color=LEFT, linewidth=1, zorder=1)
    ax.scatter(known["FCN"], known["FUO"], s=25 + 12 * known["NT"].astype(float), color=GOOD, alpha=0.85, zorder=2)
    if here is not None:
        ax.scatter(*here, marker="*", s=220, color=BAD, zorder=3, label="this explanation")
        ax.legend(fontsize=8, edgecolor="#888888")  # in a frame, or its star is taken for a point
    ax.set_xlabel("normal rows covered (FCN)")
    ax.set_ylabel("outliers left uncovered (FUO)")
    ax.margins(x=0.18, y=0.12)  # room for the labels
    _from_zero(ax)
    _name_settings(known, ax)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(matplotlib("ticker").PercentFormatter(1.0))
    sizes = "; the larger the dot, the more rules" if known["NT"].min() < known["NT"].max() else ""
    ax.set_title(f"What more coverage costs{sizes}", fontsize=10)
    return ax


def _from_zero(ax: Any) -> None:
    """Leave little room below 0, as no share is there."""
    for limits, set_limits in ((ax.get_xlim, ax.set_xlim), (ax.get_ylim, ax.set_ylim)):
        low, high = limits()
        high = max(high, 0.01)
        set_limits(max(low, -0.08 * high), high)


def _name_settings(known: pd.DataFrame, ax: Any) -> None:
    """Write the parameters beside each dot, where there is room; settings that give the same result share a label."""
    seen: set[tuple[float, float]] = set()
    taken: list[Box] = []
    scale = 72 / ax.figure.dpi  # from pixels to the points that letters are measured in
    for _, row in known.iterrows():
        spot = (round(float(row["FCN"]), 3), round(float(row["FUO"]), 2))
        if spot in seen:
            continue
        seen.add(spot)
        x, y = ax.transData.transform((row["FCN"], row["FUO"])) * scale
        text = _setting(row)
        for dx, dy, side in PLACES:
            width = LETTER * len(text)
            left = x + dx - (width if side == "right" else 0)
            box = (left, y + dy - 2, left + width, y + dy + LINE)
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                ax.annotate(
                    text,
                    (row["FCN"], row["FUO"]),
                    xytext=(dx, dy),
                    textcoords="offset points",
                    fontsize=8,
                    horizontalalignment=side,
                )
                break


def _overlap(one: Box, two: Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _setting(row: pd.Series[Any]) -> str:
    parts = [
        f"{word} {row[name]:g}"
        for name, word in WORDS.items()
        if isinstance(row.get(name), int | float) and row[name] == row[name]
    ]
    return ", ".join(parts)

"""What more coverage costs."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pyod_explain.exceptions import PyodExplainError
from pyod_explain.report.plots.axes import BAD, GOOD, LEFT, axes, matplotlib

__all__ = ["tradeoff"]

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
    _name_settings(known, ax)
    if here is not None:
        ax.scatter(*here, marker="*", s=220, color=BAD, zorder=3, label="this explanation")
        ax.legend(fontsize=8, frameon=False)
    ax.set_xlabel("normal rows covered (FCN)")
    ax.set_ylabel("outliers left uncovered (FUO)")
    ax.margins(x=0.18, y=0.12)  # room for the labels
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(matplotlib("ticker").PercentFormatter(1.0))
    ax.set_title("What more coverage costs; the larger the dot, the more rules", fontsize=10)
    return ax


def _name_settings(known: pd.DataFrame, ax: Any) -> None:
    """Write the parameters beside each dot; settings that give the same result share a label."""
    seen: set[tuple[float, float]] = set()
    for _, row in known.iterrows():
        spot = (round(float(row["FCN"]), 3), round(float(row["FUO"]), 2))
        if spot not in seen:
            seen.add(spot)
            ax.annotate(_setting(row), (row["FCN"], row["FUO"]), xytext=(6, 6), textcoords="offset points", fontsize=8)


def _setting(row: pd.Series[Any]) -> str:
    parts = [
        f"{word} {row[name]:g}"
        for name, word in WORDS.items()
        if isinstance(row.get(name), int | float) and row[name] == row[name]
    ]
    return ", ".join(parts)

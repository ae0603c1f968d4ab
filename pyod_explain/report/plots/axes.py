"""What all plots share: where they are drawn, their colours, and texts that fit."""

from __future__ import annotations

import textwrap
from types import ModuleType
from typing import Any

from pyod_explain._optional import optional
from pyod_explain._printable import visible
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.result import Summary

__all__ = ["BAD", "GOOD", "LEFT", "MAX_RULES", "axes", "color_of", "matplotlib", "need_rules", "plain", "short"]

GOOD, LEFT, BAD = "#0b6e4f", "#858c96", "#b3430b"
COLORS = ("#0b6e4f", "#b3430b", "#0b57a4", "#8a3ffc", "#a2690a", "#c2185b", "#00798c", "#5d5d5d")
MAX_RULES = 30


def matplotlib(module: str) -> ModuleType:
    """Import a module of matplotlib."""
    return optional(f"matplotlib.{module}", "to plot")


def axes(ax: Any, size: tuple[float, float]) -> Any:
    """Give Axes to draw on: the user's, or one on a figure of its own that nothing else keeps alive or shows."""
    figure = matplotlib("figure")
    return figure.Figure(figsize=size, layout="constrained").subplots() if ax is None else ax


def color_of(group: int) -> str:
    """Give the colour of a group."""
    return COLORS[(group - 1) % len(COLORS)]


def plain(text: str) -> str:
    """Write a text so that nothing in it is a formula: a dollar sign would start one."""
    return visible(text).replace("$", r"\$")


def short(text: str, width: int = 44) -> str:
    """Wrap a rule for a tick label."""
    return textwrap.fill(textwrap.shorten(visible(text), 3 * width, placeholder=" ..."), width).replace("$", r"\$")


def need_rules(s: Summary, call: str) -> None:
    """Refuse to draw the rules where there are none."""
    if not s.rules:
        raise PyodExplainError(f"`{call}` has nothing to draw: the explanation has no rules.")

"""Small inline drawings for the page: bars of shares, and how a group's values compare with the normals'."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import pandas as pd

from pyod_explain._printable import visible
from pyod_explain.input import to_utc
from pyod_explain.report.html.pen import Pen
from pyod_explain.result import Profile, alike, count, percent, short_value
from pyod_explain.tags import Condition

__all__ = ["has_limits", "is_range", "share_bar", "strip"]

WIDTH = 340
LETTERS = 48  # of a text within a drawing
Escape = Callable[[str], str]
Pair = tuple[Condition, tuple[float, float]]  # the shares of the group and of the normals that meet a condition


def share_bar(part: int, whole: int, color: str, *, label: str) -> str:
    """Draw a part of a whole: the bar is the whole.

    Parameters
    ----------
    part, whole : the numbers.
    color : name of the colour of the part.
    label : what the bar says, in words, escaped.
    """
    width = 1000 * part / max(whole, 1)
    filled = f'<rect width="{max(width, 2):.1f}" height="14" fill="var(--{color})"/>' if part else ""
    return (
        f'<svg class="bar" viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label="{label}">'
        f'<rect width="1000" height="14" fill="var(--line)"/>{filled}</svg>'
    )


def strip(profile: Profile, pen: Pen, *, sampled: bool = False) -> str:
    """Draw how the group's values in one column compare with the normals'; shares where values have no order.

    Parameters
    ----------
    profile : what to draw; of the conditions of many rules, the first.
    pen : what writes texts, and knows how many rules are shown.
    sampled : True if the normal rows' values are those of a sample.
    """
    pairs = list(zip(profile.conditions, profile.matching, strict=True))[: pen.rules]
    more = len(profile.conditions) - len(pairs)
    rest = f"; {count(more, 'more condition')} not shown" if more else ""
    if not is_range(profile):
        return _shares(profile, pairs, pen, rest)
    parts = [pair for pair in pairs if not has_limits(pair[0])]
    whole = [condition for condition, _ in pairs if has_limits(condition)]
    drawn = _ranges(profile, whole, pen.text, "" if parts else rest, "about " * sampled) if whole else ""
    return drawn + (_shares(profile, parts, pen, rest) if parts else "")


def has_limits(condition: Condition) -> bool:
    """Tell whether a condition is drawn on a line, by its limits: an hour is no place on a line of dates."""
    return condition.axis == condition.column and bool(_limits(condition.op, condition.value))


def is_range(profile: Profile) -> bool:
    """Tell whether values are drawn on a line: they have an order, and not half of them or more are the same."""
    if profile.group is None or profile.normals is None:
        return False
    return bool(profile.group[1] != profile.group[3] and profile.normals[1] != profile.normals[3])


def _shares(profile: Profile, pairs: Sequence[Pair], pen: Pen, rest: str) -> str:
    """Draw for each condition which share of either meets it."""
    rows, y = [], 0
    for condition, (own, normal) in pairs:
        if len(pairs) > 1:
            rows.append(f'<text x="0" y="{y + 11}">{escape(_cut(visible(condition.signs)))}</text>')
            y += 16
        for color, value in (("good", own), ("left", normal)):
            width = max(value * (WIDTH - 60), 1)
            rows.append(f'<rect x="0" y="{y}" width="{width:.1f}" height="12" fill="var(--{color})"/>')
            rows.append(f'<text x="{width + 6:.1f}" y="{y + 10}">{percent(value)}</text>')
            y += 16
        y += 6
    words = "; ".join(
        f"{condition}: {percent(own)} of the group, {percent(normal)} of the normal rows"
        for condition, (own, normal) in pairs
    )
    caption = pairs[0][0].signs if len(pairs) == 1 else str(profile.column)
    return _figure(pen.text(caption) + _mostly(profile, pen) + rest, "".join(rows), y, pen.text(words))


def _mostly(profile: Profile, pen: Pen) -> str:
    """Name the value that half of the normal rows or more have, where there is one."""
    points = profile.normals
    if points is None or points[1] != points[3]:
        return ""
    return f" (normally mostly {pen.text(short_value(points[2]))})"


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"


def _ranges(profile: Profile, conditions: Sequence[Condition], text: Escape, rest: str, about: str) -> str:
    """Draw the 5, 25, 50, 75 and 95 percent points of either on one scale, and the limits of the conditions."""
    column, own, normal = str(profile.column), profile.group or (), profile.normals or ()
    limits = [value for c in conditions for value in _limits(c.op, c.value) if _fits(value, own[0])]
    numbers = [_position(value) for value in (*own, *normal, *limits)]
    low, high = min(numbers), max(numbers)
    span = (high / 2 - low / 2) or 1.0  # half of it, as the whole may lie beyond all floats

    def place(value: Any) -> float:
        return 6 + (WIDTH - 12) * ((_position(value) / 2 - low / 2) / span)

    parts = []
    for y, color, points in ((22, "good", own), (40, "left", normal)):
        five, lower, middle, upper, ninety_five = (place(point) for point in points)
        parts.append(_box(five, ninety_five, y + 5, 2, color))
        parts.append(_box(lower, upper, y, 12, color))
        parts.append(f'<rect x="{middle - 1:.1f}" y="{y - 2}" width="2" height="16" fill="var(--text)"/>')
    free = -math.inf  # where the last label ends
    said = alike((*own, *normal, *limits))
    for value in sorted(limits, key=_position):
        x = place(value)
        parts.append(f'<path d="M{x:.1f} 14V58" stroke="var(--bad)" stroke-width="1.5" stroke-dasharray="3 3"/>')
        shown = said(value)
        left, anchor = _label_at(x, 7 * len(shown))
        if left >= free:
            parts.append(f'<text class="limit" x="{x:.1f}" y="11" text-anchor="{anchor}">{text(shown)}</text>')
            free = left + 7 * len(shown) + 4
    ends = [min((*own, *normal), key=_position), max((*own, *normal), key=_position)]
    parts.append(f'<text class="faint" x="0" y="72">{text(said(ends[0]))}</text>')
    parts.append(f'<text class="faint" x="{WIDTH}" y="72" text-anchor="end">{text(said(ends[1]))}</text>')
    halves = [f"{said(points[1])} to {said(points[3])}" for points in (own, normal)]
    words = (
        f"{column}: median {said(own[2])} in the group, {about}{said(normal[2])} among normal rows; "
        f"middle half {halves[0]} against {about}{halves[1]}"
    )
    caption = f"{text(column)}: median {text(said(own[2]))}, normally {about}{text(said(normal[2]))}{rest}"
    return _figure(caption, "".join(parts), 76, text(words))


def _label_at(x: float, width: float) -> tuple[float, str]:
    """Give the left end of a label at a place, and how it is set there: within the drawing."""
    if x - width / 2 < 0:
        return x, "start"
    return (x - width, "end") if x + width / 2 > WIDTH else (x - width / 2, "middle")


def _limits(op: str, value: Any) -> tuple[Any, ...]:
    if op == "between":
        return tuple(value)
    return (value,) if op in ("<", "<=", ">", ">=", "==") else ()


def _fits(value: Any, cell: Any) -> bool:
    """Tell whether a limit has a place on the line of a column's values; one of another type or infinite has none."""
    kinds = (dt.timedelta, dt.date, int | float | decimal.Decimal)
    if not any(isinstance(value, kind) and isinstance(cell, kind) for kind in kinds):
        return False
    try:
        return math.isfinite(_position(value))
    except (OverflowError, ValueError):  # a number beyond all floats, a date beyond all nanoseconds
        return False


def _box(left: float, right: float, y: float, height: float, color: str) -> str:
    width = max(right - left, 2)
    return f'<rect x="{left:.1f}" y="{y}" width="{width:.1f}" height="{height}" fill="var(--{color})"/>'


def _position(value: Any) -> float:
    """Place a number, time or duration on a line."""
    if isinstance(value, dt.timedelta):
        return float(pd.Timedelta(value).value)
    if isinstance(value, dt.date):
        return float(to_utc(pd.Timestamp(value)).value)
    return float(value)


def _figure(caption: str, drawing: str, height: float, label: str) -> str:
    return (
        f"<figure><figcaption>{caption}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">{drawing}</svg></figure>'
    )

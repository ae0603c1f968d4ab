"""Drawings of the page, as SVG: bars of shares, ranges of values, and scatter plots."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from pyod_explain.exceptions import visible
from pyod_explain.input import to_utc
from pyod_explain.result import ACROSS, DOWN, Picture, Profile, Summary, alike, count, percent, short_value
from pyod_explain.tags import Condition

STRIP_WIDTH = 340
MAX_LETTERS = 48  # of a text within a drawing
SQUARE = 5  # size of a square of the grid of a scatter plot
MARGIN = 4  # within its frame
MAX_COLORS = 6  # groups with a colour of their own; the others share one
SHADES = (0.25, 0.5, 0.9)
DOT_SIZES, LARGEST_DOT = ((1, 6), (5, 8)), 11  # for at most so many outliers
Escape = Callable[[Any], str]
Pair = tuple[Condition, tuple[float, float]]  # the shares of the group and of the normals that meet a condition


@dataclass(frozen=True)
class HtmlLimits:
    """How much of each thing a page shows; the rest is counted.

    Attributes
    ----------
    groups, rules, characters, labels, notes : the most that is shown of each.
    """

    groups: int
    rules: int
    characters: int
    labels: int
    notes: int

    def shorten(self, value: Any) -> str:
        """Write anything as a text without control characters, cut if it is very long.

        >>> HtmlLimits(1, 1, 9, 1, 1).shorten("amount of money")
        'amount o…'
        """
        shown = visible(str(value))
        return shown if len(shown) <= self.characters else shown[: self.characters - 1] + "…"

    def text(self, value: Any) -> str:
        """Shorten anything and escape it for HTML.

        >>> HtmlLimits(1, 1, 9, 1, 1).text("<b>amount of money")
        '&lt;b&gt;amoun…'
        """
        return escape(self.shorten(value), quote=True)


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


def strip(profile: Profile, limits: HtmlLimits, s: Summary) -> str:
    """Draw how the group's values in one column compare with the normals'; shares where values have no order.

    Parameters
    ----------
    profile : what to draw; of the conditions of many rules, the first.
    limits : how much is shown.
    s : the summary.
    """
    pairs = list(zip(profile.conditions, profile.matching, strict=True))[: limits.rules]
    more = len(profile.conditions) - len(pairs)
    rest = f"; {count(more, 'more condition')} not shown" if more else ""
    if not is_range(profile):
        return _shares(profile, pairs, limits, rest, s)
    parts = [pair for pair in pairs if not has_limits(pair[0])]
    whole = [condition for condition, _ in pairs if has_limits(condition)]
    drawn = _ranges(profile, whole, limits.text, "" if parts else rest, s) if whole else ""
    return drawn + (_shares(profile, parts, limits, rest, s) if parts else "")


def has_limits(condition: Condition) -> bool:
    """Tell whether a condition is drawn on a line, by its limits: an hour is no place on a line of dates."""
    return condition.axis == condition.column and bool(_limits(condition.op, condition.value))


def is_range(profile: Profile) -> bool:
    """Tell whether values are drawn on a line: they have an order, and not half of them or more are the same."""
    if profile.group is None or profile.normals is None:
        return False
    return bool(profile.group[1] != profile.group[3] and profile.normals[1] != profile.normals[3])


def _shares(profile: Profile, pairs: Sequence[Pair], limits: HtmlLimits, rest: str, s: Summary) -> str:
    """Draw for each condition which share of either meets it."""
    rows, y = [], 0
    for condition, (own, normal) in pairs:
        if len(pairs) > 1:
            rows.append(f'<text x="0" y="{y + 11}">{escape(_cut(visible(condition.signs)))}</text>')
            y += 16
        for color, value in (("good", own), ("left", normal)):
            width = max(value * (STRIP_WIDTH - 60), 1)
            rows.append(f'<rect x="0" y="{y}" width="{width:.1f}" height="12" fill="var(--{color})"/>')
            rows.append(f'<text x="{width + 6:.1f}" y="{y + 10}">{percent(value)}</text>')
            y += 16
        y += 6
    words = "; ".join(
        f"{condition}: {percent(own)} of {s.nouns['group']}, {percent(normal)} of the {s.nouns['normals']}"
        for condition, (own, normal) in pairs
    )
    caption = pairs[0][0].signs if len(pairs) == 1 else str(profile.column)
    mostly, points = "", profile.normals
    if points is not None and points[1] == points[3]:  # half of the normal rows or more have this value
        mostly = limits.text(f" ({s.nouns['usually']} mostly {short_value(points[2])})")
    return _figure(limits.text(caption) + mostly + rest, "".join(rows), y, limits.text(words))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LETTERS else text[: MAX_LETTERS - 1] + "…"


def _ranges(profile: Profile, conditions: Sequence[Condition], text: Escape, rest: str, s: Summary) -> str:
    """Draw the 5, 25, 50, 75 and 95 percent points of either on one scale, and the limits of the conditions."""
    column, own, normal = str(profile.column), profile.group or (), profile.normals or ()
    bounds = [value for c in conditions for value in _limits(c.op, c.value) if _fits(value, own[0])]
    numbers = [_position(value) for value in (*own, *normal, *bounds)]
    low, high = min(numbers), max(numbers)
    span = (high / 2 - low / 2) or 1.0  # half of it, as the whole may lie beyond all floats

    def place(value: Any) -> float:
        return 6 + (STRIP_WIDTH - 12) * ((_position(value) / 2 - low / 2) / span)

    parts = []
    for y, color, points in ((22, "good", own), (40, "left", normal)):
        five, lower, middle, upper, ninety_five = (place(point) for point in points)
        parts.append(_box(five, ninety_five, y + 5, 2, color))
        parts.append(_box(lower, upper, y, 12, color))
        parts.append(f'<rect x="{middle - 1:.1f}" y="{y - 2}" width="2" height="16" fill="var(--text)"/>')
    free = -math.inf  # where the last label ends
    write = alike((*own, *normal, *bounds))
    for value in sorted(bounds, key=_position):
        x = place(value)
        parts.append(f'<path d="M{x:.1f} 14V58" stroke="var(--bad)" stroke-width="1.5" stroke-dasharray="3 3"/>')
        shown = write(value)
        left, anchor = _label_at(x, 7 * len(shown))
        if left >= free:
            parts.append(f'<text class="limit" x="{x:.1f}" y="11" text-anchor="{anchor}">{text(shown)}</text>')
            free = left + 7 * len(shown) + 4
    ends = [min((*own, *normal), key=_position), max((*own, *normal), key=_position)]
    parts.append(f'<text class="faint" x="0" y="72">{text(write(ends[0]))}</text>')
    parts.append(f'<text class="faint" x="{STRIP_WIDTH}" y="72" text-anchor="end">{text(write(ends[1]))}</text>')
    halves = [f"{write(points[1])} to {write(points[3])}" for points in (own, normal)]
    about = "about " if s.sampled else ""
    words = (
        f"{column}: median {write(own[2])} in {s.nouns['group']}, "
        f"{about}{write(normal[2])} among {s.nouns['normals']}; "
        f"middle half {halves[0]} against {about}{halves[1]}"
    )
    usual = text(f"{s.nouns['usually']} {about}{write(normal[2])}")
    caption = f"{text(column)}: median {text(write(own[2]))}, {usual}{rest}"
    return _figure(caption, "".join(parts), 76, text(words))


def _label_at(x: float, width: float) -> tuple[float, str]:
    """Give the left end of a label at a place, and how it is set there: within the drawing."""
    if x - width / 2 < 0:
        return x, "start"
    return (x - width, "end") if x + width / 2 > STRIP_WIDTH else (x - width / 2, "middle")


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
        f'<svg viewBox="0 0 {STRIP_WIDTH} {height}" role="img" aria-label="{label}">{drawing}</svg></figure>'
    )


# --- scatter plots ----------------------------------------------------------------------------------------------------


def picture_colors(pictures: Sequence[Picture]) -> list[tuple[str, int]]:
    """Give the colour of each group that is drawn; 0 stands for the groups without one of their own."""
    drawn = sorted({group for picture in pictures for _, _, group, _ in picture.dots})
    colors = [(f"c{group}", group) for group in drawn if group <= MAX_COLORS]
    return colors if len(colors) == len(drawn) else [*colors, ("c0", 0)]


def scatter(one: Picture, limits: HtmlLimits) -> str:
    """Draw two columns: normal rows as shades, outliers as dots of their group's colour.

    Parameters
    ----------
    one : what to draw.
    limits : how much is shown.
    """
    across, down = (limits.text(name) for name in one.columns)
    low, high = (limits.text(alike(one.across)(value)) for value in one.across)
    bottom, top = (limits.text(alike(one.down)(value)) for value in one.down)
    width, height = ACROSS * SQUARE + 2 * MARGIN, DOWN * SQUARE + 2 * MARGIN
    ranges = f"{across} from {low} to {high} across, {down} from {bottom} to {top} upwards"
    label = f"{ranges}; {count(one.n_outliers, 'outlier')}"
    drawing = (
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" fill="none" stroke="var(--line)"/>'
        f"{_shades(one)}{_dots(one.dots)}"
        f'<text class="faint" x="0" y="{height + 14}">{low}</text>'
        f'<text class="faint" x="{width}" y="{height + 14}" text-anchor="end">{high}</text>'
    )
    svg = f'<svg viewBox="0 0 {width} {height + 18}" role="img" aria-label="{label}">{drawing}</svg>'
    beyond = f"{count(one.n_beyond, 'normal row')} beyond, at the edge" if one.n_beyond else ""
    caption = "; ".join(part for part in (f"{down} ({bottom} to {top}) over {across}", beyond) if part)
    return f"<figure><figcaption>{caption}</figcaption>{svg}</figure>"


def _shades(one: Picture) -> str:
    """Draw the squares with normal rows, in three shades by how many they have."""
    most = max((n for _, _, n in one.normals), default=1)
    paths: list[list[str]] = [[] for _ in SHADES]
    for x, y, n in one.normals:
        level = min(int(len(SHADES) * math.log(n + 1) / math.log(most + 2)), len(SHADES) - 1)
        paths[level].append(f"M{MARGIN + x * SQUARE} {MARGIN + (DOWN - 1 - y) * SQUARE}h{SQUARE}v{SQUARE}h-{SQUARE}z")
    return "".join(
        f'<path d="{"".join(path)}" fill="var(--left)" fill-opacity="{shade}"/>'
        for path, shade in zip(paths, SHADES, strict=True)
        if path
    )


def _dots(dots: Sequence[tuple[int, int, int, int]]) -> str:
    """Draw the outliers, as points of one path for each colour and size: a tenth of the bytes of circles."""
    paths: dict[tuple[int, int], list[str]] = {}
    for x, y, group, n in dots:
        size = next((width for most, width in DOT_SIZES if n <= most), LARGEST_DOT)
        place = f"M{MARGIN + (x + 0.5) * SQUARE:g} {MARGIN + (DOWN - 0.5 - y) * SQUARE:g}h0"
        paths.setdefault((group if group <= MAX_COLORS else 0, size), []).append(place)
    return "".join(
        f'<path class="dot" d="{"".join(path)}" stroke="var(--c{color})" stroke-width="{size}"/>'
        for (color, size), path in sorted(paths.items())
    )

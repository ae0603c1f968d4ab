"""The report as one self-contained page: no network, under 1 MB whatever the data; and its compact form.

The templates say what is where. Every text is escaped by them (autoescape), and shortened to the page's limits; the
functions here choose what is drawn, and where.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from pyod_explain import result
from pyod_explain.exceptions import visible
from pyod_explain.input import to_utc
from pyod_explain.metrics import METRICS
from pyod_explain.report import sentences
from pyod_explain.result.compare import Comparison, change_notes, changes_sentence
from pyod_explain.result.group import Profile
from pyod_explain.result.pairs import ACROSS, DOWN, Picture
from pyod_explain.result.rows import Example
from pyod_explain.result.summary import Summary
from pyod_explain.tags import Condition, value_text

STRIP_WIDTH = 340  # of the drawing of a column's values
SQUARE = 5  # size of a square of the grid of a scatter plot
MARGIN = 4  # within its frame
MAX_COLORS = 6  # groups with a colour of their own; the others share one
SHADES = (0.25, 0.5, 0.9)


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


MAX_PAGE_BYTES = 900_000
PAGE_LIMITS = (  # the next ones where the page would be too large
    HtmlLimits(groups=40, rules=25, characters=400, labels=500, notes=50),
    HtmlLimits(groups=20, rules=10, characters=200, labels=100, notes=20),
    HtmlLimits(groups=8, rules=5, characters=80, labels=20, notes=5),
)
SNIPPET_LIMITS = HtmlLimits(groups=5, rules=5, characters=200, labels=0, notes=3)
CHANGES_LIMITS = HtmlLimits(groups=40, rules=200, characters=400, labels=500, notes=50)


def to_html(
    s: Summary,
    *,
    title: str | None = None,
    rows: bool = False,
    pictures: Sequence[Picture] = (),
    examples: Mapping[int, Sequence[Example]] | None = None,
    part: Mapping[str, str] | None = None,
) -> str:
    """Write the page; where it would be too large, with fewer rules and examples, and shorter texts.

    Parameters
    ----------
    s : the summary.
    title : title of the page; None for the question it answers.
    rows : list the labels of the outliers that are left unexplained.
    pictures : scatter plots to draw.
    examples : some rows of each group, by its number; None for none.
    part : what makes the page react, whose size has a limit of its own; None for a page without scripts.
    """
    added = sum(map(len, (part or {}).values()))
    page, title = "", title or sentences.title(s)
    for i, limits in enumerate(PAGE_LIMITS):
        some = {group: all_of[: None if i == 0 else limits.labels] for group, all_of in (examples or {}).items()}
        drawn = pictures if i == 0 else ()
        page = _render("page.html", limits, s=s, title=title, rows=rows, pictures=drawn, examples=some, part=part)
        if len(page.encode()) <= MAX_PAGE_BYTES + added:
            break
    return page


def to_snippet(s: Summary) -> str:
    """Write the compact form for notebooks: the answer and a table of the first rules, in the notebook's own style."""
    return _render("snippet.html", SNIPPET_LIMITS, s=s)


def changes_page(c: Comparison, *, title: str, rows: bool) -> str:
    """Write the page of what changed between two explanations.

    Parameters
    ----------
    c : what changed.
    title : title of the page.
    rows : say which rows of the same table only one of the two marks.
    """
    return _render("changes.html", CHANGES_LIMITS, c=c, s=c.after, title=title, rows=rows)


def changes_tables(c: Comparison) -> str:
    """Write the two reports side by side, and a table for each kind of change."""
    return _render("changes_tables.html", CHANGES_LIMITS, changes=c.rules)


def _render(template: str, limits: HtmlLimits, **values: Any) -> str:
    text: str = _environment(limits).get_template(template).render(limits=limits, **values)
    return text


@cache
def _environment(limits: HtmlLimits) -> Any:
    """Build the environment of the templates; every value that they write is shortened, then escaped."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if hasattr(value, "__html__") else limits.shorten(value),
    )
    environment.filters["commas"] = "{:,}".format
    of_values = (result.cell_text, result.count, result.number, result.percent, result.short_value)
    functions = (
        *of_values,
        axis_ticks,
        change_notes,
        changes_sentence,
        dot_paths,
        place_on,
        shade_paths,
        split_profile,
    )
    environment.globals.update(
        {function.__name__: function for function in functions},
        METRICS=METRICS,
        MARGIN=MARGIN,
        MAX_COLORS=MAX_COLORS,
        STRIP_WIDTH=STRIP_WIDTH,
        picture_size=(ACROSS * SQUARE + 2 * MARGIN, DOWN * SQUARE + 2 * MARGIN),
        say=sentences,
    )
    return environment


# --- the values of a column -------------------------------------------------------------------------------------------


def split_profile(profile: Profile, most: int) -> tuple[tuple[Any, ...], list[tuple[Condition, tuple[float, float]]]]:
    """Give the limits of rules to draw on the line of the column's values, and the conditions to draw as shares.

    Values are drawn on a line if the medians differ, and not half of them or more are the same.

    Parameters
    ----------
    profile : what to draw.
    most : how many conditions.
    """
    pairs = list(zip(profile.conditions, profile.matching, strict=True))[:most]
    own, normal = profile.group, profile.normals
    if own is None or normal is None or not profile.median_differs or own[1] == own[3] or normal[1] == normal[3]:
        return (), pairs
    limits = [_limits(condition, own[0]) for condition, _ in pairs]
    shares = [pair for pair, found in zip(pairs, limits, strict=True) if not found]
    return tuple(sorted({one for found in limits for one in found}, key=_position)), shares


def _limits(condition: Condition, cell: Any) -> list[Any]:
    """Give the limits of a condition that have a place on the line of the column's values: an hour has none."""
    if condition.axis != condition.column or condition.op not in ("<", "<=", ">", ">=", "==", "between"):
        return []
    values = condition.value if condition.op == "between" else (condition.value,)
    kinds = (dt.timedelta, dt.date, int | float | decimal.Decimal)
    kind = next(one for one in kinds if isinstance(cell, one))
    return [value for value in values if isinstance(value, kind) and math.isfinite(_position(value))]


def place_on(values: Iterable[Any]) -> Callable[[Any], float]:
    """Give where a value stands on a line that has all of these values.

    >>> place = place_on([0, 50, 100])
    >>> place(0), place(50), place(100)
    (6.0, 170.0, 334.0)
    """
    positions = [_position(value) / 2 for value in values]  # half, as the whole span may lie beyond all floats
    low, span = min(positions), (max(positions) - min(positions)) or 1.0
    return lambda value: round(6 + (STRIP_WIDTH - 12) * ((_position(value) / 2 - low) / span), 1)


def _position(value: Any) -> float:
    """Place a number, time or duration on a line."""
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return to_utc(pd.Timestamp(value)).timestamp() if isinstance(value, dt.date) else float(value)


# --- scatter plots ----------------------------------------------------------------------------------------------------


def axis_ticks(ends: tuple[Any, Any], write: Callable[[Any], str]) -> list[tuple[float, str]]:
    """Give what to write at an axis, each with its place from 0 to 1: round numbers; of times the ends.

    >>> axis_ticks((0, 35), str), axis_ticks((-0.1, 0.1), str)
    ([(0.0, '0'), (0.286, '10'), (0.571, '20'), (0.857, '30')], [(0.0, '-0.1'), (0.5, '0'), (1.0, '0.1')])
    """
    if isinstance(ends[0], dt.date | dt.timedelta):
        return [(place, write(ends[0] + (ends[1] - ends[0]) * place)) for place in (0.0, 1.0)]
    low, high = map(float, ends)
    half = high / 2 - low / 2  # as the whole may lie beyond all floats
    if half < 1e-300:
        return [(0.0, write(ends[0]))]
    step = 10.0 ** math.floor(math.log10(half))
    step *= next(factor for factor in (1, 2, 5, 10) if half / step <= 2.5 * factor)
    steps = range(math.ceil(low / step), math.floor(high / step) + 1)
    return [(round((n * step / 2 - low / 2) / half, 3), value_text(float(f"{n * step:.12g}"))) for n in steps]


def shade_paths(one: Picture) -> list[tuple[str, float]]:
    """Give the squares with normal rows as a path for each of three shades, by how many they have."""
    most = max((n for _, _, n in one.normals), default=1)
    paths = [""] * len(SHADES)
    for x, y, n in one.normals:
        level = min(int(len(SHADES) * math.log(n + 1) / math.log(most + 2)), len(SHADES) - 1)
        paths[level] += f"M{MARGIN + x * SQUARE} {MARGIN + (DOWN - 1 - y) * SQUARE}h{SQUARE}v{SQUARE}h-{SQUARE}z"
    return list(zip(paths, SHADES, strict=True))


def dot_paths(one: Picture) -> list[tuple[tuple[int, int], str]]:
    """Give the outliers as points of a path for each colour and size: far shorter than circles."""
    paths: dict[tuple[int, int], str] = {}
    for x, y, group, n in one.dots:
        look = group if group <= MAX_COLORS else 0, min(6 + n // 2, 11)
        place = f"M{MARGIN + (x + 0.5) * SQUARE:g} {MARGIN + (DOWN - 0.5 - y) * SQUARE:g}h0"
        paths[look] = paths.get(look, "") + place
    return sorted(paths.items())

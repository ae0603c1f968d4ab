"""Scatter plots on the page: normal rows as shades, outliers as dots of their group's colour."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pyod_explain.report.html.pen import Pen
from pyod_explain.result import ACROSS, DOWN, Dot, Picture, Summary, alike, count

__all__ = ["pictures"]

SIZE = 5  # of a square of the grid
COLORS = 6  # groups with a colour of their own; the others share one
SHADES = (0.25, 0.5, 0.9)
SIZES, LARGEST = ((1, 6), (5, 8)), 11  # of a dot, for at most so many outliers
LEFT = 4  # of the frame


def pictures(s: Summary, taken: Sequence[Picture], pen: Pen) -> str:
    """Draw the pairs of columns in which most outliers stand apart; nothing where there is none.

    Parameters
    ----------
    s : the summary.
    taken : what to draw.
    pen : what writes texts.
    """
    if not taken:
        return ""
    drawn = sorted({dot.group for picture in taken for dot in picture.dots})
    own = [number for number in drawn if number <= COLORS]
    names = [(f"c{number}", pen.text(s.groups[number - 1].title)) for number in own]
    if len(own) < len(drawn):
        names.append(("c0", "other groups"))
    key = "".join(f'<span><i style="background:var(--{color})"></i>{name}</span>' for color, name in names)
    hollow = any(not dot.best for picture in taken for dot in picture.dots)
    ring = "<span>rings: stand apart more in another picture</span>" if hollow and len(taken) > 1 else ""
    normal = '<span><i style="background:var(--left)"></i>normal rows, the stronger the more</span>'
    figures = "".join(_picture(one, len(taken), pen) for one in taken)
    return (
        '<section class="card" aria-labelledby="pictures"><h2 id="pictures">Where they stand apart</h2>'
        '<p class="soft">The pairs of columns in which most outliers lie away from the normal rows.</p>'
        f'<p class="key">{key}{normal}{ring}</p><div class="pictures">{figures}</div></section>'
    )


def _picture(one: Picture, n_pictures: int, pen: Pen) -> str:
    across, down = (pen.text(name) for name in one.columns)
    low, high = (pen.text(alike(one.across)(value)) for value in one.across)
    bottom, top = (pen.text(alike(one.down)(value)) for value in one.down)
    width, height = ACROSS * SIZE + 2 * LEFT, DOWN * SIZE + 2 * LEFT
    best = f"{one.n_best:,} of {count(one.n_outliers, 'outlier')} show best here" if n_pictures > 1 else ""
    ranges = f"{across} from {low} to {high} across, {down} from {bottom} to {top} upwards"
    label = f"{ranges}; {best or count(one.n_outliers, 'outlier')}"
    drawing = (
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" fill="none" stroke="var(--line)"/>'
        f"{_shades(one)}{_dots(one.dots)}"
        f'<text class="faint" x="0" y="{height + 14}">{low}</text>'
        f'<text class="faint" x="{width}" y="{height + 14}" text-anchor="end">{high}</text>'
    )
    svg = f'<svg viewBox="0 0 {width} {height + 18}" role="img" aria-label="{label}">{drawing}</svg>'
    beyond = f"{count(one.n_beyond, 'normal row')} beyond, at the edge" if one.n_beyond else ""
    caption = "; ".join(part for part in (f"{down} ({bottom} to {top}) over {across}", best, beyond) if part)
    return f"<figure><figcaption>{caption}</figcaption>{svg}</figure>"


def _shades(one: Picture) -> str:
    """Draw the squares with normal rows, in three shades by how many they have."""
    most = max((n for _, _, n in one.normals), default=1)
    paths: list[list[str]] = [[] for _ in SHADES]
    for x, y, n in one.normals:
        level = min(int(len(SHADES) * math.log(n + 1) / math.log(most + 2)), len(SHADES) - 1)
        paths[level].append(f"M{LEFT + x * SIZE} {LEFT + (DOWN - 1 - y) * SIZE}h{SIZE}v{SIZE}h-{SIZE}z")
    return "".join(
        f'<path d="{"".join(path)}" fill="var(--left)" fill-opacity="{shade}"/>'
        for path, shade in zip(paths, SHADES, strict=True)
        if path
    )


def _dots(dots: Sequence[Dot]) -> str:
    """Draw the outliers, as points of one path for each colour and size: a tenth of the bytes of circles."""
    paths: dict[tuple[bool, int, int], list[str]] = {}
    for dot in dots:
        size = next((width for most, width in SIZES if dot.count <= most), LARGEST)
        x, y = LEFT + (dot.x + 0.5) * SIZE, LEFT + (DOWN - 0.5 - dot.y) * SIZE
        color = dot.group if dot.group <= COLORS else 0
        paths.setdefault((dot.best, color, size), []).append(f"M{x:g} {y:g}h0")
    return "".join(_points("".join(paths[key]), *key) for key in sorted(paths))  # rings first, below what is filled


def _points(path: str, best: bool, color: int, size: int) -> str:
    drawn = f'<path class="dot" d="{path}" stroke="var(--c{color})" stroke-width="{size}"/>'
    return (
        drawn if best else drawn + f'<path class="dot" d="{path}" stroke="var(--card)" stroke-width="{size - 2.4:g}"/>'
    )

"""Held-out figures by the number of rules, drawn."""

from __future__ import annotations

from collections.abc import Sequence

from pyod_explain.result import Summary, count, percent

__all__ = ["curve"]

WIDTH, HEIGHT, LEFT, TOP = 560, 150, 40, 8


def curve(s: Summary) -> str:
    """Draw what each further rule gives on held-out rows; nothing where that is not known, or is a single figure."""
    points = () if s.validation is None else s.validation.curve
    if len(points) < 2:
        return ""
    lines = [
        ("good", "outliers matched", [one.recall for one in points]),
        ("c3", "precision: share of the matching rows that are outliers", [one.outlier_share for one in points]),
    ]
    key = "".join(f'<span><i style="background:var(--{color})"></i>{name}</span>' for color, name, _ in lines)
    drawn = "".join(_line(color, values) for color, _, values in lines)
    label = "; ".join(
        f"{count(n, 'rule')}: {percent(one.recall)} of the outliers, precision {percent(one.outlier_share)}"
        for n, one in enumerate(points, start=1)
    )
    return (
        '<section class="card" aria-labelledby="curve"><h2 id="curve">How many rules are worth it</h2>'
        '<p class="soft">On rows kept aside while the rules were found: the first rule of each part of the check, the '
        f'first two, and so on, those first that add most.</p><p class="key">{key}</p>'
        f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT + 44}" role="img" aria-label="{label}">'
        f"{_axes(len(points))}{drawn}</svg></section>"
    )


def _place(i: int, n: int, value: float) -> tuple[float, float]:
    return LEFT + (WIDTH - LEFT - 20) * i / (n - 1), TOP + HEIGHT * (1 - value)


def _line(color: str, values: Sequence[float]) -> str:
    places = [_place(i, len(values), value) for i, value in enumerate(values)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    return (
        f'<path d="M{path}" fill="none" stroke="var(--{color})" stroke-width="2"/>'
        f'<path class="dot" d="{dots}" stroke="var(--{color})" stroke-width="7"/>'
    )


def _axes(n: int) -> str:
    parts = []
    for value in (0.0, 0.5, 1.0):
        _, y = _place(0, n, value)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH}" stroke="var(--line)"/>')
        parts.append(f'<text class="faint" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.0%}</text>')
    every = max(1, -(-n // 12))
    for i in range(0, n, every):
        x, _ = _place(i, n, 0)
        parts.append(f'<text class="faint" x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{i + 1}</text>')
    middle = (LEFT + WIDTH) / 2
    return "".join(parts) + f'<text class="faint" x="{middle:g}" y="{HEIGHT + 42}" text-anchor="middle">rules</text>'

"""The pictures of how-it-works: the same twelve rows at each stage, drawn from what the package makes of them.

`{stage} coverage` is an SVG in the page, so that its colours follow the theme. Nothing is drawn by hand: another cut
point or another choice of tags would be another picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from docutils import nodes
from docutils.parsers.rst import Directive

LEFT, CELL, LINE = 206, 44, 30  # where the rows begin, how wide each is, how high a line is


class Twelve:
    """The twelve rows and what each stage returns for them."""

    def __init__(self) -> None:
        from pyod_explain import MDL, Coverage, explain
        from pyod_explain.groups import split_outliers
        from pyod_explain.input import as_table, read_labels
        from pyod_explain.tags import make_tags

        self.X = pd.DataFrame(
            {
                "hour": [9, 10, 11, 12, 13, 14, 15, 16, 3, 4, 11, 12],
                "channel": ["web", "shop"] * 3 + ["web", "phone"] + ["web", "web", "phone", "phone"],
                "amount": [20, 35, 50, 20, 15, 40, None, 30, 25, 30, 900, 950],
            },
            index=[f"t{i}" for i in range(1, 13)],
        )
        self.labels = np.array([0] * 8 + [1] * 4)
        self.table = as_table(self.X)
        self.outliers = read_labels(self.labels.tolist(), len(self.X))
        self.groups = split_outliers(2, self.outliers, self.table)
        self.tags = make_tags("itemsets", self.table, self.groups)
        self.coverage = Coverage.from_tags(self.table, self.tags.tags, self.groups, n_items=self.tags.n_items)
        self.selection = MDL().select(self.coverage)
        self.explanation = explain(self.labels, self.X, groups=2, counts=[10] * 12)  # each row stands for ten


@cache
def twelve() -> Twelve:
    """Run the stages once a build."""
    return Twelve()


class Drawing:
    """Shapes in a coordinate system of twelve columns; `svg` is the picture."""

    def __init__(self, alt: str) -> None:
        self.alt, self.shapes, self.height = alt, [], 8.0

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "middle") -> None:
        self.shapes.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{kind}">{escape(text)}</text>')

    def shape(self, name: str, kind: str, **numbers: float) -> None:
        given = " ".join(f'{key}="{value:g}"' for key, value in numbers.items())
        self.shapes.append(f'<{name} {given} class="{kind}"/>')

    def line(self, label: str, *, bold: bool = False) -> float:
        """Begin a line of the picture; give the height of its middle."""
        middle = self.height + LINE / 2
        self.text(LEFT - 12, middle + 5, label, "bold" if bold else "", "end")
        self.height += LINE
        return middle

    def names(self) -> None:
        """Name the rows."""
        middle = self.line("row")
        for i, name in enumerate(twelve().X.index):
            self.text(across(i), middle + 5, str(name), "quiet")

    def squares(self, label: str, holds: Sequence[bool], *, faint: bool = False, bold: bool = False) -> None:
        """Draw which rows a tag holds for, in the colours of their groups."""
        middle = self.line(label, bold=bold)
        for i, (yes, group) in enumerate(zip(holds, twelve().groups.numbers, strict=True)):
            kind = f"g{group}" if yes else "no"
            self.shape(
                "rect", f"{kind} faint" if faint else kind, x=across(i) - 13, y=middle - 11, width=26, height=22, rx=3
            )

    def circles(self, label: str, kinds: Sequence[str]) -> None:
        middle = self.line(label)
        for i, kind in enumerate(kinds):
            self.shape("circle", kind, cx=across(i), cy=middle, r=9)

    def svg(self) -> str:
        size = f"0 0 {LEFT + 12 * CELL + 8} {self.height + 8:g}"
        return (
            f'<div class="stage"><svg viewBox="{size}" role="img" aria-label="{escape(self.alt)}" '
            f'xmlns="http://www.w3.org/2000/svg">{"".join(self.shapes)}</svg></div>'
        )


def across(row: int) -> float:
    """Where a row stands."""
    return LEFT + CELL * (row + 0.5)


def draw_table() -> Drawing:
    """Cells, with the kind of each column."""
    t = twelve()
    drawing = Drawing("Twelve payments side by side: hour, channel and amount of each; one amount is missing.")
    drawing.names()
    for name, column in t.table.columns.items():
        middle = drawing.line(f"{name} ({column.kind})")
        for i, value in enumerate(t.X[name]):
            if pd.isna(value):
                drawing.shape("rect", "gap", x=across(i) - 15, y=middle - 11, width=30, height=22, rx=3)
            else:
                drawing.text(
                    across(i),
                    middle + 5,
                    f"{value:g}" if isinstance(value, float | int) else value,
                    "cell" if column.kind == "number" else "word",
                )
    return drawing


def draw_outliers() -> Drawing:
    """Who is marked."""
    marked = twelve().outliers.rows.tolist()
    drawing = Drawing("The same twelve rows as circles; the last four are filled: they are the outliers.")
    drawing.names()
    drawing.circles("outlier?", ["out" if i in marked else "ring" for i in range(12)])
    return drawing


def draw_groups() -> Drawing:
    """Who belongs together."""
    drawing = Drawing("Twelve circles. The outliers t9 and t10 have one colour, t11 and t12 another: two groups.")
    drawing.names()
    drawing.circles("group", [f"g{group}" if group else "ring" for group in twelve().groups.numbers])
    return drawing


def draw_tags() -> Drawing:
    """Where the cuts are, on the axis of each column of numbers."""
    t = twelve()
    drawing = Drawing(
        "Two axes. On that of the hour, a cut at 5 lies between the outliers at 3 and 4 and all others from 9 on; "
        "on that of the amount, a cut at 500 lies between the amounts up to 50 and the outliers at 900 and 950."
    )
    for name, cut in (("hour", 5), ("amount", 500)):
        if not any(c.column == name and c.value == cut for tag in t.tags.tags for c in tag.conditions):
            raise ValueError(f"The picture of tags must show cuts that were made; {name} has none at {cut}.")
        middle = drawing.line(name)
        values = t.X[name].to_numpy(float)
        low, high = np.nanmin(values), np.nanmax(values)

        def place(value: float, low: float = low, high: float = high) -> float:
            return across(0) + (value - low) / (high - low) * CELL * 11

        drawing.shape("line", "axis", x1=across(0), x2=across(11), y1=middle, y2=middle)
        drawing.shape("line", "cut", x1=place(cut), x2=place(cut), y1=middle - 13, y2=middle + 13)
        for value, group in zip(values, t.groups.numbers, strict=True):
            if not np.isnan(value):
                drawing.shape("circle", f"g{group}", cx=place(value), cy=middle, r=6)
        drawing.text(place(low), middle + 26, f"{low:g}", "quiet")
        drawing.text(place(high), middle + 26, f"{high:g}", "quiet")
        drawing.text(place(cut), middle + 26, f"{cut:g}", "bold")
        drawing.height += 22
    return drawing


def draw_coverage() -> Drawing:
    """Which row has which tag."""
    t = twelve()
    drawing = Drawing(
        f"A table of {len(t.tags.tags)} tags and twelve rows; a square is filled where the row has the tag, in the "
        "colour of its group."
    )
    drawing.names()
    for tag in t.tags.tags:
        drawing.squares(str(tag) if len(str(tag)) < 24 else " ∧ ".join(map(str, tag.sorted)), tag.covers(t.X))
    return drawing


def draw_selection() -> Drawing:
    """Which tags are chosen."""
    t = twelve()
    chosen = {j for one in t.selection.tags for j in one}
    drawing = Drawing(
        "The same table of tags; "
        + " and ".join(str(t.tags.tags[j]) for j in sorted(chosen))
        + " are chosen, the others are faint."
    )
    drawing.names()
    for j, tag in enumerate(t.tags.tags):
        label = str(tag) if len(str(tag)) < 24 else " ∧ ".join(map(str, tag.sorted))
        drawing.squares(label, tag.covers(t.X), faint=j not in chosen, bold=j in chosen)
    return drawing


def draw_growth() -> Drawing:
    """What is open before a rule is found for group 1, and what one tag would win."""
    t = twelve()
    from pyod_explain import MDL

    second = list(t.selection.tags[1])
    objective = MDL().marginal_objective(t.coverage, [[], second], 0)
    open_rows = t.coverage.group_rows[0][t.coverage.outlier_mask(objective.own, 0)].tolist()
    drawing = Drawing(
        "With a rule for the second group alone, the rows t9 and t10 are still open; a tag that covers both and no "
        "normal row would win them."
    )
    drawing.names()
    drawing.squares(str(t.tags.tags[second[0]]), t.tags.tags[second[0]].covers(t.X))
    drawing.circles("still open", ["open" if i in open_rows else "none" for i in range(12)])
    tag = t.tags.tags[t.selection.tags[0][0]]
    drawing.squares(f"{tag}: would win", tag.covers(t.X), bold=True)
    return drawing


def draw_reasons() -> Drawing:
    """Rules first, groups after."""
    t = twelve()
    from pyod_explain import MDL, Condition, Coverage, Tag
    from pyod_explain.groups import all_together, split_by_reasons

    rules = (Tag.of(Condition("hour", "<", 5)), Tag.of(Condition("amount", ">=", 500)))
    together = all_together(t.outliers)
    one = Coverage.from_tags(t.table, rules, together, n_items=10)
    kinds = split_by_reasons(together, one, MDL().select(one))[0].numbers
    drawing = Drawing(
        "Two rules over the twelve rows, and below them the groups that they make: outliers belong to rules."
    )
    drawing.names()
    for rule in rules:
        drawing.squares(f"if {rule}", rule.covers(t.X))
    drawing.circles("group by reason", [f"g{kind}" if kind else "ring" for kind in kinds])
    return drawing


def draw_bits() -> Drawing:
    """What a list takes, and what the rules take."""
    summary = twelve().explanation.summary
    listed, told = summary.bits_named, summary.bits
    drawing = Drawing(f"Two bars: naming the outliers one by one takes {listed:.1f} bits, the rules {told:.1f}.")
    for label, bits, kind in (("a list of the outliers", listed, "g0"), ("the two rules", told, "g1")):
        middle = drawing.line(label)
        width = bits / max(listed, told) * CELL * 10
        drawing.shape("rect", kind, x=LEFT, y=middle - 10, width=width, height=20, rx=3)
        drawing.text(LEFT + width + 8, middle + 5, f"{bits:.1f} bits", "cell", "start")
    return drawing


def draw_views() -> Drawing:
    """One summary, many views."""
    views = ("text", "page", "Markdown", "JSON", "SQL", "frames", "plots")
    drawing = Drawing("One box, the summary, with arrows to its views: " + ", ".join(views) + ".")
    top, bottom = drawing.height + 4, drawing.height + 78
    middle = LEFT / 2 + CELL * 6
    drawing.shape("rect", "box", x=middle - 80, y=top, width=160, height=30, rx=5)
    drawing.text(middle, top + 20, "Summary", "bold")
    width = (LEFT + 12 * CELL) / len(views)
    for i, view in enumerate(views):
        x = 4 + width * (i + 0.5)
        drawing.shape("line", "axis", x1=middle, y1=top + 30, x2=x, y2=bottom)
        drawing.shape("rect", "box", x=x - width / 2 + 6, y=bottom, width=width - 12, height=28, rx=5)
        drawing.text(x, bottom + 19, view)
    drawing.height = bottom + 32
    return drawing


STAGES: dict[str, Callable[[], Drawing]] = {
    "table": draw_table,
    "outliers": draw_outliers,
    "groups": draw_groups,
    "tags": draw_tags,
    "coverage": draw_coverage,
    "selection": draw_selection,
    "growth": draw_growth,
    "reasons": draw_reasons,
    "bits": draw_bits,
    "views": draw_views,
}


class Stage(Directive):
    """`{stage} NAME`: the picture of a stage."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Give the picture as part of the page."""
        return [nodes.raw("", STAGES[self.arguments[0]]().svg(), format="html")]


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx of the directive."""
    app.add_directive("stage", Stage)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

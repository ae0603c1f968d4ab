"""A line of the paper's tables: the metrics of a description, a figure a group; as printed, or as measured here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

MEASURES = ("FUO", "FCO", "FCN", "AL", "NT")
PAPER = "printed in the paper"
HEAD = ("method", "", *MEASURES, "MDL", "of empty", "CPU s", "remarks")


@dataclass(frozen=True)
class Line:
    """What a method gives.

    Attributes
    ----------
    method : as the paper calls it.
    how : `PAPER`, or what was run here.
    measures : FUO, FCO, FCN, AL and NT, a figure a group; empty where there is no answer.
    mdl : bits, None where there are none.
    share : bits, of those of the empty description on the same rows.
    seconds : CPU seconds of the setting that is shown (of the paper: as printed).
    setting : parameters that were best.
    remark : what else is to be said, or why there is no answer.
    """

    method: str
    how: str
    measures: dict[str, list[float]] = field(default_factory=dict)
    mdl: float | None = None
    share: float | None = None
    seconds: float | None = None
    setting: dict[str, Any] = field(default_factory=dict)
    remark: str = ""

    @classmethod
    def of(cls, method: str, how: str, frame: pd.DataFrame, **other: Any) -> Line:
        """Make a line of what `evaluate` gives."""
        mdl, empty = float(frame.attrs["mdl"]), float(frame.attrs["mdl_empty"])
        measures = {key: [float(value) for value in frame[key]] for key in MEASURES}
        return cls(method, how, measures, mdl, mdl / empty, **other)

    def mean(self, measure: str) -> float:
        values = self.measures[measure]
        return sum(values) / len(values)

    @property
    def impurity(self) -> float:
        """Mean of FUO, FCO and FCN over the groups; saying nothing has 0.33."""
        return sum(self.mean(key) for key in ("FUO", "FCO", "FCN")) / 3

    def cells(self) -> list[str]:
        shown = [self._figures(key) for key in MEASURES]
        mdl = "-" if self.mdl is None else f"{self.mdl:,.0f}"
        share = "-" if self.share is None else f"{self.share:.2f}"
        seconds = "-" if self.seconds is None else f"{self.seconds:,.2f}"
        said = ", ".join(f"{key} {as_text(value)}" for key, value in self.setting.items())
        return [
            self.method,
            self.how,
            *shown,
            mdl,
            share,
            seconds,
            "; ".join(one for one in (said, self.remark) if one),
        ]

    def _figures(self, key: str) -> str:
        digits = 0 if key == "NT" else 2
        return " / ".join(f"{value:.{digits}f}" for value in self.measures[key]) if self.measures else "-"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def as_text(value: float | Sequence[float]) -> str:
    return "/".join(f"{one:g}" for one in value) if isinstance(value, list | tuple) else f"{value:g}"


@dataclass(frozen=True)
class Printed:
    """A table of the paper."""

    table: int
    title: str
    lines: list[Line]
    rows: int = 0
    groups: tuple[int, ...] = ()


def printed(name: str) -> Printed:
    """Read what the paper prints of a data set, or of its "parameters"."""
    kept = json.loads(Path(__file__).with_name("paper_printed.json").read_text(encoding="utf-8"))[name]
    lines = []
    for one in kept["lines"]:
        setting = {key: one[key] for key in ("weight", "max_tags", "max_uncovered") if key in one}
        measures = {key: one[key] for key in MEASURES}
        lines.append(Line(one["method"], PAPER, measures, one.get("MDL"), None, one.get("seconds"), setting))
    return Printed(kept["table"], kept["title"], lines, kept.get("rows", 0), tuple(kept.get("groups", ())))


def show(title: str, lines: Sequence[Line], *, markdown: bool) -> None:
    """Print lines as a table; of lines of one method, the first names it."""
    rows = [one.cells() for one in lines]
    for row, before in reversed(list(zip(rows[1:], rows[:-1], strict=True))):
        row[0] = "" if row[0] == before[0] else row[0]
    if markdown:
        print(f"\n**{title}**\n\n| " + " | ".join(HEAD) + " |")
        print("| --- | --- |" + " ---: |" * (len(HEAD) - 3) + " --- |")
        for row in rows:
            print("| " + " | ".join(row) + " |")
        return
    widths = [max(len(row[i]) for row in (list(HEAD), *rows)) for i in range(len(HEAD))]
    print(f"\n{title}")
    for row in (list(HEAD), *rows):
        cells = [cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
        print("  ".join([*cells[:-1], row[-1]]).rstrip(), flush=True)

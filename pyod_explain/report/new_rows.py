"""What is in one table and was not in another, in words that fit: rows now and before, no outliers and normals."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass

import pandas as pd

from pyod_explain._frame import frame_of
from pyod_explain._printable import visible
from pyod_explain.report.html.page import new_rows_page, new_rows_tables
from pyod_explain.report.markdown import escape, made
from pyod_explain.result import Rule, Summary, count, matches_text, percent, sizes_text

__all__ = ["NewRowsReport"]

TITLE = "What is new?"


@dataclass(frozen=True)
class NewRowsReport:
    """What a summary says of two tables.

    Attributes
    ----------
    summary : of an explanation whose outliers are the rows of one table, and its normals those of the other.
    """

    summary: Summary

    @property
    def tables(self) -> tuple[str, str]:
        """What to call the later table, and the earlier one."""
        return self.summary.tables or ("now", "before")

    @property
    def now(self) -> str:
        return self.tables[0]

    @property
    def before(self) -> str:
        return self.tables[1]

    def sentences(self) -> list[str]:
        """Say how many rows there are, and how well the rules tell them apart; then what the check found."""
        s = self.summary
        lines = [f"{sizes_text(s, self.tables)}."]
        if not s.rules:
            return [*lines, "No rule tells the two apart."]
        if not s.explains:
            n, no = count(len(s.rules), "rule"), "Nothing tells the two apart better than"
            if s.by_chance:
                return [*lines, f"{no} chance: {n} found, no better than on random rows."]
            return [*lines, f"{no} a list of the rows would: {n} found, and to name the rows takes less."]
        verb = "matches" if len(s.rules) == 1 else "match"
        lines.append(
            f"{count(len(s.rules), 'rule')} {verb} {count(s.n_explained, 'row')} of {self.now} "
            f"({percent(s.n_explained, s.n_outliers)}) and {s.n_normals_matched:,} of {self.before} "
            f"({percent(s.n_normals_matched, s.n_normals)})."
        )
        return lines

    def check(self) -> str:
        """Say what the rules match of rows that were kept aside while they were found; empty if nobody looked."""
        held = self.summary.validation
        if held is None or not self.summary.rules:
            return ""
        rules, match = ("rule was", "it matches") if len(self.summary.rules) == 1 else ("rules were", "they match")
        return (
            f"On rows kept aside while the {rules} found ({held.n_splits} folds), {match} "
            f"{percent(held.whole.recall)} of {self.now} and "
            f"{percent(held.whole.n_normals, self.summary.n_normals)} of {self.before}."
        )

    def chance(self) -> str:
        """Say what rows of the earlier table, drawn in place of those of the later one, give; empty if none were."""
        placebo = self.summary.placebo
        if placebo is None:
            return ""
        verdict = "about what chance gives" if placebo.by_chance else "chance does not explain it"
        return (
            f"Placebo: random rows of {self.before} in place of those of {self.now} give a gain of "
            f"{percent(max(placebo.mean_share_saved, 0.0))} ({count(len(placebo.shares_saved), 'draw')}), those of "
            f"{self.now} {percent(max(placebo.share_saved, 0.0))}: {verdict}."
        )

    def remarks(self) -> list[str]:
        """Say what was checked, and what else a reader should know."""
        return [line for line in (self.check(), self.chance(), *self.summary.notes) if line]

    def figures(self, rule: Rule) -> str:
        """Say how many rows of either table match a rule."""
        return matches_text(rule, self.tables)

    def frame(self) -> pd.DataFrame:
        """Return a row per rule: how many rows of either table match it, what share, and how many times as often."""
        columns = ["rule", "now", "before", "share_now", "share_before", "times"]
        lines = []
        for rule in self.summary.rules:
            share = rule.n_normals / rule.total_normals if rule.total_normals else math.nan
            lines.append((rule.text, rule.n_outliers, rule.n_normals, rule.recall, share, rule.lift))
        return frame_of(lines, columns)

    def text(self) -> str:
        """Write it in 80 columns."""
        parts = ["\n".join(_wrap(line) for line in self.sentences())]
        parts += [f"{_wrap(f'if {rule.text}')}\n{_wrap(self.figures(rule), '     ')}" for rule in self.summary.rules]
        foot = self.remarks()
        return "\n\n".join([*parts, *(["\n".join(_wrap(line) for line in foot)] if foot else [])])

    def markdown(self) -> str:
        """Write it as Markdown."""
        parts = [f"# {TITLE}", *(escape(line) for line in self.sentences())]
        if self.summary.rules:
            lines = [f"| {escape(rule.text)} | {escape(self.figures(rule))} |" for rule in self.summary.rules]
            parts.append("\n".join(["| Rule | Rows that match |", "|---|---|", *lines]))
        parts += [escape(line) for line in self.remarks()]
        return "\n\n".join([*parts, *made(self.summary)]) + "\n"

    def body(self) -> str:
        """Write it as HTML, without the page around it."""
        return new_rows_tables(self)

    def page(self, title: str = TITLE) -> str:
        """Write it as one self-contained page."""
        return new_rows_page(self, title)


def _wrap(line: str, lead: str = "") -> str:
    hanging = lead or "  "
    return textwrap.fill(visible(line), 80, initial_indent=lead, subsequent_indent=hanging, break_on_hyphens=False)

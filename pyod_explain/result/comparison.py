"""`Comparison`: what changed between two explanations, to read and to print."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field

import pandas as pd

from pyod_explain._frame import frame_of
from pyod_explain._printable import visible
from pyod_explain.result.group import Rule
from pyod_explain.result.summary import Summary
from pyod_explain.result.two_tables import matches_text, shares_text, sizes_text
from pyod_explain.result.words import count, percent

__all__ = ["Comparison", "RuleChange"]

MAX_LABELS = 8
COLUMNS = [
    "change", "group_before", "group_after", "rule_before", "rule_after", "outliers_before", "outliers_after",
    "normals_before", "normals_after", "precision_before", "precision_after", "recall_before", "recall_after",
]  # fmt: skip
WORDS = {"gone": "gone", "new": "new", "changed": "with other limits", "drifted": "drifted", "same": "unchanged"}


@dataclass(frozen=True)
class RuleChange:
    """What became of a rule.

    Attributes
    ----------
    change : `"gone"`, `"new"`, `"changed"` (the same conditions with other limits), `"drifted"` (the same rule with
        other figures) or `"same"`.
    before, after : the rule in either explanation, or None.
    tells_outliers : True if a row that it matches is right when it is an outlier, of whatever group.
    """

    change: str
    before: Rule | None
    after: Rule | None
    tells_outliers: bool = False

    def precision(self, rule: Rule) -> float:
        """Give the share of the matching rows that are right, as the reports tell it."""
        return rule.outlier_share if self.tells_outliers else rule.precision

    def __str__(self) -> str:
        known = [rule for rule in (self.before, self.after) if rule is not None]
        old, new = known[0], known[-1]
        if len(known) == 1:
            figures = f"{count(new.n_outliers, 'outlier')}, precision {percent(self.precision(new))}"
            return f"{visible(new.text)} ({figures})"
        if self.change == "changed":
            return f"{visible(old.text)} -> {visible(new.text)}"
        outliers = f"outliers {old.n_outliers:,} -> {new.n_outliers:,}"
        precision = f"precision {percent(self.precision(old))} -> {percent(self.precision(new))}"
        return f"{visible(new.text)} ({outliers}, {precision})"


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed from one explanation to another.

    Attributes
    ----------
    rules : what became of each rule.
    rows : a row per outlier whose group differs: its label, its group before and after; 0 where it was no outlier.
        Empty too where `knows_rows` is False.
    groups : for each group before the group after that it corresponds to, or None.
    before, after : the two summaries.
    """

    rules: tuple[RuleChange, ...]
    rows: pd.DataFrame
    groups: dict[int, int | None]
    before: Summary = field(repr=False)
    after: Summary = field(repr=False)

    @property
    def knows_rows(self) -> bool:
        """False if either explanation was read from a file without its row labels: which rows moved is not known.

        Nor is it where the explanations are about what is new in a table: each numbers the rows of its own two.
        """
        return self.before.knows_rows and self.after.knows_rows and not self.of_tables

    @property
    def of_tables(self) -> bool:
        """True if both tell what is new in a table (`explain_new`), and so speak of no outliers."""
        return self.before.tables is not None and self.after.tables is not None

    @property
    def changed(self) -> bool:
        """True if a rule is new, gone, has other limits or drifted; whichever rows are outliers now."""
        return any(one.change != "same" for one in self.rules)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per rule: what became of it, its group, text and figures before and after."""
        frame = frame_of([_line(one) for one in self.rules], COLUMNS)
        whole = [name for name in COLUMNS if name.startswith(("group_", "outliers_", "normals_"))]
        return frame.astype(dict.fromkeys(whole, "Int64"))

    def __repr__(self) -> str:
        parts = [f"{n} {WORDS[change]}" for change in WORDS if (n := len(self.some(change)))]
        moved = f"; {count(len(self.rows), 'row')} moved" if self.knows_rows else "; rows not known"
        return f"Comparison(rules: {', '.join(parts) or 'none'}{'' if self.of_tables else moved})"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, rows: bool = True) -> str:
        """Write what changed, in 80 columns.

        Parameters
        ----------
        rows : say which rows changed their group; these are told apart by their labels alone.
        """
        moved = self.row_lines() if rows and not self.of_tables else []
        lines = [*self.head(), *self._rule_lines(), *moved]
        return "\n".join(_wrap(line) for line in lines)

    def some(self, change: str) -> list[RuleChange]:
        """Give the rules of which the same became: `"gone"`, `"new"`, `"changed"`, `"drifted"` or `"same"`."""
        return [one for one in self.rules if one.change == change]

    def head(self) -> list[str]:
        """Say in a line each how much there was to explain before and after, and how well it is explained."""
        lines = []
        for side, s in (("before", self.before), ("after", self.after)):
            if self.of_tables and s.tables is not None:
                lines.append(f"{side + ':':<7} {_tables_line(s, s.tables)}")
                continue
            explained = (
                f"{percent(s.n_explained, s.n_outliers)} {s.covered_word}, precision {percent(s.precision_told)}"
            )
            outliers = f"{count(s.n_outliers, 'outlier')} of {count(s.n_rows, 'row')}"
            gain = f"gain {percent(max(s.gain, 0))}" if s.bits_named else "gain not known"
            lines.append(f"{side + ':':<7} {outliers}, {explained}, {gain}")
        return lines

    def _rule_lines(self) -> list[str]:
        lines = []
        for change, word in WORDS.items():
            some = self.some(change)
            if some:
                lines.append(f"{count(len(some), 'rule')} {word}:")
                lines.extend(f"  {self._told(one)}" for one in some)
        return lines or ["Neither has a rule."]

    def _told(self, one: RuleChange) -> str:
        """Write what became of a rule, in the words of the two reports."""
        if self.before.tables is None or self.after.tables is None:
            return str(one)
        if one.change == "changed":
            return str(one)
        sides = [
            (rule, tables)
            for rule, tables in ((one.before, self.before.tables), (one.after, self.after.tables))
            if rule is not None
        ]
        figures = matches_text if len(sides) == 1 else shares_text
        said = dict.fromkeys(figures(*side) for side in sides)
        return f"{visible(sides[-1][0].text)}: {visible(' -> '.join(said))}"

    def row_lines(self) -> list[str]:
        """Say which rows changed their group."""
        if not self.knows_rows:
            return ["Which rows changed their group is not known: row labels were left out."]
        if not len(self.rows):
            return ["No row changed its group."]
        kinds = [
            ("is no longer an outlier", "are no longer outliers", self.rows["after"] == 0),
            ("is now an outlier", "are now outliers", self.rows["before"] == 0),
            ("is in another group", "are in another group", (self.rows["after"] != 0) & (self.rows["before"] != 0)),
        ]
        lines = []
        for one, many, mask in kinds:
            labels = self.rows.loc[mask, "label"].tolist()
            if labels:
                shown = ", ".join(visible(str(label)) for label in labels[:MAX_LABELS])
                more = ", ..." if len(labels) > MAX_LABELS else ""
                lines.append(f"{count(len(labels), 'row')} {one if len(labels) == 1 else many}: {shown}{more}")
        return lines


def _tables_line(s: Summary, tables: tuple[str, str]) -> str:
    now, before = tables
    if not s.rules:
        return visible(f"{sizes_text(s, tables)}; no rule")
    matched = (
        f"{percent(s.n_explained, s.n_outliers)} of {now} and {percent(s.n_normals_matched, s.n_normals)} of {before}"
    )
    rules = count(len(s.rules), "rule")
    return visible(f"{sizes_text(s, tables)}; {rules} {'matches' if len(s.rules) == 1 else 'match'} {matched}")


def _wrap(line: str) -> str:
    lead = "  " if line.startswith("  ") else ""
    return textwrap.fill(
        line.removeprefix(lead), 80, initial_indent=lead, subsequent_indent="    ", break_on_hyphens=False
    )


def _line(one: RuleChange) -> dict[str, object]:
    result: dict[str, object] = {"change": one.change}
    for side, rule in (("before", one.before), ("after", one.after)):
        if rule is not None:
            result |= {
                f"group_{side}": rule.group,
                f"rule_{side}": rule.text,
                f"outliers_{side}": rule.n_outliers,
                f"normals_{side}": rule.n_normals,
                f"precision_{side}": one.precision(rule),
                f"recall_{side}": rule.recall,
            }
    return result

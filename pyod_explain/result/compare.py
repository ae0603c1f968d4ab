"""What changed between two explanations: rules, and the groups of rows."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from pyod_explain.exceptions import PyodExplainError, visible
from pyod_explain.input import frame_of, nan_safe_key
from pyod_explain.result.group import GroupExplanation, Rule
from pyod_explain.result.summary import Summary
from pyod_explain.result.text import count, percent
from pyod_explain.tags import Term

MAX_NAMED_ROWS = 8
CHANGE_COLUMNS = [
    "change", "group_before", "group_after", "rule_before", "rule_after", "outliers_before", "outliers_after",
    "normals_before", "normals_after", "precision_before", "precision_after", "recall_before", "recall_after",
]  # fmt: skip
CHANGE_WORDS = {"gone": "gone", "new": "new", "changed": "with other limits", "drifted": "drifted", "same": "unchanged"}


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
        """False if either explanation was read from a file without its row labels: which rows moved is not known."""
        return self.before.knows_rows and self.after.knows_rows

    @property
    def changed(self) -> bool:
        """True if a rule is new, gone, has other limits or drifted; whichever rows are outliers now."""
        return any(one.change != "same" for one in self.rules)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per rule: what became of it, its group, text and figures before and after."""
        frame = frame_of([_line(one) for one in self.rules], CHANGE_COLUMNS)
        whole = [name for name in CHANGE_COLUMNS if name.startswith(("group_", "outliers_", "normals_"))]
        return frame.astype(dict.fromkeys(whole, "Int64"))

    def __repr__(self) -> str:
        parts = [f"{n} {CHANGE_WORDS[change]}" for change in CHANGE_WORDS if (n := len(self.some(change)))]
        moved = f"; {count(len(self.rows), 'row')} moved" if self.knows_rows else "; rows not known"
        return f"Comparison(rules: {', '.join(parts) or 'none'}{moved})"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, rows: bool = True) -> str:
        """Write what changed, in 80 columns.

        Parameters
        ----------
        rows : say which rows changed their group; these are distinguished by their labels alone.
        """
        lines = [*self.head(), *self._rule_lines(), *(self.row_lines() if rows else [])]
        return "\n".join(_wrap(line) for line in lines)

    def some(self, change: str) -> list[RuleChange]:
        """Give the rules of which the same became: `"gone"`, `"new"`, `"changed"`, `"drifted"` or `"same"`."""
        return [one for one in self.rules if one.change == change]

    def head(self) -> list[str]:
        """Say in a line each how much there was to explain before and after, and how well it is explained."""
        lines = []
        for side, s in (("before", self.before), ("after", self.after)):
            explained = (
                f"{percent(s.n_explained, s.n_outliers)} {s.covered_word}, precision {percent(s.reported_precision)}"
            )
            saved = percent(max(s.share_saved, 0))
            lines.append(visible(f"{side + ':':<7} {s.sizes_text}; {explained}, share saved {saved}"))
        return lines

    def _rule_lines(self) -> list[str]:
        lines = []
        for change, word in CHANGE_WORDS.items():
            some = self.some(change)
            if some:
                lines.append(f"{count(len(some), 'rule')} {word}:")
                lines.extend(f"  {one}" for one in some)
        return lines or ["Neither has a rule."]

    def row_lines(self) -> list[str]:
        """Say which rows changed their group."""
        if not self.knows_rows:
            return ["Which rows changed their group is not known: row labels were left out."]
        if not len(self.rows):
            return ["No row changed its group."]
        left, come = self.rows["after"] == 0, self.rows["before"] == 0
        rest = ~come & (self.rows["after"] == (-1 if self.after.rest is None else self.after.rest.number))
        kinds = {"no longer marked": left, "newly marked": come, "without a common reason now": rest}
        kinds["in another group"] = ~left & ~come & ~rest
        lines = []
        for what, mask in kinds.items():
            labels = [visible(str(label)) for label in self.rows.loc[mask, "label"]]
            if labels:
                more = ", ..." if len(labels) > MAX_NAMED_ROWS else ""
                lines.append(f"{count(len(labels), 'row')} {what}: {', '.join(labels[:MAX_NAMED_ROWS])}{more}")
        return lines


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


DRIFT = 0.05  # of precision or coverage: a smaller change is not called one
MIN_SHARED_GROUP_ROWS = (
    0.5  # of the rows of either group: fewer in common may be labels that happen to be alike, as those of a range
)


def compare(before: Summary, after: Summary) -> Comparison:
    """Compare two explanations of the same kind of table.

    Groups are numbered by size, so yesterday's group 1 may be today's group 2: groups correspond if they share most
    rows (by label), or else most rules. Rules correspond within such groups.

    Parameters
    ----------
    before, after : the summaries.
    """
    if before.tables is not None or after.tables is not None:
        raise PyodExplainError(
            "compare() needs two explanations of outliers, got one of what is new in a table.",
            hint="explain_new(now, before) compares two tables.",
        )
    groups = _match_groups(before, after)
    return Comparison(
        rules=_compare_rules(before, after, groups),
        rows=_compare_rows(before, after, groups),
        groups=groups,
        before=before,
        after=after,
    )


def _match_groups(before: Summary, after: Summary) -> dict[int, int | None]:
    """Pair groups, the most alike first; alike by most rows shared, then by rules, by columns, and by a few rows.

    Outliers without a common reason correspond to such outliers, whichever rows they are.
    """
    pairs = sorted(
        ((_likeness(one, two), -one.number, -two.number) for one in before.reasons for two in after.reasons),
        reverse=True,
    )
    result: dict[int, int | None] = {group.number: None for group in before.groups}
    if before.rest is not None and after.rest is not None:
        result[before.rest.number] = after.rest.number
    taken: set[int] = set()
    for likeness, one, two in pairs:
        if result[-one] is None and -two not in taken and any(likeness):
            result[-one] = -two
            taken.add(-two)
    return result


def _likeness(one: GroupExplanation, two: GroupExplanation) -> tuple[float, float, float, float]:
    rows = _overlap(set(map(nan_safe_key, one.rows)), set(map(nan_safe_key, two.rows)))
    tags = [{rule.tag for rule in group.rules} for group in (one, two)]
    columns = [{name for tag in some for name in tag.columns} for some in tags]
    return rows if rows >= MIN_SHARED_GROUP_ROWS else 0.0, _overlap(*tags), _overlap(*columns), rows


def _overlap(one: set[Any], two: set[Any]) -> float:
    return len(one & two) / len(one | two) if one | two else 0.0


def _compare_rules(before: Summary, after: Summary, groups: dict[int, int | None]) -> tuple[RuleChange, ...]:
    left, made = list(after.rules), before.tells_outliers and after.tells_outliers
    changes = []
    for old in before.rules:
        new = _counterpart(old, [rule for rule in left if rule.group == groups[old.group]])
        if new is not None:
            left.remove(new)
        changes.append(RuleChange(_change(old, new, made=made), old, new, made))
    return (*changes, *(RuleChange("new", None, new, made) for new in left))


def _shape(rule: Rule) -> frozenset[tuple[Term, str, Hashable]]:
    """Describe a rule without its limits: `>` and `>=` are alike, and so are 5 and 6; "is a" and "is b" are not."""
    return frozenset(
        (c.column, c.op.rstrip("=") or "=", nan_safe_key(c.value) if c.op in ("==", "!=") else None)
        for c in rule.tag.conditions
    )


def _counterpart(old: Rule, candidates: list[Rule]) -> Rule | None:
    same = next((new for new in candidates if new.tag == old.tag), None)
    return same or next((new for new in candidates if _shape(new) == _shape(old)), None)


def _change(old: Rule, new: Rule | None, *, made: bool) -> str:
    if new is None:
        return "gone"
    if old.tag != new.tag:
        return "changed"
    right = old.outlier_share - new.outlier_share if made else old.precision - new.precision
    moved = max(abs(right), abs(old.recall - new.recall))
    return "drifted" if moved >= DRIFT else "same"


def _compare_rows(before: Summary, after: Summary, groups: dict[int, int | None]) -> pd.DataFrame:
    """List the rows whose group differs, after yesterday's numbers are translated into today's; none if not known."""
    if not (before.knows_rows and after.knows_rows):
        return frame_of([], ["label", "before", "after"])
    labels = {nan_safe_key(label): label for one in (after, before) for group in one.groups for label in group.rows}
    old, new = _numbers(before), _numbers(after)
    moved = [
        (labels[row], old.get(row, 0), new.get(row, 0))
        for row in dict.fromkeys([*old, *new])
        if (groups.get(old[row]) if row in old else 0) != new.get(row, 0)
    ]
    return frame_of(moved, ["label", "before", "after"])


def _numbers(one: Summary) -> dict[Hashable, int]:
    """Give the group of each outlier."""
    return {nan_safe_key(label): group.number for group in one.groups for label in group.rows}

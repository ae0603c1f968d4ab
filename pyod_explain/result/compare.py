"""What changed between two explanations: each rule is evaluated on the outliers of both, and chance is ruled out."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from pyod_explain.exceptions import PyodExplainError, visible
from pyod_explain.input import Outliers, Table, frame_of, nan_safe_key, stack
from pyod_explain.metrics import share
from pyod_explain.result.group import Rule
from pyod_explain.result.significance import SIGNIFICANT, DistinctRules, log_tail, p_value
from pyod_explain.result.summary import Figures, RuleChange, Summary
from pyod_explain.result.text import count, percent
from pyod_explain.search import search
from pyod_explain.settings import Settings
from pyod_explain.tags import Tag

MAX_NAMED_ROWS = 8
LEVEL = SIGNIFICANT / 2  # one half for what becomes of rules, one for the search for what is new
FIGURES = ("outliers", "all_outliers", "normals", "all_normals", "precision", "share")
CHANGE_COLUMNS = [
    *("change", "rule", "significant", "group_before", "group_after"),
    *(f"{name}_{side}" for name in FIGURES for side in ("before", "after")),
]
CHANGE_WORDS = {"new": "new", "gone": "gone", "changed": "changed", "same": "unchanged"}
CHANGE_WORDS |= {"found": "not new", "unknown": "not known"}


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed from one explanation to another.

    Attributes
    ----------
    rules : what became of each rule.
    rows : a row per outlier of the same table that only one of the two marks: its label, its group before and after; 0
        where it was no outlier. Empty where the two are of other rows.
    before, after : the two summaries.
    """

    rules: tuple[RuleChange, ...]
    rows: pd.DataFrame
    before: Summary = field(repr=False)
    after: Summary = field(repr=False)

    @property
    def changed(self) -> bool:
        """True if a significant rule is new, or a rule changed or is gone, and chance does not explain it."""
        return any(one.significant for one in self.rules)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per rule: what became of it, and its figures before and after; missing where not known."""
        frame = frame_of([_line(one) for one in self.rules], CHANGE_COLUMNS)
        whole = [name for name in CHANGE_COLUMNS[3:] if not name.startswith(("precision", "share"))]
        return frame.astype(dict.fromkeys(whole, "Int64"))

    def __repr__(self) -> str:
        parts = [f"{n} {CHANGE_WORDS[change]}" for change in CHANGE_WORDS if (n := len(self.some(change)))]
        return f"Comparison(rules: {', '.join(parts) or 'none'})"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, rows: bool = True) -> str:
        """Write what changed, in 80 columns.

        Parameters
        ----------
        rows : say which rows of the same table only one of the two marks.
        """
        lines = [*self.head(), *change_lines(self.rules), *(self.row_lines() if rows else [])]
        return "\n".join(map(_wrap, lines))

    def some(self, change: str) -> list[RuleChange]:
        """Give the rules of which the same became: `"new"`, `"gone"`, `"changed"`, `"same"`, `"found"`, `"unknown"`."""
        return [one for one in self.rules if one.change == change]

    def head(self) -> list[str]:
        """Say in a line each how much there was to explain before and after, and how well it is explained."""
        lines = []
        for side, s in (("before", self.before), ("after", self.after)):
            explained = f"{percent(s.n_explained, s.n_outliers)} {s.covered_word}"
            worth = f"precision {percent(s.reported_precision)}, share saved {percent(max(s.share_saved, 0))}"
            lines.append(visible(f"{side + ':':<7} {s.sizes_text}; {explained}, {worth}"))
        return lines

    def row_lines(self) -> list[str]:
        """Say which rows of the same table only one of the two marks; nothing of two tables."""
        lines = []
        for what, side in (("no longer marked", "after"), ("newly marked", "before")):
            labels = [visible(str(label)) for label in self.rows.loc[self.rows[side] == 0, "label"]]
            if labels:
                more = ", ..." if len(labels) > MAX_NAMED_ROWS else ""
                lines.append(f"{count(len(labels), 'row')} {what}: {', '.join(labels[:MAX_NAMED_ROWS])}{more}")
        return lines


def change_lines(changes: Sequence[RuleChange]) -> list[str]:
    """Write what became of each rule, a line each below what became of it."""
    lines = []
    for change, word in CHANGE_WORDS.items():
        some = [one for one in changes if one.change == change]
        if some:
            lines.append(f"{count(len(some), 'rule')} {word}:")
            lines.extend(f"  {visible(change_text(one))}" for one in some)
    return lines or ["There is no rule to compare."]


def change_text(one: RuleChange) -> str:
    """Write what became of a rule: what it matches now and matched before, and what differs more than by chance."""
    sides = (one.after, one.before)
    now, then = ("not known" if side is None else _outliers_text(side) for side in sides)
    parts = [f"{one.rule.text}: now {now}, before {then}"]
    precisions = [None if side is None else side.precision for side in sides]
    if precisions[0] is not None:
        parts.append(f"precision {percent(precisions[0])}")
        if precisions[1] is not None:
            parts[-1] += f", before {percent(precisions[1])}"
    return "; ".join([*parts, *change_notes(one)])


def change_notes(one: RuleChange) -> list[str]:
    """Say what a reader should know of a change beside its figures."""
    notes = [_difference_text(one, name) for name in one.differs]
    if one.change == "gone" and not one.significant:
        notes.append("chance may explain it")
    if one.change in ("same", "changed") and not one.listed_after:
        notes.append("not among the rules now")
    if one.change == "new" and not one.listed_after:
        notes.append("found by comparing the outliers")
    if one.expired:
        notes.append(f"known until {one.rule.expires}")
    return notes + [text for text in (one.rule.owner, one.rule.note) if text]


def changes_sentence(changes: Sequence[RuleChange], subject: str = "Rules") -> str:
    """Count what became of the rules."""
    found = [(sum(one.change == change for one in changes), word) for change, word in CHANGE_WORDS.items()]
    if not any(n for n, _ in found):
        return "There is no rule to compare."
    expired = sum(one.expired for one in changes)
    also = f" Expired: {count(expired, 'known rule')}." if expired else ""
    return f"{subject}: {', '.join(f'{n:,} {word}' for n, word in found if n)}.{also}"


def _outliers_text(side: Figures) -> str:
    return f"{side.n_outliers:,} of {count(side.total_outliers, 'outlier')}"


def _difference_text(one: RuleChange, name: str) -> str:
    """Write a difference of two shares, with its 95 percent interval."""
    assert one.before is not None and one.after is not None  # noqa: S101, PT018 - else nothing differs
    parts = [side.part(name) for side in (one.after, one.before)]
    low, high = difference_interval(*parts)
    moved = 100 * (share(*parts[0]) - share(*parts[1]))
    what = {"share": "share of the outliers", "rate": "share of the rows"}.get(name, name)
    return f"{what} {moved:+.0f} points (95% interval {100 * low:+.0f} to {100 * high:+.0f})"


def difference_interval(one: tuple[int, int], other: tuple[int, int]) -> tuple[float, float]:
    """Give the 95 percent interval of a difference of two shares (Newcombe, of two Wilson intervals).

    >>> low, high = difference_interval((56, 70), (48, 80))
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    wilson = [(k / n, *binomtest(k, n).proportion_ci(method="wilson")) for k, n in (one, other)]
    (p, p_low, p_high), (q, q_low, q_high) = wilson
    return p - q - math.hypot(p - p_low, q_high - q), p - q + math.hypot(p_high - p, q - q_low)


def _wrap(line: str) -> str:
    lead = "  " if line.startswith("  ") else ""
    text = line.removeprefix(lead)
    return textwrap.fill(text, 80, initial_indent=lead, subsequent_indent="    ", break_on_hyphens=False)


def _line(one: RuleChange) -> dict[str, object]:
    result: dict[str, object] = {"change": one.change, "rule": one.rule.text, "significant": one.significant}
    for side, figures, group in (("before", one.before, one.group_before), ("after", one.after, one.group_after)):
        result[f"group_{side}"] = group or None
        if figures is not None:
            values = (figures.n_outliers, figures.total_outliers, figures.n_normals, figures.total_normals)
            told = zip(FIGURES, (*values, figures.precision, figures.share), strict=True)
            result |= {f"{name}_{side}": value for name, value in told}
    return result


def compare(before: Summary, after: Summary) -> Comparison:
    """Compare two explanations of the same kind of table.

    Each rule of either is evaluated on the outliers of the other, whose cells an explanation keeps. How many normal
    rows it matches is known where it is a rule of that explanation.

    Parameters
    ----------
    before, after : the summaries.
    """
    if before.tables is not None or after.tables is not None:
        problem = "compare() needs two explanations of outliers, got one of what is new in a table."
        raise PyodExplainError(problem, hint="explain_new(now, before) compares two tables.")
    then, now = Side.of(before), Side.of(after)
    new = [] if before.cells is None or after.cells is None else new_kinds(after.cells, before.cells)
    contrast = {rule.tag: rule for rule in new}
    rules = {**contrast, **then.rules, **now.rules}
    changes = []
    for tag, rule in rules.items():
        figures, listed = (then.figures(tag), now.figures(tag)), (then.rules.get(tag), now.rules.get(tag))
        changes.append(judge(rule, *figures, listed, n_rules=len(rules), new=tag in contrast))
    return Comparison(tuple(in_order(changes, after.cells)), _marked_by_one(before, after), before, after)


def new_kinds(now: Table, before: Table) -> list[Rule]:
    """Give rules that more of the outliers now meet than before, by more than chance and the search explain.

    Dates are left out: they differ between any two days.

    Parameters
    ----------
    now, before : the cells of the outliers of either side.
    """
    table = stack(now, before)
    table = table.drop([name for name, column in table.columns.items() if column.kind == "datetime"])
    if not now.n_rows or not before.n_rows or not table.columns:
        return []
    labels = np.repeat([1, 0], [now.n_rows, before.n_rows])
    found = search(table.by_name(), Outliers(labels, "now"), Settings(relations=False))
    distinct, sizes = DistinctRules(table), (now.total_rows, before.total_rows)
    rules = []
    for tag in (tag for one in found.rules for tag in one):
        holds = tag.covers(table)
        matched = [table.count(holds & (labels == side)) for side in (1, 0)]
        log_rules = distinct.log_count(tag, sizes[0])
        p = p_value(matched[0], matched[1], *sizes, log_rules)
        if p < LEVEL:
            rules.append(Rule(tag, 0, matched[0], 0, 0, sizes[0], 0, p, matched[0], log_rules=log_rules))
    return rules


def is_more(after: Figures | None, before: Figures | None, log_rules: float) -> bool:
    """Tell whether a rule matches a larger share of the outliers than before, by more than the search explains."""
    if after is None or before is None:
        return False
    return _log_more(after.part("share"), before.part("share")) + log_rules < math.log(LEVEL)


def in_order(changes: Iterable[RuleChange], cells: Table | None) -> list[RuleChange]:
    """Put changes in the order in which they are told, without new rules that repeat a new rule of the explanation.

    Parameters
    ----------
    changes : the changes.
    cells : the cells of the outliers now.
    """
    order, changes = list(CHANGE_WORDS), list(changes)
    if cells is not None:
        listed = [one.rule.tag.covers(cells) for one in changes if one.change == "new" and one.listed_after]
        told = np.logical_or.reduce(listed) if listed else np.zeros(cells.n_rows, dtype=bool)
        extra = [one.rule.tag for one in changes if one.change == "new" and not one.listed_after]
        repeated = {tag for tag in extra if 2 * (tag.covers(cells) & told).sum() >= tag.covers(cells).sum()}
        changes = [one for one in changes if one.rule.tag not in repeated]
    return sorted(changes, key=lambda one: (order.index(one.change), one.expired is False))


@dataclass(frozen=True, eq=False)
class Side:
    """One of two explanations that are compared.

    Attributes
    ----------
    rules : its rules, by their tags.
    cells : the cells of its outliers, or None where they are not known.
    total_normals : number of its normal rows.
    """

    rules: Mapping[Tag, Rule]
    cells: Table | None
    n_outliers: int
    total_normals: int

    @classmethod
    def of(cls, s: Summary) -> Side:
        """Take what is asked of an explanation; one without outliers has no cells, and none are needed."""
        return cls({rule.tag: rule for rule in s.rules}, s.cells, s.n_outliers, s.n_normals)

    def figures(self, tag: Tag) -> Figures | None:
        """Count what a rule matches; None where nobody can say."""
        rule = self.rules.get(tag)
        if rule is not None:
            return Figures(rule.n_outliers + rule.n_others, self.n_outliers, rule.n_normals, self.total_normals)
        if not self.n_outliers:
            return Figures(0, 0)
        if self.cells is None or not set(tag.columns) <= set(self.cells.columns):
            return None
        return Figures(self.cells.count(tag.covers(self.cells)), self.n_outliers, None, self.total_normals)


def judge(
    rule: Rule,
    before: Figures | None,
    after: Figures | None,
    listed: tuple[Rule | None, Rule | None],
    *,
    n_rules: int,
    new: bool = False,
    expired: bool = False,
    unseen: str = "unknown",
) -> RuleChange:
    """Tell what became of a rule: what differs by more than drawing the rows, and searching among them, explains.

    A rule that was chosen by the rows of one side matches them better than others, so a difference in favour of that
    side counts only if it would be one for the best of all rules of its kind.

    Parameters
    ----------
    rule : the rule.
    before, after : what it matches on either side, where that is known.
    listed : the same rule among those of either side, or None.
    n_rules : number of rules that are judged.
    new : True if `new_kinds` gives it.
    expired : True if it was known until a day that is past.
    unseen : what becomes of a significant rule that is not among those before, whose rows are not known.
    """
    differs = {"share"} if new else set()
    if before is not None and after is not None:
        searched = [one.log_rules if one is not None and not one.known else 0.0 for one in listed]
        for name in _comparable(before, after, known=listed[0] is not None):
            parts = before.part(name), after.part(name)
            tails = [_log_more(one, other) for one, other in (parts, parts[::-1])]
            if min(map(sum, zip(tails, searched, strict=True))) + math.log(4 * n_rules) < math.log(LEVEL):
                differs.add(name)
    change = _change(rule, before, after, listed, differs, unseen)
    alarm = rule.significant if change == "new" else bool(differs) and change in ("gone", "changed")
    listed_before, listed_after = (one is not None for one in listed)
    groups = tuple(0 if one is None else one.group for one in listed)
    told = change, rule, before, after, alarm, tuple(sorted(differs)), listed_before, listed_after
    return RuleChange(*told, groups[0], groups[1], expired)


def _change(
    rule: Rule,
    before: Figures | None,
    after: Figures | None,
    listed: tuple[Rule | None, Rule | None],
    differs: Collection[str],
    unseen: str,
) -> str:
    if after is None or (before is None and listed[0] is None):
        return unseen if listed[0] is None and rule.significant else "unknown"
    if listed[0] is None:
        more = before is not None and any(share(*after.part(one)) > share(*before.part(one)) for one in differs)
        return "new" if more and rule.significant else "found"
    if not after.n_outliers and (before is None or before.n_outliers):
        return "gone"
    return "changed" if differs else "same"


def _comparable(before: Figures, after: Figures, *, known: bool) -> list[str]:
    """Name the shares to compare: of the outliers; of the rows, for what is new; and the precision of known rules."""
    if not known:
        return ["share", "rate"] if None not in (before.total_normals, after.total_normals) else ["share"]
    return ["share", "precision"] if None not in (before.precision, after.precision) else ["share"]


def _log_more(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Give the logarithm of the chance that a share is as much larger than another if both are draws from one."""
    return log_tail(one[0], other[0], one[1], other[1])


def _marked_by_one(before: Summary, after: Summary) -> pd.DataFrame:
    """List the outliers that only one of two explanations of the same rows marks.

    Labels may stand for other rows: the two are of the same rows if they have as many, and the outliers that both mark
    have the same cells.
    """
    sides = [[(label, group.number) for group in s.groups for label in group.rows] for s in (before, after)]
    groups = [{nan_safe_key(label): number for label, number in one} for one in sides]
    labels = {nan_safe_key(label): label for one in sides for label, _ in one}
    both = [key for key in groups[0] if key in groups[1]]
    moved = []
    if both and before.n_table_rows == after.n_table_rows and _same_cells(before, after, both):
        keys = chain(groups[0], groups[1])
        moved = [(labels[k], *(one.get(k, 0) for one in groups)) for k in dict.fromkeys(keys) if k not in both]
    return frame_of(moved, ["label", "before", "after"])


def _same_cells(before: Summary, after: Summary, keys: Sequence[Any]) -> bool:
    if before.cells is None or after.cells is None:
        return False
    tables = []
    for cells in (before.cells, after.cells):
        place = {nan_safe_key(label): i for i, label in enumerate(cells.index.tolist())}
        if len(place) < cells.n_rows:
            return False
        tables.append(cells.take(pd.array([place[key] for key in keys], dtype="int64").to_numpy()))
    one, other = (replace(table, columns=dict(sorted(table.columns.items()))) for table in tables)
    return list(one.columns) == list(other.columns) and all(
        column.same_cells(other[name]) for name, column in one.columns.items()
    )

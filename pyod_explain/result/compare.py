"""What changed between two explanations: each rule is evaluated on the outliers of both, and chance is ruled out."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from pyod_explain.exceptions import PyodExplainError, visible
from pyod_explain.input import Column, Outliers, Table, frame_of, nan_safe_key, sample_rows, stack
from pyod_explain.input.values import from_utc
from pyod_explain.metrics import share
from pyod_explain.result.group import Rule
from pyod_explain.result.significance import SIGNIFICANT, DistinctRules, log_tail, p_value
from pyod_explain.result.summary import Figures, RuleChange, Summary
from pyod_explain.result.text import count, percent
from pyod_explain.search import search
from pyod_explain.settings import Settings
from pyod_explain.tags import Tag

MAX_NAMED_ROWS = 8
NEARLY_ALL = (0.02, 0.98)  # of the rows: a few late ones make no second day
DAY = np.timedelta64(1, "D").astype("m8[ns]")
MAX_SEARCHED_OUTLIERS = 5_000  # outliers of either side, among which new kinds are searched
FIGURES = ("outliers", "all_outliers", "normals", "all_normals", "precision", "share")
CHANGE_COLUMNS = [
    *("change", "rule", "significant", "group_before", "group_after"),
    *(f"{name}_{side}" for name in FIGURES for side in ("before", "after")),
]
CHANGE_WORDS = {
    "new": "new", "gone": "gone", "changed": "changed", "same": "still there", "known": "known",
    "found": "found now, not shown to be new", "unknown": "not known",
}  # fmt: skip


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
        """Give the rules of which the same became: `"new"`, `"gone"` and so on, as for `RuleChange`."""
        return [one for one in self.rules if one.change == change]

    def head(self) -> list[str]:
        """Say in a line each how much there was to explain before and after, and how well it is explained."""
        lines = []
        for side, s in (("before", self.before), ("after", self.after)):
            explained = (
                f"{percent(s.n_explained, s.n_outliers)} {s.covered_word}, precision {percent(s.reported_precision)}"
            )
            saved = f"; {explained}, share saved {percent(max(s.share_saved, 0))}" if s.rules else ""
            lines.append(visible(f"{side + ':':<7} {s.sizes_text}{saved}"))
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
    now, then = ("not known" if side is None else _outliers_text(side) for side in (one.after, one.before))
    parts = [f"{one.rule.text}: {now}" if one.change == "known" else f"{one.rule.text}: now {now}, before {then}"]
    precisions = [None if side is None else side.precision for side in (one.after, one.before)]
    if precisions[0] is not None:
        parts.append(f"precision {percent(precisions[0])}")
        if precisions[1] is not None:
            parts[-1] += f", before {percent(precisions[1])}"
    return "; ".join([*parts, *change_notes(one)])


def change_notes(one: RuleChange) -> list[str]:
    """Say what a reader should know of a change beside its figures."""
    notes = list(dict.fromkeys(_difference_text(one, name) for name in one.differs))
    if one.change == "gone" and one.before is not None and not one.differs:
        notes.append("chance may explain it")
    if one.change in ("same", "changed") and not one.listed_after:
        notes.append("not among the rules now")
    if one.change == "new" and not one.listed_after and one.before is not None:
        notes.append("found by comparing the outliers")
    if one.expired:
        notes.append(f"expired on {one.rule.expires}")
    return notes + [text for text in (one.rule.owner, one.rule.note) if text]


def changes_sentence(changes: Sequence[RuleChange], subject: str = "Rules") -> str:
    """Count what became of the rules."""
    found = [(sum(one.change == change for one in changes), word) for change, word in CHANGE_WORDS.items()]
    if not any(n for n, _ in found):
        return "There is no rule to compare."
    expired = [one.rule.text for one in changes if one.expired]
    more = ", ..." if len(expired) > MAX_NAMED_ROWS else ""
    also = f" Expired: {', '.join(expired[:MAX_NAMED_ROWS])}{more}." if expired else ""
    return f"{subject}: {', '.join(f'{n:,} {word}' for n, word in found if n)}.{also}"


def _outliers_text(side: Figures) -> str:
    return f"{side.n_outliers:,} of {count(side.total_outliers, 'outlier')}"


def _difference_text(one: RuleChange, name: str) -> str:
    """Write a difference of two shares, with its 95 percent interval."""
    assert one.before is not None and one.after is not None  # noqa: S101, PT018 - else nothing differs
    if not one.before.total_outliers or not one.after.total_outliers:
        name = "rate"
    parts = [side.part(name) for side in (one.after, one.before)]
    points = [100 * one for one in (share(*parts[0]) - share(*parts[1]), *difference_interval(*parts))]
    moved, low, high = (f"{one:+.{int(abs(points[0]) < 10)}f}" for one in points)
    what = {"share": "share of the outliers", "rate": "share of the rows"}.get(name, name)
    return f"{what} {moved} points (95% interval {low} to {high})"


def difference_interval(one: tuple[int, int], other: tuple[int, int]) -> tuple[float, float]:
    """Give the 95 percent interval of a difference of two shares (Newcombe, of two Wilson intervals).

    >>> low, high = difference_interval((56, 70), (48, 80))
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    (p, p_low, p_high), (q, q_low, q_high) = (
        (k / n, *binomtest(k, n).proportion_ci(method="wilson")) for k, n in (one, other)
    )
    return p - q - math.hypot(p - p_low, q_high - q), p - q + math.hypot(p_high - p, q - q_low)


def _wrap(line: str) -> str:
    lead = "  " if line.startswith("  ") else ""
    return textwrap.fill(
        line.removeprefix(lead), 80, initial_indent=lead, subsequent_indent="    ", break_on_hyphens=False
    )


def _line(one: RuleChange) -> dict[str, object]:
    result: dict[str, object] = {"change": one.change, "rule": one.rule.text, "significant": one.significant}
    for side, figures, group in (("before", one.before, one.group_before), ("after", one.after, one.group_after)):
        result[f"group_{side}"] = group or None
        if figures is not None:
            values = (figures.n_outliers, figures.total_outliers, figures.n_normals, figures.total_normals)
            result |= {
                f"{name}_{side}": value
                for name, value in zip(FIGURES, (*values, figures.precision, figures.share), strict=True)
            }
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
        raise PyodExplainError(
            "compare() needs two explanations of outliers, got one of what is new in a table.",
            hint="explain_new(now, before) compares two tables.",
        )
    then, now = Side.of(before, after), Side.of(after, before)
    new = [] if before.cells is None or after.cells is None else new_kinds(after.cells, before.cells)
    new = [_against_normals(rule, after.normal_cells) for rule in new]
    known = known_rules(before)
    rules = {**{rule.tag: rule for rule in new}, **known, **now.rules}
    is_covered = covered_by(known, now.cells)
    changes = []
    for tag, rule in rules.items():
        sides, listed = (then.figures(tag), now.figures(tag)), (known.get(tag), now.rules.get(tag))
        changes.append(judge(rule, sides, listed, n_rules=len(rules), covered=is_covered(tag)))
    return Comparison(tuple(sorted_changes(changes, after.cells)), _marked_by_one(before, after), before, after)


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
    sides = (np.flatnonzero(labels == side) for side in (1, 0))
    some = np.concatenate([sample_rows(table, rows, MAX_SEARCHED_OUTLIERS, random_state=0) for rows in sides])
    found = search(table.by_name().take(some), Outliers(labels[some], "now"), Settings(relations=False))
    distinct, sizes = DistinctRules(table), (now.total_rows, before.total_rows)
    rules = []
    for tag in (tag for one in found.rules for tag in one):
        holds = tag.covers(table)
        matched = [table.count(holds & (labels == side)) for side in (1, 0)]
        log_rules = distinct.log_count(tag, sizes[0])
        p = p_value(matched[0], matched[1], *sizes, log_rules)
        if p < SIGNIFICANT:
            rules.append(Rule(tag, 0, matched[0], 0, 0, sizes[0], 0, p, matched[0], log_rules=log_rules))
    return rules


def _against_normals(rule: Rule, normals: Table | None) -> Rule:
    """Give the rule with its p-value against a sample of the normal rows; 1 without one: all rows may match."""
    if normals is None or not set(rule.tag.columns) <= set(normals.columns):
        return replace(rule, p_value=1.0)
    n, total = normals.count(rule.tag.covers(normals)), normals.total_rows
    return replace(rule, p_value=p_value(rule.n_outliers, n, rule.group_size, total, rule.log_rules))


def covered_by(known: Iterable[Tag], cells: Table | None) -> Callable[[Tag], bool]:
    """Give a function that tells whether known rules cover most of the outliers that a rule matches."""
    if cells is None:
        return lambda _: False
    there = [tag for tag in known if set(tag.columns) <= set(cells.columns)]
    covered = np.logical_or.reduce([np.zeros(cells.n_rows, dtype=bool), *(tag.covers(cells) for tag in there)])

    def is_covered(tag: Tag) -> bool:
        if not set(tag.columns) <= set(cells.columns):
            return False
        own = tag.covers(cells)
        return 2 * cells.count(own & covered) >= cells.count(own)

    return is_covered


def sorted_changes(changes: Iterable[RuleChange], cells: Table | None) -> list[RuleChange]:
    """Sort changes as reports show them, without new rules that repeat a new rule of the explanation.

    Parameters
    ----------
    changes : the changes.
    cells : the cells of the outliers now.
    """
    order, kept = list(CHANGE_WORDS), []
    shown = np.zeros(0 if cells is None else cells.n_rows, dtype=bool)
    for one in sorted(changes, key=lambda one: (order.index(one.change), not one.listed_after, not one.expired)):
        if one.change == "new" and cells is not None:
            own = one.rule.tag.covers(cells)
            if not one.listed_after and 2 * cells.count(own & shown) >= cells.count(own):
                continue
            shown |= own
        if one.listed_before or one.listed_after or one.change == "new":
            kept.append(one)
    return kept


def known_rules(s: Summary) -> dict[Tag, Rule]:
    """Give the rules of an explanation, and those that were known to it and that somebody marked."""
    marked = (one.rule for one in s.changes or () if one.rule.marked)
    return {rule.tag: rule for rule in (*marked, *s.rules)}


@dataclass(frozen=True, eq=False)
class Side:
    """One of two explanations that are compared.

    Attributes
    ----------
    rules : its rules, by their tags.
    cells : the cells of its outliers; None where they are not known.
    times : its times, on the days of the other side where the rows of either are of one day.
    n_outliers, total_normals : number of its outliers, and of its normal rows.
    """

    rules: Mapping[Tag, Rule]
    cells: Table | None
    times: Mapping[str, Column]
    n_outliers: int
    total_normals: int

    @classmethod
    def of(cls, s: Summary, other: Summary | None) -> Side:
        """Take what is asked of an explanation; one without outliers has no cells, and none are needed.

        A column of another kind there is left out: what a rule says of numbers, it does not say of texts. So are times
        of which the two have none in common, unless they can be moved: whether rows of another time meet a rule says
        nothing.
        """
        cells, times = s.cells, {}
        if cells is not None and other is not None and other.cells is not None:
            there = other.cells.columns
            alike = {name: one for name, one in cells.columns.items() if name not in there or one.like(there[name])}
            cells = replace(cells, columns=alike)
            dates = [name for name, one in alike.items() if one.kind == "datetime" and name in there]
            times = {name: _move_to_days_of(name, s, other) for name in dates}
        rules = {rule.tag: rule for rule in s.rules}
        return cls(rules, cells, {k: v for k, v in times.items() if v is not None}, s.n_outliers, s.n_normals)

    def figures(self, tag: Tag) -> Figures | None:
        """Count what a rule matches; None where nobody can say."""
        rule, cells = self.rules.get(tag), self.cells
        if rule is not None:
            return Figures(rule.n_outliers + rule.n_others, self.n_outliers, rule.n_normals, self.total_normals)
        if not self.n_outliers:
            return Figures(0, 0, None, self.total_normals)
        if cells is None or not set(tag.columns) <= set(cells.columns):
            return None
        matched = np.ones(cells.n_rows, dtype=bool)
        for condition in tag.conditions:
            column = cells[condition.column]
            if isinstance(condition.column, str) and column.kind == "datetime" and condition.value is not None:
                if condition.column not in self.times:
                    return None
                column = self.times[condition.column]
            matched &= condition.holds(column)
        return Figures(cells.count(matched), self.n_outliers, None, self.total_normals)


def _move_to_days_of(name: str, s: Summary, other: Summary) -> Column | None:
    """Move the outliers' times by whole days to those of another table, if the rows of either are of one day.

    So a rule on the hours of one night is evaluated at the same hours of another. None of times that have none in
    common and cannot be moved.
    """
    assert s.cells is not None  # noqa: S101 - it has the column
    column, spans = s.cells[name], []
    for side in (s, other):
        tables = [table for table in (side.cells, side.normal_cells) if table is not None and name in table.columns]
        values = np.concatenate([table[name].values[~table[name].missing] for table in tables])
        if not len(values):
            return column
        spans.append(np.sort(values)[[int(share * (len(values) - 1)) for share in NEARLY_ALL]])
    (low, high), (first, last) = spans
    days = round((first - low) / DAY)
    if max(high - low, last - first) >= DAY:
        return column if low <= last and first <= high else None
    if not days:
        return column
    local = from_utc(pd.DatetimeIndex(column.values), column.timezone) + pd.DateOffset(days=days)
    moved = local if column.timezone is None else local.tz_convert("UTC").tz_localize(None)
    return replace(column, values=np.asarray(moved, dtype="M8[ns]"))


def judge(
    rule: Rule,
    sides: tuple[Figures | None, Figures | None],
    listed: tuple[Rule | None, Rule | None],
    *,
    n_rules: int,
    covered: bool = False,
    expired: bool = False,
    unseen: str = "unknown",
) -> RuleChange:
    """Tell what became of a rule: what differs by more than drawing the rows, and searching among them, explains.

    A rule that was chosen by the rows of one side matches them better than others, so a difference in favour of that
    side counts only if it would be one for the best of all rules of its kind.

    Parameters
    ----------
    rule : the rule.
    sides : what it matches before and after, where that is known.
    listed : the same rule among those of either side, or None.
    n_rules : number of rules that are judged.
    covered : True if rules of before cover most of the outliers that it matches now.
    expired : True if it was known until a day that is past.
    unseen : what becomes of a significant rule that is not among those before, whose rows are not known.
    """
    before, after = sides
    found = listed if any(listed) else (None, rule)  # the rows that it was chosen by
    searched = [0.0 if one is None or one.known else one.log_rules for one in found]
    differs: list[str] = []
    if before is not None and after is not None:
        limit = math.log(SIGNIFICANT / (4 * n_rules))
        differs = [
            name
            for name in _comparable(before, after, known=listed[0] is not None, covered=covered)
            if min(map(sum, zip(_log_tails(before, after, name), searched, strict=True))) < limit
        ]
    change = _change(rule, before, after, differs, unseen, known=listed[0] is not None)
    marked = rule.marked and not expired
    # That a cause which somebody accepted comes and goes is no alarm.
    alarm = (
        change == "changed" and "precision" in differs if marked else bool(differs) and change in ("gone", "changed")
    )
    group_before, group_after = (0 if one is None else one.group for one in listed)
    return RuleChange(
        change=change,
        rule=rule,
        before=before,
        after=after,
        significant=rule.significant and not marked if change == "new" else alarm,
        differs=tuple(differs),
        listed_before=listed[0] is not None,
        listed_after=listed[1] is not None,
        group_before=group_before,
        group_after=group_after,
        expired=expired,
    )


def _change(
    rule: Rule, before: Figures | None, after: Figures | None, differs: Sequence[str], unseen: str, *, known: bool
) -> str:
    if not known:
        if before is None or after is None:
            return unseen if rule.significant else "unknown"
        more = any(share(*after.part(name)) > share(*before.part(name)) for name in differs)
        return "new" if more and rule.significant else "found"
    if after is None:
        return "unknown"
    if before is None and after.n_outliers:
        return "known"
    if not after.n_outliers and (before is None or before.n_outliers):
        return "gone"
    return "changed" if differs else "same"


def _comparable(before: Figures, after: Figures, *, known: bool, covered: bool) -> list[str]:
    """Name what to compare: the share of the outliers, the precision of known rules; of others, how many rows it is of.

    The last only if known rules do not cover most of its outliers already: else there are more of the same.
    """
    if not known and not covered and None not in (before.total_normals, after.total_normals):
        return ["share", "rate"]
    return ["share", "precision"] if known and None not in (before.precision, after.precision) else ["share"]


def _log_tails(before: Figures, after: Figures, name: str) -> list[float]:
    """Give the logarithms of the chances that a share was as much larger before, and that it is as much larger now.

    Where another kind of outliers came or went, the share of the outliers changes of every kind that stayed: it counts
    only if the share of the rows does so, too.
    """
    names = [name]
    if name == "share" and None not in (before.total_normals, after.total_normals):
        names = ["share", "rate"] if before.total_outliers and after.total_outliers else ["rate"]
    pairs = [(before.part(one), after.part(one)) for one in names]
    return [max(_log_more(one, other) for one, other in some) for some in (pairs, [pair[::-1] for pair in pairs])]


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

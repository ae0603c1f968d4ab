"""Rules that are known before the search: read from an explanation, a file or a table, and judged on today's rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain.exceptions import FileError, ParameterError, shown
from pyod_explain.input import Table
from pyod_explain.report import from_json
from pyod_explain.result import Figures, GroupExplanation, Rule, Summary, p_value
from pyod_explain.result.compare import Side, covered_by, judge, known_rules, sorted_changes
from pyod_explain.tags import Tag, read_rule

ACCEPTED = "an explanation or its path (.json), a table with a column `rule` or its path (.csv), or a list of rules"


@dataclass(frozen=True, eq=False)
class Known:
    """Rules that are known before the search.

    Attributes
    ----------
    rules : the rules, each once; their figures are of the rows where they were found.
    before : the explanation that they are of; None where they were listed.
    names : the names that somebody gave to the groups of the rules.
    """

    rules: tuple[Rule, ...]
    before: Summary | None = None
    names: Mapping[Tag, str] = field(default_factory=dict)

    @property
    def tags(self) -> tuple[Tag, ...]:
        return tuple(rule.tag for rule in self.rules)


def read_known(known: Any, table: Table) -> Known | None:
    """Read what was passed as `known`; None where nothing was.

    Of an explanation these are its rules, and those of its own known rules that somebody marked: with an owner, a note
    or a day until which they are known.

    Parameters
    ----------
    known : as for `explain`.
    table : today's rows, whose columns rules name that are given as text.
    """
    if known is None:
        return None
    if isinstance(known, str | Path):
        known = _read_file(Path(known))
    summary = getattr(known, "summary", known)
    if isinstance(summary, Summary) and summary.tables is not None:
        raise _wrong("an explanation of what is new in a table")
    if isinstance(summary, Summary):
        return _of_summary(summary)
    if isinstance(known, pd.DataFrame):
        if "rule" not in known.columns:
            raise _wrong(f"a table with the columns {list(map(str, known.columns))}")
        cells = known.astype(object).where(known.notna(), "")
        lines = [dict(zip(map(str, cells.columns), line, strict=True)) for line in cells.itertuples(index=False)]
        lines = [line for line in lines if line["rule"] != ""]
    elif isinstance(known, Iterable) and not isinstance(known, bytes | Mapping):
        lines = [{"rule": one} for one in known]
    else:
        raise _wrong(shown(known))
    rules = [_of_line(one, table) for one in lines]
    names = {rule.tag: str(one["name"]) for rule, one in zip(rules, lines, strict=True) if one.get("name")}
    return Known(tuple({rule.tag: rule for rule in rules}.values()), names=names)


def _wrong(got: str) -> ParameterError:
    hint = "a rule is text such as \"amount >= 500 and kind is 'web'\", or a Tag."
    return ParameterError("known", ACCEPTED, got_text=got, hint=hint, owner="explain()")


def _read_file(path: Path) -> Any:
    if path.suffix.lower() not in (".json", ".csv"):
        raise _wrong(shown(str(path)))
    try:
        if path.suffix.lower() == ".csv":
            with path.open(encoding="utf-8-sig") as file:
                head = file.readline()
            sep = ";" if ";" in head and "," not in head else ","
            table = pd.read_csv(path, sep=sep, dtype=str, keep_default_na=False, encoding="utf-8-sig")
            return table.replace(r"^'(?=[-=+@])", "", regex=True)  # as `to_csv` writes what a spreadsheet would run
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise FileError(f"{path} could not be read: {getattr(error, 'strerror', None) or error}.") from error
    return from_json(content)


def _of_summary(summary: Summary) -> Known:
    rules = known_rules(summary)
    for rule in rules.values():
        _check_day(rule.expires)
    return Known(tuple(rules.values()), summary, names_of(summary.groups))


def names_of(groups: Iterable[GroupExplanation]) -> dict[Tag, str]:
    """Give the names of groups that somebody named, by their rules."""
    named = [group for group in groups if group.name != str(group.number)]
    return {rule.tag: group.name for group in named for rule in group.rules}


def _of_line(line: Mapping[str, Any], table: Table) -> Rule:
    """Read a rule of a list or a table: text, or a `Tag`."""
    tag = getattr(line["rule"], "tag", line["rule"])
    if isinstance(tag, str):
        try:
            tag = read_rule(tag, table)
        except ValueError:
            names = ", ".join(list(table.columns)[:8])
            hint = f"A rule is text such as \"amount >= 500 and kind is 'web'\"; the columns are {names}."
            requirement = "rules about the columns of the table"
            raise ParameterError("known", requirement, got_text=shown(tag), hint=hint, owner="explain()") from None
    if not isinstance(tag, Tag):
        raise _wrong(f"a list with {shown(tag)}")
    owner, note, expires = (_text(line.get(name)) for name in ("owner", "note", "expires"))
    _check_day(expires)
    return Rule(tag, 0, 0, 0, 0, 0, 0, 1.0, 0, known=True, owner=owner, note=note, expires=expires)


def _text(cell: Any) -> str:
    """Write a mark: a moment as its day."""
    return (cell.strftime("%Y-%m-%d") if isinstance(cell, dt.date) else str(cell)) if cell else ""


def _check_day(text: str) -> None:
    try:
        valid = not text or dt.date.fromisoformat(text).isoformat() == text
    except ValueError:
        valid = False
    if not valid:
        raise ParameterError(
            "known", "rules that expire on a day such as 2026-12-31", got_text=shown(text), owner="explain()"
        ) from None


def without_returned(now: Table, known: Iterable[Tag], before: Table) -> Table:
    """Leave out the outliers of known rules that no outlier met before: what returns is no new kind.

    Parameters
    ----------
    now, before : the outliers' cells of either side.
    known : the rules.
    """
    returned = [tag for tag in known if set(tag.columns) <= set(before.columns) and not tag.covers(before).any()]
    return now.take(np.flatnonzero(~np.any([tag.covers(now) for tag in returned], axis=0))) if returned else now


def may_be_counted(tag: Tag, known: Known, table: Table) -> bool:
    """Tell whether today's rows that meet a rule can be counted as they are: dates are compared by the hour.

    Parameters
    ----------
    tag : the rule.
    known : the rules that are known, with the earlier cells.
    table : today's rows.
    """
    there = {} if known.before is None or known.before.cells is None else known.before.cells.columns
    if not all(name in table.columns and table[name].like(there.get(name, table[name])) for name in tag.columns):
        return False
    dated = (c for c in tag.conditions if isinstance(c.column, str) and table[c.column].kind == "datetime")
    return all(c.value is None for c in dated)


def judge_known(
    summary: Summary, known: Known, counted: Mapping[Tag, Figures], new: Iterable[Rule], today: str
) -> Summary:
    """Mark the rules that were known, and tell what became of each, and which rules are new.

    Parameters
    ----------
    summary : today's, found with these rules known.
    known : the rules.
    counted : what rules match that are not among today's, where all rows were counted.
    new : what `new_kinds` gives; a rule counts only if it tells the outliers from today's normal rows, too.
    today : the day, as 2026-12-31.
    """
    marks = {rule.tag: rule for rule in known.rules}
    summary = replace(summary, groups=tuple(_marked(group, marks, known.names) for group in summary.groups))
    now, then = Side.of(summary, known.before), None if known.before is None else Side.of(known.before, summary)
    contrast = {rule.tag: _against_normals(rule, counted.get(rule.tag)) for rule in new}
    rules = {**contrast, **marks, **now.rules}
    unseen = "new" if known.before is None or known.before.cells is None else "unknown"
    is_covered = covered_by(marks, summary.cells)
    changes = []
    for tag, rule in rules.items():
        before = None if then is None else then.figures(tag)
        after = counted[tag] if tag in counted and tag not in now.rules else now.figures(tag)
        listed = (marks.get(tag), now.rules.get(tag))
        expired = bool(rule.expires) and rule.expires < today
        sides, n = (before, after), len(rules)
        changes.append(judge(rule, sides, listed, n_rules=n, covered=is_covered(tag), expired=expired, unseen=unseen))
    return replace(summary, changes=tuple(sorted_changes(changes, summary.cells)))


def _against_normals(rule: Rule, figures: Figures | None) -> Rule:
    """Give the rule with the p-value of how it tells outliers from normal rows; 1 where these were not counted."""
    if figures is None or figures.n_normals is None or figures.total_normals is None:
        return replace(rule, p_value=1.0)
    n, total = figures.n_normals, figures.total_normals
    p = p_value(figures.n_outliers, n, figures.total_outliers, total, rule.log_rules)
    return replace(rule, n_normals=n, total_normals=total, p_value=p)


def _marked(group: GroupExplanation, marks: Mapping[Tag, Rule], names: Mapping[Tag, str]) -> GroupExplanation:
    rules = []
    for rule in group.rules:
        mark = marks.get(rule.tag)
        rules.append(rule if mark is None else replace(rule, owner=mark.owner, note=mark.note, expires=mark.expires))
    name = next((names[rule.tag] for rule in rules if rule.tag in names), group.name)
    return replace(group, rules=tuple(rules), name=name)

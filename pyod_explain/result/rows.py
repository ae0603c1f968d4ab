"""What the rules say of rows: of one row that somebody asks about, of a table, and of some examples."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain._arrays import FloatArray, IntArray
from pyod_explain._validate import check_choice
from pyod_explain.exceptions import ParameterError, PyodExplainError, shown, visible
from pyod_explain.input import Table, by_content, nan_safe_key, plain_value
from pyod_explain.result.context import FitContext, OutlierOrigin, need_table
from pyod_explain.result.extremes import Extreme, extreme_texts, find_extremes, relations_of
from pyod_explain.result.group import GroupExplanation, Rule
from pyod_explain.result.match import best_rule, match_rules, nearest_rules, read_rows
from pyod_explain.result.summary import Summary
from pyod_explain.result.text import Values, seen_by_condition, seen_by_statement, seen_values
from pyod_explain.tags import Condition, statements

ROW_COLUMNS = (
    "outlier", "group", "explained", "score", "rules", "saw", "extreme", "nearest", "nearest_group", "missed",
    "distance",
)  # fmt: skip
MAX_NAMED_POSITIONS = 8


# --- one row ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FoundRow:
    """A row that somebody asks about.

    Attributes
    ----------
    label : its label; None for a new row without one.
    group : its group, if it is an outlier.
    row : a table of this one row.
    outlier : True for an outlier, False for another row of the table that was explained, None for a new row.
    extremes : what is extreme in it, if it is an outlier that no rule covers; None if that is not known.
    """

    label: Hashable
    group: GroupExplanation | None
    row: Table
    outlier: bool | None
    extremes: tuple[Extreme, ...] | None = None


def find_row(
    summary: Summary,
    origin: OutlierOrigin | None,
    context: FitContext | None,
    *,
    label: Any = None,
    position: int | None = None,
    X: Any = None,
) -> FoundRow:
    """Find a row: a new one if `label` is the row itself, else by its position or its label.

    Parameters
    ----------
    summary : has the labels of the outliers.
    origin : has their positions; None if the explanation was read from a file.
    context : has the table that was explained, if it is still known.
    label, position, X : as for `Explanation.for_row`.
    """
    if position is None and isinstance(label, Mapping | pd.Series | pd.DataFrame):
        return _new_row(summary, label)
    if not summary.knows_rows:
        raise PyodExplainError(
            "This explanation was read from a file without row labels, so it does not know which rows are outliers.",
            hint="call explain() again, or write the file with to_json(path, rows=True).",
        )
    members = [(one, group) for group in summary.groups for one in group.rows]
    if position is None:
        found = _places_of(label, [one for one, _ in members])
    elif origin is None:
        requirement = "None for an explanation that was read from a file, which keeps no positions"
        raise ParameterError("position", requirement, got=position, hint="name the row by its label.")
    else:
        found = np.flatnonzero(origin.positions == position).tolist()
    if len(found) > 1:
        places = [] if origin is None else origin.positions[found[:MAX_NAMED_POSITIONS]].tolist()
        way = f"name it by its position=..., one of {places}"
        hint = f"{way if places else 'call explain() again, and name it by its position'}."
        got = f"{shown(label)}, which {len(found)} outliers have"
        raise ParameterError("label", "the label of one row", got_text=got, hint=hint)
    if found and X is None and summary.cells is not None:
        row = summary.cells.take(np.array(found))
    else:
        row = _explained_row(summary, context, label, position, X)
    if found:
        return FoundRow(*members[found[0]], row, outlier=True, extremes=_known_extremes(summary)[found[0]])
    return FoundRow(plain_value(row.index[0]), None, row, outlier=False)


def _explained_row(summary: Summary, context: FitContext | None, label: Any, position: int | None, X: Any) -> Table:
    """Give a row of the table that was explained, by its position or label, as a table."""
    lines = None
    if X is None:
        known = need_table(context, "This row", hint="pass the table as `X=`, or the row itself.")
        table, lines = known.table, known.outliers.source_rows
    else:
        table = read_rows(summary, X)
    if position is None:
        places = _places_of(label, table.index.tolist())
    elif X is not None and table.n_rows != summary.n_table_rows:
        requirement = f"the table of {summary.n_table_rows:,} rows that was explained"
        raise ParameterError("X", requirement, got_text=f"{table.n_rows:,}", hint="name the row by its label.")
    else:
        places = np.flatnonzero((np.arange(table.n_rows) if lines is None else lines) == position).tolist()
    if len(places) != 1:
        what = f"the label {shown(label)}" if position is None else f"the position {shown(position)}"
        raise PyodExplainError(
            f"The table that was explained must have one row with {what}, got {len(places)}.",
            hint="name it by its position." if places else "pass the table as `X=`, or the row itself.",
        )
    return table.take(np.array(places))


def _new_row(summary: Summary, row: Any) -> FoundRow:
    """Read a row that is given as such, each cell with the type it has."""
    if not isinstance(row, pd.DataFrame):
        label = getattr(row, "name", None)
        row = pd.DataFrame({str(name): [cell] for name, cell in row.items()}, index=[label])
    if len(row) != 1:
        raise ParameterError("label", "one row", got_text=f"a table of {len(row):,}", hint="to_rows(X) takes a table.")
    return FoundRow(plain_value(row.index[0]), None, read_rows(summary, row), outlier=None)


def _places_of(label: Any, labels: Sequence[Hashable]) -> list[int]:
    if not isinstance(label, Hashable):
        raise ParameterError("label", "a row label, or a row", got=label)
    wanted = nan_safe_key(label)
    return [i for i, one in enumerate(labels) if nan_safe_key(one) == wanted]


def _known_extremes(summary: Summary) -> list[tuple[Extreme, ...] | None]:
    """Give what is extreme in each outlier, group after group; None for those that a rule covers."""
    told = [{one.row: one.extremes for one in group.extremes} for group in summary.groups]
    return [one.get(i) for one, group in zip(told, summary.groups, strict=True) for i in range(len(group.rows))]


@dataclass(frozen=True)
class RowExplanation:
    """What the rules say of one row.

    Attributes
    ----------
    label : the row's label; None for a new row without one.
    group : number of its group; of a row that is not among the outliers that of the most precise rule that matches
        it, 0 if none does.
    matching : the rules of its group that cover it; of a row that is not among the outliers all rules that do.
    nearest : if none does, the rule that it misses by least: fewest failing conditions, then smallest distance.
    failing : the conditions of `nearest` that fail.
    values : the row's own values in the columns of those rules, and of their relations.
    outlier : True for an outlier, False for another row of the table that was explained, None for a new row.
    distance : how far the row is from meeting `nearest`, in typical differences of the columns between normals.
    extremes : what is extreme in an outlier that no rule covers, the least likely first; empty if nothing is; None for
        other rows, and beyond the thousand strangest.
    """

    label: Hashable
    group: int
    matching: tuple[Rule, ...]
    nearest: Rule | None
    failing: tuple[Condition, ...]
    values: Values
    outlier: bool | None = True
    distance: float | None = None
    extremes: tuple[Extreme, ...] | None = None

    @property
    def headline(self) -> str:
        """What the rules say of the row, in a sentence."""
        name = "The row" if self.label is None and self.outlier is None else f"Row {visible(repr(self.label))}"
        if self.outlier:
            rules = "rule" if self._asked_all else "rule of the group"
            why = ", because" if self.matching else f", and no {rules} covers it."
            return f"{name} is an outlier of group {self.group}{why}"
        known = "" if self.outlier is None else " is not among the outliers"
        if self.matching:
            n, joint = len(self.matching), ", but" if known else ""
            rules = "a rule" if n == 1 else f"{n} rules, the most precise of them"
            return f"{name}{known}{joint} matches {rules} of group {self.group}:"
        return f"{name}{known}{', and' if known else ''} matches no rule."

    @property
    def _asked_all(self) -> bool:
        """True if it was asked about the rules of all groups: it is no outlier, or its group has none."""
        return not self.outlier or (self.nearest is not None and self.nearest.group != self.group)

    @property
    def shown(self) -> tuple[Rule, ...]:
        """The rules to show: those that match, or the nearest."""
        return self.matching or (() if self.nearest is None else (self.nearest,))

    def __str__(self) -> str:
        lines = [self.headline]
        if self.extremes is not None:
            lines += [f"  {text}" for text in extreme_texts(self.extremes)]
        if not self.matching and self.nearest is not None:
            lines.append(f"The nearest rule{f', of group {self.nearest.group}' if self._asked_all else ''}:")
        for rule in self.shown:
            group = f"group {rule.group}: " if not self.outlier and len(self.matching) > 1 else ""
            start = "if " if self.extremes is None else ""
            if self.outlier and self.matching:
                start = "" if rule is self.shown[0] else "and because "
            parts = []
            for statement in statements(rule.tag.sorted):
                fails = ", which fails" if set(statement.conditions) & set(self.failing) else ""
                parts.append(visible(f"{statement} (it is {seen_by_statement(statement, self.values)}{fails})"))
            if self.extremes is None:
                lines.append(f"  {group}{start}" + "\n     and ".join(parts))
            else:
                lines[-1] += f" {' and '.join(parts)}"
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def explain_row(found: FoundRow, summary: Summary) -> RowExplanation:
    """Tell which rules cover a row, or which one it misses by least: those of its group, if it is one with a reason."""
    own = np.array([0 if found.group is None else found.group.number])
    [explained] = _explain_rows(summary, found.row, own, [found.label], [found.outlier])
    return replace(explained, extremes=found.extremes)


def _explain_rows(
    summary: Summary, table: Table, own: IntArray, labels: Sequence[Hashable], outliers: Sequence[bool | None]
) -> Iterator[RowExplanation]:
    """Tell for each row which rules cover it, or which one it misses by least.

    Parameters
    ----------
    summary : has the rules.
    table : the rows, with the columns that the rules name.
    own : the group of each row, whose rules it is asked about; 0 for a row that is asked about all rules, as are
        outliers without a common reason.
    labels, outliers : the label of each row, and whether it is an outlier.
    """
    rules = summary.rules
    numbers = np.array([*(rule.group for rule in rules), 0], dtype=np.int64)
    anywhere = [0, *(group.number for group in summary.groups if group.rest)]
    asked = np.isin(own, anywhere)[:, None] | (own[:, None] == numbers[:-1])
    matches = match_rules(summary, table) & asked
    groups = np.where(own == 0, numbers[best_rule(summary, table, matches)], own)
    near, distance = nearest_rules(rules, table, summary, asked)
    conditions = [rule.tag.sorted for rule in rules]
    fails = {c: ~c.holds(table[c.column]) for one in conditions for c in one}
    terms = [list(dict.fromkeys([*rule.tag.columns, *(c.axis for c in rule.tag.sorted)])) for rule in rules]
    columns = {name: table[name] for one in terms for name in one}
    for i, (label, outlier) in enumerate(zip(labels, outliers, strict=True)):
        matching = np.flatnonzero(matches[i]).tolist()
        nearest = -1 if matching else int(near[i])
        seen = matching or ([nearest] if nearest >= 0 else [])
        yield RowExplanation(
            label=label,
            group=int(groups[i]),
            matching=tuple(rules[j] for j in matching),
            nearest=None if nearest < 0 else rules[nearest],
            failing=() if nearest < 0 else tuple(c for c in conditions[nearest] if fails[c][i]),
            values={name: columns[name].cell(i) for j in seen for name in terms[j]},
            outlier=outlier,
            distance=None if nearest < 0 else float(distance[i]),
        )


# --- many rows ----------------------------------------------------------------------------------------------------


def to_rows(
    summary: Summary, origin: OutlierOrigin | None, context: FitContext | None, X: Any, rows: str | None
) -> pd.DataFrame:
    """Give a line for each row: what the rules say of it.

    Parameters
    ----------
    summary : has the rules.
    origin : the outliers' positions and scores, group after group; None after reading a file.
    context : has the table that was explained, if it is still known.
    X, rows : as for `Explanation.to_rows`.
    """
    check_choice("to_rows()", "rows", rows or "outliers", among=("outliers", "all"))
    if X is not None:
        if rows is not None:
            raise ParameterError("rows", "None with `X`, whose rows are all in the answer", got=rows, owner="to_rows()")
        return _row_frame(summary, read_rows(summary, X))
    own = np.array([group.number for group in summary.groups for _ in group.rows], dtype=np.int64)
    known = _known_extremes(summary)
    extremes = np.array([None if one is None else " | ".join(extreme_texts(one)) for one in known], dtype=object)
    if rows != "all" and not summary.groups:
        return _row_frame(summary, Table({}, pd.RangeIndex(0)), own)
    if rows != "all" and summary.cells is not None:
        frame = _row_frame(summary, summary.cells, own, None if origin is None else origin.scores)
        frame.iloc[:, ROW_COLUMNS.index("extreme")] = extremes
        return frame
    hint = "to_rows(X) takes any rows, and does not know which of them are outliers."
    context = need_table(context, "to_rows()", hint)
    if origin is None or context.table.n_rows != summary.n_table_rows or context.outliers.source_rows is not None:
        problem = "to_rows() needs the table that was explained, of which only some rows are kept."
        raise PyodExplainError(problem, hint=hint)
    groups = np.zeros(context.table.n_rows, dtype=np.int64)
    groups[origin.positions] = own
    frame = _row_frame(summary, context.table, groups, context.outliers.scores)
    frame.iloc[origin.positions, ROW_COLUMNS.index("extreme")] = extremes
    return frame


def _row_frame(s: Summary, table: Table, own: IntArray | None = None, scores: FloatArray | None = None) -> pd.DataFrame:
    """Give a line for each row, with the row labels as the index; see `Explanation.to_rows` for the columns.

    Parameters
    ----------
    s : has the rules.
    table : the rows, with the columns that the rules name.
    own : the group of each row, 0 for one that is not an outlier; None if that is not known.
    scores : how strange each row is, or None.
    """
    n = table.n_rows
    given = np.zeros(n, dtype=np.int64) if own is None else own
    outliers = [None] * n if own is None else (own > 0).tolist()
    texts = {rule: rule.text for rule in s.rules}
    explained = _explain_rows(s, table, given, [None] * n, outliers)
    frame = pd.DataFrame([_line(one, texts) for one in explained], columns=list(ROW_COLUMNS), dtype=object)
    types = {"outlier": "boolean", "group": "int64", "explained": "boolean", "nearest_group": "Int64"}
    frame = frame.astype({**types, "distance": "float64"})  # texts are objects: Arrow keeps no half of a character
    frame["score"] = np.full(n, np.nan) if scores is None else scores
    unnamed = not isinstance(table.index, pd.MultiIndex) and table.index.name is None
    frame.index = table.index.rename("label") if unnamed else table.index
    return frame


def _line(one: RowExplanation, texts: Mapping[Rule, str]) -> dict[str, Any]:
    """Write the rules that match a row and its values; or the nearest rule, the values, and what fails."""
    seen: dict[str, str] = {}
    for condition in dict.fromkeys(c for rule in one.shown for c in rule.tag.sorted):
        seen |= seen_values(condition, one.values)
    missed = [f"{condition} (it is {seen_by_condition(condition, one.values)})" for condition in one.failing]
    return {
        "outlier": one.outlier,
        "group": one.group,
        "explained": bool(one.matching) if one.outlier else None,
        "rules": " or ".join(texts[rule] for rule in one.matching) or None,
        "saw": ", ".join(f"{name} = {value}" for name, value in seen.items()) or None,
        "extreme": None,
        "nearest": None if one.nearest is None else texts[one.nearest],
        "nearest_group": None if one.nearest is None else one.nearest.group,
        "missed": " and ".join(missed) or None,
        "distance": one.distance,
    }


# --- examples -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """One outlier.

    Attributes
    ----------
    label : its row label.
    score : how strange it is; None where the detector does not say.
    cells : for each column of the group's rules its name, the cell, and True if a matching rule uses it.
    extremes : what is extreme in it beside what the group's rules speak of, a text each.
    """

    label: Hashable
    score: float | None
    cells: tuple[tuple[str, Any, bool], ...]
    extremes: tuple[str, ...]


def choose_examples(
    summary: Summary, scores: FloatArray | None, cells: Table, context: FitContext | None, most: int
) -> dict[int, list[Example]]:
    """Give rows of each group by its number, the strangest first; without scores those first that a rule matches.

    Parameters
    ----------
    summary : has the rules.
    scores, cells : how strange each outlier is, if that is known, and its cells, group after group.
    context : has the table, which what is extreme is told by; without it, that is known of unexplained outliers only.
    most : the most rows a group.
    """
    numbers = np.array([group.number for group in summary.groups for _ in group.rows])
    matches = match_rules(summary, cells) & (numbers[:, None] == [rule.group for rule in summary.rules])
    rank = ~matches.any(axis=1) if scores is None else -scores
    names = list(map(str, cells.index.tolist()))  # equal rows come in the order of their labels
    stable = by_content(cells, np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.intp))
    order = stable[np.argsort(rank[stable], kind="stable")]
    chosen = {group.number: order[numbers[order] == group.number][:most] for group in summary.groups}
    extremes = dict(enumerate(_known_extremes(summary)))
    if context is not None and summary.tables is None:
        places = np.concatenate([np.flatnonzero(context.groups.numbers == group.number) for group in summary.groups])
        some, normals = np.concatenate(list(chosen.values())), np.flatnonzero(context.groups.numbers == 0)
        told = find_extremes(
            context.table,
            normals,
            places[some],
            relations_of([*(rule.tag for rule in summary.rules), *context.tags.tags]),
        )
        extremes.update(zip(some.tolist(), told, strict=True))
    found: dict[int, list[Example]] = {}
    for group in summary.groups:
        columns = list(dict.fromkeys(name for rule in group.rules for name in rule.tag.columns))
        shown = {*columns, *(c.column for rule in group.rules for c in rule.tag.conditions)}
        found[group.number] = []
        for i in chosen[group.number].tolist():
            used = {name for j in np.flatnonzero(matches[i]) for name in summary.rules[j].tag.columns}
            values = tuple((name, cells[name].cell(i), name in used) for name in columns)
            score, known = None if scores is None else float(scores[i]), extremes[i]
            others = [one for one in known or () if one.column not in shown]
            texts = extreme_texts(others) if others or not (known is None or group.rules) else ()
            found[group.number].append(Example(plain_value(cells.index[i]), score, values, tuple(texts)))
    return found

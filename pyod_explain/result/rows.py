"""What the rules say of rows: of one row that somebody asks about, of a table, and of some examples."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._validate import check_choice
from pyod_explain.exceptions import ParameterError, PyodExplainError, shown, visible
from pyod_explain.input import Column, Table, nan_safe_key, plain_value
from pyod_explain.result.context import FitContext, OutlierOrigin, need_table
from pyod_explain.result.group import GroupExplanation, Rule
from pyod_explain.result.match import best_rule, failing, match_rules, measure_misses, read_rows
from pyod_explain.result.summary import Summary
from pyod_explain.result.text import Values, seen_by_condition, seen_by_statement, seen_values
from pyod_explain.tags import Condition, Term, statements

ROW_COLUMNS = (
    "outlier", "group", "explained", "score", "rules", "saw", "nearest", "nearest_group", "missed", "distance"
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
    """

    label: Hashable
    group: GroupExplanation | None
    row: Table
    outlier: bool | None


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
    origin : has their cells and positions; None if the explanation was read from a file.
    context : has the table that was explained, if it is still known.
    label, position, X : as for `Explanation.for_row`.
    """
    if position is None and isinstance(label, Mapping | pd.Series | pd.DataFrame):
        return _new_row(summary, label)
    _check_knows_rows(summary)
    members = [(one, group) for group in summary.groups for one in group.rows]
    found = _find_outlier(label, position, [one for one, _ in members], origin)
    if found is not None and X is None and origin is not None and origin.cells is not None:
        return FoundRow(*members[found], origin.cells.take(np.array([found])), outlier=True)
    table, lines = _read_explained(summary, context, X, position)
    if position is None:
        places = _places_of(label, table.index.tolist())
    else:
        places = np.flatnonzero((np.arange(table.n_rows) if lines is None else lines) == position).tolist()
    if len(places) != 1:
        what = f"the label {shown(label)}" if position is None else f"the position {shown(position)}"
        raise PyodExplainError(
            f"The table that was explained must have one row with {what}, got {len(places)}.",
            hint="name it by its position." if places else "pass the table as `X=`, or the row itself.",
        )
    row = table.take(np.array(places))
    if found is not None:
        return FoundRow(*members[found], row, outlier=True)
    return FoundRow(plain_value(table.index[places[0]]), None, row, outlier=False)


def _check_knows_rows(summary: Summary) -> None:
    if not summary.knows_rows:
        raise PyodExplainError(
            "This explanation was read from a file without row labels, so it does not know which rows are outliers.",
            hint="call explain() again, or write the file with to_json(path, rows=True).",
        )


def _new_row(summary: Summary, row: Any) -> FoundRow:
    """Read a row that is given as such, each cell with the type it has."""
    if not isinstance(row, pd.DataFrame):
        label = getattr(row, "name", None)
        row = pd.DataFrame({str(name): [cell] for name, cell in row.items()}, index=[label])
    if len(row) != 1:
        raise ParameterError("label", "one row", got_text=f"a table of {len(row):,}", hint="to_rows(X) takes a table.")
    return FoundRow(plain_value(row.index[0]), None, read_rows(summary, row), outlier=None)


def _find_outlier(
    label: Any, position: int | None, labels: Sequence[Hashable], origin: OutlierOrigin | None
) -> int | None:
    """Give the place of an outlier among the outliers; None for a row that is not one of them."""
    if position is not None:
        if origin is None:
            raise ParameterError(
                "position",
                "None for an explanation that was read from a file",
                got=position,
                hint="name the row by its label: a file does not keep positions.",
            )
        at = np.flatnonzero(origin.positions == position)
        return int(at[0]) if len(at) else None
    if not isinstance(label, Hashable):
        raise ParameterError("label", "a row label, or a row", got=label)
    found = _places_of(label, labels)
    if len(found) > 1:
        hint = "call explain() again, and name the row by its position: a file does not keep these."
        if origin is not None:
            at_most = ", ".join(str(origin.positions[i]) for i in found[:MAX_NAMED_POSITIONS])
            hint = f"name it by its position in the table, position=...; these are at {at_most}."
        got = f"{shown(label)}, which {len(found)} outliers have"
        raise ParameterError("label", "the label of one row", got_text=got, hint=hint)
    return found[0] if found else None


def _places_of(label: Hashable, labels: Sequence[Hashable]) -> list[int]:
    wanted = nan_safe_key(label)
    return [i for i, one in enumerate(labels) if nan_safe_key(one) == wanted]


def _read_explained(
    summary: Summary, context: FitContext | None, X: Any, position: int | None
) -> tuple[Table, NDArray[np.intp] | None]:
    """Give the table that was explained, and the position of each of its rows where these are only some."""
    if X is None:
        known = need_table(context, "This row", hint="pass the table as `X=`, or the row itself.")
        return known.table, known.outliers.source_rows
    table = read_rows(summary, X)
    if position is not None:
        _check_n_rows(summary, table, "name the row by its label.")
    return table, None


def _check_n_rows(summary: Summary, table: Table, hint: str) -> None:
    if table.n_rows != summary.n_table_rows:
        raise ParameterError(
            "X",
            f"the table of {summary.n_table_rows:,} rows that was explained",
            got_text=f"{table.n_rows:,}",
            hint=hint,
        )


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
    """

    label: Hashable
    group: int
    matching: tuple[Rule, ...]
    nearest: Rule | None
    failing: tuple[Condition, ...]
    values: Values
    outlier: bool | None = True

    @property
    def headline(self) -> str:
        """What the rules say of the row, in a sentence."""
        name = "The row" if self.label is None and self.outlier is None else f"Row {visible(repr(self.label))}"
        if self.outlier:
            why = ", because"
            if not self.matching:
                why = ", which no rule describes." if self.nearest is None else ", and no rule of the group covers it."
            return f"{name} is an outlier of group {self.group}{why}"
        known = "" if self.outlier is None else " is not among the outliers"
        if self.matching:
            n, joint = len(self.matching), ", but" if known else ""
            if n == 1:
                return f"{name}{known}{joint} matches a rule of group {self.group}:"
            return f"{name}{known}{joint} matches {n} rules, the most precise of them of group {self.group}:"
        none = ": there is none." if self.nearest is None else "."
        return f"{name}{known}{', and' if known else ''} matches no rule{none}"

    @property
    def shown(self) -> tuple[Rule, ...]:
        """The rules to show: those that match, or the nearest."""
        return self.matching or (() if self.nearest is None else (self.nearest,))

    def __str__(self) -> str:
        lines = [self.headline]
        if not self.matching and self.nearest is not None:
            lines.append("The nearest rule:" if self.outlier else f"The nearest rule, of group {self.nearest.group}:")
        for rule in self.shown:
            group = f"group {rule.group}: " if not self.outlier and len(self.matching) > 1 else ""
            for i, statement in enumerate(statements(rule.tag.sorted)):
                lead = f"  {group}if " if i == 0 else "     and "
                fails = ", which fails" if set(statement.conditions) & set(self.failing) else ""
                lines.append(visible(f"{lead}{statement} (it is {seen_by_statement(statement, self.values)}{fails})"))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def explain_row(found: FoundRow, summary: Summary) -> RowExplanation:
    """Tell which rules cover a row, or which one it misses by least.

    Parameters
    ----------
    found : the row. An outlier is asked about the rules of its group, any other row about all rules.
    summary : the rules, and facts on the columns, to compare a distance in one with a distance in another.
    """
    row, group = found.row, found.group
    rules = summary.rules if group is None else group.rules
    misses = measure_misses(rules, row, summary)
    matching = tuple(rule for rule, n in zip(rules, misses.failing[0], strict=True) if not n)
    nearest = None
    if rules and not matching:
        nearest = rules[int(misses.nearest(np.ones((1, len(rules)), dtype=bool))[0])]
    fails = () if nearest is None else tuple(c for c in nearest.tag.sorted if failing(c, row)[0])
    if group is None:
        best = int(best_rule(summary, row)[0])
        number = 0 if best < 0 else summary.rules[best].group
    else:
        number = group.number
    values = {name: row[name].cell(0) for name in _terms_of(matching or (() if nearest is None else (nearest,)))}
    return RowExplanation(found.label, number, matching, nearest, fails, values, found.outlier)


def _terms_of(rules: Sequence[Rule]) -> list[Term]:
    """Give the columns that rules use, and their relations, each once."""
    columns: dict[Term, None] = dict.fromkeys(name for rule in rules for name in rule.tag.columns)
    columns.update(dict.fromkeys(c.axis for rule in rules for c in rule.tag.sorted))
    return list(columns)


# --- many rows ----------------------------------------------------------------------------------------------------


def to_rows(
    summary: Summary, origin: OutlierOrigin | None, context: FitContext | None, X: Any, rows: str | None
) -> pd.DataFrame:
    """Give a line for each row: what the rules say of it.

    Parameters
    ----------
    summary : has the rules.
    origin : the outliers' cells, positions and scores, group after group; None after reading a file.
    context : has the table that was explained, if it is still known.
    X, rows : as for `Explanation.to_rows`.
    """
    if rows is not None:
        check_choice("to_rows()", "rows", rows, among=("outliers", "all"))
    if X is not None and rows is None:
        return _row_frame(summary, read_rows(summary, X))
    own = np.array([group.number for group in summary.groups for _ in group.rows], dtype=np.int64)
    if rows != "all" and not summary.groups:
        return _row_frame(summary, Table({}, pd.RangeIndex(0)), own)
    if rows != "all" and X is None and origin is not None and origin.cells is not None:
        return _row_frame(summary, origin.cells, own, origin.scores)
    hint = f"pass it: to_rows(X, rows={rows or 'outliers'!r}); to_rows(X) alone takes any rows."
    if X is None:
        known = need_table(context, "to_rows()", hint)
        table = known.table
        if table.n_rows != summary.n_table_rows or known.outliers.source_rows is not None:
            raise PyodExplainError(
                "to_rows() needs the table that was explained, of which only some rows are kept.", hint=hint
            )
    else:
        table = read_rows(summary, X)
        _check_n_rows(summary, table, "to_rows(X), without `rows`, takes other rows.")
    places = _places_of_outliers(summary, table) if origin is None else origin.positions
    groups, scores = np.zeros(table.n_rows, dtype=np.int64), np.full(table.n_rows, np.nan)
    groups[places] = own
    if context is not None and context.outliers.scores is not None:
        lines = context.outliers.source_rows
        scores[slice(None) if lines is None else lines] = context.outliers.scores
    elif origin is not None and origin.scores is not None:
        scores[places] = origin.scores
    if rows == "all":
        return _row_frame(summary, table, groups, scores)
    return _row_frame(summary, table.take(places), own, scores[places])


def _places_of_outliers(summary: Summary, table: Table) -> NDArray[np.intp]:
    """Find the outliers in the table by their labels."""
    _check_knows_rows(summary)
    where: dict[Any, int] = {}
    for i, label in enumerate(table.index.tolist()):
        if where.setdefault(nan_safe_key(label), i) != i:
            raise ParameterError("X", "a table with one row for each label", got_text=f"several with {shown(label)}")
    labels = [nan_safe_key(label) for group in summary.groups for label in group.rows]
    absent = [label for label in labels if label not in where]
    if absent:
        got = f"none with the label {shown(absent[0])}"
        raise ParameterError("X", "the table that was explained, with its index", got_text=got)
    return np.array([where[label] for label in labels], dtype=np.intp)


def _row_frame(
    summary: Summary, table: Table, own: NDArray[np.int64] | None = None, scores: NDArray[np.float64] | None = None
) -> pd.DataFrame:
    """Give a line for each row, with the row labels as the index; see `Explanation.to_rows` for the columns.

    Parameters
    ----------
    summary : has the rules.
    table : the rows, with the columns that the rules name.
    own : the group of each row, 0 for one that is not an outlier; None if that is not known.
    scores : how strange each row is, or None.
    """
    rules = summary.rules
    matches = match_rules(summary, table)
    number = np.array([*(rule.group for rule in rules), 0], dtype=np.int64)
    given = np.zeros(table.n_rows, dtype=np.int64) if own is None else own
    asked = (given[:, None] == 0) | (given[:, None] == number[:-1])  # an outlier: only the rules of its group
    matches &= asked
    matched = matches.any(axis=1)
    group = np.where(given == 0, number[best_rule(summary, table, matches)], given)
    missed = np.flatnonzero(~matched)
    near, distance = np.full(table.n_rows, -1, dtype=np.intp), np.full(table.n_rows, np.nan)
    if len(missed) and rules:
        misses = measure_misses(rules, table.take(missed), summary)
        near[missed] = misses.nearest(asked[missed])
        there = np.flatnonzero(near[missed] >= 0)
        distance[missed[there]] = misses.distance[there, near[missed[there]]]
    unknown = np.full(table.n_rows, pd.NA, dtype=object)
    writer = _RowWriter(table, rules)
    lines = [writer.line(i, np.flatnonzero(matches[i]).tolist(), rule) for i, rule in enumerate(near.tolist())]
    text = pd.DataFrame(lines, columns=["rules", "saw", "nearest", "missed"], dtype=object)
    values = {
        "outlier": pd.array(unknown if own is None else given > 0, dtype="boolean"),
        "group": group,
        "explained": pd.array(np.where(given > 0, matched, unknown), dtype="boolean"),
        "score": np.full(table.n_rows, np.nan) if scores is None else scores,
        "nearest_group": pd.array(number[near], dtype="Int64"),
        "distance": distance,
        **{name: text[name] for name in text.columns},  # objects: Arrow keeps no half of a character
    }
    frame = pd.DataFrame(values)
    frame.loc[near < 0, "nearest_group"] = pd.NA
    unnamed = not isinstance(table.index, pd.MultiIndex) and table.index.name is None
    frame.index = table.index.rename("label") if unnamed else table.index
    return frame[list(ROW_COLUMNS)]


class _RowWriter:
    """Writes the values that decide rules in the rows of a table; what rows share is made once.

    Parameters
    ----------
    table : the rows.
    rules : the rules.
    """

    def __init__(self, table: Table, rules: Sequence[Rule]) -> None:
        self._table = table
        self._rules = rules
        self._texts = [rule.text for rule in rules]
        self._fails = {c: (str(c), failing(c, table)) for rule in rules for c in rule.tag.conditions}
        self._cache: dict[tuple[int, ...], tuple[dict[Term, Column], list[Condition]]] = {}

    def line(self, i: int, matching: Sequence[int], near: int) -> tuple[str | None, str | None, str | None, str | None]:
        """Write the rules that match a row and its values; or the nearest rule, the values, and what fails."""
        shown = tuple(matching) or ((near,) if near >= 0 else ())
        if not shown:
            return None, None, None, None
        columns, conditions = self._columns_of(shown)
        values = {name: column.cell(i) for name, column in columns.items()}
        seen: dict[str, str] = {}
        for condition in conditions:
            seen |= seen_values(condition, values)
        saw = ", ".join(f"{name} = {value}" for name, value in seen.items())
        if matching:
            return " or ".join(self._texts[j] for j in matching), saw, None, None
        described = [(c, *self._fails[c]) for c in conditions]
        missed = [f"{text} (it is {seen_by_condition(c, values)})" for c, text, fails in described if fails[i]]
        return None, saw, self._texts[near], " and ".join(missed)

    def _columns_of(self, shown: tuple[int, ...]) -> tuple[dict[Term, Column], list[Condition]]:
        """Give the columns that rules use, and their conditions, each once."""
        if shown not in self._cache:
            rules = [self._rules[j] for j in shown]
            columns = {name: self._table[name] for name in _terms_of(rules)}
            self._cache[shown] = columns, list(dict.fromkeys(c for rule in rules for c in rule.tag.sorted))
        return self._cache[shown]


# --- examples -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """One outlier.

    Attributes
    ----------
    label : its row label.
    score : how strange it is; None where the detector does not say.
    cells : for each column of the group's rules its name, the cell, and True if a matching rule uses it.
    """

    label: Hashable
    score: float | None
    cells: tuple[tuple[str, Any, bool], ...]


def choose_examples(summary: Summary, origin: OutlierOrigin, cells: Table, most: int) -> dict[int, list[Example]]:
    """Give rows of each group by its number, the strangest first; without scores those first that a rule matches.

    Parameters
    ----------
    summary : has the rules.
    origin, cells : the outliers' scores and cells, group after group.
    most : the most rows a group.
    """
    matches, scores = match_rules(summary, cells), origin.scores
    found: dict[int, list[Example]] = {}
    first = 0
    for group in summary.groups:
        rows = np.arange(first, first + len(group.rows))
        first += len(group.rows)
        columns = list(dict.fromkeys(name for rule in group.rules for name in rule.tag.columns))
        ours = [(j, set(rule.tag.columns)) for j, rule in enumerate(summary.rules) if rule.group == group.number]
        covered = matches[rows][:, [j for j, _ in ours]].any(axis=1)
        rows = rows[np.argsort(~covered if scores is None else -scores[rows], kind="stable")]
        found[group.number] = [
            Example(
                label=plain_value(cells.index[i]),
                score=None if scores is None else float(scores[i]),
                cells=tuple(
                    (name, cells[name].cell(int(i)), any(matches[i, j] and name in named for j, named in ours))
                    for name in columns
                ),
            )
            for i in rows[:most].tolist()
        ]
    return found

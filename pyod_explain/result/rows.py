"""What the rules say of many rows: a line for each, to be filtered, sorted and put beside the rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.input import Column, Table
from pyod_explain.result.group import Rule
from pyod_explain.result.match import match_rules
from pyod_explain.result.misses import failing, misses
from pyod_explain.result.row import columns_of
from pyod_explain.result.seen import seen_in, value_of
from pyod_explain.result.summary import Summary
from pyod_explain.tags import Condition, Term

__all__ = ["COLUMNS", "row_frame"]

COLUMNS = (
    "outlier", "group", "explained", "score", "rules", "saw", "nearest", "nearest_group", "missed", "distance"
)  # fmt: skip


def row_frame(
    summary: Summary, table: Table, own: NDArray[np.int64] | None = None, scores: NDArray[np.float64] | None = None
) -> pd.DataFrame:
    """Say of each row what the rules say of it.

    Parameters
    ----------
    summary : has the rules.
    table : the rows, with the columns that the rules name.
    own : the group of each row, 0 for one that is not among the outliers; None if nobody says which are.
    scores : how strange each row is, or None.

    Returns
    -------
    A frame with the row labels as its index, see `Explanation.to_rows`.
    """
    rules = summary.rules
    hits = match_rules(summary, table)
    number = np.array([rule.group for rule in rules], dtype=np.int64)
    given = np.zeros(table.n_rows, dtype=np.int64) if own is None else own
    asked = (given[:, None] == 0) | (given[:, None] == number)  # an outlier: only the rules of its group
    hits &= asked
    matched = hits.any(axis=1)
    group = np.where(given == 0, _predicted(rules, hits), given)
    missed = np.flatnonzero(~matched)
    near, distance = np.full(table.n_rows, -1, dtype=np.intp), np.full(table.n_rows, np.nan)
    if len(missed) and rules:
        cells = table.take(missed)
        measured = misses(rules, cells, summary)
        near[missed] = measured.nearest(asked[missed])
        there = np.flatnonzero(near[missed] >= 0)
        distance[missed[there]] = measured.distance[there, near[missed[there]]]
    unknown = np.full(table.n_rows, pd.NA, dtype=object)
    is_outlier = unknown if own is None else given > 0
    known = np.where(given > 0, matched, unknown)
    writer = _Writer(table, rules)
    which = {i: np.flatnonzero(hits[i]).tolist() for i in np.flatnonzero(matched).tolist()}
    lines = [writer.line(i, which.get(i, ()), rule) for i, rule in enumerate(near.tolist())]
    text = pd.DataFrame(lines, columns=["rules", "saw", "nearest", "missed"], dtype=object)
    values = {
        "outlier": pd.array(is_outlier, dtype="boolean"),
        "group": group,
        "explained": pd.array(known, dtype="boolean"),
        "score": np.full(table.n_rows, np.nan) if scores is None else scores,
        "nearest_group": pd.array(np.append(number, 0)[near], dtype="Int64"),
        "distance": distance,
        **{name: text[name] for name in text.columns},  # objects: Arrow keeps no half of a character
    }
    frame = pd.DataFrame(values)
    frame.loc[near < 0, "nearest_group"] = pd.NA
    frame.index = table.index.rename("label") if _nameless(table.index) else table.index
    return frame[list(COLUMNS)]


def _nameless(index: pd.Index) -> bool:
    return not isinstance(index, pd.MultiIndex) and index.name is None


def _predicted(rules: Sequence[Rule], hits: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Give each row the group of the most precise rule that matches it, 0 if none does; of equals the first."""
    order = sorted(range(len(rules)), key=lambda j: -rules[j].precision)  # stable
    if not order:
        return np.zeros(len(hits), dtype=np.int64)
    first = np.array(order)[hits[:, order].argmax(axis=1)]
    return np.where(hits.any(axis=1), np.array([rule.group for rule in rules], dtype=np.int64)[first], 0)


class _Writer:
    """Writes what rules saw in the rows of a table; what is the same for all rows that match the same is made once.

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
        self._looked_at: dict[tuple[int, ...], tuple[dict[Term, Column], list[Condition]]] = {}

    def line(self, i: int, matching: Sequence[int], near: int) -> tuple[str | None, str | None, str | None, str | None]:
        """Write the rules that match a row and what they saw; or the nearest, what it saw, and what fails."""
        shown = tuple(matching) or ((near,) if near >= 0 else ())
        if not shown:
            return None, None, None, None
        columns, conditions = self._look(shown)
        values = {name: column.cell(i) for name, column in columns.items()}
        seen: dict[str, str] = {}
        for condition in conditions:
            seen |= seen_in(condition, values)
        saw = ", ".join(f"{name} = {value}" for name, value in seen.items())
        if matching:
            return " or ".join(self._texts[j] for j in matching), saw, None, None
        said = [(c, *self._fails[c]) for c in conditions]
        missed = [f"{text} (it is {value_of(c, values)})" for c, text, fails in said if fails[i]]
        return None, saw, self._texts[near], " and ".join(missed)

    def _look(self, shown: tuple[int, ...]) -> tuple[dict[Term, Column], list[Condition]]:
        """Give the columns that rules speak of, and their conditions, each once."""
        if shown not in self._looked_at:
            rules = [self._rules[j] for j in shown]
            columns = {name: self._table[name] for name in columns_of(rules)}
            self._looked_at[shown] = columns, list(dict.fromkeys(c for rule in rules for c in rule.tag.sorted))
        return self._looked_at[shown]

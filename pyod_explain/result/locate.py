"""Which of the outliers is meant: by its label or its position, and where its cells are."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Table, as_table, column_names, nan_safe_key
from pyod_explain.result.group import GroupExplanation
from pyod_explain.result.summary import Summary

__all__ = ["Located", "locate", "n_lines"]

Located = tuple[Hashable, GroupExplanation, Table]  # its label, its group, a table of this one row


def locate(
    summary: Summary,
    cells: Table | None,
    positions: Sequence[int],
    *,
    label: Hashable,
    position: int | None,
    X: Any,
) -> Located:
    """Find one outlier, by `position` if one is given, else by `label`.

    Parameters
    ----------
    summary : knows the labels of all outliers, group after group.
    cells : the outliers' cells in that order; None if the explanation was read from a file.
    positions : of the outliers in the table that was explained, in that order.
    label, position : which one.
    X : the table, if the cells are to be taken from there.
    """
    members = [(one, group) for group in summary.groups for one in group.rows]
    if not summary.knows_rows:
        raise PyodExplainError(
            "This explanation was read from a file without row labels, so that nothing tells which rows it is of.\n"
            "Hint: call explain() again, or write the file with to_json(path, rows=True)."
        )
    if position is None:
        i = _find_label(label, [one for one, _ in members], positions)
    else:
        i = _find_position(position, positions, n_lines(summary))
    label, group = members[i]
    if X is not None:
        return label, group, _row_of(X, summary, label, position)
    if cells is None:
        raise PyodExplainError(
            "This explanation was read from a file and has no cells of the rows.\nHint: pass the table as `X=`."
        )
    return label, group, cells.take(np.array([i]))


def _row_of(X: Any, summary: Summary, label: Hashable, position: int | None) -> Table:
    there = column_names(X)  # a row needs the columns of its own group's rules
    table = as_table(X, only=[name for name in summary.rule_columns if name in there])
    expected = n_lines(summary)
    if position is not None and table.n_rows != expected:
        raise PyodExplainError(
            f"`X` must have the {expected:,} rows that were explained, got {table.n_rows:,}: a position is one "
            "among these.\nHint: pass the whole table, or name the row by its label."
        )
    rows = _with_label(label, table.index.tolist()) if position is None else [position]
    if len(rows) != 1:
        raise PyodExplainError(
            f"`X` must have one row with the label {shown(label)}, got {len(rows)}.\n"
            "Hint: pass the table that was explained, with its index."
        )
    return table.take(np.array(rows))


def n_lines(summary: Summary) -> int:
    """Rows of the table itself, whatever they stand for."""
    return summary.n_rows if summary.n_lines is None else summary.n_lines


def _find_position(position: int, positions: Sequence[int], n_rows: int) -> int:
    """Give the outlier at this position of the table, as a position among the outliers."""
    if not positions:
        raise PyodExplainError(
            f"`position` must be None for an explanation that was read from a file, got {shown(position)}: where in "
            "the table its outliers were is not kept.\nHint: name the row by its label, or call explain() again."
        )
    found = np.flatnonzero(np.asarray(positions, dtype=np.int64) == position)
    if not len(found):
        raise PyodExplainError(
            f"`position` must be that of an outlier among the {n_rows:,} rows, got {shown(position)}.\n"
            "Hint: `explanation.positions` has those of all outliers."
        )
    return int(found[0])


def _find_label(label: Hashable, labels: Sequence[Hashable], positions: Sequence[int]) -> int:
    if not isinstance(label, Hashable):
        raise TypeError(f"`label` must be a row label, got {type(label).__name__}.")
    found = _with_label(label, labels)
    if not found:
        raise PyodExplainError(
            f"`label` must be the row label of an outlier, got {shown(label)}.\n"
            "Hint: the labels of a group's outliers are in `explanation.groups[i].rows`."
        )
    if len(found) > 1:
        hint = "call explain() again, and name it by its position: a file does not keep these"
        if positions:
            where = ", ".join(str(positions[i]) for i in found[:8])
            hint = f"name it by its position in the table, for_row(position=...); these are at {where}"
        raise PyodExplainError(
            f"`label` must name one row, got {shown(label)}, which {len(found)} outliers have.\nHint: {hint}."
        )
    return found[0]


def _with_label(label: Hashable, labels: Sequence[Hashable]) -> list[int]:
    """Give the places where a label stands."""
    wanted = nan_safe_key(label)
    return [i for i, one in enumerate(labels) if nan_safe_key(one) == wanted]

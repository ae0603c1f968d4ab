"""Which rows `to_rows` is about: the outliers, all rows of the table that was explained, or other rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain._validate import check_choice
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Table, nan_safe_key
from pyod_explain.result.basis import Basis
from pyod_explain.result.locate import n_lines
from pyod_explain.result.match import read_rows
from pyod_explain.result.origin import Origin
from pyod_explain.result.rows import row_frame
from pyod_explain.result.summary import Summary

__all__ = ["asked_all", "to_rows"]

WHICH = ("outliers", "all")
NEEDS_TABLE = (
    "to_rows() needs the table that was explained, which {why}.\n"
    "Hint: pass it: to_rows(X, rows={rows!r}); to_rows(X) alone tells what the rules say of any rows."
)


def to_rows(
    summary: Summary, cells: Table | None, origin: Origin | None, basis: Basis | None, X: Any, rows: str | None
) -> pd.DataFrame:
    """Say of each row what the rules say of it.

    Parameters
    ----------
    summary : what the explanation says.
    cells, origin : the outliers' cells, positions and scores, group after group; None after reading a file.
    basis : has the whole table, if it is still known.
    X, rows : as for `Explanation.to_rows`.
    """
    if rows is not None:
        check_choice("to_rows()", "rows", rows, among=WHICH)
    if X is not None and rows is None:
        return row_frame(summary, read_rows(summary, X))
    own = np.array([group.number for group in summary.groups for _ in group.rows], dtype=np.int64)
    if rows != "all":
        if X is None and cells is not None and origin is not None:
            return row_frame(summary, cells, own, origin.scores)
        if not summary.groups:
            return row_frame(summary, Table({}, pd.RangeIndex(0)), own)
    table = _whole(summary, basis, rows or "outliers") if X is None else _read(summary, X)
    places = _places(summary, origin, table)
    groups, scores = np.zeros(table.n_rows, dtype=np.int64), np.full(table.n_rows, np.nan)
    groups[places] = own
    _note_scores(scores, basis)
    if origin is not None and origin.scores is not None:
        scores[places] = origin.scores
    if rows == "all":
        return row_frame(summary, table, groups, scores)
    return row_frame(summary, table.take(places), own, scores[places])


def asked_all(rows: str | None) -> bool:
    """Tell whether `rows` asks for all rows that were explained; of rows beyond memory the outliers are kept anyway.

    Parameters
    ----------
    rows : as for `Explanation.to_rows`, of rows beyond memory.
    """
    if rows is None:
        return False
    if check_choice("to_rows()", "rows", rows, among=WHICH) == "outliers":
        raise PyodExplainError(
            "`rows` of to_rows() must be 'all' for rows beyond memory, got 'outliers'.\n"
            "Hint: to_rows(), without `X`, tells of the outliers, which are kept."
        )
    return True


def _whole(summary: Summary, basis: Basis | None, rows: str) -> Table:
    if basis is None:
        why = "is not kept when an explanation is pickled or read from a file"
        raise PyodExplainError(NEEDS_TABLE.format(why=why, rows=rows))
    if basis.table.n_rows != n_lines(summary) or basis.outliers.lines is not None:
        raise PyodExplainError(NEEDS_TABLE.format(why="is not kept as it was given", rows=rows))
    return basis.table


def _read(summary: Summary, X: Any) -> Table:
    table = read_rows(summary, X)
    if table.n_rows != n_lines(summary):
        raise PyodExplainError(
            f"`X` must have the {n_lines(summary):,} rows that were explained, got {table.n_rows:,}.\n"
            "Hint: to_rows(X), without `rows`, tells what the rules say of other rows."
        )
    return table


def _places(summary: Summary, origin: Origin | None, table: Table) -> NDArray[np.intp]:
    """Give the places of the outliers in the table: as they are known, or by their labels."""
    if origin is not None:
        return origin.positions
    if not summary.knows_rows:
        raise PyodExplainError(
            "This explanation was read from a file without row labels, so that nothing tells which rows are outliers.\n"
            "Hint: call explain() again, or write the file with to_json(path, rows=True)."
        )
    where: dict[Any, int] = {}
    for i, label in enumerate(table.index.tolist()):
        if where.setdefault(nan_safe_key(label), i) != i:
            raise PyodExplainError(
                f"`X` must have one row for each label, got several with {label!r}: a file keeps labels, no positions."
                "\nHint: call explain() again."
            )
    labels = [nan_safe_key(label) for group in summary.groups for label in group.rows]
    absent = [label for label in labels if label not in where]
    if absent:
        raise PyodExplainError(
            f"`X` must have the labels of all outliers, got none that is {absent[0]!r}.\n"
            "Hint: pass the table that was explained, with its index."
        )
    return np.array([where[label] for label in labels], dtype=np.intp)


def _note_scores(scores: NDArray[np.float64], basis: Basis | None) -> None:
    """Note the scores of all rows, where they are known."""
    if basis is None or basis.outliers.scores is None:
        return
    lines = basis.outliers.lines
    scores[np.arange(len(scores)) if lines is None else lines] = basis.outliers.scores

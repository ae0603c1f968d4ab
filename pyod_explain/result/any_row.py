"""Any row that somebody asks about: an outlier, another row of the table that was explained, or a new one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Table, nan_safe_key, plain_value
from pyod_explain.result.basis import Basis
from pyod_explain.result.group import GroupExplanation
from pyod_explain.result.locate import locate, n_lines
from pyod_explain.result.match import read_rows
from pyod_explain.result.summary import Summary

__all__ = ["Asked", "ask_row"]


@dataclass(frozen=True, eq=False)
class Asked:
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


def ask_row(
    summary: Summary,
    cells: Table | None,
    positions: Sequence[int],
    basis: Basis | None,
    *,
    label: Any,
    position: int | None,
    X: Any,
) -> Asked:
    """Find a row: a new one if `label` is the row itself, else by its position or its label.

    Parameters
    ----------
    summary, cells, positions, label, position, X : as for `locate`.
    basis : has the whole table that was explained, if it is still known.
    """
    if position is None and isinstance(label, Mapping | pd.Series | pd.DataFrame):
        return _new_row(summary, label)
    if _is_outlier(summary, positions, label, position) or (X is None and basis is None):
        label, group, row = locate(summary, cells, positions, label=label, position=position, X=X)
        return Asked(label, group, row, outlier=True)
    table = basis.table if X is None and basis is not None else _read(summary, X, position)
    places = _places(table, None if X is not None or basis is None else basis, label, position)
    if len(places) != 1:
        what = f"the label {shown(label)}" if position is None else f"the position {shown(position)}"
        hint = "name it by its position" if len(places) > 1 else "pass the table as `X=`, or the row itself"
        raise PyodExplainError(
            f"The table that was explained must have one row with {what}, got {len(places)}.\nHint: {hint}."
        )
    return Asked(plain_value(table.index[places[0]]), None, table.take(np.array(places)), outlier=False)


def _new_row(summary: Summary, row: Any) -> Asked:
    """Read a row that is given as such, each cell with the type it has."""
    if isinstance(row, pd.DataFrame):
        if len(row) != 1:
            raise PyodExplainError(
                f"`label` must be one row, got a table of {len(row):,}.\nHint: to_rows(X) takes a table."
            )
        frame, label = row, row.index[0]
    else:
        frame, label = pd.DataFrame({str(name): [cell] for name, cell in row.items()}), getattr(row, "name", None)
    return Asked(plain_value(label), None, read_rows(summary, frame), outlier=None)


def _is_outlier(summary: Summary, positions: Sequence[int], label: Any, position: int | None) -> bool:
    if position is not None:  # which a file does not keep: `locate` says so
        return position in positions or (bool(summary.groups) and not positions)
    if not isinstance(label, Hashable) or not summary.knows_rows:
        return True  # of which `locate` says what is wrong
    wanted = nan_safe_key(label)
    return any(nan_safe_key(one) == wanted for group in summary.groups for one in group.rows)


def _read(summary: Summary, X: Any, position: int | None) -> Table:
    table, expected = read_rows(summary, X), n_lines(summary)
    if position is not None and table.n_rows != expected:
        raise PyodExplainError(
            f"`X` must have the {expected:,} rows that were explained, got {table.n_rows:,}: a position is one "
            "among these.\nHint: pass the whole table, or name the row by its label."
        )
    return table


def _places(table: Table, basis: Basis | None, label: Any, position: int | None) -> list[int]:
    """Give the places in the table of what is asked for; its lines may be only some of the user's rows."""
    if position is None:
        wanted = nan_safe_key(label)
        return [i for i, one in enumerate(table.index.tolist()) if nan_safe_key(one) == wanted]
    lines = None if basis is None else basis.outliers.lines
    found = np.arange(table.n_rows) if lines is None else lines
    return np.flatnonzero(found == position).tolist()

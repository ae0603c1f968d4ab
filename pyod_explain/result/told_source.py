"""What the rules say of each of the rows beyond memory, in full, batch by batch, as somebody reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyod_explain.beyond_memory import Chunk, DaskSource, Source, SparkSource, arrow_table, pyarrow
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Table
from pyod_explain.result.contributions import contributions
from pyod_explain.result.locate import n_lines
from pyod_explain.result.match_source import reader_of
from pyod_explain.result.origin import Origin
from pyod_explain.result.rows import COLUMNS, row_frame
from pyod_explain.result.said import free_name
from pyod_explain.result.summary import Summary

__all__ = ["read_contributions", "read_told"]


def read_told(
    summary: Summary, source: Source, origin: Origin | None = None, *, explained: bool = False, beside: bool = False
) -> Any:
    """Give a line for each row, with the columns of `to_rows`: a reader, which reads as it is read.

    Parameters
    ----------
    summary : has the rules.
    source : the rows.
    origin : has the places and scores of the outliers.
    explained : these are the rows that were explained, all of them and in their order.
    beside : the rows themselves stand before it; a name that is taken gets an underscore.
    """
    _check(summary, source, "to_rows()")
    known = _Known(summary, origin) if explained else None
    if known is not None and source.n_rows is not None:
        known.check(source.n_rows, whole=True)
    pa = pyarrow()
    types = {"outlier": pa.bool_(), "group": pa.int64(), "explained": pa.bool_(), "score": pa.float64()}
    types |= {"nearest_group": pa.int64(), "distance": pa.float64()}
    fields = [(name, types.get(name, pa.string())) for name in COLUMNS]
    taken = tuple(source.schema.names) if beside else ()

    def told(chunk: Chunk) -> list[Any]:
        own, scores = (None, None) if known is None else known.between(chunk.start, chunk.start + chunk.n_rows)
        frame = row_frame(summary, _table(chunk, summary), own, scores)
        return [pa.array(frame[name], kind, from_pandas=True) for name, kind in fields]

    ours = [pa.field(free_name(name, taken), kind) for name, kind in fields]
    return reader_of(source, summary.rule_columns, ours, told, beside=beside)


def read_contributions(summary: Summary, source: Source) -> Any:
    """Give for each row and column the bits of the matching rules: a reader, which reads as it is read.

    Parameters
    ----------
    summary : has the rules.
    source : the rows.
    """
    _check(summary, source, "contributions()")
    pa = pyarrow()

    def bits(chunk: Chunk) -> list[Any]:
        frame = contributions(summary, _table(chunk, summary), source.columns)
        return [pa.array(frame[name].to_numpy()) for name in source.columns]

    fields = [pa.field(name, pa.float64()) for name in source.columns]
    return reader_of(source, summary.rule_columns, fields, bits, beside=False)


def _table(chunk: Chunk, summary: Summary) -> Table:
    """Read what the rules speak of; where that is nothing, there are rows all the same."""
    if summary.rule_columns:
        return arrow_table(chunk.batch, summary.rule_columns)
    return Table({}, pd.RangeIndex(chunk.n_rows))


class _Known:
    """Which of the rows that were explained are outliers, of what group and how strange.

    Parameters
    ----------
    summary : has the groups.
    origin : has the places.
    """

    def __init__(self, summary: Summary, origin: Origin | None) -> None:
        if origin is None:
            raise PyodExplainError(
                "This explanation was read from a file, so that nothing tells which rows beyond memory are outliers.\n"
                "Hint: call explain() again; to_rows(X), without `rows`, tells what the rules say of any rows."
            )
        self._n_rows = n_lines(summary)
        order = np.argsort(origin.positions, kind="stable")
        groups = np.array([group.number for group in summary.groups for _ in group.rows], dtype=np.int64)
        self._places, self._groups = origin.positions[order], groups[order]
        self._scores = None if origin.scores is None else origin.scores[order]

    def check(self, n_rows: int, *, whole: bool = False) -> None:
        """Refuse more rows than were explained, or other than so many if these are all."""
        if n_rows > self._n_rows or (whole and n_rows != self._n_rows):
            got = f"{n_rows:,}{'' if whole else ' and more'}"
            raise PyodExplainError(
                f"`X` must have the {self._n_rows:,} rows that were explained, got {got}.\n"
                "Hint: to_rows(X), without `rows`, tells what the rules say of other rows."
            )

    def between(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Give the group of each of these rows, 0 for normal ones, and the scores of the outliers among them."""
        self.check(stop)
        first, last = np.searchsorted(self._places, [start, stop])
        groups, scores = np.zeros(stop - start, dtype=np.int64), np.full(stop - start, np.nan)
        here = self._places[first:last] - start
        groups[here] = self._groups[first:last]
        if self._scores is not None:
            scores[here] = self._scores[first:last]
        return groups, scores


def _check(summary: Summary, source: Source, call: str) -> None:
    source.require(summary.rule_columns)
    if isinstance(source, DaskSource | SparkSource):
        raise PyodExplainError(
            f"`X` of {call} must be a table in memory or rows that are read chunk by chunk, got {source.name}.\n"
            "Hint: transform(X) gives a lazy frame with group, rule and text beside each row."
        )

"""Which rows are outliers, by the tests in `marking`; to be replaced by conditions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd

from pyod_explain.beyond_memory import SelectedSource, Source
from pyod_explain.cli.marking.condition import ColumnTest
from pyod_explain.cli.marking.mark import find_test, free_mark, mark_outliers
from pyod_explain.cli.marking.marked_source import MarkedSource
from pyod_explain.cli.marking.tally import Tally, tally_of_source
from pyod_explain.cli.usage import UsageError
from pyod_explain.exceptions import ParameterError

__all__ = ["Marked", "check_label_column", "mark_rows"]


@dataclass(frozen=True)
class Marked:
    """Rows with a column that is true for outliers."""

    data: pd.DataFrame | Source
    column: str
    condition: ColumnTest
    notes: tuple[str, ...]


def check_label_column(data: pd.DataFrame | Source, column: str) -> None:
    """Refuse a column of texts."""
    if isinstance(data, pd.DataFrame) and not pd.api.types.is_numeric_dtype(data[column]):
        raise ParameterError("labels", "a column of numbers", got=column, hint="Use --where.")


def mark_rows(data: pd.DataFrame | Source, where: str, *, keep: Collection[str] = ()) -> Marked:
    """Mark the rows that meet a condition."""
    notes: list[str] = []

    def count(name: str) -> Tally:
        return tally_of_source(data, name) if isinstance(data, Source) else Tally.of(data[name])

    try:
        test = find_test(list(data.columns), count, where, None, notes.append)
    except UsageError as error:
        raise ParameterError("where", "a condition on a column", got=where, hint=str(error)) from error
    if test is None:
        raise ParameterError("where", "a condition on a column", got=where)
    if isinstance(data, pd.DataFrame):
        frame, name = mark_outliers(data, test, keep=test.column in keep)
        return Marked(frame, name, test, tuple(notes))
    name = free_mark(test, data.columns)
    source: Source = MarkedSource(data, test, name)
    if test.column not in keep:
        source = SelectedSource(source, [one for one in source.columns if one != test.column])
    return Marked(source, name, test, tuple(notes))
